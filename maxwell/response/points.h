/* The point functions of responses, for compilers of C and CUDA: the file that includes it, once for every precision,
 * defines REAL, NAME(x), MX_ROOT(x), the square root of a REAL, and MX_POINT, how an inline function begins.
 *
 *   step  behind a step of a staggered scheme: from the value u of the field behind the pass to the new one, and takes
 *         the state s along;
 *   rate  of a Runge-Kutta scheme: the rates of the state, ds, and what they add to the rate of the field, du.
 *
 * c: the coefficients of the entry (response.h). Poles see one component at a time, layers the vectors at a node: s and
 * ds [directions][3] of one field (field 0 is E, 1 is H), u and du [3], and L[4], the node's barycentric coordinates.
 */

#include "maxwell/response/debye_points.h"
#include "maxwell/response/layer_points.h"

#define MX_POINT_CASE(KIND, PREFIX, ...)                                                                               \
  case KIND:                                                                                                           \
    MX_POINT_CALL(PREFIX);                                                                                             \
    break;

MX_POINT void NAME(mx_point_step)(enum mx_response_kind kind, const REAL *c, REAL *s, REAL *u)
{
#define MX_POINT_CALL(PREFIX) NAME(PREFIX##_step)(c, s, u)
  switch (kind) {
    MX_POLE_LIST(MX_POINT_CASE)
  default:
    break;
  }
#undef MX_POINT_CALL
}

MX_POINT void NAME(mx_point_rate)(enum mx_response_kind kind, const REAL *c, const REAL *s, REAL u, REAL *ds, REAL *du)
{
#define MX_POINT_CALL(PREFIX) NAME(PREFIX##_rate)(c, s, u, ds, du)
  switch (kind) {
    MX_POLE_LIST(MX_POINT_CASE)
  default:
    break;
  }
#undef MX_POINT_CALL
}

MX_POINT void NAME(mx_layer_step)(enum mx_response_kind kind, int field, const REAL *c, const REAL *L, REAL (*s)[3],
                                  REAL *u)
{
#define MX_POINT_CALL(PREFIX) NAME(PREFIX##_step)(c, c[MX_LAYER_C_LOSS + field], L, s, u)
  switch (kind) {
    MX_LAYER_LIST(MX_POINT_CASE)
  default:
    break;
  }
#undef MX_POINT_CALL
}

MX_POINT void NAME(mx_layer_rate)(enum mx_response_kind kind, int field, const REAL *c, const REAL *L, REAL (*s)[3],
                                  const REAL *u, REAL (*ds)[3], REAL *du)
{
#define MX_POINT_CALL(PREFIX) NAME(PREFIX##_rate)(c, c[MX_LAYER_C_LOSS + field], L, s, u, ds, du)
  switch (kind) {
    MX_LAYER_LIST(MX_POINT_CASE)
  default:
    break;
  }
#undef MX_POINT_CALL
}
#undef MX_POINT_CASE
