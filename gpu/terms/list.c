/* The walks over the kinds of terms. */
#include "gpu/terms/list.h"

#include "gpu/core/phases.h"
#include "libdg/base/memory.h"

static const struct gpu_term_kind *const kinds[GPU_TERM_KINDS] = {
#define X(NUMBER, name) [GPU_##NUMBER##_TERM] = &gpu_##name##_kind,
    GPU_TERM_KIND_LIST(X)
#undef X
};

int gpu_terms_create(struct mx_backend *backend, struct dg_error *err)
{
  if (DG_NEW(backend->own, GPU_TERM_KINDS, err) != 0) return err->code;
  for (int k = 0; k < GPU_TERM_KINDS; k++)
    if (dg_alloc(&backend->own[k], 1, kinds[k]->size, err) != 0 || kinds[k]->create(backend, err) != 0)
      return err->code;
  return 0;
}

void gpu_terms_release(struct mx_backend *backend)
{
  for (int k = 0; backend->own != NULL && k < GPU_TERM_KINDS; k++) {
    if (backend->own[k] != NULL && kinds[k]->release != NULL) kinds[k]->release(backend);
    dg_free(backend->own[k]);
  }
  dg_free(backend->own);
}

size_t gpu_terms_bytes(const struct mx_problem *problem, const struct mx_backend_options *options, size_t real)
{
  size_t bytes = 0;
  for (int k = 0; k < GPU_TERM_KINDS; k++) bytes += kinds[k]->bytes(problem, options, real);
  return bytes;
}

/* Defines the walk that calls a function of every row which has it, and ends at the first that fails. */
#define WALK(order, name, parameters, arguments)                                                                       \
  int gpu_terms_##name parameters                                                                                      \
  {                                                                                                                    \
    for (int i = 0; i < GPU_TERM_KINDS; i++) {                                                                         \
      const struct gpu_term_kind *const kind = kinds[order];                                                           \
      if (kind->name != NULL && kind->name arguments != 0) return err->code;                                           \
    }                                                                                                                  \
    return 0;                                                                                                          \
  }

/* The cost of a kind behind half a step or, with equation -1, a stage. */
static struct mx_cost cost_of(const struct mx_backend *backend, const struct gpu_term_kind *kind, int equation)
{
  if (kind->cost == NULL) return (struct mx_cost){0, 0};
  if (equation >= 0) return kind->cost(backend, equation);
  const struct mx_cost E = kind->cost(backend, 0), H = kind->cost(backend, 1);
  return (struct mx_cost){.bytes = E.bytes + H.bytes, .flops = E.flops + H.flops};
}

/* The same for work around a pass, which is a phase of the kind. */
#define TIMED_WALK(order, function, parameters, arguments, counted)                                                    \
  int gpu_terms_##function parameters                                                                                  \
  {                                                                                                                    \
    for (int i = 0; i < GPU_TERM_KINDS; i++) {                                                                         \
      const struct gpu_term_kind *const kind = kinds[order];                                                           \
      if (kind->function == NULL) continue;                                                                            \
      const bool timed = gpu_is_timed(backend) && kind->launches != NULL && kind->launches(backend);                   \
      if (timed) gpu_phase_begin(backend, backend->work, kind->name);                                                  \
      const int status = kind->function arguments;                                                                     \
      if (timed) gpu_phase_end(backend, backend->work, counted);                                                       \
      if (status != 0) return err->code;                                                                               \
    }                                                                                                                  \
    return 0;                                                                                                          \
  }
#define FORTH i
#define BACK  GPU_TERM_KINDS - 1 - i

WALK(BACK, start, (struct mx_backend * backend, struct dg_error *err), (backend, err))
WALK(BACK, start_back, (struct mx_backend * backend, void *to, struct dg_error *err), (backend, to, err))
WALK(BACK, start_apart, (struct mx_backend * backend, struct dg_error *err), (backend, err))
TIMED_WALK(BACK, before, (struct mx_backend * backend, int equation, bool start, struct dg_error *err),
           (backend, equation, start, err), ((struct mx_cost){0, 0}))
TIMED_WALK(FORTH, after, (struct mx_backend * backend, int equation, void *to, struct dg_error *err),
           (backend, equation, to, err), cost_of(backend, kind, equation))
TIMED_WALK(FORTH, stage, (struct mx_backend * backend, const struct gpu_stage_end *end, struct dg_error *err),
           (backend, end, err), cost_of(backend, kind, -1))
WALK(FORTH, values,
     (struct mx_backend * backend, int stage, const struct mx_stage_sources *sources, struct dg_error *err),
     (backend, stage, sources, err))
WALK(FORTH, done, (struct mx_backend * backend, int stage, struct dg_error *err), (backend, stage, err))
WALK(BACK, energy, (struct mx_backend * backend, int of, double *part, struct dg_error *err), (backend, of, part, err))
WALK(BACK, loss,
     (struct mx_backend * backend, size_t count, const int32_t *element, double *loss, struct dg_error *err),
     (backend, count, element, loss, err))
WALK(FORTH, copy,
     (struct mx_backend * backend, const struct mx_state_array *array, size_t first, size_t count, double *to,
      const double *from, struct dg_error *err),
     (backend, array, first, count, to, from, err))
WALK(FORTH, loaded, (struct mx_backend * backend, struct dg_error *err), (backend, err))

void gpu_terms_into_pass(struct mx_backend *backend, struct gpu_half *half)
{
  for (int k = 0; k < GPU_TERM_KINDS; k++)
    if (kinds[k]->into_pass != NULL) kinds[k]->into_pass(backend, half);
}

bool gpu_terms_need_old_H(const struct mx_problem *problem)
{
  for (int k = 0; k < GPU_TERM_KINDS; k++)
    if (kinds[k]->needs_old_H != NULL && kinds[k]->needs_old_H(problem)) return true;
  return false;
}

void gpu_terms_H_elements(const struct mx_problem *problem, void (*tell)(void *context, size_t e), void *context)
{
  for (int k = 0; k < GPU_TERM_KINDS; k++)
    if (kinds[k]->H_elements != NULL) kinds[k]->H_elements(problem, tell, context);
}
