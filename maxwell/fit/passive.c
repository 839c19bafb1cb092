/* Residues by least squares under the condition of passivity. fit.c calls it.
 *
 * -Im eps_r is linear in the residues at each frequency. The conditions at all frequencies are met one by one: solve,
 * look for the frequencies at which the medium amplifies, add their conditions, solve again. Where the losses vanish
 * (w -> 0 as w, w -> infinity as 1/w) the first terms of the series stand for the frequencies beyond the grid. So that
 * a frequency between two of the grid does not amplify either, each condition asks for a bit more than nothing: MARGIN
 * of the losses that the same poles have as Debye and Lorentz terms of the size of the data, which are positive
 * everywhere. The losses of a conductivity count a bit less than they are: a Drude metal is a conductivity and a
 * negative Debye term that cancel at high frequencies, and rounding must not turn that into gain. */
#include "maxwell/fit/passive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "maxwell/fit/least_squares.h"

enum { SCAN = 1500, WIDTHS = 25, MOST = 400, ROUNDS = 60, UNKNOWNS = MX_FIT_POLES + 2 };
static const double MARGIN = 1e-9, FAR = 1e4, EDGE = 1e-12;

/* What the unknowns give to -Im eps_r at w; w = 0 and w = INFINITY: to the factor of its first term there. */
static void loss_row(const struct mx_fit_poles *poles, double w, double *row)
{
  const size_t n = mx_fit_unknowns(poles), states = (size_t)mx_fit_states(poles);
  double complex basis[UNKNOWNS] = {0};
  if (w > 0 && isfinite(w)) {
    mx_fit_basis(poles, w, basis);
    for (size_t j = 0; j < n; j++) row[j] = -cimag(basis[j]);
    if (poles->conducts) row[states + 1] *= 1 - EDGE;
  } else {
    size_t at = 0;
    for (size_t p = 0; p < poles->count; p++) {
      const double complex a = poles->a[p], term = w > 0 ? 1 : 1 / (a * a);
      const bool pair = cimag(a) > 0;
      row[at++] = (pair ? 2 : 1) * creal(term);
      if (pair) row[at++] = -2 * cimag(term);
    }
    if (poles->conducts) row[states + 1] = w > 0 ? 1 - EDGE : 1; /* with w = 0, 1/w^2 of it, which is all */
    if (poles->conducts && w == 0) memset(row, 0, states * sizeof *row);
  }
  row[states] = 0; /* epsilon_r has no losses */
}

/* Losses by a row, as a part of the sum of the sizes of the terms. */
static double part_of(const double *row, const double *x, size_t n)
{
  double sum = 0, size = 0;
  for (size_t j = 0; j < n; j++) {
    sum += row[j] * x[j];
    size += fabs(row[j] * x[j]);
  }
  return size > 0 ? sum / size : 0;
}

/* The frequencies that are looked at, sorted: a grid in logarithms from far below to far above, both ends, and the
 * surroundings of each resonance. Returns how many. */
static size_t frequencies(const struct mx_fit_poles *poles, double *w)
{
  double low = 1, high = 1;
  size_t n = 0;
  for (size_t p = 0; p < poles->count; p++) {
    low = fmin(low, cabs(poles->a[p]));
    high = fmax(high, cabs(poles->a[p]));
  }
  low /= FAR;
  high *= FAR;
  w[n++] = 0;
  for (int i = 0; i < SCAN; i++) w[n++] = low * pow(high / low, i / (SCAN - 1.0));
  w[n++] = INFINITY;
  for (size_t p = 0; p < poles->count; p++)
    for (int i = 0; i < WIDTHS && cimag(poles->a[p]) > 0; i++) {
      const double away = sinh((i - (WIDTHS - 1) / 2.0) / 3.0) * fabs(creal(poles->a[p])),
                   at = cimag(poles->a[p]) + away;
      if (at > 0) w[n++] = at;
    }
  qsort(w, n, sizeof *w, dg_compare_doubles);
  return n;
}
enum { ALL = SCAN + 2 + WIDTHS * MX_FIT_POLES };

static double part_at(const struct mx_fit_poles *poles, const double *x, double w)
{
  double row[UNKNOWNS] = {0};
  loss_row(poles, w, row);
  return part_of(row, x, mx_fit_unknowns(poles));
}

/* The frequency of the least part between two, by golden sections of the logarithm. */
static double refine(const struct mx_fit_poles *poles, const double *x, double low, double high)
{
  static const double golden = 0.6180339887498949;
  double a = log(low), b = log(high);
  double c = b - golden * (b - a), d = a + golden * (b - a);
  double at_c = part_at(poles, x, exp(c)), at_d = part_at(poles, x, exp(d));
  for (int i = 0; i < 45; i++) {
    if (at_c < at_d) {
      b = d;
      d = c;
      at_d = at_c;
      c = b - golden * (b - a);
      at_c = part_at(poles, x, exp(c));
    } else {
      a = c;
      c = d;
      at_c = at_d;
      d = a + golden * (b - a);
      at_d = part_at(poles, x, exp(d));
    }
  }
  return exp((a + b) / 2);
}

/* The local minima of the losses, as parts, that are below `below`: frequencies minimum[MOST], sorted. A minimum on the
 * grid is refined between its neighbours. Returns how many. */
