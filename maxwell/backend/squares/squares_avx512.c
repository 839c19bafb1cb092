/* The kernel of squares of curved elements' fields with AVX-512. */
#include <math.h>

#include "libdg/base/orders.h"
#include "maxwell/backend/squares/squares.h"

#define VECTOR 64
#define ROWS   8
#define SET    mx_squares_avx512
#include "maxwell/backend/squares/squares_kernel.h"
