/* The rows of a part that takes shorter steps; fine.h has what becomes of them. */
#include "gpu/kernels/levels/fine.h"
#include "gpu/kernels/launch_ahead.cuh"
#include "gpu/kernels/layout.h"

namespace
{

constexpr int THREADS = 256;

template <typename REAL> __global__ void __launch_bounds__(THREADS) change_rows(int order, gpu_fine_rows rows)
{
  gpu_follow();
  const size_t stride = gpu_stride(order);
  const size_t at = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (at >= rows.count * stride) return;
  REAL *H = static_cast<REAL *>(rows.H) + at, *kept = static_cast<REAL *>(rows.kept) + at,
       *change = static_cast<REAL *>(rows.change) + at;
  const REAL by = static_cast<REAL>(rows.by);
  REAL *whole = nullptr;
  if (rows.whole != nullptr)
    whole = static_cast<REAL *>(rows.whole) + static_cast<size_t>(rows.element[at / stride]) * stride + at % stride;
  switch (rows.what) {
  case GPU_KEEP:
    *kept = whole != nullptr ? *whole : REAL(0);
    break;
  case GPU_TAKE:
    *change = *whole - *kept;
    *H = by * *change;
    static_cast<REAL *>(rows.E)[at] = 0;
    break;
  case GPU_SCALE:
    *H *= by;
    break;
  case GPU_ADD:
    *H += by * *change;
    break;
  case GPU_NEXT:
    static_cast<REAL *>(rows.next)[at] = *H + by * *change;
    break;
  case GPU_GIVE:
    *whole = *kept + by * *H;
    break;
  }
}

} // namespace

gpuError_t gpu_change_rows(const struct gpu_tables *tables, const struct gpu_fine_rows *rows, gpuStream_t stream)
{
  const size_t numbers = rows->count * gpu_stride(tables->order);
  const unsigned blocks = static_cast<unsigned>((numbers + THREADS - 1) / THREADS);
  if (blocks == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single ? change_rows<float> : change_rows<double>, blocks, THREADS, 0,
                              stream, tables->order, *rows);
}
