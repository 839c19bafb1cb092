/* Conjugate gradients on the card, as dg_pcg_solve makes them on the host: the host starts iterations in batches and
 * reads a few numbers behind each. maxwell/statics and maxwell/heat call it through the table at the end. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "gpu/elliptic/elliptic.h"
#include "gpu/elliptic/kernels.h"
#include "gpu/elliptic/levels.h"
#include "gpu/elliptic/pack.h"
#include "gpu/runtime/errors.h"
#include "gpu/runtime/memory.h"
#include "libdg/base/memory.h"

/* BATCH divides TRUE_EVERY. Behind the end, the rest of a batch does nothing. With multigrid a batch is one iteration.
 */
enum { BATCH = 10, TRUE_EVERY = 50 };

struct dg_device_solver {
  struct gpu_elliptic op;
  struct gpu_memory card, pinned;
  struct gpu_march_vectors v;
  struct gpu_march *there; /* pinned: what came back */
  double *host;            /* pinned: [count] on its way */
  double ones;             /* unknowns that are not held */
  gpuStream_t stream;
  struct gpu_elliptic_weights weights;
  struct gpu_levels levels;
};

static const char making[] = "solving", reading[] = "copying vectors";

static void destroy(struct dg_device_solver *s)
{
  if (s == NULL) return;
  if (s->stream != NULL) {
    (void)gpuStreamSynchronize(s->stream);
    (void)gpuStreamDestroy(s->stream);
  }
  gpu_release_card(&s->card);
  gpu_release_pinned(&s->pinned);
  dg_free(s);
}

static int make_vectors(struct dg_device_solver *s, size_t places, struct dg_error *err)
{
  struct gpu_march_vectors *v = &s->v;
  const size_t count = s->op.count, bytes = count * sizeof(double);
  double **const vector[] = {&v->x, &v->b, &v->r, &v->d, &v->q, &v->inverse};
  v->count = count;
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
    if (gpu_new(&s->card, vector[i], bytes, "a vector of unknowns", err) != 0) return err->code;
  if (gpu_new(&s->card, &s->op.result, places * sizeof(double), "the elliptic operator", err) != 0 ||
      gpu_new(&s->card, &v->part_q, 2 * GPU_ELLIPTIC_BLOCKS * sizeof(double), "sums", err) != 0 ||
      gpu_new(&s->card, &v->part_r, 4 * GPU_ELLIPTIC_BLOCKS * sizeof(double), "sums", err) != 0 ||
      gpu_new(&s->card, &v->march, sizeof *v->march, "sums", err) != 0 ||
      gpu_new_pinned(&s->pinned, &s->there, sizeof *s->there, err) != 0)
    return err->code;
  return gpu_new_pinned(&s->pinned, &s->host, bytes, err);
}

static int create(struct dg_device_solver **result, const struct dg_elliptic *op, const struct dg_elliptic *more,
                  struct dg_multigrid *multigrid, struct dg_error *err)
{
  struct dg_device_solver *s = NULL;
  size_t places = 0;
  *result = NULL;
  if (dg_elliptic_look(op).space->shared != NULL) return dg_fail(err, DG_INPUT, "several ranks share the unknowns");
  if (DG_NEW(s, 1, err) != 0) return err->code;
  if (gpu_check(gpuStreamCreateWithFlags(&s->stream, gpuStreamNonBlocking), "making a stream", err) != 0 ||
      gpu_elliptic_pack(&s->op, &s->card, op, more, &places, err) != 0 || make_vectors(s, places, err) != 0 ||
      gpu_check(gpu_elliptic_prepare(s->op.order), "setting up", err) != 0 ||
      (multigrid != NULL && gpu_levels_init(&s->levels, &s->card, multigrid, &s->op, &s->v, err) != 0)) {
    destroy(s);
    return err->code;
  }
  s->v.z = s->levels.count > 0 ? s->levels.level[0].s.z : NULL;
  *result = s;
  return 0;
}

static size_t bytes(const struct dg_device_solver *s) { return s->card.bytes; }

/* What is in s->host goes to the card. */
static int send_host(struct dg_device_solver *s, double *to, struct dg_error *err)
{
  if (gpu_check(gpuMemcpyAsync(to, s->host, s->op.count * sizeof *to, gpuMemcpyHostToDevice, s->stream), reading,
                err) != 0)
    return err->code;
  return gpu_check(gpuStreamSynchronize(s->stream), reading, err);
}

