/* The kernel of squares of curved elements' fields with AVX2. */
#include <math.h>

#include "libdg/base/orders.h"
#include "maxwell/backend/squares/squares.h"

#define VECTOR 32
#define ROWS   4
#define SET    mx_squares_avx2
#include "maxwell/backend/squares/squares_kernel.h"
