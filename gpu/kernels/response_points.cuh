/* The point functions of responses (maxwell/response/points.h), for both precisions. */
#pragma once

#include "maxwell/response/response.h"

#define MX_POINT   __device__ inline
#define NAME(x)    x
#define MX_ROOT(x) sqrt(x)
#define REAL       float
#include "maxwell/response/points.h"
#undef REAL
#define REAL double
/* The same functions for the other precision; C++ tells them apart by their arguments. */
#include "maxwell/response/points.h"
#undef REAL
#undef NAME
#undef MX_ROOT
#undef MX_POINT
