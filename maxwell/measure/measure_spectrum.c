/* Running Fourier transforms of measures, sample by sample, by the trapezoidal rule, and their place in checkpoints.
 * measure_record.c calls it. */
#include "maxwell/measure/measure_spectrum.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"

int mx_spectrum_init(struct mx_spectrum *spectrum, size_t frequencies, const double *hertz, size_t values, size_t sets,
                     size_t width, double interval, struct dg_error *err)
{
  *spectrum = (struct mx_spectrum){.frequencies = frequencies,
                                   .values = values / sets,
                                   .sets = sets,
                                   .width = width,
                                   .hertz = hertz,
                                   .interval = interval};
  if (dg_alloc(&spectrum->sum, frequencies * spectrum->values, sizeof *spectrum->sum, err) != 0 ||
      DG_NEW(spectrum->last, values, err) != 0)
    return err->code;
  return 0;
}

/* Adds weight value exp(-i w t) at frequency k. */
static void add_at(const struct mx_spectrum *spectrum, size_t k, double t, const double *value, double weight,
                   double (*sum)[2])
{
  const double two_pi = 2 * acos(-1.0), cycles = spectrum->hertz[k] * t;
  const double angle = two_pi * (cycles - floor(cycles)), re = weight * cos(angle), im = -weight * sin(angle);
  if (spectrum->sets == 1) {
    for (size_t i = 0; i < spectrum->values; i++) {
      sum[i][0] += re * value[i];
      sum[i][1] += im * value[i];
    }
    return;
  }
  for (size_t i = 0; i < spectrum->values; i++) {
    const double *x = value + i / spectrum->width * 2 * spectrum->width + i % spectrum->width, *y = x + spectrum->width;
    sum[i][0] += re * *x - im * *y;
    sum[i][1] += im * *x + re * *y;
  }
}

static void add(struct mx_spectrum *spectrum, double t, const double *value, double weight)
{
  for (size_t k = 0; k < spectrum->frequencies; k++)
    add_at(spectrum, k, t, value, weight, spectrum->sum + k * spectrum->values);
}

void mx_spectrum_add(struct mx_spectrum *spectrum, double t, const double *value)
{
  add(spectrum, t, value, (spectrum->begun ? 1 : 0.5) * spectrum->interval);
  spectrum->begun = true;
  memcpy(spectrum->last, value, spectrum->sets * spectrum->values * sizeof *value);
  spectrum->last_time = t;
}

void mx_spectrum_so_far(const struct mx_spectrum *spectrum, size_t k, double (*value)[2])
{
  memcpy(value, spectrum->sum + k * spectrum->values, spectrum->values * sizeof *value);
  if (spectrum->begun) add_at(spectrum, k, spectrum->last_time, spectrum->last, -0.5 * spectrum->interval, value);
}

void mx_spectrum_finish(struct mx_spectrum *spectrum)
{
  if (spectrum->begun) add(spectrum, spectrum->last_time, spectrum->last, -0.5 * spectrum->interval);
}

int mx_spectrum_archive(struct mx_spectrum *spectrum, const char *name, struct mx_archive *archive,
                        struct dg_error *err)
{
  const size_t sums = 2 * spectrum->frequencies * spectrum->values;
  long begun = spectrum->begun; /* a number of samples in older checkpoints */
  char array[100];
  snprintf(array, sizeof array, "%s/samples", name);
  if (mx_archive_longs(archive, array, 1, &begun, err) != 0) return err->code;
  spectrum->begun = begun != 0;
  snprintf(array, sizeof array, "%s/last_time", name);
  if (mx_archive_doubles(archive, array, 1, &spectrum->last_time, err) != 0) return err->code;
  snprintf(array, sizeof array, "%s/last", name);
  if (mx_archive_doubles(archive, array, spectrum->sets * spectrum->values, spectrum->last, err) != 0) return err->code;
  snprintf(array, sizeof array, "%s/sum", name);
  return mx_archive_doubles(archive, array, sums, spectrum->sum[0], err);
}

void mx_spectrum_release(struct mx_spectrum *spectrum)
{
  dg_free(spectrum->sum);
  dg_free(spectrum->last);
  *spectrum = (struct mx_spectrum){0};
}
