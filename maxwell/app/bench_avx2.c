/* The ceilings with AVX2. The build compiles this file for these instructions; bench_machine.c asks the processor
 * first. */
#include <immintrin.h>

#include "maxwell/app/bench_kernels.h"

#define NAME(x)            x##_avx2
#define ISA                "AVX2"
#define BYTES              32
#define CHAINS             12
#define STREAM(to, vector) _mm256_stream_pd((to), (__m256d)(vector))
#define SETTLE()           _mm_sfence()
#include "maxwell/app/bench_kernel_body.h"