static size_t minima(const struct mx_fit_poles *poles, const double *x, double below, double *minimum)
{
  double w[ALL], part[ALL];
  const size_t count = frequencies(poles, w);
  size_t found = 0;
  for (size_t i = 0; i < count; i++) part[i] = part_at(poles, x, w[i]);
  for (size_t i = 0; i < count && found < MOST; i++) {
    if (part[i] >= below || (i > 0 && part[i - 1] <= part[i]) || (i + 1 < count && part[i + 1] < part[i])) continue;
    const bool inner = i > 1 && i + 2 < count;
    minimum[found] = inner ? refine(poles, x, w[i - 1], w[i + 1]) : w[i];
    if (inner && part_at(poles, x, minimum[found]) > part[i]) minimum[found] = w[i];
    found++;
  }
  return found;
}

double mx_fit_least_loss(const struct mx_fit_poles *poles, const double *x, double *where)
{
  double w[MOST], least = INFINITY;
  const size_t count = minima(poles, x, INFINITY, w);
  for (size_t i = 0; i < count; i++) {
    const double part = part_at(poles, x, w[i]);
    if (part >= least) continue;
    least = part;
    *where = w[i];
  }
  return least;
}

/* Adds the frequencies at which the medium amplifies most. Returns how many are new. */
static size_t add_cuts(const struct mx_fit_poles *poles, const double *x, double *cut, size_t *cuts)
{
  static const double near = 0.01;
  double w[MOST];
  const size_t before = *cuts, count = minima(poles, x, near, w);
  for (size_t i = 0; i < count && *cuts < MOST; i++) {
    if (part_at(poles, x, w[i]) >= 0) continue;
    bool there = false;
    for (size_t k = 0; k < before; k++) there = there || cut[k] == w[i];
    if (!there) cut[(*cuts)++] = w[i];
  }
  return *cuts - before;
}

/* The unknowns of Debye and Lorentz terms, each of the size of the data. */
static void usual(const struct mx_fit_points *points, const struct mx_fit_poles *poles, double *x)
{
  double size = INFINITY;
  size_t at = 0;
  for (size_t k = 0; k < points->count; k++) size = fmin(size, cabs(points->eps[k]));
  for (size_t p = 0; p < poles->count; p++) {
    const bool pair = cimag(poles->a[p]) > 0;
    x[at++] = pair ? 0 : MARGIN * size * cabs(poles->a[p]);
    if (pair) x[at++] = -MARGIN * size * cabs(poles->a[p]);
  }
  x[at++] = 0;
  if (poles->conducts) x[at] = MARGIN * size * points->w[0];
}

static void fill(const struct mx_fit_points *points, const struct mx_fit_poles *poles, double *A, double *b)
{
  const size_t n = mx_fit_unknowns(poles);
  double complex basis[UNKNOWNS] = {0};
  for (size_t k = 0; k < points->count; k++) {
    const double *weight = points->weight + 2 * k;
    mx_fit_basis(poles, points->w[k], basis);
    for (size_t j = 0; j < n; j++) {
      A[2 * k * n + j] = weight[0] * creal(basis[j]);
      A[(2 * k + 1) * n + j] = weight[1] * cimag(basis[j]);
    }
    b[2 * k] = weight[0] * creal(points->eps[k]);
    b[2 * k + 1] = weight[1] * cimag(points->eps[k]);
  }
}

/* The conditions at the frequencies, then epsilon_r >= least. */
static size_t conditions(const struct mx_fit_poles *poles, const double *cut, size_t cuts, const double *margin,
                         double least, double *G, double *h)
{
  const size_t n = mx_fit_unknowns(poles);
  for (size_t i = 0; i < cuts; i++) {
    loss_row(poles, cut[i], G + i * n);
    h[i] = 0;
    for (size_t j = 0; j < n; j++) h[i] += G[i * n + j] * margin[j];
  }
  memset(G + cuts * n, 0, n * sizeof *G);
  G[cuts * n + (size_t)mx_fit_states(poles)] = 1;
  h[cuts] = least;
  return cuts + 1;
}

int mx_fit_residues(const struct mx_fit_points *points, const struct mx_fit_poles *poles, bool passive, double least,
                    double *x, struct dg_error *err)
{
  const size_t m = 2 * points->count, n = mx_fit_unknowns(poles);
  double *A = NULL, *b = NULL, *G = NULL, *h = NULL, *cut = NULL, margin[UNKNOWNS] = {0};
  size_t cuts = 0;
  if (DG_NEW(A, m * n, err) != 0 || DG_NEW(b, m, err) != 0 || DG_NEW(G, (MOST + 1) * n, err) != 0 ||
      DG_NEW(h, MOST + 1, err) != 0 || DG_NEW(cut, MOST, err) != 0)
    goto fail;
  usual(points, poles, margin);
  for (int round = 0; round < ROUNDS; round++) {
    fill(points, poles, A, b);
    if (!passive) {
      (void)!mx_least_squares(m, n, A, b, x, err);
      break;
    }
    const size_t k = conditions(poles, cut, cuts, margin, least, G, h);
    if (mx_least_squares_above(m, n, A, b, k, G, h, x, err) != 0 || add_cuts(poles, x, cut, &cuts) == 0) break;
  }
fail:
  dg_free(A);
  dg_free(b);
  dg_free(G);
  dg_free(h);
  dg_free(cut);
  return err->code;
}
