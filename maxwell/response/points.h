/* The point functions of responses, for compilers of C and CUDA: the file that includes it, once for every precision,
 * defines REAL, NAME(x), and MX_POINT, how an inline function begins.
 *
 *   step  behind a step of a staggered scheme: adds to the new value u of the field, and takes the state s along;
 *   rate  of a Runge-Kutta scheme: the rates of the state, ds, and what they add to the rate of the field, du.
 *
 * c: the coefficients of the entry (response.h). */

#include "maxwell/response/debye_points.h"

MX_POINT void NAME(mx_point_step)(enum mx_response_kind kind, const REAL *c, REAL *s, REAL *u)
{
  switch (kind) {
#define CASE(KIND, PREFIX)                                                                                             \
  case KIND:                                                                                                           \
    NAME(PREFIX##_step)(c, s, u);                                                                                      \
    break;
    MX_RESPONSE_LIST(CASE)
#undef CASE
  }
}

MX_POINT void NAME(mx_point_rate)(enum mx_response_kind kind, const REAL *c, const REAL *s, REAL u, REAL *ds, REAL *du)
{
  switch (kind) {
#define CASE(KIND, PREFIX)                                                                                             \
  case KIND:                                                                                                           \
    NAME(PREFIX##_rate)(c, s, u, ds, du);                                                                              \
    break;
    MX_RESPONSE_LIST(CASE)
#undef CASE
  }
}
