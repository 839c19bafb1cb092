/* The kernels of the `cpu` backend: one pass over the elements does curl, jump, flux, lift and update.
 *
 * A field is [element][node][3], a row for each element, padded to a whole number of fours (MX_FUSED_ROW). A kernel
 * works on a block of W consecutive elements, an element a vector lane, W numbers in 64 bytes. It turns the rows of a
 * block into lanes, four numbers of each row at a time, and the changes of a block back into rows. A neighbour's vector
 * at a node is one short load from the neighbour's row: rows are compact, so that all nodes of a face come with few
 * cache lines. A row of zeros behind the last block stands for what lies beyond the boundary.
 *
 * Components are covariant, along the bimedians. With them the curl, the jumps and the penalty need no geometry but the
 * face's inverse metric (maxwell/backend/frame/frame.h), and derivatives fall into sectors (symmetry.h). The update
 * remains: u_a += dt/(eps J) sum_c g_ac (...)^c. `metric` holds the products dt/(eps J) g_ac for the equation of E and
 * -dt/(mu J) g_ac for that of H. The penalty's formula depends on the sign of g, but not on its scale, so that it uses
 * the same six numbers. Where epsilon is a tensor, x_a . epsilon^-1 x_c takes the place of g_ac/eps, and the penalty,
 * which has to be the same on both sides of a face, keeps six numbers without it.
 *
 * Flops a field: 3 Np^2 + 6 Np Nf for the products, about 10 a node and 40 a face node beside them. The floor of the
 * bench counts 12 Np^2 + 16 Np Nf, those of products with whole matrices (share/doc/design/cpu.md). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdg/base/orders.h"
#include "maxwell/backend/cpu/fused_nodes.h"
#include "maxwell/backend/frame/frame.h"
#include "maxwell/backend/frame/points.h"
#include "maxwell/backend/frame/symmetry.h"
#include "maxwell/backend/layers/layer_rule.h"
#include "maxwell/backend/squares/squares.h"
#include "maxwell/time/step_rule.h"

enum {
  MX_FUSED_BYTES = 64, /* size of a vector: W is 8 doubles or 16 floats on every machine */
  MX_ROWS_MAX = 20     /* the most rows of a matrix that any kernel works on at a time */
};

/* The highest order whose loops over nodes unroll: longer code is slower than the loops. */
#define MX_STRAIGHT 2

/* Numbers of a row: a whole number of fours, which is how rows are read and written. */
#define MX_FUSED_ROW(p) ((3 * DG_NP(p) + 3) / 4 * 4)

/* Flags of a block. */
enum {
  MX_BLOCK_UNIFORM = 1, /* all faces have the weights [0] of the table */
  MX_BLOCK_PENALTY = 2  /* some face has a penalty */
};

/* The tables of curved elements (maxwell/problem/curved.h), which stand in two ranges of blocks. Matrices are in the
 * order in which the kernels read them, those of the volume by sectors (points.h). */
struct mx_fused_curves {
  const void *at, *project, *face_at, *face_project;
  const void *metric;    /* [curved blocks][Nq][6][W] g_ab/J at the points, by orbit */
  const void *face;      /* [curved blocks][4][Nfq][2][W] of the faces' metrics (fused_curved.h); NULL: no penalty */
  size_t first[2], last; /* where the ranges begin; the end of the first */
};
/* The number of a block among those of curved elements. */
#define MX_CURVED(fused, block)                                                                                        \
  ((block) < (fused)->curves.last                                                                                      \
       ? (block) - (fused)->curves.first[0]                                                                            \
       : (block) - (fused)->curves.first[1] + (fused)->curves.last - (fused)->curves.first[0])

/* The data of the kernels of one precision. The void pointers are arrays of that precision, 64-byte aligned. Orders up
 * to MX_KNOWN_NODES have orbit, node and place in fused_nodes.h instead. */
