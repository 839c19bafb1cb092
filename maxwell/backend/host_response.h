/* Responses (maxwell/response/response.h) on the host, behind the pass: states with their registers, and their update
 * in a stage. The file is part of the bodies of `reference` and `cpu`, once for every precision. The file that includes
 * it defines REAL, NAME(x), MX_ROOT(x), NAME(at)(state, e, c, i), the place in a field of component c at node i of
 * element e, and NAME(frame)(problem, e, gradient, tangent), which gives the frame of its components
 * (maxwell/backend/frame/frame.h), or false where they are Cartesian. Its state has `problem`, `options`, `threads`,
 * `profile` and `response`.
 *
 * A state is [count][states][3][Np], in the components and nodes of the backend's fields. */

#define MX_POINT static inline
#include "maxwell/response/points.h"
#undef MX_POINT

struct NAME(response) {
  struct mx_response_entry *entry; /* [count] */
  REAL *coefficient;               /* [count][coefficients of the kind] */
  REAL *barycentric;               /* layers: [4][Np] of the nodes */
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
    void *arrays[] = {list[r].entry,     list[r].coefficient, list[r].barycentric, list[r].now,
                      list[r].registers, list[r].stage,       list[r].sum};
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
  const struct mx_response_ops *ops = mx_responses[response->kind];
  const bool sums = scheme->sums, low = !sums && !scheme->staggered;
  if (DG_NEW(own->entry, response->count, err) != 0 ||
      DG_NEW(own->coefficient, response->count * (size_t)ops->coefficients, err) != 0 ||
      DG_NEW(own->barycentric, ops->layer ? 4 * (size_t)problem->ref->Np : 0, err) != 0 ||
      DG_NEW(own->now, numbers, err) != 0 || (low && DG_NEW(own->registers, numbers, err) != 0) ||
      (sums && DG_NEW(own->stage, numbers, err) != 0) || (sums && DG_NEW(own->sum, numbers, err) != 0))
    return err->code;
  for (size_t k = 0; k < response->count; k++) {
    double coefficient[MX_RESPONSE_COEFFICIENTS], gradient[3][3], tangent[3][3];
    own->entry[k] = mx_response_prepare(problem, response, k, options->integrator, options->step, coefficient);
    if (ops->turn != NULL && NAME(frame)(problem, (size_t)response->where[k], gradient, tangent))
      ops->turn((const double(*)[3])gradient, (const double(*)[3])tangent, coefficient);
    for (size_t i = 0; i < (size_t)ops->coefficients; i++)
      own->coefficient[k * (size_t)ops->coefficients + i] = (REAL)coefficient[i];
  }
  for (int i = 0; ops->layer && i < problem->ref->Np; i++) {
    double L[4];
    dg_reference_barycentric(problem->ref, i, L);
    for (int v = 0; v < 4; v++) own->barycentric[v * problem->ref->Np + i] = (REAL)L[v];
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
    const struct mx_response_ops *ops = mx_responses[response->kind];
    const size_t states = (size_t)ops->states;
    if (ops->layer) memset(own->now, 0, NAME(response_numbers)(problem, response) * sizeof(REAL));
    if (own->registers != NULL) memset(own->registers, 0, NAME(response_numbers)(problem, response) * sizeof(REAL));
    for (size_t k = 0; k < response->count && !ops->layer; k++)
      for (size_t q = 0; q < states; q++)
        for (size_t c = 0; c < 3; c++)
          for (size_t i = 0; i < Np; i++)
            own->now[((k * states + q) * 3 + c) * Np + i] =
                (REAL)own->entry[k].start[q] * field[NAME(at)(state, (size_t)response->where[k], c, i)];
  }
}

