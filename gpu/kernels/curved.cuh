/* The kernels of curved elements (curves.h), behind the pass over all elements.
 *
 * A block has a few curved elements, and a thread a few points of a few of them:
 *   1. The field under the curl comes to shared memory, number by number, the elements side by side.
 *   2. Fluxes at face nodes: two numbers a node. Penalties on curved faces go to the points of the face and back.
 *   3. A thread multiplies rows of the operators (derivatives and lift, at points) by values and fluxes, for R points
 * of S elements, so that a number that it loads serves several products. It applies g/J.
 *   4. The same threads project, with R nodes of S elements, and update.
 *
 * Of neighbours the kernels read fields alone, whose traces hold no geometry. What this launch writes, nobody reads. */
#pragma once

#include "gpu/kernels/covariant.cuh"
#include "gpu/kernels/curves.h"
#include "gpu/kernels/launch_ahead.cuh"
#include "gpu/kernels/tuning.h"

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
  int added; /* the pass over all elements has multiplied their registers */
};

template <int P, typename REAL, bool FEW> struct gpu_curved_kernel {
  static constexpr gpu_curved_tile SIZE = gpu_curved_tile_of(FEW, P);
  static constexpr int NP = DG_NP(P), NF = DG_NF(P), FACES = 4 * NF, NQ = gpu_points(P), NFQ = gpu_face_points(P);
  static constexpr int ELEMENTS = SIZE.elements, R = SIZE.rows, S = SIZE.each, GROUPS = ELEMENTS / S;
  static constexpr int NQP = gpu_padded_rows(NQ), NPP = gpu_padded_rows(NP);
  static constexpr int POINT_GROUPS = NQP / R, NODE_GROUPS = NPP / R;
  static constexpr int THREADS = (GROUPS * POINT_GROUPS + 31) / 32 * 32;
  static constexpr int STRIDE = static_cast<int>(gpu_stride(P)), COMPONENT = static_cast<int>(gpu_component(P));
  static constexpr int LD = ELEMENTS | 1; /* odd: numbers of an element lie in different banks */
  static_assert(ELEMENTS % S == 0 && NQP % R == 0 && NPP % R == 0 && NPP <= NQP && THREADS <= 1024, "no such tile");
  using face = gpu_curved_face<REAL>;

  struct tables_of { /* of the elements */
    face faces[ELEMENTS][4];
    int32_t neighbour[ELEMENTS][4], element[ELEMENTS];
  };
  static constexpr size_t HEAD = (sizeof(tables_of) + 15) / 16 * 16;
  static constexpr size_t UNDER = 3 * NP * LD, FLUX = 2 * FACES * LD, AT_POINTS = 3 * NQ * LD;
  static constexpr size_t BENT = 2 * FACES * LD + 8 * NFQ * LD; /* jumps, and fluxes at points of faces */

  /* Bytes of shared memory. The values at points take the place of what curved faces need. */
  static size_t shared(bool penalty)
  {
    return HEAD + sizeof(REAL) * (UNDER + FLUX + (penalty && BENT > AT_POINTS ? BENT : AT_POINTS));
  }

  const gpu_tables &tables;
  const gpu_curves &curves;
  const int equation;
  const REAL *const other, *const own;
  const REAL *const open_before;
  tables_of &t;
  REAL *const under, *const flux, *const at_points; /* [3 NP][LD], [2][FACES][LD], [3 NQ][LD] */
  REAL *const jumps, *const bent;                   /* [2][FACES][LD], [2][4 NFQ][LD] */
  const size_t first;                               /* of the curved elements of this block */
  const int count;
  /* What the thread computes. */
  const int points = static_cast<int>(threadIdx.x) % POINT_GROUPS, nodes = static_cast<int>(threadIdx.x) % NODE_GROUPS;

  __device__ gpu_curved_kernel(const gpu_tables &tables, const gpu_curves &curves, const gpu_curved_range &range,
                               unsigned block, int equation, const void *other, const void *own,
                               const void *open_before, unsigned char *memory)
      : tables(tables), curves(curves), equation(equation), other(static_cast<const REAL *>(other)),
        own(static_cast<const REAL *>(own)), open_before(static_cast<const REAL *>(open_before)),
        t(*reinterpret_cast<tables_of *>(memory)), under(reinterpret_cast<REAL *>(memory + HEAD)), flux(under + UNDER),
        at_points(flux + FLUX), jumps(at_points), bent(at_points + 2 * FACES * LD),
        first(range.first + static_cast<size_t>(block) * ELEMENTS),
        count(range.first + range.count - first < ELEMENTS ? static_cast<int>(range.first + range.count - first)
                                                           : ELEMENTS)
  {
  }

  /* All that no kernel changes. */
  __device__ void prepare() const
  {
    for (int i = static_cast<int>(threadIdx.x); i < 4 * count; i += THREADS) {
      const size_t k = first + static_cast<size_t>(i / 4), e = static_cast<size_t>(curves.where[k]);
      t.faces[i / 4][i % 4] = gpu_weigh_curved_face<REAL>(tables, curves, equation, k, e, i % 4);
      t.neighbour[i / 4][i % 4] = tables.neighbour[4 * e + static_cast<size_t>(i % 4)];
      if (i % 4 == 0) t.element[i / 4] = static_cast<int32_t>(e);
    }
  }

  __device__ void load() const
  {
    for (int i = static_cast<int>(threadIdx.x); i < count * 3 * NP; i += THREADS)
      under[i % (3 * NP) * LD + i / (3 * NP)] =
          other[static_cast<size_t>(t.element[i / (3 * NP)]) * STRIDE + static_cast<size_t>(i % (3 * NP))];
  }

  __device__ size_t row(int k) const { return static_cast<size_t>(t.element[k]); }

  /* The jump of the field that changes. On open faces, where half a step has traces of before, the own trace is
   * extrapolated by half a step. */
  __device__ void own_jump(int k, int f, int m, REAL jump[2]) const
  {
    const int32_t neighbour = t.neighbour[k][f];
    REAL theirs[2] = {0, 0};
    gpu_trace(P, own, row(k), f, tables.face_node[f * NF + m], jump);
    if (neighbour >= 0)
      gpu_trace(P, own, static_cast<size_t>(neighbour / 4), neighbour % 4, tables.face_node[neighbour % 4 * NF + m],
                theirs);
    if (open_before != nullptr && neighbour < GPU_GHOST) {
      const size_t slot = static_cast<size_t>(GPU_GHOST - 1 - neighbour);
      for (int part = 0; part < 2; part++)
        jump[part] += static_cast<REAL>(0.5) *
                      (jump[part] - open_before[(2 * slot + static_cast<size_t>(part)) * NF + static_cast<size_t>(m)]);
    }
    for (int part = 0; part < 2; part++) jump[part] = theirs[part] - jump[part];
  }

  /* Twice the fluxes along t1 and t2. */
  __device__ void fluxes() const
  {
    for (int i = static_cast<int>(threadIdx.x); i < count * FACES; i += THREADS) {
      const int k = i / FACES, j = i % FACES, f = j / NF, m = j % NF, n = tables.face_node[j];
      const face &mine = t.faces[k][f];
      const int32_t neighbour = t.neighbour[k][f];
      REAL ours[2], theirs[2] = {0, 0}, jump[2] = {0, 0};
      gpu_along(f, under[n * LD + k], under[(NP + n) * LD + k], under[(2 * NP + n) * LD + k], ours);
      if (neighbour >= 0)
        gpu_trace(P, other, static_cast<size_t>(neighbour / 4), neighbour % 4, tables.face_node[neighbour % 4 * NF + m],
                  theirs);
      const bool nodal = mine.weights.inverse[0] != 0;
      if (nodal || mine.bent != 0) own_jump(k, f, m, jump);
      if (mine.bent != 0) jumps[j * LD + k] = jump[0], jumps[(FACES + j) * LD + k] = jump[1];
      if (!nodal) jump[0] = jump[1] = 0;
      const REAL *inverse = mine.weights.inverse;
      flux[j * LD + k] = -mine.weights.jump * (theirs[1] - ours[1]) + inverse[0] * jump[0] + inverse[1] * jump[1];
      flux[(FACES + j) * LD + k] =
          mine.weights.jump * (theirs[0] - ours[0]) + inverse[1] * jump[0] + inverse[2] * jump[1];
    }
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
        jump[0] += a * jumps[(f * NF + m) * LD + k];
        jump[1] += a * jumps[(FACES + f * NF + m) * LD + k];
      }
      gpu_bend(mine, NFQ, q, jump, at);
      bent[(f * NFQ + q) * LD + k] = at[0];
      bent[((4 + f) * NFQ + q) * LD + k] = at[1];
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count * FACES; i += THREADS) {
      const int k = i / FACES, j = i % FACES, f = j / NF, m = j % NF;
      if (t.faces[k][f].bent == 0) continue;
      REAL sum[2] = {0, 0};
      for (int q = 0; q < NFQ; q++) {
        const REAL a = face_project[q * NF + m];
        sum[0] += a * bent[(f * NFQ + q) * LD + k];
        sum[1] += a * bent[((4 + f) * NFQ + q) * LD + k];
      }
      flux[j * LD + k] += sum[0];
      flux[(FACES + j) * LD + k] += sum[1];
    }
  }

  /* Adds J times the curl, at points. */
  __device__ void derivatives(int group, REAL w[R][S][3]) const
  {
    const REAL *derivative = static_cast<const REAL *>(curves.derivative) + points;
#pragma unroll 2
    for (int j = 0; j < NP; j++) {
      REAL d[R][3], u[S][3];
#pragma unroll
      for (int c = 0; c < 3; c++) {
#pragma unroll
        for (int r = 0; r < R; r++) d[r][c] = derivative[(3 * j + c) * NQP + r * POINT_GROUPS];
#pragma unroll
        for (int s = 0; s < S; s++) u[s][c] = under[(c * NP + j) * LD + group + s * GROUPS];
      }
#pragma unroll
      for (int r = 0; r < R; r++)
#pragma unroll
        for (int s = 0; s < S; s++) {
          w[r][s][0] += d[r][1] * u[s][2] - d[r][2] * u[s][1];
          w[r][s][1] += d[r][2] * u[s][0] - d[r][0] * u[s][2];
          w[r][s][2] += d[r][0] * u[s][1] - d[r][1] * u[s][0];
        }
    }
  }

  /* Adds the lifted fluxes of a face, at points. */
  template <int F> __device__ void lift(int group, REAL w[R][S][3]) const
  {
    const REAL *column = static_cast<const REAL *>(curves.lift) + F * NF * NQP + points;
    REAL sum[R][S][2] = {};
#pragma unroll 2
    for (int m = 0; m < NF; m++) {
      REAL l[R], p[S], q[S];
#pragma unroll
      for (int r = 0; r < R; r++) l[r] = column[m * NQP + r * POINT_GROUPS];
#pragma unroll
      for (int s = 0; s < S; s++) {
        p[s] = flux[(F * NF + m) * LD + group + s * GROUPS];
        q[s] = flux[(FACES + F * NF + m) * LD + group + s * GROUPS];
      }
#pragma unroll
      for (int r = 0; r < R; r++)
#pragma unroll
        for (int s = 0; s < S; s++) {
          sum[r][s][0] += l[r] * p[s];
          sum[r][s][1] += l[r] * q[s];
        }
    }
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int s = 0; s < S; s++) {
        REAL lifted[3];
        gpu_from_along(F, sum[r][s][0], sum[r][s][1], lifted);
        for (int c = 0; c < 3; c++) w[r][s][c] += lifted[c];
      }
  }

  /* Applies g/J to what the thread has, and stores it. */
  __device__ void apply(int group, const REAL w[R][S][3]) const
  {
    const REAL *geometry = static_cast<const REAL *>(curves.geometry) + first * (6 * NQ);
#pragma unroll
    for (int s = 0; s < S; s++)
#pragma unroll
      for (int r = 0; r < R; r++) {
        const int q = points + r * POINT_GROUPS, k = group + s * GROUPS;
        if (q >= NQ || k >= count) continue;
        REAL g[6], by[3];
#pragma unroll
        for (int i = 0; i < 6; i++) g[i] = geometry[(k * 6 + i) * NQ + q];
        gpu_apply(g, w[r][s], by);
        for (int c = 0; c < 3; c++) at_points[(c * NQ + q) * LD + k] = by[c];
      }
  }

  /* Projects to the nodes of the thread. */
  __device__ void project(int group, REAL w[R][S][3]) const
  {
    const REAL *column = static_cast<const REAL *>(curves.project) + nodes;
#pragma unroll 2
    for (int q = 0; q < NQ; q++) {
      REAL a[R], v[S][3];
#pragma unroll
      for (int r = 0; r < R; r++) a[r] = column[q * NPP + r * NODE_GROUPS];
#pragma unroll
      for (int s = 0; s < S; s++)
        for (int c = 0; c < 3; c++) v[s][c] = at_points[(c * NQ + q) * LD + group + s * GROUPS];
#pragma unroll
      for (int r = 0; r < R; r++)
#pragma unroll
        for (int s = 0; s < S; s++)
          for (int c = 0; c < 3; c++) w[r][s][c] += a[r] * v[s][c];
    }
  }

  /* Computes the rates and gives them to `update`, by element of the block and node. All threads call it. */
  template <typename UPDATE> __device__ void run(UPDATE update) const
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
    const int group = static_cast<int>(threadIdx.x) / POINT_GROUPS;
    if (group < GROUPS) {
      REAL w[R][S][3] = {};
      derivatives(group, w);
      lift<0>(group, w);
      lift<1>(group, w);
      lift<2>(group, w);
      lift<3>(group, w);
      apply(group, w);
    }
    __syncthreads();
    const int nodal = static_cast<int>(threadIdx.x) / NODE_GROUPS;
    if (nodal >= GROUPS) return;
    REAL w[R][S][3] = {};
    project(nodal, w);
