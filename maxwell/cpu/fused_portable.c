/* The fused kernels with what every processor has. */
#include <math.h>

#include "maxwell/cpu/fused.h"

#define MX_UNROLL_FACES _Pragma("GCC unroll 1")
#define ISA             "portable"
#define ROWS_1          4
#define ROWS_2          5
#define ROWS_3          4
#define ROWS_4          4
#define ROWS_5          4
#define ROWS_6          4
#define ROWS_7          4
#define ROWS_8          4
#define VECTOR          16
#define REAL            double
#define LANES           8
#define NAME(x)         x##_portable_double
#include "maxwell/cpu/fused_kernel.h"
#undef REAL
#undef LANES
#undef NAME
#undef CONCATENATE
#undef CONCATENATE_

#define REAL    float
#define LANES   16
#define NAME(x) x##_portable_single
#include "maxwell/cpu/fused_kernel.h"
