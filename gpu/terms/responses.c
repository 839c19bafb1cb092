/* Responses on the card: their tables, their part of a stage, what is observed of them, and their states for
 * checkpoints. */
#include <math.h>
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/core/curves.h"
#include "gpu/core/halo.h"
#include "gpu/core/phases.h"
#include "gpu/core/places.h"
#include "gpu/core/staging.h"
#include "gpu/terms/layer_pieces.h"
#include "gpu/terms/list.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/cost.h"
#include "maxwell/backend/frame/frame.h"
#include "maxwell/problem/curve_tables.h" /* the rule */

struct own_response {
  struct gpu_response at;
  double *start;         /* of the card: [states][count][2], factors of the field */
  double *energy, *loss; /* of the card: [squares][count][2 + states], [losses][count][2 + states]: squares */
  double *energy_weight; /* of the card: [squares][count], twice their signs */
  int squares;           /* of an energy */
  int losses;            /* the most squares of a loss */
  double *sign;          /* of the host: [losses][count] of these squares */
  void *vector;          /* of the card: rows [count], what is observed */
};

struct own_responses {
  struct own_response *response; /* [responses] of the problem */
};

static struct own_response *own_of(const struct mx_backend *backend, size_t r)
{
  return &((struct own_responses *)backend->own[GPU_RESPONSES_TERM])->response[r];
}

/* The size of a response's states, or of a register of them, in numbers, with the padding of rows. */
static size_t state_numbers(const struct mx_problem *problem, const struct mx_response *response)
{
  const struct mx_response_ops *ops = mx_responses[response->kind];
  return response->count * (size_t)ops->states *
         (ops->layer ? 3 * mx_response_places(problem, response->kind) : gpu_stride(problem->ref->order));
}

static int new_state(struct mx_backend *backend, void *pointer, size_t numbers, struct dg_error *err)
{
  void **array = pointer;
  if (gpu_new(&backend->card, array, numbers * backend->real, "responses", err) != 0) return err->code;
  return gpu_check(gpuMemsetAsync(*array, 0, numbers * backend->real, backend->work), "clearing responses", err);
}

/* The numbers of an entry, with the coefficients in the card's components. */
static struct mx_response_entry prepare(struct mx_backend *backend, const struct mx_response *from, size_t k,
                                        double *coefficient)
{
  double gradient[3][3], tangent[3][3];
  const struct mx_response_entry entry =
      mx_response_prepare(backend->problem, from, k, backend->options.integrator, backend->options.step, coefficient);
  if (mx_responses[from->kind]->turn == NULL) return entry;
  mx_frame_gradients(backend->problem->metric[from->where[k]], gradient);
  (void)mx_frame_tangents(backend->problem->metric[from->where[k]], tangent);
  mx_responses[from->kind]->turn((const double(*)[3])gradient, (const double(*)[3])tangent, coefficient);
  return entry;
}

