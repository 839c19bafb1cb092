/* Waveforms at a time, and the band in which their energy lies. Sources and ports evaluate them once a stage. */
#include "maxwell/model/waveform.h"

#include <math.h>
#include <string.h>

const char *const mx_waveform_kind_names[] = {"gaussian",
                                              "modulated_gaussian",
                                              "differentiated_gaussian",
                                              "ricker",
                                              "sine",
                                              "step",
                                              "double_exponential",
                                              "table",
                                              NULL};

static const double pi = 3.14159265358979323846;

static double fade_in(double t, double rise)
{
  if (t <= 0) return 0;
  return t >= rise ? 1 : 0.5 * (1 - cos(pi * t / rise));
}

/* The largest value of exp(-t/fall) - exp(-t/rise). */
static double double_exponential_peak(double rise, double fall)
{
  double at = log(fall / rise) * rise * fall / (fall - rise);
  return exp(-at / fall) - exp(-at / rise);
}

static double table_at(const struct mx_waveform *w, double t)
{
  if (!(t >= w->time[0] && t <= w->time[w->points - 1])) return 0;
  size_t low = 0, high = w->points - 1;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (w->time[middle] <= t) low = middle;
    else high = middle;
  }
  double s = (t - w->time[low]) / (w->time[high] - w->time[low]);
  return (1 - s) * w->value[low] + s * w->value[high];
}

static double shape(const struct mx_waveform *w, double t)
{
  double u = (t - w->t0) / (w->tau > 0 ? w->tau : 1);
  switch (w->kind) {
  case MX_GAUSSIAN:
    return exp(-u * u);
  case MX_MODULATED_GAUSSIAN:
    return exp(-u * u) * sin(2 * pi * w->f0 * (t - w->t0));
  case MX_DIFFERENTIATED_GAUSSIAN:
    return -sqrt(2 * exp(1.0)) * u * exp(-u * u);
  case MX_RICKER:
    return (1 - 2 * u * u) * exp(-u * u);
  case MX_SINE:
    return fade_in(t, w->rise) * sin(2 * pi * w->f0 * t);
  case MX_SMOOTH_STEP:
    return fade_in(t, w->rise);
  case MX_DOUBLE_EXPONENTIAL:
    if (t <= 0) return 0;
    return (exp(-t / w->fall) - exp(-t / w->rise)) / double_exponential_peak(w->rise, w->fall);
  case MX_TABULATED:
    return table_at(w, t);
  case MX_FUNCTION_WAVEFORM:
    return NAN; /* never asked */
  }
  return 0;
}

double mx_waveform_at(const struct mx_waveform *waveform, double t) { return waveform->amplitude * shape(waveform, t); }

bool mx_waveform_same(const struct mx_waveform *a, const struct mx_waveform *b)
{
  const double one[] = {a->amplitude, a->t0, a->tau, a->f0, a->rise, a->fall};
  const double other[] = {b->amplitude, b->t0, b->tau, b->f0, b->rise, b->fall};
  const size_t bytes = a->points * sizeof *a->time;
  if (a->kind != b->kind || a->points != b->points) return false;
  for (size_t i = 0; i < sizeof one / sizeof *one; i++)
    if (fabs(one[i] - other[i]) > 1e-12 * fmax(fabs(one[i]), fabs(other[i]))) return false;
  if (bytes > 0) return memcmp(a->time, b->time, bytes) == 0 && memcmp(a->value, b->value, bytes) == 0;
  return a->function == b->function;
}

/* Relative to f = 0 the spectrum is 1/sqrt((1 + (w fall)^2) (1 + (w rise)^2)), w = 2 pi f; 1e-2 is a quadratic
 * equation in w^2, solved without cancellation. */
static double double_exponential_band(double rise, double fall)
{
  double a = 1 / (rise * rise), b = 1 / (fall * fall), c = 4 * (1e4 - 1) * a * b;
  return sqrt(c / (2 * (a + b + sqrt((a + b) * (a + b) + c)))) / (2 * pi);
}

double mx_waveform_band(const struct mx_waveform *w)
{
  double unit = w->tau > 0 ? 1 / (pi * w->tau) : 0; /* x = pi tau f below */
  switch (w->kind) {
  case MX_GAUSSIAN:
    return sqrt(log(100.0)) * unit; /* exp(-x^2) = 1e-2 */
  case MX_MODULATED_GAUSSIAN:
    return w->f0 + sqrt(log(100.0)) * unit;
  case MX_DIFFERENTIATED_GAUSSIAN:
    return 2.52550700083126 * unit; /* x exp(-x^2) is 1e-2 of its largest value, exp(-1/2)/sqrt(2) */
  case MX_RICKER:
    return 2.76375687570268 * unit; /* x^2 exp(-x^2) is 1e-2 of its largest value, exp(-1) */
  case MX_SINE:
    return w->f0;
  case MX_DOUBLE_EXPONENTIAL:
    return double_exponential_band(w->rise, w->fall);
  case MX_SMOOTH_STEP:
  case MX_TABULATED:
  case MX_FUNCTION_WAVEFORM:
    return 0;
  }
  return 0;
}

/* Where the envelope of a Gaussian shape, with its polynomial, falls below a share: u = (t - t0)/tau. */
static double gaussian_end(enum mx_waveform_kind kind, double share)
{
  enum { FINE = 1000, FAR = 12 };
  for (int i = FAR * FINE; i > 0; i--) {
    const double u = (double)i / FINE;
    double size = exp(-u * u);
    if (kind == MX_DIFFERENTIATED_GAUSSIAN) size *= sqrt(2 * exp(1.0)) * u;
    if (kind == MX_RICKER) size *= fabs(1 - 2 * u * u);
    if (size > share) return u;
  }
  return 0;
}

static double table_end(const struct mx_waveform *w, double share)
{
  double largest = 0;
  size_t last = w->points;
  for (size_t i = 0; i < w->points; i++) largest = fmax(largest, fabs(w->value[i]));
  while (last > 0 && fabs(w->value[last - 1]) <= share * largest) last--;
  if (last == 0) return 0;
  return w->time[last < w->points ? last : last - 1];
}

double mx_waveform_end(const struct mx_waveform *w, double share)
{
  if (w->amplitude == 0) return 0;
  switch (w->kind) {
  case MX_GAUSSIAN:
  case MX_MODULATED_GAUSSIAN:
  case MX_DIFFERENTIATED_GAUSSIAN:
  case MX_RICKER:
    return w->t0 + w->tau * gaussian_end(w->kind, share);
  case MX_SINE:
    return INFINITY;
  case MX_SMOOTH_STEP:
    return w->rise;
  case MX_DOUBLE_EXPONENTIAL:
    return -w->fall * log(share * double_exponential_peak(w->rise, w->fall));
  case MX_TABULATED:
    return table_end(w, share);
  case MX_FUNCTION_WAVEFORM:
    return INFINITY; /* never asked */
  }
  return INFINITY;
}
