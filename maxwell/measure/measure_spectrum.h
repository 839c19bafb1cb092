/* Running Fourier transforms: X(f) = sum over n of x(t_n) exp(-2 pi i f t_n) dt, by the trapezoidal rule (the first and
 * the last sample count half). Every sample is rotated by its own time, so that no error builds up. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "maxwell/shell/archive.h"

struct mx_spectrum {
  size_t frequencies, values;
  size_t sets, width;  /* a sample is [values / width][sets][width]: one set, or the real and the imaginary one */
  const double *hertz; /* [frequencies], borrowed */
  double interval;     /* s between samples */
  double (*sum)[2];    /* [frequencies][values] real and imaginary part */
  double *last;        /* [sets * values] the sample before this one */
  double last_time;
  bool begun; /* at least one sample has been added */
};

/* `values` numbers of a sample, in the sets of `width` numbers. Release with mx_spectrum_release in any case. */
int mx_spectrum_init(struct mx_spectrum *spectrum, size_t frequencies, const double *hertz, size_t values, size_t sets,
                     size_t width, double interval, struct dg_error *err) DG_MUST_USE;
/* Adds the sample value[sets * values] at time t (s). */
void mx_spectrum_add(struct mx_spectrum *spectrum, double t, const double *value);
/* Ends the sum: `sum` becomes the transform. A single sample lasts no time, so that its transform is zero. */
/* Gives the transform at frequency k of the samples so far, as mx_spectrum_finish would leave it: re and im of
 * value[values]. */
void mx_spectrum_so_far(const struct mx_spectrum *spectrum, size_t k, double (*value)[2]);
void mx_spectrum_finish(struct mx_spectrum *spectrum);
int mx_spectrum_archive(struct mx_spectrum *spectrum, const char *name, struct mx_archive *archive,
                        struct dg_error *err) DG_MUST_USE;
void mx_spectrum_release(struct mx_spectrum *spectrum);
