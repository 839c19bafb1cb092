/* Resistive sheets of the `cpu` backend; part of fused_body.h, once for every precision. The kernels know only the
 * weights of their faces; what the sheet adds to the jumps (problem/flux.h) is lifted behind the pass, from the traces
 * of the own side and from the jump of H, which the ghosts give where the far side is another rank's. */

/* along[2] = the components along t1 and t2 of a field at node m of face f of the own side. */
static inline void NAME(near_along)(const struct NAME(state) * state, const REAL *field, size_t e, size_t f, size_t m,
                                    double along[2])
{
  const struct dg_reference *ref = state->problem->ref;
  const REAL *u = field + NAME(at)(state, e, 0, (size_t)ref->face_node[f * (size_t)ref->Nf + m]);
  const size_t next = NAME(at)(state, e, 1, 0) - NAME(at)(state, e, 0, 0);
  MX_ALONG(f, (double)u[0], (double)u[next], (double)u[2 * next], along);
}

/* The same of the far side. A ghost has its components side by side, as an element has. */
static inline void NAME(far_along)(const struct NAME(state) * state, const REAL *field, size_t e, size_t f, size_t m,
                                   double along[2])
{
  const struct mx_problem *problem = state->problem;
  const struct dg_reference *ref = problem->ref;
  along[0] = along[1] = 0;
  if (problem->neighbour[e][f] < 0) return; /* a part of a problem */
  const size_t other = (size_t)problem->neighbour[e][f] / 4, g = (size_t)problem->neighbour[e][f] % 4;
  if (other < problem->K) {
    NAME(near_along)(state, field, other, g, m, along);
    return;
  }
  const size_t node = (size_t)ref->face_node[g * (size_t)ref->Nf + m];
  const REAL *u = field + NAME(ghost)(state, other - problem->K) * state->row + 3 * node;
  MX_ALONG(g, (double)u[0], (double)u[1], (double)u[2], along);
}

/* Computes what the sheet adds to the jump of the field that a half step is about to change, and keeps what the next
 * one extrapolates: E of the own side, or the jump of H. */
static void NAME(remember_sheet)(struct NAME(state) * state, int equation, size_t e, size_t f, size_t slot)
{
  const size_t Nf = (size_t)state->problem->ref->Nf;
  const double sheet = state->problem->sheet[e][f];
  for (size_t m = 0; m < Nf; m++) {
    REAL *before[3], kept[3];
    double now[2], ago[2];
    for (size_t c = 0; c < 3; c++) before[c] = NAME(before_at)(state, equation, slot, m, c);
    MX_ALONG(f, (double)*before[0], (double)*before[1], (double)*before[2], ago);
    NAME(near_along)(state, state->field[equation], e, f, m, now);
    if (equation == 1) {
      double far[2];
      NAME(far_along)(state, state->field[equation], e, f, m, far);
      for (int i = 0; i < 2; i++) now[i] = far[i] - now[i];
    }
    for (size_t i = 0; i < 2; i++) {
      const double added = equation == 0 ? -sheet * (1.5 * now[i] - 0.5 * ago[i]) : 0.5 * (now[i] - ago[i]);
      state->open[(slot * 2 + i) * Nf + m] = (REAL)added;
    }
    MX_WITH_ALONG(f, (REAL)now[0], (REAL)now[1], kept);
    for (size_t c = 0; c < 3; c++) *before[c] = kept[c];
  }
}

/* Adds it to the next values, behind the half step; that of H with what the sheet takes of [E]. */
static void NAME(add_sheet)(struct NAME(state) * state, int equation, size_t e, size_t f, size_t slot)
{
  const size_t Nf = (size_t)state->problem->ref->Nf;
  double own[2 * DG_NF_MAX], other[2 * DG_NF_MAX];
  for (size_t m = 0; m < Nf; m++) {
    double E[2];
    NAME(near_along)(state, state->field[0], e, f, m, E);
    for (size_t i = 0; i < 2; i++) {
      own[i * Nf + m] = (double)state->open[(slot * 2 + i) * Nf + m];
      other[i * Nf + m] = -state->problem->sheet[e][f] * E[i];
    }
  }
  NAME(lift_face)(state, equation, e, f, equation == 1 ? other : NULL, own, state->field[equation], NULL, 0);
}

