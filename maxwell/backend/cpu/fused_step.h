/* Initial fields, and stages in two halves: one before and one behind the traces of other ranks. Part of fused_body.h,
 * once for every precision. */

static void NAME(swap)(REAL **a, REAL **b)
{
  REAL *c = *a;
  *a = *b;
  *b = c;
}

/* The kernels of a pass over a set of elements: exactly one of the two is given. */
struct NAME(pass) {
  int set;
  const struct mx_fused_half *half;   /* half a step of leapfrog, or */
  const struct mx_fused_stage *stage; /* a stage of another scheme */
};

static void NAME(work)(const struct NAME(state) * state, const struct NAME(pass) * pass, bool curved, size_t first,
                       size_t last)
{
  const struct mx_fused_order *kernels = state->kernels->order[state->fused.order];
  if (pass->half != NULL) (curved ? kernels->curved_half : kernels->half)(&state->fused, pass->half, first, last);
  else (curved ? kernels->curved_stage : kernels->stage)(&state->fused, pass->stage, first, last);
}

/* Runs a pass on the inner blocks of its set or on the outer ones, with all threads. The thread that speaks to other
 * ranks looks after its messages now and then, since nothing else makes long ones proceed. */
static void NAME(run)(const struct NAME(state) * state, const struct NAME(pass) * pass, enum mx_rim rim)
{
  enum { PIECES = 32 };
#pragma omp parallel num_threads(state->threads)
  for (int curved = 0; curved < 2; curved++) {
    const struct mx_set *over = &state->over[pass->set][curved];
    const size_t first = over->first[rim], last = over->end[rim];
    size_t begin, end;
    if (first == last) continue;
    mx_fused_share(last - first, &begin, &end);
    begin += first, end += first;
    size_t piece = state->exchange != NULL && omp_get_thread_num() == 0 ? (end - begin) / PIECES + 1 : end - begin;
    for (; begin + piece < end; begin += piece) {
      NAME(work)(state, pass, curved != 0, begin, begin + piece);
      (void)dg_exchange_progress(state->exchange);
    }
    NAME(work)(state, pass, curved != 0, begin, end);
  }
}

/* The cost of the kernels of a pass. */
static struct mx_cost NAME(pass_cost)(const struct NAME(state) * state, int equations, double arrays)
{
  const struct mx_cost all = mx_cost_pass(state->problem, sizeof(REAL), equations, arrays);
  const int p = state->fused.order;
  const struct mx_cost curved = mx_cost_curves(state->problem, sizeof(REAL), equations, MX_POINTS(p),
                                               state->curves.face != NULL ? MX_FACE_POINTS(p) : 0);
  return (struct mx_cost){.bytes = all.bytes + curved.bytes, .flops = all.flops + curved.flops};
}

/* Has a set blocks that need the traces of other ranks? */
static bool NAME(any_outer)(const struct NAME(state) * state, int set)
{
  const struct mx_set *over = state->over[set];
  return over[0].first[MX_OUTER] < over[0].end[MX_OUTER] || over[1].first[MX_OUTER] < over[1].end[MX_OUTER];
}

/* Half a step of leapfrog: the part before the traces of other ranks come (`begin`), or the part behind. */
static int NAME(half_step)(struct NAME(state) * state, const struct mx_pass *of, bool begin, struct dg_error *err)
{
  const int equation = mx_pass_equation(of);
  struct mx_profile *profile = state->profile;
  const bool in_place = state->in_place && !(equation == 1 && state->observed); /* what is observed needs the old H */
  const struct mx_fused_half half = {.equation = equation,
                                     .own = state->field[equation],
                                     .other = state->field[1 - equation],
                                     .result = in_place ? state->field[equation] : state->spare[0]};
  const struct NAME(pass) pass = {.set = of->set, .half = &half};
  const char *name = equation == 0 ? "fused half step E" : "fused half step H";
  if (begin) {
    if (NAME(send_traces)(state, &state->field[1 - equation], err) != 0) return err->code;
    if (NAME(before_pass)(state, (enum mx_equation)equation, 0, state->field, err) != 0) return err->code;
    struct mx_mark mark = mx_phase_begin(profile);
    NAME(run)(state, &pass, MX_INNER);
    mx_phase_end(profile, mark, name, NAME(pass_cost)(state, 1, 3));
    return 0;
  }
  if (NAME(receive_traces)(state, &state->field[1 - equation], err) != 0) return err->code;
  if (NAME(any_outer)(state, of->set)) {
    struct mx_mark mark = mx_phase_begin(profile);
    NAME(run)(state, &pass, MX_OUTER);
    /* The cost is counted with the interior. */
    mx_phase_end(profile, mark, name, (struct mx_cost){0, 0});
  }
  if (!in_place) NAME(swap)(&state->field[equation], &state->spare[0]);
  const struct NAME(lift) lift = {.field = state->field, .to = state->field[equation]};
  NAME(lift_terms)(state, (enum mx_equation)equation, &lift);
  NAME(after_step)(state, (enum mx_equation)equation, state->field[equation]);
  return 0;
}

