/* A Debye pole at a node, a component: debye.c derives the coefficients. Part of points.h, once for every precision. */

/* The update behind a step of leapfrog: u is first E without the pole's part, then E; debye.c defines s. */
MX_POINT void NAME(mx_debye_step)(const REAL *c, REAL *s, REAL *u)
{
  *u += c[0] * s[0];
  s[0] = c[1] * s[0] + c[2] * *u;
}

/* Rates of s = P and of E. */
MX_POINT void NAME(mx_debye_rate)(const REAL *c, const REAL *s, REAL u, REAL *ds, REAL *du)
{
  ds[0] = c[0] * u - c[1] * s[0];
  *du = -c[2] * ds[0];
}
