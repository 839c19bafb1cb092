/* Walls with a state (skins.h) on the host: their currents with their registers, and the value that the pass takes of
 * them, V beyond a wall or J of a film. The file is part of the bodies of `reference` and `cpu`, once for every
 * precision. The file that includes it defines REAL, NAME(x), NAME(node_vector)(state, field, e, i, v), a field at node
 * i of element e in Cartesian components, NAME(kept_vector)(state, e, f, m, v), that of the kept trace of H,
 * NAME(far_vector)(state, field, e, f, m, v), the tangential part of the field beyond node m of a face, and
 * NAME(lift_skin)(state, k, value, lift), which adds what the pass takes of face k. Its state has `problem`, `options`,
 * `threads`, `profile`, `starting` and `own` (host_row.h).
 *
 * Currents are double in both precisions: what passes a sheet is left where currents cancel. */

struct NAME(skins) {
  struct mx_skin_tables tables;
  size_t width;                /* numbers of a face: poles * 3 * Nf */
  double *now;                 /* [skin_faces][poles][3][Nf] currents between steps, Cartesian */
  double *before;              /* leapfrog: those of one step ago */
  double *registers;           /* Runge-Kutta: of low storage */
  double *stage, *sum;         /* with sums: as those of responses (host_responses.h) */
  REAL *value;                 /* [skin_faces][3][Nf] V or J of the stage */
  struct mx_sheet_links links; /* between the two faces of a sheet */
};

static inline struct NAME(skins) * NAME(skins_of)(const struct NAME(state) * state)
{
  return state->own[MX_TERMS_skins];
}

static inline const REAL *NAME(value_of_skins)(const struct NAME(state) * state)
{
  return NAME(skins_of)(state)->value;
}

static void NAME(free_skins)(struct NAME(state) * state)
{
  struct NAME(skins) *skins = NAME(skins_of)(state);
  if (skins == NULL) return;
  double *arrays[] = {skins->now, skins->before, skins->registers, skins->stage, skins->sum};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) dg_free(arrays[i]);
  dg_free(skins->value);
  mx_sheet_links_release(&skins->links);
  mx_skin_tables_release(&skins->tables);
  dg_free(skins);
}

static int NAME(new_skins)(struct NAME(state) * state, struct dg_error *err)
{
  const struct mx_problem *problem = state->problem;
  const struct mx_scheme *scheme = mx_scheme_of(&state->options);
  const size_t trace = 3 * (size_t)problem->ref->Nf;
  struct NAME(skins) * skins;
  if (problem->skin_faces == 0 && !mx_any_sheet(problem)) return 0; /* other ranks may have both faces of a sheet */
  if (DG_NEW(skins, 1, err) != 0) return err->code;
  state->own[MX_TERMS_skins] = skins;
  skins->width = mx_skin_poles(problem) * trace;
  const size_t all = problem->skin_faces * skins->width;
  if (mx_skin_tables_init(&skins->tables, problem, err) != 0 ||
      mx_sheet_links_init(&skins->links, problem, skins->width, err) != 0 || DG_NEW(skins->now, all, err) != 0 ||
      DG_NEW(skins->value, problem->skin_faces * trace, err) != 0 ||
      (scheme->staggered && DG_NEW(skins->before, all, err) != 0) ||
      (!scheme->staggered && !scheme->sums && DG_NEW(skins->registers, all, err) != 0) ||
      (scheme->sums && (DG_NEW(skins->stage, all, err) != 0 || DG_NEW(skins->sum, all, err) != 0)))
    return err->code;
  return 0;
}

/* At t = 0 no current flows. */
static void NAME(start_skins)(struct NAME(state) * state, REAL *const field[2])
{
  (void)field;
  struct NAME(skins) *skins = NAME(skins_of)(state);
  if (skins == NULL) return;
  const size_t faces = state->problem->skin_faces, all = faces * skins->width * sizeof *skins->now;
  memset(skins->now, 0, all);
  if (skins->before != NULL) memset(skins->before, 0, all);
  if (skins->registers != NULL) memset(skins->registers, 0, all);
  memset(skins->value, 0, faces * 3 * (size_t)state->problem->ref->Nf * sizeof(REAL));
  mx_sheet_links_clear(&skins->links);
}

