/* Smoothing on the card, and sparse matrices between levels. */
#include "gpu/elliptic/cycle.h"
#include "gpu/elliptic/sums.cuh"

namespace
{

#define EACH_ROW(i, all) for (size_t i = gpu_first_unknown(); i < (all); i += GPU_ELLIPTIC_STRIDE)

__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS)
    smooth_first(gpu_smooth s, double take, const gpu_march *march, int n)
{
  if (march != nullptr && n >= march->end) return;
  EACH_ROW(i, s.count)
  {
    const double e = take * s.inverse[i] * s.r[i];
    s.e[i] = e;
    s.z[i] = e;
  }
}

/* What elements and faces gave to an unknown. */
__device__ inline double given(const gpu_elliptic &op, size_t i)
{
  const int32_t end = op.row[i + 1];
  double sum = 0;
  for (int32_t k = op.row[i]; k < end; k++) sum += op.result[op.slot[k]];
  return sum;
}

__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS)
    smooth_next(gpu_elliptic op, gpu_smooth s, int has_product, double keep, double take, const gpu_march *march, int n)
{
  if (march != nullptr && n >= march->end) return;
  EACH_ROW(i, s.count)
  {
    const double before = keep != 0 ? keep * s.e[i] : 0;
    const double e = before + take * s.inverse[i] * (s.r[i] - (has_product ? s.q[i] : given(op, i)));
    s.e[i] = e;
    s.z[i] += e;
  }
}

__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS)
    smooth_lack(gpu_elliptic op, gpu_smooth s, int has_product, const gpu_march *march, int n)
{
  if (march != nullptr && n >= march->end) return;
  EACH_ROW(i, s.count) s.q[i] = s.inverse[i] != 0 ? s.r[i] - (has_product ? s.q[i] : given(op, i)) : 0;
}

__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS)
    invert(size_t count, double share, const double *mass, double scale, const double *rest, double *inverse)
{
  EACH_ROW(i, count)
  {
    const double sum = (mass != nullptr ? share * mass[i] : 0) + scale * rest[i];
    inverse[i] = sum > 0 ? 1 / sum : 0;
  }
}

/* Long rows are those of long_times. */
__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS)
    times(gpu_rows rows, const double *x, const double *inverse, double *y, int adds, const gpu_march *march, int n)
{
  if (march != nullptr && n >= march->end) return;
  EACH_ROW(i, rows.count)
  {
    const int32_t first = rows.row[i], end = rows.row[i + 1];
    double sum = 0;
    if (inverse[i] != 0 && end - first > GPU_ELLIPTIC_LONG) continue;
    if (inverse[i] != 0)
      for (int32_t k = first; k < end; k++) sum += rows.value[k] * x[rows.column[k]];
    y[i] = adds ? y[i] + sum : sum;
  }
}

/* A block a row. */
__global__ void __launch_bounds__(GPU_ELLIPTIC_THREADS)
    long_times(gpu_rows rows, const double *x, const double *inverse, double *y, int adds, const gpu_march *march,
               int n)
{
  __shared__ double room[GPU_ELLIPTIC_THREADS];
  if (march != nullptr && n >= march->end) return;
  const int32_t i = rows.long_row[blockIdx.x];
  if (inverse[i] == 0) return;
  double sum[1] = {0};
  for (int32_t k = rows.row[i] + static_cast<int32_t>(threadIdx.x); k < rows.row[i + 1]; k += GPU_ELLIPTIC_THREADS)
    sum[0] += rows.value[k] * x[rows.column[k]];
  gpu_add_threads<1>(sum, room);
  if (threadIdx.x == 0) y[i] = adds ? y[i] + sum[0] : sum[0];
}

} // namespace

gpuError_t gpu_smooth_first(const struct gpu_smooth *s, double take, const struct gpu_march *march, int n,
                            gpuStream_t stream)
{
  smooth_first<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(*s, take, march, n);
  return gpuGetLastError();
}

gpuError_t gpu_smooth_next(const struct gpu_elliptic *op, const struct gpu_smooth *s, int has_product, double keep,
                           double take, const struct gpu_march *march, int n, gpuStream_t stream)
{
  smooth_next<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(*op, *s, has_product, keep, take, march, n);
  return gpuGetLastError();
}

gpuError_t gpu_smooth_lack(const struct gpu_elliptic *op, const struct gpu_smooth *s, int has_product,
                           const struct gpu_march *march, int n, gpuStream_t stream)
{
  smooth_lack<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(*op, *s, has_product, march, n);
  return gpuGetLastError();
}

gpuError_t gpu_smooth_invert(size_t count, double share, const double *mass, double scale, const double *rest,
                             double *inverse, gpuStream_t stream)
{
  invert<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(count, share, mass, scale, rest, inverse);
  return gpuGetLastError();
}

gpuError_t gpu_rows_times(const struct gpu_rows *rows, const double *x, const double *inverse, double *y, int adds,
                          const struct gpu_march *march, int n, gpuStream_t stream)
{
  times<<<GPU_ELLIPTIC_BLOCKS, GPU_ELLIPTIC_THREADS, 0, stream>>>(*rows, x, inverse, y, adds, march, n);
  gpuError_t status = gpuGetLastError();
  if (status != gpuSuccess || rows->longs == 0) return status;
  long_times<<<static_cast<unsigned>(rows->longs), GPU_ELLIPTIC_THREADS, 0, stream>>>(*rows, x, inverse, y, adds, march,
                                                                                      n);
  return gpuGetLastError();
}
