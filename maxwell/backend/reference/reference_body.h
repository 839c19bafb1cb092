/* Fields and time stepping of the `reference` backend, once for every precision: the file that includes it defines
 * REAL and NAME(x). One array operation at a time, nothing fused: the text to read first, and the answer that the fast
 * backends are measured against. */

#include "maxwell/terms/host/host_row.h"

struct NAME(state) {
  const struct mx_problem *problem;
  struct mx_backend_options options;
  struct mx_schedule schedule;
  struct NAME(mx_matrices) * matrices;
  size_t n;                      /* numbers in one field: 3 * Np * K */
  REAL *E, *H;                   /* [K][3][Np] */
  REAL *rate_E, *rate_H;         /* right-hand sides; leapfrog needs only rate_E, for both stages */
  REAL *register_E, *register_H; /* low storage: registers; with sums: the fields at the start of the step */
  REAL *sum_E, *sum_H;           /* the fields at the end of the step, as they add up */
  REAL *H_before;                /* leapfrog: H at n-1/2, kept while a step is observed */
  REAL *trace_E, *trace_H;       /* leapfrog: kept traces (operator.h) of one step ago */
  void *own[MX_TERMS];           /* of the terms that act around a pass (terms/host/host_row.h) */
  REAL *kept, *change;           /* of a part with shorter steps (reference_fine.h) */
  const int32_t *whole;          /* [K] its elements in the whole; borrowed */
  int threads;                   /* 1 */
  bool observed;
  bool starting;                          /* H goes half a step back: states rest */
  struct dg_exchange *exchange;           /* with other ranks, or NULL */
  double halo_seconds;                    /* time of the exchange so far */
  const struct mx_stage_sources *sources; /* of the stage in progress */
  struct mx_profile *profile;             /* borrowed, or NULL */
};

/* The place in a field of component c at node i of element e. */
static inline size_t NAME(at)(const struct NAME(state) * state, size_t e, size_t c, size_t i)
{
  return (3 * e + c) * (size_t)state->problem->ref->Np + i;
}

static inline const struct mx_layer_kernels *NAME(layer_kernels)(const struct NAME(state) * state)
{
  (void)state;
  return &NAME(mx_layers_portable);
}

/* Components are Cartesian. */
static inline bool NAME(frame)(const struct mx_problem *problem, size_t e, double gradient[3][3], double tangent[3][3])
{
  (void)problem, (void)e, (void)gradient, (void)tangent;
  return false;
}

#include "maxwell/terms/host/host_responses.h"

static inline void NAME(node_vector)(const struct NAME(state) * state, const REAL *field, size_t e, size_t i,
                                     double v[3])
{
  for (size_t c = 0; c < 3; c++) v[c] = (double)field[NAME(at)(state, e, c, i)];
}

static inline void NAME(kept_vector)(const struct NAME(state) * state, size_t e, size_t f, size_t m, double v[3])
{
  const size_t Nf = (size_t)state->problem->ref->Nf, slot = (size_t)mx_kept_slot(state->problem, e, (int)f);
  for (size_t c = 0; c < 3; c++) v[c] = (double)state->trace_H[(3 * slot + c) * Nf + m];
}

static inline void NAME(far_vector)(const struct NAME(state) * state, const REAL *field, size_t e, size_t f, size_t m,
                                    double v[3])
{
  const struct dg_reference *ref = state->problem->ref;
  const int32_t code = state->problem->neighbour[e][f];
  v[0] = v[1] = v[2] = 0;
  if (code < 0) return; /* a part of a problem */
  NAME(node_vector)
  (state, field, (size_t)code / 4, (size_t)ref->face_node[(size_t)(code % 4) * (size_t)ref->Nf + m], v);
}

static inline REAL *NAME(kept)(const struct NAME(state) * state, enum mx_equation equation)
{
  return equation == MX_AMPERE ? state->trace_E : state->trace_H;
}

static void NAME(lift_sources)(struct NAME(state) * state, enum mx_equation equation, const struct NAME(lift) * lift)
{
  if (state->sources == NULL) return;
  struct mx_mark mark = mx_phase_begin(state->profile);
  NAME(mx_add_sources)(state->problem, state->matrices, equation, state->sources, lift->to);
  mx_phase_end(state->profile, mark, "sources, added", mx_cost_sources(state->problem, equation, sizeof(REAL)));
}

