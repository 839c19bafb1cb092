/* The kernels of curved elements (curves.h), behind the pass over all elements, and their launches. Where there are
 * tensor cores, tensor.cuh has the products in double precision; elsewhere:
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

#include <type_traits>

#include "gpu/kernels/curved/tensor.cuh"
#include "gpu/kernels/tuning.h"

/* Elements side by side, number by number. */
template <int P, bool FEW> struct gpu_curved_side_by_side {
  static constexpr gpu_curved_tile SIZE = gpu_curved_tile_of(FEW, P);
  static constexpr int NP = DG_NP(P), FACES = 4 * DG_NF(P), NQ = gpu_points(P), NFQ = gpu_face_points(P);
  static constexpr int ELEMENTS = SIZE.elements, GROUPS = ELEMENTS / SIZE.each;
  static constexpr int THREADS = (GROUPS * (gpu_padded_rows(NQ) / SIZE.rows) + 31) / 32 * 32;
  static constexpr int LD = ELEMENTS | 1; /* odd: numbers of an element lie in different banks */
  static constexpr int FLUX = 3 * NP * LD, AT_POINTS = FLUX + 2 * FACES * LD;
  static constexpr int JUMPS = AT_POINTS, BENT = JUMPS + 2 * FACES * LD; /* of curved faces, before AT_POINTS is used */

  static constexpr size_t numbers(bool penalty)
  {
    const int bent = BENT + 8 * NFQ * LD, all = AT_POINTS + 3 * NQ * LD;
    return static_cast<size_t>(penalty && bent > all ? bent : all);
  }
  __device__ static int under(int k, int c, int n) { return (c * NP + n) * LD + k; }
  __device__ static int flux(int k, int part, int j) { return (part * FACES + j) * LD + k; }
  __device__ static int jump(int k, int part, int j) { return (part * FACES + j) * LD + k; }
  __device__ static int bent(int k, int part, int i) { return (4 * part * NFQ + i) * LD + k; }
  template <typename REAL> __device__ static void put(REAL *fluxes, int k, int, int j, REAL p, REAL q)
  {
    fluxes[flux(k, 0, j)] = p, fluxes[flux(k, 1, j)] = q;
  }
  template <typename REAL> __device__ static void add(REAL *fluxes, int k, int, int j, REAL p, REAL q)
  {
    fluxes[flux(k, 0, j)] += p, fluxes[flux(k, 1, j)] += q;
  }
};

template <int P, typename REAL, bool FEW>
struct gpu_curved_kernel : gpu_curved_block<P, REAL, gpu_curved_side_by_side<P, FEW>> {
  using layout = gpu_curved_side_by_side<P, FEW>;
  using block = gpu_curved_block<P, REAL, layout>;
  using block::curves, block::under, block::flux, block::at_points, block::first, block::count;
  using block::NP, block::NF, block::FACES, block::NQ, block::ELEMENTS, block::THREADS;
  static constexpr int BLOCKS = 1; /* at least, of a multiprocessor */
  static constexpr int R = layout::SIZE.rows, S = layout::SIZE.each, GROUPS = layout::GROUPS, LD = layout::LD;
  static constexpr int NQP = gpu_padded_rows(NQ), NPP = gpu_padded_rows(NP);
  static constexpr int POINT_GROUPS = NQP / R, NODE_GROUPS = NPP / R;
  static_assert(ELEMENTS % S == 0 && NQP % R == 0 && NPP % R == 0 && NPP <= NQP && THREADS <= 1024, "no such tile");

  /* What the thread computes. */
  const int points = static_cast<int>(threadIdx.x) % POINT_GROUPS, nodes = static_cast<int>(threadIdx.x) % NODE_GROUPS;

  using block::block;

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
    this->begin();
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
        this->finish(update, k, n, w[r][s]);
      }
  }
};

/* WORK: gpu_curved_kernel or gpu_curved_tensor_work. */
template <typename WORK, int P, typename REAL>
__global__ void __launch_bounds__(WORK::THREADS, WORK::BLOCKS)
    gpu_curved_half_kernel(gpu_tables tables, gpu_curves curves, gpu_half half, gpu_curved_range range)
{
  extern __shared__ __align__(128) unsigned char memory[];
  gpu_let_next_prepare();
  const WORK kernel(tables, curves, range, blockIdx.x, half.equation, half.other, half.own, half.open_before, memory);
  REAL *result = static_cast<REAL *>(half.result);
  const REAL scale = static_cast<REAL>(half.scale);
  kernel.run([&](size_t e, int n, const REAL old[3], const REAL by[3]) {
    for (size_t c = 0; c < 3; c++) result[gpu_at(P, e, c, static_cast<size_t>(n))] = old[c] + scale * by[c];
  });
}

