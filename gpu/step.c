/* Initial fields and stages.
 *
 * What the host may count on: gpu_stage_begin converts the values of sources into pinned memory, starts their copy and
 * launches all work of the stage; nothing of the caller's is read behind its return. gpu_stage_end does not wait for
 * this stage, only for the one GPU_BEHIND - 1 before it, so that the host evaluates the sources of the next stages
 * while the card works, and yet is never far ahead. Errors of the card's work come with a later call. What asks for
 * values (energy, sample, functionals, ...) waits for all that was begun, and so does gpu_wait. */
#include <string.h>

#include "gpu/state.h"
#include "maxwell/cpu/fused_tables.h"

/* ---- fields from the host */

/* The covariant components of elements first..first+count-1, in the card's order. */
static void convert(const struct mx_backend *backend, const double *from, size_t first, size_t count, void *to)
{
  const struct mx_problem *problem = backend->problem;
  const int order = problem->ref->order;
  const size_t Np = (size_t)problem->ref->Np;
#pragma omp parallel for schedule(static)
  for (size_t k = 0; k < count; k++) {
    double x[3][3];
    (void)mx_fused_tangents(problem->metric[first + k], x);
    for (size_t a = 0; a < 3; a++)
      for (size_t n = 0; n < Np; n++) {
        double value = 0;
        for (size_t c = 0; c < 3; c++) value += x[a][c] * from[(3 * (first + k) + c) * Np + (size_t)backend->node[n]];
        gpu_put(backend, to, gpu_at(order, k, a, n), value);
      }
  }
}

static int upload_field(struct mx_backend *backend, const double *from, void *field, struct dg_error *err)
{
  const size_t K = backend->problem->K, bytes = gpu_stride(backend->tables.order) * backend->real;
  if (from == NULL)
    return gpu_check(gpuMemsetAsync(field, 0, backend->field_bytes, backend->work), "clearing fields", err);
  if (gpu_grow_staging(backend, GPU_STAGING, err) != 0) return err->code;
  const size_t most = backend->staging_bytes / bytes;
  int turn = 0;
  for (size_t first = 0; first < K; first += most, turn = 1 - turn) {
    const size_t count = K - first < most ? K - first : most;
    if (gpu_check(gpuEventSynchronize(backend->staged[turn]), "copying fields", err) != 0) return err->code;
    convert(backend, from, first, count, backend->staging[turn]);
    if (gpu_check(gpuMemcpyAsync((unsigned char *)field + first * bytes, backend->staging[turn], count * bytes,
                                 gpuMemcpyHostToDevice, backend->work),
                  "copying fields", err) != 0 ||
        gpu_check(gpuEventRecord(backend->staged[turn], backend->work), "copying fields", err) != 0)
      return err->code;
  }
  return 0;
}

/* ---- stages */

static void swap(void **a, void **b)
{
  void *c = *a;
  *a = *b;
  *b = c;
}

static int remember_open(struct mx_backend *backend, int equation, bool start, struct dg_error *err)
{
  const struct gpu_open open = {.count = backend->open_faces,
                                .where = backend->open.where,
                                .before = backend->open_before[equation],
                                .change = backend->open_change,
                                .start = start};
  if (backend->open_faces == 0) return 0;
  return gpu_check(gpu_remember_open(&backend->tables, &open, backend->field[equation], backend->work), "open faces",
                   err);
}

static int add_open(struct mx_backend *backend, int equation, void *to, struct dg_error *err)
{
  const struct gpu_addition addition = {
      .equation = equation, .entries = backend->open, .own = {.part = backend->open_change, .number = 1}, .to = to};
  if (backend->open_faces == 0) return 0;
  return gpu_check(gpu_add_jumps(&backend->tables, &addition, backend->work), "open faces", err);
}

/* field += scale times what a half step adds; the old one is in spare, or gone where the step works in place. */
static int half_step(struct mx_backend *backend, int equation, double scale, const struct mx_stage_sources *sources,
                     struct dg_error *err)
{
  void *result = backend->in_place ? backend->field[equation] : backend->spare[equation];
  const struct gpu_half half = {.equation = equation,
                                .scale = scale,
                                .own = backend->field[equation],
                                .other = backend->field[1 - equation],
                                .result = result};
  const bool single = backend->options.precision == MX_SINGLE;
  if (gpu_check(backend->kernels->half[single](&backend->tables, &half, backend->work), "starting a half step", err) !=
          0 ||
      add_open(backend, equation, result, err) != 0 ||
      gpu_add_sources(backend, equation, sources, result, NULL, 0, err) != 0)
    return err->code;
  if (!backend->in_place) swap(&backend->field[equation], &backend->spare[equation]);
  return 0;
}

