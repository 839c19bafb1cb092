/* The element kernel of elliptic.h with AVX-512. The build compiles this file for these instructions. */
#define REGISTER 64
#define NAME(x)  x##_avx512
#include "libdg/field/elliptic_kernel.h"
