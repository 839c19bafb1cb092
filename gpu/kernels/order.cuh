/* The fused kernels of one order: curl, jump, flux, lift and update of half a step of leapfrog or of a stage of
 * Runge-Kutta in one pass.
 *
 * A block of the plain kernels works on a tile of consecutive elements:
 *   1. It loads the values of the field under the curl into shared memory.
 *   2. At the face nodes of the tile it computes the jumps and the fluxes. A neighbour in the same tile is in shared
 *      memory; other neighbours are read from the card's memory, mostly from a cache.
 *   3. A thread has one node of a few elements. It multiplies a row of the three derivatives and of the lift by values
 *      and fluxes, then applies the metric, and updates the node.
 *
 * The matrices are whole here and come through the first cache. A half step also takes lists of elements, and does not
 * then look for any neighbour in the tile. */
#pragma once

#include <type_traits>

#include "gpu/kernels/covariant.cuh"
#include "gpu/kernels/tuning.h"
#ifndef CURLEW_HIP /* AMD's cards have the plain kernels */
#include "gpu/kernels/lanes.cuh"
#include "gpu/kernels/tensor.cuh"
#endif

/* Elements first .. end - 1, or those at these places of a list. */
struct gpu_range {
  size_t first, end;
  const int32_t *element;
};

/* The same, and what the equations apply there: where media are tensors. */
struct gpu_shaped_range : gpu_range {
  gpu_applied applied;
};

/* The elements of a tile. */
struct gpu_rows {
  size_t first;
  int count;
  const int32_t *element;

  __device__ gpu_rows(const gpu_range &range, int most)
      : first(range.first + static_cast<size_t>(blockIdx.x) * static_cast<size_t>(most)),
        count(range.end - first < static_cast<size_t>(most) ? static_cast<int>(range.end - first) : most),
        element(range.element)
  {
  }
  __device__ size_t operator[](int k) const
  {
    size_t at = first + static_cast<size_t>(k);
    return element != nullptr ? static_cast<size_t>(element[at]) : at;
  }
  /* Is row e - first of the tile that of element e? */
  __device__ bool have(size_t e) const { return element == nullptr && e - first < static_cast<size_t>(count); }
};