#pragma unroll
    for (int s = 0; s < S; s++)
#pragma unroll
      for (int r = 0; r < R; r++) {
        const int n = nodes + r * NODE_GROUPS, k = nodal + s * GROUPS;
        if (n >= NP || k >= count) continue;
        const gpu_medium &medium = tables.medium_table[curves.medium[first + static_cast<size_t>(k)]];
        const size_t at = row(k) * STRIDE + static_cast<size_t>(n);
        const REAL factor = static_cast<REAL>(medium.factor[equation]);
        const REAL decay = static_cast<REAL>(medium.decay[equation]);
        REAL old[3], by[3];
        for (int c = 0; c < 3; c++) {
          old[c] = own[at + static_cast<size_t>(c * COMPONENT)];
          by[c] = factor * w[r][s][c] + decay * old[c];
        }
        update(row(k), n, old, by);
      }
  }
};

template <int P, typename REAL, bool FEW>
__global__ void __launch_bounds__((gpu_curved_kernel<P, REAL, FEW>::THREADS))
    gpu_curved_half_kernel(gpu_tables tables, gpu_curves curves, gpu_half half, gpu_curved_range range)
{
  extern __shared__ __align__(128) unsigned char memory[];
  gpu_let_next_prepare();
  const gpu_curved_kernel<P, REAL, FEW> kernel(tables, curves, range, blockIdx.x, half.equation, half.other, half.own,
                                               half.open_before, memory);
  REAL *result = static_cast<REAL *>(half.result);
  const REAL scale = static_cast<REAL>(half.scale);
  kernel.run([&](size_t e, int n, const REAL old[3], const REAL by[3]) {
    for (size_t c = 0; c < 3; c++) result[gpu_at(P, e, c, static_cast<size_t>(n))] = old[c] + scale * by[c];
  });
}

