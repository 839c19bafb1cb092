/* The elliptic operator on the card: elements, curved elements, faces, and the sums over the places of each unknown. */
#include "gpu/elliptic/kernels.h"
#include "gpu/elliptic/sums.cuh"
#include "gpu/elliptic/tensor.h"
#include "libdg/base/orders.h"

namespace
{

/* Sixteen threads share a tile. Each has EACH of its elements, in pairs that lie beside each other, and two modes or
 * four nodes at a time: so many products a value that is read. */
constexpr int SHARE = 16;

template <int ORDER> struct Shape {
  static constexpr int NP = DG_NP(ORDER), MODES = DG_NP(ORDER - 1), LANES = ORDER <= 5 ? 64 : 32;
  static constexpr int PAIRS = (MODES + 1) / 2, QUADS = (NP + 3) / 4, HALVES = LANES / (2 * SHARE);
  /* Groups of threads: as many as there are pairs and quads, in one or two rounds. */
  static constexpr int GROUPS = ORDER == 1   ? 2
                                : ORDER == 2 ? 4
                                : ORDER == 3 ? 6
                                : ORDER == 4 ? 10
                                : ORDER == 5 ? 18
                                : ORDER == 6 ? 28
                                : ORDER == 7 ? 22
                                             : 30;
  static constexpr int THREADS = GROUPS * SHARE;
  /* What elements give takes the place of the fluxes, where no thread needs these any more: where there is one round.
   */
  static constexpr bool ONE_ROUND = QUADS <= GROUPS;
  static constexpr int ROWS = 3 * MODES + NP + 7 + (ONE_ROUND ? 0 : NP);
  static constexpr size_t SHARED = sizeof(double) * static_cast<size_t>(ROWS * LANES);
};

__device__ inline double2 pair_at(const double *p) { return *reinterpret_cast<const double2 *>(p); }

__device__ inline void add(double2 &sum, double factor, double2 value)
{
  sum.x += factor * value.x;
  sum.y += factor * value.y;
}

/* flux[3 modes][LANES] = G B u for the modes 2 g and 2 g + 1 */
template <int ORDER>
__device__ inline void slopes(const double *forward, int g, int lane, const double *G, const double *u, double *flux)
{
  using S = Shape<ORDER>;
  double2 slope[2][3][S::HALVES] = {};
  const double *row = forward + static_cast<size_t>(g) * S::NP * 6;
#pragma unroll 2
  for (int j = 0; j < S::NP; j++) {
    const double2 b[3] = {pair_at(row + 6 * j), pair_at(row + 6 * j + 2), pair_at(row + 6 * j + 4)};
#pragma unroll
    for (int h = 0; h < S::HALVES; h++) {
      const double2 value = pair_at(u + j * S::LANES + 2 * SHARE * h + 2 * lane);
      add(slope[0][0][h], b[0].x, value);
      add(slope[0][1][h], b[0].y, value);
      add(slope[0][2][h], b[1].x, value);
      add(slope[1][0][h], b[1].y, value);
      add(slope[1][1][h], b[2].x, value);
      add(slope[1][2][h], b[2].y, value);
    }
  }
#pragma unroll
  for (int h = 0; h < S::HALVES; h++) {
    const int at = 2 * SHARE * h + 2 * lane;
    double2 m[6];
#pragma unroll
    for (int q = 0; q < 6; q++) m[q] = pair_at(G + q * S::LANES + at);
    const int turn[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
#pragma unroll
    for (int k = 0; k < 2; k++) {
      if (2 * g + k >= S::MODES) continue;
#pragma unroll
      for (int a = 0; a < 3; a++) {
        double2 sum = {0, 0};
#pragma unroll
        for (int c = 0; c < 3; c++) {
          sum.x += m[turn[a][c]].x * slope[k][c][h].x;
          sum.y += m[turn[a][c]].y * slope[k][c][h].y;
        }
        *reinterpret_cast<double2 *>(flux + ((2 * g + k) * 3 + a) * S::LANES + at) = sum;
      }
    }
  }
}

/* sum[4] += matrix[rows][4]^T values[rows][LANES] */
template <int ORDER>
__device__ inline void products(const double *matrix, int rows, int lane, const double *values,
                                double2 (&sum)[4][Shape<ORDER>::HALVES])
{
  using S = Shape<ORDER>;
#pragma unroll 2
  for (int k = 0; k < rows; k++) {
    const double2 b[2] = {pair_at(matrix + 4 * k), pair_at(matrix + 4 * k + 2)};
#pragma unroll
    for (int h = 0; h < S::HALVES; h++) {
      const double2 value = pair_at(values + k * S::LANES + 2 * SHARE * h + 2 * lane);
      add(sum[0][h], b[0].x, value);
      add(sum[1][h], b[0].y, value);
      add(sum[2][h], b[1].x, value);
      add(sum[3][h], b[1].y, value);
    }
  }
}

/* What the elements give to the nodes 4 g .. 4 g + 3 */
template <int ORDER>
__device__ inline void give(const gpu_elliptic &op, int g, int lane, bool has_mass, const double *flux, const double *u,
                            const double *density, double2 (&sum)[4][Shape<ORDER>::HALVES])
{
  using S = Shape<ORDER>;
  if (has_mass) {
    products<ORDER>(op.mass + static_cast<size_t>(g) * S::NP * 4, S::NP, lane, u, sum);
#pragma unroll
    for (int h = 0; h < S::HALVES; h++) {
      const double2 factor = pair_at(density + 2 * SHARE * h + 2 * lane);
#pragma unroll
      for (int i = 0; i < 4; i++) {
        sum[i][h].x *= factor.x;
        sum[i][h].y *= factor.y;
      }
    }
  }
  products<ORDER>(op.backward + static_cast<size_t>(g) * 3 * S::MODES * 4, 3 * S::MODES, lane, flux, sum);
}

/* y[NP][LANES] */
template <int ORDER>
__device__ inline void keep(int g, int lane, const double2 (&sum)[4][Shape<ORDER>::HALVES], double *y)
{
  using S = Shape<ORDER>;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    if (4 * g + i >= S::NP) continue;
    double *to = y + (4 * g + i) * S::LANES + 2 * lane;
#pragma unroll
    for (int h = 0; h < S::HALVES; h++) *reinterpret_cast<double2 *>(to + 2 * SHARE * h) = sum[i][h];
  }
}

/* result of the tile's unknowns from y[NP][LANES] */
template <int ORDER> __device__ inline void add_tile(const gpu_elliptic &op, size_t tile, int thread, const double *y)
{
  using S = Shape<ORDER>;
  const int32_t first = op.first[tile], count = op.first[tile + 1] - first;
  const uint16_t *begin = op.begin + static_cast<size_t>(first) + tile, *entry = op.entry + tile * S::NP * S::LANES;
  for (int32_t k = thread; k < count; k += S::THREADS) {
    double sum = 0;
    for (int i = begin[k]; i < begin[k + 1]; i++) sum += y[entry[i]];
    op.result[first + k] = sum;
  }
}

template <int ORDER>
__global__ void __launch_bounds__(Shape<ORDER>::THREADS)
    elements(gpu_elliptic op, gpu_elliptic_weights w, const double *x, const gpu_march *march, int n)
{
  using S = Shape<ORDER>;
  GPU_SHARED(room); /* flux[3 MODES][LANES], u[NP][LANES], G[7][LANES] */
  if (march != nullptr && n >= march->end) return;
  double *flux = room, *u = flux + 3 * S::MODES * S::LANES, *G = u + S::NP * S::LANES;
  const size_t tile = blockIdx.x;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % SHARE, group = thread / SHARE;
  const int32_t *node = op.node + tile * S::NP * S::LANES;
#pragma unroll 4
  for (int k = thread; k < S::NP * S::LANES; k += S::THREADS) u[k] = x[gpu_read_once(node + k)];
  for (int k = thread; k < 6 * S::LANES; k += S::THREADS)
    G[k] = w.stiffness * gpu_read_once(op.metric + tile * 6 * S::LANES + k);
  for (int k = thread; k < S::LANES; k += S::THREADS) {
    double density = w.mass * gpu_read_once(op.density + tile * S::LANES + k);
    if (op.more != nullptr) density += w.more * gpu_read_once(op.more + tile * S::LANES + k);
    G[6 * S::LANES + k] = density;
  }
  __syncthreads();
  for (int g = group; g < S::PAIRS; g += S::GROUPS) slopes<ORDER>(op.forward, g, lane, G, u, flux);
  __syncthreads();
  const bool has_mass = w.mass != 0 || w.more != 0;
  const double *density = G + 6 * S::LANES;
  double *y = S::ONE_ROUND ? room : G + 7 * S::LANES;
  if constexpr (S::ONE_ROUND) {
    double2 sum[4][S::HALVES] = {};
    if (group < S::QUADS) give<ORDER>(op, group, lane, has_mass, flux, u, density, sum);
    __syncthreads();
    if (group < S::QUADS) keep<ORDER>(group, lane, sum, y);
  } else {
    for (int g = group; g < S::QUADS; g += S::GROUPS) {
      double2 sum[4][S::HALVES] = {};
      give<ORDER>(op, g, lane, has_mass, flux, u, density, sum);
      keep<ORDER>(g, lane, sum, y);
    }
  }
  __syncthreads();
  add_tile<ORDER>(op, tile, thread, y);
}

/* A block a curved element, a thread a node: the stored matrices, which are symmetric. In its tile it gives zeros. */
__global__ void curves(gpu_elliptic op, gpu_elliptic_weights w, int lanes, double *to, const double *x,
                       const gpu_march *march, int n)
{
  __shared__ double u[DG_NP(DG_ORDER_MAX)];
  if (march != nullptr && n >= march->end) return;
  const size_t c = blockIdx.x, e = static_cast<size_t>(op.curve[c]), Np = static_cast<size_t>(op.Np);
  const size_t i = threadIdx.x, width = static_cast<size_t>(lanes);
  const size_t place = (e / width * Np + i) * width + e % width;
  if (i < Np) u[i] = x[op.node[place]];
  __syncthreads();
  if (i >= Np) return;
  double sum = 0;
  for (size_t j = 0; j < Np; j++) {
    const size_t at = (c * Np + j) * Np + i;
    double entry = w.stiffness * op.curved_stiffness[at];
    if (w.mass != 0) entry += w.mass * op.curved_mass[at];
    if (w.more != 0 && op.curved_more != nullptr) entry += w.more * op.curved_more[at];
    sum += entry * u[j];
  }
  to[c * Np + i] = sum;
}

/* A thread a node of a face. */
__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS)
    faces(gpu_elliptic op, double scale, double *result, const double *x, const gpu_march *march, int n)
{
  if (march != nullptr && n >= march->end) return;
  const size_t k = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x, Nf = static_cast<size_t>(op.Nf);
  const size_t face = k / Nf, i = k % Nf;
  if (face >= op.faces) return;
  double sum = 0;
  if (scale != 0)
    for (size_t j = 0; j < Nf; j++) sum += op.face[(face * Nf + j) * Nf + i] * x[op.face_node[face * Nf + j]];
  result[k] = scale * sum;
}