static int send(struct dg_device_solver *s, double *to, const double *from, struct dg_error *err)
{
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < s->op.count; i++) s->host[i] = from[i];
  return send_host(s, to, err);
}

static int fetch(struct dg_device_solver *s, double *to, const double *from, struct dg_error *err)
{
  if (gpu_check(gpuMemcpyAsync(s->host, from, s->op.count * sizeof *to, gpuMemcpyDeviceToHost, s->stream), reading,
                err) != 0 ||
      gpu_check(gpuStreamSynchronize(s->stream), reading, err) != 0)
    return err->code;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < s->op.count; i++) to[i] = s->host[i];
  return 0;
}

static struct gpu_elliptic_weights weights_of(struct dg_device_weights w)
{
  return (struct gpu_elliptic_weights){
      .stiffness = w.of.stiffness, .mass = w.of.mass, .more = w.more, .face = w.of.face};
}

/* q = A x */
static gpuError_t multiply(struct dg_device_solver *s, struct gpu_elliptic_weights weights, const double *x,
                           const struct gpu_march *march, int n)
{
  const gpuError_t status = gpu_elliptic_elements(&s->op, weights, x, march, n, s->stream);
  if (status != gpuSuccess) return status;
  return gpu_elliptic_gather(&s->op, x, s->v.q, s->v.part_q, march, n, s->stream);
}

static int apply(struct dg_device_solver *s, struct dg_device_weights weights, const double *x, double *y,
                 struct dg_error *err)
{
  if (send(s, s->v.d, x, err) != 0 || gpu_check(multiply(s, weights_of(weights), s->v.d, NULL, 0), making, err) != 0)
    return err->code;
  return fetch(s, y, s->v.q, err);
}

/* ---- iterations */

/* What the iterations know goes to the card, or comes from it. */
static int put_march(struct dg_device_solver *s, struct dg_error *err)
{
  return gpu_check(gpuMemcpyAsync(s->v.march, s->there, sizeof *s->there, gpuMemcpyHostToDevice, s->stream), making,
                   err);
}

static int read_march(struct dg_device_solver *s, struct dg_error *err)
{
  if (gpu_check(gpuMemcpyAsync(s->there, s->v.march, sizeof *s->there, gpuMemcpyDeviceToHost, s->stream), making,
                err) != 0)
    return err->code;
  return gpu_check(gpuStreamSynchronize(s->stream), making, err);
}

/* r = b - A x, with the sums of part_r. */
static gpuError_t residual(struct dg_device_solver *s, const double *x, int n)
{
  gpuError_t status = multiply(s, s->weights, x, s->v.march, n);
  if (status == gpuSuccess) status = gpu_march_lack(&s->v, n, s->stream);
  return status == gpuSuccess ? gpu_march_weigh(&s->v, n, s->stream) : status;
}

static int residual_size(struct dg_device_solver *s, const double *x, double *size, struct dg_error *err)
{
  gpuError_t status = residual(s, x, 0);
  if (status == gpuSuccess) status = gpu_march_measure(&s->v, s->stream);
  if (gpu_check(status, making, err) != 0 || read_march(s, err) != 0) return err->code;
  *size = sqrt(s->there->size);
  return 0;
}

/* part_r, with the preconditioner's z where there is one. */
static gpuError_t improve(struct dg_device_solver *s, int n)
{
  if (s->levels.count == 0) return gpuSuccess; /* those who made r have seen to it */
  const gpuError_t status = gpu_levels_cycle(&s->levels, s->weights, s->v.march, n, s->stream);
  return status == gpuSuccess ? gpu_march_improved(&s->v, n, s->stream) : status;
}

static gpuError_t iteration(struct dg_device_solver *s, int n)
{
  const bool whole = n % TRUE_EVERY == TRUE_EVERY - 1; /* the residual anew, behind x */
  gpuError_t status = multiply(s, s->weights, s->v.d, s->v.march, n);
  if (status == gpuSuccess) status = gpu_march_residual(&s->v, n, s->stream);
  if (whole && status == gpuSuccess) status = gpu_march_move(&s->v, n, s->stream);
  if (whole && status == gpuSuccess) status = residual(s, s->v.x, n);
  if (status == gpuSuccess) status = improve(s, n);
  return status == gpuSuccess ? gpu_march_turn(&s->v, n, 0, !whole, s->stream) : status;
}

