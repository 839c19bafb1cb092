/* The fused kernels with AVX-512; the build compiles this file for it, and the backend asks the processor first. */
#include <immintrin.h>
#include <math.h>

#include "maxwell/cpu/fused.h"

#define MX_UNROLL_FACES _Pragma("GCC unroll 4")
#define ISA             "AVX-512"
#define ROWS_1          4
#define ROWS_2          5
#define ROWS_3          5
#define ROWS_4          7
#define ROWS_5          8
#define ROWS_6          7
#define ROWS_7          8
#define ROWS_8          5
#define VECTOR          64
#define REAL            double
#define LANES           8
#define NAME(x)         x##_avx512_double
#include "maxwell/cpu/fused_kernel.h"
#undef REAL
#undef LANES
#undef NAME
#undef CONCATENATE
#undef CONCATENATE_

#define REAL    float
#define LANES   16
#define NAME(x) x##_avx512_single
#include "maxwell/cpu/fused_kernel.h"
