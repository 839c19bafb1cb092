/* The search for the fewest poles that fit a table: fit.h. `curlew fit` calls it. */
#include "maxwell/fit/fit.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "maxwell/fit/passive.h"
#include "maxwell/fit/vector_fit.h"

enum { UNKNOWNS = MX_FIT_POLES + 2, ITERATIONS = 25, REWEIGHTS = 12, POLISHES = 15, PATIENCE = 6 };
static const double EPS0 = 8.8541878128e-12, ROUNDING = 1e-14;

/* A fit on the scaled axis. */
struct attempt {
  struct mx_fit_poles poles;
  double x[UNKNOWNS];
  double max, rms, free_max, free_rms, worst;
  double part[2]; /* the largest errors of real parts and losses */
};

struct search {
  const struct mx_fit_options *options;
  struct mx_fit_points points;
  double *usual; /* [count][2] weights by which errors are measured */
};

double complex mx_fit_evaluate(const struct mx_fit_model *model, double omega)
{
  double complex eps = model->epsilon_r + model->sigma / (I * omega * EPS0);
  for (size_t p = 0; p < model->poles; p++) {
    const struct mx_fit_pole *pole = &model->pole[p];
    eps += pole->c / (I * omega - pole->a);
    if (cimag(pole->a) > 0) eps += conj(pole->c) / (I * omega - conj(pole->a));
  }
  return eps;
}

/* part[2], which may be NULL: the largest errors of real parts and losses; each[count][2] may be NULL, too. */
static void measure(const struct search *s, const struct mx_fit_poles *poles, const double *x, double *max, double *rms,
                    double *worst, double *part, double *each)
{
  const size_t n = mx_fit_unknowns(poles);
  double complex row[UNKNOWNS];
  double sum = 0;
  *max = 0;
  for (size_t k = 0; k < s->points.count; k++) {
    double complex fit = 0;
    mx_fit_basis(poles, s->points.w[k], row);
    for (size_t j = 0; j < n; j++) fit += x[j] * row[j];
    const double complex off = fit - s->points.eps[k];
    for (size_t i = 0; i < 2; i++) {
      const double error = s->usual[2 * k + i] * fabs(i == 0 ? creal(off) : cimag(off));
      if (each != NULL) each[2 * k + i] = error;
      if (part != NULL) part[i] = k == 0 ? error : fmax(part[i], error);
      sum += error * error;
      if (error < *max) continue;
      *max = error;
      *worst = s->points.w[k];
    }
  }
  *rms = sqrt(sum / (double)s->points.count);
}

static double loss_tangent(const struct mx_fit_table *table, size_t k)
{
  return -cimag(table->eps[k]) / cabs(table->eps[k]);
}

/* The noise of the loss tangents. Where three neighbours bend to and fro, half of the time or more, it is what they
 * bend by; gain is noise in any case. */
static double noise_of_losses(const struct mx_fit_table *table)
{
  enum { ENOUGH = 16 };
  double sum = 0, gain = 0, last = 0;
  size_t turns = 0;
  for (size_t k = 0; k < table->count; k++) {
    gain = fmax(gain, -loss_tangent(table, k));
    if (k == 0 || k + 1 == table->count) continue;
    const double w = (table->omega[k] - table->omega[k - 1]) / (table->omega[k + 1] - table->omega[k - 1]);
    const double bend = loss_tangent(table, k) - (1 - w) * loss_tangent(table, k - 1) - w * loss_tangent(table, k + 1);
    sum += bend * bend;
    turns += bend * last < 0;
    last = bend;
  }
  const bool noisy = table->count >= ENOUGH && 2 * turns > table->count;
  return fmax(2 * gain, noisy ? 2.5 * sqrt(sum / (double)table->count) : 0);
}

void mx_fit_scales(const struct mx_fit_table *table, const struct mx_fit_options *options, double *scale)
{
  const double share = 0.1, least = 1e-3, noise = noise_of_losses(table) / options->tolerance;
  double sum = 0;
  for (size_t k = 0; k < table->count; k++) sum += pow(loss_tangent(table, k), 2);
  const double floor = fmax(fmax(share * sqrt(sum / (double)table->count), noise), sum > 0 ? 0 : least);
  for (size_t k = 0; k < table->count; k++) {
    const double tangent = fmin(fmax(fabs(loss_tangent(table, k)), floor), 1), size = cabs(table->eps[k]);
    scale[2 * k] = options->absolute ? 1 : size;
    scale[2 * k + 1] = options->absolute ? 1 : size * tangent;
  }
}

/* Poles to begin with: evenly over the logarithm of the band, or over the band; pairs of little damping, or real ones;
 * or the best poles so far and a further one where the error is largest. */