/* RANGE: gpu_range or gpu_shaped_range. */
template <int P, typename REAL, int ELEMENTS, int EACH, typename RANGE = gpu_range> struct gpu_plain_kernel {
  static constexpr int NP = DG_NP(P), NF = DG_NF(P), FACES = 4 * NF;
  static constexpr int GROUPS = ELEMENTS / EACH, THREADS = (GROUPS * NP + 31) / 32 * 32;
  static constexpr int COMPONENT = static_cast<int>(gpu_component(P)), STRIDE = static_cast<int>(gpu_stride(P));
  static_assert(ELEMENTS % EACH == 0 && THREADS <= 1024, "no such tile");
  using weights = gpu_face_weights<REAL>;

  struct tile { /* of one equation, in shared memory */
    REAL flux[ELEMENTS][3][FACES];
    REAL metric[ELEMENTS][6];
    weights face[ELEMENTS][4];
  };
  static constexpr size_t FIELD = sizeof(REAL) * ELEMENTS * STRIDE; /* bytes of a field of the tile */

  __device__ static void load(const REAL *field, const gpu_rows &rows, REAL *to)
  {
    for (int i = threadIdx.x; i < rows.count * STRIDE; i += THREADS)
      to[i] = field[rows[i / STRIDE] * STRIDE + i % STRIDE];
  }

  __device__ static void load_metric(const gpu_tables &tables, const gpu_rows &rows, tile &t)
  {
    const REAL *metric = static_cast<const REAL *>(tables.metric);
    for (int i = threadIdx.x; i < 6 * rows.count; i += THREADS)
      t.metric[i / 6][i % 6] = metric[6 * rows[i / 6] + i % 6];
  }

  /* Computes the factors of the tile's faces. Call it behind load_metric and a barrier. */
  __device__ static void weigh_faces(const gpu_tables &tables, int equation, const gpu_rows &rows, tile &t)
  {
    for (int i = threadIdx.x; i < 4 * rows.count; i += THREADS) {
      const struct mx_face_flux flux = tables.flux_table[gpu_look_up(tables.flux, 4 * rows[i / 4] + i % 4)];
      t.face[i / 4][i % 4] = gpu_weigh_face(equation, i % 4, t.metric[i / 4], flux);
    }
  }

  /* The jump of a field at node m of face f of the tile's element k, whose own trace is at `mine`. */
  __device__ static void jump(const gpu_tables &tables, const REAL *field, const REAL *mine, int f, int m,
                              int32_t neighbour, const gpu_rows &rows, const REAL *shared, REAL jump[2])
  {
    REAL ours[2], theirs[2] = {0, 0};
    gpu_trace(P, mine, 0, f, tables.face_node[f * NF + m], ours);
    if (neighbour >= 0) {
      size_t e = static_cast<size_t>(neighbour) / 4;
      int g = neighbour % 4, n = tables.face_node[g * NF + m];
      if (shared != nullptr && rows.have(e)) gpu_trace(P, shared, e - rows.first, g, n, theirs);
      else gpu_trace(P, field, e, g, n, theirs);
    }
    jump[0] = theirs[0] - ours[0];
    jump[1] = theirs[1] - ours[1];
  }

  /* Twice the lifted fluxes at all face nodes. `under` is the tile's part of `other`, the field under the curl. */
  __device__ static void fluxes(const gpu_tables &tables, const gpu_rows &rows, const REAL *under, const REAL *other,
                                const REAL *own, tile &t)
  {
    for (int i = threadIdx.x; i < rows.count * FACES; i += THREADS) {
      int k = i / FACES, f = i % FACES / NF, m = i % NF;
      const weights &face = t.face[k][f];
      size_t e = rows[k];
      int32_t neighbour = tables.neighbour[4 * e + f];
      REAL curl[2], penalty[2] = {0, 0}, flux[3];
      jump(tables, other, under + k * STRIDE, f, m, neighbour, rows, under, curl);
      if (face.inverse[0] != 0) /* else nobody may look at the neighbour's own field: it may have changed already */
        jump(tables, own, own + e * STRIDE, f, m, neighbour, rows, nullptr, penalty);
      gpu_flux(f, face, curl, penalty, flux);
      for (int c = 0; c < 3; c++) t.flux[k][c][f * NF + m] = flux[c];
    }
  }

  /* J times the curl plus the lifted fluxes, at node n of the elements k, k + 1, .. of the tile. */
  __device__ static void products(const gpu_tables &tables, int n, int k, const REAL *under, const tile &t,
                                  REAL w[EACH][3])
  {
    const REAL *derivative = static_cast<const REAL *>(tables.derivative) + n;
    const REAL *lift = static_cast<const REAL *>(tables.lift) + n;
    const REAL *u = under + k * STRIDE;
    for (int r = 0; r < EACH; r++) w[r][0] = w[r][1] = w[r][2] = 0;
    for (int j = 0; j < NP; j++) {
      REAL a = derivative[j * NP], b = derivative[(NP + j) * NP], c = derivative[(2 * NP + j) * NP];
#pragma unroll
      for (int r = 0; r < EACH; r++) {
        REAL x = u[r * STRIDE + j], y = u[r * STRIDE + COMPONENT + j], z = u[r * STRIDE + 2 * COMPONENT + j];
        w[r][0] += b * z - c * y;
        w[r][1] += c * x - a * z;
        w[r][2] += a * y - b * x;
      }
    }
    for (int m = 0; m < FACES; m++) {
      REAL l = lift[m * NP];
#pragma unroll
      for (int r = 0; r < EACH; r++)
        for (int c = 0; c < 3; c++) w[r][c] += l * t.flux[k + r][c][m];
    }
  }

  /* The six numbers that an equation applies in row k of the tile, element e. */
  __device__ static const REAL *applied([[maybe_unused]] const RANGE &range, [[maybe_unused]] int equation,
                                        [[maybe_unused]] const tile &t, [[maybe_unused]] int k,
                                        [[maybe_unused]] size_t e)
  {
    if constexpr (std::is_same_v<RANGE, gpu_shaped_range>)
      return static_cast<const REAL *>(equation == 0 ? range.applied.of[0] : range.applied.of[1]) + 6 * e;
    else return t.metric[k];
  }

  /* The change of a node in a step; g: the six numbers; own[3]: its old values. */
  __device__ static void change(const gpu_medium &medium, int equation, const REAL g[6], const REAL w[3],
                                const REAL own[3], REAL change[3])
  {
    REAL factor = static_cast<REAL>(medium.factor[equation]);
    REAL decay = static_cast<REAL>(medium.decay[equation]);
    gpu_apply(g, w, change);
    for (int c = 0; c < 3; c++) change[c] = factor * change[c] + decay * own[c];
  }

  __device__ static void half(const gpu_tables &tables, const gpu_half &half, const RANGE &range)
  {
    extern __shared__ __align__(128) unsigned char memory[];
    REAL *under = reinterpret_cast<REAL *>(memory);
    tile &t = *reinterpret_cast<tile *>(memory + FIELD);
    const REAL *own = static_cast<const REAL *>(half.own), *other = static_cast<const REAL *>(half.other);
    REAL *result = static_cast<REAL *>(half.result);
    const gpu_rows rows(range, ELEMENTS);
    load(other, rows, under);
    load_metric(tables, rows, t);
    __syncthreads();
    weigh_faces(tables, half.equation, rows, t);
    __syncthreads();
    fluxes(tables, rows, under, other, own, t);
    __syncthreads();
    int n = threadIdx.x % NP, k = threadIdx.x / NP * EACH;
    if (k >= rows.count) return;
    REAL w[EACH][3], scale = static_cast<REAL>(half.scale);
    products(tables, n, k, under, t, w);
    for (int r = 0; r < EACH && k + r < rows.count; r++) {
      size_t e = rows[k + r], at = e * STRIDE + n, to = (rows.first + static_cast<size_t>(k + r)) * STRIDE + n;
      const gpu_medium &medium = tables.medium_table[gpu_look_up(tables.medium, e)];
      REAL old[3] = {own[at], own[at + COMPONENT], own[at + 2 * COMPONENT]}, by[3];
      change(medium, half.equation, applied(range, half.equation, t, k + r, e), w[r], old, by);
      for (int c = 0; c < 3; c++) result[to + c * COMPONENT] = old[c] + scale * by[c];
    }
  }

  __device__ static void stage(const gpu_tables &tables, const gpu_stage &stage, const RANGE &range)
  {
    extern __shared__ __align__(128) unsigned char memory[];
    REAL *u[2] = {reinterpret_cast<REAL *>(memory), reinterpret_cast<REAL *>(memory + FIELD)};
    tile &t = *reinterpret_cast<tile *>(memory + 2 * FIELD);
    const REAL *field[2] = {static_cast<const REAL *>(stage.field[0]), static_cast<const REAL *>(stage.field[1])};
    const gpu_rows rows(range, ELEMENTS);
    int n = threadIdx.x % NP, k = threadIdx.x / NP * EACH;
    REAL a = static_cast<REAL>(stage.a), b = static_cast<REAL>(stage.b);
    load(field[0], rows, u[0]);
    load(field[1], rows, u[1]);
    load_metric(tables, rows, t);
#pragma unroll
    for (int equation = 0; equation < 2; equation++) {
      REAL *registers = static_cast<REAL *>(stage.registers[equation]);
      REAL *result = static_cast<REAL *>(stage.result[equation]);
      __syncthreads(); /* all is loaded, and nobody needs the other equation's fluxes any more */
      weigh_faces(tables, equation, rows, t);
      __syncthreads();
      fluxes(tables, rows, u[1 - equation], field[1 - equation], field[equation], t);
      __syncthreads();
      if (k >= rows.count) continue;
      REAL w[EACH][3];
      products(tables, n, k, u[1 - equation], t, w);
      for (int r = 0; r < EACH && k + r < rows.count; r++) {
        size_t e = rows[k + r], at = e * STRIDE + n;
        const gpu_medium &medium = tables.medium_table[gpu_look_up(tables.medium, e)];
        const REAL *mine = u[equation] + (k + r) * STRIDE + n;
        REAL old[3] = {mine[0], mine[COMPONENT], mine[2 * COMPONENT]}, by[3];
        change(medium, equation, applied(range, equation, t, k + r, e), w[r], old, by);
        for (int c = 0; c < 3; c++) {
          REAL now = by[c] + (a != 0 ? a * registers[at + c * COMPONENT] : 0);
          registers[at + c * COMPONENT] = now;
          if (result != nullptr) result[at + c * COMPONENT] = old[c] + b * now;
        }
      }
    }
  }
};

