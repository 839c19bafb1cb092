/* The kernel of curved elements (maxwell/problem/curved.h), part of operator_body.h, once for every precision: turn to
 * covariant components, curl of the reference element, jumps along the edges of faces, lift, weigh, turn back. */

#include "maxwell/problem/curve_weigh.h"

/* covariant[3][Np] of field[3][Np] of curved element k. */
static inline void NAME(covariant)(const struct mx_curve_tables *curves, size_t k, const REAL *field, REAL *covariant)
{
  const size_t Np = (size_t)curves->ref->Np;
  for (size_t i = 0; i < Np; i++)
    for (size_t a = 0; a < 3; a++) {
      const double *x = curves->tangent[k * Np + i][a];
      covariant[a * Np + i] = (REAL)x[0] * field[i] + (REAL)x[1] * field[Np + i] + (REAL)x[2] * field[2 * Np + i];
    }
}

/* rate[3][Np] += inverse times the Cartesian field of the weighed density[3][Np]. */
static inline void NAME(add_density)(const struct mx_curve_tables *curves, size_t k, REAL inverse, const REAL *density,
                                     REAL *rate)
{
  const size_t Np = (size_t)curves->ref->Np;
  REAL u[3 * DG_NP_MAX];
  NAME(curve_weigh)(curves, k, density, u);
  for (size_t i = 0; i < Np; i++) {
    const double *g = curves->metric[k * Np + i];
    for (size_t b = 0; b < 3; b++)
      rate[b * Np + i] += inverse * ((REAL)g[b] * u[i] + (REAL)g[3 + b] * u[Np + i] + (REAL)g[6 + b] * u[2 * Np + i]);
  }
}

/* A face of a curved element, and its weights in an equation. */
struct NAME(curved_face) {
  size_t k; /* curved element */
  int f;
  REAL jump, penalty;
};

/* density[3][Np] += lifted flux of jumps other and own, [3][Nf], Cartesian: kappa (v1 t2 - v2 t1) of the one, and the
 * penalty on the other, which the metric of the face weighs at the points of its rule. */
static inline void NAME(lift_curved)(const struct NAME(mx_matrices) * matrices, const struct NAME(curved_face) * face,
                                     const REAL *other, const REAL *own, REAL *density)
{
  const struct mx_curve_tables *curves = &matrices->curves;
  const size_t Np = (size_t)curves->ref->Np, Nf = (size_t)curves->ref->Nf, k = face->k, f = (size_t)face->f,
               Nq = (size_t)curves->rule.face.points;
  const double(*edge)[3] = mx_curve_edge[f];
  const REAL kappa = (REAL)mx_curve_side(face->f);
  REAL curl[2][DG_NF_MAX], jump[2][DG_NF_MAX], flux[2][DG_NF_MAX] = {{0}}; /* along t1 and t2 */
  for (size_t m = 0; m < Nf; m++) {
    const double(*x)[3] = (const double(*)[3])curves->tangent[k * Np + (size_t)curves->ref->face_node[f * Nf + m]];
    for (size_t i = 0; i < 2; i++) {
      curl[i][m] = jump[i][m] = 0;
      for (size_t b = 0; b < 3; b++) {
        const REAL t = (REAL)(edge[i][0] * x[0][b] + edge[i][1] * x[1][b] + edge[i][2] * x[2][b]);
        curl[i][m] += t * other[b * Nf + m];
        jump[i][m] += t * own[b * Nf + m];
      }
    }
  }
  for (size_t q = 0; q < Nq && face->penalty != 0; q++) {
    const double *at = curves->rule.face_at + q * Nf, *g = curves->face[(4 * k + f) * Nq + q];
    REAL v1 = 0, v2 = 0;
    for (size_t m = 0; m < Nf; m++) {
      v1 += (REAL)at[m] * jump[0][m];
      v2 += (REAL)at[m] * jump[1][m];
    }
    const REAL w1 = face->penalty * ((REAL)g[0] * v1 + (REAL)g[1] * v2),
               w2 = face->penalty * ((REAL)g[1] * v1 + (REAL)g[2] * v2);
    for (size_t m = 0; m < Nf; m++) {
      const REAL from = (REAL)curves->rule.face_project[m * Nq + q];
      flux[0][m] += from * w1;
      flux[1][m] += from * w2;
    }
  }
  for (size_t m = 0; m < Nf; m++) {
    const REAL *column = matrices->lift + (f * Nf + m) * Np;
    const REAL along1 = flux[0][m] - face->jump * kappa * curl[1][m],
               along2 = flux[1][m] + face->jump * kappa * curl[0][m];
    for (size_t a = 0; a < 3; a++) {
      const REAL value = (REAL)edge[0][a] * along1 + (REAL)edge[1][a] * along2;
      for (size_t i = 0; i < Np; i++) density[a * Np + i] += column[i] * value;
    }
  }
}

