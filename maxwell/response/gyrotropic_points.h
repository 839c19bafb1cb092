/* A gyrotropic medium at a node: gyrotropic.h derives it. Part of points.h, once for every precision. s[3][3]: J, P and
 * the old E; u[3]: the field. */
#include "maxwell/response/gyrotropic.h"

/* result = matrix m of the coefficients times v */
MX_POINT void NAME(mx_gyro_turn)(const REAL *c, int m, const MX_VALUE *v, MX_VALUE *result)
{
  const REAL *row = c + MX_GYRO_C_MATRIX + 9 * m;
  for (int i = 0; i < 3; i++) result[i] = row[3 * i] * v[0] + row[3 * i + 1] * v[1] + row[3 * i + 2] * v[2];
}

/* Its states begin with E itself. */
MX_POINT void NAME(mx_gyrotropic_start)(const REAL *c, MX_VALUE (*s)[3], MX_VALUE *u) { (void)c, (void)s, (void)u; }

MX_POINT void NAME(mx_gyrotropic_step)(const REAL *c, MX_VALUE (*s)[3], MX_VALUE *u)
{
  const REAL *number = c + MX_GYRO_C_NUMBER;
  MX_VALUE g[3], kept[3], taken[3], j[3];
  for (int i = 0; i < 3; i++) g[i] = 2 * s[MX_GYRO_J][i] - number[0] * s[MX_GYRO_P][i] + number[1] * s[MX_GYRO_OLD][i];
  NAME(mx_gyro_turn)(c, 0, u, kept);
  NAME(mx_gyro_turn)(c, 1, g, taken);
  for (int i = 0; i < 3; i++) {
    u[i] = kept[i] - taken[i];
    g[i] += number[1] * u[i];
  }
  NAME(mx_gyro_turn)(c, 2, g, j);
  for (int i = 0; i < 3; i++) {
    s[MX_GYRO_J][i] = 2 * j[i] - s[MX_GYRO_J][i];
    s[MX_GYRO_P][i] += number[2] * j[i];
    s[MX_GYRO_OLD][i] = u[i];
  }
}

MX_POINT void NAME(mx_gyrotropic_rate)(const REAL *c, MX_VALUE (*s)[3], const MX_VALUE *u, MX_VALUE (*ds)[3],
                                       MX_VALUE *du)
{
  const REAL *number = c + MX_GYRO_C_NUMBER;
  MX_VALUE turned[3];
  NAME(mx_gyro_turn)(c, 0, s[MX_GYRO_J], turned);
  for (int i = 0; i < 3; i++) {
    ds[MX_GYRO_J][i] = number[1] * u[i] - number[0] * s[MX_GYRO_P][i] - turned[i];
    ds[MX_GYRO_P][i] = s[MX_GYRO_J][i];
    ds[MX_GYRO_OLD][i] = 0 * u[i];
    du[i] = -number[2] * s[MX_GYRO_J][i];
  }
}
