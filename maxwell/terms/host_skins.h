/* Metal walls and sheets (maxwell/terms/skins.h) on the host, before the pass of H: the currents of the skin with
 * their registers, and the field -V that the pass finds beyond the face. The file is part of the bodies of `reference`
 * and `cpu`, once for every precision. The file that includes it defines REAL, NAME(x), NAME(node_vector)(state, field,
 * e, i, v), a field at node i of element e in Cartesian components, and NAME(kept_vector)(state, e, f, m, v), that of
 * the kept trace of H. Its state has `problem`, `options`, `threads`, `profile` and `skins`.
 *
 * Currents are double in both precisions: what passes a sheet is left where currents cancel. */

struct NAME(skins) {
  struct mx_skin_tables tables;
  size_t width;                /* numbers of a face: poles * 3 * Nf */
  double *now;                 /* [skin_faces][poles][3][Nf] currents between steps, Cartesian */
  double *before;              /* leapfrog: those of one step ago */
  double *registers;           /* Runge-Kutta: of low storage */
  double *stage, *sum;         /* with sums: as those of responses (host_responses.h) */
  REAL *voltage;               /* [skin_faces][3][Nf] V of the stage; of films J */
  struct mx_sheet_links links; /* between the two faces of a sheet */
};

static void NAME(free_skins)(struct NAME(skins) * skins)
{
  if (skins == NULL) return;
  double *arrays[] = {skins->now, skins->before, skins->registers, skins->stage, skins->sum};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) dg_free(arrays[i]);
  dg_free(skins->voltage);
  mx_sheet_links_release(&skins->links);
  mx_skin_tables_release(&skins->tables);
  dg_free(skins);
}

static int NAME(new_skins)(struct NAME(state) * state, struct dg_error *err)
{
  const struct mx_problem *problem = state->problem;
  const struct mx_scheme *scheme = mx_scheme_of(&state->options);
  const size_t trace = 3 * (size_t)problem->ref->Nf;
  if (problem->skin_faces == 0 && !mx_any_sheet(problem)) return 0; /* other ranks may have both faces of a sheet */
  if (DG_NEW(state->skins, 1, err) != 0) return err->code;
  struct NAME(skins) *skins = state->skins;
  skins->width = mx_skin_poles(problem) * trace;
  const size_t all = problem->skin_faces * skins->width;
  if (mx_skin_tables_init(&skins->tables, problem, err) != 0 ||
      mx_sheet_links_init(&skins->links, problem, skins->width, err) != 0 || DG_NEW(skins->now, all, err) != 0 ||
      DG_NEW(skins->voltage, problem->skin_faces * trace, err) != 0 ||
      (scheme->staggered && DG_NEW(skins->before, all, err) != 0) ||
      (!scheme->staggered && !scheme->sums && DG_NEW(skins->registers, all, err) != 0) ||
      (scheme->sums && (DG_NEW(skins->stage, all, err) != 0 || DG_NEW(skins->sum, all, err) != 0)))
    return err->code;
  return 0;
}

/* At t = 0 no current flows. */
static void NAME(start_skins)(struct NAME(state) * state)
{
  struct NAME(skins) *skins = state->skins;
  if (skins == NULL) return;
  const size_t faces = state->problem->skin_faces, all = faces * skins->width * sizeof *skins->now;
  memset(skins->now, 0, all);
  if (skins->before != NULL) memset(skins->before, 0, all);
  if (skins->registers != NULL) memset(skins->registers, 0, all);
  memset(skins->voltage, 0, faces * 3 * (size_t)state->problem->ref->Nf * sizeof(REAL));
  mx_sheet_links_clear(&skins->links);
}

/* h[3][Nf] on face k: of the field, or of 3/2 field less 1/2 of its kept trace. */
static void NAME(skin_current)(const struct NAME(state) * state, size_t k, const REAL *field, bool extrapolate,
                               double *h)
{
  const struct dg_reference *ref = state->problem->ref;
  const size_t Nf = (size_t)ref->Nf, e = (size_t)state->problem->skin_face[k] / 4,
               f = (size_t)state->problem->skin_face[k] % 4;
  double H[3 * DG_NF_MAX] = {0};
  for (size_t m = 0; m < Nf; m++) {
    double now[3], ago[3] = {0, 0, 0};
    NAME(node_vector)(state, field, e, (size_t)ref->face_node[f * Nf + m], now);
    if (extrapolate) NAME(kept_vector)(state, e, f, m, ago);
    for (size_t c = 0; c < 3; c++) H[c * Nf + m] = extrapolate ? 1.5 * now[c] - 0.5 * ago[c] : now[c];
  }
  mx_skin_current(&state->skins->tables, k, H, h);
}

