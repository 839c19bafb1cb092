/* Faces in the `cpu` backend: open ones, resistive sheets, and walls with a state. Part of fused_body.h, once for every
 * precision. The kernels know only the weights of their faces. What an open face extrapolates and what a sheet adds to
 * the jumps (problem/flux.h) is lifted after the pass, from the traces of the own side and from the jump of H, which
 * the ghosts give where the far side is another rank's. */

#include "maxwell/terms/host/host_open.h"

static const REAL *NAME(value_of_skins)(const struct NAME(state) * state);

/* ---- the extrapolation on open faces */

/* Component c at node m of open face f of element e, now and one step ago. */
static inline REAL NAME(now_at)(const struct NAME(state) * state, int equation, size_t e, size_t f, size_t m, size_t c)
{
  const struct dg_reference *ref = state->problem->ref;
  return state->field[equation][NAME(at)(state, e, c, (size_t)ref->face_node[f * (size_t)ref->Nf + m])];
}

static inline REAL *NAME(before_at)(const struct NAME(state) * state, int equation, size_t slot, size_t m, size_t c)
{
  return &state->before[equation][(slot * 3 + c) * (size_t)state->problem->ref->Nf + m];
}

/* Computes what the extrapolated 1.5 u - 0.5 u_before adds to -u on the open face f of element e, before a half step
 * changes u, and keeps u as the next u_before. `slot` is the number of the face among open faces. */
static void NAME(remember_open)(struct NAME(state) * state, int equation, size_t e, size_t f, size_t slot)
{
  size_t Nf = (size_t)state->problem->ref->Nf;
  for (size_t m = 0; m < Nf; m++) {
    double d[3], pair[2];
    for (size_t c = 0; c < 3; c++) {
      const REAL now = NAME(now_at)(state, equation, e, f, m, c);
      REAL *before = NAME(before_at)(state, equation, slot, m, c);
      d[c] = -0.5 * ((double)now - (double)*before);
      *before = now;
    }
    MX_ALONG(f, d[0], d[1], d[2], pair);
    state->open[(slot * 2) * Nf + m] = (REAL)pair[0];
    state->open[(slot * 2 + 1) * Nf + m] = (REAL)pair[1];
  }
}

/* -V beyond face f of element e, along t1 and t2. Returns false where there is no metal wall. */
static bool NAME(beyond_skin)(const struct NAME(state) * state, size_t e, size_t f, double *beyond)
{
  const struct dg_reference *ref = state->problem->ref;
  const size_t Nf = (size_t)ref->Nf;
  const ptrdiff_t k = mx_skin_slot(state->problem, e, (int)f);
  if (k < 0 || !mx_skin_is_wall(mx_skin_of(state->problem, (size_t)k))) return false;
  for (size_t m = 0; m < Nf; m++) {
    const REAL *V = NAME(value_of_skins)(state) + 3 * Nf * (size_t)k + m;
    double own[9], x[3][3], u[3], along[2];
    (void)mx_frame_tangents(NAME(node_metric)(state, e, (size_t)ref->face_node[f * Nf + m], own), x);
    for (size_t a = 0; a < 3; a++)
      u[a] = -(x[a][0] * (double)V[0] + x[a][1] * (double)V[Nf] + x[a][2] * (double)V[2 * Nf]);
    MX_ALONG(f, u[0], u[1], u[2], along);
    beyond[m] = along[0];
    beyond[Nf + m] = along[1];
  }
  return true;
}

/* Adds it to the next values, behind the half step. */
static void NAME(add_open)(struct NAME(state) * state, int equation, size_t e, size_t f, size_t slot)
{
  size_t Nf = (size_t)state->problem->ref->Nf;
  double own[2 * DG_NF_MAX], beyond[2 * DG_NF_MAX];
  for (size_t m = 0; m < 2 * Nf; m++) own[m] = (double)state->open[slot * 2 * Nf + m];
  const bool metal = equation == 1 && NAME(beyond_skin)(state, e, f, beyond);
  NAME(lift_face)(state, equation, e, f, metal ? beyond : NULL, own, state->field[equation], NULL, 0);
}

/* ---- resistive sheets */

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

