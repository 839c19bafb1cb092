/* The faces of curved elements, for the kernels. */
#pragma once

#include "gpu/kernels/covariant.cuh"
#include "gpu/kernels/curves.h"

/* The factors of a face. */
template <typename REAL> struct gpu_curved_face {
  gpu_face_weights<REAL> weights; /* of nodes; no penalty on a curved face */
  REAL bent;                      /* what multiplies the inverse metric at the points of a curved face */
  const REAL *metric;             /* of these */
};

/* k: number of the curved element, which is element e. */
template <typename REAL>
__device__ inline gpu_curved_face<REAL> gpu_weigh_curved_face(const gpu_tables &tables, const gpu_curves &curves,
                                                              int equation, size_t k, size_t e, int f)
{
  const struct mx_face_flux flux = tables.flux_table[gpu_look_up(tables.flux, 4 * e + static_cast<size_t>(f))];
  const REAL *g = static_cast<const REAL *>(tables.metric) + 6 * e;
  const int32_t number = curves.face[4 * k + static_cast<size_t>(f)];
  gpu_curved_face<REAL> face = {gpu_weigh_face(equation, f, g, flux), 0, nullptr};
  if (number < 0 || face.weights.inverse[0] == 0) return face;
  const REAL penalty = static_cast<REAL>(equation == 0 ? flux.e_penalty : -flux.h_penalty);
  face.weights.inverse[0] = face.weights.inverse[1] = face.weights.inverse[2] = 0;
  face.bent = g[0] > 0 ? -penalty : penalty; /* the sign is that of J */
  face.metric = static_cast<const REAL *>(curves.face_metric) +
                static_cast<size_t>(3 * gpu_face_points(tables.order)) * static_cast<size_t>(number);
  return face;
}

/* The inverse metric at point q of a curved face, times the face's factor, at a jump. */
template <typename REAL>
__device__ inline void gpu_bend(const gpu_curved_face<REAL> &face, int points, int q, const REAL jump[2], REAL flux[2])
{
  const REAL m11 = face.metric[q], m12 = face.metric[points + q], m22 = face.metric[2 * points + q];
  flux[0] = face.bent * (m11 * jump[0] + m12 * jump[1]);
  flux[1] = face.bent * (m12 * jump[0] + m22 * jump[1]);
}
