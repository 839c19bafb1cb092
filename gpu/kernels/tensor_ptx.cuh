/* Instructions for which CUDA C has no words: products on tensor cores, bulk copies, and the barriers that count them
 * (PTX ISA 8: mma, cp.async.bulk, mbarrier). For compute capability 9.0 and up. */
#pragma once

#include <stdint.h>

#include "gpu/kernels/launch_ahead.cuh"

/* A factor from the operators: a double, or a float as the sum of two numbers that tensor cores take (tf32). */
template <typename REAL> struct gpu_factor;
template <> struct gpu_factor<double> {
  using type = double;
};
template <> struct gpu_factor<float> {
  using type = float2;
};

/* sum += a b. Of the lane (g, t) = (lane / 4, lane % 4), a is row g (then g + 8) of column t, b is row t of column g,
 * and the sum is columns 2t and 2t + 1 of row g (then of row g + 8). */
__device__ inline void gpu_multiply(double sum[2], double a, double b)
{
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
      : "+d"(sum[0]), "+d"(sum[1])
      : "d"(a), "d"(b));
}

__device__ inline void gpu_multiply(double sum[4], double a0, double a1, double b)
{
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(a0), "d"(a1), "d"(b));
}

/* A factor from the fields as products take it: a double, or a float as the sum of two tf32 numbers. */
template <typename REAL> struct gpu_split;
template <> struct gpu_split<double> {
  double x = 0;
  gpu_split() = default;
  __device__ explicit gpu_split(double value) : x(value) {}
};
template <> struct gpu_split<float> {
  float high = 0, low = 0;
  gpu_split() = default;
  /* The high part is rounded, since a bias would be a drift. (PTX's cvt.rna.tf32 is ten instructions.) Of the low part,
   * tensor cores cut off the bits that they do not take, to both sides of zero alike. If the value is no number, the
   * low part is none. */
  __device__ explicit gpu_split(float value)
  {
    high = __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xffffe000u);
    low = value - high;
  }
};

__device__ inline void gpu_multiply(double sum[2], int, const gpu_split<double> *a, const double *b)
{
  gpu_multiply(sum, a->x, *b);
}
__device__ inline void gpu_multiply(double sum[4], int, const gpu_split<double> *a0, const gpu_split<double> *a1,
                                    const double *b)
{
  gpu_multiply(sum, a0->x, a1->x, *b);
}

/* One step, or two. With two, a and b of the second step are columns and rows 4 to 7. */
__device__ inline void gpu_multiply_tf32(float sum[4], float a0, float a1, float b)
{
  asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(__float_as_uint(a0)), "r"(__float_as_uint(a1)), "r"(__float_as_uint(b)));
}
__device__ inline void gpu_multiply_tf32(float sum[4], float a0, float a1, float a2, float a3, float b0, float b1)
{
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(__float_as_uint(a0)), "r"(__float_as_uint(a1)), "r"(__float_as_uint(a2)), "r"(__float_as_uint(a3)),
        "r"(__float_as_uint(b0)), "r"(__float_as_uint(b1)));
}

/* sum += a product, where both factors are sums of two tf32 numbers. b is a high and a low part; of two steps it is
 * both high parts, then both low ones. The product of the low parts is below the last bit. Tensor cores cut sums off
 * instead of rounding them. They therefore add up these products only: if they added to the sums themselves, the bias
 * would be a drift. */
__device__ inline void gpu_multiply(float sum[4], int steps, const gpu_split<float> *a0, const gpu_split<float> *a1,
                                    const float2 *b)
{
  float product[4] = {0, 0, 0, 0};
  if (steps == 1) {
    gpu_multiply_tf32(product, a0->low, a1->low, b->x);
    gpu_multiply_tf32(product, a0->high, a1->high, b->y);
    gpu_multiply_tf32(product, a0->high, a1->high, b->x);
  } else {
    gpu_multiply_tf32(product, a0[0].low, a1[0].low, a0[1].low, a1[1].low, b[0].x, b[0].y);
    gpu_multiply_tf32(product, a0[0].high, a1[0].high, a0[1].high, a1[1].high, b[1].x, b[1].y);
    gpu_multiply_tf32(product, a0[0].high, a1[0].high, a0[1].high, a1[1].high, b[0].x, b[0].y);
  }
  for (int i = 0; i < 4; i++) sum[i] += product[i];
}

/* Changes the sign without the adder, which products need more. */
__device__ inline double gpu_negative(double x)
{
  return __longlong_as_double(__double_as_longlong(x) ^ static_cast<long long>(1ull << 63));
}
__device__ inline float gpu_negative(float x) { return -x; }

/* 1/sqrt(x) of a normal number, to the last bit or two; rsqrt() would check that the number is normal, and branch. The
 * result comes from the approximation to 22 bits by 1/sqrt(1 - e) = 1 + e/2 + 3/8 e^2 + .. */
__device__ inline double gpu_inverse_root(double x)
{
  double y;
  asm volatile("rsqrt.approx.ftz.f64 %0,%1;" : "=d"(y) : "d"(x));
  const double e = fma(x, -(y * y), 1.0);
  return fma(fma(0.375, e, 0.5), e * y, y);
}
__device__ inline float gpu_inverse_root(float x) { return rsqrtf(x); }

