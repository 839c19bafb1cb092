/* What ranks share of a vector: packed for the others, and put together from what came. ranks.c calls these. */
#include "gpu/elliptic/kernels.h"
#include "gpu/elliptic/sums.cuh"

namespace
{

#define EACH(i, all) for (size_t i = gpu_first_unknown(); i < (all); i += GPU_ELLIPTIC_STRIDE)

__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS) pack(gpu_shared s, const double *y)
{
  EACH(i, s.items) s.out[i] = y[s.node[i]];
  EACH(b, s.bodies) s.out[s.items + b] = y[s.count - s.bodies + b];
}

/* In the order of the ranks, so that all of them have the same bits. */
__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS) unpack(gpu_shared s, double *y)
{
  EACH(i, s.places)
  {
    const int32_t at = s.place[i];
    double sum = 0;
    for (int32_t k = s.row[i]; k < s.row[i + 1]; k++) sum += s.from[k] < 0 ? y[at] : s.in[s.from[k]];
    y[at] = sum;
  }
  EACH(b, s.bodies) y[s.count - s.bodies + b] = s.in[s.items + b];
}

__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS) fold(const double *part, int count, double *to)
{
  __shared__ double room[GPU_ELLIPTIC_THREADS];
  for (int i = 0; i < count; i++) {
    double sum[1];
    gpu_add_parts<1>(part + i * GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_BLOCKS, sum, room);
    if (threadIdx.x == 0) to[i] = sum[0];
  }
}

/* Blocks for so many numbers, at least one. */
unsigned blocks_for(size_t numbers)
{
  const size_t blocks = (numbers + GPU_ELLIPTIC_THREADS - 1) / GPU_ELLIPTIC_THREADS;
  const size_t most = GPU_ELLIPTIC_BLOCKS;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

} // namespace

gpuError_t gpu_shared_pack(const struct gpu_shared *s, const double *y, gpuStream_t stream)
{
  const size_t most = s->items > s->bodies ? s->items : s->bodies;
  pack<<<blocks_for(most), GPU_ELLIPTIC_THREADS, 0, stream>>>(*s, y);
  return gpuGetLastError();
}

gpuError_t gpu_shared_unpack(const struct gpu_shared *s, double *y, gpuStream_t stream)
{
  const size_t most = s->places > s->bodies ? s->places : s->bodies;
  unpack<<<blocks_for(most), GPU_ELLIPTIC_THREADS, 0, stream>>>(*s, y);
  return gpuGetLastError();
}

gpuError_t gpu_shared_fold(const double *part, int count, double *to, gpuStream_t stream)
{
  fold<<<1, GPU_ELLIPTIC_THREADS, 0, stream>>>(part, count, to);
  return gpuGetLastError();
}
