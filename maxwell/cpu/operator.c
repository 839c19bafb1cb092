#include "maxwell/cpu/operator.h"

#include "libdg/base/memory.h"

#define REAL    double
#define NAME(x) x##_double
#include "maxwell/cpu/operator_body.h"
#undef REAL
#undef NAME

#define REAL    float
#define NAME(x) x##_single
#include "maxwell/cpu/operator_body.h"
