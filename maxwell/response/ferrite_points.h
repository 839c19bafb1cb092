/* A ferrite at a node: ferrite.h derives it. Part of points.h, once for every precision. s[3][3]: m, the old m and the
 * old h; u[3]: the field H. */
#include "maxwell/response/ferrite.h"

/* result = matrix of the coefficients times v */
MX_POINT void NAME(mx_ferrite_turn)(const REAL *c, const MX_VALUE *v, MX_VALUE *result)
{
  const REAL *row = c + MX_FERRITE_C_MATRIX;
  for (int i = 0; i < 3; i++) result[i] = row[3 * i] * v[0] + row[3 * i + 1] * v[1] + row[3 * i + 2] * v[2];
}

/* u: H half a step before t = 0 as if m were at rest there; m is zero at t = 0. */
MX_POINT void NAME(mx_ferrite_start)(const REAL *c, MX_VALUE (*s)[3], MX_VALUE *u)
{
  const REAL *number = c + MX_FERRITE_C_NUMBER;
  MX_VALUE change[3];
  NAME(mx_ferrite_turn)(c, u, change);
  for (int i = 0; i < 3; i++) {
    s[MX_FERRITE_M][i] = s[MX_FERRITE_OLD_M][i] = number[1] * change[i];
    u[i] -= number[2] * s[MX_FERRITE_M][i];
    s[MX_FERRITE_OLD_H][i] = u[i];
  }
}

MX_POINT void NAME(mx_ferrite_step)(const REAL *c, MX_VALUE (*s)[3], MX_VALUE *u)
{
  const REAL *number = c + MX_FERRITE_C_NUMBER;
  MX_VALUE drive[3], change[3];
  for (int i = 0; i < 3; i++) drive[i] = number[0] * s[MX_FERRITE_M][i] - number[1] * (s[MX_FERRITE_OLD_H][i] + u[i]);
  NAME(mx_ferrite_turn)(c, drive, change);
  for (int i = 0; i < 3; i++) {
    u[i] -= number[2] * change[i];
    s[MX_FERRITE_OLD_M][i] = s[MX_FERRITE_M][i];
    s[MX_FERRITE_M][i] += change[i];
    s[MX_FERRITE_OLD_H][i] = u[i];
  }
}

MX_POINT void NAME(mx_ferrite_rate)(const REAL *c, MX_VALUE (*s)[3], const MX_VALUE *u, MX_VALUE (*ds)[3], MX_VALUE *du)
{
  const REAL *number = c + MX_FERRITE_C_NUMBER;
  MX_VALUE drive[3];
  for (int i = 0; i < 3; i++) drive[i] = number[0] * s[MX_FERRITE_M][i] - number[1] * u[i];
  NAME(mx_ferrite_turn)(c, drive, ds[MX_FERRITE_M]);
  for (int i = 0; i < 3; i++) {
    ds[MX_FERRITE_OLD_M][i] = ds[MX_FERRITE_OLD_H][i] = 0 * u[i];
    du[i] = -number[2] * ds[MX_FERRITE_M][i];
  }
}