/* Sends the coefficients of each entry to the card. */
static int pack_entries(struct mx_backend *backend, struct own_response *to, const struct mx_response *from,
                        struct dg_error *err)
{
  const size_t count = from->count, coefficients = (size_t)mx_responses[from->kind]->coefficients;
  void *coefficient = NULL;
  if (dg_alloc(&coefficient, count * coefficients, backend->real, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++) {
    double own[MX_RESPONSE_COEFFICIENTS];
    (void)prepare(backend, from, k, own);
    for (size_t i = 0; i < coefficients; i++) gpu_put(backend, coefficient, k * coefficients + i, own[i]);
  }
  (void)!(gpu_new_copy(&backend->card, &to->at.where, from->where, count * sizeof *from->where, "responses", err) !=
              0 ||
          gpu_new_copy(&backend->card, &to->at.coefficient, coefficient, count * coefficients * backend->real,
                       "responses", err) != 0 ||
          gpu_layer_pack_used(backend, &to->at, coefficient, err) != 0);
  dg_free(coefficient);
  return err->code;
}

static void put_square(const struct mx_square *square, int states, double *factor)
{
  const double root = sqrt(fabs(square->weight));
  factor[0] = root * square->field;
  factor[1] = root * square->before;
  for (int q = 0; q < states; q++) factor[2 + q] = root * square->state[q];
}

/* Sends the starts and the squares of a pole's entries to the card. */
static int pack_squares(struct mx_backend *backend, struct own_response *to, const struct mx_response *from,
                        struct dg_error *err)
{
  const size_t count = from->count, states = (size_t)mx_responses[from->kind]->states, each = 2 + states,
               squares = (size_t)mx_response_squares(from), bytes = count * each * sizeof(double);
  double own[MX_RESPONSE_COEFFICIENTS], *start = NULL, *energy = NULL, *loss = NULL, *weight = NULL;
  if (DG_NEW(start, 2 * count * states, err) != 0 || DG_NEW(energy, squares * count * each, err) != 0 ||
      DG_NEW(loss, states * count * each, err) != 0 || DG_NEW(weight, squares * count, err) != 0 ||
      DG_NEW(to->sign, states * count, err) != 0)
    goto fail;
  for (size_t k = 0; k < count; k++) {
    const struct mx_response_entry entry = prepare(backend, from, k, own);
    for (size_t q = 0; q < squares; q++) {
      weight[q * count + k] = entry.energy[q].weight < 0 ? -2 : 2; /* because the sum is halved */
      put_square(&entry.energy[q], (int)states, energy + (q * count + k) * each);
    }
    for (size_t q = 0; q < states; q++) {
      start[2 * (q * count + k)] = entry.start[q];
      put_square(&entry.loss[q], (int)states, loss + (q * count + k) * each);
      to->sign[q * count + k] = entry.loss[q].weight < 0 ? -1 : 1;
      if (entry.loss[q].weight != 0 && to->losses <= (int)q) to->losses = (int)q + 1;
    }
  }
  (void)!(gpu_new_copy(&backend->card, &to->start, start, 2 * count * states * sizeof *start, "responses", err) != 0 ||
          gpu_new_copy(&backend->card, &to->energy, energy, squares * bytes, "responses", err) != 0 ||
          gpu_new_copy(&backend->card, &to->loss, loss, states * bytes, "responses", err) != 0 ||
          gpu_new_copy(&backend->card, &to->energy_weight, weight, squares * count * sizeof *weight, "responses",
                       err) != 0);
fail:
  dg_free(start);
  dg_free(energy);
  dg_free(loss);
  dg_free(weight);
  return err->code;
}

/* Sends the rule of a layer: its points and the matrices to them and back. */
static int pack_rule(struct mx_backend *backend, struct own_response *to, struct dg_error *err)
{
  enum { SHARED = 32768 }; /* bytes of a block, which leave room for others */
  const struct dg_reference *ref = backend->problem->ref;
  const size_t Np = (size_t)ref->Np;
  struct dg_quadrature rule;
  void *place = NULL, *at = NULL, *project = NULL;
  if (dg_quadrature_init(&rule, ref, err) != 0) return err->code;
  const size_t Nq = (size_t)rule.volume.points, numbers = Np * Nq, real = backend->real;
  const size_t fit = SHARED / (GPU_LAYER_PAIR * gpu_layer_bytes(ref->order, (int)Nq, real)),
               most = GPU_LAYER_THREADS / ((Nq + GPU_LAYER_ROWS - 1) / GPU_LAYER_ROWS);
  to->at.points = (int)Nq;
  to->at.rows = (int)(most < 1 ? 1 : most > fit && fit > 0 ? fit : most);
  if (dg_alloc(&place, 4 * Nq, real, err) != 0 || dg_alloc(&at, numbers, real, err) != 0 ||
      dg_alloc(&project, numbers, real, err) != 0)
    goto fail;
  for (size_t q = 0; q < Nq; q++) {
    for (size_t v = 0; v < 4; v++) gpu_put(backend, place, 4 * q + v, rule.volume.place[q][v]);
    for (size_t i = 0; i < Np; i++) {
      const size_t node = (size_t)backend->node[i];
      gpu_put(backend, at, i * Nq + q, rule.at[q * Np + node]);
      gpu_put(backend, project, q * Np + i, rule.project[node * Nq + q]);
    }
  }
  (void)!(gpu_new_copy(&backend->card, &to->at.place, place, 4 * Nq * real, "responses", err) != 0 ||
          gpu_new_copy(&backend->card, &to->at.at, at, numbers * real, "responses", err) != 0 ||
          gpu_new_copy(&backend->card, &to->at.project, project, numbers * real, "responses", err) != 0 ||
          gpu_layer_pack_pieces(backend, &to->at, &rule, err) != 0);
fail:
  dg_quadrature_release(&rule);
  dg_free(place);
  dg_free(at);
  dg_free(project);
  return err->code;
}

static int create(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  const struct mx_scheme *scheme = mx_scheme_of(&backend->options);
  struct own_responses *all = backend->own[GPU_RESPONSES_TERM];
  if (DG_NEW(all->response, problem->responses, err) != 0) return err->code;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *from = &problem->response[r];
    struct own_response *to = own_of(backend, r);
    const size_t numbers = state_numbers(problem, from);
    to->at.kind = from->kind;
    to->at.states = mx_responses[from->kind]->states;
    to->at.of_E = mx_responses[from->kind]->of_E;
    to->at.layer = mx_responses[from->kind]->layer;
    to->at.of = from->of;
    to->squares = mx_response_squares(from);
    to->at.coefficients = (size_t)mx_responses[from->kind]->coefficients;
    to->at.count = from->count;
    if (from->count == 0) continue;
    for (size_t k = 0; k < from->count && to->at.layer; k++)
      if (gpu_is_curved(backend, (size_t)from->where[k]))
        return dg_fail(err, DG_INPUT, "element %d of a layer is curved, which the cuda backend does not take",
                       (int)from->where[k]);
    if (pack_entries(backend, to, from, err) != 0 || new_state(backend, &to->at.now, numbers, err) != 0 ||
        (!to->at.layer && pack_squares(backend, to, from, err) != 0) ||
        (to->at.layer ? pack_rule(backend, to, err)
                      : new_state(backend, &to->vector, from->count * gpu_stride(problem->ref->order), err)) != 0 ||
        (!scheme->staggered && !scheme->sums && new_state(backend, &to->at.registers, numbers, err) != 0) ||
        (scheme->sums && new_state(backend, &to->at.stage, numbers, err) != 0) ||
        (scheme->sums && new_state(backend, &to->at.sum, numbers, err) != 0))
      return err->code;
  }
  return 0;
}

