/* The ceilings with AVX-512. The build compiles this file for these instructions; bench_machine.c asks the processor
 * first. */
#include <immintrin.h>

#include "maxwell/app/bench_kernels.h"

#define NAME(x)            x##_avx512
#define ISA                "AVX-512"
#define BYTES              64
#define CHAINS             24
#define STREAM(to, vector) _mm512_stream_pd((to), (__m512d)(vector))
#define SETTLE()           _mm_sfence()
#include "maxwell/app/bench_kernel_body.h"
