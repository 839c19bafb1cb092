/* What the parts of this folder hand to each other: a record, and an oscillation in it. */
#pragma once

#include <stddef.h>

/* An even sequence of samples. */
struct mx_signal {
  size_t count;
  const double *value; /* [count] */
  double interval;     /* s */
};

/* One oscillation; time counts from the signal's first sample. */
struct mx_ringing {
  double frequency; /* Hz */
  double decay;     /* 1/s: the amplitude falls as exp(-decay t); negative: it grows */
  double amplitude; /* > 0, in the signal's unit */
  double phase;     /* rad, in (-pi, pi] */
  double error;     /* relative error of the complex frequency, as the library guesses it */
};

static inline double mx_ringing_q(const struct mx_ringing *mode)
{
  return mode->decay == 0 ? 1e300 : 3.14159265358979323846 * mode->frequency / mode->decay;
}