static void release(struct mx_backend *backend)
{
  struct own_responses *all = backend->own[GPU_RESPONSES_TERM];
  for (size_t r = 0; all->response != NULL && r < backend->problem->responses; r++) dg_free(all->response[r].sign);
  dg_free(all->response);
}

static size_t bytes_of(const struct mx_problem *problem, const struct mx_backend_options *options, size_t real)
{
  const struct mx_scheme *scheme = mx_scheme_of(options);
  const size_t arrays = scheme->staggered ? 1 : scheme->sums ? 3 : 2;
  size_t bytes = 0;
  for (size_t r = 0; r < problem->responses; r++) {
    const size_t count = problem->response[r].count, numbers = state_numbers(problem, &problem->response[r]);
    const bool layer = mx_responses[problem->response[r].kind]->layer;
    const size_t states = (size_t)mx_responses[problem->response[r].kind]->states;
    const size_t vector = layer ? 0 : gpu_stride(problem->ref->order),
                 squares = (size_t)mx_response_squares(&problem->response[r]),
                 factors = layer ? 0 : (squares + states) * (2 + states) + 2 * states + squares;
    bytes +=
        real * (arrays * numbers + count * (vector + (size_t)mx_responses[problem->response[r].kind]->coefficients)) +
        count * (factors * sizeof(double) + sizeof(int32_t));
    if (count > 0 && mx_responses[problem->response[r].kind]->layer)
      bytes += real * (mx_response_places(problem, problem->response[r].kind) * (2 * (size_t)problem->ref->Np + 4)) +
               gpu_layer_piece_bytes(problem->ref->order, problem->response[r].kind, count, real);
  }
  return bytes;
}

static int start(struct mx_backend *backend, struct dg_error *err)
{
  for (size_t r = 0; r < backend->problem->responses; r++) {
    const struct own_response *own = own_of(backend, r);
    if (own->at.layer) {
      const size_t bytes = state_numbers(backend->problem, &backend->problem->response[r]) * backend->real;
      if (bytes > 0 && gpu_check(gpuMemsetAsync(own->at.now, 0, bytes, backend->work), "starting responses", err) != 0)
        return err->code;
      continue;
    }
    for (int q = 0; q < own->at.states; q++) {
      const struct gpu_response_vector vector = {.factor = own->start + 2 * (size_t)q * own->at.count,
                                                 .field = backend->field[own->at.of],
                                                 .rows = own->at.states,
                                                 .row = q,
                                                 .to = own->at.now};
      if (gpu_check(gpu_combine_response(&backend->tables, &own->at, &vector, backend->work), "starting responses",
                    err) != 0)
        return err->code;
    }
  }
  return 0;
}

