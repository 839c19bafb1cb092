/* The kernels of the `cpu` backend: one pass over the blocks does curl, jump, flux, lift and update.
 *
 * Elements stand in blocks of W, 64 bytes of numbers, an element a lane. A field is [block][Np][W][3]. A block of zeros
 * behind the last one stands for what lies beyond the boundary. The three components of a lane lie side by side, so
 * that a neighbour's value at a node is one short load from one cache line or two.
 *
 * Components are covariant, along the bimedians. With them the curl, the jumps and the penalty need no geometry but the
 * face's inverse metric (maxwell/backend/frame/frame.h), and derivatives fall into sectors (symmetry.h). The update
 * remains: u_a += dt/(eps J) sum_c g_ac (...)^c. `metric` holds the products dt/(eps J) g_ac for the equation of E and
 * -dt/(mu J) g_ac for that of H. The penalty's formula depends on the sign of g, but not on its scale, so that it uses
 * the same six numbers.
 *
 * Flops a field: 3 Np^2 + 6 Np Nf for the products, about 10 a node and 40 a face node beside them. The floor of the
 * bench counts 12 Np^2 + 16 Np Nf, those of products with whole matrices (share/doc/design/cpu.md). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "libdg/base/orders.h"
#include "maxwell/backend/frame/frame.h"
#include "maxwell/backend/frame/symmetry.h"

enum {
  MX_FUSED_BYTES = 64, /* size of a vector: W is 8 doubles or 16 floats on every machine */
  MX_ROWS_MAX = 20     /* the most rows of a matrix that any kernel works on at a time */
};

/* Flags of a block. */
enum {
  MX_BLOCK_UNIFORM = 1, /* all faces have the weights [0] of the table */
  MX_BLOCK_PENALTY = 2  /* some face has a penalty */
};

/* The data of the kernels of one precision. The void pointers are arrays of that precision, 64-byte aligned. */
struct mx_fused {
  int order;
  const void *matrix;       /* in the order in which the kernels read it */
  const double *mass;       /* blocks of the mass matrix, a sector's rows one after the other */
  const int32_t *orbit;     /* [Np] nodes by orbit (symmetry.h) */
  const int32_t *node;      /* [4][Nf] nodes on faces */
  const int32_t *place;     /* [4][Nf] symmetry.h */
  const int32_t *gather;    /* [Nf][W]: entry f of row m is node m of face f, times 3 W (f = 0..3, repeated) */
  const int32_t *neighbour; /* [blocks][4][W] 4 * element + face; beyond the boundary one behind the last block */
  const int32_t *weight;    /* [blocks][4][W] index into the tables below */
  const uint8_t *flags;     /* [blocks] */
  size_t ahead;             /* blocks between the current one and the one that is fetched from memory */
  const void *jump[2];      /* tables of flux weights by equation (0: E, 1: H) */
  const void *penalty[2];
  const void *metric[2]; /* [blocks][6][W] aa, ab, ac, bb, bc, cc, by equation */
  const void *decay[2];  /* [blocks][W] factors of the old field in its change by losses; NULL without losses */
};

/* One equation of leapfrog on blocks first..last-1: result = own + decay own + metric (...). */
struct mx_fused_half {
  int equation; /* 0: E changes, 1: H */
  const void *own, *other;
  void *result;
};

/* One stage of a low-storage Runge-Kutta scheme: register = a register + dt rate, result = field + b register; by
 * equation. With a = b = 0, the register is dt times the right-hand side. */
struct mx_fused_stage {
  double a, b;
  const void *field[2];
  void *registers[2], *result[2]; /* result may be NULL */
};

struct mx_fused_kernels {
  const char *name;              /* "AVX-512" */
  int rows[DG_ORDER_MAX + 1][2]; /* rows that the kernels work on at a time, by order, in sector 0 and in the others */
  void (*half[DG_ORDER_MAX + 1])(const struct mx_fused *, const struct mx_fused_half *, size_t first, size_t last);
  void (*stage[DG_ORDER_MAX + 1])(const struct mx_fused *, const struct mx_fused_stage *, size_t first, size_t last);
  /* product[6][W] of the elements of a block: integrals of u_a v_a, and of u_a v_b + u_b v_a (order aa, ab, ac, bb, bc,
   * cc), over the reference tetrahedron. */
  void (*products[DG_ORDER_MAX + 1])(const struct mx_fused *, const void *u, const void *v, size_t block,
                                     double *product);
};

extern const struct mx_fused_kernels mx_fused_portable_double, mx_fused_portable_single;
extern const struct mx_fused_kernels mx_fused_avx2_double, mx_fused_avx2_single;
extern const struct mx_fused_kernels mx_fused_avx512_double, mx_fused_avx512_single;
