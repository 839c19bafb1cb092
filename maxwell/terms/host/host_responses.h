/* Responses (maxwell/response/response.h) on the host, after the pass: states with their registers, and their update
 * in a stage. The file is part of the bodies of `reference` and `cpu`, once for every precision. The file that includes
 * it includes maxwell/backend/layers/layer_rule.h and defines REAL, NAME(x), MX_ROOT(x), NAME(at)(state, e, c, i), the
 * place in a field of component c at node i of element e, and NAME(frame)(problem, e, gradient, tangent), which gives
 * the frame of its components (maxwell/backend/frame/frame.h), or false where they are Cartesian. Its state has
 * `problem`, `options`, `threads`, `profile` and `own`, and it defines
 * NAME(energy_of_responses)(state, energy), with its integrals.
 *
 * A state is [count][states][3][places], in the components of the backend's fields, at the nodes or, in layers, at the
 * points of the rule (host_layers.h). */

#define MX_POINT static inline
#include "maxwell/response/points.h"
#undef MX_POINT

static void NAME(free_layer_rule)(struct mx_layer_rule *rule);
static int NAME(new_layer_rule)(struct mx_layer_rule **result, const struct NAME(state) * state, struct dg_error *err);

struct NAME(response) {
  REAL *coefficient;          /* [count][coefficients of the kind] */
  struct mx_layer_rule *rule; /* layers: the same of all of them, owned by the first */
  REAL *now;                  /* the state between steps; the members below are Runge-Kutta's registers */
  REAL *registers;            /* of low storage */
  REAL *stage, *sum; /* with sums: the state of the stage, and the sum that becomes the state of the next step */
};

static inline struct NAME(response) * NAME(responses_of)(const struct NAME(state) * state)
{
  return state->own[MX_TERMS_responses];
}

static void NAME(energy_of_responses)(const struct NAME(state) * state, double energy[2]);

static size_t NAME(response_numbers)(const struct mx_problem *problem, const struct mx_response *response)
{
  return response->count * (size_t)mx_responses[response->kind]->states * 3 *
         mx_response_places(problem, response->kind);
}

static void NAME(free_responses)(struct NAME(state) * state)
{
  struct NAME(response) *list = NAME(responses_of)(state);
  struct mx_layer_rule *rule = NULL;
  for (size_t r = 0; list != NULL && r < state->problem->responses; r++) {
    void *arrays[] = {list[r].coefficient, list[r].now, list[r].registers, list[r].stage, list[r].sum};
    if (rule == NULL) rule = list[r].rule;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) dg_free(arrays[i]);
  }
  NAME(free_layer_rule)(rule);
  dg_free(list);
}

static int NAME(new_response)(struct NAME(response) * own, const struct mx_problem *problem,
                              const struct mx_response *response, const struct mx_backend_options *options,
                              struct dg_error *err)
{
  const size_t numbers = NAME(response_numbers)(problem, response);
  const struct mx_scheme *scheme = mx_scheme_of(options);
  const struct mx_response_ops *ops = mx_responses[response->kind];
  const bool sums = scheme->sums, low = !sums && !scheme->staggered;
  if (DG_NEW(own->coefficient, response->count * (size_t)ops->coefficients, err) != 0 ||
      DG_NEW(own->now, numbers, err) != 0 || (low && DG_NEW(own->registers, numbers, err) != 0) ||
      (sums && DG_NEW(own->stage, numbers, err) != 0) || (sums && DG_NEW(own->sum, numbers, err) != 0))
    return err->code;
  for (size_t k = 0; k < response->count; k++) {
    double coefficient[MX_RESPONSE_COEFFICIENTS], gradient[3][3], tangent[3][3];
    (void)mx_response_prepare(problem, response, k, options->integrator, options->step, coefficient);
    if (ops->turn != NULL && NAME(frame)(problem, (size_t)response->where[k], gradient, tangent))
      ops->turn((const double(*)[3])gradient, (const double(*)[3])tangent, coefficient);
    for (size_t i = 0; i < (size_t)ops->coefficients; i++)
      own->coefficient[k * (size_t)ops->coefficients + i] = (REAL)coefficient[i];
  }
  return 0;
}

