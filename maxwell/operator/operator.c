/* The right-hand side in both precisions: instances of operator_body.h. The reference backend, the search for the step
 * limit and the energy balance call it. */
#include "maxwell/operator/operator.h"

#include "libdg/base/memory.h"

#define MX_POINT static inline

#define REAL    double
#define NAME(x) x##_double
#include "maxwell/response/points.h"
#include "maxwell/operator/operator_body.h"
#undef REAL
#undef NAME

#define REAL    float
#define NAME(x) x##_single
#include "maxwell/response/points.h"
#include "maxwell/operator/operator_body.h"