template <int P, typename REAL, int ELEMENTS, int EACH, typename RANGE>
__global__ void __launch_bounds__((gpu_plain_kernel<P, REAL, ELEMENTS, EACH>::THREADS))
    gpu_half_kernel(gpu_tables tables, gpu_half half, RANGE range)
{
  gpu_plain_kernel<P, REAL, ELEMENTS, EACH, RANGE>::half(tables, half, range);
}

template <int P, typename REAL, int ELEMENTS, int EACH, typename RANGE>
__global__ void __launch_bounds__((gpu_plain_kernel<P, REAL, ELEMENTS, EACH>::THREADS))
    gpu_stage_kernel(gpu_tables tables, gpu_stage stage, RANGE range)
{
  gpu_plain_kernel<P, REAL, ELEMENTS, EACH, RANGE>::stage(tables, stage, range);
}

/* The elements of a part other than GPU_SOME. */
inline gpu_range gpu_range_of(const gpu_tables &tables, gpu_part part)
{
  return {part == GPU_OUTER ? tables.inner : 0, part == GPU_INNER ? tables.inner : tables.K, nullptr};
}
inline gpu_range gpu_range_of(const gpu_some &some)
{
  if (some.element != nullptr) return {0, some.count, some.element};
  return {some.first, some.first + some.count, nullptr};
}