/* A stage of Runge-Kutta: the fields (E, H) that responses add to, and how their states go on. */
struct NAME(response_stage) {
  bool first, last;      /* of the step */
  REAL step, a, b;       /* low storage: register = a register + dt rate, state + b register */
  REAL weight, next;     /* sums: sum + weight rate, start + next rate */
  const REAL *field[2];  /* the fields at the stage */
  REAL *to[2], *also[2]; /* to += scale * addition to the rate, also += also_by * the same (may be NULL) */
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

/* Takes a number of a state along in a stage; ds is its rate. */
static inline __attribute__((always_inline)) void
NAME(state_stage)(const struct NAME(response) * own, const struct NAME(response_stage) * stage, size_t k, REAL ds)
{
  if (own->registers != NULL) {
    own->registers[k] = stage->a * own->registers[k] + stage->step * ds;
    own->now[k] += stage->b * own->registers[k];
  } else {
    own->sum[k] = (stage->first ? own->now[k] : own->sum[k]) + stage->weight * ds;
    own->stage[k] = own->now[k] + stage->next * ds;
    if (stage->last) own->now[k] = own->sum[k];
  }
}

/* Adds du, a response's part of the rate of a number of a field. */
static inline __attribute__((always_inline)) void NAME(field_stage)(const struct NAME(response_stage) * stage,
                                                                    int field, size_t at, REAL du)
{
  stage->to[field][at] += stage->scale * du;
  if (stage->also[field] != NULL) stage->also[field][at] += stage->also_by * (stage->scale * du);
}

/* Steps one entry of a pole: its element and states. The function is inlined so that the point function is, too. */
static inline __attribute__((always_inline)) void NAME(pole_step)(const struct NAME(state) * state,
                                                                  enum mx_response_kind kind, size_t states, size_t e,
                                                                  const REAL *c, REAL *now, REAL *field)
{
  const size_t Np = (size_t)state->problem->ref->Np;
  for (size_t i = 0; i < Np; i++)
    for (size_t component = 0; component < 3; component++) {
      REAL s[MX_POLE_STATES] = {0};
      REAL *own = now + component * Np + i;
      for (size_t q = 0; q < states; q++) s[q] = own[q * 3 * Np];
      NAME(mx_point_step)(kind, c, s, &field[NAME(at)(state, e, component, i)]);
      for (size_t q = 0; q < states; q++) own[q * 3 * Np] = s[q];
    }
}

static inline __attribute__((always_inline)) void
NAME(pole_stage)(const struct NAME(state) * state, enum mx_response_kind kind, size_t states, size_t e, const REAL *c,
                 size_t first, const struct NAME(response) * own, const struct NAME(response_stage) * stage)
{
  const size_t Np = (size_t)state->problem->ref->Np;
  const REAL *from = own->stage != NULL && !stage->first ? own->stage : own->now;
  for (size_t i = 0; i < Np; i++)
    for (size_t component = 0; component < 3; component++) {
      const size_t at = NAME(at)(state, e, component, i), here = first + component * Np + i;
      REAL s[MX_POLE_STATES] = {0}, ds[MX_POLE_STATES] = {0}, du = 0;
      for (size_t q = 0; q < states; q++) s[q] = from[here + q * 3 * Np];
      NAME(mx_point_rate)(kind, c, s, stage->field[0][at], ds, &du);
      NAME(field_stage)(stage, 0, at, du);
      for (size_t q = 0; q < states; q++) NAME(state_stage)(own, stage, here + q * 3 * Np, ds[q]);
    }
}

/* Steps one field of an entry of a layer: now[directions][3][Np], and L[4][Np] of the nodes. */
static inline __attribute__((always_inline)) void
NAME(layer_step)(const struct NAME(state) * state, enum mx_response_kind kind, int of, size_t directions, size_t e,
                 const REAL *restrict c, const REAL *restrict barycentric, REAL *restrict now, REAL *restrict field)
{
  const size_t Np = (size_t)state->problem->ref->Np;
  REAL own[MX_LAYER_COEFFICIENTS]; /* a copy, which no store can change */
  memcpy(own, c, sizeof own);
  for (size_t i = 0; i < Np; i++) {
    const REAL L[4] = {barycentric[i], barycentric[Np + i], barycentric[2 * Np + i], barycentric[3 * Np + i]};
    REAL s[3][3], u[3];
    for (size_t k = 0; k < 3; k++) u[k] = field[NAME(at)(state, e, k, i)];
    for (size_t q = 0; q < directions; q++)
      for (size_t k = 0; k < 3; k++) s[q][k] = now[(3 * q + k) * Np + i];
    NAME(mx_layer_step)(kind, of, own, L, s, u);
    for (size_t q = 0; q < directions; q++)
      for (size_t k = 0; k < 3; k++) now[(3 * q + k) * Np + i] = s[q][k];
    for (size_t k = 0; k < 3; k++) field[NAME(at)(state, e, k, i)] = u[k];
  }
}

static inline __attribute__((always_inline)) void NAME(layer_stage)(const struct NAME(state) * state,
                                                                    enum mx_response_kind kind, int of,
                                                                    size_t directions, size_t e, const REAL *c,
                                                                    size_t first, const struct NAME(response) * own,
                                                                    const struct NAME(response_stage) * stage)
{
  const size_t Np = (size_t)state->problem->ref->Np;
  const REAL *from = own->stage != NULL && !stage->first ? own->stage : own->now;
  for (size_t i = 0; i < Np; i++) {
    const REAL L[4] = {own->barycentric[i], own->barycentric[Np + i], own->barycentric[2 * Np + i],
                       own->barycentric[3 * Np + i]};
    REAL s[3][3] = {{0}}, ds[3][3] = {{0}}, u[3], du[3] = {0};
    for (size_t k = 0; k < 3; k++) u[k] = stage->field[of][NAME(at)(state, e, k, i)];
    for (size_t q = 0; q < directions; q++)
      for (size_t k = 0; k < 3; k++) s[q][k] = from[first + (3 * q + k) * Np + i];
    NAME(mx_layer_rate)(kind, of, c, L, s, u, ds, du);
    for (size_t k = 0; k < 3; k++) NAME(field_stage)(stage, of, NAME(at)(state, e, k, i), du[k]);
    for (size_t q = 0; q < directions; q++)
      for (size_t k = 0; k < 3; k++) NAME(state_stage)(own, stage, first + (3 * q + k) * Np + i, ds[q][k]);
  }
}

/* Steps entry k of a response behind a step of field `of`, 0: E, 1: H. Each kind has its own copy of the loops. */
static inline void NAME(entry_step)(const struct NAME(state) * state, const struct mx_response *response,
                                    const struct NAME(response) * own, size_t k, int of, REAL *field)
{
  const struct mx_response_ops *ops = mx_responses[response->kind];
  const size_t numbers = 3 * (size_t)state->problem->ref->Np, e = (size_t)response->where[k];
  const REAL *c = own->coefficient + k * (size_t)ops->coefficients;
  REAL *now = own->now + (k * (size_t)ops->states + (of == 0 ? 0 : (size_t)ops->of_E)) * numbers;
  switch (response->kind) {
#define CASE(KIND, PREFIX)                                                                                             \
  case KIND:                                                                                                           \
    NAME(pole_step)(state, KIND, MX_POLE_STATES, e, c, now, field);                                                    \
    break;
    MX_POLE_LIST(CASE)
#undef CASE
#define CASE(KIND, PREFIX, DIRECTIONS)                                                                                 \
  case KIND:                                                                                                           \
    NAME(layer_step)(state, KIND, of, DIRECTIONS, e, c, own->barycentric, now, field);                                 \
    break;
    MX_LAYER_LIST(CASE)
#undef CASE
  }
}

static inline void NAME(entry_stage)(const struct NAME(state) * state, const struct mx_response *response,
                                     const struct NAME(response) * own, size_t k,
                                     const struct NAME(response_stage) * stage)
{
  const struct mx_response_ops *ops = mx_responses[response->kind];
  const size_t numbers = 3 * (size_t)state->problem->ref->Np, e = (size_t)response->where[k];
  const REAL *c = own->coefficient + k * (size_t)ops->coefficients;
  const size_t first = k * (size_t)ops->states * numbers, of_H = first + (size_t)ops->of_E * numbers;
  switch (response->kind) {
#define CASE(KIND, PREFIX)                                                                                             \
  case KIND:                                                                                                           \
    NAME(pole_stage)(state, KIND, MX_POLE_STATES, e, c, first, own, stage);                                            \
    break;
    MX_POLE_LIST(CASE)
#undef CASE
#define CASE(KIND, PREFIX, DIRECTIONS)                                                                                 \
  case KIND:                                                                                                           \
    NAME(layer_stage)(state, KIND, 0, DIRECTIONS, e, c, first, own, stage);                                            \
    NAME(layer_stage)(state, KIND, 1, DIRECTIONS, e, c, of_H, own, stage);                                             \
    break;
    MX_LAYER_LIST(CASE)
#undef CASE
  }
}

/* Steps the responses behind everything else that a step of leapfrog does to a field, 0: E, 1: H. */
static void NAME(step_responses)(struct NAME(state) * state, int of, REAL *field)
{
  const struct mx_problem *problem = state->problem;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const struct NAME(response) *own = &state->response[r];
    const struct mx_response_ops *ops = mx_responses[response->kind];
    if (of == 1 && ops->of_E == ops->states) continue;
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
    const struct NAME(response) *own = &state->response[r];
    struct mx_mark mark = mx_phase_begin(state->profile);
#pragma omp parallel for num_threads(state->threads) schedule(static)
    for (size_t k = 0; k < response->count; k++) NAME(entry_stage)(state, response, own, k, stage);
    mx_phase_end(state->profile, mark, mx_responses[response->kind]->layer ? "layers" : "responses",
                 mx_cost_response(problem, response, sizeof(REAL), 2));
  }
}

/* Component c at node i of the vector whose square is `square` of entry k. */
static inline double NAME(response_vector)(const struct NAME(state) * state, const struct mx_response *response,
                                           const struct NAME(response) * own, size_t k, const struct mx_square *square,
                                           const REAL *field, size_t c, size_t i)
{
  const size_t Np = (size_t)state->problem->ref->Np, states = (size_t)mx_responses[response->kind]->states;
  double sum = square->field * (double)field[NAME(at)(state, (size_t)response->where[k], c, i)];
  for (size_t q = 0; q < MX_POLE_STATES; q++)
    sum += square->state[q] * (double)own->now[((k * states + q) * 3 + c) * Np + i];
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