/* Behind everything that says where the state's fields have their numbers. */
static int NAME(new_responses)(struct NAME(state) * state, struct dg_error *err)
{
  const struct mx_problem *problem = state->problem;
  if (problem->responses == 0) return 0;
  struct NAME(response) * list;
  if (DG_NEW(list, problem->responses, err) != 0) return err->code;
  state->own[MX_TERMS_responses] = list;
  struct mx_layer_rule *rule = NULL;
  for (size_t r = 0; r < problem->responses; r++) {
    if (NAME(new_response)(&list[r], problem, &problem->response[r], &state->options, err) != 0) return err->code;
    if (!mx_responses[problem->response[r].kind]->layer) continue;
    if (rule == NULL && NAME(new_layer_rule)(&rule, state, err) != 0) {
      NAME(free_layer_rule)(rule);
      return err->code;
    }
    list[r].rule = rule;
  }
  return 0;
}

static inline struct mx_response_entry NAME(entry_of)(const struct NAME(state) * state,
                                                      const struct mx_response *response, size_t k)
{
  double coefficient[MX_RESPONSE_COEFFICIENTS];
  return mx_response_prepare(state->problem, response, k, state->options.integrator, state->options.step, coefficient);
}

/* The place in an element's row, of a field or of a state of poles, of component c at node i. */
static inline size_t NAME(place)(const struct NAME(state) * state, size_t c, size_t i)
{
  return NAME(at)(state, 0, c, i) - NAME(at)(state, 0, 0, 0);
}

/* Sets the states at t = 0 from the uploaded fields. */
static void NAME(start_responses)(struct NAME(state) * state, REAL *const fields[2])
{
  const struct mx_problem *problem = state->problem;
  const size_t Np = (size_t)problem->ref->Np;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const REAL *field = fields[response->of];
    struct NAME(response) *own = &NAME(responses_of)(state)[r];
    const struct mx_response_ops *ops = mx_responses[response->kind];
    const size_t states = (size_t)ops->states;
    if (ops->layer) memset(own->now, 0, NAME(response_numbers)(problem, response) * sizeof(REAL));
    if (own->registers != NULL) memset(own->registers, 0, NAME(response_numbers)(problem, response) * sizeof(REAL));
    for (size_t k = 0; k < response->count && !ops->layer; k++) {
      const struct mx_response_entry entry = NAME(entry_of)(state, response, k);
      for (size_t q = 0; q < states; q++)
        for (size_t c = 0; c < 3; c++)
          for (size_t i = 0; i < Np; i++)
            own->now[(k * states + q) * 3 * Np + NAME(place)(state, c, i)] =
                (REAL)entry.start[q] * field[NAME(at)(state, (size_t)response->where[k], c, i)];
    }
  }
}

/* Makes a stage without the fields that responses read and add to. */
static struct NAME(response_stage) NAME(stage_of)(const struct NAME(state) * state, int s)
{
  return (struct NAME(response_stage)){.rule = mx_step_rule_of(&state->schedule.pass[s], state->options.step)};
}

/* The states of which a stage takes the rates. */
static inline const REAL *NAME(stage_states)(const struct NAME(response) * own,
                                             const struct NAME(response_stage) * stage)
{
  return stage->rule.sums && !stage->rule.first ? own->stage : own->now;
}

/* Takes a number of a state along in a stage; ds is its rate. */
static inline __attribute__((always_inline)) void NAME(state_stage)(const struct NAME(response) * own,
                                                                    struct mx_step_rule rule, size_t k, REAL ds)
{
  if (own->registers == NULL) NAME(mx_sums)(rule, ds, &own->now[k], &own->sum[k], &own->stage[k]);
  else NAME(mx_low_storage)(rule, (REAL)rule.step * ds, &own->now[k], &own->registers[k]);
}

