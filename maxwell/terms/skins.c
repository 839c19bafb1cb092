/* Metal walls: skins.h has the method. Backends, the limit of the step and the balance of energy call it. */
#include "maxwell/terms/skins.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/ref/dense.h"

/* ---- faces */

/* t1 and t2 at node m of face f of curved element c. */
static void edges_at(const struct mx_skin_tables *tables, size_t c, size_t f, size_t m, double t[2][3])
{
  const struct dg_reference *ref = tables->problem->ref;
  const double(*x)[3] =
      (const double(*)[3])tables->curves.tangent[c * (size_t)ref->Np + (size_t)ref->face_node[f * (size_t)ref->Nf + m]];
  for (int i = 0; i < 2; i++)
    for (int b = 0; b < 3; b++)
      t[i][b] = mx_curve_edge[f][i][0] * x[0][b] + mx_curve_edge[f][i][1] * x[1][b] + mx_curve_edge[f][i][2] * x[2][b];
}

/* G[2 Nf][2 Nf]: the penalty on components along t1 and t2 at the nodes, projected to the nodes. */
static void weigh_face(const struct mx_curve_tables *curves, size_t c, size_t f, double *G)
{
  const size_t Nf = (size_t)curves->ref->Nf, Nq = (size_t)curves->rule.face.points, n = 2 * Nf;
  memset(G, 0, n * n * sizeof *G);
  for (size_t q = 0; q < Nq; q++) {
    const double *at = curves->rule.face_at + q * Nf, *g = curves->face[(4 * c + f) * Nq + q];
    for (size_t m = 0; m < Nf; m++) {
      const double from = curves->rule.face_project[m * Nq + q];
      for (size_t l = 0; l < Nf; l++)
        for (size_t i = 0; i < 2; i++)
          for (size_t j = 0; j < 2; j++) G[(i * Nf + m) * n + j * Nf + l] += from * g[i + j] * at[l];
    }
  }
}

/* The matrix of a face: G h = n x (n x (...)), which the operator has as kappa (H2, -H1) (operator_curved.h). */
static int new_curved(struct mx_skin_tables *tables, size_t k, struct dg_error *err)
{
  const size_t Nf = (size_t)tables->problem->ref->Nf, n = 2 * Nf, f = (size_t)tables->problem->skin_face[k] % 4;
  const double kappa = mx_curve_side((int)f);
  double *G = NULL, *to = NULL;
  if (DG_NEW(G, n * n, err) != 0 || DG_NEW(to, n * n, err) != 0) goto fail;
  weigh_face(&tables->curves, tables->curve[k] - 1, f, G);
  if (dg_dense_invert((int)n, G, err) != 0) goto fail;
  for (size_t r = 0; r < n; r++)
    for (size_t m = 0; m < Nf; m++) {
      to[r * n + m] = -kappa * G[r * n + Nf + m];
      to[r * n + Nf + m] = kappa * G[r * n + m];
    }
  tables->curved[k] = to;
  to = NULL;
fail:
  dg_free(G);
  dg_free(to);
  return err->code;
}

/* Makes the tables of the curved elements that have a metal wall, a small problem of their own. */
static int find_curves(struct mx_skin_tables *tables, struct dg_error *err)
{
  const struct mx_problem *problem = tables->problem;
  struct mx_problem part = {0};
  size_t *element, count = 0;
  if (DG_NEW(element, problem->skin_faces, err) != 0) return err->code;
  for (size_t k = 0; k < problem->skin_faces; k++) {
    const size_t e = (size_t)problem->skin_face[k] / 4;
    if (mx_curve_find(problem, e) < 0) continue;
    if (count == 0 || element[count - 1] != e) element[count++] = e;
    tables->curve[k] = count;
  }
  if (count > 0 && mx_problem_restrict(&part, problem, count, element, err) == 0)
    (void)!mx_curve_tables_init(&tables->curves, &part, err);
  mx_problem_release(&part);
  dg_free(element);
  return err->code;
}

int mx_skin_tables_init(struct mx_skin_tables *tables, const struct mx_problem *problem, struct dg_error *err)
{
  *tables = (struct mx_skin_tables){.problem = problem};
  if (DG_NEW(tables->curve, problem->skin_faces, err) != 0 || DG_NEW(tables->curved, problem->skin_faces, err) != 0)
    return err->code;
  if (problem->curves.count > 0 && find_curves(tables, err) != 0) return err->code;
  for (size_t k = 0; k < problem->skin_faces; k++)
    if (tables->curve[k] > 0 && mx_skin_is_wall(mx_skin_of(problem, k)) && new_curved(tables, k, err) != 0)
      return err->code;
  return 0;
}