/* register = a register + dt rate, and, with low storage, spare = field + b register: sums follow behind the pass. */
static int NAME(runge_kutta)(struct NAME(state) * state, int s, bool begin, struct dg_error *err)
{
  const struct mx_pass *of = &state->schedule.pass[s];
  const bool update = of->keeps == MX_LOW_STORAGE;
  const double b = of->b;
  REAL *const *field = of->from == MX_STAGE ? state->spare : state->field;
  const struct mx_fused_stage stage = {
      .a = of->a,
      .b = b,
      .field = {field[0], field[1]},
      .registers = {state->registers[0], state->registers[1]},
      .result = {update ? state->spare[0] : NULL, update ? state->spare[1] : NULL},
  };
  const struct NAME(pass) pass = {.set = of->set, .stage = &stage};
  const struct mx_cost cost = NAME(pass_cost)(state, 2, update ? 8 : 6);
  if (begin) {
    if (NAME(send_traces)(state, field, err) != 0) return err->code;
    if (NAME(before_pass)(state, MX_FARADAY, s, field, err) != 0) return err->code;
    struct mx_mark mark = mx_phase_begin(state->profile);
    NAME(run)(state, &pass, MX_INNER);
    mx_phase_end(state->profile, mark, "fused stage E, H", cost);
    return 0;
  }
  if (NAME(receive_traces)(state, field, err) != 0) return err->code;
  if (NAME(any_outer)(state, of->set)) {
    struct mx_mark mark = mx_phase_begin(state->profile);
    NAME(run)(state, &pass, MX_OUTER);
    /* The cost is counted with the interior. */
    mx_phase_end(state->profile, mark, "fused stage E, H", (struct mx_cost){0, 0});
  }
  for (int i = 0; i < 2; i++) {
    const struct NAME(lift)
        lift = {.stage = s, .field = field, .to = state->registers[i], .also = update ? state->spare[i] : NULL, .b = b};
    NAME(lift_terms)(state, (enum mx_equation)i, &lift);
  }
  struct NAME(response_stage) responses = NAME(stage_of)(state, s);
  for (int i = 0; i < 2; i++) {
    responses.field[i] = field[i];
    responses.to[i] = state->registers[i];
    responses.also[i] = update ? state->spare[i] : NULL;
  }
  responses.scale = (REAL)state->options.step;
  responses.also_by = (REAL)b;
  NAME(after_rates)(state, &responses);
  return 0;
}

/* Adds to the sums, behind the rates of a pass with sums. field is the start of the step, spare the stage, and sum
 * becomes the end of the step. */
static void NAME(add_sums)(struct NAME(state) * state, int s)
{
  const struct mx_step_rule rule = mx_step_rule_of(&state->schedule.pass[s], 1); /* changes have the step */
  for (int i = 0; i < 2; i++) {
    REAL *start = state->field[i], *stage = state->spare[i], *sum = state->sum[i], *change = state->registers[i];
    struct mx_mark mark = mx_phase_begin(state->profile);
#pragma omp parallel for simd num_threads(state->threads) schedule(static) firstprivate(rule)
    for (size_t k = 0; k < state->numbers; k++) NAME(mx_sums)(rule, change[k], &start[k], &sum[k], &stage[k]);
    mx_phase_end(state->profile, mark, "sums", mx_cost_update(state->problem, sizeof(REAL), rule.last ? 6 : 5, 4));
  }
}

/* Begins a pass (the part that needs no other rank) or ends it. */
static int NAME(stage)(struct NAME(state) * state, int s, bool begin, struct dg_error *err)
{
  const struct mx_pass *pass = &state->schedule.pass[s];
  if (pass->keeps == MX_NO_REGISTER) return NAME(half_step)(state, pass, begin, err);
  if (NAME(runge_kutta)(state, s, begin, err) != 0) return err->code;
  if (begin) return 0;
  if (pass->keeps == MX_SUMS) NAME(add_sums)(state, s);
  else
    for (int i = 0; i < 2; i++) NAME(swap)(&state->field[i], &state->spare[i]);
  state->within = pass->to == MX_STAGE;
  return 0;
}