/* The blocks of the two equations take turns. */
template <int P, typename REAL, bool FEW>
__global__ void __launch_bounds__((gpu_curved_kernel<P, REAL, FEW>::THREADS))
    gpu_curved_stage_kernel(gpu_tables tables, gpu_curves curves, gpu_stage stage, gpu_curved_range range)
{
  extern __shared__ __align__(128) unsigned char memory[];
  gpu_let_next_prepare();
  const int equation = static_cast<int>(blockIdx.x % 2);
  const gpu_curved_kernel<P, REAL, FEW> kernel(tables, curves, range, blockIdx.x / 2, equation,
                                               stage.field[1 - equation], stage.field[equation], nullptr, memory);
  REAL *registers = static_cast<REAL *>(stage.registers[equation]);
  REAL *result = static_cast<REAL *>(stage.result[equation]);
  const REAL a = range.added ? 1 : static_cast<REAL>(stage.a), b = static_cast<REAL>(stage.b);
  kernel.run([&](size_t e, int n, const REAL old[3], const REAL by[3]) {
    for (size_t c = 0; c < 3; c++) {
      const size_t i = c * gpu_component(P) + static_cast<size_t>(n), at = gpu_at(P, e, 0, i);
      const size_t place = tables.tiling.count > 0 ? gpu_register_at(P, e, i) : at;
      const REAL now = by[c] + (a != 0 ? a * registers[place] : 0);
      registers[place] = now;
      if (result != nullptr) result[at] = old[c] + b * now;
    }
  });
}