/* Iterations from *n on until the residual is small by the recurrence, at most up to `most`. *size: of r then. */
static int march(struct dg_device_solver *s, int most, int *n, double *size, struct dg_error *err)
{
  s->there->end = INT_MAX;
  const int batch = s->levels.count > 0 ? 1 : BATCH;
  if (put_march(s, err) != 0 || gpu_check(improve(s, *n - 1), making, err) != 0 ||
      gpu_check(gpu_march_turn(&s->v, *n - 1, 1, 0, s->stream), making, err) != 0)
    return err->code;
  for (;;) {
    const int until = most - *n < batch ? most : *n + batch;
    for (int i = *n; i < until; i++)
      if (gpu_check(iteration(s, i), making, err) != 0) return err->code;
    if (read_march(s, err) != 0) return err->code;
    const struct gpu_march *m = s->there;
    if (m->failed)
      return dg_fail(err, DG_INPUT, "the equations are not positive definite (r.z %.2e, d.Ad %.2e, iteration %d)",
                     m->now[m->end & 1], m->curvature, m->end);
    *size = sqrt(m->size);
    *n = m->end < until ? m->end : until;
    if (m->end <= until || until == most) return 0;
  }
}

static int iterate(struct dg_device_solver *s, const struct dg_device_system *system, struct dg_pcg_report *report,
                   struct dg_error *err)
{
  double scale = 0, size = 0;
  int n = 0;
  if (gpu_check(gpu_march_held(&s->v, s->stream), making, err) != 0 || residual_size(s, s->v.d, &scale, err) != 0 ||
      residual_size(s, s->v.x, &size, err) != 0)
    return err->code;
  const double wanted = system->tolerance * scale;
  s->there->wanted = wanted;
  while (!(size <= wanted)) {
    if (n == system->most)
      return dg_fail(err, DG_INPUT, "%d iterations left a residual of %.1e, which is above %.1e", n, size / scale,
                     system->tolerance);
    if (march(s, system->most, &n, &size, err) != 0) return err->code;
    report->iterations = n;
    if (!(size <= wanted)) continue;
    s->there->end = INT_MAX; /* is it so, or only by the recurrence? */
    if (put_march(s, err) != 0 || residual_size(s, s->v.x, &size, err) != 0) return err->code;
    if (size <= 2 * wanted) break;
  }
  report->residual = scale > 0 ? size / scale : 0;
  return 0;
}

static int ready(struct dg_device_solver *s, const struct dg_device_system *system, struct dg_error *err)
{
  const size_t count = s->op.count;
  size_t free_ones = 0;
  for (size_t i = 0; i < count; i++) {
    const bool held = system->held != NULL && system->held[i];
    s->host[i] = held ? 0 : 1 / system->diagonal[i];
    free_ones += !held;
  }
  s->ones = (double)free_ones;
  s->weights = weights_of(system->weights);
  if (send_host(s, s->v.inverse, err) != 0 || s->levels.count == 0) return err->code;
  const struct gpu_search search = {
      .part_q = s->v.part_q, .part_r = s->v.part_r, .march = s->v.march, .there = s->there, .stream = s->stream};
  return gpu_levels_set(&s->levels, s->weights, system->held, system->floating, &search, err);
}

static int solve(struct dg_device_solver *s, const struct dg_device_system *system, const double *b, double *x,
                 struct dg_pcg_report *report, struct dg_error *err)
{
  *report = (struct dg_pcg_report){0};
  *s->there = (struct gpu_march){.ones = s->ones, .floating = system->floating, .end = INT_MAX};
  if (send(s, s->v.b, b, err) != 0 || send(s, s->v.x, x, err) != 0 || put_march(s, err) != 0 ||
      iterate(s, system, report, err) != 0)
    return err->code;
  return fetch(s, x, s->v.x, err);
}

const struct dg_device_ops gpu_elliptic_solver = {
    .name = "the card",
    .create = create,
    .destroy = destroy,
    .apply = apply,
    .ready = ready,
    .solve = solve,
    .bytes = bytes,
};
