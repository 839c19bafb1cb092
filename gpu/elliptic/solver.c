/* Conjugate gradients on the card, as dg_pcg_solve makes them on the host: the host starts iterations in batches and
 * reads a few numbers behind each. maxwell/statics and maxwell/heat call it through the table at the end. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "gpu/elliptic/elliptic.h"
#include "gpu/elliptic/kernels.h"
#include "gpu/elliptic/levels.h"
#include "gpu/elliptic/pack.h"
#include "gpu/elliptic/ranks.h"
#include "gpu/runtime/errors.h"
#include "gpu/runtime/memory.h"
#include "libdg/base/memory.h"

/* BATCH divides TRUE_EVERY. Behind the end, the rest of a batch does nothing. With multigrid, or where ranks share the
 * unknowns, a batch is one iteration. */
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
  bool deep; /* with multigrid */
  struct gpu_levels levels;
  const struct dg_space *space;
  struct dg_elliptic *more;
  enum dg_answer direct;
  struct gpu_ranks *ranks; /* NULL: nobody shares the unknowns */
};

static const char making[] = "solving", reading[] = "copying vectors";

static void destroy(struct dg_device_solver *s)
{
  if (s == NULL) return;
  if (s->stream != NULL) {
    (void)gpuStreamSynchronize(s->stream);
    (void)gpuStreamDestroy(s->stream);
  }
  gpu_levels_release(&s->levels);
  gpu_ranks_free(s->ranks);
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

/* What needs no other rank. */
static int create_alone(struct dg_device_solver *s, const struct dg_elliptic *op, struct dg_error *err)
{
  size_t places = 0;
  if (gpu_check(gpuStreamCreateWithFlags(&s->stream, gpuStreamNonBlocking), "making a stream", err) != 0 ||
      gpu_elliptic_pack(&s->op, &s->card, op, s->more, &places, err) != 0 || make_vectors(s, places, err) != 0 ||
      gpu_ranks_new(&s->ranks, &s->card, s->space, s->direct, err) != 0)
    return err->code;
  return gpu_check(gpu_elliptic_prepare(s->op.order), "setting up", err);
}

static int give(struct dg_device_solver *s, struct dg_multigrid *multigrid, struct dg_error *err)
{
  const struct gpu_levels_setup setup = {
      .of = multigrid, .more = s->more, .op = &s->op, .finest = &s->v, .ranks = s->ranks, .direct = s->direct};
  (void)!gpu_levels_init(&s->levels, &setup, err);
  if (gpu_ranks_agree(s->space, err) == 0) (void)!gpu_levels_join(&s->levels, err);
  if (gpu_ranks_agree(s->space, err) != 0) gpu_levels_release(&s->levels);
  return err->code;
}

static int create(struct dg_device_solver **result, const struct dg_device_setup *setup, struct dg_error *err)
{
  const struct dg_space *space = dg_elliptic_look(setup->op).space;
  struct dg_device_solver *s = NULL;
  *result = NULL;
  if (DG_NEW(s, 1, err) == 0) {
    s->space = space;
    s->more = setup->more;
    s->direct = setup->direct;
    (void)!create_alone(s, setup->op, err);
  }
  if (gpu_ranks_agree(space, err) == 0) (void)!gpu_ranks_join(s->ranks, err);
  if (gpu_ranks_agree(space, err) == 0) gpu_ranks_attach(s->ranks, &s->v);
  if (err->code == 0 && setup->multigrid != NULL) (void)!give(s, setup->multigrid, err);
  if (err->code != 0) {
    destroy(s);
    return err->code;
  }
  *result = s;
  return 0;
}

static size_t bytes(const struct dg_device_solver *s) { return s->card.bytes + s->levels.card.bytes; }

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

/* q = A x, with its sums. */
static int multiply(struct dg_device_solver *s, struct gpu_elliptic_weights weights, const double *x,
                    const struct gpu_march *march, int n, struct dg_error *err)
{
  gpuError_t status = gpu_elliptic_elements(&s->op, weights, x, march, n, s->stream);
  if (status == gpuSuccess) status = gpu_elliptic_gather(&s->op, x, s->v.q, s->v.part_q, march, n, s->stream);
  if (gpu_check(status, making, err) != 0) return err->code;
  return gpu_ranks_sum(s->ranks, s->v.q, s->v.part_q, s->stream, err);
}

static int apply(struct dg_device_solver *s, struct dg_device_weights weights, const double *x, double *y,
                 struct dg_error *err)
{
  if (send(s, s->v.d, x, err) != 0 || multiply(s, weights_of(weights), s->v.d, NULL, 0, err) != 0) return err->code;
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

/* r = b - A x, with the sums of r. */
static int residual(struct dg_device_solver *s, const double *x, int n, struct dg_error *err)
{
  if (multiply(s, s->weights, x, s->v.march, n, err) != 0 ||
      gpu_check(gpu_march_lack(&s->v, n, s->stream), making, err) != 0 ||
      gpu_ranks_reduce(s->ranks, &s->v, GPU_SUMS_OF_Q, s->stream, err) != 0)
    return err->code;
  return gpu_check(gpu_march_weigh(&s->v, n, s->stream), making, err);
}

static int residual_size(struct dg_device_solver *s, const double *x, double *size, struct dg_error *err)
{
  if (residual(s, x, 0, err) != 0 || gpu_ranks_reduce(s->ranks, &s->v, GPU_SUMS_OF_R, s->stream, err) != 0 ||
      gpu_check(gpu_march_measure(&s->v, s->stream), making, err) != 0 || read_march(s, err) != 0)
    return err->code;
  *size = sqrt(s->there->size);
  return 0;
}

/* The sums of r, with the preconditioner's z where there is one, and d turns. */
static int turn(struct dg_device_solver *s, int n, bool first, bool moves, struct dg_error *err)
{
  if (s->deep && (gpu_levels_cycle(&s->levels, s->weights, s->v.march, n, s->stream, err) != 0 ||
                  gpu_check(gpu_march_improved(&s->v, n, s->stream), making, err) != 0))
    return err->code;
  if (gpu_ranks_reduce(s->ranks, &s->v, GPU_SUMS_OF_R, s->stream, err) != 0) return err->code;
  return gpu_check(gpu_march_turn(&s->v, n, first, moves, s->stream), making, err);
}

static int iteration(struct dg_device_solver *s, int n, struct dg_error *err)
{
  const bool whole = n % TRUE_EVERY == TRUE_EVERY - 1; /* the residual anew, behind x */
  if (multiply(s, s->weights, s->v.d, s->v.march, n, err) != 0 ||
      gpu_check(gpu_march_residual(&s->v, n, s->stream), making, err) != 0)
    return err->code;
  if (whole && (gpu_check(gpu_march_move(&s->v, n, s->stream), making, err) != 0 || residual(s, s->v.x, n, err) != 0))
    return err->code;
  return turn(s, n, false, !whole, err);
}

/* Does somebody give up before the iterations from n to `until`? */
static bool stops(const struct dg_device_system *system, int n, int until)
{
  for (int i = n; i < until; i++)
    if (system->stop != NULL && system->stop(system->context)) return true;
  return false;
}

/* Iterations from *n on until the residual is small by the recurrence, at most up to `most`. *size: of r then. */
static int march(struct dg_device_solver *s, const struct dg_device_system *system, int *n, double *size,
                 struct dg_error *err)
{
  const int batch = s->deep || s->ranks != NULL ? 1 : BATCH, most = system->most;
  s->there->end = INT_MAX;
  if (put_march(s, err) != 0 || turn(s, *n - 1, true, false, err) != 0) return err->code;
  for (;;) {
    const int until = most - *n < batch ? most : *n + batch;
    if (stops(system, *n, until)) return dg_fail(err, DG_INTERRUPTED, "interrupted");
    for (int i = *n; i < until; i++)
      if (iteration(s, i, err) != 0) return err->code;
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
  if (!isfinite(size) || !isfinite(scale))
    return dg_fail(err, DG_INPUT, "the equations have values that are no numbers");
  s->there->wanted = wanted;
  while (!(size <= wanted)) {
    if (n == system->most)
      return dg_fail(err, DG_INPUT, "%d iterations left a residual of %.1e, which is above %.1e", n, size / scale,
                     system->tolerance);
    const int status = march(s, system, &n, &size, err);
    report->iterations = n;
    if (status != 0) return status;
    if (!(size <= wanted)) continue;
    s->there->end = INT_MAX; /* is it so, or only by the recurrence? */
    if (put_march(s, err) != 0 || residual_size(s, s->v.x, &size, err) != 0) return err->code;
    if (size <= 2 * wanted) break;
  }
  report->residual = scale > 0 ? size / scale : 0;
  return 0;
}

static int count_ones(struct dg_device_solver *s, const struct dg_device_system *system, struct dg_error *err)
{
  const bool *foreign = dg_space_foreign(s->space);
  size_t count = 0;
  for (size_t i = 0; i < s->op.count; i++)
    count += (system->held == NULL || !system->held[i]) && (foreign == NULL || !foreign[i]);
  s->ones = (double)count;
  return dg_space_reduce(s->space, 1, &s->ones, err);
}

static int ready(struct dg_device_solver *s, const struct dg_device_system *system, struct dg_error *err)
{
  const struct gpu_search search = {
      .part_q = s->v.part_q, .part_r = s->v.part_r, .march = s->v.march, .there = s->there, .stream = s->stream};
  s->weights = weights_of(system->weights);
  s->deep = system->multigrid && s->levels.count > 0;
  s->v.z = s->deep ? s->levels.level[0].s.z : NULL;
  if (count_ones(s, system, err) != 0 ||
      (s->deep && gpu_levels_set(&s->levels, s->weights, system->held, system->floating, &search, err) != 0))
    return err->code;
  for (size_t i = 0; i < s->op.count; i++)
    s->host[i] = system->held != NULL && system->held[i] ? 0 : 1 / system->diagonal[i];
  return send_host(s, s->v.inverse, err);
}

/* b less what system->from gives. */
static int move(struct dg_device_solver *s, const struct dg_device_system *system, struct dg_error *err)
{
  if (system->from == NULL) return 0;
  if (send(s, s->v.d, system->from, err) != 0 || multiply(s, weights_of(system->moved), s->v.d, NULL, 0, err) != 0)
    return err->code;
  return gpu_check(gpu_march_subtract(s->v.count, s->v.q, s->v.b, s->stream), making, err);
}

/* q has A x: the last thing that iterate() does is to look at the residual. */
static int fetch_lack(struct dg_device_solver *s, const struct dg_device_system *system, struct dg_error *err)
{
  if (system->lack == NULL) return 0;
  if (gpu_check(gpu_march_subtract(s->v.count, s->v.b, s->v.q, s->stream), making, err) != 0) return err->code;
  return fetch(s, system->lack, s->v.q, err);
}

static int solve(struct dg_device_solver *s, const struct dg_device_system *system, const double *b, double *x,
                 struct dg_pcg_report *report, struct dg_error *err)
{
  struct dg_error rest = {0};
  *report = (struct dg_pcg_report){0};
  *s->there = (struct gpu_march){.ones = s->ones, .floating = system->floating, .end = INT_MAX};
  if (send(s, s->v.b, b, err) != 0 || move(s, system, err) != 0 || send(s, s->v.x, x, err) != 0 ||
      put_march(s, err) != 0)
    return err->code;
  const int status = iterate(s, system, report, err);
  if (status == 0) return fetch(s, x, s->v.x, err) == 0 ? fetch_lack(s, system, err) : (int)err->code;
  if (status == DG_INTERRUPTED || status == DG_INPUT) (void)!fetch(s, x, s->v.x, &rest);
  return status;
}

const struct dg_device_ops gpu_elliptic_solver = {
    .name = "the card",
    .create = create,
    .destroy = destroy,
    .give = give,
    .apply = apply,
    .ready = ready,
    .solve = solve,
    .bytes = bytes,
};