void mx_skin_tables_release(struct mx_skin_tables *tables)
{
  for (size_t k = 0; tables->curved != NULL && k < tables->problem->skin_faces; k++) dg_free(tables->curved[k]);
  dg_free(tables->curved);
  dg_free(tables->curve);
  mx_curve_tables_release(&tables->curves);
  *tables = (struct mx_skin_tables){0};
}

/* The tangential vector at node m of face k with these components along t1 and t2. */
static void from_along(const double t[2][3], double along1, double along2, double v[3])
{
  const double a = dg_dot(t[0], t[0]), b = dg_dot(t[0], t[1]), d = dg_dot(t[1], t[1]), det = a * d - b * b,
               x = (d * along1 - b * along2) / det, y = (a * along2 - b * along1) / det;
  for (int i = 0; i < 3; i++) v[i] = x * t[0][i] + y * t[1][i];
}

static void curved_current(const struct mx_skin_tables *tables, size_t k, const double *H, double *h)
{
  const size_t Nf = (size_t)tables->problem->ref->Nf, n = 2 * Nf, c = tables->curve[k] - 1,
               f = (size_t)tables->problem->skin_face[k] % 4;
  double along[2 * DG_NF_MAX] = {0}, to[2 * DG_NF_MAX] = {0}, t[DG_NF_MAX][2][3] = {{{0}}};
  for (size_t m = 0; m < Nf; m++) {
    edges_at(tables, c, f, m, t[m]);
    for (size_t i = 0; i < 2; i++)
      along[i * Nf + m] = t[m][i][0] * H[m] + t[m][i][1] * H[Nf + m] + t[m][i][2] * H[2 * Nf + m];
  }
  for (size_t r = 0; r < n; r++) {
    to[r] = 0;
    for (size_t l = 0; l < n; l++) to[r] += tables->curved[k][r * n + l] * along[l];
  }
  for (size_t m = 0; m < Nf; m++) {
    double v[3];
    from_along((const double(*)[3])t[m], to[m], to[Nf + m], v);
    for (size_t i = 0; i < 3; i++) h[i * Nf + m] = v[i];
  }
}

void mx_film_field(const struct mx_skin_tables *tables, size_t k, const double *own, const double *far, double *E)
{
  const struct mx_problem *problem = tables->problem;
  const size_t Nf = (size_t)problem->ref->Nf, e = (size_t)problem->skin_face[k] / 4,
               f = (size_t)problem->skin_face[k] % 4;
  const double share = problem->flux[e][f].e_jump, *n = problem->normal[e][f];
  for (size_t m = 0; m < Nf; m++) {
    double v[3], t[2][3], to[3];
    for (size_t c = 0; c < 3; c++) v[c] = own[c * Nf + m] + share * (far[c * Nf + m] - own[c * Nf + m]);
    if (tables->curve[k] > 0) {
      edges_at(tables, tables->curve[k] - 1, f, m, t);
      from_along((const double(*)[3])t, dg_dot(t[0], v), dg_dot(t[1], v), to);
    } else {
      const double across = dg_dot(n, v);
      for (size_t c = 0; c < 3; c++) to[c] = v[c] - across * n[c];
    }
    for (size_t c = 0; c < 3; c++) E[c * Nf + m] = to[c];
  }
}

void mx_skin_current(const struct mx_skin_tables *tables, size_t k, const double *H, double *h)
{
  const struct mx_problem *problem = tables->problem;
  const size_t Nf = (size_t)problem->ref->Nf;
  const int32_t face = problem->skin_face[k];
  const double *n = problem->normal[face / 4][face % 4];
  if (tables->curve[k] > 0) {
    curved_current(tables, k, H, h);
    return;
  }
  for (size_t m = 0; m < Nf; m++)
    for (size_t c = 0; c < 3; c++) {
      const size_t a = (c + 1) % 3, b = (c + 2) % 3;
      h[c * Nf + m] = n[b] * H[a * Nf + m] - n[a] * H[b * Nf + m];
    }
}

