#include "maxwell/operator/operator.h"

#include "libdg/base/memory.h"

#define REAL    double
#define NAME(x) x##_double
#include "maxwell/operator/operator_body.h"
#undef REAL
#undef NAME

#define REAL    float
#define NAME(x) x##_single
#include "maxwell/operator/operator_body.h"