static int NAME(stage_begin)(struct NAME(state) * state, int s, bool observe, const struct mx_stage_sources *sources,
                             struct dg_error *err)
{
  state->sources = sources;
  state->observed = s == 0 && observe;
  return NAME(stage)(state, s, true, err);
}

static int NAME(stage_end)(struct NAME(state) * state, int s, struct dg_error *err)
{
  return NAME(stage)(state, s, false, err);
}

/* Takes the present values on an open face for those of one step ago. */
static void NAME(keep_open)(struct NAME(state) * state, int equation, size_t e, size_t f, size_t slot)
{
  for (size_t m = 0; m < (size_t)state->problem->ref->Nf; m++)
    for (size_t c = 0; c < 3; c++)
      *NAME(before_at)(state, equation, slot, m, c) = NAME(now_at)(state, equation, e, f, m, c);
}

static int NAME(upload)(struct NAME(state) * state, const double *E, const double *H, struct dg_error *err)
{
  static const struct mx_pass of_H = {.changes = {false, true}};
  const struct mx_problem *problem = state->problem;
  size_t Np = (size_t)problem->ref->Np;
  const double *from[2] = {E, H};
#pragma omp parallel for num_threads(state->threads) schedule(static)
  for (size_t e = 0; e < problem->K; e++) {
    const bool curved = NAME(is_curved)(state, e);
    double x[3][3], at_node[9];
    const double scale[2] = {mx_update_of(problem, &state->options, MX_AMPERE, e).start,
                             mx_update_of(problem, &state->options, MX_FARADAY, e).start};
    (void)mx_frame_tangents(problem->metric[e], x);
    for (size_t i = 0; i < Np; i++) {
      if (curved) (void)mx_frame_tangents(NAME(node_metric)(state, e, i, at_node), x);
      for (int field = 0; field < 2; field++)
        for (size_t a = 0; a < 3; a++) {
          double value = 0;
          for (size_t c = 0; from[field] != NULL && c < 3; c++) value += x[a][c] * from[field][(3 * e + c) * Np + i];
          state->field[field][NAME(at)(state, e, a, i)] = (REAL)(scale[field] * value);
        }
    }
  }
  NAME(start_terms)(state, state->field);
  state->observed = false;
  state->sources = NULL; /* up to t = 0 every waveform is zero */
  if (!mx_scheme_of(&state->options)->staggered) return 0;
  /* Take H half a step back: one Euler step of that length costs an error of order dt^2, once. The step is observed, so
   * that spare is H and field is H + dt rate. The penalty needs the neighbours' H as well, first at t = 0, then half a
   * step before. */
  state->observed = state->starting = true;
  if (NAME(send_traces)(state, &state->field[1], err) != 0 || NAME(receive_traces)(state, &state->field[1], err) != 0)
    return err->code;
  for (int field = 0; field < 2; field++) NAME(on_open)(state, field, NAME(keep_open), NAME(remember_sheet));
  if (NAME(half_step)(state, &of_H, true, err) != 0 || NAME(half_step)(state, &of_H, false, err) != 0) return err->code;
  state->observed = state->starting = false;
  REAL *after = state->field[1], *start = state->spare[0];
#pragma omp parallel for num_threads(state->threads) schedule(static)
  for (size_t e = 0; e < problem->K; e++) {
    const REAL back = (REAL)mx_update_of(problem, &state->options, MX_FARADAY, e).back;
    for (size_t i = 0; i < Np; i++)
      for (size_t a = 0; a < 3; a++) {
        size_t at = NAME(at)(state, e, a, i);
        after[at] = start[at] - back * (after[at] - start[at]);
      }
  }
  NAME(start_terms_back)(state, state->field[1]);
  if (NAME(send_traces)(state, &state->field[1], err) != 0 || NAME(receive_traces)(state, &state->field[1], err) != 0)
    return err->code;
  NAME(on_open)(state, 1, NAME(keep_open), NAME(remember_sheet));
  return 0;
}

/* The cost of the other ranks so far. */
static struct mx_halo_use NAME(halo_use)(const struct NAME(state) * state)
{
  if (state->exchange == NULL) return (struct mx_halo_use){0};
  size_t a_time = (size_t)state->travelling * 2 * (size_t)state->problem->ref->Nf * sizeof(REAL);
  return (struct mx_halo_use){.seconds = state->halo_seconds,
                              .bytes = a_time * state->problem->halo->faces * (size_t)state->schedule.passes};
}
