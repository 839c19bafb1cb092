/* The poles of a medium at a node, a component: poles.c derives the coefficients. Part of points.h, once for every
 * precision. Each number of states has its own functions, which the compiler unrolls.
 *
 * c, a pair of states after the other: the weights g0 g1 of the states in the field; t00 t01 t10 t11, the states'
 * matrix; m0 m1, what the field adds to them. A last single state: g t m. At 4 * states: the field's own weight
 * (rates).
 */

/* The update behind a step of leapfrog: u is first the field without the poles' part, then the field; poles.c defines
 * s. */
MX_POINT void NAME(mx_poles_step_of)(int states, const REAL *c, MX_VALUE *s, MX_VALUE *u)
{
  const int pairs = states / 2;
  MX_VALUE sum = *u;
  for (int p = 0; p < pairs; p++) sum += c[8 * p] * s[2 * p] + c[8 * p + 1] * s[2 * p + 1];
  if (states % 2 != 0) sum += c[8 * pairs] * s[states - 1];
  *u = sum;
  for (int p = 0; p < pairs; p++) {
    const REAL *k = c + 8 * p;
    const MX_VALUE a = s[2 * p], b = s[2 * p + 1];
    s[2 * p] = k[2] * a + k[3] * b + k[6] * sum;
    s[2 * p + 1] = k[4] * a + k[5] * b + k[7] * sum;
  }
  if (states % 2 != 0) s[states - 1] = c[8 * pairs + 1] * s[states - 1] + c[8 * pairs + 2] * sum;
}

/* Rates of the states and of the field. */
MX_POINT void NAME(mx_poles_rate_of)(int states, const REAL *c, const MX_VALUE *s, MX_VALUE u, MX_VALUE *ds,
                                     MX_VALUE *du)
{
  const int pairs = states / 2;
  MX_VALUE sum = c[4 * states] * u;
  for (int p = 0; p < pairs; p++) {
    const REAL *k = c + 8 * p;
    const MX_VALUE a = s[2 * p], b = s[2 * p + 1];
    sum += k[0] * a + k[1] * b;
    ds[2 * p] = k[2] * a + k[3] * b + k[6] * u;
    ds[2 * p + 1] = k[4] * a + k[5] * b + k[7] * u;
  }
  if (states % 2 != 0) {
    const REAL *k = c + 8 * pairs;
    const MX_VALUE a = s[states - 1];
    sum += k[0] * a;
    ds[states - 1] = k[1] * a + k[2] * u;
  }
  *du = sum;
}

#define MX_POLES_FUNCTIONS(KIND, PREFIX, STATES)                                                                       \
  MX_POINT void NAME(PREFIX##_step)(const REAL *c, MX_VALUE *s, MX_VALUE *u)                                           \
  {                                                                                                                    \
    NAME(mx_poles_step_of)(STATES, c, s, u);                                                                           \
  }                                                                                                                    \
  MX_POINT void NAME(PREFIX##_rate)(const REAL *c, const MX_VALUE *s, MX_VALUE u, MX_VALUE *ds, MX_VALUE *du)          \
  {                                                                                                                    \
    NAME(mx_poles_rate_of)(STATES, c, s, u, ds, du);                                                                   \
  }
MX_POLE_LIST(MX_POLES_FUNCTIONS)
#undef MX_POLES_FUNCTIONS