/* h[3][Nf] on face k: of H, or of 3/2 H less 1/2 of its kept trace. */
static void NAME(skin_current)(const struct NAME(state) * state, size_t k, const REAL *field, double *h)
{
  const struct dg_reference *ref = state->problem->ref;
  const bool extrapolate = mx_scheme_of(&state->options)->staggered;
  const size_t Nf = (size_t)ref->Nf, e = (size_t)state->problem->skin_face[k] / 4,
               f = (size_t)state->problem->skin_face[k] % 4;
  double H[3 * DG_NF_MAX] = {0};
  for (size_t m = 0; m < Nf; m++) {
    double now[3], ago[3] = {0, 0, 0};
    NAME(node_vector)(state, field, e, (size_t)ref->face_node[f * Nf + m], now);
    if (extrapolate) NAME(kept_vector)(state, e, f, m, ago);
    for (size_t c = 0; c < 3; c++) H[c * Nf + m] = extrapolate ? 1.5 * now[c] - 0.5 * ago[c] : now[c];
  }
  mx_skin_current(&NAME(skins_of)(state)->tables, k, H, h);
}

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
  mx_film_field(&NAME(skins_of)(state)->tables, k, own, far, E);
}

/* Leapfrog: takes the currents of face k a step further. */
static void NAME(skin_step)(struct NAME(state) * state, size_t k, const double *drive)
{
  struct NAME(skins) *skins = NAME(skins_of)(state);
  const struct mx_skin *skin = mx_skin_of(state->problem, k);
  const size_t n = 3 * (size_t)state->problem->ref->Nf;
  for (size_t q = 0; q < skin->poles; q++) {
    double *now = skins->now + k * skins->width + q * n;
    memcpy(skins->before + k * skins->width + q * n, now, n * sizeof *now);
    mx_skin_row(skin)->step(skin, q, state->options.step, n, drive, now);
  }
}

/* Runge-Kutta: the currents of face k in stage s, and how one of them goes on with this rate. */
static const double *NAME(stage_currents)(const struct NAME(state) * state, int s, size_t k)
{
  const struct NAME(skins) *skins = NAME(skins_of)(state);
  return (state->schedule.pass[s].from == MX_STAGE ? skins->stage : skins->now) + k * skins->width;
}

static void NAME(take_current)(struct NAME(skins) * skins, struct mx_step_rule rule, size_t at, double rate)
{
  if (rule.sums) mx_sums_double(rule, rate, &skins->now[at], &skins->sum[at], &skins->stage[at]);
  else mx_low_storage_double(rule, rule.step * rate, &skins->now[at], &skins->registers[at]);
}

/* Runge-Kutta: the currents' way through stage s on face k. */
static void NAME(skin_stage)(struct NAME(state) * state, size_t k, int s, const double *drive)
{
  const struct mx_skin *skin = mx_skin_of(state->problem, k);
  const size_t n = 3 * (size_t)state->problem->ref->Nf, first = k * NAME(skins_of)(state)->width;
  const double *current = NAME(stage_currents)(state, s, k);
  const struct mx_step_rule rule = mx_step_rule_of(&state->schedule.pass[s], state->options.step);
  double rate[3 * DG_NF_MAX];
  for (size_t q = 0; q < skin->poles; q++) {
    mx_skin_row(skin)->rate(skin, q, n, drive, current + q * n, rate);
    for (size_t i = 0; i < n; i++) NAME(take_current)(NAME(skins_of)(state), rule, first + q * n + i, rate[i]);
  }
}

/* The currents of face k, in leapfrog the mean of old and new: as they are observed, and as V takes them.
 * currents[poles][3][Nf]. */
static void NAME(observed_skin)(const struct NAME(state) * state, size_t k, double *currents)
{
  const struct NAME(skins) *skins = NAME(skins_of)(state);
  for (size_t i = 0; i < skins->width; i++) {
    const double now = skins->now[k * skins->width + i];
    currents[i] = skins->before == NULL ? now : 0.5 * (now + skins->before[k * skins->width + i]);
  }
}