/* Launches a block a tile. More shared memory than 48 KB has to be asked for. */
template <typename KERNEL, typename PASS, typename RANGE>
gpuError_t gpu_launch(KERNEL kernel, const gpu_tables &tables, const PASS &pass, const RANGE &range, int elements,
                      int threads, size_t shared, gpuStream_t stream)
{
  size_t blocks = (range.end - range.first + static_cast<size_t>(elements) - 1) / static_cast<size_t>(elements);
  if (blocks == 0) return gpuSuccess;
  gpuError_t status = gpuSuccess;
  if (shared > 48 * 1024)
    status = gpuFuncSetAttribute(reinterpret_cast<const void *>(kernel), gpuMaxDynamicSharedMemory,
                                 static_cast<int>(shared));
  if (status != gpuSuccess) return status;
  kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), shared, stream>>>(tables, pass, range);
  return gpuGetLastError();
}

/* ---- tiles in shared memory */

#ifndef CURLEW_HIP
template <int P, typename REAL, bool PENALISED, bool STAGED, bool SHAPED>
using gpu_work = std::conditional_t<gpu_tile_size_of(sizeof(REAL) == 4, PENALISED, STAGED, P).products == BY_LANES,
                                    gpu_lane_work<P, REAL, PENALISED, STAGED, SHAPED>,
                                    gpu_tensor_work<P, REAL, PENALISED, STAGED, SHAPED>>;

