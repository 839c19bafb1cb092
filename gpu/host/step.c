/* Initial fields and stages.
 *
 * The host may count on the following. gpu_stage_begin launches all work of the stage, on several ranks that of the
 * inner elements, and there it waits until traces are on their way. Then gpu_stage_begin itself, or gpu_stage_sources
 * if the sources follow, converts the values of sources into pinned memory and starts their copy. gpu_stage_end does
 * not wait for this stage, only for the one GPU_BEHIND - 1 before it: the host evaluates the sources of the next stages
 * while the card works, and yet is never far ahead. On several ranks gpu_stage_end first waits for their traces and
 * launches the rest; where ranks share states of terms, it waits for the card as well. An error of the card's
 * work is returned by a later call. A function that asks for values (energy, sample, functionals, ...) waits for all
 * stages that were begun, and so does gpu_wait. */
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/core/curves.h"
#include "gpu/core/halo.h"
#include "gpu/core/phases.h"
#include "gpu/core/staging.h"
#include "gpu/host/step.h"
#include "gpu/terms/list.h"
#include "gpu/watch/monitor.h"
#include "gpu/watch/past_h.h"
#include "maxwell/backend/cost.h"
#include "maxwell/backend/frame/frame.h"
#include "maxwell/backend/frame/points.h"

/* ---- fields from the host */

/* Converts elements first..first+count-1 of field 0, E, or 1, H, to covariant components in the card's order. */
static void convert(const struct mx_backend *backend, int field, const double *from, size_t first, size_t count,
                    void *to)
{
  const struct mx_problem *problem = backend->problem;
  const int order = problem->ref->order;
  const size_t Np = (size_t)problem->ref->Np;
#pragma omp parallel for schedule(static)
  for (size_t k = 0; k < count; k++) {
    const bool curved = gpu_is_curved(backend, first + k);
    double x[3][3];
    const double scale = mx_update_of(problem, &backend->options, (enum mx_equation)field, first + k).start;
    (void)mx_frame_tangents(problem->metric[first + k], x);
    for (size_t a = 0; a < 3; a++)
      for (size_t n = 0; n < Np; n++) {
        double value = 0;
        if (curved) (void)mx_frame_tangents(gpu_metric_at(backend, first + k, (size_t)backend->node[n]), x);
        for (size_t c = 0; c < 3; c++) value += x[a][c] * from[(3 * (first + k) + c) * Np + (size_t)backend->node[n]];
        gpu_put(backend, to, gpu_at(order, k, a, n), scale * value);
      }
  }
}