/* The curved elements of a part other than GPU_SOME. */
inline gpu_curved_range gpu_curved_range_of(const gpu_curves &curves, gpu_part part, int added)
{
  const size_t first = part == GPU_OUTER ? curves.inner : 0, end = part == GPU_INNER ? curves.inner : curves.count;
  return {first, end - first, added};
}

/* `equations`: that a pass changes, each by blocks of its own. */
template <int P, typename REAL, bool FEW, typename PASS>
gpuError_t gpu_launch_curved(void (*kernel)(gpu_tables, gpu_curves, PASS, gpu_curved_range), const gpu_tables &tables,
                             const gpu_curves &curves, const PASS &pass, const gpu_curved_range &range, int equations,
                             gpuStream_t stream)
{
  using work = gpu_curved_kernel<P, REAL, FEW>;
  const size_t shared = work::shared(curves.penalty != 0);
  const size_t blocks = (range.count + work::ELEMENTS - 1) / work::ELEMENTS * static_cast<size_t>(equations);
  if (blocks == 0) return gpuSuccess;
  if (shared > 48 * 1024) {
    gpuError_t status = gpuFuncSetAttribute(reinterpret_cast<const void *>(kernel), gpuMaxDynamicSharedMemory,
                                            static_cast<int>(shared));
    if (status != gpuSuccess) return status;
  }
  return gpu_launch_following(tables, kernel, static_cast<unsigned>(blocks), work::THREADS, shared, stream, tables,
                              curves, pass, range);
}

