/* Films (maxwell/terms/skins.h) on the host: their currents, which the equation of E finds. The file is part of the
 * bodies of `reference` and `cpu`, behind host_skins.h, which has their arrays. The file that includes it defines
 * NAME(far_vector)(state, field, e, f, m, v), the tangential part of the field beyond node m of a face, Cartesian. */

/* E* on face k. */
static void NAME(film_field)(const struct NAME(state) * state, size_t k, const REAL *field, double *E)
{
  const struct dg_reference *ref = state->problem->ref;
  const size_t Nf = (size_t)ref->Nf, e = (size_t)state->problem->skin_face[k] / 4,
               f = (size_t)state->problem->skin_face[k] % 4;
  double own[3 * DG_NF_MAX] = {0}, far[3 * DG_NF_MAX] = {0};
  for (size_t m = 0; m < Nf; m++) {
    double near[3], beyond[3];
    NAME(node_vector)(state, field, e, (size_t)ref->face_node[f * Nf + m], near);
    NAME(far_vector)(state, field, e, f, m, beyond);
    for (size_t c = 0; c < 3; c++) own[c * Nf + m] = near[c], far[c * Nf + m] = beyond[c];
  }
  mx_film_field(&state->skins->tables, k, own, far, E);
}

/* Leapfrog: takes J of face k from half a step before E to half a step behind it. */
static void NAME(film_step)(struct NAME(state) * state, size_t k, const double *E)
{
  struct NAME(skins) *skins = state->skins;
  const struct mx_skin *film = mx_skin_of(state->problem, k);
  const size_t n = 3 * (size_t)state->problem->ref->Nf;
  const double dt = state->options.step, c = 0.5 * dt * film->damping;
  double *now = skins->now + k * skins->width, *before = skins->before + k * skins->width;
  for (size_t i = 0; i < n; i++) {
    before[i] = now[i];
    now[i] = ((1 - c) * now[i] + dt * film->drude * E[i]) / (1 + c);
    skins->voltage[k * n + i] = (REAL)now[i];
  }
}

/* Runge-Kutta: J of stage s on face k, and its way through it. */
static void NAME(film_stage)(struct NAME(state) * state, size_t k, int s, const double *E)
{
  struct NAME(skins) *skins = state->skins;
  const struct mx_skin *film = mx_skin_of(state->problem, k);
  const size_t n = 3 * (size_t)state->problem->ref->Nf;
  const struct mx_step_rule rule = mx_step_rule_of(&state->schedule.pass[s], state->options.step);
  const double *currents = NAME(stage_currents)(state, s, k);
  for (size_t i = 0; i < n; i++) {
    const double current = currents[i];
    skins->voltage[k * n + i] = (REAL)current;
    NAME(take_current)(skins, rule, k * skins->width + i, film->drude * E[i] - film->damping * current);
  }
}

/* Takes the currents along in a pass of H (leapfrog) or in stage s, from E with its ghosts. */
static void NAME(pass_films)(struct NAME(state) * state, int s, const REAL *E)
{
  const bool staggered = mx_scheme_of(&state->options)->staggered;
  if (state->skins == NULL) return;
#pragma omp parallel for num_threads(state->threads) schedule(static)
  for (size_t k = 0; k < state->problem->skin_faces; k++) {
    double at_face[3 * DG_NF_MAX];
    if (!mx_skin_of(state->problem, k)->film) continue;
    NAME(film_field)(state, k, E, at_face);
    if (staggered) NAME(film_step)(state, k, at_face);
    else NAME(film_stage)(state, k, s, at_face);
  }
}