static const struct NAME(term) NAME(sources_term) = {.lift = NAME(lift_sources)};

#include "maxwell/terms/host/host_plain.h"
#include "maxwell/terms/host/host_skins.h"
#include "maxwell/terms/host/host_walk.h"

static void NAME(free_state)(struct NAME(state) * state)
{
  if (state == NULL) return;
  REAL *arrays[] = {state->E,          state->H,     state->rate_E, state->rate_H,   state->register_E,
                    state->register_H, state->sum_E, state->sum_H,  state->H_before, state->trace_E,
                    state->trace_H,    state->kept,  state->change};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) dg_free(arrays[i]);
  NAME(free_terms)(state);
  NAME(mx_matrices_free)(state->matrices);
  dg_exchange_free(state->exchange);
  dg_free(state);
}

/* Both fields' vectors on a face, which travel between ranks: [2][3][Nf]. */
static size_t NAME(face_numbers)(const struct mx_problem *problem) { return 6 * (size_t)problem->ref->Nf; }

static int NAME(new_state)(struct NAME(state) * *result, const struct mx_problem *problem,
                           const struct mx_backend_options *options, struct dg_error *err)
{
  size_t n = 3 * (size_t)problem->ref->Np * problem->K,
         all = 3 * (size_t)problem->ref->Np * (problem->K + problem->ghosts);
  size_t traces = 3 * (size_t)problem->ref->Nf * mx_kept_faces(problem);
  const struct mx_scheme *scheme = mx_scheme_of(options);
  bool staggered = scheme->staggered;
  struct NAME(state) * state;
  if (DG_NEW(state, 1, err) != 0) return err->code;
  state->problem = problem;
  state->options = *options;
  state->schedule = mx_schedule_of(options->integrator, problem);
  state->n = n;
  state->threads = 1;
  if (NAME(mx_matrices_new)(&state->matrices, problem, err) != 0 || DG_NEW(state->E, all, err) != 0 ||
      DG_NEW(state->H, all, err) != 0 || DG_NEW(state->rate_E, n, err) != 0 ||
      (!staggered && DG_NEW(state->rate_H, n, err) != 0) ||
      (scheme->registers && DG_NEW(state->register_E, n, err) != 0) ||
      (scheme->registers && DG_NEW(state->register_H, n, err) != 0) ||
      (scheme->sums && DG_NEW(state->sum_E, n, err) != 0) || (scheme->sums && DG_NEW(state->sum_H, n, err) != 0) ||
      (staggered && DG_NEW(state->H_before, n, err) != 0) || (staggered && DG_NEW(state->trace_E, traces, err) != 0) ||
      (staggered && DG_NEW(state->trace_H, traces, err) != 0) || NAME(new_terms)(state, err) != 0 ||
      (problem->halo != NULL &&
       dg_exchange_new(&state->exchange, problem->comm, problem->halo->peers, problem->halo->peer,
                       NAME(face_numbers)(problem) * sizeof(REAL), err) != 0)) {
    NAME(free_state)(state);
    return err->code;
  }
  *result = state;
  return 0;
}

/* Fills the ghosts. They stand behind the rank's own elements, one for every face of the halo, with values on that face
 * alone. */
static int NAME(fill_ghosts)(struct NAME(state) * state, struct dg_error *err)
{
  if (state->exchange == NULL) return 0;
  struct mx_mark mark = mx_phase_begin(state->profile);
  double start = omp_get_wtime();
  if (NAME(mx_fill_ghosts)(state->problem, state->exchange, state->E, state->H, err) != 0) return err->code;
  state->halo_seconds += omp_get_wtime() - start;
  mx_phase_end(state->profile, mark, "halo", (struct mx_cost){0, 0});
  return 0;
}

