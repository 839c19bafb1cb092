/* The kernel of squares of curved elements' fields with the instructions that every processor has. */
#include <math.h>

#include "libdg/base/orders.h"
#include "maxwell/backend/squares/squares.h"

#define VECTOR 16
#define ROWS   4
#define SET    mx_squares_portable
#include "maxwell/backend/squares/squares_kernel.h"
