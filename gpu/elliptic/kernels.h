/* Launchers of the elliptic operator and of conjugate gradients on the card. solver.c calls them.
 *
 * The operator (libdg/field/elliptic.h) is applied in two steps. Elements stand in tiles, one beside the other; a block
 * takes the values of its elements from x, and adds what they give to each unknown of the tile into `result`. Then
 * every unknown adds its places of `result`: those of the tiles that it lies in, mostly one. All sums have a fixed
 * order and there are no atomic operations, so that they repeat bit for bit.
 *
 * An iteration is two kernels for the operator and two for the vectors. Sums over all unknowns are made in parts, one a
 * block; the kernel that wants the sum adds the parts itself, every block the same way. Alpha, beta and the end of the
 * iterations stay on the card. Where ranks share unknowns the sums of parts become those of all ranks in between, and
 * so do the products (ranks.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "gpu/runtime/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  GPU_ELLIPTIC_BLOCKS = 1024, /* of kernels over all unknowns: as many as an H100 runs at a time, nearly */
  GPU_ELLIPTIC_THREADS = 256,
  GPU_ELLIPTIC_PIECE = 2048, /* entries of a long row that a block adds */
  GPU_ELLIPTIC_LONG = 512    /* rows above this are added in pieces */
};

/* Elements of a tile, by order. */
static inline int gpu_elliptic_lanes(int order) { return order <= 5 ? 64 : 32; }

/* Arrays of the card. */
struct gpu_elliptic {
  int order, Np, modes, Nf;
  size_t K, tiles;
  const double *forward;   /* [pairs of modes][Np][2][3] B */
  const double *backward;  /* [quads of nodes][3 modes][4] B^T */
  const double *mass;      /* [quads of nodes][Np][4] of the reference element */
  const double *operators; /* B, B^T and the mass as tensor cores take them (tensor.cu); NULL: they are not used */
  int processors;          /* of the card */
  const double *metric;    /* [tiles][6][lanes] */
  const double *density;   /* [tiles][lanes] mass over that of the reference element */
  const double *more;      /* [tiles][lanes] the same of the second operator; NULL: none */
  const int32_t *node;     /* [tiles][Np][lanes] unknowns */
  size_t sums;             /* of tiles: one an unknown and tile */
  const int32_t *first;    /* [tiles + 1] sums of each tile */
  const uint16_t *begin;   /* [sums + tiles] where the entries of each sum begin; with the end, a tile has one more */
  const uint16_t *entry;   /* [tiles][Np][lanes] places in [Np][lanes] of the tile, sum by sum */
  size_t curved;
  const int32_t *curve;                                       /* [curved] elements */
  const double *curved_stiffness, *curved_mass, *curved_more; /* [curved][Np][Np] */
  size_t faces;
  const int32_t *face_node; /* [faces][Nf] unknowns */
  const double *face;       /* [faces][Nf][Nf] */
  double *result;           /* [sums], then [curved][Np], then [faces][Nf], then [pieces] */
  size_t count;             /* unknowns */
  const int32_t *row;       /* [count + 1] into slot */
  const int32_t *slot;      /* places of `result` */
  size_t pieces;
  const int32_t *piece_row, *piece_slot; /* the same for pieces of long rows */
};

struct gpu_elliptic_weights {
  double stiffness, mass, more, face;
};

/* What the iterations know of themselves; on the card. */
struct gpu_march {
  double now[2];    /* r . z of iterations n and n + 1, by their parity */
  double alpha;     /* of the last iteration */
  double curvature; /* d . A d of the last iteration */
  double size;      /* r . r behind the last iteration */
  double wanted;    /* the norm of r at which it ends */
  double ones;      /* unknowns, of a mean */
  int floating;     /* take means away */
  int end;          /* iterations from here on do nothing */
  int failed;       /* not positive */
};

/* What ranks share of a vector of unknowns; arrays of the card. `out` and `in` have, behind the items, the bodies and
 * GPU_SHARED_SUMS sums. */
