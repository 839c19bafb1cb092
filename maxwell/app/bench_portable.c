/* The ceilings with the instructions that every processor has. bench_machine.c takes them where it finds nothing
 * better. */
#ifdef __SSE2__
#include <emmintrin.h>
#define STREAM(to, vector) _mm_stream_pd((to), (__m128d)(vector))
#define SETTLE()           _mm_sfence()
#else
#define STREAM(to, vector) (*(doubles_portable *)(void *)(to) = (vector))
#define SETTLE()           ((void)0)
#endif

#include "maxwell/app/bench_kernels.h"

#define NAME(x) x##_portable
#define ISA     "portable"
#define BYTES   16
#define CHAINS  12
#include "maxwell/app/bench_kernel_body.h"
