/* The elements of the elliptic operator on tensor cores, for compute capability 9.0 and orders up to 5.
 *
 * A warp has sixteen elements, which are the rows of its products: u times B^T, and the fluxes times B. The columns of
 * the first are ordered so that a thread has all three derivatives of a mode for its two elements, and so that what it
 * gets is what it must hand to the second: nothing passes between threads. */
#include "gpu/elliptic/tensor.h"

#include "gpu/elliptic/sums.cuh"
#include "libdg/base/orders.h"

#ifdef CURLEW_HIP

gpuError_t gpu_tensor_prepare(int order) { return order > 0 ? gpuSuccess : gpuSuccess; }

gpuError_t gpu_tensor_elements(const struct gpu_elliptic *, struct gpu_elliptic_weights, const double *,
                               const struct gpu_march *, int, gpuStream_t)
{
  return gpuErrorInitializationError; /* nobody asks for it */
}

#else

#include "gpu/kernels/tensor_ptx.cuh"

namespace
{

constexpr int TEAM = 128; /* threads of a tile: four warps of sixteen elements */

template <int ORDER> struct Cut {
  static constexpr int NP = DG_NP(ORDER), MODES = DG_NP(ORDER - 1), LANES = 64;
  static constexpr int STEPS = (NP + 3) / 4, GROUPS = (MODES + 3) / 4, COLUMNS = (3 * GROUPS + 1) / 2;
  static constexpr int BLOCKS = (NP + 7) / 8;
  static constexpr int FORWARD = COLUMNS * STEPS, BACKWARD = 3 * GROUPS * BLOCKS, MASS = STEPS * BLOCKS;
  static constexpr int TEAMS = ORDER == 5 ? 2 : 1, THREADS = TEAM * TEAMS;
  /* Blocks of a multiprocessor that registers and shared memory have room for. */
  static constexpr int AT_A_TIME = ORDER == 5 ? 1 : ORDER == 4 ? 3 : ORDER == 3 ? 4 : 5;
  static constexpr int LINE = LANES + 2; /* free of bank conflicts */
  static constexpr int SUMS = NP * LANES, BEGINS = SUMS + 8;
  static constexpr size_t TEAM_BYTES = sizeof(double) * static_cast<size_t>(NP * LINE) + 2 * (SUMS + BEGINS);
  static constexpr size_t bytes(bool mass)
  {
    return sizeof(double) * 32 * static_cast<size_t>(FORWARD + BACKWARD + (mass ? MASS : 0)) + TEAMS * TEAM_BYTES;
  }
};

/* What a thread has of its two elements, row and row + 8 of the warp's. */
template <int ORDER> struct Held {
  double u[Cut<ORDER>::STEPS][2], G[6][2], density[2], y[Cut<ORDER>::BLOCKS][4];
};

template <int ORDER>
__device__ inline void load(const gpu_elliptic &op, const gpu_elliptic_weights &w, size_t tile, int row, int j,
                            const double *x, Held<ORDER> &held)
{
  using C = Cut<ORDER>;
  int32_t node[C::STEPS][2];
#pragma unroll
  for (int k = 0; k < C::STEPS; k++)
#pragma unroll
    for (int h = 0; h < 2; h++)
      node[k][h] =
          4 * k + j < C::NP
              ? gpu_read_once(op.node + (tile * C::NP + static_cast<size_t>(4 * k + j)) * C::LANES + row + 8 * h)
              : -1;
#pragma unroll
  for (int h = 0; h < 2; h++) {
#pragma unroll
    for (int q = 0; q < 6; q++)
      held.G[q][h] = w.stiffness * op.metric[(tile * 6 + static_cast<size_t>(q)) * C::LANES + row + 8 * h];
    held.density[h] = w.mass * op.density[tile * C::LANES + row + 8 * h];
    if (op.more != nullptr) held.density[h] += w.more * op.more[tile * C::LANES + row + 8 * h];
  }
#pragma unroll
  for (int k = 0; k < C::STEPS; k++)
#pragma unroll
    for (int h = 0; h < 2; h++) held.u[k][h] = node[k][h] >= 0 ? x[node[k][h]] : 0;
}

/* Two groups of four modes, or the last one alone: their slopes, their fluxes, and what these give. */
template <int ORDER, int COUNT>
__device__ inline void pass(const double *forward, const double *backward, int lane, Held<ORDER> &held)
{
  using C = Cut<ORDER>;
  constexpr int TILES = (3 * COUNT + 1) / 2;
  const int turn[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  double slope[TILES][4] = {};
#pragma unroll
  for (int k = 0; k < C::STEPS; k++)
#pragma unroll
    for (int t = 0; t < TILES; t++)
      gpu_multiply(slope[t], held.u[k][0], held.u[k][1], forward[(t * C::STEPS + k) * 32 + lane]);
#pragma unroll
  for (int g = 0; g < COUNT; g++)
#pragma unroll
    for (int a = 0; a < 3; a++) {
      double flux[2] = {0, 0};
#pragma unroll
      for (int h = 0; h < 2; h++)
#pragma unroll
        for (int b = 0; b < 3; b++) flux[h] += held.G[turn[a][b]][h] * slope[(3 * g + b) / 2][(3 * g + b) % 2 + 2 * h];
#pragma unroll
      for (int n = 0; n < C::BLOCKS; n++)
        gpu_multiply(held.y[n], flux[0], flux[1], backward[((3 * g + a) * C::BLOCKS + n) * 32 + lane]);
    }
}

template <int ORDER> __device__ inline void multiply(const double *operators, bool mass, int lane, Held<ORDER> &held)
{
  using C = Cut<ORDER>;
  const double *forward = operators, *backward = forward + C::FORWARD * 32, *of_mass = backward + C::BACKWARD * 32;
#pragma unroll
  for (int n = 0; n < C::BLOCKS; n++)
#pragma unroll
    for (int i = 0; i < 4; i++) held.y[n][i] = 0;
  if (mass)
#pragma unroll
    for (int k = 0; k < C::STEPS; k++)
#pragma unroll
      for (int n = 0; n < C::BLOCKS; n++)
        gpu_multiply(held.y[n], held.density[0] * held.u[k][0], held.density[1] * held.u[k][1],
                     of_mass[(k * C::BLOCKS + n) * 32 + lane]);
#pragma unroll 1
  for (int c = 0; c < C::GROUPS / 2; c++)
    pass<ORDER, 2>(forward + c * 3 * C::STEPS * 32, backward + c * 6 * C::BLOCKS * 32, lane, held);
  if constexpr (C::GROUPS % 2 == 1)
    pass<ORDER, 1>(forward + C::GROUPS / 2 * 3 * C::STEPS * 32, backward + C::GROUPS / 2 * 6 * C::BLOCKS * 32, lane,
                   held);
}

/* The tables of sums into shared memory, beside the loads of the fields. */
template <int ORDER>
__device__ inline void load_sums(const gpu_elliptic &op, size_t tile, int thread, int32_t count, uint16_t *entry,
                                 uint16_t *begin)
{
  using C = Cut<ORDER>;
  const uint4 *from = reinterpret_cast<const uint4 *>(op.entry + tile * C::SUMS);
  for (int k = thread; k < C::SUMS / 8; k += TEAM) reinterpret_cast<uint4 *>(entry)[k] = from[k];
  const uint16_t *first = op.begin + static_cast<size_t>(op.first[tile]) + tile;
  for (int k = thread; k <= count; k += TEAM) begin[k] = first[k];
}

template <int ORDER>
__global__ void __launch_bounds__(Cut<ORDER>::THREADS, Cut<ORDER>::AT_A_TIME)
    tensor_elements(gpu_elliptic op, gpu_elliptic_weights w, const double *x, const gpu_march *march, int n)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  using C = Cut<ORDER>;
  GPU_SHARED(room); /* operators, then for each team y[NP][LINE], entry, begin */
  if (march != nullptr && n >= march->end) return;
  const bool mass = w.mass != 0 || w.more != 0;
  const int used = 32 * (C::FORWARD + C::BACKWARD + (mass ? C::MASS : 0));
  for (int k = static_cast<int>(threadIdx.x); k < used; k += C::THREADS) room[k] = op.operators[k];
  const int team = static_cast<int>(threadIdx.x) / TEAM, thread = static_cast<int>(threadIdx.x) % TEAM;
  const int lane = thread % 32, row = thread / 32 * 16 + lane / 4, j = lane % 4;
  double *y = room + used + static_cast<size_t>(team) * (C::TEAM_BYTES / sizeof(double));
  uint16_t *entry = reinterpret_cast<uint16_t *>(y + C::NP * C::LINE), *begin = entry + C::SUMS;
  for (size_t round = blockIdx.x; round * C::TEAMS < op.tiles; round += gridDim.x) {
    const size_t mine = round * C::TEAMS + static_cast<size_t>(team), tile = mine < op.tiles ? mine : op.tiles - 1;
    const int32_t first = op.first[tile], count = mine < op.tiles ? op.first[tile + 1] - first : 0;
    Held<ORDER> held;
    load<ORDER>(op, w, tile, row, j, x, held);
    load_sums<ORDER>(op, tile, thread, count, entry, begin);
    __syncthreads(); /* in the first round the operators, too */
    multiply<ORDER>(room, mass, lane, held);
#pragma unroll
    for (int b = 0; b < C::BLOCKS; b++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int at = 8 * b + 2 * j + i % 2;
        if (at < C::NP) y[at * C::LINE + row + 8 * (i / 2)] = held.y[b][i];
      }
    __syncthreads();
    for (int32_t k = thread; k < count; k += TEAM) {
      double sum = 0;
      for (int i = begin[k]; i < begin[k + 1]; i++) sum += y[entry[i] + entry[i] / C::LANES * (C::LINE - C::LANES)];
      op.result[first + k] = sum;
    }
    __syncthreads();
  }
#endif
}

template <int ORDER>
gpuError_t run(const gpu_elliptic *op, gpu_elliptic_weights w, const double *x, const gpu_march *march, int n,
               gpuStream_t stream)
{
  using C = Cut<ORDER>;
  const size_t rounds = (op->tiles + C::TEAMS - 1) / C::TEAMS;
  const size_t most = static_cast<size_t>(op->processors) * C::AT_A_TIME;
  const unsigned blocks = static_cast<unsigned>(rounds < most ? rounds : most);
  tensor_elements<ORDER><<<blocks, C::THREADS, C::bytes(w.mass != 0 || w.more != 0), stream>>>(*op, w, x, march, n);
  return gpuGetLastError();
}

template <int ORDER> gpuError_t prepare()
{
  return gpuFuncSetAttribute(reinterpret_cast<const void *>(tensor_elements<ORDER>), gpuMaxDynamicSharedMemory,
                             static_cast<int>(Cut<ORDER>::bytes(true)));
}

} // namespace

#define GPU_TENSOR_CASES(X) X(1) X(2) X(3) X(4) X(5)

gpuError_t gpu_tensor_prepare(int order)
{
  switch (order) {
#define PREPARE(p)                                                                                                     \
  case p:                                                                                                              \
    return prepare<p>();
    GPU_TENSOR_CASES(PREPARE)
#undef PREPARE
  default:
    return gpuSuccess;
  }
}

gpuError_t gpu_tensor_elements(const struct gpu_elliptic *op, struct gpu_elliptic_weights w, const double *x,
                               const struct gpu_march *march, int n, gpuStream_t stream)
{
  switch (op->order) {
#define RUN(p)                                                                                                         \
  case p:                                                                                                              \
    return run<p>(op, w, x, march, n, stream);
    GPU_TENSOR_CASES(RUN)
#undef RUN
  default:
    return gpuErrorInitializationError; /* nobody asks for it */
  }
}

#endif