enum { GPU_SHARED_SUMS = 6, GPU_SUMS_OF_Q = 0, GPU_SUMS_OF_R = 2 };
struct gpu_shared {
  size_t count, items, places, bodies;
  const int32_t *node;       /* [items] unknowns, in the order in which they are sent and received */
  const int32_t *place;      /* [places] unknowns that other ranks have, too */
  const int32_t *row, *from; /* what adds to each: [places + 1] into from; items, or -1: this rank's own */
  double *out, *in;
};

/* Vectors [count], and parts of sums. */
struct gpu_march_vectors {
  size_t count;
  const uint8_t *foreign; /* unknowns that another rank counts; NULL: none */
  const int64_t *global;  /* their numbers among all ranks; NULL: their own */
  double *x, *b, *r, *d, *q;
  double *inverse;             /* of the diagonal; 0 where x is held */
  double *z;                   /* what a preconditioner made of r; NULL: the diagonal does */
  double *part_q;              /* [2][blocks] d . q, and the sum of q */
  double *part_r;              /* [4][blocks] r . z, r . r, sums of z and r */
  const double *sum_q, *sum_r; /* where these are read: [2][parts] and [4][parts], of all ranks */
  int parts;
  struct gpu_march *march;
};

/* What the elements, faces and long rows give, into op->result. march, which may be NULL: nothing happens in iterations
 * at or behind its end. */
gpuError_t gpu_elliptic_elements(const struct gpu_elliptic *op, struct gpu_elliptic_weights weights, const double *x,
                                 const struct gpu_march *march, int n, gpuStream_t stream);
/* y = (weights) x from op->result, with part[2][blocks] of x . y and of y. */
gpuError_t gpu_elliptic_gather(const struct gpu_elliptic *op, const double *x, double *y, double *part,
                               const struct gpu_march *march, int n, gpuStream_t stream);
/* The dynamic shared memory of the element kernel; call it once before. */
gpuError_t gpu_elliptic_prepare(int order);

/* d = x where it is held, 0 elsewhere. */
gpuError_t gpu_march_held(const struct gpu_march_vectors *v, gpuStream_t stream);
/* r = b - q where nothing is held, and the sum of r in part_q. Iterations at or behind the end do nothing. */
gpuError_t gpu_march_lack(const struct gpu_march_vectors *v, int n, gpuStream_t stream);
/* Takes the mean from r where constants are in the kernel, and makes part_r. */
gpuError_t gpu_march_weigh(const struct gpu_march_vectors *v, int n, gpuStream_t stream);
/* part_r with what a preconditioner made of r, z. */
gpuError_t gpu_march_improved(const struct gpu_march_vectors *v, int n, gpuStream_t stream);
/* y -= x */
gpuError_t gpu_march_subtract(size_t count, const double *x, double *y, gpuStream_t stream);
/* r = noise where nothing is held, and the sum of r in part_q. */
gpuError_t gpu_march_noise(const struct gpu_march_vectors *v, gpuStream_t stream);
/* march->size from part_r. */
gpuError_t gpu_march_measure(const struct gpu_march_vectors *v, gpuStream_t stream);
/* alpha from part_q; r -= alpha q; part_r. */
gpuError_t gpu_march_residual(const struct gpu_march_vectors *v, int n, gpuStream_t stream);
/* out = what is shared of y, with the bodies behind it. */
gpuError_t gpu_shared_pack(const struct gpu_shared *shared, const double *y, gpuStream_t stream);
/* y = what all ranks have together, from `in`. */
gpuError_t gpu_shared_unpack(const struct gpu_shared *shared, double *y, gpuStream_t stream);
/* to[count <= 4] = the sums of part[count][blocks]. */
gpuError_t gpu_shared_fold(const double *part, int count, double *to, gpuStream_t stream);

/* x += alpha d */
gpuError_t gpu_march_move(const struct gpu_march_vectors *v, int n, gpuStream_t stream);
/* beta from part_r; x += alpha d (moves), d = z + beta d; ends the iterations where r is small enough. first: beta = 0,
 * nothing moves, nothing ends. */
gpuError_t gpu_march_turn(const struct gpu_march_vectors *v, int n, int first, int moves, gpuStream_t stream);

#ifdef __cplusplus
}
#endif
