/* The vectors of conjugate gradients on the card. */
#include "gpu/elliptic/kernels.h"
#include "gpu/elliptic/sums.cuh"

namespace
{

using Vectors = gpu_march_vectors;

/* Does this rank count the unknown in sums? */
__device__ inline bool counts(const Vectors &v, size_t i) { return v.foreign == nullptr || v.foreign[i] == 0; }

#define EACH_UNKNOWN(i, v) for (size_t i = gpu_first_unknown(); i < (v).count; i += GPU_ELLIPTIC_STRIDE)

__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS) held(Vectors v)
{
  EACH_UNKNOWN(i, v) v.d[i] = v.inverse[i] == 0 ? v.x[i] : 0;
}

__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS) subtract(size_t count, const double *x, double *y)
{
  for (size_t i = gpu_first_unknown(); i < count; i += GPU_ELLIPTIC_STRIDE) y[i] -= x[i];
}

__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS) lack(Vectors v, int n)
{
  __shared__ double room[2 * GPU_ELLIPTIC_THREADS];
  if (n >= v.march->end) return;
  double sums[2] = {0, 0};
  EACH_UNKNOWN(i, v)
  {
    const double r = v.inverse[i] != 0 ? v.b[i] - v.q[i] : 0;
    v.r[i] = r;
    if (counts(v, i)) sums[1] += r;
  }
  gpu_put_parts<2>(sums, v.part_q, room);
}

/* Adds what part_r has of an unknown. */
__device__ inline void weigh_one(double r, double inverse, double (&sums)[4])
{
  const double z = inverse * r;
  sums[0] += r * z;
  sums[1] += r * r;
  sums[2] += z;
  sums[3] += r;
}

__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS) weigh(Vectors v, int n)
{
  __shared__ double room[4 * GPU_ELLIPTIC_THREADS];
  if (n >= v.march->end) return;
  double of_q[2], sums[4] = {0, 0, 0, 0};
  gpu_add_parts<2>(v.sum_q, v.parts, of_q, room);
  const double mean = v.march->floating ? of_q[1] / v.march->ones : 0;
  EACH_UNKNOWN(i, v)
  {
    const double inverse = v.inverse[i], r = inverse != 0 ? v.r[i] - mean : 0;
    if (mean != 0) v.r[i] = r;
    if (counts(v, i)) weigh_one(r, inverse, sums);
  }
  gpu_put_parts<4>(sums, v.part_r, room);
}

__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS) improved(Vectors v, int n)
{
  __shared__ double room[4 * GPU_ELLIPTIC_THREADS];
  if (n >= v.march->end) return;
  double sums[4] = {0, 0, 0, 0};
  EACH_UNKNOWN(i, v)
  {
    if (!counts(v, i)) continue;
    const double r = v.r[i], z = v.z[i];
    sums[0] += r * z;
    sums[1] += r * r;
    sums[2] += z;
    sums[3] += r;
  }
  gpu_put_parts<4>(sums, v.part_r, room);
}

/* Numbers that depend on nothing but the unknown, whichever ranks have it. */
__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS) noise(Vectors v)
{
  __shared__ double room[2 * GPU_ELLIPTIC_THREADS];
  double sums[2] = {0, 0};
  EACH_UNKNOWN(i, v)
  {
    const unsigned long long number = v.global != nullptr ? static_cast<unsigned long long>(v.global[i]) : i;
    const unsigned long long mixed = (number + 1) * 0x9e3779b97f4a7c15ULL;
    const double r = v.inverse[i] != 0 ? static_cast<double>(mixed >> 40) / 16777216 - 0.5 : 0;
    v.r[i] = r;
    if (counts(v, i)) sums[1] += r;
  }
  gpu_put_parts<2>(sums, v.part_q, room);
}

__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS) measure(Vectors v)
{
  __shared__ double room[4 * GPU_ELLIPTIC_THREADS];
  double sums[4];
  gpu_add_parts<4>(v.sum_r, v.parts, sums, room);
  if (threadIdx.x == 0) v.march->size = sums[1];
}