static struct mx_halo_use NAME(halo_use)(const struct NAME(state) * state)
{
  if (state->exchange == NULL) return (struct mx_halo_use){0};
  size_t a_time = NAME(face_numbers)(state->problem) * sizeof(REAL) * state->problem->halo->faces;
  return (struct mx_halo_use){.seconds = state->halo_seconds, .bytes = a_time * (size_t)state->schedule.passes};
}

static const struct mx_penalty NAME(whole) = {.inner = 1, .open = 1};

static void NAME(rate)(struct NAME(state) * state, enum mx_equation equation, int s, const REAL *before, REAL *rate)
{
  REAL *const field[2] = {state->E, state->H};
  const struct NAME(lift) lift = {.stage = s, .field = field, .to = rate};
  bool ampere = equation == MX_AMPERE;
  struct mx_mark mark = mx_phase_begin(state->profile);
  NAME(mx_rate)
  (state->problem, state->matrices, equation, NAME(whole), ampere ? state->E : state->H, ampere ? state->H : state->E,
   before, rate);
  mx_phase_end(state->profile, mark, ampere ? "curl, flux, lift E" : "curl, flux, lift H",
               mx_cost_plain_pass(state->problem, sizeof(REAL)));
  NAME(lift_terms)(state, equation, &lift);
}

static struct mx_medium_update NAME(update_of)(const struct NAME(state) * state, enum mx_equation equation, size_t e)
{
  return mx_update_of(state->problem, &state->options, equation, e);
}

/* Takes H half a step back: one Euler step of that length costs an error of order dt^2, once. */
static void NAME(leapfrog_back)(struct NAME(state) * state)
{
  const struct mx_problem *problem = state->problem;
  size_t per_element = 3 * (size_t)problem->ref->Np;
  NAME(rate)(state, MX_FARADAY, 0, NULL, state->rate_E);
  for (size_t e = 0; e < problem->K; e++) {
    const struct mx_medium_update update = NAME(update_of)(state, MX_FARADAY, e);
    REAL keep = (REAL)(1 + update.back * update.loss), take = (REAL)(update.back * update.gain);
    for (size_t i = e * per_element; i < (e + 1) * per_element; i++)
      state->H[i] = keep * state->H[i] - take * state->rate_E[i];
  }
}

static int NAME(upload)(struct NAME(state) * state, const double *E, const double *H, struct dg_error *err)
{
  size_t per_element = 3 * (size_t)state->problem->ref->Np;
  for (size_t i = 0; i < state->n; i++) {
    size_t e = i / per_element;
    state->E[i] = E != NULL ? (REAL)(NAME(update_of)(state, MX_AMPERE, e).start * E[i]) : 0;
    state->H[i] = H != NULL ? (REAL)(NAME(update_of)(state, MX_FARADAY, e).start * H[i]) : 0;
  }
  REAL *const fields[2] = {state->E, state->H};
  NAME(start_terms)(state, fields);
  state->observed = false;
  state->sources = NULL; /* up to t = 0 every waveform is zero */
  if (!mx_scheme_of(&state->options)->staggered) return 0;
  if (NAME(fill_ghosts)(state, err) != 0) return err->code;
  state->starting = true;
  NAME(leapfrog_back)(state);
  state->starting = false;
  NAME(start_terms_back)(state, state->H);
  NAME(mx_kept_trace)(state->problem, MX_AMPERE, state->E, state->trace_E);
  if (mx_keeps_jumps(state->problem) && NAME(fill_ghosts)(state, err) != 0) return err->code;
  NAME(mx_kept_trace)(state->problem, MX_FARADAY, state->H, state->trace_H);
  return 0;
}

/* One equation of leapfrog; `before` are the kept traces of one step ago. */
static int NAME(leapfrog)(struct NAME(state) * state, enum mx_equation equation, REAL *field, REAL *before,
                          struct dg_error *err)
{
  const struct mx_problem *problem = state->problem;
  REAL *rate = state->rate_E;
  size_t per_element = 3 * (size_t)problem->ref->Np;
  REAL *const fields[2] = {state->E, state->H};
  if (NAME(before_pass)(state, equation, 0, fields, err) != 0) return err->code;
  NAME(rate)(state, equation, 0, before, rate);
  NAME(mx_kept_trace)(problem, equation, field, before);
  for (size_t e = 0; e < problem->K; e++) {
    const struct mx_medium_update update = NAME(update_of)(state, equation, e);
    REAL keep = (REAL)(1 - update.loss), add = (REAL)update.gain;
    for (size_t i = e * per_element; i < (e + 1) * per_element; i++) field[i] = keep * field[i] + add * rate[i];
  }
  NAME(after_step)(state, equation, field);
  return 0;
}