/* Adds du, a response's part of the rate of a number of a field. */
static inline __attribute__((always_inline)) void NAME(field_stage)(const struct NAME(response_stage) * stage,
                                                                    int field, size_t at, REAL du)
{
  stage->to[field][at] += stage->scale * du;
  if (stage->also[field] != NULL) stage->also[field][at] += stage->also_by * (stage->scale * du);
}

/* The numbers of an element's field stand together, in the same order as those of its states. */
static inline __attribute__((always_inline)) void NAME(pole_stage)(const struct NAME(state) * state,
                                                                   enum mx_response_kind kind, size_t states, int of,
                                                                   size_t e, const REAL *c, size_t first,
                                                                   const struct NAME(response) * own,
                                                                   const struct NAME(response_stage) * stage)
{
  const size_t numbers = 3 * (size_t)state->problem->ref->Np, row = NAME(at)(state, e, 0, 0);
  const REAL *from = NAME(stage_states)(own, stage);
  const struct mx_step_rule rule = stage->rule; /* a copy, which the loop does not write to */
  for (size_t i = 0; i < numbers; i++) {
    REAL s[MX_POLE_STATES] = {0}, ds[MX_POLE_STATES] = {0}, du = 0;
    for (size_t q = 0; q < states; q++) s[q] = from[first + q * numbers + i];
    NAME(mx_point_rate)(kind, c, s, stage->field[of][row + i], ds, &du);
    NAME(field_stage)(stage, of, row + i, du);
    for (size_t q = 0; q < states; q++) NAME(state_stage)(own, rule, first + q * numbers + i, ds[q]);
  }
}

/* The vectors of an entry's states at node i: s[states][3]. */
static inline void NAME(states_at)(const struct NAME(state) * state, size_t states, const REAL *from, size_t i,
                                   REAL (*s)[3])
{
  const size_t Np = (size_t)state->problem->ref->Np;
  for (size_t q = 0; q < states; q++)
    for (size_t c = 0; c < 3; c++) s[q][c] = from[3 * q * Np + NAME(place)(state, c, i)];
}

/* Steps the states and the field of an entry, whose kind acts on vectors; or sets its start. */
static void NAME(vector_step)(const struct NAME(state) * state, enum mx_response_kind kind, const REAL *coefficient,
                              bool start, REAL *now, REAL *field)
{
  const size_t Np = (size_t)state->problem->ref->Np, states = (size_t)mx_responses[kind]->states;
  for (size_t i = 0; i < Np; i++) {
    REAL s[MX_RESPONSE_STATES][3] = {{0}}, u[3] = {0};
    NAME(states_at)(state, states, now, i, s);
    for (size_t c = 0; c < 3; c++) u[c] = field[NAME(place)(state, c, i)];
    if (start) NAME(mx_vector_start)(kind, coefficient, s, u);
    else NAME(mx_vector_step)(kind, coefficient, s, u);
    for (size_t c = 0; c < 3; c++) {
      field[NAME(place)(state, c, i)] = u[c];
      for (size_t q = 0; q < states; q++) now[3 * q * Np + NAME(place)(state, c, i)] = s[q][c];
    }
  }
}

static void NAME(vector_stage)(const struct NAME(state) * state, enum mx_response_kind kind, size_t moving, int of,
                               size_t e, const REAL *c, size_t first, const struct NAME(response) * own,
                               const struct NAME(response_stage) * stage)
{
  const size_t Np = (size_t)state->problem->ref->Np;
  const size_t row = NAME(at)(state, e, 0, 0);
  const REAL *from = NAME(stage_states)(own, stage) + first;
  const struct mx_step_rule rule = stage->rule;
  for (size_t i = 0; i < Np; i++) {
    REAL s[MX_RESPONSE_STATES][3] = {{0}}, ds[MX_RESPONSE_STATES][3] = {{0}}, u[3] = {0}, du[3] = {0};
    NAME(states_at)(state, moving, from, i, s);
    for (size_t a = 0; a < 3; a++) u[a] = stage->field[of][row + NAME(place)(state, a, i)];
    NAME(mx_vector_rate)(kind, c, s, u, ds, du);
    for (size_t a = 0; a < 3; a++) {
      const size_t at = NAME(place)(state, a, i);
      NAME(field_stage)(stage, of, row + at, du[a]);
      for (size_t q = 0; q < moving; q++) NAME(state_stage)(own, rule, first + 3 * q * Np + at, ds[q][a]);
    }
  }
}