/* A block a piece of a long row. */
__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS)
    pieces(gpu_elliptic op, double *to, const gpu_march *march, int n)
{
  __shared__ double room[GPU_ELLIPTIC_THREADS];
  if (march != nullptr && n >= march->end) return;
  const int32_t end = op.piece_row[blockIdx.x + 1];
  double sum[1] = {0};
  for (int32_t k = op.piece_row[blockIdx.x] + static_cast<int32_t>(threadIdx.x); k < end; k += GPU_ELLIPTIC_THREADS)
    sum[0] += op.result[op.piece_slot[k]];
  gpu_add_threads<1>(sum, room);
  if (threadIdx.x == 0) to[blockIdx.x] = sum[0];
}

__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS)
    gather(gpu_elliptic op, const double *x, double *y, double *part, const gpu_march *march, int n)
{
  __shared__ double room[2 * GPU_ELLIPTIC_THREADS];
  if (march != nullptr && n >= march->end) return;
  double sums[2] = {0, 0};
  for (size_t r = gpu_first_unknown(); r < op.count; r += GPU_ELLIPTIC_STRIDE) {
    const int32_t end = op.row[r + 1];
    double sum = 0;
    for (int32_t k = op.row[r]; k < end; k++) sum += op.result[op.slot[k]];
    y[r] = sum;
    sums[0] += x[r] * sum;
    sums[1] += sum;
  }
  gpu_put_parts<2>(sums, part, room);
}

