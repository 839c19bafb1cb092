/* The element kernel of elliptic.h. */
#define REGISTER 16
#define NAME(x)  x##_portable
#include "libdg/field/elliptic_kernel.h"