struct mx_fused {
  int order;
  const void *matrix;       /* in the order in which the kernels read it */
  const double *mass;       /* blocks of the mass matrix, a sector's rows one after the other */
  const int32_t *orbit;     /* [Np] nodes by orbit (symmetry.h) */
  const int32_t *node;      /* [4][Nf] nodes on faces */
  const int32_t *place;     /* [4][Nf] symmetry.h */
  const int32_t *gather;    /* [Nf][W]: entry f of row m is 3 times node m of face f (f = 0..3, repeated) */
  const int32_t *neighbour; /* [blocks][4][W] where the neighbour's row begins, plus its face */
  const int32_t *weight;    /* [blocks][4][W] index into the tables below */
  const uint8_t *flags;     /* [blocks] */
  const int32_t *nowhere;   /* [W] where the row of zeros begins */
  bool stream;              /* are results written past the caches? */
  size_t blocks;
  size_t ahead;        /* blocks between the current one and the one whose rows are fetched */
  size_t ahead_far;    /* the same for the rows of its neighbours that are far away */
  int32_t near;        /* numbers: a row that begins closer to its neighbour's is not far away */
  const void *jump[2]; /* tables of flux weights by equation (0: E, 1: H) */
  const void *penalty[2];
  const void *metric[2]; /* [blocks][6][W] aa, ab, ac, bb, bc, cc, by equation; of curved elements: dt/eps alone */
  const void *plain[2];  /* the same without tensors, for the penalty; where there are none, `metric` itself */
  const void *decay[2];  /* [blocks][W] factors of the old field in its change by losses; [W] zeros unless lossy */
  bool lossy[2];
  struct mx_fused_curves curves;
};

/* One equation of leapfrog on blocks first..last-1: result = own + decay own + metric (...). The result may be `own`
 * itself where no face between two elements has a penalty: neighbours' values of `own` do not count then.
 * On a part that takes shorter steps, in place and without losses: result = own + scale metric (...) + share plus. */
struct mx_fused_half {
  int equation; /* 0: E changes, 1: H */
  const void *own, *other;
  void *result;
  bool fine;
  double scale, share;
  const void *plus; /* NULL: nothing */
};

/* One stage of a low-storage Runge-Kutta scheme: register = a register + dt rate, result = field + b register; by
 * equation. With a = b = 0, the register is dt times the right-hand side. */
struct mx_fused_stage {
  double a, b;
  const void *field[2];
  void *registers[2], *result[2]; /* result may be NULL */
};

/* The kernels of an order, one set of instructions and one precision. */
struct mx_fused_order {
  int rows[2]; /* rows that the kernels work on at a time, in sector 0 and in the others */
  void (*half)(const struct mx_fused *, const struct mx_fused_half *, size_t first, size_t last);
  void (*stage)(const struct mx_fused *, const struct mx_fused_stage *, size_t first, size_t last);
  void (*curved_half)(const struct mx_fused *, const struct mx_fused_half *, size_t first, size_t last);
  void (*curved_stage)(const struct mx_fused *, const struct mx_fused_stage *, size_t first, size_t last);
  /* product[6][W] of the elements of a block: integrals of u_a v_a, and of u_a v_b + u_b v_a (order aa, ab, ac, bb, bc,
   * cc), over the reference tetrahedron. */
  void (*products)(const struct mx_fused *, const void *u, const void *v, size_t block, double *product);
};

struct mx_fused_kernels {
  const char *name; /* "AVX-512" */
  const struct mx_fused_order *order[DG_ORDER_MAX + 1];
  int curved_rows; /* the most rows of a curved element's matrices at a time */
  const struct mx_layer_kernels *layers;
  const struct mx_square_kernels *squares;
};

extern const struct mx_fused_kernels mx_fused_portable_double, mx_fused_portable_single;
extern const struct mx_fused_kernels mx_fused_avx2_double, mx_fused_avx2_single;
extern const struct mx_fused_kernels mx_fused_avx512_double, mx_fused_avx512_single;
