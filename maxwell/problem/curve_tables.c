/* Fills the tables of curved elements, and inverts their weights for energies. */
#include "maxwell/problem/curve_tables.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "maxwell/problem/curved.h"

const double mx_curve_edge[4][2][3] = {
    {{-1, 1, 0}, {-1, 0, 1}},
    {{0, 1, 0}, {0, 0, 1}},
    {{1, 0, 0}, {0, 0, 1}},
    {{1, 0, 0}, {0, 1, 0}},
};

#define REAL    double
#define NAME(x) x##_double
#include "maxwell/problem/curve_weigh.h"

/* ---- set-up ---- */

static int fill_points(struct mx_curve_tables *tables, const struct mx_problem *problem, size_t k, double *sign,
                       struct dg_error *err)
{
  const int Nq = tables->rule.volume.points;
  for (int q = 0; q < Nq; q++) {
    const double *place = tables->rule.place[q];
    double x[3][3], *w = tables->weight[k * (size_t)Nq + (size_t)q];
    const double det = mx_curve_tangent(problem, k, place, x);
    if (q == 0) *sign = det < 0 ? -1 : 1;
    if (!(det * *sign > 0))
      return dg_fail(err, DG_INPUT, "curved element %d folds over at (r, s, t) = (%g, %g, %g): its Jacobian is %g m3",
                     (int)problem->curves.where[k], place[0], place[1], place[2], det);
    for (int a = 0, at = 0; a < 3; a++)
      for (int b = a; b < 3; b++) w[at++] = dg_dot(x[a], x[b]) / det;
  }
  return 0;
}

static int fill_nodes(struct mx_curve_tables *tables, const struct mx_problem *problem, size_t k, double sign,
                      struct dg_error *err)
{
  const struct dg_reference *ref = tables->ref;
  for (int i = 0; i < ref->Np; i++) {
    const double place[3] = {ref->r[i], ref->s[i], ref->t[i]};
    const size_t node = k * (size_t)ref->Np + (size_t)i;
    (void)mx_curve_tangent(problem, k, place, tables->tangent[node]);
    const double det = mx_curve_metric(problem, k, place, tables->metric[node]);
    if (!(det * sign > 0))
      return dg_fail(err, DG_INPUT, "curved element %d folds over at (r, s, t) = (%g, %g, %g): its Jacobian is %g m3",
                     (int)problem->curves.where[k], place[0], place[1], place[2], det);
  }
  return 0;
}

static void fill_faces(struct mx_curve_tables *tables, const struct mx_problem *problem, size_t k, double sign)
{
  const struct dg_rule *rule = &tables->rule.face;
  for (int f = 0; f < 4; f++)
    for (int q = 0; q < rule->points; q++) {
      double place[3], x[3][3], t[2][3] = {{0}};
      dg_face_place(f, rule->place[q], place);
      (void)mx_curve_tangent(problem, k, place, x);
      for (int i = 0; i < 2; i++)
        for (int a = 0; a < 3; a++)
          for (int b = 0; b < 3; b++) t[i][b] += mx_curve_edge[f][i][a] * x[a][b];
      const double g11 = dg_dot(t[0], t[0]), g12 = dg_dot(t[0], t[1]), g22 = dg_dot(t[1], t[1]);
      const double scale = sign / sqrt(g11 * g22 - g12 * g12);
      double *face = tables->face[(4 * k + (size_t)f) * (size_t)rule->points + (size_t)q];
      face[0] = scale * g22;
      face[1] = -scale * g12;
      face[2] = scale * g11;
    }
}