enum start { PAIRS, LINEAR, REAL, MIXED, MORE, STARTS };
static bool begin(const struct search *s, struct mx_fit_poles *poles, int states, enum start start,
                  const struct attempt *last)
{
  const double low = s->points.w[0], high = s->points.w[s->points.count - 1];
  if (start == MORE) {
    const int more = states - mx_fit_states(&last->poles);
    const double w = last->worst;
    if (!isfinite(last->max) || more < 1 || more > 2) return false;
    *poles = last->poles;
    poles->a[poles->count++] = more == 1 ? -w : -0.05 * w + I * w;
    return true;
  }
  const int pairs = start == REAL ? 0 : start == MIXED ? (states - 2) / 2 : states / 2, all = states - pairs;
  if ((start == REAL && states < 2) || (start == MIXED && states < 4) || (start == LINEAR && states < 4)) return false;
  poles->count = 0;
  for (int i = 0; i < all; i++) {
    const double part = all > 1 ? i / (all - 1.0) : 0.5;
    const double w = start == LINEAR ? low + (high - low) * part : low * pow(high / low, part);
    poles->a[poles->count++] = i < all - pairs ? -w : -0.01 * w + I * w;
  }
  return true;
}

/* Relocates the poles and keeps those with the least error in the usual measure, residues free. */
static int relocate(struct search *s, struct mx_fit_poles *poles, struct dg_error *err)
{
  struct mx_fit_poles best = *poles;
  double least = INFINITY, x[UNKNOWNS], max, rms, worst;
  for (int i = 0; i < ITERATIONS; i++) {
    if (mx_fit_relocate(&s->points, poles, err) != 0 || mx_fit_residues(&s->points, poles, false, 0, x, err) != 0)
      return err->code;
    measure(s, poles, x, &max, &rms, &worst, NULL, NULL);
    if (!(rms < least)) continue;
    least = rms;
    best = *poles;
  }
  *poles = best;
  return 0;
}

static int finish(struct search *s, struct attempt *attempt, double *each, struct dg_error *err)
{
  double worst = 0;
  if (mx_fit_residues(&s->points, &attempt->poles, false, 0, attempt->x, err) != 0) return err->code;
  measure(s, &attempt->poles, attempt->x, &attempt->free_max, &attempt->free_rms, &worst, NULL, NULL);
  if (mx_fit_residues(&s->points, &attempt->poles, true, s->options->least_epsilon, attempt->x, err) != 0)
    return err->code;
  measure(s, &attempt->poles, attempt->x, &attempt->max, &attempt->rms, &attempt->worst, attempt->part, each);
  if (mx_fit_least_loss(&attempt->poles, attempt->x, &worst) < -ROUNDING) attempt->max = attempt->rms = INFINITY;
  return 0;
}

/* Points with large errors get more weight, which makes the largest error smaller and the mean one larger (Lawson). */
static int level(struct search *s, struct attempt *best, double *each, struct dg_error *err)
{
  struct attempt next = *best;
  for (int i = 0; i < REWEIGHTS; i++) {
    if (!isfinite(next.max)) break;
    for (size_t k = 0; k < 2 * s->points.count; k++) s->points.weight[k] *= sqrt((each[k] + 0.1 * next.max) / next.max);
    if (mx_fit_relocate(&s->points, &next.poles, err) != 0 || finish(s, &next, each, err) != 0) break;
    if (next.max < best->max && next.poles.count <= (size_t)s->options->poles) *best = next;
    if (next.max == 0 || best->max <= s->options->tolerance) break;
  }
  for (size_t k = 0; k < 2 * s->points.count; k++) s->points.weight[k] = s->usual[k];
  return err->code;
}

/* Moves the poles one by one as long as the largest error of the passive fit falls: the poles that vector fitting finds
 * are best for residues that may amplify, and not for these. */
static int polish(struct search *s, struct attempt *best, double *each, struct dg_error *err)
{
  const size_t coordinates = 2 * best->poles.count;
  double step = 0.2;
  for (int round = 0; round < POLISHES && best->max > s->options->tolerance; round++) {
    bool better = false;
    for (size_t i = 0; i < 2 * coordinates; i++) {
      struct attempt next = *best;
      double complex *a = &next.poles.a[i / 4];
      const double factor = exp((i % 2 == 0 ? -1 : 1) * step);
      if (i % 4 >= 2 && cimag(*a) == 0) continue;
      *a = i % 4 < 2 ? creal(*a) * factor + I * cimag(*a) : creal(*a) + I * cimag(*a) * sqrt(factor);
      if (finish(s, &next, each, err) != 0) return err->code;
      if (!(next.max < best->max)) continue;
      next.free_max = best->free_max; /* of the poles that were best for it */
      next.free_rms = best->free_rms;
      *best = next;
      better = true;
    }
    if (!better) step /= 2;
  }
  return 0;
}