/* Every block comes to the same alpha, and to the same decision. */
__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS) residual(Vectors v, int n)
{
  __shared__ double room[4 * GPU_ELLIPTIC_THREADS];
  gpu_march *march = v.march;
  if (n >= march->end) return;
  double of_q[2], sums[4] = {0, 0, 0, 0};
  gpu_add_parts<2>(v.sum_q, v.parts, of_q, room);
  const bool writes = blockIdx.x == 0 && threadIdx.x == 0;
  const double now = march->now[n & 1], mean = march->floating ? of_q[1] / march->ones : 0;
  if (writes) march->curvature = of_q[0];
  if (!(now > 0 && of_q[0] > 0)) {
    if (writes) {
      march->failed = 1;
      march->end = n; /* blocks that come later do the same: nothing */
    }
    return;
  }
  const double alpha = now / of_q[0];
  if (writes) march->alpha = alpha;
  EACH_UNKNOWN(i, v)
  {
    const double inverse = v.inverse[i], r = inverse != 0 ? v.r[i] - alpha * (v.q[i] - mean) : 0;
    v.r[i] = r;
    if (counts(v, i)) weigh_one(r, inverse, sums);
  }
  gpu_put_parts<4>(sums, v.part_r, room);
}

__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS) move(Vectors v, int n)
{
  if (n >= v.march->end) return;
  const double alpha = v.march->alpha;
  EACH_UNKNOWN(i, v) v.x[i] += alpha * v.d[i];
}

/* The end is set for the next iteration: blocks of this one that come later go on. */
__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS) turn(Vectors v, int n, int first, int moves)
{
  __shared__ double room[4 * GPU_ELLIPTIC_THREADS];
  gpu_march *march = v.march;
  if (n >= march->end) return;
  double sums[4];
  gpu_add_parts<4>(v.sum_r, v.parts, sums, room);
  const double mean = march->floating ? sums[2] / march->ones : 0, now = sums[0] - mean * sums[3];
  const double beta = first ? 0 : now / march->now[n & 1], alpha = march->alpha;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    march->now[(n + 1) & 1] = now;
    march->size = sums[1];
    if (!first && sqrt(sums[1]) <= march->wanted) march->end = n + 1;
  }
  EACH_UNKNOWN(i, v)
  {
    const double inverse = v.inverse[i];
    const double z = inverse == 0 ? 0 : (v.z != nullptr ? v.z[i] : inverse * v.r[i]) - mean;
    const double d = first ? 0 : v.d[i];
    if (moves) v.x[i] += alpha * d;
    v.d[i] = z + beta * d;
  }
}

} // namespace

gpuError_t gpu_march_held(const struct gpu_march_vectors *v, gpuStream_t stream)
{
  held<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(*v);
  return gpuGetLastError();
}

gpuError_t gpu_march_subtract(size_t count, const double *x, double *y, gpuStream_t stream)
{
  subtract<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(count, x, y);
  return gpuGetLastError();
}

gpuError_t gpu_march_lack(const struct gpu_march_vectors *v, int n, gpuStream_t stream)
{
  lack<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(*v, n);
  return gpuGetLastError();
}

gpuError_t gpu_march_weigh(const struct gpu_march_vectors *v, int n, gpuStream_t stream)
{
  weigh<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(*v, n);
  return gpuGetLastError();
}

gpuError_t gpu_march_improved(const struct gpu_march_vectors *v, int n, gpuStream_t stream)
{
  improved<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(*v, n);
  return gpuGetLastError();
}

gpuError_t gpu_march_noise(const struct gpu_march_vectors *v, gpuStream_t stream)
{
  noise<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(*v);
  return gpuGetLastError();
}

gpuError_t gpu_march_measure(const struct gpu_march_vectors *v, gpuStream_t stream)
{
  measure<<<1, GPU_ELLIPTIC_THREADS, 0, stream>>>(*v);
  return gpuGetLastError();
}

gpuError_t gpu_march_residual(const struct gpu_march_vectors *v, int n, gpuStream_t stream)
{
  residual<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(*v, n);
  return gpuGetLastError();
}

gpuError_t gpu_march_move(const struct gpu_march_vectors *v, int n, gpuStream_t stream)
{
  move<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(*v, n);
  return gpuGetLastError();
}

gpuError_t gpu_march_turn(const struct gpu_march_vectors *v, int n, int first, int moves, gpuStream_t stream)
{
  turn<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(*v, n, first, moves);
  return gpuGetLastError();
}
