/* What all kernels of curved elements do: tables, fields, fluxes at face nodes and penalties on curved faces. */
#pragma once

#include "gpu/kernels/covariant.cuh"
#include "gpu/kernels/curves.h"
#include "gpu/kernels/launch_ahead.cuh"

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

/* Curved elements first .. first + count - 1 of the list. */
struct gpu_curved_range {
  size_t first, count;
  int added;  /* the pass over all elements has multiplied their registers */
  int beside; /* the pass over all elements, just before, may be under way: it leaves these elements alone */
};

/* LAYOUT: sizes of a block, and where its numbers lie in shared memory. put() and add() take a flux along t1 and t2. */
template <int P, typename REAL, typename LAYOUT> struct gpu_curved_block {
  static constexpr int NP = DG_NP(P), NF = DG_NF(P), FACES = 4 * NF, NQ = gpu_points(P), NFQ = gpu_face_points(P);
  static constexpr int ELEMENTS = LAYOUT::ELEMENTS, THREADS = LAYOUT::THREADS;
  static constexpr int STRIDE = static_cast<int>(gpu_stride(P)), COMPONENT = static_cast<int>(gpu_component(P));
  using face = gpu_curved_face<REAL>;

  struct tables_of { /* of the elements */
    face faces[ELEMENTS][4];
    int32_t neighbour[ELEMENTS][4], element[ELEMENTS];
    REAL factor[ELEMENTS], decay[ELEMENTS];
    uint8_t node[FACES]; /* of faces */
  };
  static constexpr size_t HEAD = (sizeof(tables_of) + 15) / 16 * 16;

  /* Has the block places for jumps of the field that changes? */
  __host__ __device__ static bool keeps_jumps(const gpu_tables &, const gpu_curves &curves)
  {
    return curves.penalty != 0;
  }
  static constexpr size_t shared(bool jumps) { return HEAD + sizeof(REAL) * LAYOUT::numbers(jumps); }

  const gpu_tables &tables;
  const gpu_curves &curves;
  const int equation;
  const REAL *const other, *const own;
  const REAL *const open_before;
  tables_of &t;
  REAL *const under, *const flux, *const at_points, *const jumps, *const bent;
  const size_t first; /* of the curved elements of this block */
  const int count;
  const bool beside; /* of gpu_curved_range */

  __device__ gpu_curved_block(const gpu_tables &tables, const gpu_curves &curves, const gpu_curved_range &range,
                              unsigned block, int equation, const void *other, const void *own, const void *open_before,
                              unsigned char *memory)
      : tables(tables), curves(curves), equation(equation), other(static_cast<const REAL *>(other)),
        own(static_cast<const REAL *>(own)), open_before(static_cast<const REAL *>(open_before)),
        t(*reinterpret_cast<tables_of *>(memory)), under(reinterpret_cast<REAL *>(memory + HEAD)),
        flux(under + LAYOUT::FLUX), at_points(under + LAYOUT::AT_POINTS), jumps(under + LAYOUT::JUMPS),
        bent(under + LAYOUT::BENT), first(range.first + static_cast<size_t>(block) * ELEMENTS),
        count(range.first + range.count - first < ELEMENTS ? static_cast<int>(range.first + range.count - first)
                                                           : ELEMENTS),
        beside(range.beside != 0)
  {
  }

  /* All that no kernel changes. */
  __device__ void prepare() const
  {
    for (int i = static_cast<int>(threadIdx.x); i < FACES; i += THREADS)
      t.node[i] = static_cast<uint8_t>(tables.face_node[i]);
    for (int i = static_cast<int>(threadIdx.x); i < 4 * count; i += THREADS) {
      const size_t k = first + static_cast<size_t>(i / 4), e = static_cast<size_t>(curves.where[k]);
      t.faces[i / 4][i % 4] = gpu_weigh_curved_face<REAL>(tables, curves, equation, k, e, i % 4);
      t.neighbour[i / 4][i % 4] = tables.neighbour[4 * e + static_cast<size_t>(i % 4)];
      if (i % 4 != 0) continue;
      const gpu_medium &medium = tables.medium_table[curves.medium[k]];
      t.element[i / 4] = static_cast<int32_t>(e);
      t.factor[i / 4] = static_cast<REAL>(medium.factor[equation]);
      t.decay[i / 4] = static_cast<REAL>(medium.decay[equation]);
    }
  }

  /* The field under the curl, and its traces from outside, which wait in the place of fluxes. */
  __device__ void load() const
  {
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < count * 3 * NP; i += THREADS) {
      const int k = i / (3 * NP), c = i % (3 * NP) / NP, n = i % NP;
      under[LAYOUT::under(k, c, n)] =
          other[static_cast<size_t>(t.element[k]) * STRIDE + static_cast<size_t>(c * NP + n)];
    }
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < count * FACES; i += THREADS) {
      const int k = i / FACES, j = i % FACES, neighbour = t.neighbour[k][j / NF];
      REAL theirs[2] = {0, 0};
      if (neighbour >= 0)
        gpu_trace(P, other, static_cast<size_t>(neighbour / 4), neighbour % 4, t.node[neighbour % 4 * NF + j % NF],
                  theirs);
      for (int part = 0; part < 2; part++) flux[LAYOUT::flux(k, part, j)] = theirs[part];
    }
  }

  __device__ size_t row(int k) const { return static_cast<size_t>(t.element[k]); }

  /* On open faces, where half a step has traces of before, extrapolates the own trace of the field that changes by half
   * a step. */
  __device__ void extrapolate(int k, int f, int m, REAL ours[2]) const
  {
    const int32_t neighbour = t.neighbour[k][f];
    if (open_before == nullptr || neighbour >= GPU_GHOST) return;
    const size_t slot = static_cast<size_t>(GPU_GHOST - 1 - neighbour);
    for (int part = 0; part < 2; part++)
      ours[part] += static_cast<REAL>(0.5) *
                    (ours[part] - open_before[(2 * slot + static_cast<size_t>(part)) * NF + static_cast<size_t>(m)]);
  }

  /* The jump of the field that changes. */
  __device__ void own_jump(int k, int f, int m, REAL jump[2]) const
  {
    const int32_t neighbour = t.neighbour[k][f];
    REAL theirs[2] = {0, 0};
    gpu_trace(P, own, row(k), f, t.node[f * NF + m], jump);
    if (neighbour >= 0)
      gpu_trace(P, own, static_cast<size_t>(neighbour / 4), neighbour % 4, t.node[neighbour % 4 * NF + m], theirs);
    extrapolate(k, f, m, jump);
    for (int part = 0; part < 2; part++) jump[part] = theirs[part] - jump[part];
  }

  /* Fluxes, of which load() has brought the traces. */
  __device__ void fluxes() const
  {
    for (int i = static_cast<int>(threadIdx.x); i < count * FACES; i += THREADS) {
      const int k = i / FACES, j = i % FACES, f = j / NF, n = t.node[j];
      const face &mine = t.faces[k][f];
      const REAL theirs[2] = {flux[LAYOUT::flux(k, 0, j)], flux[LAYOUT::flux(k, 1, j)]};
      REAL ours[2], jump[2] = {0, 0};
      gpu_along(f, under[LAYOUT::under(k, 0, n)], under[LAYOUT::under(k, 1, n)], under[LAYOUT::under(k, 2, n)], ours);
      const bool nodal = mine.weights.inverse[0] != 0;
      if (nodal || mine.bent != 0) own_jump(k, f, j % NF, jump);
      if (mine.bent != 0)
        for (int part = 0; part < 2; part++) jumps[LAYOUT::jump(k, part, j)] = jump[part];
      if (!nodal) jump[0] = jump[1] = 0;
      put_flux(mine, k, f, j, theirs, ours, jump);
    }
  }

  /* Puts the flux where it belongs, from both traces of the field under the curl and the jump of the other one. */
  __device__ void put_flux(const face &mine, int k, int f, int j, const REAL theirs[2], const REAL ours[2],
                           const REAL jump[2]) const
  {
    const REAL *inverse = mine.weights.inverse;
    LAYOUT::put(flux, k, f, j, -mine.weights.jump * (theirs[1] - ours[1]) + inverse[0] * jump[0] + inverse[1] * jump[1],
                mine.weights.jump * (theirs[0] - ours[0]) + inverse[1] * jump[0] + inverse[2] * jump[1]);
  }

  /* Penalties on curved faces, behind fluxes() and a barrier. All threads call it. */
  __device__ void bend() const
  {
    const REAL *face_at = static_cast<const REAL *>(curves.face_at);
    const REAL *face_project = static_cast<const REAL *>(curves.face_project);
    for (int i = static_cast<int>(threadIdx.x); i < count * 4 * NFQ; i += THREADS) {
      const int k = i / (4 * NFQ), f = i % (4 * NFQ) / NFQ, q = i % NFQ;
      const face &mine = t.faces[k][f];
      if (mine.bent == 0) continue;
      REAL jump[2] = {0, 0}, at[2];
      for (int m = 0; m < NF; m++) {
        const REAL a = face_at[m * NFQ + q];
        jump[0] += a * jumps[LAYOUT::jump(k, 0, f * NF + m)];
        jump[1] += a * jumps[LAYOUT::jump(k, 1, f * NF + m)];
      }
      gpu_bend(mine, NFQ, q, jump, at);
      bent[LAYOUT::bent(k, 0, f * NFQ + q)] = at[0];
      bent[LAYOUT::bent(k, 1, f * NFQ + q)] = at[1];
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count * FACES; i += THREADS) {
      const int k = i / FACES, j = i % FACES, f = j / NF, m = j % NF;
      if (t.faces[k][f].bent == 0) continue;
      REAL sum[2] = {0, 0};
      for (int q = 0; q < NFQ; q++) {
        const REAL a = face_project[q * NF + m];
        sum[0] += a * bent[LAYOUT::bent(k, 0, f * NFQ + q)];
        sum[1] += a * bent[LAYOUT::bent(k, 1, f * NFQ + q)];
      }
      LAYOUT::add(flux, k, f, j, sum[0], sum[1]);
    }
  }

  /* All before the products. Threads of a block wait for each other at the end. */
  __device__ void begin() const
  {
    prepare();
    __syncthreads();
    gpu_wait_for_kernels_before();
    load();
    __syncthreads();
    fluxes();
    __syncthreads();
    if (curves.penalty) {
      bend();
      __syncthreads();
    }
  }

  /* Gives the rates at a node of element k of the block to `update`. */
  template <typename UPDATE> __device__ void finish(UPDATE update, int k, int n, const REAL rate[3]) const
  {
    REAL old[3];
    for (int c = 0; c < 3; c++) old[c] = own[row(k) * STRIDE + static_cast<size_t>(c * COMPONENT + n)];
    finish(update, k, n, rate, old);
  }
  template <typename UPDATE>
  __device__ void finish(UPDATE update, int k, int n, const REAL rate[3], const REAL old[3]) const
  {
    REAL by[3];
    for (int c = 0; c < 3; c++) by[c] = t.factor[k] * rate[c] + t.decay[k] * old[c];
    update(row(k), n, old, by);
  }
};