int mx_curve_rule_init(struct mx_curve_tables *tables, const struct dg_reference *ref, struct dg_error *err)
{
  const size_t Np = (size_t)ref->Np;
  *tables = (struct mx_curve_tables){.ref = ref};
  if (dg_quadrature_init(&tables->rule, ref, err) != 0) return err->code;
  const size_t Nq = (size_t)tables->rule.volume.points;
  if (DG_NEW(tables->to, Np * Nq, err) != 0 || DG_NEW(tables->from, Nq * Np, err) != 0) return err->code;
  for (size_t i = 0; i < Np; i++)
    for (size_t q = 0; q < Nq; q++) {
      tables->to[i * Nq + q] = tables->rule.at[q * Np + i];
      tables->from[q * Np + i] = tables->rule.project[i * Nq + q];
    }
  return 0;
}

int mx_curve_tables_init(struct mx_curve_tables *tables, const struct mx_problem *problem, struct dg_error *err)
{
  const size_t count = problem->curves.count, Np = (size_t)problem->ref->Np;
  *tables = (struct mx_curve_tables){.ref = problem->ref};
  if (count == 0) return 0;
  if (mx_curve_rule_init(tables, problem->ref, err) != 0) return err->code;
  const size_t Nq = (size_t)tables->rule.volume.points, Nfq = (size_t)tables->rule.face.points;
  if (DG_NEW(tables->weight, count * Nq, err) != 0 || DG_NEW(tables->tangent, count * Np, err) != 0 ||
      DG_NEW(tables->metric, count * Np, err) != 0 || DG_NEW(tables->face, count * 4 * Nfq, err) != 0)
    return err->code;
  for (size_t k = 0; k < count; k++) {
    double sign = 1;
    if (fill_points(tables, problem, k, &sign, err) != 0 || fill_nodes(tables, problem, k, sign, err) != 0)
      return err->code;
    fill_faces(tables, problem, k, sign);
  }
  tables->count = count;
  return 0;
}

void mx_curve_tables_release(struct mx_curve_tables *tables)
{
  dg_quadrature_release(&tables->rule);
  dg_free(tables->to);
  dg_free(tables->from);
  dg_free(tables->weight);
  dg_free(tables->tangent);
  dg_free(tables->metric);
  dg_free(tables->face);
  *tables = (struct mx_curve_tables){0};
}

size_t mx_curve_tables_bytes(const struct mx_problem *problem)
{
  const struct mx_curve_tables *t = NULL;
  const size_t Np = (size_t)problem->ref->Np, count = problem->curves.count;
  const size_t Nq = (size_t)dg_rule_points(3, problem->ref->order),
               Nfq = (size_t)dg_rule_points(2, problem->ref->order);
  return count * (Nq * sizeof *t->weight + Np * (sizeof *t->tangent + sizeof *t->metric) + 4 * Nfq * sizeof *t->face);
}

/* ---- products ---- */

void mx_curve_covariant(const struct mx_curve_tables *tables, size_t k, const double *field, double *covariant)
{
  const size_t Np = (size_t)tables->ref->Np;
  for (size_t i = 0; i < Np; i++) {
    const double E[3] = {field[i], field[Np + i], field[2 * Np + i]};
    for (size_t a = 0; a < 3; a++) covariant[a * Np + i] = dg_dot(tables->tangent[k * Np + i][a], E);
  }
}

void mx_curve_cartesian(const struct mx_curve_tables *tables, size_t k, const double *covariant, double *field)
{
  const size_t Np = (size_t)tables->ref->Np;
  for (size_t i = 0; i < Np; i++) {
    const double *g = tables->metric[k * Np + i], u[3] = {covariant[i], covariant[Np + i], covariant[2 * Np + i]};
    for (size_t b = 0; b < 3; b++) field[b * Np + i] = g[b] * u[0] + g[3 + b] * u[1] + g[6 + b] * u[2];
  }
}

void mx_curve_weigh(const struct mx_curve_tables *tables, size_t k, const double *density, double *covariant)
{
  curve_weigh_double(tables, k, density, covariant);
}

