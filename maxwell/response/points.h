/* The point functions of responses, for compilers of C and CUDA: the file that includes it, once for every precision,
 * defines REAL, NAME(x), MX_ROOT(x), the square root of a REAL, and MX_POINT, how an inline function begins.
 *
 *   step  behind a step of a staggered scheme: from the value u of the field behind the pass to the new one, and takes
 *         the state s along;
 *   start of vectors that answer H, behind the half step that takes leapfrog's H back from t = 0: the value u half a
 * step before t = 0, and the state s there; rate  of a Runge-Kutta scheme: the rates of the state, ds, and what they
 * add to the rate of the field, du.
 *
 * c: the coefficients of the entry (response.h). Poles see one component at a time, gyrotropic media and ferrites the
 * vector at a node, s and ds [states][3], u and du [3]; layers the vectors at a point: s and ds [directions][3] of one
 * field (field 0 is E, 1 is H), u and du [3], and L[4], the point's barycentric coordinates. What fields and states
 * have at a point is an MX_VALUE: a REAL, or where the file that includes this one says so (with MX_ROOT and
 * MX_LARGER(a, b) for it) a vector of REALs at several points.
 */
#ifndef MX_VALUE
#define MX_VALUE        REAL
#define MX_LARGER(a, b) ((a) > (b) ? (a) : (b))
#define MX_POINT_BY_POINT
#endif

#include "maxwell/response/ferrite_points.h"
#include "maxwell/response/gyrotropic_points.h"
#include "maxwell/response/poles_points.h"
#include "maxwell/response/layer_points.h"

#define MX_POINT_CASE(KIND, PREFIX, ...)                                                                               \
  case KIND:                                                                                                           \
    MX_POINT_CALL(PREFIX);                                                                                             \
    break;

MX_POINT void NAME(mx_point_step)(enum mx_response_kind kind, const REAL *c, MX_VALUE *s, MX_VALUE *u)
{
#define MX_POINT_CALL(PREFIX) NAME(PREFIX##_step)(c, s, u)
  switch (kind) {
    MX_POLE_LIST(MX_POINT_CASE)
  default:
    break;
  }
#undef MX_POINT_CALL
}

MX_POINT void NAME(mx_point_rate)(enum mx_response_kind kind, const REAL *c, const MX_VALUE *s, MX_VALUE u,
                                  MX_VALUE *ds, MX_VALUE *du)
{
#define MX_POINT_CALL(PREFIX) NAME(PREFIX##_rate)(c, s, u, ds, du)
  switch (kind) {
    MX_POLE_LIST(MX_POINT_CASE)
  default:
    break;
  }
#undef MX_POINT_CALL
}

MX_POINT void NAME(mx_vector_step)(enum mx_response_kind kind, const REAL *c, MX_VALUE (*s)[3], MX_VALUE *u)
{
#define MX_POINT_CALL(PREFIX) NAME(PREFIX##_step)(c, s, u)
  switch (kind) {
    MX_VECTOR_LIST(MX_POINT_CASE)
  default:
    break;
  }
#undef MX_POINT_CALL
}

MX_POINT void NAME(mx_vector_start)(enum mx_response_kind kind, const REAL *c, MX_VALUE (*s)[3], MX_VALUE *u)
{
#define MX_POINT_CALL(PREFIX) NAME(PREFIX##_start)(c, s, u)
  switch (kind) {
    MX_VECTOR_LIST(MX_POINT_CASE)
  default:
    break;
  }
#undef MX_POINT_CALL
}

MX_POINT void NAME(mx_vector_rate)(enum mx_response_kind kind, const REAL *c, MX_VALUE (*s)[3], const MX_VALUE *u,
                                   MX_VALUE (*ds)[3], MX_VALUE *du)
{
#define MX_POINT_CALL(PREFIX) NAME(PREFIX##_rate)(c, s, u, ds, du)
  switch (kind) {
    MX_VECTOR_LIST(MX_POINT_CASE)
  default:
    break;
  }
#undef MX_POINT_CALL
}

MX_POINT void NAME(mx_layer_step)(enum mx_response_kind kind, int field, const REAL *c, const MX_VALUE *L,
                                  MX_VALUE (*s)[3], MX_VALUE *u)
{
#define MX_POINT_CALL(PREFIX) NAME(PREFIX##_step)(c, c[MX_LAYER_C_LOSS + field], L, s, u)
  switch (kind) {
    MX_LAYER_LIST(MX_POINT_CASE)
  default:
    break;
  }
#undef MX_POINT_CALL
}

MX_POINT void NAME(mx_layer_rate)(enum mx_response_kind kind, int field, const REAL *c, const MX_VALUE *L,
                                  MX_VALUE (*s)[3], const MX_VALUE *u, MX_VALUE (*ds)[3], MX_VALUE *du)
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
#ifdef MX_POINT_BY_POINT
#undef MX_VALUE
#undef MX_LARGER
#undef MX_POINT_BY_POINT
#endif