#include "maxwell/terms/host/host_layers.h"

/* Steps entry k of a response behind a step of field `of`, 0: E, 1: H. */
static inline void NAME(entry_step)(const struct NAME(state) * state, const struct mx_response *response,
                                    const struct NAME(response) * own, size_t k, int of, REAL *field)
{
  const struct mx_response_ops *ops = mx_responses[response->kind];
  const size_t numbers = 3 * mx_response_places(state->problem, response->kind), e = (size_t)response->where[k];
  const REAL *c = own->coefficient + k * (size_t)ops->coefficients;
  REAL *now = own->now + (k * (size_t)ops->states + (of == 1 && ops->layer ? (size_t)ops->of_E : 0)) * numbers;
  REAL *at = field + NAME(at)(state, e, 0, 0);
  if (ops->layer) NAME(layer_kernels)(state)->step(response->kind, own->rule, of, c, now, at);
  else if (ops->vector) NAME(vector_step)(state, response->kind, c, false, now, at);
  else NAME(layer_kernels)(state)->poles(response->kind, numbers, c, now, at);
}

static inline void NAME(entry_stage)(const struct NAME(state) * state, const struct mx_response *response,
                                     const struct NAME(response) * own, size_t k,
                                     const struct NAME(response_stage) * stage)
{
  const struct mx_response_ops *ops = mx_responses[response->kind];
  const size_t numbers = 3 * mx_response_places(state->problem, response->kind), e = (size_t)response->where[k];
  const size_t of_E = (size_t)ops->of_E, of_H = (size_t)ops->states - of_E;
  const REAL *c = own->coefficient + k * (size_t)ops->coefficients;
  const size_t first = k * (size_t)ops->states * numbers;
  switch (response->kind) {
#define CASE(KIND, PREFIX, STATES)                                                                                     \
  case KIND:                                                                                                           \
    NAME(pole_stage)(state, KIND, STATES, response->of, e, c, first, own, stage);                                      \
    break;
    MX_POLE_LIST(CASE)
#undef CASE
#define CASE(KIND, PREFIX, STATES, MOVING)                                                                             \
  case KIND:                                                                                                           \
    NAME(vector_stage)(state, KIND, MOVING, response->of, e, c, first, own, stage);                                    \
    break;
    MX_VECTOR_LIST(CASE)
#undef CASE
  default:
    NAME(layer_stage)(state, response->kind, 0, e, c, first, of_E * numbers, own, stage);
    NAME(layer_stage)(state, response->kind, 1, e, c, first + of_E * numbers, of_H * numbers, own, stage);
  }
}

/* Sets the vectors that answer H, which leapfrog has half a step before t = 0. */
static void NAME(start_vectors)(struct NAME(state) * state, REAL *H)
{
  const struct mx_problem *problem = state->problem;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const struct NAME(response) *own = &NAME(responses_of)(state)[r];
    const struct mx_response_ops *ops = mx_responses[response->kind];
    const size_t numbers = (size_t)ops->states * 3 * (size_t)problem->ref->Np;
    for (size_t k = 0; k < response->count && ops->vector && response->of == 1; k++) NAME(vector_step)
    (state, response->kind, own->coefficient + k * (size_t)ops->coefficients, true, own->now + k * numbers,
     H + NAME(at)(state, (size_t)response->where[k], 0, 0));
  }
}

