/* Loops that do nothing but reach a ceiling of the machine, once for every instruction set (bench_kernel_body.h). */
#pragma once

#include <stddef.h>

struct mx_bench_kernels {
  const char *name;                                               /* "AVX-512" */
  void (*copy)(double *to, const double *from, size_t count);     /* 64-byte aligned, count a multiple of 8 */
  void (*streamed)(double *to, const double *from, size_t count); /* past the caches */
  /* `rounds` of multiply-adds on registers only; the result keeps the compiler from leaving them out. */
  double (*fma_double)(size_t rounds);
  float (*fma_single)(size_t rounds);
  double flops_double, flops_single; /* of a round */
};

extern const struct mx_bench_kernels mx_bench_portable;
#ifdef CURLEW_X86
extern const struct mx_bench_kernels mx_bench_avx2, mx_bench_avx512;
#endif
