/* Kernels that show the limits of a card, for `curlew bench`: copies, and multiply-adds in registers. */
#include "gpu/runtime/ceilings.h"

namespace
{

__global__ void copy(uint4 *to, const uint4 *from, size_t count)
{
  size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}

/* Independent chains; x stays near 1. */
template <typename REAL> __global__ void __launch_bounds__(GPU_PEAK_THREADS) multiply_adds(int rounds, REAL *sink)
{
  REAL x[GPU_PEAK_CHAINS], a = static_cast<REAL>(0.5) + static_cast<REAL>(threadIdx.x) * 0, b = 1 - a, sum = 0;
#pragma unroll
  for (int i = 0; i < GPU_PEAK_CHAINS; i++) x[i] = static_cast<REAL>(1 + i);
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int i = 0; i < GPU_PEAK_CHAINS; i++) x[i] = x[i] * a + b;
#pragma unroll
  for (int i = 0; i < GPU_PEAK_CHAINS; i++) sum += x[i];
  if (sum == 0) *sink = sum; /* this never happens, but the compiler does not know that */
}

} // namespace

gpuError_t gpu_copy(void *to, const void *from, size_t bytes, gpuStream_t stream)
{
  size_t count = bytes / sizeof(uint4);
  if (count == 0) return gpuSuccess;
  copy<<<static_cast<unsigned>((count + 255) / 256), 256, 0, stream>>>(static_cast<uint4 *>(to),
                                                                       static_cast<const uint4 *>(from), count);
  return gpuGetLastError();
}

gpuError_t gpu_multiply_adds(int single, int blocks, int rounds, void *sink, gpuStream_t stream)
{
  unsigned grid = static_cast<unsigned>(blocks);
  if (single) multiply_adds<<<grid, GPU_PEAK_THREADS, 0, stream>>>(rounds, static_cast<float *>(sink));
  else multiply_adds<<<grid, GPU_PEAK_THREADS, 0, stream>>>(rounds, static_cast<double *>(sink));
  return gpuGetLastError();
}
