/* The kernels of layers with AVX2. The build compiles this file for these instructions. */
#include <math.h>
#include <string.h>

#include "maxwell/backend/layers/layer_rule.h"

#define MX_LAYER_WIDTH 32
#define MX_LAYER_BLOCK 1

#define REAL              double
#define NAME(x)           x##_avx2_double
#define MX_SCALAR_ROOT(x) sqrt(x)
#include "maxwell/backend/layers/layer_kernel.h"
#undef REAL
#undef NAME
#undef MX_SCALAR_ROOT

#define REAL              float
#define NAME(x)           x##_avx2_single
#define MX_SCALAR_ROOT(x) sqrtf(x)
#include "maxwell/backend/layers/layer_kernel.h"