/* The value of a pass in leapfrog, after the currents' step, or of stage s, before it, on face k. */
static void NAME(find_value)(struct NAME(state) * state, size_t k, int s)
{
  struct NAME(skins) *skins = NAME(skins_of)(state);
  const struct mx_skin *skin = mx_skin_of(state->problem, k);
  const size_t n = 3 * (size_t)state->problem->ref->Nf;
  const bool staggered = mx_scheme_of(&state->options)->staggered, means = staggered && mx_skin_is_wall(skin);
  const ptrdiff_t beyond = skins->links.far[k];
  double mean[2][MX_SKIN_POLES * 3 * DG_NF_MAX], value[3 * DG_NF_MAX] = {0};
  const double *own = NAME(stage_currents)(state, staggered ? 0 : s, k), *far = NULL;
  if (means) {
    NAME(observed_skin)(state, k, mean[0]);
    own = mean[0];
  }
  if (beyond < 0) far = mx_sheet_links_received(&skins->links, k);
  else if (!staggered) far = NAME(stage_currents)(state, s, (size_t)beyond);
  else {
    NAME(observed_skin)(state, (size_t)beyond, mean[1]);
    far = mean[1];
  }
  mx_skin_row(skin)->value(skin, n, own, far, value);
  for (size_t i = 0; i < n; i++) skins->value[k * n + i] = (REAL)value[i];
}

/* Sends the currents of sheets to the ranks that have the other face: in leapfrog means, in Runge-Kutta those of the
 * next stage, or of the next step after the last one. */
static int NAME(exchange_skins)(struct NAME(state) * state, int s, struct dg_error *err)
{
  struct mx_sheet_links *links = &NAME(skins_of)(state)->links;
  const bool within = state->schedule.pass[s].to == MX_STAGE;
  for (size_t i = 0; i < links->sent; i++) {
    double *to = mx_sheet_links_to_send(links, i);
    if (within) memcpy(to, NAME(stage_currents)(state, s + 1, links->send[i]), links->width * sizeof *to);
    else NAME(observed_skin)(state, links->send[i], to);
  }
  return mx_sheet_links_exchange(links, err);
}

/* Finds the values of a pass or a stage on walls, or on films, and takes their currents along. `field` is H before the
 * pass that changes it, or E with its ghosts. */
static int NAME(pass_skins)(struct NAME(state) * state, bool walls, int s, const REAL *field, struct dg_error *err)
{
  const bool staggered = mx_scheme_of(&state->options)->staggered;
  const size_t faces = state->problem->skin_faces;
  struct mx_mark mark = mx_phase_begin(state->profile);
  for (int part = 0; part < 2; part++) {
    const bool step = staggered == (part == 0);
#pragma omp parallel for num_threads(state->threads) schedule(static)
    for (size_t k = 0; k < faces; k++) {
      double drive[3 * DG_NF_MAX];
      if (mx_skin_is_wall(mx_skin_of(state->problem, k)) != walls) continue;
      if (!step) {
        NAME(find_value)(state, k, s);
        continue;
      }
      (walls ? NAME(skin_current) : NAME(film_field))(state, k, field, drive);
      if (staggered) NAME(skin_step)(state, k, drive);
      else NAME(skin_stage)(state, k, s, drive);
    }
    if (step && walls && NAME(exchange_skins)(state, s, err) != 0) return err->code;
  }
  mx_phase_end(state->profile, mark, "metal walls", (struct mx_cost){0, 0});
  return 0;
}

/* Walls go on before the pass of H, from H as it is before that. */
static int NAME(before_skins)(struct NAME(state) * state, enum mx_equation equation, int s, REAL *const field[2],
                              struct dg_error *err)
{
  if (NAME(skins_of)(state) == NULL || state->starting || equation != MX_FARADAY) return 0;
  return NAME(pass_skins)(state, true, s, field[1], err);
}

/* Films go on once E of both sides is there: in leapfrog with the pass of H, which leaves E alone. Faces of an element
 * follow each other in the list, and one thread has them all. */
static void NAME(lift_skins)(struct NAME(state) * state, enum mx_equation equation, const struct NAME(lift) * lift)
{
  const struct mx_problem *problem = state->problem;
  const bool staggered = mx_scheme_of(&state->options)->staggered;
  struct NAME(skins) *skins = NAME(skins_of)(state);
  struct dg_error none = {0};
  if (skins == NULL) return;
  if (!state->starting && equation == (staggered ? MX_FARADAY : MX_AMPERE))
    (void)!NAME(pass_skins)(state, false, lift->stage, lift->field[0], &none); /* only walls of metal can fail */
#pragma omp parallel for num_threads(state->threads) schedule(static)
  for (size_t first = 0; first < problem->skin_faces; first++) {
    const int32_t e = problem->skin_face[first] / 4;
    if (first > 0 && problem->skin_face[first - 1] / 4 == e) continue;
    for (size_t k = first; k < problem->skin_faces && problem->skin_face[k] / 4 == e; k++)
      if (mx_skin_row(mx_skin_of(problem, k))->equation == equation)
        NAME(lift_skin)(state, k, skins->value + 3 * (size_t)problem->ref->Nf * k, lift);
  }
}

