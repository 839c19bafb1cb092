/* Samples the fields on faces and at points, and adds samples to their running transforms. */
#include "gpu/kernels/face_sums.h"

#include "gpu/kernels/launch_ahead.cuh"
#include "gpu/kernels/layout.h"

namespace
{

constexpr int THREADS = 128;
constexpr int SUMS = 8; /* sums of a number that a thread takes: enough to read the number's samples seldom */

/* A thread a node of a face. */
template <typename REAL> __global__ void __launch_bounds__(THREADS) sample(gpu_tables tables, gpu_face_states states)
{
  gpu_follow();
  const size_t k = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x, Nf = static_cast<size_t>(states.Nf);
  const size_t face = k / Nf, m = k % Nf;
  if (face >= states.faces) return;
  const REAL *E = static_cast<const REAL *>(states.E), *H = static_cast<const REAL *>(states.H);
  const REAL *H_other = static_cast<const REAL *>(states.H_other);
  double number[4] = {0, 0, 0, 0};
  for (int32_t s = states.first[face]; s < states.first[face + 1]; s++) {
    const size_t e = static_cast<size_t>(states.side[s] / 4), f = static_cast<size_t>(states.side[s] % 4);
    const size_t n = static_cast<size_t>(states.face_node[f * Nf + m]),
                 other = static_cast<size_t>(states.other_row[s]);
    const double *weight = states.weight + static_cast<size_t>(s) * 24;
    double field[6];
    for (size_t c = 0; c < 3; c++) {
      field[c] = static_cast<double>(E[gpu_at(tables.order, e, c, n)]);
      field[3 + c] = 0.5 * (static_cast<double>(H[gpu_at(tables.order, e, c, n)]) +
                            static_cast<double>(H_other[gpu_at(tables.order, other, c, n)]));
    }
    for (int i = 0; i < 4; i++)
      for (int c = 0; c < 6; c++) number[i] += weight[6 * i + c] * field[c];
  }
  for (size_t i = 0; i < 4; i++) states.value[(4 * face + i) * Nf + m] = number[i];
}

/* A thread a vector at a point: those of one field follow each other, as nodes of an element do. */
template <typename REAL>
__global__ void __launch_bounds__(THREADS) sample_points(gpu_tables tables, gpu_point_states states)
{
  gpu_follow();
  const size_t k = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (k >= states.count * static_cast<size_t>(states.vectors)) return;
  const size_t vector = k / states.count, point = k % states.count, Np = DG_NP(static_cast<size_t>(tables.order));
  const bool magnetic = vector + static_cast<size_t>(states.first) > 0;
  const REAL *now = static_cast<const REAL *>(magnetic ? states.H : states.E);
  const REAL *other = static_cast<const REAL *>(magnetic ? states.H_other : states.E);
  const size_t e = static_cast<size_t>(states.element[point]);
  const size_t row = magnetic ? static_cast<size_t>(states.other_row[point]) : e;
  const int node = states.node[point];
  const size_t begin = node >= 0 ? static_cast<size_t>(node) : 0, end = node >= 0 ? begin + 1 : Np;
  double u[3] = {0, 0, 0};
  for (size_t n = begin; n < end; n++) {
    const double weight = node >= 0 ? 1 : states.weight[point * Np + n];
    for (size_t c = 0; c < 3; c++)
      u[c] += weight * 0.5 *
              (static_cast<double>(now[gpu_at(tables.order, e, c, n)]) +
               static_cast<double>(other[gpu_at(tables.order, row, c, n)]));
  }
  const double *g = states.gradient + 9 * static_cast<size_t>(states.frame[point]);
  double *to = states.value + (point * static_cast<size_t>(states.vectors) + vector) * 3;
  for (size_t d = 0; d < 3; d++) to[d] = u[0] * g[d] + u[1] * g[3 + d] + u[2] * g[6 + d];
}

/* A thread has the samples of a number in registers, and takes some of its sums. */
__global__ void __launch_bounds__(THREADS) add_rows(gpu_turns turns, unsigned groups)
{
  gpu_follow();
  const size_t i = static_cast<size_t>(blockIdx.x / groups) * THREADS + threadIdx.x;
  const size_t first = static_cast<size_t>(blockIdx.x % groups) * SUMS;
  const size_t end = first + SUMS < turns.sums ? first + SUMS : turns.sums;
  if (i >= turns.width) return;
  double value[GPU_SUM_ROWS];
#pragma unroll
  for (size_t r = 0; r < GPU_SUM_ROWS; r++) value[r] = r < turns.rows ? turns.row[r * turns.width + i] : 0;
  for (size_t k = first; k < end; k++) {
    double sum = turns.sum[k * turns.width + i];
#pragma unroll
    for (size_t r = 0; r < GPU_SUM_ROWS; r++)
      if (r < turns.rows) sum += turns.turn[r * turns.sums + k] * value[r];
    turns.sum[k * turns.width + i] = sum;
  }
}

unsigned blocks_of(size_t items) { return static_cast<unsigned>((items + THREADS - 1) / THREADS); }

} // namespace

gpuError_t gpu_sample_faces(const gpu_tables *tables, const gpu_face_states *states, gpuStream_t stream)
{
  const unsigned blocks = blocks_of(states->faces * static_cast<size_t>(states->Nf));
  if (blocks == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single ? sample<float> : sample<double>, blocks, THREADS, 0, stream,
                              *tables, *states);
}

gpuError_t gpu_sample_points_of_sums(const gpu_tables *tables, const gpu_point_states *states, gpuStream_t stream)
{
  const unsigned blocks = blocks_of(states->count * static_cast<size_t>(states->vectors));
  if (blocks == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single ? sample_points<float> : sample_points<double>, blocks, THREADS,
                              0, stream, *tables, *states);
}

gpuError_t gpu_add_rows(const gpu_tables *tables, const gpu_turns *turns, gpuStream_t stream)
{
  const unsigned groups = static_cast<unsigned>((turns->sums + SUMS - 1) / SUMS),
                 blocks = groups * blocks_of(turns->width);
  if (blocks == 0 || turns->rows == 0) return gpuSuccess;
  return gpu_launch_following(*tables, add_rows, blocks, THREADS, 0, stream, *turns, groups);
}