/* The integral over a face of a curved element: the components along the edges, and the metric of the face. */
static double curved_product(const struct mx_skin_tables *tables, size_t k, const double *u, const double *v)
{
  const struct mx_curve_tables *curves = &tables->curves;
  const size_t Nf = (size_t)curves->ref->Nf, Nq = (size_t)curves->rule.face.points, c = tables->curve[k] - 1,
               f = (size_t)tables->problem->skin_face[k] % 4;
  double along[DG_NF_MAX][4] = {{0}}, sum = 0;
  for (size_t m = 0; m < Nf; m++) {
    double t[2][3];
    edges_at(tables, c, f, m, t);
    for (int i = 0; i < 2; i++) {
      along[m][i] = t[i][0] * u[m] + t[i][1] * u[Nf + m] + t[i][2] * u[2 * Nf + m];
      along[m][2 + i] = t[i][0] * v[m] + t[i][1] * v[Nf + m] + t[i][2] * v[2 * Nf + m];
    }
  }
  for (size_t q = 0; q < Nq; q++) {
    const double *at = curves->rule.face_at + q * Nf, *g = curves->face[(4 * c + f) * Nq + q];
    double w[4] = {0};
    for (size_t m = 0; m < Nf; m++)
      for (int i = 0; i < 4; i++) w[i] += at[m] * along[m][i];
    sum += 2 * curves->rule.face.weight[q] * (w[0] * (g[0] * w[2] + g[1] * w[3]) + w[1] * (g[1] * w[2] + g[2] * w[3]));
  }
  return mx_curve_sign(curves, c) * sum;
}

double mx_skin_product(const struct mx_skin_tables *tables, size_t k, const double *u, const double *v)
{
  const struct mx_problem *problem = tables->problem;
  const struct dg_reference *ref = problem->ref;
  const size_t Nf = (size_t)ref->Nf;
  const int32_t face = problem->skin_face[k];
  double sum = 0;
  if (tables->curve[k] > 0) return curved_product(tables, k, u, v);
  for (size_t i = 0; i < Nf; i++)
    for (size_t j = 0; j < Nf; j++)
      sum += ref->face_mass[i * Nf + j] * (u[i] * v[j] + u[Nf + i] * v[Nf + j] + u[2 * Nf + i] * v[2 * Nf + j]);
  return problem->face_scale[face / 4][face % 4] * problem->jacobian[face / 4] * sum;
}

void mx_skin_weigh(const struct mx_skin_tables *tables, size_t k, double *G)
{
  const struct mx_curve_tables *curves = &tables->curves;
  const size_t Nf = (size_t)curves->ref->Nf, Nq = (size_t)curves->rule.face.points, n = 2 * Nf,
               c = tables->curve[k] - 1, f = (size_t)tables->problem->skin_face[k] % 4;
  memset(G, 0, n * n * sizeof *G);
  for (size_t q = 0; q < Nq; q++) {
    const double *at = curves->rule.face_at + q * Nf, *g = curves->face[(4 * c + f) * Nq + q];
    const double weight = 2 * curves->rule.face.weight[q] * mx_curve_sign(curves, c);
    for (size_t m = 0; m < n; m++)
      for (size_t l = 0; l < n; l++) G[m * n + l] += weight * at[m % Nf] * g[m / Nf + l / Nf] * at[l % Nf];
  }
}

void mx_skin_mass(const struct mx_skin_tables *tables, size_t k, const double *u, double *v)
{
  const struct mx_problem *problem = tables->problem;
  const size_t Nf = (size_t)problem->ref->Nf;
  const int32_t face = problem->skin_face[k];
  const double factor = problem->face_scale[face / 4][face % 4] * problem->jacobian[face / 4];
  for (size_t i = 0; i < 3 * Nf; i++) {
    double one[3 * DG_NF_MAX] = {0};
    one[i] = 1;
    v[i] = 0;
    if (tables->curve[k] > 0) v[i] = curved_product(tables, k, one, u);
    for (size_t j = 0; j < Nf && tables->curve[k] == 0; j++)
      v[i] += factor * problem->ref->face_mass[i % Nf * Nf + j] * u[i / Nf * Nf + j];
  }
}

double mx_skin_squares(const struct mx_skin_tables *tables, size_t k, bool stored, const double *state,
                       const double *shift)
{
  const struct mx_skin *skin = mx_skin_of(tables->problem, k);
  const size_t n = 3 * (size_t)tables->problem->ref->Nf;
  double sum = 0;
  for (size_t q = 0; q < skin->poles; q++) {
    double u[3 * DG_NF_MAX] = {0};
    for (size_t i = 0; i < n; i++) u[i] = state[q * n + i] - (shift != NULL ? shift[i] : 0);
    sum += mx_skin_row(skin)->weight(skin, q, stored) * mx_skin_product(tables, k, u, u);
  }
  return sum;
}

double mx_sheet_products(const struct mx_skin_tables *tables, size_t k, bool stored, const double *own,
                         const double *far)
{
  const struct mx_skin *skin = mx_skin_of(tables->problem, k);
  const size_t n = 3 * (size_t)tables->problem->ref->Nf;
  double sum = 0;
  for (size_t q = 0; q < skin->poles; q++)
    if (skin->transfer[q] != 0)
      sum +=
          (stored ? 0.5 / skin->rate[q] : 1) * skin->transfer[q] * mx_skin_product(tables, k, own + q * n, far + q * n);
  return sum;
}
