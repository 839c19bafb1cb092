/* A Debye pole at a node, a component: debye.c derives the coefficients. Part of points.h, once for every precision. */

/* Behind a step of leapfrog: u is E without the pole's part, then E; s as debye.c has it. */
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