/* Are there too few elements for blocks of many on all multiprocessors? */
template <int P> bool gpu_few_curved(const gpu_tables &tables, const gpu_curved_range &range)
{
  return range.count < 2 * static_cast<size_t>(tables.processors) * gpu_curved_tile_of(false, P).elements;
}

template <int P, typename REAL>
gpuError_t gpu_launch_curved_half(const gpu_tables *tables, const gpu_curves *curves, const gpu_half *half,
                                  gpuStream_t stream)
{
  const gpu_curved_range range = gpu_curved_range_of(*curves, half->part, 0);
  if (gpu_few_curved<P>(*tables, range))
    return gpu_launch_curved<P, REAL, true>(gpu_curved_half_kernel<P, REAL, true>, *tables, *curves, *half, range, 1,
                                            stream);
  return gpu_launch_curved<P, REAL, false>(gpu_curved_half_kernel<P, REAL, false>, *tables, *curves, *half, range, 1,
                                           stream);
}

template <int P, typename REAL>
gpuError_t gpu_launch_curved_stage(const gpu_tables *tables, const gpu_curves *curves, const gpu_stage *stage,
                                   int added, gpuStream_t stream)
{
  const gpu_curved_range range = gpu_curved_range_of(*curves, stage->part, added);
  if (gpu_few_curved<P>(*tables, range))
    return gpu_launch_curved<P, REAL, true>(gpu_curved_stage_kernel<P, REAL, true>, *tables, *curves, *stage, range, 2,
                                            stream);
  return gpu_launch_curved<P, REAL, false>(gpu_curved_stage_kernel<P, REAL, false>, *tables, *curves, *stage, range, 2,
                                           stream);
}