/* Adds what sheets give to the rates of a stage of Runge-Kutta, from E of the stage. */
static void NAME(stage_sheets)(struct NAME(state) * state, const REAL *E, bool update, double b)
{
  const struct mx_problem *problem = state->problem;
  const size_t Nf = (size_t)problem->ref->Nf;
  if (problem->sheet_faces == 0) return;
#pragma omp parallel for num_threads(state->threads) schedule(static)
  for (size_t k = 0; k < state->open_elements; k++)
    for (size_t f = 0; f < 4; f++) {
      const size_t e = (size_t)state->open_element[k];
      double jump[2 * DG_NF_MAX], none[2 * DG_NF_MAX] = {0};
      if (problem->sheet[e][f] == 0) continue;
      for (size_t m = 0; m < Nf; m++) {
        double along[2];
        NAME(near_along)(state, E, e, f, m, along);
        for (size_t i = 0; i < 2; i++) jump[i * Nf + m] = -problem->sheet[e][f] * along[i];
      }
      for (int i = 0; i < 2; i++) NAME(lift_face)
      (state, i, e, f, i == 0 ? NULL : jump, i == 0 ? jump : none, state->registers[i], update ? state->spare[i] : NULL,
       b);
    }
}

/* ---- films */

/* t1 and t2 of face f of element e at its node m. */
static inline void NAME(edges)(const struct NAME(state) * state, size_t e, size_t f, size_t m, double t[2][3])
{
  const struct dg_reference *ref = state->problem->ref;
  double own[9], x[3][3];
  (void)mx_frame_tangents(NAME(node_metric)(state, e, (size_t)ref->face_node[f * (size_t)ref->Nf + m], own), x);
  for (int b = 0; b < 3; b++) {
    double pair[2];
    MX_ALONG(f, x[0][b], x[1][b], x[2][b], pair);
    t[0][b] = pair[0];
    t[1][b] = pair[1];
  }
}

static inline void NAME(far_vector)(const struct NAME(state) * state, const REAL *field, size_t e, size_t f, size_t m,
                                    double v[3])
{
  double along[2], t[2][3];
  NAME(far_along)(state, field, e, f, m, along);
  NAME(edges)(state, e, f, m, t);
  const double a = dg_dot(t[0], t[0]), b = dg_dot(t[0], t[1]), d = dg_dot(t[1], t[1]), det = a * d - b * b,
               p = (d * along[0] - b * along[1]) / det, q = (a * along[1] - b * along[0]) / det;
  for (int i = 0; i < 3; i++) v[i] = p * t[0][i] + q * t[1][i];
}

#include "maxwell/terms/host_films.h"

/* Takes the currents of films from E behind its pass: to += lifted, also += b lifted (may be NULL). Faces of an element
 * follow each other in the list, and one thread has them all. */
static void NAME(add_films)(struct NAME(state) * state, REAL *to, REAL *also, double b)
{
  const struct mx_problem *problem = state->problem;
  const size_t Nf = (size_t)problem->ref->Nf;
  if (state->skins == NULL) return;
#pragma omp parallel for num_threads(state->threads) schedule(static)
  for (size_t first = 0; first < problem->skin_faces; first++) {
    const int32_t e = problem->skin_face[first] / 4;
    if (first > 0 && problem->skin_face[first - 1] / 4 == e) continue;
    for (size_t k = first; k < problem->skin_faces && problem->skin_face[k] / 4 == e; k++) {
      const size_t f = (size_t)problem->skin_face[k] % 4;
      const REAL *J = state->skins->voltage + 3 * Nf * k;
      double own[2 * DG_NF_MAX];
      if (!mx_skin_of(problem, k)->film) continue;
      for (size_t m = 0; m < Nf; m++) {
        double t[2][3];
        NAME(edges)(state, (size_t)e, f, m, t);
        for (size_t i = 0; i < 2; i++)
          own[i * Nf + m] = -mx_film_factor(problem, k) *
                            (t[i][0] * (double)J[m] + t[i][1] * (double)J[Nf + m] + t[i][2] * (double)J[2 * Nf + m]);
      }
      NAME(lift_face)(state, 0, (size_t)e, f, NULL, own, to, also, b);
    }
  }
}