/* The blocks of the two equations take turns. */
template <typename WORK, int P, typename REAL>
__global__ void __launch_bounds__(WORK::THREADS, WORK::BLOCKS)
    gpu_curved_stage_kernel(gpu_tables tables, gpu_curves curves, gpu_stage stage, gpu_curved_range range)
{
  extern __shared__ __align__(128) unsigned char memory[];
  gpu_let_next_prepare();
  const int equation = static_cast<int>(blockIdx.x % 2);
  const WORK kernel(tables, curves, range, blockIdx.x / 2, equation, equation == 0 ? stage.field[1] : stage.field[0],
                    equation == 0 ? stage.field[0] : stage.field[1], nullptr, memory);
  REAL *registers = static_cast<REAL *>(equation == 0 ? stage.registers[0] : stage.registers[1]);
  REAL *result = static_cast<REAL *>(equation == 0 ? stage.result[0] : stage.result[1]);
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
inline gpu_curved_range gpu_curved_range_of(const gpu_curves &curves, gpu_part part, int added, int beside)
{
  const size_t first = part == GPU_OUTER ? curves.inner : 0, end = part == GPU_INNER ? curves.inner : curves.count;
  return {first, end - first, added, beside};
}

/* `equations`: that a pass changes, each by blocks of its own. */
template <typename WORK, typename PASS>
gpuError_t gpu_launch_curved(void (*kernel)(gpu_tables, gpu_curves, PASS, gpu_curved_range), const gpu_tables &tables,
                             const gpu_curves &curves, const PASS &pass, const gpu_curved_range &range, int equations,
                             gpuStream_t stream)
{
  const size_t shared = WORK::shared(WORK::keeps_jumps(tables, curves));
  const size_t blocks = (range.count + WORK::ELEMENTS - 1) / WORK::ELEMENTS * static_cast<size_t>(equations);
  if (blocks == 0) return gpuSuccess;
  if (shared > 48 * 1024) {
    gpuError_t status = gpuFuncSetAttribute(reinterpret_cast<const void *>(kernel), gpuMaxDynamicSharedMemory,
                                            static_cast<int>(shared));
    if (status != gpuSuccess) return status;
  }
#ifndef CURLEW_HIP
  if (range.beside != 0) { /* blocks share a multiprocessor with tiles only if that is divided up alike */
    gpuError_t status = cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                             cudaFuncAttributePreferredSharedMemoryCarveout, 100);
    if (status != gpuSuccess) return status;
  }
#endif
  return gpu_launch_following(tables, kernel, static_cast<unsigned>(blocks), WORK::THREADS, shared, stream, tables,
                              curves, pass, range);
}

/* Are there too few elements for blocks of many on all multiprocessors? */
template <int P> bool gpu_few_curved(const gpu_tables &tables, const gpu_curved_range &range)
{
  return range.count < 2 * static_cast<size_t>(tables.processors) * gpu_curved_tile_of(false, P).elements;
}

/* Calls launch() with an object of the work's type. */
template <int P, typename REAL, typename LAUNCH>
gpuError_t gpu_choose_curved(const gpu_tables &tables, const gpu_curved_range &range, LAUNCH launch)
{
#ifndef CURLEW_HIP
  if constexpr (sizeof(REAL) == 8 && P <= GPU_CURVED_TENSOR_ORDERS) {
    using WORK = gpu_curved_tensor_work<P>;
    static_assert(gpu_room_beside(P) == 0 || WORK::shared(false) + 1024 <= gpu_room_beside(P), "tiles leave no room");
    if (tables.architecture >= 90) return launch(static_cast<WORK *>(nullptr));
  }
#endif
  if (gpu_few_curved<P>(tables, range)) return launch(static_cast<gpu_curved_kernel<P, REAL, true> *>(nullptr));
  return launch(static_cast<gpu_curved_kernel<P, REAL, false> *>(nullptr));
}

template <int P, typename REAL>
gpuError_t gpu_launch_curved_half(const gpu_tables *tables, const gpu_curves *curves, const gpu_half *half,
                                  gpuStream_t stream)
{
  const gpu_curved_range range = gpu_curved_range_of(*curves, half->part, 0, half->leaves);
  return gpu_choose_curved<P, REAL>(*tables, range, [&](auto *work) {
    using WORK = std::remove_pointer_t<decltype(work)>;
    return gpu_launch_curved<WORK>(gpu_curved_half_kernel<WORK, P, REAL>, *tables, *curves, *half, range, 1, stream);
  });
}

template <int P, typename REAL>
gpuError_t gpu_launch_curved_stage(const gpu_tables *tables, const gpu_curves *curves, const gpu_stage *stage,
                                   int added, gpuStream_t stream)
{
  const gpu_curved_range range = gpu_curved_range_of(*curves, stage->part, added, 0);
  return gpu_choose_curved<P, REAL>(*tables, range, [&](auto *work) {
    using WORK = std::remove_pointer_t<decltype(work)>;
    return gpu_launch_curved<WORK>(gpu_curved_stage_kernel<WORK, P, REAL>, *tables, *curves, *stage, range, 2, stream);
  });
}
