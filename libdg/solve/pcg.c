/* Conjugate gradients in plain loops. The sums and updates are threaded; the operator and its preconditioner are the
 * caller's. Statics call it. */
#include "libdg/solve/pcg.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"

enum { PART = 4096, TRUE_EVERY = 50 };

/* Vectors of an iteration. */
struct work {
  double *r, *z, *d, *q, *sum;
  size_t parts;
  double old;        /* r . z of the iteration before */
  double *one, ones; /* [count] 1, and the unknowns of all ranks; of `floating` */
};

/* *result = a . b over all ranks. */
static int dot(const struct dg_pcg *pcg, struct work *work, const double *a, const double *b, double *result,
               struct dg_error *err)
{
#pragma omp parallel for schedule(static)
  for (size_t p = 0; p < work->parts; p++) {
    const size_t end = (p + 1) * PART < pcg->count ? (p + 1) * PART : pcg->count;
    double sum = 0;
    if (pcg->foreign == NULL) {
      for (size_t i = p * PART; i < end; i++) sum += a[i] * b[i];
    } else {
      for (size_t i = p * PART; i < end; i++) sum += pcg->foreign[i] ? 0 : a[i] * b[i];
    }
    work->sum[p] = sum;
  }
  *result = 0;
  for (size_t p = 0; p < work->parts; p++) *result += work->sum[p];
  return pcg->sum != NULL ? pcg->sum(pcg->context, 1, result, err) : 0;
}

/* a += scale b */
static void add(size_t count, double scale, const double *b, double *a)
{
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++) a[i] += scale * b[i];
}

/* Takes away what may not change: held values, and the mean where constants are in the kernel. */
static int project(const struct dg_pcg *pcg, struct work *work, double *v, struct dg_error *err)
{
  const size_t count = pcg->count;
  if (pcg->floating) {
    double sum;
    if (dot(pcg, work, v, work->one, &sum, err) != 0) return err->code;
    const double mean = sum / work->ones;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; i++) v[i] -= mean;
  }
  if (pcg->held == NULL) return 0;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++)
    if (pcg->held[i]) v[i] = 0;
  return 0;
}

/* r = b - A x, and its norm */
static int residual(const struct dg_pcg *pcg, struct work *work, const double *b, const double *x, double *size,
                    struct dg_error *err)
{
  double *r = work->r;
  pcg->apply(pcg->context, x, r);
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < pcg->count; i++) r[i] = b[i] - r[i];
  if (project(pcg, work, r, err) != 0 || dot(pcg, work, r, r, size, err) != 0) return err->code;
  *size = sqrt(*size);
  return 0;
}

static int improve(const struct dg_pcg *pcg, struct work *work, struct dg_error *err)
{
  if (pcg->improve != NULL) pcg->improve(pcg->context, work->r, work->z);
  else memcpy(work->z, work->r, sizeof *work->z * pcg->count);
  return project(pcg, work, work->z, err);
}

/* The norm of the residual of x = 0 with the held values of x: what the tolerance is relative to. */
static int scale_of(const struct dg_pcg *pcg, struct work *work, const double *b, const double *x, double *scale,
                    struct dg_error *err)
{
  memset(work->d, 0, sizeof *work->d * pcg->count);
  for (size_t i = 0; pcg->held != NULL && i < pcg->count; i++)
    if (pcg->held[i]) work->d[i] = x[i];
  return residual(pcg, work, b, work->d, scale, err);
}

/* One iteration behind n others: x, r and the norm of r move. */
static int advance(const struct dg_pcg *pcg, struct work *work, const double *b, double *x, int n, double *size,
                   struct dg_error *err)
{
  const size_t count = pcg->count;
  double now, curvature;
  if (improve(pcg, work, err) != 0 || dot(pcg, work, work->r, work->z, &now, err) != 0) return err->code;
  const double beta = n > 0 ? now / work->old : 0;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++) work->d[i] = work->z[i] + beta * work->d[i];
  if (n == 0) memcpy(work->d, work->z, sizeof *work->d * count);
  pcg->apply(pcg->context, work->d, work->q);
  if (project(pcg, work, work->q, err) != 0 || dot(pcg, work, work->d, work->q, &curvature, err) != 0) return err->code;
  if (!(now > 0 && curvature > 0))
    return dg_fail(err, DG_INPUT, "the equations are not positive definite (r.z %.2e, d.Ad %.2e, iteration %d)", now,
                   curvature, n);
  add(count, now / curvature, work->d, x);
  work->old = now;
  if (n % TRUE_EVERY == TRUE_EVERY - 1) return residual(pcg, work, b, x, size, err);
  add(count, -now / curvature, work->q, work->r);
  if (dot(pcg, work, work->r, work->r, size, err) != 0) return err->code;
  *size = sqrt(*size);
  return 0;
}

static int iterate(const struct dg_pcg *pcg, struct work *work, const double *b, double *x,
                   struct dg_pcg_report *report, struct dg_error *err)
{
  double scale, size;
  *report = (struct dg_pcg_report){0};
  if (scale_of(pcg, work, b, x, &scale, err) != 0 || residual(pcg, work, b, x, &size, err) != 0) return err->code;
  const double wanted = pcg->tolerance * scale;
  if (!isfinite(size) || !isfinite(scale))
    return dg_fail(err, DG_INPUT, "the equations have values that are no numbers");
  for (int n = 0; size > wanted; n++) {
    if (n == pcg->most)
      return dg_fail(err, DG_INPUT, "%d iterations left a residual of %.1e, which is above %.1e", n, size / scale,
                     pcg->tolerance);
    if (pcg->stop != NULL && pcg->stop(pcg->context)) return dg_fail(err, DG_INTERRUPTED, "interrupted");
    if (advance(pcg, work, b, x, n, &size, err) != 0) return err->code;
    report->iterations = n + 1;
    if (size <= wanted) { /* is it so, or only by the recurrence? */
      if (residual(pcg, work, b, x, &size, err) != 0) return err->code;
      if (size <= 2 * wanted) break;
    }
  }
  report->residual = scale > 0 ? size / scale : 0;
  return 0;
}

/* What a mean needs. */
static int count_ones(const struct dg_pcg *pcg, struct work *work, struct dg_error *err)
{
  if (DG_NEW(work->one, pcg->count, err) != 0) return err->code;
  for (size_t i = 0; i < pcg->count; i++) work->one[i] = 1;
  return dot(pcg, work, work->one, work->one, &work->ones, err);
}

enum { VECTORS = 4 };

static size_t parts_of(size_t count) { return (count + PART - 1) / PART; }

size_t dg_pcg_room(size_t count) { return VECTORS * count + parts_of(count); }

int dg_pcg_solve(const struct dg_pcg *pcg, const double *b, double *x, struct dg_pcg_report *report,
                 struct dg_error *err)
{
  struct work work = {.parts = parts_of(pcg->count)};
  double *own = NULL;
  if (pcg->room == NULL && DG_NEW(own, dg_pcg_room(pcg->count), err) != 0) return err->code;
  work.r = pcg->room != NULL ? pcg->room : own;
  work.z = work.r + pcg->count;
  work.d = work.z + pcg->count;
  work.q = work.d + pcg->count;
  work.sum = work.q + pcg->count;
  if (!pcg->floating || count_ones(pcg, &work, err) == 0) (void)iterate(pcg, &work, b, x, report, err);
  dg_free(own);
  dg_free(work.one);
  return err->code;
}