/* Vectors that answer H belong to the time of H. */
static int start_apart(struct mx_backend *backend, struct dg_error *err)
{
  for (size_t r = 0; r < backend->problem->responses; r++)
    if (gpu_check(gpu_start_vectors(&backend->tables, &own_of(backend, r)->at, backend->field[1], backend->work),
                  "starting responses", err) != 0)
      return err->code;
  return 0;
}

/* A response is a phase of its own, by what it is: layers cost more than others. A stage has two registers. */
static void begin_phase(struct mx_backend *backend, size_t r)
{
  const bool layer = own_of(backend, r)->at.layer;
  if (own_of(backend, r)->at.count > 0) gpu_phase_begin(backend, backend->work, layer ? "layers" : "responses");
}

static void end_phase(struct mx_backend *backend, size_t r, int registers)
{
  if (gpu_is_timed(backend) && own_of(backend, r)->at.count > 0)
    gpu_phase_end(backend, backend->work,
                  mx_cost_response(backend->problem, &backend->problem->response[r], backend->real, registers));
}

static int after(struct mx_backend *backend, int of, void *field, struct dg_error *err)
{
  for (size_t r = 0; r < backend->problem->responses; r++) {
    const struct gpu_response *at = &own_of(backend, r)->at;
    if (!at->layer && of != at->of) continue;
    begin_phase(backend, r);
    if (gpu_check(gpu_step_response(&backend->tables, at, of, field, backend->work), "responses", err) != 0)
      return err->code;
    end_phase(backend, r, 1);
  }
  return 0;
}

static int stage(struct mx_backend *backend, const struct gpu_stage_end *end, struct dg_error *err)
{
  const double step = backend->options.step;
  const struct gpu_response_stage stage = {.step = step,
                                           .a = end->pass->a,
                                           .b = end->pass->b,
                                           .weight = end->pass->weight * step,
                                           .next = end->pass->next * step,
                                           .first = end->s == 0,
                                           .last = end->s == mx_scheme_of(&backend->options)->stages - 1,
                                           .field = {end->field[0], end->field[1]},
                                           .to = {end->to[0], end->to[1]},
                                           .also = {end->also[0], end->also[1]}};
  for (size_t r = 0; r < backend->problem->responses; r++) {
    begin_phase(backend, r);
    if (gpu_check(gpu_stage_response(&backend->tables, &own_of(backend, r)->at, &stage, backend->work), "responses",
                  err) != 0)
      return err->code;
    end_phase(backend, r, 2);
  }
  return 0;
}

/* ---- observation */

/* Adds to `part`, or with `more` 0 makes it, the integrals of `squares` squares, times weight[squares][count]. */
static int begin_squares(struct mx_backend *backend, const struct own_response *own, int squares, const double *factor,
                         const double *weight, int more, double *part, struct dg_error *err)
{
  const size_t each = own->at.count * (size_t)(2 + own->at.states);
  const void *field = backend->field[own->at.of], *before = own->at.of == 0 ? field : gpu_other_H(backend);
  for (int q = 0; q < squares; q++) {
    const struct gpu_response_vector vector = {.factor = factor + (size_t)q * each,
                                               .states = own->at.states,
                                               .field = field,
                                               .before = before,
                                               .rows = 1,
                                               .row = 0,
                                               .to = own->vector};
    const struct gpu_product product = {.u = own->vector,
                                        .v = own->vector,
                                        .more = more || q > 0,
                                        .own_rows = 1,
                                        .count = own->at.count,
                                        .element = own->at.where,
                                        .factor = weight + (size_t)q * own->at.count,
                                        .part = part};
    if (gpu_check(gpu_combine_response(&backend->tables, &own->at, &vector, backend->work), "observing", err) != 0 ||
        gpu_all_products(backend, product, err) != 0)
      return err->code;
  }
  return 0;
}

static int energy(struct mx_backend *backend, int of, double *part, struct dg_error *err)
{
  for (size_t r = 0; r < backend->problem->responses; r++) {
    const struct own_response *own = own_of(backend, r);
    if (own->at.count > 0 && !own->at.layer && own->at.of == of &&
        begin_squares(backend, own, own->squares, own->energy, own->energy_weight, 1, part, err) != 0)
      return err->code;
  }
  return 0;
}

