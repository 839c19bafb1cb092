/* The weight of a curved element's medium, once for every precision: the file that includes it defines REAL and
 * NAME(x). */

/* covariant[3][Np] = sum over the points q of from[q][Np] W_q^-1 (at[q] . density), density[3][Np]. Inner loops go over
 * numbers that stand together and do not depend on each other, so that compilers make vectors of them. */
static inline void NAME(curve_weigh)(const struct mx_curve_tables *tables, size_t k, const REAL *density,
                                     REAL *covariant)
{
  const size_t Np = (size_t)tables->ref->Np, Nq = (size_t)tables->rule.volume.points;
  REAL d[3][DG_RULE_POINTS_MAX];
  for (size_t i = 0; i < 3 * Np; i++) covariant[i] = 0;
  for (size_t a = 0; a < 3; a++) {
    for (size_t q = 0; q < Nq; q++) d[a][q] = 0;
    for (size_t i = 0; i < Np; i++) {
      const REAL value = density[a * Np + i];
      const double *to = tables->to + i * Nq;
      for (size_t q = 0; q < Nq; q++) d[a][q] += (REAL)to[q] * value;
    }
  }
  for (size_t q = 0; q < Nq; q++) {
    const double *from = tables->from + q * Np, *w = tables->weight[k * Nq + q];
    const REAL x = d[0][q], y = d[1][q], z = d[2][q];
    const REAL u[3] = {(REAL)w[0] * x + (REAL)w[1] * y + (REAL)w[2] * z,
                       (REAL)w[1] * x + (REAL)w[3] * y + (REAL)w[4] * z,
                       (REAL)w[2] * x + (REAL)w[4] * y + (REAL)w[5] * z};
    for (size_t a = 0; a < 3; a++)
      for (size_t i = 0; i < Np; i++) covariant[a * Np + i] += (REAL)from[i] * u[a];
  }
}
