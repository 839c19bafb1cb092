/* The right-hand side in both precisions: instances of operator_body.h. The reference backend, the search for the step
 * limit and the energy balance call it. */
#include "maxwell/operator/operator.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "maxwell/problem/curved.h"

#define MX_POINT static inline

#define REAL       double
#define NAME(x)    x##_double
#define MX_ROOT(x) sqrt(x)
#include "maxwell/response/points.h"
#include "maxwell/operator/operator_body.h"
#undef REAL
#undef NAME
#undef MX_ROOT

#define REAL       float
#define NAME(x)    x##_single
#define MX_ROOT(x) sqrtf(x)
#include "maxwell/response/points.h"
#include "maxwell/operator/operator_body.h"
