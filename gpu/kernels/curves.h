/* What the card knows of curved elements (maxwell/problem/curved.h): the kernels' tables and sizes.
 *
 * The pass over all elements leaves curved ones as they are: their medium there is a dead one, whose factors are zero.
 * A launch behind it computes them. u is J times the contravariant curl with lifted fluxes. The kernels need it at the
 * points of the rule only, so the operators go there at once. There they apply g/J, and project to the nodes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "gpu/kernels/kernels.h"
#include "gpu/kernels/layout.h"

/* Points of the rules in the volume and on a face (libdg/ref/rule.h). Rows of the operators are padded to a multiple of
 * four. */
GPU_INLINE int gpu_points(int order)
{
  return order == 1   ? 4
         : order == 2 ? 14
         : order == 3 ? 24
         : order == 4 ? 46
         : order == 5 ? 81
         : order == 6 ? 168
         : order == 7 ? 204
                      : 304;
}
GPU_INLINE int gpu_face_points(int order)
{
  return order == 1   ? 3
         : order == 2 ? 6
         : order == 3 ? 12
         : order == 4 ? 16
         : order == 5 ? 25
         : order == 6 ? 33
         : order == 7 ? 42
                      : 55;
}
/* Codes of neighbours: MX_GHOST of maxwell/problem/problem.h. Open face s has GPU_GHOST - 1 - s. */
enum { GPU_GHOST = -1 };

GPU_INLINE int gpu_padded_rows(int rows) { return (rows + 3) / 4 * 4; }

/* Operators as tensor cores take them (curved/tensor.cuh): pieces of four rows and eight columns, with zeros behind the
 * last ones. Number l of the 32 is at row l % 4 and column l / 4. */
enum { GPU_CURVED_TENSOR_ORDERS = 6 };
GPU_INLINE int gpu_eights(int numbers) { return (numbers + 7) / 8; }
/* The first piece of the lift, and of the projection, and the number of all pieces. */
GPU_INLINE int gpu_lift_fragments(int order)
{
  return gpu_padded_rows(DG_NP(order)) / 4 * 3 * gpu_eights(gpu_points(order));
}
GPU_INLINE int gpu_project_fragments(int order)
{
  return gpu_lift_fragments(order) + DG_NF(order) * gpu_eights(gpu_points(order));
}
GPU_INLINE int gpu_curved_fragments(int order)
{
  return gpu_project_fragments(order) + gpu_padded_rows(gpu_points(order)) / 4 * gpu_eights(DG_NP(order));
}

/* Nq, Nfq: points. Nqp, Npp: Nq and Np, padded with rows of zeros. */
struct gpu_curves {
  size_t count, inner;   /* curved elements; the first `inner` of them are inner elements */
  int penalty;           /* a curved face has a penalty */
  const int32_t *where;  /* [count] elements, ascending */
  const int32_t *number; /* [K] which curved element it is, or -1; NULL: all elements are straight */
  const int32_t *medium; /* [count] into medium_table */
  const void *geometry;  /* [count][6][Nq] g/J at the points: aa, ab, ac, bb, bc, cc */
  const int32_t *face;   /* [count][4] which curved face, or -1: it is flat, and gpu_tables.metric will do */
  /* [curved faces][3][Nfq] inverse metric of the face times the root of its determinant: 11, 12, 22 for (t1, t2) */
  const void *face_metric;
  const void *derivative;   /* [Np][3][Nqp] at points, along the bimedians */
  const void *lift;         /* [4 Nf][Nqp] at points, half of the lift */
  const void *at;           /* [Np][Nqp] */
  const void *project;      /* [Nq][Npp] */
  const void *face_at;      /* [Nf][Nfq] */
  const void *face_project; /* [Nfq][Nf] */
  /* In double precision up to order GPU_CURVED_TENSOR_ORDERS: [pieces][32], of the derivatives by nodes, components and
   * points, of half the lift by face nodes and points, and of the projection by points and nodes. */
  const double *fragments;
  /* For energies, in an orthonormal basis of polynomials: coefficients from nodes, and the values at points times the
   * root of the weight, laid out twice. */
  const double *to_modes;    /* [Np nodes][Np] */
  const double *mode_at;     /* [Np][Nq] */
  const double *mode_at_too; /* [Nq][Np] */
};

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels of one order, by precision, for the curved elements of a part; defined by curved/order.cu.in, a file an
 * order. `added`: the pass over all elements has been, and has multiplied the registers of curved elements by a. */
struct gpu_curved_order {
  gpuError_t (*half[2])(const struct gpu_tables *, const struct gpu_curves *, const struct gpu_half *, gpuStream_t);
  gpuError_t (*stage[2])(const struct gpu_tables *, const struct gpu_curves *, const struct gpu_stage *, int added,
                         gpuStream_t);
};
extern const struct gpu_curved_order gpu_curved_order_1, gpu_curved_order_2, gpu_curved_order_3, gpu_curved_order_4,
    gpu_curved_order_5, gpu_curved_order_6, gpu_curved_order_7, gpu_curved_order_8;

/* As gpu_add_jumps and gpu_add_currents, for entries in curved elements, where currents have contravariant components
 * times J. */
gpuError_t gpu_add_in_curved(const struct gpu_tables *tables, const struct gpu_curves *curves,
                             const struct gpu_addition *addition, int jumps, gpuStream_t stream);

/* Adds the curved elements to the parts of a product, behind gpu_products, which leaves them out. Without a list they
 * are first .. first + count - 1 of the curved elements. */
gpuError_t gpu_curved_products(const struct gpu_tables *tables, const struct gpu_curves *curves,
                               const struct gpu_product *product, size_t first, size_t count, gpuStream_t stream);

#ifdef __cplusplus
}
#endif
