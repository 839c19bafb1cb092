/* Responses (maxwell/response/response.h) on the host, behind the pass: states with their registers, and their update
 * in a stage. The file is part of the bodies of `reference` and `cpu`, once for every precision. The file that includes
 * it defines REAL, NAME(x), and NAME(at)(state, e, c, i), the place in a field of component c at node i of element e.
 * Its state has `problem`, `options`, `threads`, `profile` and `response`.
 *
 * A state is [count][states][3][Np], in the components and nodes of the backend's fields. */

#define MX_POINT static inline
#include "maxwell/response/points.h"
#undef MX_POINT

struct NAME(response) {
  struct mx_response_entry *entry; /* [count] */
  REAL *coefficient;               /* [count][MX_RESPONSE_COEFFICIENTS] */
  REAL *now;                       /* the state between steps; the members below are Runge-Kutta's registers */
  REAL *registers;                 /* of low storage */
  REAL *stage, *sum; /* with sums: the state of the stage, and the sum that becomes the state of the next step */
};

static size_t NAME(response_numbers)(const struct mx_problem *problem, const struct mx_response *response)
{
  return response->count * (size_t)mx_responses[response->kind]->states * 3 * (size_t)problem->ref->Np;
}

static void NAME(free_responses)(struct NAME(response) * list, const struct mx_problem *problem)
{
  for (size_t r = 0; list != NULL && r < problem->responses; r++) {
    void *arrays[] = {list[r].entry, list[r].coefficient, list[r].now, list[r].registers, list[r].stage, list[r].sum};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) dg_free(arrays[i]);
  }
  dg_free(list);
}

static int NAME(new_response)(struct NAME(response) * own, const struct mx_problem *problem,
                              const struct mx_response *response, const struct mx_backend_options *options,
                              struct dg_error *err)
{
  const size_t numbers = NAME(response_numbers)(problem, response);
  const struct mx_scheme *scheme = mx_scheme_of(options);
  const bool sums = scheme->sums, low = !sums && !scheme->staggered;
  if (DG_NEW(own->entry, response->count, err) != 0 ||
      DG_NEW(own->coefficient, response->count * MX_RESPONSE_COEFFICIENTS, err) != 0 ||
      DG_NEW(own->now, numbers, err) != 0 || (low && DG_NEW(own->registers, numbers, err) != 0) ||
      (sums && DG_NEW(own->stage, numbers, err) != 0) || (sums && DG_NEW(own->sum, numbers, err) != 0))
    return err->code;
  for (size_t k = 0; k < response->count; k++) {
    own->entry[k] = mx_response_prepare(problem, response, k, options->integrator, options->step);
    for (size_t i = 0; i < MX_RESPONSE_COEFFICIENTS; i++)
      own->coefficient[k * MX_RESPONSE_COEFFICIENTS + i] = (REAL)own->entry[k].coefficient[i];
  }
  return 0;
}

static int NAME(new_responses)(struct NAME(response) * *list, const struct mx_problem *problem,
                               const struct mx_backend_options *options, struct dg_error *err)
{
  if (problem->responses == 0) return 0;
  if (DG_NEW(*list, problem->responses, err) != 0) return err->code;
  for (size_t r = 0; r < problem->responses; r++)
    if (NAME(new_response)(&(*list)[r], problem, &problem->response[r], options, err) != 0) return err->code;
  return 0;
}

/* Sets the states at t = 0 from the uploaded field. */
static void NAME(start_responses)(struct NAME(state) * state, const REAL *field)
{
  const struct mx_problem *problem = state->problem;
  const size_t Np = (size_t)problem->ref->Np;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    struct NAME(response) *own = &state->response[r];
    const size_t states = (size_t)mx_responses[response->kind]->states;
    if (own->registers != NULL) memset(own->registers, 0, NAME(response_numbers)(problem, response) * sizeof(REAL));
    for (size_t k = 0; k < response->count; k++)
      for (size_t q = 0; q < states; q++)
        for (size_t c = 0; c < 3; c++)
          for (size_t i = 0; i < Np; i++)
            own->now[((k * states + q) * 3 + c) * Np + i] =
                (REAL)own->entry[k].start[q] * field[NAME(at)(state, (size_t)response->where[k], c, i)];
  }
}

/* A stage of Runge-Kutta: the field that responses add to, and how their states go on. */
struct NAME(response_stage) {
  bool first, last;  /* of the step */
  REAL step, a, b;   /* low storage: register = a register + dt rate, state + b register */
  REAL weight, next; /* sums: sum + weight rate, start + next rate */
  const REAL *field; /* the field at the stage */
  REAL *to, *also;   /* to += scale * addition to the rate, also += also_by * the same (may be NULL) */
  REAL scale, also_by;
};

/* Makes a stage without the fields that responses read and add to. */
static struct NAME(response_stage) NAME(stage_of)(const struct NAME(state) * state, int s)
{
  const struct mx_scheme *scheme = mx_scheme_of(&state->options);
  const struct mx_pass *pass = &scheme->pass[s];
  const double dt = state->options.step;
  return (struct NAME(response_stage)){.first = s == 0,
                                       .last = s == scheme->stages - 1,
                                       .step = (REAL)dt,
                                       .a = (REAL)pass->a,
                                       .b = (REAL)pass->b,
                                       .weight = (REAL)(pass->weight * dt),
                                       .next = (REAL)(pass->next * dt)};
}