/* y = M x of the reference element, for three components. */
static void multiply_mass(const struct dg_reference *ref, const double *x, double *y)
{
  const int Np = ref->Np;
  for (int i = 0; i < 3 * Np; i++) y[i] = 0;
  for (int a = 0; a < 3; a++)
    for (int j = 0; j < Np; j++)
      for (int i = 0; i < Np; i++) y[a * Np + i] += ref->mass[j * Np + i] * x[a * Np + j];
}

static double dot(int n, const double *x, const double *y)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* The inverse of the mean of W^-1 over the points: what W would be if the element were straight. */
static void mean_weight(const struct mx_curve_tables *tables, size_t k, double inverse[3][3])
{
  const int Nq = tables->rule.volume.points;
  double m[6] = {0}, row[3][3], normal[3];
  for (int q = 0; q < Nq; q++)
    for (int i = 0; i < 6; i++) m[i] += tables->rule.volume.weight[q] * tables->weight[k * (size_t)Nq + (size_t)q][i];
  for (int a = 0, at = 0; a < 3; a++)
    for (int b = a; b < 3; b++, at++) row[a][b] = row[b][a] = m[at];
  dg_cross(row[1], row[2], normal);
  const double det = dg_dot(row[0], normal);
  for (int a = 0; a < 3; a++) {
    dg_cross(row[(a + 1) % 3], row[(a + 2) % 3], inverse[a]);
    for (int b = 0; b < 3; b++) inverse[a][b] /= det;
  }
}

static void precondition(int Np, double W[3][3], const double *r, double *y)
{
  for (int i = 0; i < Np; i++)
    for (int a = 0; a < 3; a++) y[a * Np + i] = W[a][0] * r[i] + W[a][1] * r[Np + i] + W[a][2] * r[2 * Np + i];
}

/* The weighing A is symmetric and, but for the sign of the map, positive in the product with M; so is its
 * preconditioner, which commutes with M. A density is therefore found by conjugate gradients in that product. Their
 * number depends on how far the metric varies in the element: 17 for a ratio of 2. */
void mx_curve_unweigh(const struct mx_curve_tables *tables, size_t k, const double *covariant, double *density)
{
  enum { MOST = 200 };
  static const double enough = 1e-15;
  const int Np = tables->ref->Np, n = 3 * Np;
  double W[3][3], r[3 * DG_NP_MAX], y[3 * DG_NP_MAX], p[3 * DG_NP_MAX], Mp[3 * DG_NP_MAX], Ap[3 * DG_NP_MAX] = {0};
  mean_weight(tables, k, W);
  memcpy(r, covariant, (size_t)n * sizeof *r);
  memset(density, 0, (size_t)n * sizeof *density);
  precondition(Np, W, r, y);
  memcpy(p, y, (size_t)n * sizeof *p);
  multiply_mass(tables->ref, p, Mp);
  double rho = dot(n, r, Mp);
  const double first = rho;
  for (int i = 0; i < MOST && fabs(rho) > enough * enough * fabs(first); i++) {
    curve_weigh_double(tables, k, p, Ap);
    const double step = rho / dot(n, Ap, Mp);
    for (int j = 0; j < n; j++) {
      density[j] += step * p[j];
      r[j] -= step * Ap[j];
    }
    precondition(Np, W, r, y);
    multiply_mass(tables->ref, y, Mp);
    const double next = dot(n, r, Mp), ratio = next / rho;
    for (int j = 0; j < n; j++) p[j] = y[j] + ratio * p[j];
    multiply_mass(tables->ref, p, Mp);
    rho = next;
  }
}

double mx_curve_product(const struct mx_curve_tables *tables, size_t k, const double *E, const double *H)
{
  double u[3 * DG_NP_MAX], density[3 * DG_NP_MAX], M_density[3 * DG_NP_MAX];
  mx_curve_covariant(tables, k, E, u);
  mx_curve_unweigh(tables, k, u, density);
  multiply_mass(tables->ref, density, M_density);
  mx_curve_covariant(tables, k, H, u);
  return 0.5 * mx_curve_sign(tables, k) * dot(3 * tables->ref->Np, u, M_density);
}