template <int ORDER>
gpuError_t run_elements(const gpu_elliptic *op, gpu_elliptic_weights w, const double *x, const gpu_march *march, int n,
                        gpuStream_t stream)
{
  using S = Shape<ORDER>;
  elements<ORDER><<<static_cast<unsigned>(op->tiles), S::THREADS, S::SHARED, stream>>>(*op, w, x, march, n);
  return gpuGetLastError();
}

template <int ORDER> gpuError_t prepare()
{
  using S = Shape<ORDER>;
  return gpuFuncSetAttribute(reinterpret_cast<const void *>(elements<ORDER>), gpuMaxDynamicSharedMemory,
                             static_cast<int>(S::SHARED));
}

unsigned blocks_for(size_t threads)
{
  return static_cast<unsigned>((threads + GPU_ELLIPTIC_THREADS - 1) / GPU_ELLIPTIC_THREADS);
}

} // namespace

gpuError_t gpu_elliptic_prepare(int order)
{
  const gpuError_t status = gpu_tensor_prepare(order);
  if (status != gpuSuccess) return status;
  switch (order) {
#define PREPARE(p)                                                                                                     \
  case p:                                                                                                              \
    return prepare<p>();
    DG_ORDERS(PREPARE)
#undef PREPARE
  default:
    return gpuSuccess;
  }
}