/* x, or -x where the highest bit is set. */
__device__ inline double gpu_with_sign_bit(double x, unsigned bits)
{
  return __hiloint2double(__double2hiint(x) ^ static_cast<int>(bits & 0x80000000u), __double2loint(x));
}
__device__ inline float gpu_with_sign_bit(float x, unsigned bits)
{
  return __int_as_float(__float_as_int(x) ^ static_cast<int>(bits & 0x80000000u));
}

/* ---- shared memory by its own addresses */

__device__ inline unsigned gpu_shared_address(const void *pointer)
{
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

template <typename REAL> __device__ REAL gpu_shared_number(unsigned address);
template <> __device__ inline double gpu_shared_number<double>(unsigned address)
{
  double x;
  asm volatile("ld.shared.f64 %0,[%1];" : "=d"(x) : "r"(address));
  return x;
}
template <> __device__ inline float gpu_shared_number<float>(unsigned address)
{
  float x;
  asm volatile("ld.shared.f32 %0,[%1];" : "=f"(x) : "r"(address));
  return x;
}

/* ---- barriers in shared memory that count arrivals and bytes */

__device__ inline void gpu_barrier_init(uint64_t *barrier, int arrivals)
{
  asm volatile("mbarrier.init.shared::cta.b64 [%0],%1;" ::"r"(gpu_shared_address(barrier)), "r"(arrivals) : "memory");
}

/* Makes the barriers ready. The thread that did the inits calls it behind the last one; a barrier of the block
 * follows. */
__device__ inline void gpu_barriers_ready() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

/* Arrives, and makes the phase wait for so many bytes of bulk copies. */
__device__ inline void gpu_barrier_expect(uint64_t *barrier, uint32_t bytes)
{
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(gpu_shared_address(barrier)), "r"(bytes)
               : "memory");
}

/* Waits until the phase of this parity has ended. */
__device__ inline void gpu_barrier_wait(uint64_t *barrier, int parity)
{
  asm volatile("{\n"
               ".reg .pred ended;\n"
               "again:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 ended,[%0],%1;\n"
               "@!ended bra again;\n"
               "}" ::"r"(gpu_shared_address(barrier)),
               "r"(parity)
               : "memory");
}

/* A barrier for `threads` threads. They all name the same one of the block's barriers 1 to 15. */
__device__ inline void gpu_barrier_named(int barrier, int threads)
{
  asm volatile("bar.sync %0,%1;" ::"r"(barrier), "r"(threads) : "memory");
}

/* ---- asynchronous copies */

/* Copies 4 or 8 bytes. */
template <typename REAL> __device__ inline void gpu_copy_number(REAL *to, const REAL *from)
{
  asm volatile("cp.async.ca.shared.global [%0],[%1],%2;" ::"r"(gpu_shared_address(to)), "l"(from),
               "n"(static_cast<int>(sizeof(REAL)))
               : "memory");
}

/* Copies 16 bytes, aligned to 16 on both sides, past the first cache. */
__device__ inline void gpu_copy_sixteen(void *to, const void *from)
{
  asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(gpu_shared_address(to)), "l"(from) : "memory");
}

/* Copies two numbers, aligned to their size together. */
__device__ inline void gpu_copy_two(double *to, const double *from) { gpu_copy_sixteen(to, from); }
__device__ inline void gpu_copy_two(float *to, const float *from)
{
  asm volatile("cp.async.ca.shared.global [%0],[%1],8;" ::"r"(gpu_shared_address(to)), "l"(from) : "memory");
}

/* The thread arrives at the barrier once its copies so far are done. */
__device__ inline void gpu_copies_arrive(uint64_t *barrier)
{
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(gpu_shared_address(barrier)) : "memory");
}

/* Waits for the thread's copies. */
__device__ inline void gpu_wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/* Requests a line into the first cache. */
__device__ inline void gpu_prefetch(const void *at) { asm volatile("prefetch.global.L1 [%0];" ::"l"(at)); }
/* The same, to the second cache. */
__device__ inline void gpu_prefetch_far(const void *at) { asm volatile("prefetch.global.L2 [%0];" ::"l"(at)); }

/* ---- bulk copies */

/* Bulk copies. Addresses and bytes are multiples of 16. */
__device__ inline void gpu_bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *barrier)
{
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::"r"(
                   gpu_shared_address(to)),
               "l"(from), "r"(bytes), "r"(gpu_shared_address(barrier))
               : "memory");
}

__device__ inline void gpu_bulk_store(void *to, const void *from, uint32_t bytes)
{
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;" ::"l"(to), "r"(gpu_shared_address(from)),
               "r"(bytes)
               : "memory");
}

/* Requests so many bytes into the second cache. */
__device__ inline void gpu_bulk_fetch(const void *from, uint32_t bytes)
{
  asm volatile("cp.async.bulk.prefetch.L2.global [%0],%1;" ::"l"(from), "r"(bytes) : "memory");
}

__device__ inline void gpu_bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

/* Waits until the thread's bulk stores have been read from shared memory (wait_read), or are done (wait). */
__device__ inline void gpu_bulk_wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ inline void gpu_bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

/* Orders the thread's accesses to shared memory before those of bulk copies behind the next barrier. */
__device__ inline void gpu_fence_bulk() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
