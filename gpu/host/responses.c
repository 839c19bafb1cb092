/* Responses on the card: their tables, their part of a stage, what is observed of them, and their states for
 * checkpoints. Called by cuda_backend.c, step.c, observe.c and checkpoint.c. */
#include <string.h>

#include "gpu/host/state.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/frame/frame.h"

/* The size of a response's states, or of a register of them, in numbers, with the padding of rows. */
static size_t state_numbers(const struct mx_problem *problem, const struct mx_response *response)
{
  return response->count * (size_t)mx_responses[response->kind]->states * gpu_stride(problem->ref->order);
}

static int new_state(struct mx_backend *backend, void *pointer, size_t numbers, struct dg_error *err)
{
  void **array = pointer;
  if (gpu_new(&backend->card, array, numbers * backend->real, "responses", err) != 0) return err->code;
  return gpu_check(gpuMemsetAsync(*array, 0, numbers * backend->real, backend->work), "clearing responses", err);
}

/* Sets one row of factor[count][1 + MX_POLE_STATES], of a square or of a state at the start. */
static void put_factor(double *factor, double field, const double *state)
{
  factor[0] = field;
  for (int q = 0; q < MX_POLE_STATES; q++) factor[1 + q] = state != NULL ? state[q] : 0;
}

/* Sends the numbers of each entry to the card. */
static int pack_entries(struct mx_backend *backend, struct gpu_own_response *to, const struct mx_response *from,
                        struct dg_error *err)
{
  enum { FACTORS = 1 + MX_POLE_STATES };
  const size_t count = from->count, bytes = count * FACTORS * sizeof(double);
  const size_t coefficients = (size_t)mx_responses[from->kind]->coefficients;
  void *coefficient = NULL;
  double *start = NULL, *energy = NULL, *loss = NULL, *weight = NULL;
  if (dg_alloc(&coefficient, count * coefficients, backend->real, err) != 0 ||
      DG_NEW(start, count * FACTORS * MX_POLE_STATES, err) != 0 || DG_NEW(energy, count * FACTORS, err) != 0 ||
      DG_NEW(loss, count * FACTORS, err) != 0 || DG_NEW(weight, count, err) != 0 ||
      DG_NEW(to->loss_weight, count, err) != 0)
    goto fail;
  for (size_t k = 0; k < count; k++) {
    double own[MX_RESPONSE_COEFFICIENTS], gradient[3][3], tangent[3][3];
    const struct mx_response_entry entry =
        mx_response_prepare(backend->problem, from, k, backend->options.integrator, backend->options.step, own);
    mx_frame_gradients(backend->problem->metric[from->where[k]], gradient);
    (void)mx_frame_tangents(backend->problem->metric[from->where[k]], tangent);
    if (mx_responses[from->kind]->turn != NULL)
      mx_responses[from->kind]->turn((const double(*)[3])gradient, (const double(*)[3])tangent, own);
    for (size_t i = 0; i < coefficients; i++) gpu_put(backend, coefficient, k * coefficients + i, own[i]);
    for (size_t q = 0; q < MX_POLE_STATES; q++) put_factor(start + (q * count + k) * FACTORS, entry.start[q], NULL);
    put_factor(energy + k * FACTORS, entry.energy.field, entry.energy.state);
    put_factor(loss + k * FACTORS, entry.loss.field, entry.loss.state);
    weight[k] = 2 * entry.energy.weight; /* twice, because the sum is halved */
    to->loss_weight[k] = entry.loss.weight;
  }
  (void)!(gpu_new_copy(&backend->card, &to->at.where, from->where, count * sizeof *from->where, "responses", err) !=
              0 ||
          gpu_new_copy(&backend->card, &to->at.coefficient, coefficient, count * coefficients * backend->real,
                       "responses", err) != 0 ||
          gpu_new_copy(&backend->card, &to->start, start, MX_POLE_STATES * bytes, "responses", err) != 0 ||
          gpu_new_copy(&backend->card, &to->energy, energy, bytes, "responses", err) != 0 ||
          gpu_new_copy(&backend->card, &to->loss, loss, bytes, "responses", err) != 0 ||
          gpu_new_copy(&backend->card, &to->energy_weight, weight, count * sizeof *weight, "responses", err) != 0);
fail:
  dg_free(coefficient);
  dg_free(start);
  dg_free(energy);
  dg_free(loss);
  dg_free(weight);
  return err->code;
}

