/* The kernels of layers with the instructions that every processor has. `reference` takes them, and `cpu` where it
 * finds nothing better. */
#include <math.h>
#include <string.h>

#include "maxwell/backend/layers/layer_rule.h"

#define MX_LAYER_WIDTH 16
#define MX_LAYER_BLOCK 1

#define REAL              double
#define NAME(x)           x##_portable_double
#define MX_SCALAR_ROOT(x) sqrt(x)
#include "maxwell/backend/layers/layer_kernel.h"
#undef REAL
#undef NAME
#undef MX_SCALAR_ROOT

#define REAL              float
#define NAME(x)           x##_portable_single
#define MX_SCALAR_ROOT(x) sqrtf(x)
#include "maxwell/backend/layers/layer_kernel.h"
