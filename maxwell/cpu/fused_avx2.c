/* The fused kernels with AVX2 and FMA; the build compiles this file for it, and the backend asks the processor first.
 */
#include <immintrin.h>
#include <math.h>

#include "maxwell/cpu/fused.h"

#define MX_UNROLL_FACES _Pragma("GCC unroll 1")
#define ISA             "AVX2"
#define ROWS_1          2
#define ROWS_2          2
#define ROWS_3          2
#define ROWS_4          1
#define ROWS_5          2
#define ROWS_6          2
#define ROWS_7          2
#define ROWS_8          1
#define REAL            double
#define LANES           8
#define NAME(x)         x##_avx2_double
#include "maxwell/cpu/fused_kernel.h"
#undef REAL
#undef LANES
#undef NAME
#undef CONCATENATE
#undef CONCATENATE_

#define REAL    float
#define LANES   16
#define NAME(x) x##_avx2_single
#include "maxwell/cpu/fused_kernel.h"