/* Sends the barycentric coordinates of the nodes, in the card's order. */
static int pack_barycentric(struct mx_backend *backend, struct gpu_own_response *to, struct dg_error *err)
{
  const struct dg_reference *ref = backend->problem->ref;
  const size_t numbers = 4 * (size_t)ref->Np;
  void *table = NULL;
  if (dg_alloc(&table, numbers, backend->real, err) != 0) return err->code;
  for (size_t i = 0; i < (size_t)ref->Np; i++) {
    double L[4];
    dg_reference_barycentric(ref, backend->node[i], L);
    for (size_t v = 0; v < 4; v++) gpu_put(backend, table, 4 * i + v, L[v]);
  }
  (void)!gpu_new_copy(&backend->card, &to->at.barycentric, table, numbers * backend->real, "responses", err);
  dg_free(table);
  return err->code;
}

int gpu_pack_responses(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  const struct mx_scheme *scheme = mx_scheme_of(&backend->options);
  if (DG_NEW(backend->response, problem->responses, err) != 0) return err->code;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *from = &problem->response[r];
    struct gpu_own_response *to = &backend->response[r];
    const size_t numbers = state_numbers(problem, from);
    to->at.kind = from->kind;
    to->at.states = mx_responses[from->kind]->states;
    to->at.of_E = mx_responses[from->kind]->of_E;
    to->at.layer = mx_responses[from->kind]->layer;
    to->at.coefficients = (size_t)mx_responses[from->kind]->coefficients;
    to->at.count = from->count;
    if (from->count == 0) continue;
    for (size_t k = 0; k < from->count && to->at.layer; k++)
      if (gpu_is_curved(backend, (size_t)from->where[k]))
        return dg_fail(err, DG_INPUT, "element %d of a layer is curved, which the cuda backend does not take",
                       (int)from->where[k]);
    if (pack_entries(backend, to, from, err) != 0 || new_state(backend, &to->at.now, numbers, err) != 0 ||
        (to->at.layer ? pack_barycentric(backend, to, err)
                      : new_state(backend, &to->vector, from->count * gpu_stride(problem->ref->order), err)) != 0 ||
        (!scheme->staggered && !scheme->sums && new_state(backend, &to->at.registers, numbers, err) != 0) ||
        (scheme->sums && new_state(backend, &to->at.stage, numbers, err) != 0) ||
        (scheme->sums && new_state(backend, &to->at.sum, numbers, err) != 0))
      return err->code;
  }
  return 0;
}

void gpu_release_responses(struct mx_backend *backend)
{
  for (size_t r = 0; backend->response != NULL && r < backend->problem->responses; r++)
    dg_free(backend->response[r].loss_weight);
  dg_free(backend->response);
}

size_t gpu_response_bytes(const struct mx_problem *problem, const struct mx_backend_options *options, size_t real)
{
  const struct mx_scheme *scheme = mx_scheme_of(options);
  const size_t arrays = scheme->staggered ? 1 : scheme->sums ? 3 : 2;
  const size_t factors = (MX_POLE_STATES + 2) * (1 + MX_POLE_STATES) + 1;
  size_t bytes = 0;
  for (size_t r = 0; r < problem->responses; r++) {
    const size_t count = problem->response[r].count, numbers = state_numbers(problem, &problem->response[r]);
    const size_t vector = mx_responses[problem->response[r].kind]->layer ? 0 : gpu_stride(problem->ref->order);
    bytes +=
        real * (arrays * numbers + count * (vector + (size_t)mx_responses[problem->response[r].kind]->coefficients)) +
        count * (factors * sizeof(double) + sizeof(int32_t));
  }
  return bytes;
}

