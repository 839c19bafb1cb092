/* The low-pass filter of resonances, J. F. Kaiser's window of a sinc, and the values that it keeps. Every sample is
 * added to the few values whose filters reach over it, so that no history is kept. resonances.c calls it. */
#include "maxwell/resonance/thinning.h"

#include <math.h>
#include <stdio.h>

#include "libdg/base/memory.h"

static const double pi = 3.14159265358979323846;

/* The modified Bessel function I0. */
static double bessel(double x)
{
  double sum = 1, term = 1;
  for (int k = 1; term > 1e-17 * sum; k++) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

static void make_filter(struct mx_thinning *thinning, double attenuation)
{
  const double middle = 0.5 * (double)(thinning->taps - 1), cut = 0.5 / (double)thinning->factor;
  const double beta = 0.1102 * (attenuation - 8.7);
  double total = 0;
  for (size_t j = 0; j < thinning->taps; j++) {
    const double x = (double)j - middle, r = middle > 0 ? x / middle : 0;
    const double sinc = x == 0 ? 2 * cut : sin(2 * pi * cut * x) / (pi * x);
    total += thinning->tap[j] = sinc * bessel(beta * sqrt(fmax(0, 1 - r * r)));
  }
  for (size_t j = 0; j < thinning->taps; j++) thinning->tap[j] /= total;
}

int mx_thinning_init(struct mx_thinning *thinning, double interval, double to, size_t samples, struct dg_error *err)
{
  const double fine = 8;          /* samples that are kept in a period of the highest frequency, at least */
  const double attenuation = 120; /* dB, of what would come down into the band */
  *thinning = (struct mx_thinning){.interval = interval, .factor = 1, .taps = 1};
  const double factor = floor(1 / (fine * to * interval));
  if (factor >= 2) {
    const double slope = 1 / factor - 2 * to * interval; /* from the band to where folding reaches it */
    thinning->factor = (size_t)factor;
    thinning->taps = (size_t)ceil((attenuation - 7.95) / (14.36 * slope)) + 1;
  }
  thinning->most = samples / thinning->factor + 1;
  if (DG_NEW(thinning->tap, thinning->taps, err) != 0 || DG_NEW(thinning->sum, thinning->most, err) != 0)
    return err->code;
  make_filter(thinning, attenuation);
  return 0;
}

int mx_thinning_extend(struct mx_thinning *thinning, size_t samples, struct dg_error *err)
{
  const size_t most = samples / thinning->factor + 1;
  if (most <= thinning->most) return 0;
  if (dg_grow(&thinning->sum, most, sizeof *thinning->sum, err) != 0) return err->code;
  for (size_t k = thinning->most; k < most; k++) thinning->sum[k] = 0;
  thinning->most = most;
  return 0;
}

void mx_thinning_release(struct mx_thinning *thinning)
{
  dg_free(thinning->tap);
  dg_free(thinning->sum);
  *thinning = (struct mx_thinning){0};
}

size_t mx_thinning_count(const struct mx_thinning *thinning, size_t samples)
{
  return samples < thinning->taps ? 0 : (samples - thinning->taps) / thinning->factor + 1;
}

void mx_thinning_take(struct mx_thinning *thinning, double sample)
{
  const size_t n = (size_t)thinning->taken++, last = n / thinning->factor;
  const size_t first = n < thinning->taps ? 0 : (n - thinning->taps) / thinning->factor + 1;
  for (size_t k = first; k <= last && k < thinning->most; k++)
    thinning->sum[k] += thinning->tap[n - k * thinning->factor] * sample;
}

double complex mx_thinning_gain(const struct mx_thinning *thinning, double frequency, double decay)
{
  double complex gain = 0;
  for (size_t j = 0; j < thinning->taps; j++)
    gain += thinning->tap[j] * cexp((2 * pi * frequency * I - decay) * thinning->interval * (double)j);
  return gain;
}

int mx_thinning_archive(struct mx_thinning *thinning, const char *name, struct mx_archive *archive,
                        struct dg_error *err)
{
  char array[100];
  snprintf(array, sizeof array, "%s/taken", name);
  if (mx_archive_longs(archive, array, 1, &thinning->taken, err) != 0) return err->code;
  const long most = (long)(thinning->most * thinning->factor);
  if (thinning->taken < 0 || thinning->taken > most)
    return dg_fail(err, DG_ENVIRONMENT, "the checkpoint counts %ld samples of '%s'", thinning->taken, name);
  const size_t begun = ((size_t)thinning->taken + thinning->factor - 1) / thinning->factor;
  snprintf(array, sizeof array, "%s/sum", name);
  return mx_archive_doubles(archive, array, begun, thinning->sum, err);
}
