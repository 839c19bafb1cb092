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
};

static double dot(struct work *work, size_t count, const double *a, const double *b)
{
#pragma omp parallel for schedule(static)
  for (size_t p = 0; p < work->parts; p++) {
    const size_t end = (p + 1) * PART < count ? (p + 1) * PART : count;
    double sum = 0;
    for (size_t i = p * PART; i < end; i++) sum += a[i] * b[i];
    work->sum[p] = sum;
  }
  double total = 0;
  for (size_t p = 0; p < work->parts; p++) total += work->sum[p];
  return total;
}

/* a += scale b */
static void add(size_t count, double scale, const double *b, double *a)
{
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++) a[i] += scale * b[i];
}

/* Takes away what may not change: held values, and the mean where constants are in the kernel. */
static void project(const struct dg_pcg *pcg, double *v)
{
  if (pcg->floating) {
    double mean = 0;
    for (size_t i = 0; i < pcg->count; i++) mean += v[i];
    mean /= (double)pcg->count;
    for (size_t i = 0; i < pcg->count; i++) v[i] -= mean;
  }
  for (size_t i = 0; pcg->held != NULL && i < pcg->count; i++)
    if (pcg->held[i]) v[i] = 0;
}

/* r = b - A x */
static void residual(const struct dg_pcg *pcg, const double *b, const double *x, double *r)
{
  pcg->apply(pcg->context, x, r);
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < pcg->count; i++) r[i] = b[i] - r[i];
  project(pcg, r);
}

static void improve(const struct dg_pcg *pcg, struct work *work)
{
  if (pcg->improve != NULL) pcg->improve(pcg->context, work->r, work->z);
  else memcpy(work->z, work->r, sizeof *work->z * pcg->count);
  project(pcg, work->z);
}

/* The norm of the residual of x = 0 with the held values of x: what the tolerance is relative to. */
static double scale_of(const struct dg_pcg *pcg, struct work *work, const double *b, const double *x)
{
  memset(work->d, 0, sizeof *work->d * pcg->count);
  for (size_t i = 0; pcg->held != NULL && i < pcg->count; i++)
    if (pcg->held[i]) work->d[i] = x[i];
  residual(pcg, b, work->d, work->r);
  return sqrt(dot(work, pcg->count, work->r, work->r));
}

static int iterate(const struct dg_pcg *pcg, struct work *work, const double *b, double *x,
                   struct dg_pcg_report *report, struct dg_error *err)
{
  const size_t count = pcg->count;
  const double scale = scale_of(pcg, work, b, x);
  *report = (struct dg_pcg_report){0};
  residual(pcg, b, x, work->r);
  double size = sqrt(dot(work, count, work->r, work->r)), old = 0;
  const double wanted = pcg->tolerance * scale;
  for (int n = 0; size > wanted; n++) {
    if (n == pcg->most)
      return dg_fail(err, DG_INPUT, "%d iterations left a residual of %.1e, which is above %.1e", n, size / scale,
                     pcg->tolerance);
    if (pcg->stop != NULL && pcg->stop(pcg->context)) return dg_fail(err, DG_INTERRUPTED, "interrupted");
    improve(pcg, work);
    const double now = dot(work, count, work->r, work->z), beta = n > 0 ? now / old : 0;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; i++) work->d[i] = work->z[i] + beta * work->d[i];
    if (n == 0) memcpy(work->d, work->z, sizeof *work->d * count);
    pcg->apply(pcg->context, work->d, work->q);
    project(pcg, work->q);
    const double curvature = dot(work, count, work->d, work->q);
    if (!(now > 0 && curvature > 0))
      return dg_fail(err, DG_INPUT, "the equations are not positive definite (r.z %.2e, d.Ad %.2e, iteration %d)", now,
                     curvature, n);
    add(count, now / curvature, work->d, x);
    if (n % TRUE_EVERY == TRUE_EVERY - 1) residual(pcg, b, x, work->r);
    else add(count, -now / curvature, work->q, work->r);
    old = now;
    size = sqrt(dot(work, count, work->r, work->r));
    report->iterations = n + 1;
    if (size <= wanted) { /* is it so, or only by the recurrence? */
      residual(pcg, b, x, work->r);
      size = sqrt(dot(work, count, work->r, work->r));
      if (size <= 2 * wanted) break;
    }
  }
  report->residual = scale > 0 ? size / scale : 0;
  return 0;
}

int dg_pcg_solve(const struct dg_pcg *pcg, const double *b, double *x, struct dg_pcg_report *report,
                 struct dg_error *err)
{
  struct work work = {.parts = (pcg->count + PART - 1) / PART};
  if (DG_NEW(work.r, pcg->count, err) == 0 && DG_NEW(work.z, pcg->count, err) == 0 &&
      DG_NEW(work.d, pcg->count, err) == 0 && DG_NEW(work.q, pcg->count, err) == 0 &&
      DG_NEW(work.sum, work.parts, err) == 0)
    (void)iterate(pcg, &work, b, x, report, err);
  dg_free(work.r);
  dg_free(work.z);
  dg_free(work.d);
  dg_free(work.q);
  dg_free(work.sum);
  return err->code;
}