int gpu_start_responses(struct mx_backend *backend, struct dg_error *err)
{
  for (size_t r = 0; r < backend->problem->responses; r++) {
    const struct gpu_own_response *own = &backend->response[r];
    const size_t each = own->at.count * (1 + MX_POLE_STATES);
    if (own->at.layer) {
      const size_t bytes = state_numbers(backend->problem, &backend->problem->response[r]) * backend->real;
      if (bytes > 0 && gpu_check(gpuMemsetAsync(own->at.now, 0, bytes, backend->work), "starting responses", err) != 0)
        return err->code;
      continue;
    }
    for (int q = 0; q < own->at.states; q++) {
      const struct gpu_response_vector vector = {.factor = own->start + (size_t)q * each,
                                                 .field = backend->field[0],
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

int gpu_step_responses(struct mx_backend *backend, int of, void *field, struct dg_error *err)
{
  for (size_t r = 0; r < backend->problem->responses; r++)
    if (gpu_check(gpu_step_response(&backend->tables, &backend->response[r].at, of, field, backend->work), "responses",
                  err) != 0)
      return err->code;
  return 0;
}

int gpu_stage_responses(struct mx_backend *backend, const struct gpu_response_stage *stage, struct dg_error *err)
{
  for (size_t r = 0; r < backend->problem->responses; r++)
    if (gpu_check(gpu_stage_response(&backend->tables, &backend->response[r].at, stage, backend->work), "responses",
                  err) != 0)
      return err->code;
  return 0;
}

/* ---- observation */

static int begin_squares(struct mx_backend *backend, const struct gpu_own_response *own, const double *factor,
                         const double *weight, int more, double *part, struct dg_error *err)
{
  const struct gpu_response_vector vector = {
      .factor = factor, .field = backend->field[0], .rows = 1, .row = 0, .to = own->vector};
  const struct gpu_product product = {.u = own->vector,
                                      .v = own->vector,
                                      .more = more,
                                      .own_rows = 1,
                                      .count = own->at.count,
                                      .element = own->at.where,
                                      .factor = weight,
                                      .part = part};
  if (own->at.count == 0 || own->at.layer) return 0;
  if (gpu_check(gpu_combine_response(&backend->tables, &own->at, &vector, backend->work), "observing", err) != 0)
    return err->code;
  return gpu_all_products(backend, product, err);
}

int gpu_add_response_energies(struct mx_backend *backend, double *part, struct dg_error *err)
{
  for (size_t r = 0; r < backend->problem->responses; r++)
    if (begin_squares(backend, &backend->response[r], backend->response[r].energy, backend->response[r].energy_weight,
                      1, part, err) != 0)
      return err->code;
  return 0;
}

/* chosen[]: the weight of each entry of the response whose element is in the list, else 0. */
static void choose(const struct mx_response *response, const double *weight, size_t count, const int32_t *element,
                   double *chosen)
{
  memset(chosen, 0, response->count * sizeof *chosen);
  for (size_t i = 0; i < count; i++) {
    const ptrdiff_t k = mx_response_find(response, (size_t)element[i]);
    if (k >= 0) chosen[k] = weight[k];
  }
}

int gpu_response_losses(struct mx_backend *backend, size_t count, const int32_t *element, double *loss,
                        struct dg_error *err)
{
  for (size_t r = 0; r < backend->problem->responses; r++) {
    const struct gpu_own_response *own = &backend->response[r];
    const size_t bytes = own->at.count * sizeof(double), parts = GPU_SUM_PARTS * sizeof(double);
    if (own->at.count == 0 || own->at.layer) continue;
    if (gpu_grow_staging(backend, bytes > parts ? bytes : parts, err) != 0) return err->code;
    choose(&backend->problem->response[r], own->loss_weight, count, element, (double *)(void *)backend->staging[0]);
    if (gpu_check(
            gpuMemcpyAsync(backend->card_staging[0], backend->staging[0], bytes, gpuMemcpyHostToDevice, backend->work),
            "observing", err) != 0 ||
        begin_squares(backend, own, own->loss, (const double *)(void *)backend->card_staging[0], 0,
                      (double *)(void *)backend->card_staging[1], err) != 0 ||
        gpu_check(
            gpuMemcpyAsync(backend->staging[1], backend->card_staging[1], parts, gpuMemcpyDeviceToHost, backend->work),
            "observing", err) != 0 ||
        gpu_wait(backend, err) != 0)
      return err->code;
    *loss += gpu_sum_of_parts(backend->staging[1], GPU_SUM_PARTS);
  }
  return 0;
}