/* The right-hand side of an equation, losses included. */
static void NAME(lossy_rate)(struct NAME(state) * state, enum mx_equation equation, int s, const REAL *field,
                             REAL *rate)
{
  const struct mx_problem *problem = state->problem;
  size_t per_element = 3 * (size_t)problem->ref->Np;
  NAME(rate)(state, equation, s, NULL, rate);
  for (size_t e = 0; e < problem->K; e++) {
    const struct mx_medium_update update = NAME(update_of)(state, equation, e);
    if (update.loss == 0) continue;
    REAL gain = (REAL)(update.gain / state->options.step), loss = (REAL)(update.loss / state->options.step);
    for (size_t i = e * per_element; i < (e + 1) * per_element; i++) rate[i] = gain * rate[i] - loss * field[i];
  }
}

/* Computes the rates of both equations; the states of responses go on. */
static int NAME(rates)(struct NAME(state) * state, int s, struct dg_error *err)
{
  REAL *const fields[2] = {state->E, state->H};
  if (NAME(before_pass)(state, MX_FARADAY, s, fields, err) != 0) return err->code;
  NAME(lossy_rate)(state, MX_AMPERE, s, state->E, state->rate_E);
  NAME(lossy_rate)(state, MX_FARADAY, s, state->H, state->rate_H);
  struct NAME(response_stage) stage = NAME(stage_of)(state, s);
  stage.field[0] = state->E;
  stage.field[1] = state->H;
  stage.to[0] = state->rate_E;
  stage.to[1] = state->rate_H;
  stage.scale = 1;
  NAME(after_rates)(state, &stage);
  return 0;
}

/* Takes one field along by its rate. With sums, the field is that of the stage, and the register the step's start. */
static void NAME(take_along)(struct NAME(state) * state, struct mx_step_rule rule, REAL *field, REAL *reg, REAL *sum,
                             const REAL *rate)
{
  const REAL dt = (REAL)rule.step;
  if (rule.sums && rule.first) memcpy(reg, field, state->n * sizeof(REAL));
  for (size_t i = 0; i < state->n; i++) {
    REAL none = 0; /* a scheme of one pass keeps no register */
    if (rule.sums) NAME(mx_sums)(rule, rate[i], &reg[i], &sum[i], &field[i]);
    else NAME(mx_low_storage)(rule, dt * rate[i], &field[i], reg != NULL ? &reg[i] : &none);
  }
  if (rule.sums && rule.last) memcpy(field, reg, state->n * sizeof(REAL));
}

static int NAME(staggered_pass)(struct NAME(state) * state, const struct mx_pass *pass, bool observe,
                                struct dg_error *err)
{
  state->observed = observe;
  if (mx_pass_equation(pass) == MX_AMPERE) return NAME(leapfrog)(state, MX_AMPERE, state->E, state->trace_E, err);
  if (observe) memcpy(state->H_before, state->H, state->n * sizeof(REAL));
  return NAME(leapfrog)(state, MX_FARADAY, state->H, state->trace_H, err);
}

/* Does the whole stage: this backend does nothing while messages are under way. */
static int NAME(stage_begin)(struct NAME(state) * state, int s, bool observe, const struct mx_stage_sources *sources,
                             struct dg_error *err)
{
  const struct mx_pass *pass = &state->schedule.pass[s];
  if (NAME(fill_ghosts)(state, err) != 0) return err->code;
  state->sources = sources;
  if (mx_scheme_of(&state->options)->staggered) return NAME(staggered_pass)(state, pass, observe && s == 0, err);
  if (NAME(rates)(state, s, err) != 0) return err->code;
  REAL *const field[2] = {state->E, state->H}, *const reg[2] = {state->register_E, state->register_H},
              *const sum[2] = {state->sum_E, state->sum_H}, *const rate[2] = {state->rate_E, state->rate_H};
  const struct mx_step_rule rule = mx_step_rule_of(pass, state->options.step);
  for (int i = 0; i < 2; i++) NAME(take_along)(state, rule, field[i], reg[i], sum[i], rate[i]);
  return 0;
}