/* Steps one entry of a kind: its element and states. The function is inlined so that the point function is, too. */
static inline __attribute__((always_inline)) void NAME(entry_step)(const struct NAME(state) * state,
                                                                   enum mx_response_kind kind, size_t states, size_t e,
                                                                   const REAL *c, REAL *now, REAL *field)
{
  const size_t Np = (size_t)state->problem->ref->Np;
  for (size_t i = 0; i < Np; i++)
    for (size_t component = 0; component < 3; component++) {
      REAL s[MX_RESPONSE_STATES] = {0};
      REAL *own = now + component * Np + i;
      for (size_t q = 0; q < states; q++) s[q] = own[q * 3 * Np];
      NAME(mx_point_step)(kind, c, s, &field[NAME(at)(state, e, component, i)]);
      for (size_t q = 0; q < states; q++) own[q * 3 * Np] = s[q];
    }
}

static inline __attribute__((always_inline)) void
NAME(entry_stage)(const struct NAME(state) * state, enum mx_response_kind kind, size_t states, size_t e, const REAL *c,
                  size_t first, const struct NAME(response) * own, const struct NAME(response_stage) * stage)
{
  const size_t Np = (size_t)state->problem->ref->Np;
  const REAL *from = own->stage != NULL && !stage->first ? own->stage : own->now;
  for (size_t i = 0; i < Np; i++)
    for (size_t component = 0; component < 3; component++) {
      const size_t at = NAME(at)(state, e, component, i), here = first + component * Np + i;
      REAL s[MX_RESPONSE_STATES] = {0}, ds[MX_RESPONSE_STATES] = {0}, du = 0;
      for (size_t q = 0; q < states; q++) s[q] = from[here + q * 3 * Np];
      NAME(mx_point_rate)(kind, c, s, stage->field[at], ds, &du);
      stage->to[at] += stage->scale * du;
      if (stage->also != NULL) stage->also[at] += stage->also_by * (stage->scale * du);
      for (size_t q = 0; q < states; q++) {
        const size_t k = here + q * 3 * Np;
        if (own->registers != NULL) {
          own->registers[k] = stage->a * own->registers[k] + stage->step * ds[q];
          own->now[k] += stage->b * own->registers[k];
        } else {
          own->sum[k] = (stage->first ? own->now[k] : own->sum[k]) + stage->weight * ds[q];
          own->stage[k] = own->now[k] + stage->next * ds[q];
          if (stage->last) own->now[k] = own->sum[k];
        }
      }
    }
}

/* Steps the responses behind everything else that a step of leapfrog does to the field. */
static void NAME(step_responses)(struct NAME(state) * state, REAL *field)
{
  const struct mx_problem *problem = state->problem;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const struct NAME(response) *own = &state->response[r];
    const size_t states = (size_t)mx_responses[response->kind]->states, each = states * 3 * (size_t)problem->ref->Np;
    struct mx_mark mark = mx_phase_begin(state->profile);
#pragma omp parallel for num_threads(state->threads) schedule(static)
    for (size_t k = 0; k < response->count; k++) switch (response->kind) {
#define CASE(KIND, PREFIX)                                                                                             \
  case KIND:                                                                                                           \
    NAME(entry_step)                                                                                                   \
    (state, KIND, states, (size_t)response->where[k], own->coefficient + k * MX_RESPONSE_COEFFICIENTS,                 \
     own->now + k * each, field);                                                                                      \
    break;
        MX_RESPONSE_LIST(CASE)
#undef CASE
      }
    mx_phase_end(state->profile, mark, "responses", mx_cost_response(problem, response, sizeof(REAL), 1));
  }
}

/* Steps the responses behind the rates of a stage, while the field of the stage is still there. */
static void NAME(stage_responses)(struct NAME(state) * state, const struct NAME(response_stage) * stage)
{
  const struct mx_problem *problem = state->problem;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const struct NAME(response) *own = &state->response[r];
    const size_t states = (size_t)mx_responses[response->kind]->states, each = states * 3 * (size_t)problem->ref->Np;
    struct mx_mark mark = mx_phase_begin(state->profile);
#pragma omp parallel for num_threads(state->threads) schedule(static)
    for (size_t k = 0; k < response->count; k++) switch (response->kind) {
#define CASE(KIND, PREFIX)                                                                                             \
  case KIND:                                                                                                           \
    NAME(entry_stage)                                                                                                  \
    (state, KIND, states, (size_t)response->where[k], own->coefficient + k * MX_RESPONSE_COEFFICIENTS, k * each, own,  \
     stage);                                                                                                           \
    break;
        MX_RESPONSE_LIST(CASE)
#undef CASE
      }
    mx_phase_end(state->profile, mark, "responses", mx_cost_response(problem, response, sizeof(REAL), 2));
  }
}

/* Component c at node i of the vector whose square is `square` of entry k. */
static inline double NAME(response_vector)(const struct NAME(state) * state, const struct mx_response *response,
                                           const struct NAME(response) * own, size_t k, const struct mx_square *square,
                                           const REAL *field, size_t c, size_t i)
{
  const size_t Np = (size_t)state->problem->ref->Np, states = (size_t)mx_responses[response->kind]->states;
  double sum = square->field * (double)field[NAME(at)(state, (size_t)response->where[k], c, i)];
  for (size_t q = 0; q < states; q++) sum += square->state[q] * (double)own->now[((k * states + q) * 3 + c) * Np + i];
  return sum;
}

/* The array of a response's states for checkpoints, and the numbers of an entry; NULL: the array is not of a response.
 */
static REAL *NAME(response_array)(const struct NAME(state) * state, int array, size_t *width)
{
  const struct mx_problem *problem = state->problem;
  const struct mx_state_array of = mx_state_array(problem, state->options.integrator, (size_t)array);
  if (of.list != MX_STATE_OF_ENTRIES) return NULL;
  *width = mx_state_width(&of);
  return state->response[of.response].now;
}