/* Leapfrog: takes the currents of face k a step further, by means of old and new. */
static void NAME(skin_step)(struct NAME(state) * state, size_t k, const REAL *H)
{
  struct NAME(skins) *skins = state->skins;
  const struct mx_skin *skin = mx_skin_of(state->problem, k);
  const size_t n = 3 * (size_t)state->problem->ref->Nf;
  double h[3 * DG_NF_MAX];
  NAME(skin_current)(state, k, H, true, h);
  for (size_t q = 0; q < skin->poles; q++) {
    const double c = 0.5 * state->options.step * skin->rate[q];
    double *now = skins->now + k * skins->width + q * n, *before = skins->before + k * skins->width + q * n;
    for (size_t i = 0; i < n; i++) {
      before[i] = now[i];
      now[i] = 2 * (now[i] + c * h[i]) / (1 + c) - now[i];
    }
  }
}

/* Runge-Kutta: the currents of face k in stage s, and how one of them goes on with this rate. */
static const double *NAME(stage_currents)(const struct NAME(state) * state, int s, size_t k)
{
  const struct NAME(skins) *skins = state->skins;
  return (state->schedule.pass[s].from == MX_STAGE ? skins->stage : skins->now) + k * skins->width;
}

static void NAME(take_current)(struct NAME(skins) * skins, struct mx_step_rule rule, size_t at, double rate)
{
  if (rule.sums) mx_sums_double(rule, rate, &skins->now[at], &skins->sum[at], &skins->stage[at]);
  else mx_low_storage_double(rule, rule.step * rate, &skins->now[at], &skins->registers[at]);
}

/* Runge-Kutta: the currents' way through stage s on face k. */
static void NAME(skin_stage)(struct NAME(state) * state, size_t k, int s, const REAL *H)
{
  const struct mx_skin *skin = mx_skin_of(state->problem, k);
  const size_t n = 3 * (size_t)state->problem->ref->Nf, first = k * state->skins->width;
  const double *current = NAME(stage_currents)(state, s, k);
  const struct mx_step_rule rule = mx_step_rule_of(&state->schedule.pass[s], state->options.step);
  double h[3 * DG_NF_MAX];
  NAME(skin_current)(state, k, H, false, h);
  for (size_t q = 0; q < skin->poles; q++)
    for (size_t i = 0; i < n; i++)
      NAME(take_current)(state->skins, rule, first + q * n + i, skin->rate[q] * (h[i] - current[q * n + i]));
}

/* The currents of face k, in leapfrog the mean of old and new: as they are observed, and as V takes them.
 * currents[poles][3][Nf]. */
static void NAME(observed_skin)(const struct NAME(state) * state, size_t k, double *currents)
{
  const struct NAME(skins) *skins = state->skins;
  for (size_t i = 0; i < skins->width; i++) {
    const double now = skins->now[k * skins->width + i];
    currents[i] = skins->before == NULL ? now : 0.5 * (now + skins->before[k * skins->width + i]);
  }
}

/* V of face k by its own currents and, on a sheet, by those of the other face (NULL: there is none in this part). */
static void NAME(skin_voltage)(struct NAME(state) * state, size_t k, const double *own, const double *far)
{
  const struct mx_skin *skin = mx_skin_of(state->problem, k);
  const size_t n = 3 * (size_t)state->problem->ref->Nf;
  double V[3 * DG_NF_MAX] = {0};
  for (size_t q = 0; q < skin->poles; q++)
    for (size_t i = 0; i < n; i++)
      V[i] += skin->resistance[q] * own[q * n + i] + (far != NULL ? skin->transfer[q] * far[q * n + i] : 0);
  for (size_t i = 0; i < n; i++) state->skins->voltage[k * n + i] = (REAL)V[i];
}

/* V of a pass of H (leapfrog, behind the currents' step) or of stage s (before it) on face k. */
static void NAME(find_voltage)(struct NAME(state) * state, size_t k, int s)
{
  const struct NAME(skins) *skins = state->skins;
  const bool staggered = mx_scheme_of(&state->options)->staggered;
  const ptrdiff_t beyond = skins->links.far[k];
  double mean[2][MX_SKIN_POLES * 3 * DG_NF_MAX];
  const double *own = staggered ? mean[0] : NAME(stage_currents)(state, s, k), *far = NULL;
  if (staggered) NAME(observed_skin)(state, k, mean[0]);
  if (beyond < 0) far = mx_sheet_links_received(&skins->links, k);
  else if (!staggered) far = NAME(stage_currents)(state, s, (size_t)beyond);
  else {
    NAME(observed_skin)(state, (size_t)beyond, mean[1]);
    far = mean[1];
  }
  NAME(skin_voltage)(state, k, own, far);
}

/* Sends the currents of sheets to the ranks that have the other face: in leapfrog means, in Runge-Kutta those of the
 * next stage, or of the next step behind the last one. */