/* The life of a block. WORK is a gpu_tile with products() and update(). */
template <typename WORK> __device__ void gpu_run_tiles(WORK &work)
{
  if (!work.leaves()) gpu_let_next_prepare();
  work.number = work.first_number();
  if (!work.is_there(0)) return;
  work.prepare();
  gpu_wait_for_kernels_before();
  if (work.leaves()) gpu_let_next_prepare(); /* the next one, which does not wait for this one's end, finds all there */
  __syncthreads();
  gpu_barrier_wait(&work.t.listed, 0);
  work.load_rows(0);
  if (WORK::IN_PLACE && work.member == 0) work.load_group(0);
  for (;; work.number = work.number_of(1), work.round++) {
    const bool more = work.is_there(1);
    work.enter();
    gpu_barrier_wait(&work.t.full, work.round & 1);
    work.look_for_left();
    /* All have read the last list, or this would not be full. */
    if (more && threadIdx.x < 32) work.load_list(1);
    if (threadIdx.x == 0) work.fetch_registers();
    typename WORK::sums sums;
    if (work.rows > 0) work.products(sums);
    else if (!WORK::IN_PLACE && work.member == 0) work.load_group();
    gpu_fence_bulk(); /* before bulk copies write where this thread has read */
    __syncthreads();
    if (more) {
      gpu_barrier_wait(&work.t.listed, (work.round + 1) & 1);
      if (threadIdx.x == 0) work.load_tables(1);
      work.load_rows(1);
    }
    if (work.rows > 0) {
      work.wait_group();
      work.update(sums);
      gpu_fence_bulk();
      work.meet_group();
      if (work.member == 0) work.store_group();
    }
    if (!more) break;
    if (WORK::IN_PLACE && work.member == 0) work.load_group(1);
  }
  if (work.member == 0) gpu_bulk_wait_read();
}

/* SHAPED: kernels of their own, so that those without tensors keep their registers. BESIDE: leaves registers to a block
 * of curved elements. A quarter of a multiprocessor has 16384: three warps of 144 and one of 72 for each lane, but not
 * three of 149. The bound asks for it by two warps more than there are. */
template <int P, typename REAL, bool PENALISED, bool STAGED, bool SHAPED, bool BESIDE>
__global__ void __launch_bounds__(gpu_work<P, REAL, PENALISED, STAGED, SHAPED>::THREADS + (BESIDE ? 64 : 0),
                                  gpu_work<P, REAL, PENALISED, STAGED, SHAPED>::SIZE.blocks)
    gpu_tile_kernel(gpu_tables tables, gpu_pass<SHAPED> pass)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char memory[];
  gpu_work<P, REAL, PENALISED, STAGED, SHAPED> work(memory, tables, pass);
  gpu_run_tiles(work);
#endif
}

inline int gpu_first_tile(const gpu_tables &tables, gpu_part part)
{
  return part == GPU_OUTER ? tables.tiling.inner : 0;
}
inline int gpu_end_tile(const gpu_tables &tables, gpu_part part)
{
  return part == GPU_INNER ? tables.tiling.inner : tables.tiling.count;
}

/* The kernel of a pass. */
template <int P, typename REAL, bool PENALISED, bool STAGED, bool SHAPED>
auto gpu_tile_kernel_of(const gpu_tile_pass &pass)
{
  if constexpr (!SHAPED && gpu_work<P, REAL, PENALISED, STAGED, SHAPED>::BESIDE > 0)
    if (pass.dead >= 0) return gpu_tile_kernel<P, REAL, PENALISED, STAGED, SHAPED, true>;
  return gpu_tile_kernel<P, REAL, PENALISED, STAGED, SHAPED, false>;
}

/* Launches as many blocks as the card has room for, without the multiprocessors that are for others. The blocks share
 * out the tiles. */
template <int P, typename REAL, bool PENALISED, bool STAGED, bool SHAPED>
gpuError_t gpu_launch_tiles(const gpu_tables &tables, const gpu_pass<SHAPED> &pass, gpuStream_t stream)
{
  using work = gpu_work<P, REAL, PENALISED, STAGED, SHAPED>;
  const auto kernel = gpu_tile_kernel_of<P, REAL, PENALISED, STAGED, SHAPED>(pass);
  const bool inner = pass.end == tables.tiling.inner;
  const int most = work::SIZE.blocks * (tables.processors - (inner ? tables.tiling.apart : 0));
  const int count = pass.end - pass.first;
  const size_t shared = work::shared(work::FIELDS == 1 ? tables.tiling.traces : work::TRACES);
  if (count == 0) return gpuSuccess;
  gpuError_t status =
      gpuFuncSetAttribute(reinterpret_cast<const void *>(kernel), gpuMaxDynamicSharedMemory, static_cast<int>(shared));
  if (status != gpuSuccess) return status;
  return gpu_launch_following(tables, kernel, static_cast<unsigned>(count < most ? count : most), work::THREADS, shared,
                              stream, tables, pass);
}

