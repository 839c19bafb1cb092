/* The weight of a curved element's medium, once for every precision: the file that includes it defines REAL and
 * NAME(x). */

/* covariant[3][Np] = sum over the points q of from[q][Np] W_q^-1 (at[q] . density), density[3][Np]. */
static inline void NAME(curve_weigh)(const struct mx_curve_tables *tables, size_t k, const REAL *density,
                                     REAL *covariant)
{
  const size_t Np = (size_t)tables->ref->Np, Nq = (size_t)tables->rule.volume.points;
  for (size_t i = 0; i < 3 * Np; i++) covariant[i] = 0;
  for (size_t q = 0; q < Nq; q++) {
    const double *at = tables->rule.at + q * Np, *from = tables->from + q * Np, *w = tables->weight[k * Nq + q];
    REAL d[3] = {0, 0, 0};
    for (size_t i = 0; i < Np; i++)
      for (size_t a = 0; a < 3; a++) d[a] += (REAL)at[i] * density[a * Np + i];
    const REAL u[3] = {(REAL)w[0] * d[0] + (REAL)w[1] * d[1] + (REAL)w[2] * d[2],
                       (REAL)w[1] * d[0] + (REAL)w[3] * d[1] + (REAL)w[4] * d[2],
                       (REAL)w[2] * d[0] + (REAL)w[4] * d[1] + (REAL)w[5] * d[2]};
    for (size_t a = 0; a < 3; a++)
      for (size_t i = 0; i < Np; i++) covariant[a * Np + i] += (REAL)from[i] * u[a];
  }
}