/* Steps the responses behind everything else that a step of leapfrog does to a field, 0: E, 1: H. */
static void NAME(step_responses)(struct NAME(state) * state, enum mx_equation equation, REAL *field)
{
  const int of = equation == MX_AMPERE ? 0 : 1;
  const struct mx_problem *problem = state->problem;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const struct NAME(response) *own = &NAME(responses_of)(state)[r];
    const struct mx_response_ops *ops = mx_responses[response->kind];
    if (!ops->layer && of != response->of) continue;
    struct mx_mark mark = mx_phase_begin(state->profile);
#pragma omp parallel for num_threads(state->threads) schedule(static)
    for (size_t k = 0; k < response->count; k++) NAME(entry_step)(state, response, own, k, of, field);
    mx_phase_end(state->profile, mark, ops->layer ? "layers" : "responses",
                 mx_cost_response(problem, response, sizeof(REAL), 1));
  }
}

/* Steps the responses behind the rates of a stage, while the fields of the stage are still there. */
static void NAME(stage_responses)(struct NAME(state) * state, const struct NAME(response_stage) * stage)
{
  const struct mx_problem *problem = state->problem;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const struct NAME(response) *own = &NAME(responses_of)(state)[r];
    struct mx_mark mark = mx_phase_begin(state->profile);
#pragma omp parallel for num_threads(state->threads) schedule(static)
    for (size_t k = 0; k < response->count; k++) NAME(entry_stage)(state, response, own, k, stage);
    mx_phase_end(state->profile, mark, mx_responses[response->kind]->layer ? "layers" : "responses",
                 mx_cost_response(problem, response, sizeof(REAL), 2));
  }
}

/* Component c at node i of the vector whose square is `square` of entry k; `before` is the field half a step before
 * t_n.
 */
static inline double NAME(response_vector)(const struct NAME(state) * state, const struct mx_response *response,
                                           const struct NAME(response) * own, size_t k, const struct mx_square *square,
                                           const REAL *field, const REAL *before, size_t c, size_t i)
{
  const size_t Np = (size_t)state->problem->ref->Np, states = (size_t)mx_responses[response->kind]->states;
  const size_t at = NAME(at)(state, (size_t)response->where[k], c, i);
  double sum = square->field * (double)field[at] + square->before * (double)before[at];
  for (size_t q = 0; q < states; q++)
    sum += square->state[q] * (double)own->now[(k * states + q) * 3 * Np + NAME(place)(state, c, i)];
  return sum;
}

/* Where number `i` of an entry's states stands, which checkpoints have as [states][3][places]. */
static size_t NAME(place_of_state)(const struct NAME(state) * state, const struct mx_response *response, size_t i)
{
  const size_t places = mx_response_places(state->problem, response->kind), q = i / (3 * places),
               rest = i % (3 * places);
  if (mx_responses[response->kind]->layer) return i;
  return q * 3 * places + NAME(place)(state, rest / places, rest % places);
}

/* Copies entries first..first + count - 1 of the states of a response to `to` or, if that is NULL, from `from`. */
static void NAME(copy_responses)(struct NAME(state) * state, const struct mx_state_array *of, size_t first,
                                 size_t count, double *to, const double *from)
{
  const size_t width = mx_state_width(of);
  for (size_t i = 0; i < width; i++) {
    REAL *now = NAME(responses_of)(state)[of->response].now + first * width +
                NAME(place_of_state)(state, &state->problem->response[of->response], i);
    for (size_t k = 0; k < count; k++) {
      if (to != NULL) to[k * width + i] = (double)now[k * width];
      else now[k * width] = (REAL)from[k * width + i];
    }
  }
}

static const struct NAME(term) NAME(responses_term) = {
    .create = NAME(new_responses),
    .destroy = NAME(free_responses),
    .start = NAME(start_responses),
    .start_back = NAME(start_vectors),
    .after_step = NAME(step_responses),
    .after_rates = NAME(stage_responses),
    .energy = NAME(energy_of_responses),
    .list = MX_STATE_OF_ENTRIES,
    .copy = NAME(copy_responses),
};