template <int P, typename REAL, bool STAGED, bool SHAPED>
gpuError_t gpu_launch_tiles(const gpu_tables &tables, const gpu_pass<SHAPED> &pass, gpuStream_t stream)
{
  return tables.penalty_inside ? gpu_launch_tiles<P, REAL, true, STAGED, SHAPED>(tables, pass, stream)
                               : gpu_launch_tiles<P, REAL, false, STAGED, SHAPED>(tables, pass, stream);
}

/* applied: of the fields that change; the second one may be NULL. */
template <int P, typename REAL, bool STAGED>
gpuError_t gpu_launch_tiles(const gpu_tables &tables, const void *applied, const void *also, const gpu_tile_pass &pass,
                            gpuStream_t stream)
{
  if (applied == tables.metric && (also == nullptr || also == tables.metric))
    return gpu_launch_tiles<P, REAL, STAGED, false>(tables, pass, stream);
  gpu_shaped_pass shaped = {};
  static_cast<gpu_tile_pass &>(shaped) = pass;
  shaped.applied[0] = applied, shaped.applied[1] = also;
  return gpu_launch_tiles<P, REAL, STAGED, true>(tables, shaped, stream);
}

template <int P, typename REAL, bool PENALISED, bool STAGED> gpu_tile_shape gpu_shape_of_work()
{
  using work = gpu_work<P, REAL, PENALISED, STAGED, false>;
  return {work::ELEMENTS, work::TRACES, work::WHOLE, work::SIZE.blocks, work::TRACES_BESIDE};
}
#endif

template <int P, typename REAL> gpu_tile_shape gpu_shape_of(int penalty_inside, int staged)
{
#ifndef CURLEW_HIP
  if constexpr (P <= GPU_TILE_ORDERS) {
    if (penalty_inside)
      return staged ? gpu_shape_of_work<P, REAL, true, true>() : gpu_shape_of_work<P, REAL, true, false>();
    return staged ? gpu_shape_of_work<P, REAL, false, true>() : gpu_shape_of_work<P, REAL, false, false>();
  }
#endif
  return {0, 0, 0, 0, 0};
}

/* ---- the plain kernels, for other cards and orders */

/* The address that the row of element 0 would have, whether or not there is one. For a list it is the address at which
 * the rows begin. */
template <int P, typename REAL> REAL *gpu_rows_of(const gpu_half &half)
{
  REAL *result = static_cast<REAL *>(half.result);
  if (half.part != GPU_SOME || half.some.element != nullptr) return result;
  return reinterpret_cast<REAL *>(reinterpret_cast<uintptr_t>(result) - half.some.first * gpu_stride(P) * sizeof(REAL));
}

/* Launches the kernel of the row of the table of tiles for this card. Rows are tried from the newest architecture
 * down. */