static int NAME(exchange_skins)(struct NAME(state) * state, int s, struct dg_error *err)
{
  struct mx_sheet_links *links = &state->skins->links;
  const bool within = state->schedule.pass[s].to == MX_STAGE;
  for (size_t i = 0; i < links->sent; i++) {
    double *to = mx_sheet_links_to_send(links, i);
    if (within) memcpy(to, NAME(stage_currents)(state, s + 1, links->send[i]), links->width * sizeof *to);
    else NAME(observed_skin)(state, links->send[i], to);
  }
  return mx_sheet_links_exchange(links, err);
}

/* Gives V of a pass of H (leapfrog) or of stage s, from H as it is before that, and takes the currents along. */
static int NAME(pass_skins)(struct NAME(state) * state, int s, const REAL *H, struct dg_error *err)
{
  const bool staggered = mx_scheme_of(&state->options)->staggered;
  const size_t faces = state->problem->skin_faces;
  if (state->skins == NULL) return 0;
  struct mx_mark mark = mx_phase_begin(state->profile);
  for (int part = 0; part < 2; part++) {
    const bool step = staggered == (part == 0);
#pragma omp parallel for num_threads(state->threads) schedule(static)
    for (size_t k = 0; k < faces; k++) {
      if (mx_skin_of(state->problem, k)->film) continue;
      if (!step) NAME(find_voltage)(state, k, s);
      else if (staggered) NAME(skin_step)(state, k, H);
      else NAME(skin_stage)(state, k, s, H);
    }
    if (step && NAME(exchange_skins)(state, s, err) != 0) return err->code;
  }
  mx_phase_end(state->profile, mark, "metal walls", (struct mx_cost){0, 0});
  return 0;
}

/* Behind the loading of currents: the other faces' of sheets. */
static int NAME(loaded_skins)(struct NAME(state) * state, struct dg_error *err)
{
  /* Leapfrog sends before it uses them. */
  if (state->skins == NULL || mx_scheme_of(&state->options)->staggered) return 0;
  return NAME(exchange_skins)(state, state->schedule.passes - 1, err);
}

/* What the film on face k stores in leapfrog: the product of J before and behind, as that of H (time/medium.h). */
static double NAME(film_energy)(const struct NAME(state) * state, size_t k)
{
  const struct NAME(skins) *skins = state->skins;
  const size_t n = 3 * (size_t)state->problem->ref->Nf;
  double u[4][3 * DG_NF_MAX] = {{0}}, S[4];
  for (size_t i = 0; i < n; i++) {
    u[0][i] = skins->now[k * skins->width + i];
    u[1][i] = skins->before[k * skins->width + i];
    u[2][i] = 0.5 * (u[0][i] + u[1][i]);
    u[3][i] = 0.5 * (u[0][i] - u[1][i]);
  }
  for (int i = 0; i < 4; i++) S[i] = mx_skin_squares(&skins->tables, k, true, u[i], NULL);
  return S[2] - S[3] - 0.25 * state->options.step * mx_skin_of(state->problem, k)->damping * (S[0] - S[1]);
}

/* What face k of a sheet stores together with the currents of the other face: its half of it. */
static double NAME(sheet_energy)(const struct NAME(state) * state, size_t k, const double *currents)
{
  const ptrdiff_t beyond = state->skins->links.far[k];
  double theirs[MX_SKIN_POLES * 3 * DG_NF_MAX];
  const double *far = mx_sheet_links_received(&state->skins->links, k);
  if (beyond >= 0) {
    NAME(observed_skin)(state, (size_t)beyond, theirs);
    far = theirs;
  }
  return far != NULL ? mx_sheet_products(&state->skins->tables, k, true, currents, far) : 0;
}

/* What all walls, sheets and films store. */
static double NAME(skin_energy)(const struct NAME(state) * state)
{
  double sum = 0;
  for (size_t k = 0; k < state->problem->skin_faces; k++) {
    double currents[MX_SKIN_POLES * 3 * DG_NF_MAX];
    if (state->skins->before != NULL && mx_skin_of(state->problem, k)->film) {
      sum += NAME(film_energy)(state, k);
      continue;
    }
    NAME(observed_skin)(state, k, currents);
    sum += mx_skin_squares(&state->skins->tables, k, true, currents, NULL) + NAME(sheet_energy)(state, k, currents);
  }
  return sum;
}

/* Copies the currents of faces first..first + count - 1 to `to` or, if that is NULL, from `from`. Returns false if the
 * array is another one. */
static bool NAME(skin_array)(struct NAME(state) * state, int array, size_t first, size_t count, double *to,
                             const double *from)
{
  const struct mx_state_array of = mx_state_array(state->problem, state->options.integrator, (size_t)array);
  if (of.list != MX_STATE_OF_SKINS) return false;
  const size_t width = mx_state_width(&of);
  for (size_t i = 0; i < count * width && state->problem->skin_faces > 0; i++) {
    double *now = &state->skins->now[first * width + i];
    if (to != NULL) to[i] = *now;
    else *now = from[i];
  }
  return true;
}
