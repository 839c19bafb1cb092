/* The kernels of layers with AVX-512. The build compiles this file for these instructions. */
#include <math.h>
#include <string.h>

#include "maxwell/backend/layers/layer_rule.h"

#define MX_LAYER_WIDTH 64
#define MX_LAYER_BLOCK 3

#define REAL              double
#define NAME(x)           x##_avx512_double
#define MX_SCALAR_ROOT(x) sqrt(x)
#include "maxwell/backend/layers/layer_kernel.h"
#undef REAL
#undef NAME
#undef MX_SCALAR_ROOT

#define REAL              float
#define NAME(x)           x##_avx512_single
#define MX_SCALAR_ROOT(x) sqrtf(x)
#include "maxwell/backend/layers/layer_kernel.h"
