/* Samples a waveform within the run and transforms it (radix 2), so that warnings can say how much of its energy lies
 * above a frequency. source_warnings.c calls it. */
#include "maxwell/model/waveform_energy.h"

#include <complex.h>
#include <math.h>

#include "libdg/base/memory.h"

static const double pi = 3.14159265358979323846;

enum { SAMPLES_MAX = 1 << 19 };

/* The part of the time in which a waveform is sampled, from 0 on, and the interval (s). */
struct window {
  double span, spacing;
};

static double least_interval(const struct mx_waveform *w)
{
  double least = INFINITY;
  for (size_t i = 1; i < w->points; i++) least = fmin(least, w->time[i] - w->time[i - 1]);
  return least;
}

static struct window window_of(const struct mx_waveform *w, const struct mx_waveform_use *use)
{
  struct window window = {.span = use->end - use->shift, .spacing = 0.5 * use->step};
  double end = INFINITY, detail = INFINITY;
  switch (w->kind) {
  case MX_GAUSSIAN:
  case MX_MODULATED_GAUSSIAN:
  case MX_DIFFERENTIATED_GAUSSIAN:
  case MX_RICKER:
    end = w->t0 + 5 * w->tau;
    detail = 1 / (16 * mx_waveform_band(w));
    break;
  case MX_SINE:
    end = w->rise + 64 / w->f0;
    detail = 1 / (16 * w->f0);
    break;
  case MX_SMOOTH_STEP:
    end = 4 * w->rise;
    detail = w->rise / 64;
    break;
  case MX_DOUBLE_EXPONENTIAL:
    end = 8 * w->fall;
    detail = w->rise / 16;
    break;
  case MX_TABULATED:
    end = w->time[w->points - 1];
    detail = least_interval(w) / (w->points > SAMPLES_MAX / 8 ? 1 : 4);
    break;
  case MX_FUNCTION_WAVEFORM:
    break;
  }
  window.span = fmin(window.span, end);
  window.spacing = fmin(window.spacing, detail);
  return window;
}

/* Transforms in place; count is a power of two (J. W. Cooley, J. W. Tukey, Math. Comp. 19 (1965) 297). */
static void transform(double complex *x, size_t count)
{
  for (size_t i = 1, j = 0; i < count; i++) {
    size_t bit = count >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
    if (i >= j) continue;
    const double complex swap = x[i];
    x[i] = x[j];
    x[j] = swap;
  }
  for (size_t length = 2; length <= count; length *= 2) {
    const double angle = -2 * pi / (double)length;
    for (size_t k = 0; k < length / 2; k++) {
      const double complex twiddle = cos(angle * (double)k) + sin(angle * (double)k) * I;
      for (size_t i = k; i < count; i += length) {
        const double complex other = twiddle * x[i + length / 2];
        x[i + length / 2] = x[i] - other;
        x[i] += other;
      }
    }
  }
}

/* Settles the end of the samples, whose cut would otherwise show as energy at all frequencies. A waveform that stays at
 * its value is replaced by its slope; any other one is faded out. */
static void settle_end(double complex *x, size_t samples, double peak)
{
  double low = INFINITY, high = -INFINITY; /* of the last quarter */
  if (samples < 8 || cabs(x[samples - 1]) <= 1e-3 * peak) return;
  for (size_t n = 3 * samples / 4; n < samples; n++) {
    low = fmin(low, creal(x[n]));
    high = fmax(high, creal(x[n]));
  }
  if (high - low < 0.1 * peak) { /* the waveform stays there */
    for (size_t n = samples - 1; n > 0; n--) x[n] -= x[n - 1];
    return;
  }
  const size_t half = samples / 2;
  for (size_t n = half; n < samples; n++) x[n] *= 0.5 * (1 + cos(pi * (double)(n - half) / (double)(samples - half)));
}

static double largest_of(const struct mx_waveform *w, double peak)
{
  double largest = fabs(w->amplitude);
  if (w->kind != MX_TABULATED) return largest;
  largest = peak;
  for (size_t i = 0; i < w->points; i++) largest = fmax(largest, fabs(w->amplitude * w->value[i]));
  return largest;
}

int mx_waveform_energy_init(struct mx_waveform_energy *s, const struct mx_waveform *w,
                            const struct mx_waveform_use *use, struct dg_error *err)
{
  const struct window window = window_of(w, use);
  double complex *x = NULL;
  *s = (struct mx_waveform_energy){.begin = use->end, .jump = fabs(mx_waveform_at(w, -use->shift))};
  s->largest = largest_of(w, 0);
  if (!(window.span > 0)) return 0;
  size_t samples = (size_t)fmin(SAMPLES_MAX, ceil(window.span / window.spacing) + 1), count = 8;
  while (count < 4 * samples) count *= 2; /* finer bins than the record's own */
  if (DG_NEW(x, count, err) != 0 || DG_NEW(s->power, count / 2, err) != 0) goto fail;
  for (size_t n = 0; n < samples; n++) {
    x[n] = mx_waveform_at(w, window.spacing * (double)n);
    s->peak = fmax(s->peak, cabs(x[n]));
  }
  s->largest = largest_of(w, s->peak);
  for (size_t n = samples; n-- > 0;)
    if (cabs(x[n]) > 1e-3 * s->peak) s->begin = fmax(0, window.spacing * (double)n + use->shift);
  settle_end(x, samples, s->peak);
  transform(x, count);
  s->bins = count / 2;
  s->width = 1 / ((double)count * window.spacing);
  for (size_t k = 0; k < s->bins; k++) {
    s->power[k] = (k == 0 ? 0.5 : 1) * creal(x[k] * conj(x[k])); /* half of the bin at 0 Hz is below */
    s->total += s->power[k];
  }
fail:
  dg_free(x);
  return err->code;
}

void mx_waveform_energy_release(struct mx_waveform_energy *spectrum)
{
  dg_free(spectrum->power);
  *spectrum = (struct mx_waveform_energy){0};
}

double mx_waveform_energy_above(const struct mx_waveform_energy *spectrum, double hertz)
{
  double sum = 0;
  for (size_t k = spectrum->bins; k-- > 0;) { /* a bin reaches half its width to both sides */
    const double part = (double)k + 0.5 - hertz / spectrum->width, own = k == 0 ? 0.5 : 1;
    if (part <= 0) break;
    sum += fmin(1, part / own) * spectrum->power[k];
  }
  return spectrum->total > 0 ? sum / spectrum->total : 0;
}
