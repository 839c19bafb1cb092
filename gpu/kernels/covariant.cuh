/* Faces and components along the bimedians (maxwell/backend/frame/frame.h), at a point, for the kernels. */
#pragma once

#include "gpu/kernels/kernels.h"
#include "gpu/kernels/layout.h"
#include "maxwell/backend/frame/frame.h"

__device__ inline int gpu_look_up(const gpu_index &index, size_t i)
{
  return index.wide ? static_cast<const int32_t *>(index.data)[i] : static_cast<const uint16_t *>(index.data)[i];
}

/* Does half turn g change the sign of component c? */
__device__ constexpr bool gpu_changes_sign(int c, int g) { return g != 0 && g != c + 1; }

/* Components along the edges t1 and t2 of face f, the same vectors on both sides of a face. */
template <typename REAL> __device__ inline void gpu_along(int f, REAL a, REAL b, REAL c, REAL along[2])
{
  MX_ALONG(f, a, b, c, along);
}

/* The vector of gpu_along by other edges: along the first two edges from the first vertex, where half turn f makes face
 * f of face 0. */
template <typename REAL> __device__ inline void gpu_to_frame(int f, const REAL along[2], REAL edge[2])
{
  edge[0] = f == 0 ? along[0] : f == 3 ? along[0] - along[1] : f == 1 ? along[1] : -along[1];
  edge[1] = f == 0 ? along[1] : f == 1 ? along[0] : f == 2 ? along[0] - along[1] : -along[1];
}

/* The trace of a field at node n of element e, along t1 and t2 of its face f. */
template <typename REAL>
__device__ inline void gpu_trace(int order, const REAL *field, size_t e, int f, int n, REAL along[2])
{
  const REAL *at = field + gpu_at(order, e, 0, static_cast<size_t>(n));
  gpu_along(f, at[0], at[gpu_component(order)], at[2 * gpu_component(order)], along);
}

/* Twice the lifted flux along x_a, x_b, x_c, from its parts along t1 and t2 (the lift's matrix has the half). */
template <typename REAL> __device__ inline void gpu_from_along(int f, REAL p, REAL q, REAL flux[3])
{
  MX_FROM_ALONG(f, p, q, flux[0], flux[1], flux[2]);
}

/* The factors of the jumps on a face: of the jump of the field under the curl, and of the jump of the field that
 * changes, which takes the inverse metric of the face. */
template <typename REAL> struct gpu_face_weights {
  REAL jump, inverse[3];
};

/* The factors of face f. g: the element's six numbers g/J, of which the sign matters here but not the scale. */
template <typename REAL>
__device__ inline gpu_face_weights<REAL> gpu_weigh_face(int equation, int f, const REAL g[6],
                                                        const struct mx_face_flux &flux)
{
  gpu_face_weights<REAL> weights = {static_cast<REAL>(equation == 0 ? flux.h_jump : flux.e_jump), {0, 0, 0}};
  REAL penalty = static_cast<REAL>(equation == 0 ? flux.e_penalty : -flux.h_penalty), g11, g12, g22;
  if (f % 2 == 1) weights.jump = -weights.jump;
  if (penalty == 0) return weights;
  REAL aa = g[0], ab = g[1], ac = g[2], bb = g[3], bc = g[4], cc = g[5];
  MX_FACE_PRODUCTS(f, aa, ab, ac, bb, bc, cc, g11, g12, g22);
  REAL scale = -penalty / sqrt(g11 * g22 - g12 * g12); /* minus: bimedians have another orientation than r, s, t */
  weights.inverse[0] = scale * g22;
  weights.inverse[1] = -scale * g12;
  weights.inverse[2] = scale * g11;
  return weights;
}

/* Twice the lifted flux at a point of face f, from the jumps along t1 and t2. */
template <typename REAL>
__device__ inline void gpu_flux(int f, const gpu_face_weights<REAL> &weights, const REAL other[2], const REAL own[2],
                                REAL flux[3])
{
  REAL p = -weights.jump * other[1] + weights.inverse[0] * own[0] + weights.inverse[1] * own[1];
  REAL q = weights.jump * other[0] + weights.inverse[1] * own[0] + weights.inverse[2] * own[1];
  gpu_from_along(f, p, q, flux);
}

/* The symmetric matrix of six numbers times a vector. */
template <typename REAL> __device__ inline void gpu_apply(const REAL g[6], const REAL x[3], REAL y[3])
{
  y[0] = g[0] * x[0] + g[1] * x[1] + g[2] * x[2];
  y[1] = g[1] * x[0] + g[3] * x[1] + g[4] * x[2];
  y[2] = g[2] * x[0] + g[4] * x[1] + g[5] * x[2];
}