static int NAME(stage_end)(struct NAME(state) * state, int s, struct dg_error *err)
{
  (void)state, (void)s;
  return err->code;
}

/* H one half step ago, or H itself where both fields live at the same time. Observed values take the mean of this and
 * H. */
static const REAL *NAME(other_H)(const struct NAME(state) * state)
{
  if (!mx_scheme_of(&state->options)->staggered) return state->H;
  DG_BUG_IF(!state->observed, "values of a leapfrog step were asked for that was not observed");
  return state->H_before;
}

/* The tensor of an equation in element e; NULL: the medium is isotropic. */
static const double *NAME(shape_of)(const struct NAME(state) * state, enum mx_equation equation, size_t e)
{
  const struct mx_tensor *tensor = mx_tensor_of(state->problem, e);
  return tensor != NULL ? tensor->shape[equation] : NULL;
}

/* The factor times 1/2 sum over components of u^T M v on the reference tetrahedron, times the element's Jacobian; a
 * curved element has a product of its own. shape: a tensor between u and v, or NULL. */
static double NAME(product)(const struct NAME(state) * state, size_t e, double factor, const double *shape,
                            const REAL *u, const REAL *v)
{
  const struct mx_problem *problem = state->problem;
  const struct dg_reference *ref = problem->ref;
  const ptrdiff_t k = problem->curves.count > 0 ? mx_curve_find(problem, e) : -1;
  double sum = 0;
  int Np = ref->Np;
  if (k >= 0) {
    double a[3 * DG_NP_MAX], b[3 * DG_NP_MAX];
    for (int i = 0; i < 3 * Np; i++) {
      a[i] = (double)u[i];
      b[i] = (double)v[i];
    }
    return factor * mx_curve_product(NAME(mx_matrices_curves)(state->matrices), (size_t)k, a, b);
  }
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < Np; i++) {
      double row = 0, left = (double)u[c * Np + i];
      for (int j = 0; j < Np; j++) row += ref->mass[i * Np + j] * (double)v[c * Np + j];
      if (shape != NULL) {
        const double all[3] = {(double)u[i], (double)u[Np + i], (double)u[2 * Np + i]};
        double turned[3];
        mx_tensor_apply(shape, all, turned);
        left = turned[c];
      }
      sum += left * row;
    }
  return problem->jacobian[e] * factor * (0.5 * sum);
}

/* The integral of the squares of entry k, its energy or its loss. */
static double NAME(squares)(const struct NAME(state) * state, size_t r, size_t k, bool loss)
{
  const struct mx_response *response = &state->problem->response[r];
  const struct mx_response_entry entry = NAME(entry_of)(state, response, k);
  const size_t Np = (size_t)state->problem->ref->Np;
  const REAL *field = response->of == 0 ? state->E : state->H,
             *before = response->of == 0 ? field : NAME(other_H)(state);
  const int squares = loss ? mx_responses[response->kind]->states : mx_response_squares(response);
  double sum = 0;
  for (int q = 0; q < squares; q++) {
    const struct mx_square *square = loss ? &entry.loss[q] : &entry.energy[q];
    REAL v[3 * DG_NP_MAX];
    if (square->weight == 0) continue;
    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < Np; i++)
        v[c * Np + i] =
            (REAL)NAME(response_vector)(state, response, &NAME(responses_of)(state)[r], k, square, field, before, c, i);
    sum += NAME(product)(state, (size_t)response->where[k], 2 * square->weight, NULL, v, v);
  }
  return sum;
}

static void NAME(energy_of_responses)(const struct NAME(state) * state, double energy[2])
{
  const struct mx_problem *problem = state->problem;
  for (size_t r = 0; r < problem->responses; r++)
    for (size_t k = 0; k < problem->response[r].count && mx_response_has_energy(&problem->response[r]); k++)
      energy[problem->response[r].of] += NAME(squares)(state, r, k, false);
}