/* Half a step of leapfrog. */
static int leapfrog(struct mx_backend *backend, int equation, const struct mx_stage_sources *sources,
                    struct dg_error *err)
{
  if (backend->observed && backend->in_place) { /* the only time at which somebody wants to know H of before */
    if (backend->before_H == NULL &&
        gpu_new(backend, &backend->before_H, backend->field_bytes, "the field of half a step before", err) != 0)
      return err->code;
    if (gpu_check(gpuMemcpyAsync(backend->before_H, backend->field[1], backend->field_bytes, gpuMemcpyDeviceToDevice,
                                 backend->work),
                  "copying a field", err) != 0)
      return err->code;
  }
  if (remember_open(backend, equation, false, err) != 0) return err->code;
  return half_step(backend, equation, 1, sources, err);
}

/* memory = a memory + dt rate, and, if `update`, spare = field + b memory. */
static int runge_kutta(struct mx_backend *backend, double a, double b, void *const field[2], bool update,
                       const struct mx_stage_sources *sources, struct dg_error *err)
{
  const struct gpu_stage stage = {
      .a = a,
      .b = b,
      .field = {field[0], field[1]},
      .memory = {backend->memory[0], backend->memory[1]},
      .result = {update ? backend->spare[0] : NULL, update ? backend->spare[1] : NULL},
  };
  const bool single = backend->options.precision == MX_SINGLE;
  if (gpu_check(backend->kernels->stage[single](&backend->tables, &stage, backend->work), "starting a stage", err) != 0)
    return err->code;
  for (int i = 0; i < 2; i++)
    if (gpu_add_sources(backend, i, sources, backend->memory[i], update ? backend->spare[i] : NULL, b, err) != 0)
      return err->code;
  for (int i = 0; i < 2 && update; i++) swap(&backend->field[i], &backend->spare[i]);
  return 0;
}

/* Behind the rates of a stage: field is the start of the step, spare the stage, sum what the step will end in. */
static int rk4_sums(struct mx_backend *backend, int s, struct dg_error *err)
{
  for (int i = 0; i < 2; i++) {
    const struct gpu_sums sums = {.single = backend->tables.single,
                                  .s = s,
                                  .count = backend->field_bytes / backend->real,
                                  .start = backend->field[i],
                                  .stage = backend->spare[i],
                                  .sum = backend->sum[i],
                                  .change = backend->memory[i]};
    if (gpu_check(gpu_rk4_sums(&sums, backend->work), "starting the sums of rk4", err) != 0) return err->code;
  }
  return 0;
}

static int start_stage(struct mx_backend *backend, int s, const struct mx_stage_sources *sources, struct dg_error *err)
{
  switch (backend->options.integrator) {
  case MX_LEAPFROG:
    return leapfrog(backend, 1 - s, sources, err);
  case MX_LSRK:
    return runge_kutta(backend, mx_lsrk_a[s], mx_lsrk_b[s], backend->field, true, sources, err);
  case MX_RK4:
    if (runge_kutta(backend, 0, 0, s == 0 ? backend->field : backend->spare, false, sources, err) != 0)
      return err->code;
    return rk4_sums(backend, s, err);
  case MX_EULER:
    return runge_kutta(backend, 0, 1, backend->field, true, sources, err);
  }
  return 0;
}

int gpu_stage_begin(struct mx_backend *backend, int stage, bool observe, const struct mx_stage_sources *sources,
                    struct dg_error *err)
{
  backend->observed = stage == 0 && observe;
  if (gpu_stage_sources(backend, sources, err) != 0 || start_stage(backend, stage, sources, err) != 0 ||
      gpu_end_sources(backend, sources, err) != 0)
    return err->code;
  return gpu_check(gpuEventRecord(backend->ended[backend->stages++ % GPU_BEHIND], backend->work), "ending a stage",
                   err);
}

int gpu_stage_end(struct mx_backend *backend, int stage, struct dg_error *err)
{
  (void)stage;
  return gpu_check(gpuEventSynchronize(backend->ended[backend->stages % GPU_BEHIND]), "working on a stage", err);
}

int gpu_wait(struct mx_backend *backend, struct dg_error *err)
{
  return gpu_check(gpuStreamSynchronize(backend->work), "working on a stage", err);
}

int gpu_upload(struct mx_backend *backend, const double *E, const double *H, struct dg_error *err)
{
  backend->observed = false;
  if (upload_field(backend, E, backend->field[0], err) != 0 || upload_field(backend, H, backend->field[1], err) != 0)
    return err->code;
  if (backend->options.integrator == MX_LEAPFROG) {
    /* H half a step back: one Euler step of that length costs an error of order dt^2, once. Sources are zero up to
     * t = 0. */
    if (remember_open(backend, 1, true, err) != 0 || half_step(backend, 1, -0.5, NULL, err) != 0 ||
        remember_open(backend, 0, true, err) != 0 || remember_open(backend, 1, true, err) != 0)
      return err->code;
  }
  return gpu_wait(backend, err);
}