template <int P, typename REAL, int ROW = gpu_tunings - 1>
gpuError_t gpu_launch_half(const gpu_tables *tables, const gpu_applied *applied, const gpu_half *half,
                           gpuStream_t stream)
{
  constexpr gpu_plain_tile tile = gpu_plain_tile_of(ROW, sizeof(REAL) == 4, P);
  using kernel = gpu_plain_kernel<P, REAL, tile.elements, tile.each>;
  const bool some = half->part == GPU_SOME;
  REAL *result = gpu_rows_of<P, REAL>(*half);
#ifndef CURLEW_HIP
  if constexpr (P <= GPU_TILE_ORDERS)
    if (tables->tiling.count > 0 && !(some && half->some.element != nullptr)) {
      const gpu_tile_pass pass = {.tile = some ? tables->tiling.tile : tables->tiling.dealt,
                                  .first = some ? half->some.tile : gpu_first_tile(*tables, half->part),
                                  .end = some ? half->some.tile + half->some.tiles : gpu_end_tile(*tables, half->part),
                                  .backwards = half->equation == 0,
                                  .equation = half->equation,
                                  .scale = half->scale,
                                  .a = 0,
                                  .b = 0,
                                  .field = {half->other, half->own},
                                  .result = {result, nullptr},
                                  .registers = {},
                                  .dead = half->leaves ? tables->dead : -1,
                                  .open_before = half->open_before,
                                  .open_now = half->open_now};
      return gpu_launch_tiles<P, REAL, false>(*tables, applied->of[half->equation], nullptr, pass, stream);
    }
#endif
  if constexpr (ROW > 0)
    if (tables->architecture < gpu_tuning_table[ROW].from)
      return gpu_launch_half<P, REAL, ROW - 1>(tables, applied, half, stream);
  gpu_half pass = *half;
  pass.result = result;
  const gpu_range range = some ? gpu_range_of(half->some) : gpu_range_of(*tables, half->part);
  const size_t shared = kernel::FIELD + sizeof(typename kernel::tile);
  if (applied->of[half->equation] != tables->metric)
    return gpu_launch(gpu_half_kernel<P, REAL, tile.elements, tile.each, gpu_shaped_range>, *tables, pass,
                      gpu_shaped_range{range, *applied}, tile.elements, kernel::THREADS, shared, stream);
  return gpu_launch(gpu_half_kernel<P, REAL, tile.elements, tile.each, gpu_range>, *tables, pass, range, tile.elements,
                    kernel::THREADS, shared, stream);
}

template <int P, typename REAL, int ROW = gpu_tunings - 1>
gpuError_t gpu_launch_stage(const gpu_tables *tables, const gpu_applied *applied, const gpu_stage *stage,
                            gpuStream_t stream)
{
  constexpr gpu_plain_tile tile = gpu_plain_tile_of(ROW, sizeof(REAL) == 4, P);
  using kernel = gpu_plain_kernel<P, REAL, tile.elements, tile.each>;
#ifndef CURLEW_HIP
  if constexpr (P <= GPU_TILE_ORDERS)
    if (tables->tiling.count > 0) {
      gpu_tile_pass pass = {.tile = tables->tiling.dealt,
                            .first = gpu_first_tile(*tables, stage->part),
                            .end = gpu_end_tile(*tables, stage->part),
                            .backwards = stage->backwards,
                            .equation = 0,
                            .scale = 1,
                            .a = stage->a,
                            .b = stage->b,
                            .field = {stage->field[0], stage->field[1]},
                            .result = {stage->result[0], stage->result[1]},
                            .registers = {stage->registers[0], stage->registers[1]},
                            .dead = -1,
                            .open_before = nullptr,
                            .open_now = nullptr};
      if (gpu_tile_size_of(sizeof(REAL) == 4, tables->penalty_inside != 0, true, P).together)
        return gpu_launch_tiles<P, REAL, true>(*tables, applied->of[0], applied->of[1], pass, stream);
      gpuError_t status = gpuSuccess;
      for (int i = 0; i < 2 && status == gpuSuccess; i++) {
        pass.backwards = i;
        pass.equation = i;
        pass.field[0] = stage->field[1 - i], pass.field[1] = stage->field[i];
        pass.result[0] = stage->result[i];
        pass.registers[0] = stage->registers[i];
        status = gpu_launch_tiles<P, REAL, true>(*tables, applied->of[i], nullptr, pass, stream);
      }
      return status;
    }
#endif
  if constexpr (ROW > 0)
    if (tables->architecture < gpu_tuning_table[ROW].from)
      return gpu_launch_stage<P, REAL, ROW - 1>(tables, applied, stage, stream);
  const gpu_range range = gpu_range_of(*tables, stage->part);
  const size_t shared = 2 * kernel::FIELD + sizeof(typename kernel::tile);
  if (applied->of[0] != tables->metric || applied->of[1] != tables->metric)
    return gpu_launch(gpu_stage_kernel<P, REAL, tile.elements, tile.each, gpu_shaped_range>, *tables, *stage,
                      gpu_shaped_range{range, *applied}, tile.elements, kernel::THREADS, shared, stream);
  return gpu_launch(gpu_stage_kernel<P, REAL, tile.elements, tile.each, gpu_range>, *tables, *stage, range,
                    tile.elements, kernel::THREADS, shared, stream);
}
