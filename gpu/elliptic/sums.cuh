/* Sums over all unknowns, made in parts by blocks of fixed number and size, so that they repeat bit for bit. */
#pragma once

#include "gpu/elliptic/kernels.h"

constexpr size_t GPU_ELLIPTIC_STRIDE = static_cast<size_t>(GPU_ELLIPTIC_BLOCKS) * GPU_ELLIPTIC_THREADS;

#ifndef GPU_SHARED
#define GPU_SHARED(name) extern __shared__ __align__(16) double name[]
#endif

/* What is read once: it need not stay in a cache, which then keeps what is read again. */
template <typename T> __device__ inline T gpu_read_once(const T *p)
{
#if defined(__HIP__) || defined(CURLEW_HIP)
  return __builtin_nontemporal_load(p);
#else
  return __ldcs(p);
#endif
}

/* Unknowns of a thread: this one, and every GPU_ELLIPTIC_STRIDE behind it. */
__device__ inline size_t gpu_first_unknown()
{
  return static_cast<size_t>(blockIdx.x) * GPU_ELLIPTIC_THREADS + threadIdx.x;
}

/* sum[N] of every thread becomes that of all threads of the block; room[N][threads] is shared. */
template <int N> __device__ inline void gpu_add_threads(double (&sum)[N], double *room)
{
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < N; i++) room[i * GPU_ELLIPTIC_THREADS + thread] = sum[i];
  __syncthreads();
  for (int half = GPU_ELLIPTIC_THREADS / 2; half > 0; half /= 2) {
    if (thread < half)
#pragma unroll
      for (int i = 0; i < N; i++)
        room[i * GPU_ELLIPTIC_THREADS + thread] += room[i * GPU_ELLIPTIC_THREADS + thread + half];
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < N; i++) sum[i] = room[i * GPU_ELLIPTIC_THREADS];
  __syncthreads();
}

/* part[N][blocks] of this block from the sums of its threads. */
template <int N> __device__ inline void gpu_put_parts(double (&sum)[N], double *part, double *room)
{
  gpu_add_threads<N>(sum, room);
  if (threadIdx.x != 0) return;
#pragma unroll
  for (int i = 0; i < N; i++) part[i * GPU_ELLIPTIC_BLOCKS + static_cast<int>(blockIdx.x)] = sum[i];
}

/* sum[N] of part[N][parts], in every thread. */
template <int N> __device__ inline void gpu_add_parts(const double *part, int parts, double (&sum)[N], double *room)
{
#pragma unroll
  for (int i = 0; i < N; i++) {
    sum[i] = 0;
    for (int b = static_cast<int>(threadIdx.x); b < parts; b += GPU_ELLIPTIC_THREADS) sum[i] += part[i * parts + b];
  }
  gpu_add_threads<N>(sum, room);
}
