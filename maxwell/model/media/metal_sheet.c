/* The two-port of a sheet of metal as resistors beside inductors: metal_sheet.h. The builder of a problem calls it. */
#include "maxwell/model/media/metal_sheet.h"

#include <math.h>

#include "maxwell/model/media/skin_fit.h"

static const double pi = 3.14159265358979323846;

/* q coth q and q/sinh q of q^2 = x */
static double complex self(double complex x)
{
  const double complex q = csqrt(x), e = cexp(-2 * q);
  return q * (1 + e) / (1 - e);
}

static double complex through(double complex x)
{
  const double complex q = csqrt(x);
  return 2 * q * cexp(-q) / (1 - cexp(-2 * q));
}

static double complex summand(double complex x, size_t m) { return 2 * x / (x + pi * pi * (double)(m * m)); }

/* weight[N] of algorithm 1, with signs: of m = 1, 2, .. they begin with -1. Their sum becomes -1/2. */
static void alternate(size_t N, double *weight)
{
  double d = pow(3 + sqrt(8), (double)N), b = -1, c, sum = 0;
  d = (d + 1 / d) / 2;
  c = -d;
  for (size_t k = 0; k < N; k++) {
    const double n = (double)N, i = (double)k;
    c = b - c;
    weight[k] = -c / d;
    b *= (i + n) * (i - n) / ((i + 0.5) * (i + 1));
  }
  for (size_t k = 0; k + 1 < N; k++) sum += weight[k];
  weight[N - 1] = -0.5 - sum;
}

static double complex coupled(double complex x, size_t N, const double *weight)
{
  double complex sum = 1;
  for (size_t k = 0; k < N; k++) sum += weight[k] * summand(x, k + 1);
  return sum;
}

/* The largest error of Zt with N terms over the points, and the highest of them, as a number of points, up to which Zt
 * is above the floor and right. */
static double error_through(const struct mx_skin_target *points, size_t N, const double *weight, int *faithful)
{
  double worst = 0;
  *faithful = 0;
  for (int i = 0; i < MX_SKIN_POINTS; i++) {
    const double complex x = I * points->w[i], wanted = through(x);
    const double least = MX_SHEET_FLOOR * cabs(self(x)), size = cabs(wanted),
                 error = cabs(coupled(x, N, weight) - wanted);
    worst = fmax(worst, error / fmax(size, least));
    if (size > least && error <= 2 * MX_SHEET_ERROR * size && *faithful == i) *faithful = i + 1;
  }
  return worst;
}

struct mx_sheet_fit mx_sheet_fit(double mu, double sigma, double thickness, double from, double to,
                                 struct mx_skin *skin)
{
  const double time = mu * sigma * thickness * thickness, direct = 1 / (sigma * thickness);
  struct mx_sheet_fit fit = {0};
  struct mx_skin_target points;
  double weight[MX_SHEET_COUPLED];
  int faithful;
  mx_skin_points(fmin(from, 0.999 * to) * time, to * time, &points);
  do {
    alternate(++fit.coupled, weight);
    fit.through = error_through(&points, fit.coupled, weight, &faithful);
  } while (fit.coupled < MX_SHEET_COUPLED && fit.through > MX_SHEET_ERROR);
  fit.faithful = faithful > 0 ? points.w[faithful - 1] / time : 0;
  *skin = (struct mx_skin){.kind = MX_SKIN_SHEET, .direct = direct, .poles = fit.coupled};
  for (size_t k = 0; k < fit.coupled; k++) {
    skin->rate[k] = pi * pi * (double)((k + 1) * (k + 1));
    skin->resistance[k] = 2;
    skin->transfer[k] = 2 * weight[k];
  }
  for (int i = 0; i < MX_SKIN_POINTS; i++) {
    const double complex x = I * points.w[i];
    points.scale[i] = points.value[i] = self(x);
    points.value[i] -= 1;
    for (size_t k = 0; k < fit.coupled; k++) points.value[i] -= summand(x, k + 1);
  }
  const double slow = pi * pi * (double)((fit.coupled + 1) * (fit.coupled + 1));
  fit.surface = mx_skin_fit_to(&points, slow, fmax(slow, to * time), skin);
  for (size_t k = 0; k < skin->poles; k++) {
    skin->rate[k] /= time;
    skin->resistance[k] *= direct;
    skin->transfer[k] *= direct;
  }
  return fit;
}