static int upload_field(struct mx_backend *backend, int which, const double *from, struct dg_error *err)
{
  void *const field = backend->field[which];
  const size_t K = backend->problem->K, bytes = gpu_stride(backend->tables.order) * backend->real;
  if (from == NULL)
    return gpu_check(gpuMemsetAsync(field, 0, backend->field_bytes, backend->work), "clearing fields", err);
  if (gpu_grow_staging(backend, GPU_STAGING, err) != 0) return err->code;
  const size_t most = backend->staging_bytes / bytes;
  int buffer = 0;
  for (size_t first = 0; first < K; first += most, buffer = 1 - buffer) {
    const size_t count = K - first < most ? K - first : most;
    if (gpu_check(gpuEventSynchronize(backend->staged[buffer]), "copying fields", err) != 0) return err->code;
    convert(backend, which, from, first, count, backend->staging[buffer]);
    if (gpu_check(gpuMemcpyAsync((unsigned char *)field + first * bytes, backend->staging[buffer], count * bytes,
                                 gpuMemcpyHostToDevice, backend->work),
                  "copying fields", err) != 0 ||
        gpu_check(gpuEventRecord(backend->staged[buffer], backend->work), "copying fields", err) != 0)
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

/* ---- phases of a pass, for profiles */

enum pass_phase { HALF_E, HALF_H, STAGE, CURVED_E, CURVED_H, CURVED_STAGE };

static void begin_phase(struct mx_backend *backend, enum pass_phase phase, enum gpu_part part)
{
  static const char *const name[][3] = {
      [HALF_E] = {"half step E", "half step E, inner", "half step E, outer"},
      [HALF_H] = {"half step H", "half step H, inner", "half step H, outer"},
      [STAGE] = {"stage E, H", "stage E, H, inner", "stage E, H, outer"},
      [CURVED_E] = {"curved E", "curved E, inner", "curved E, outer"},
      [CURVED_H] = {"curved H", "curved H, inner", "curved H, outer"},
      [CURVED_STAGE] = {"curved E, H", "curved E, H, inner", "curved E, H, outer"},
  };
  gpu_phase_begin(backend, gpu_stream_of(backend, part), name[phase][part]);
}

static struct mx_cost times(struct mx_cost cost, double by)
{
  return (struct mx_cost){.bytes = by * cost.bytes, .flops = by * cost.flops};
}

/* Counts the straight elements of the part, or the curved ones, of which inner and outer elements have like shares. */
static void end_phase(struct mx_backend *backend, enum pass_phase phase, enum gpu_part part)
{
  const struct mx_problem *problem = backend->problem;
  const struct gpu_tables *tables = &backend->tables;
  const size_t counted[] = {
      [GPU_ALL] = tables->K, [GPU_INNER] = tables->inner, [GPU_OUTER] = tables->K - tables->inner};
  if (!gpu_is_timed(backend) || tables->K == 0) return;
  const double K = (double)tables->K, share = (double)counted[part] / K, curved = (double)problem->curves.count / K;
  const int equations = phase == STAGE || phase == CURVED_STAGE ? 2 : 1, p = tables->order;
  const double arrays = equations == 1 ? 3 : backend->sum[0] == NULL ? 8 : 6;
  const struct mx_cost all = mx_cost_pass(problem, backend->real, equations, arrays);
  if (phase < CURVED_E) {
    gpu_phase_end(backend, gpu_stream_of(backend, part), times(all, share * (1 - curved)));
    return;
  }
  const struct mx_cost more =
      mx_cost_curves(problem, backend->real, equations, MX_POINTS(p), backend->curves.penalty ? MX_FACE_POINTS(p) : 0);
  const struct mx_cost own = {.bytes = curved * all.bytes + more.bytes, .flops = curved * all.flops + more.flops};
  gpu_phase_end(backend, gpu_stream_of(backend, part), times(own, share));
}

/* Has the pass over all elements nothing to do, since all are curved? Then their kernel does all but keep traces. */
static bool skips_pass(const struct mx_backend *backend, bool keeps_traces)
{
  return gpu_only_curved(backend) && !keeps_traces;
}

/* Where the half step of an equation writes the new field. */
static void *result_of(const struct mx_backend *backend, int equation)
{
  return backend->in_place ? backend->field[equation] : backend->spare[equation];
}

/* Launches one equation of leapfrog: field + scale times the change of a half step. The result goes to the field's own
 * place, or to spare. `terms`: with what the kernels of the half step take of terms. */
static int half_step(struct mx_backend *backend, int equation, double scale, bool terms, enum gpu_part part,
                     struct dg_error *err)
{
  struct gpu_half half = {.part = part,
                          .equation = equation,
                          .scale = scale,
                          .own = backend->field[equation],
                          .other = backend->field[1 - equation],
                          .result = result_of(backend, equation)};
  if (terms) gpu_terms_into_pass(backend, &half);
  const bool keeps_traces = half.open_now != NULL, skips = skips_pass(backend, keeps_traces);
  const bool single = backend->options.precision == MX_SINGLE;
  half.leaves = !skips && gpu_curved_beside(backend, part, keeps_traces);
  if (!skips) {
    begin_phase(backend, equation == 0 ? HALF_E : HALF_H, part);
    if (gpu_check(
            backend->kernels->half[single](&backend->tables, &backend->applied, &half, gpu_stream_of(backend, part)),
            "starting a half step", err) != 0)
      return err->code;
    end_phase(backend, equation == 0 ? HALF_E : HALF_H, part);
  }
  if (backend->curves.count == 0) return 0;
  begin_phase(backend, equation == 0 ? CURVED_E : CURVED_H, part);
  if (gpu_curved_half(backend, &half, err) != 0) return err->code;
  end_phase(backend, equation == 0 ? CURVED_E : CURVED_H, part);
  return 0;
}

/* `field` becomes the new one. The old one is in spare, or gone where the step works in place. */
static void take_half_step(struct mx_backend *backend, int equation)
{
  if (!backend->in_place) swap(&backend->field[equation], &backend->spare[equation]);
}

/* Keeps what half a step of leapfrog overwrites. */
static int begin_half_step(struct mx_backend *backend, int equation, struct dg_error *err)
{
  if (equation == 1 && backend->observed) {
    gpu_phase_begin(backend, backend->work, "observe, old H");
    if (gpu_keep_H(backend, err) != 0 || gpu_monitor_keep(backend, err) != 0) return err->code;
    gpu_phase_end_uncounted(backend, backend->work);
  }
  return gpu_terms_before(backend, equation, false, err);
}

static const struct mx_pass *pass_of(const struct mx_backend *backend, int s)
{
  return &mx_scheme_of(&backend->options)->pass[s];
}

static bool is_staggered(const struct mx_backend *backend) { return mx_scheme_of(&backend->options)->staggered; }

/* Does the scheme add up sums behind the rates? Else a pass updates the fields itself. */
static bool has_sums(const struct mx_backend *backend) { return mx_scheme_of(&backend->options)->sums; }

/* The fields whose rates a pass takes. */
static void *const *fields_of(const struct mx_backend *backend, int s)
{
  return has_sums(backend) && s > 0 ? backend->spare : backend->field;
}

static int runge_kutta(struct mx_backend *backend, int s, enum gpu_part part, struct dg_error *err)
{
  const bool update = !has_sums(backend);
  void *const *field = fields_of(backend, s);
  const struct gpu_stage stage = {
      .part = part,
      .a = pass_of(backend, s)->a,
      .b = pass_of(backend, s)->b,
      .field = {field[0], field[1]},
      .registers = {backend->registers[0], backend->registers[1]},
      .result = {update ? backend->spare[0] : NULL, update ? backend->spare[1] : NULL},
      .backwards = (int)(backend->stages % 2),
  };
  const bool single = backend->options.precision == MX_SINGLE;
  if (!skips_pass(backend, false)) {
    begin_phase(backend, STAGE, part);
    if (gpu_check(
            backend->kernels->stage[single](&backend->tables, &backend->applied, &stage, gpu_stream_of(backend, part)),
            "starting a stage", err) != 0)
      return err->code;
    end_phase(backend, STAGE, part);
  }
  if (backend->curves.count == 0) return 0;
  begin_phase(backend, CURVED_STAGE, part);
  if (gpu_curved_stage(backend, &stage, err) != 0) return err->code;
  end_phase(backend, CURVED_STAGE, part);
  return 0;
}

/* Adds up the sums, behind the rates of a stage. `field` is the start of the step, `spare` the stage, and `sum` becomes
 * the end of the step. */
static int add_sums(struct mx_backend *backend, int s, struct dg_error *err)
{
  gpu_phase_begin(backend, backend->work, "sums");
  for (int i = 0; i < 2; i++) {
    const struct gpu_sums sums = {.weight = pass_of(backend, s)->weight,
                                  .next = pass_of(backend, s)->next,
                                  .first = s == 0,
                                  .last = s == mx_scheme_of(&backend->options)->stages - 1,
                                  .count = backend->field_bytes / backend->real,
                                  .start = backend->field[i],
                                  .stage = backend->spare[i],
                                  .sum = backend->sum[i],
                                  .change = backend->registers[i]};
    if (gpu_check(gpu_add_sums(&backend->tables, &sums, backend->work), "starting the sums", err) != 0)
      return err->code;
  }
  if (gpu_is_timed(backend)) {
    const bool last = s == mx_scheme_of(&backend->options)->stages - 1;
    gpu_phase_end(backend, backend->work, times(mx_cost_update(backend->problem, backend->real, last ? 6 : 5, 4), 2));
  }
  return 0;
}

static int end_half_step(struct mx_backend *backend, int equation, struct dg_error *err)
{
  if (gpu_terms_after(backend, equation, result_of(backend, equation), err) != 0) return err->code;
  take_half_step(backend, equation);
  return 0;
}

static int end_runge_kutta(struct mx_backend *backend, int s, struct dg_error *err)
{
  const bool update = !has_sums(backend);
  const struct gpu_stage_end end = {.s = s,
                                    .pass = pass_of(backend, s),
                                    .field = {fields_of(backend, s)[0], fields_of(backend, s)[1]},
                                    .to = {backend->registers[0], backend->registers[1]},
                                    .also = {update ? backend->spare[0] : NULL, update ? backend->spare[1] : NULL}};
  if (gpu_terms_stage(backend, &end, err) != 0) return err->code;
  for (int i = 0; i < 2 && update; i++) swap(&backend->field[i], &backend->spare[i]);
  backend->within = has_sums(backend) && s + 1 < mx_scheme_of(&backend->options)->stages;
  return has_sums(backend) ? add_sums(backend, s, err) : 0;
}

/* ---- a stage */

static int run_part(struct mx_backend *backend, int s, enum gpu_part part, struct dg_error *err)
{
  if (is_staggered(backend)) return half_step(backend, mx_pass_equation(pass_of(backend, s)), 1, true, part, err);
  return runge_kutta(backend, s, part, err);
}

/* Ends a stage, behind the kernels of all elements. */
static int end_stage(struct mx_backend *backend, int s, struct dg_error *err)
{
  if ((is_staggered(backend) ? end_half_step(backend, mx_pass_equation(pass_of(backend, s)), err)
                             : end_runge_kutta(backend, s, err)) != 0 ||
      gpu_terms_done(backend, s, err) != 0)
    return err->code;
  return gpu_check(gpuEventRecord(backend->ended[backend->stages++ % GPU_BEHIND], backend->work), "ending a stage",
                   err);
}

/* The fields whose traces travel in a stage. In leapfrog it is the field under the curl. Penalties look at the traces
 * of the other field as well, which travelled in the stage before. */
static void *const *travelling(const struct mx_backend *backend, int s)
{
  return is_staggered(backend) ? &backend->field[1 - mx_pass_equation(pass_of(backend, s))] : fields_of(backend, s);
}

int gpu_stage_begin(struct mx_backend *backend, int stage, bool observe, const struct mx_stage_sources *sources,
                    struct dg_error *err)
{
  const bool shared = backend->halo->exchange != NULL;
  const bool follow = sources == &mx_sources_follow;
  backend->observed = stage == 0 && observe;
  backend->sources = follow ? NULL : sources;
  /* Packing comes behind the copies of all that the half step overwrites, because the outer elements may start after
   * packing. */
  if ((is_staggered(backend) && begin_half_step(backend, mx_pass_equation(pass_of(backend, stage)), err) != 0) ||
      gpu_halo_begin(backend, travelling(backend, stage), err) != 0 ||
      run_part(backend, stage, shared ? GPU_INNER : GPU_ALL, err) != 0 || gpu_halo_send(backend, err) != 0)
    return err->code;
  return follow ? 0 : gpu_stage_sources(backend, stage, sources, err);
}

int gpu_stage_sources(struct mx_backend *backend, int stage, const struct mx_stage_sources *sources,
                      struct dg_error *err)
{
  backend->sources = sources;
  if (gpu_terms_values(backend, stage, sources, err) != 0) return err->code;
  return backend->halo->exchange != NULL ? 0 : end_stage(backend, stage, err);
}

int gpu_stage_end(struct mx_backend *backend, int stage, struct dg_error *err)
{
  if (backend->halo->exchange != NULL && (gpu_halo_receive(backend, travelling(backend, stage), err) != 0 ||
                                          run_part(backend, stage, GPU_OUTER, err) != 0 ||
                                          gpu_halo_join(backend, err) != 0 || end_stage(backend, stage, err) != 0))
    return err->code;
  return gpu_check(gpuEventSynchronize(backend->ended[backend->stages % GPU_BEHIND]), "working on a stage", err);
}

int gpu_fine_pass(struct mx_backend *part, int equation, double scale, struct dg_error *err)
{
  void *const *travelling = &part->field[1 - equation];
  if (part->halo->exchange == NULL) {
    if (half_step(part, equation, scale, false, GPU_ALL, err) != 0) return err->code;
  } else if (gpu_halo_begin(part, travelling, err) != 0 ||
             half_step(part, equation, scale, false, GPU_INNER, err) != 0 || gpu_halo_send(part, err) != 0 ||
             gpu_halo_receive(part, travelling, err) != 0 ||
             half_step(part, equation, scale, false, GPU_OUTER, err) != 0 || gpu_halo_join(part, err) != 0) {
    return err->code;
  }
  take_half_step(part, equation);
  return 0;
}

/* Takes H half a step back by one Euler step, which costs an error of order dt^2, once. Sources are zero up to t = 0.
 * Penalties look at the neighbours' H as well, and the first stage also wants it in the ghosts, where the last stage of
 * a step would have left it. */
static int start_leapfrog(struct mx_backend *backend, struct dg_error *err)
{
  if (gpu_halo_exchange(backend, &backend->field[1], err) != 0 ||
      gpu_halo_exchange(backend, &backend->field[0], err) != 0)
    return err->code;
  const struct gpu_medium *const media = backend->tables.medium_table;
  backend->tables.medium_table = backend->start_media;
  int status = half_step(backend, 1, -1, false, GPU_ALL, err);
  if (status == 0) status = gpu_terms_start_back(backend, result_of(backend, 1), err);
  backend->tables.medium_table = media;
  if (status != 0) return err->code;
  take_half_step(backend, 1);
  if (gpu_terms_start_apart(backend, err) != 0 || gpu_halo_exchange(backend, &backend->field[1], err) != 0 ||
      gpu_terms_before(backend, 0, true, err) != 0)
    return err->code;
  return gpu_terms_before(backend, 1, true, err);
}

int gpu_upload(struct mx_backend *backend, const double *E, const double *H, struct dg_error *err)
{
  backend->observed = false;
  if (upload_field(backend, 0, E, err) != 0 || upload_field(backend, 1, H, err) != 0) return err->code;
  if (gpu_terms_start(backend, err) != 0) return err->code;
  if (is_staggered(backend) && start_leapfrog(backend, err) != 0) return err->code;
  if (gpu_wait(backend, err) != 0) return err->code;
  gpu_halo_forget(backend);
  return 0;
}
