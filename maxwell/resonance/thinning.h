/* A record of a run's fine steps becomes one of few samples: a low-pass filter and every n-th of its values, while the
 * run goes on.
 *
 * The filter has no window at its ends: a value is kept only when all its samples are there. A sum of decaying
 * oscillations behind the filter is then the same sum with other amplitudes, exactly, and mx_thinning_gain gives them
 * back. The filter takes about one and a half periods of the highest frequency from the record. Not collective. */
#pragma once

#include <complex.h>
#include <stddef.h>

#include "libdg/base/error.h"
#include "maxwell/shell/archive.h"

struct mx_thinning {
  double interval; /* s between samples that come in */
  size_t factor;   /* samples that come in for one that is kept; 1: all are kept as they are */
  size_t taps;     /* length of the filter, samples */
  double *tap;     /* [taps] */
  size_t most;     /* room for values */
  double *sum;     /* [most] values; those that are not complete are partial sums */
  long taken;      /* samples that have come in */
};

/* Chooses a filter for frequencies up to `to` (Hz) and room for so many samples. Release in any case. */
int mx_thinning_init(struct mx_thinning *thinning, double interval, double to, size_t samples,
                     struct dg_error *err) DG_MUST_USE;
/* Makes room for so many samples, if there is less. */
int mx_thinning_extend(struct mx_thinning *thinning, size_t samples, struct dg_error *err) DG_MUST_USE;
void mx_thinning_release(struct mx_thinning *thinning);
/* Says how many values so many samples make. */
size_t mx_thinning_count(const struct mx_thinning *thinning, size_t samples);
void mx_thinning_take(struct mx_thinning *thinning, double sample);
/* The factor of an oscillation exp(2 pi i f t - d t), t from the first sample on, whose value kept at t = 0 is 1
 * without the filter. */
double complex mx_thinning_gain(const struct mx_thinning *thinning, double frequency, double decay);
int mx_thinning_archive(struct mx_thinning *thinning, const char *name, struct mx_archive *archive,
                        struct dg_error *err) DG_MUST_USE;
