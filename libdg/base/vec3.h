/* Vectors of three numbers. */
#pragma once

#include <math.h>

static inline void dg_subtract(const double a[3], const double b[3], double c[3])
{
  for (int i = 0; i < 3; i++) c[i] = a[i] - b[i];
}

static inline void dg_cross(const double a[3], const double b[3], double c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double dg_dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Makes the vector's length 1; zero stays zero. */
static inline void dg_normalise(double a[3])
{
  const double length = sqrt(dg_dot(a, a));
  for (int i = 0; i < 3 && length > 0; i++) a[i] /= length;
}

/* Six times the signed volume of a tetrahedron. */
static inline double dg_volume6(const double a[3], const double b[3], const double c[3], const double d[3])
{
  double u[3], v[3], w[3], n[3];
  dg_subtract(b, a, u);
  dg_subtract(c, a, v);
  dg_subtract(d, a, w);
  dg_cross(u, v, n);
  return dg_dot(n, w);
}

static inline double dg_distance(const double a[3], const double b[3])
{
  double d[3];
  dg_subtract(a, b, d);
  return sqrt(dg_dot(d, d));
}