/* The better of two: within the tolerance the lesser rms error, else the lesser largest one. */
static bool better(const struct search *s, const struct attempt *a, const struct attempt *b)
{
  const bool both = a->max <= s->options->tolerance && b->max <= s->options->tolerance;
  return both ? a->rms < b->rms : a->max < b->max;
}

/* Tries so many states from the beginnings that there are. */
static int try_states(struct search *s, int states, struct attempt *best, double *each, struct dg_error *err)
{
  const struct attempt last = *best;
  struct attempt own = {.max = INFINITY, .rms = INFINITY};
  /* Who has no losses at the low end of the band is not made a conductor, which would be a cheap way to bend eps. */
  const double complex lowest = s->points.eps[0];
  const bool may_conduct =
      !s->options->no_sigma && (creal(lowest) < 0 || -cimag(lowest) > s->options->tolerance * cabs(lowest));
  for (int way = 0; way < 2 * STARTS; way++) {
    struct attempt now = {.max = INFINITY};
    const bool conducts = way % 2 == 1;
    if ((conducts && !may_conduct) || !begin(s, &now.poles, states, (enum start)(way / 2), &last)) continue;
    now.poles.conducts = conducts;
    if (relocate(s, &now.poles, err) != 0) return err->code;
    if (now.poles.count > (size_t)s->options->poles) continue;
    if (finish(s, &now, each, err) != 0) return err->code;
    if (now.max > s->options->tolerance && now.rms < s->options->tolerance && level(s, &now, each, err) != 0)
      return err->code;
    if (better(s, &now, &own)) own = now;
  }
  if (own.max > s->options->tolerance && own.free_max < 2 * s->options->tolerance && polish(s, &own, each, err) != 0)
    return err->code;
  if (better(s, &own, best)) *best = own;
  return 0;
}

static void tell(const struct attempt *attempt, double unit, double least, struct mx_fit_result *result)
{
  const struct mx_fit_poles *poles = &attempt->poles;
  const size_t states = (size_t)mx_fit_states(poles);
  size_t at = 0;
  *result = (struct mx_fit_result){.states = (int)states,
                                   .max_error = attempt->max,
                                   .rms_error = attempt->rms,
                                   .real_error = attempt->part[0],
                                   .loss_error = attempt->part[1],
                                   .free_max = attempt->free_max,
                                   .free_rms = attempt->free_rms,
                                   .worst = attempt->worst * unit};
  struct mx_fit_model *model = &result->model;
  for (size_t p = 0; p < poles->count; p++) {
    const bool pair = cimag(poles->a[p]) > 0;
    model->pole[p].a = poles->a[p] * unit;
    model->pole[p].c = (attempt->x[at] + (pair ? attempt->x[at + 1] : 0) * I) * unit;
    at += pair ? 2 : 1;
  }
  model->poles = poles->count;
  model->epsilon_r = fmax(attempt->x[states], least); /* less by rounding */
  model->sigma = poles->conducts ? fmax(attempt->x[states + 1], 0) * EPS0 * unit : 0;
}

int mx_fit(const struct mx_fit_table *table, const struct mx_fit_options *options, struct mx_fit_result *result,
           struct dg_error *err)
{
  struct search s = {.options = options, .points = {.count = table->count, .eps = table->eps}};
  struct attempt best = {.max = INFINITY, .rms = INFINITY};
  const double unit = sqrt(table->omega[0] * table->omega[table->count - 1]);
  double *w = NULL, *each = NULL;
  if (DG_NEW(w, table->count, err) != 0 || DG_NEW(each, 2 * table->count, err) != 0 ||
      DG_NEW(s.usual, 2 * table->count, err) != 0 || DG_NEW(s.points.weight, 2 * table->count, err) != 0)
    goto fail;
  mx_fit_scales(table, options, s.usual);
  for (size_t k = 0; k < table->count; k++) {
    w[k] = table->omega[k] / unit;
    for (size_t i = 0; i < 2; i++) s.points.weight[2 * k + i] = s.usual[2 * k + i] = 1 / s.usual[2 * k + i];
  }
  s.points.w = w;
  const int least = options->poles < MX_FIT_POLES / 2 ? 2 * options->poles : MX_FIT_POLES;
  const int most = table->count < (size_t)least ? (int)table->count : least; /* no more unknowns than numbers */
  double last = INFINITY; /* the error that more states must beat by some per cent, or they follow noise */
  for (int states = 0, since = 0; states <= most && since <= PATIENCE; states++, since++) {
    if (try_states(&s, states, &best, each, err) != 0) goto fail;
    if (best.max <= options->tolerance) break;
    if (best.max > 0.97 * last) continue;
    last = best.max;
    since = 0;
  }
  tell(&best, unit, options->least_epsilon, result);
fail:
  dg_free(w);
  dg_free(each);
  dg_free(s.usual);
  dg_free(s.points.weight);
  return err->code;
}