/* chosen[]: the sign of each entry of the response whose element is in the list, else 0. */
static void choose(const struct mx_response *response, const double *sign, size_t count, const int32_t *element,
                   double *chosen)
{
  memset(chosen, 0, response->count * sizeof *chosen);
  for (size_t i = 0; i < count; i++) {
    const ptrdiff_t k = mx_response_find(response, (size_t)element[i]);
    if (k >= 0) chosen[k] = sign[k];
  }
}

/* Adds the integral of loss q of the response in the elements to *loss. */
static int add_loss(struct mx_backend *backend, size_t r, int q, size_t count, const int32_t *element, double *loss,
                    struct dg_error *err)
{
  const struct own_response *own = own_of(backend, r);
  const size_t bytes = own->at.count * sizeof(double), parts = GPU_SUM_PARTS * sizeof(double),
               each = own->at.count * (size_t)(2 + own->at.states);
  if (gpu_grow_staging(backend, bytes > parts ? bytes : parts, err) != 0) return err->code;
  choose(&backend->problem->response[r], own->sign + (size_t)q * own->at.count, count, element,
         (double *)(void *)backend->staging[0]);
  if (gpu_check(
          gpuMemcpyAsync(backend->card_staging[0], backend->staging[0], bytes, gpuMemcpyHostToDevice, backend->work),
          "observing", err) != 0 ||
      begin_squares(backend, own, 1, own->loss + (size_t)q * each, (const double *)(void *)backend->card_staging[0], 0,
                    (double *)(void *)backend->card_staging[1], err) != 0 ||
      gpu_check(
          gpuMemcpyAsync(backend->staging[1], backend->card_staging[1], parts, gpuMemcpyDeviceToHost, backend->work),
          "observing", err) != 0 ||
      gpu_wait(backend, err) != 0)
    return err->code;
  *loss += gpu_sum_of_parts(backend->staging[1], GPU_SUM_PARTS);
  return 0;
}

static int loss_of(struct mx_backend *backend, size_t count, const int32_t *element, double *loss, struct dg_error *err)
{
  for (size_t r = 0; r < backend->problem->responses; r++)
    for (int q = 0; q < own_of(backend, r)->losses; q++)
      if (add_loss(backend, r, q, count, element, loss, err) != 0) return err->code;
  return 0;
}

/* Poles of H: what they store and lose needs H of half a step before. */
static bool needs_old_H(const struct mx_problem *problem)
{
  for (size_t r = 0; r < problem->responses; r++)
    if (problem->response[r].of == 1) return true;
  return false;
}

/* ---- checkpoints */

/* Copies numbers of a state at the points of the rule, which lie on the card as they do here. */
static int copy_points(struct mx_backend *backend, void *card, size_t first, size_t count, double *to,
                       const double *from, struct dg_error *err)
{
  unsigned char *const at = (unsigned char *)card + first * backend->real;
  const size_t bytes = count * backend->real;
  if (gpu_grow_staging(backend, bytes, err) != 0) return err->code;
  for (size_t i = 0; i < count && from != NULL; i++) gpu_put(backend, backend->staging[0], i, from[i]);
  if (gpu_copy_staged(backend, at, bytes, from != NULL, err) != 0) return err->code;
  for (size_t i = 0; i < count && to != NULL; i++) to[i] = gpu_get(backend, backend->staging[0], i);
  return 0;
}

static int copy(struct mx_backend *backend, const struct mx_state_array *array, size_t first, size_t count, double *to,
                const double *from, struct dg_error *err)
{
  if (array->list != MX_STATE_OF_ENTRIES) return 0;
  void *const now = own_of(backend, array->response)->at.now;
  if (array->points)
    return copy_points(backend, now, first * mx_state_width(array), count * mx_state_width(array), to, from, err);
  return gpu_copy_rows(backend, now, first * array->vectors, count * array->vectors, to, from, err);
}

const struct gpu_term_kind gpu_responses_kind = {
    .name = "responses",
    .size = sizeof(struct own_responses),
    .create = create,
    .release = release,
    .bytes = bytes_of,
    .start = start,
    .start_apart = start_apart,
    .after = after,
    .stage = stage,
    .energy = energy,
    .loss = loss_of,
    .needs_old_H = needs_old_H,
    .copy = copy,
};
