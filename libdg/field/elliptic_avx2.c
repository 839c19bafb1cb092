/* The element kernel of elliptic.h with AVX2. The build compiles this file for these instructions. */
#define REGISTER 32
#define NAME(x)  x##_avx2
#include "libdg/field/elliptic_kernel.h"