static void NAME(energy)(const struct NAME(state) * state, double *electric, double *magnetic)
{
  const struct mx_problem *problem = state->problem;
  const REAL *H_other = NAME(other_H)(state);
  *electric = *magnetic = 0;
  for (size_t e = 0; e < problem->K; e++) {
    const struct mx_medium_update of_E = NAME(update_of)(state, MX_AMPERE, e),
                                  of_H = NAME(update_of)(state, MX_FARADAY, e);
    const REAL *at_E = state->E + 3 * (size_t)problem->ref->Np * e, *H = state->H + (at_E - state->E),
               *H_before = H_other + (at_E - state->E);
    const double *epsilon = NAME(shape_of)(state, MX_AMPERE, e), *mu = NAME(shape_of)(state, MX_FARADAY, e);
    *electric += NAME(product)(state, e, of_E.inertia, epsilon, at_E, at_E);
    *magnetic += NAME(product)(state, e, of_H.inertia, mu, H_before, H);
    if (of_H.lag > 0)
      *magnetic -=
          NAME(product)(state, e, of_H.lag, mu, H, H) - NAME(product)(state, e, of_H.lag, mu, H_before, H_before);
  }
  double sum[2] = {*electric, *magnetic};
  NAME(energy_of_terms)(state, sum);
  *electric = sum[0], *magnetic = sum[1];
}

/* Weights of the nodes' values, of covariant components in a curved element, whose frame at the place is `metric`. */
static void NAME(sample_curved)(const struct NAME(state) * state, const struct mx_point *point, const REAL *field,
                                double value[3])
{
  const struct mx_curve_tables *curves = NAME(mx_matrices_curves)(state->matrices);
  const size_t Np = (size_t)state->problem->ref->Np, k = (size_t)mx_curve_find(state->problem, point->element);
  double u[3] = {0};
  field += 3 * point->element * Np;
  for (size_t j = 0; j < Np; j++)
    for (size_t a = 0; a < 3; a++) {
      const double *x = curves->tangent[k * Np + j][a];
      u[a] += point->weight[j] *
              (x[0] * (double)field[j] + x[1] * (double)field[Np + j] + x[2] * (double)field[2 * Np + j]);
    }
  for (size_t b = 0; b < 3; b++)
    value[b] = point->metric[b] * u[0] + point->metric[3 + b] * u[1] + point->metric[6 + b] * u[2];
}

static void NAME(sample)(const struct NAME(state) * state, size_t count, const struct mx_point *point,
                         double (*value)[6])
{
  const REAL *H_other = NAME(other_H)(state);
  size_t Np = (size_t)state->problem->ref->Np;
  for (size_t i = 0; i < count; i++) {
    if (point[i].metric != NULL) {
      double before[3];
      NAME(sample_curved)(state, &point[i], state->E, value[i]);
      NAME(sample_curved)(state, &point[i], state->H, value[i] + 3);
      NAME(sample_curved)(state, &point[i], H_other, before);
      for (size_t c = 0; c < 3; c++) value[i][3 + c] = 0.5 * (value[i][3 + c] + before[c]);
      continue;
    }
    for (size_t c = 0; c < 3; c++) {
      size_t at = (3 * point[i].element + c) * Np;
      const double *weight = point[i].weight, one = 1;
      size_t first = weight != NULL ? 0 : point[i].node, nodes = weight != NULL ? Np : 1;
      if (weight == NULL) weight = &one;
      double E = 0, H = 0;
      for (size_t j = 0; j < nodes; j++) {
        E += weight[j] * (double)state->E[at + first + j];
        H += weight[j] * 0.5 * ((double)state->H[at + first + j] + (double)H_other[at + first + j]);
      }
      value[i][c] = E;
      value[i][3 + c] = H;
    }
  }
}