gpuError_t gpu_elliptic_elements(const struct gpu_elliptic *op, struct gpu_elliptic_weights w, const double *x,
                                 const struct gpu_march *march, int n, gpuStream_t stream)
{
  gpuError_t status = gpuSuccess;
  const int lanes = gpu_elliptic_lanes(op->order);
  double *of_curves = op->result + op->sums, *behind = of_curves + op->curved * static_cast<size_t>(op->Np);
  const size_t face_nodes = op->faces * static_cast<size_t>(op->Nf);
  if (op->tiles == 0) return gpuSuccess; /* a rank without elements */
  switch (op->operators != nullptr ? 0 : op->order) {
#define RUN(p)                                                                                                         \
  case p:                                                                                                              \
    status = run_elements<p>(op, w, x, march, n, stream);                                                              \
    break;
    DG_ORDERS(RUN)
#undef RUN
  default:
    status = gpu_tensor_elements(op, w, x, march, n, stream);
    break;
  }
  if (status == gpuSuccess && op->curved > 0) {
    const unsigned threads = static_cast<unsigned>((op->Np + 31) / 32 * 32);
    curves<<<static_cast<unsigned>(op->curved), threads, 0, stream>>>(*op, w, lanes, of_curves, x, march, n);
    status = gpuGetLastError();
  }
  if (status == gpuSuccess && op->faces > 0) {
    faces<<<blocks_for(face_nodes), GPU_ELLIPTIC_THREADS, 0, stream>>>(*op, w.face, behind, x, march, n);
    status = gpuGetLastError();
  }
  if (status == gpuSuccess && op->pieces > 0) {
    pieces<<<static_cast<unsigned>(op->pieces), GPU_ELLIPTIC_THREADS, 0, stream>>>(*op, behind + face_nodes, march, n);
    status = gpuGetLastError();
  }
  return status;
}

gpuError_t gpu_elliptic_gather(const struct gpu_elliptic *op, const double *x, double *y, double *part,
                               const struct gpu_march *march, int n, gpuStream_t stream)
{
  gather<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(*op, x, y, part, march, n);
  return gpuGetLastError();
}