/* After the loading of currents: the other faces' of sheets. */
static int NAME(loaded_skins)(struct NAME(state) * state, struct dg_error *err)
{
  /* Leapfrog sends before it uses them. */
  if (NAME(skins_of)(state) == NULL || mx_scheme_of(&state->options)->staggered) return 0;
  return NAME(exchange_skins)(state, state->schedule.passes - 1, err);
}

/* The energy of the film on face k in leapfrog: the product of J before and after, as that of H (time/medium.h). */
static double NAME(film_energy)(const struct NAME(state) * state, size_t k)
{
  const struct NAME(skins) *skins = NAME(skins_of)(state);
  const size_t n = 3 * (size_t)state->problem->ref->Nf;
  double u[4][3 * DG_NF_MAX] = {{0}}, S[4], number[2];
  for (size_t i = 0; i < n; i++) {
    u[0][i] = skins->now[k * skins->width + i];
    u[1][i] = skins->before[k * skins->width + i];
    u[2][i] = 0.5 * (u[0][i] + u[1][i]);
    u[3][i] = 0.5 * (u[0][i] - u[1][i]);
  }
  for (int i = 0; i < 4; i++) S[i] = mx_skin_squares(&skins->tables, k, true, u[i], NULL);
  mx_skin_numbers(mx_skin_of(state->problem, k), 0, 0, number);
  return S[2] - S[3] - 0.25 * state->options.step * number[1] * (S[0] - S[1]);
}

/* The energy that face k of a sheet has together with the currents of the other face: its half of it. */
static double NAME(sheet_energy)(const struct NAME(state) * state, size_t k, const double *currents)
{
  const struct NAME(skins) *skins = NAME(skins_of)(state);
  const ptrdiff_t beyond = skins->links.far[k];
  double theirs[MX_SKIN_POLES * 3 * DG_NF_MAX];
  const double *far = mx_sheet_links_received(&skins->links, k);
  if (beyond >= 0) {
    NAME(observed_skin)(state, (size_t)beyond, theirs);
    far = theirs;
  }
  return far != NULL ? mx_sheet_products(&skins->tables, k, true, currents, far) : 0;
}

/* Adds the energy of all faces to that of H. */
static void NAME(energy_of_skins)(const struct NAME(state) * state, double energy[2])
{
  const struct NAME(skins) *skins = NAME(skins_of)(state);
  double sum = 0;
  if (skins == NULL) return;
  for (size_t k = 0; k < state->problem->skin_faces; k++) {
    double currents[MX_SKIN_POLES * 3 * DG_NF_MAX];
    if (skins->before != NULL && !mx_skin_is_wall(mx_skin_of(state->problem, k))) {
      sum += NAME(film_energy)(state, k);
      continue;
    }
    NAME(observed_skin)(state, k, currents);
    sum += mx_skin_squares(&skins->tables, k, true, currents, NULL) + NAME(sheet_energy)(state, k, currents);
  }
  energy[1] += sum;
}

/* Copies the currents of faces first..first + count - 1 to `to` or, if that is NULL, from `from`. */
static void NAME(copy_skins)(struct NAME(state) * state, const struct mx_state_array *of, size_t first, size_t count,
                             double *to, const double *from)
{
  const size_t width = mx_state_width(of), bytes = count * width * sizeof(double);
  if (state->problem->skin_faces == 0) return;
  double *now = NAME(skins_of)(state)->now + first * width;
  if (to != NULL) memcpy(to, now, bytes);
  else memcpy(now, from, bytes);
}

static const struct NAME(term) NAME(skins_term) = {
    .create = NAME(new_skins),
    .destroy = NAME(free_skins),
    .start = NAME(start_skins),
    .before = NAME(before_skins),
    .lift = NAME(lift_skins),
    .energy = NAME(energy_of_skins),
    .list = MX_STATE_OF_SKINS,
    .copy = NAME(copy_skins),
    .loaded = NAME(loaded_skins),
};