static void NAME(functionals)(const struct NAME(state) * state, size_t first, size_t count, bool centred, double *value)
{
  const REAL *H_other = centred ? NAME(other_H)(state) : state->H;
  for (size_t i = 0; i < count; i++) {
    const struct mx_functional *functional = &state->problem->functional[first + i];
    const REAL *a = functional->magnetic ? state->H : state->E, *b = functional->magnetic ? H_other : state->E;
    double sum = 0;
    for (size_t j = 0; j < functional->count; j++) {
      size_t at = functional->index[j];
      sum += functional->weight[j] * 0.5 * ((double)a[at] + (double)b[at]);
    }
    value[i] = sum;
  }
}

static void NAME(loss)(const struct NAME(state) * state, size_t count, const int32_t *element, double *loss)
{
  const struct mx_problem *problem = state->problem;
  *loss = 0;
  for (size_t k = 0; k < count; k++) {
    size_t e = (size_t)element[k], per_element = 3 * (size_t)problem->ref->Np, at = per_element * e, entry;
    const double of_E = mx_medium_of(problem, MX_AMPERE, e).loss, of_H = mx_medium_of(problem, MX_FARADAY, e).loss;
    if (of_E > 0)
      *loss += NAME(product)(state, e, 2 * of_E, NAME(shape_of)(state, MX_AMPERE, e), state->E + at, state->E + at);
    for (int i = 0; i < 2; i++) {
      const struct mx_response *response = mx_problem_poles(problem, (enum mx_equation)i, e, &entry);
      if (response != NULL) *loss += NAME(squares)(state, (size_t)(response - problem->response), entry, true);
    }
    if (!(of_H > 0)) continue;
    const REAL *other = NAME(other_H)(state) + at;
    REAL H[3 * DG_NP_MAX];
    for (size_t i = 0; i < per_element; i++) H[i] = (REAL)0.5 * (other[i] + state->H[at + i]);
    *loss += NAME(product)(state, e, 2 * of_H, NAME(shape_of)(state, MX_FARADAY, e), H, H);
  }
}

static void NAME(download)(const struct NAME(state) * state, double *E, double *H)
{
  const REAL *H_other = NAME(other_H)(state);
  for (size_t i = 0; i < state->n; i++) {
    if (E != NULL) E[i] = (double)state->E[i];
    if (H != NULL) H[i] = 0.5 * ((double)state->H[i] + (double)H_other[i]);
  }
}

static void NAME(check)(const struct NAME(state) * state, struct mx_field_check *check)
{
  size_t per_element = 3 * (size_t)state->problem->ref->Np;
  *check = (struct mx_field_check){.finite = true};
  for (size_t i = 0; i < state->n; i++) {
    double E = fabs((double)state->E[i]), H = fabs((double)state->H[i]), worse = E > H ? E : H;
    if (!isfinite(E) || !isfinite(H)) {
      *check = (struct mx_field_check){.finite = false, .element = i / per_element, .largest = INFINITY};
      return;
    }
    if (worse > check->largest) {
      check->largest = worse;
      check->element = i / per_element;
    }
  }
}

static void NAME(save)(struct NAME(state) * state, int array, size_t first, size_t count, double *value)
{
  const struct mx_state_array of = mx_state_array(state->problem, state->options.integrator, (size_t)array);
  const size_t width = mx_state_width(&of);
  if (NAME(copy_terms)(state, &of, first, count, value, NULL)) return;
  const REAL *from = of.field == MX_AMPERE ? state->E : state->H;
  for (size_t i = 0; i < count * width; i++) value[i] = (double)from[first * width + i];
}

static void NAME(load)(struct NAME(state) * state, int array, size_t first, size_t count, const double *value)
{
  const struct mx_state_array of = mx_state_array(state->problem, state->options.integrator, (size_t)array);
  const size_t width = mx_state_width(&of);
  if (NAME(copy_terms)(state, &of, first, count, NULL, value)) return;
  REAL *to = of.field == MX_AMPERE ? state->E : state->H;
  for (size_t i = 0; i < count * width; i++) to[first * width + i] = (REAL)value[i];
}

/* Ghosts are filled at every stage. */
static int NAME(loaded)(struct NAME(state) * state, struct dg_error *err)
{
  state->observed = false;
  return NAME(terms_loaded)(state, err);
}

#include "maxwell/backend/reference/reference_fine.h"