/* The rate of curved element k; and into [3][Np], if it is not NULL, the density over the medium, from which the rate
 * comes by weighing. */
static void NAME(curved_rate)(const struct mx_problem *problem, const struct NAME(mx_matrices) * matrices,
                              enum mx_equation equation, struct mx_penalty penalty, size_t k, const REAL *own,
                              const REAL *other, const REAL *own_before, REAL *rate, REAL *into)
{
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int Np = problem->ref->Np, Nf = problem->ref->Nf;
  const size_t e = (size_t)problem->curves.where[k], n = 3 * (size_t)Np;
  const bool ampere = equation == MX_AMPERE;
  REAL covariant[3 * DG_NP_MAX], density[3 * DG_NP_MAX], jump_own[3 * DG_NF_MAX], jump_other[3 * DG_NF_MAX];
  NAME(covariant)(&matrices->curves, k, other + n * e, covariant);
  NAME(curl)(Np, matrices, identity, covariant, density);
  for (size_t i = 0; i < n && !ampere; i++) density[i] = -density[i];
  for (int f = 0; f < 4; f++) {
    const struct mx_face_flux *weights = &problem->flux[e][f];
    const struct NAME(face) jumps = NAME(face_of)(problem, penalty, e, f, own_before);
    const struct NAME(curved_face) face = {k, f, (REAL)(ampere ? weights->h_jump : -weights->e_jump),
                                           (REAL)(ampere ? weights->e_penalty : weights->h_penalty)};
    for (int m = 0; m < Nf; m++) {
      REAL of_own[3], of_other[3];
      NAME(node_jumps)(Np, Nf, problem, &jumps, equation, m, own, other, of_own, of_other);
      for (int c = 0; c < 3; c++) {
        jump_own[c * Nf + m] = of_own[c];
        jump_other[c * Nf + m] = of_other[c];
      }
    }
    NAME(lift_curved)(matrices, &face, jump_other, jump_own, density);
  }
  const REAL inverse = (REAL)(1 / mx_medium_of(problem, equation, e).storage);
  for (size_t i = 0; i < n; i++) rate[n * e + i] = 0;
  NAME(add_density)(&matrices->curves, k, inverse, density, rate + n * e);
  for (size_t i = 0; i < n && into != NULL; i++) into[i] = inverse * density[i];
}

/* rate -= what a current, j[3][Np] over the medium, takes from curved element k. */
static void NAME(curved_current)(const struct mx_curve_tables *curves, size_t k, const REAL *j, REAL *rate)
{
  const size_t Np = (size_t)curves->ref->Np;
  REAL density[3 * DG_NP_MAX];
  for (size_t i = 0; i < Np; i++) {
    const double *g = curves->metric[k * Np + i];
    const double(*x)[3] = (const double(*)[3])curves->tangent[k * Np + i];
    double normal[3];
    dg_cross(x[1], x[2], normal);
    const double det = dg_dot(x[0], normal);
    for (size_t a = 0; a < 3; a++)
      density[a * Np + i] = (REAL)(det * g[3 * a]) * j[i] + (REAL)(det * g[3 * a + 1]) * j[Np + i] +
                            (REAL)(det * g[3 * a + 2]) * j[2 * Np + i];
  }
  NAME(add_density)(curves, k, -1, density, rate);
}