/* Adds what resistive sheets give to the rates of a stage of Runge-Kutta, from E of the stage. */
static void NAME(stage_sheets)(struct NAME(state) * state, enum mx_equation equation, const struct NAME(lift) * lift)
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
        NAME(near_along)(state, lift->field[0], e, f, m, along);
        for (size_t i = 0; i < 2; i++) jump[i * Nf + m] = -problem->sheet[e][f] * along[i];
      }
      const bool ampere = equation == MX_AMPERE;
      NAME(lift_face)
      (state, (int)equation, e, f, ampere ? NULL : jump, ampere ? jump : none, lift->to, lift->also, lift->b);
    }
}

/* Calls one of these for all kept faces. One thread has all those of an element. */
static void NAME(on_open)(struct NAME(state) * state, int equation,
                          void (*open)(struct NAME(state) *, int, size_t, size_t, size_t),
                          void (*sheet)(struct NAME(state) *, int, size_t, size_t, size_t))
{
  const struct mx_problem *problem = state->problem;
  if (mx_kept_faces(problem) == 0) return;
#pragma omp parallel for num_threads(state->threads) schedule(static)
  for (size_t k = 0; k < state->open_elements; k++)
    for (size_t f = 0; f < 4; f++) {
      const size_t e = (size_t)state->open_element[k];
      const ptrdiff_t slot = mx_kept_slot(problem, e, (int)f);
      if (slot >= 0) (problem->sheet[e][f] == 0 ? open : sheet)(state, equation, e, f, (size_t)slot);
    }
}

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

static int NAME(before_open)(struct NAME(state) * state, enum mx_equation equation, int s, REAL *const field[2],
                             struct dg_error *err)
{
  (void)s, (void)field;
  if (!mx_scheme_of(&state->options)->staggered || mx_kept_faces(state->problem) == 0) return err->code;
  struct mx_mark mark = mx_phase_begin(state->profile);
  NAME(on_open)(state, (int)equation, NAME(remember_open), NAME(remember_sheet));
  mx_phase_end(state->profile, mark, "open faces", (struct mx_cost){0, 0});
  return 0;
}

static void NAME(lift_open)(struct NAME(state) * state, enum mx_equation equation, const struct NAME(lift) * lift)
{
  if (!mx_scheme_of(&state->options)->staggered) NAME(stage_sheets)(state, equation, lift);
  else if (mx_kept_faces(state->problem) > 0) {
    struct mx_mark mark = mx_phase_begin(state->profile);
    NAME(on_open)(state, (int)equation, NAME(add_open), NAME(add_sheet));
    mx_phase_end(state->profile, mark, "open faces", mx_cost_open(state->problem, sizeof(REAL)));
  }
}

static const struct NAME(term) NAME(open_term) = {
    .before = NAME(before_open), .lift = NAME(lift_open), .list = MX_STATE_OF_FACES, .copy = NAME(copy_open)};

/* ---- walls with a state */

/* Adds -V beyond a wall, or takes J of a film. In leapfrog walls come with their open face. */
static void NAME(lift_skin)(struct NAME(state) * state, size_t k, const REAL *J, const struct NAME(lift) * lift)
{
  const struct mx_problem *problem = state->problem;
  const size_t Nf = (size_t)problem->ref->Nf, e = (size_t)problem->skin_face[k] / 4,
               f = (size_t)problem->skin_face[k] % 4;
  double beyond[2 * DG_NF_MAX], own[2 * DG_NF_MAX] = {0};
  if (NAME(beyond_skin)(state, e, f, beyond)) {
    if (!mx_scheme_of(&state->options)->staggered)
      NAME(lift_face)(state, 1, e, f, beyond, own, lift->to, lift->also, lift->b);
    return;
  }
  for (size_t m = 0; m < Nf; m++) {
    double t[2][3];
    NAME(edges)(state, e, f, m, t);
    for (size_t i = 0; i < 2; i++)
      own[i * Nf + m] = -mx_film_factor(problem, k) *
                        (t[i][0] * (double)J[m] + t[i][1] * (double)J[Nf + m] + t[i][2] * (double)J[2 * Nf + m]);
  }
  NAME(lift_face)(state, 0, e, f, NULL, own, lift->to, lift->also, lift->b);
}
