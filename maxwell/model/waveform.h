/* Functions of time that drive sources: w(t), without unit, 1 at their largest unless said otherwise.
 *
 * A script makes them with `waveform.*` (share/lua/waveform.lua documents spectra); here they are plain numbers, so
 * that no function is called in the time loop. Every one vanishes (to 1e-9 of its peak or better) for t <= 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct mx_function; /* maxwell/shell/function.h */

enum mx_waveform_kind {
  MX_GAUSSIAN,                /* exp(-((t-t0)/tau)^2) */
  MX_MODULATED_GAUSSIAN,      /* exp(-((t-t0)/tau)^2) sin(2 pi f0 (t-t0)) */
  MX_DIFFERENTIATED_GAUSSIAN, /* d/dt of the Gaussian, scaled to peak 1: -sqrt(2 e) u exp(-u^2), u = (t-t0)/tau */
  MX_RICKER,                  /* -d2/dt2 of the Gaussian, scaled to peak 1: (1 - 2 u^2) exp(-u^2) */
  MX_SINE,                    /* sin(2 pi f0 t), faded in over `rise` by (1 - cos(pi t/rise))/2 */
  MX_SMOOTH_STEP,             /* 0 to 1 over `rise`, the same fade */
  MX_DOUBLE_EXPONENTIAL,      /* (exp(-t/fall) - exp(-t/rise)) / its peak */
  MX_TABULATED,               /* piecewise linear through time[i], value[i]; 0 outside; "table" in a script */
  MX_FUNCTION_WAVEFORM, /* a function of t: it is tabulated before the run and becomes an MX_TABULATED (sources.c) */
};

/* `kind` of what waveform.* of a script make, by enum, NULL-terminated: all but MX_FUNCTION_WAVEFORM. */
extern const char *const mx_waveform_kind_names[];

struct mx_waveform {
  enum mx_waveform_kind kind;
  double amplitude;  /* factor on all of the above, default 1 */
  double t0, tau;    /* s */
  double f0;         /* Hz */
  double rise, fall; /* s */
  size_t points;
  const double *time, *value;         /* [points] of MX_TABULATED; times ascending; borrowed */
  const struct mx_function *function; /* of t, of MX_FUNCTION_WAVEFORM; else NULL */
};

double mx_waveform_at(const struct mx_waveform *waveform, double t);

/* Are they one function of time? Numbers may differ by rounding; tables have the same numbers, functions are the same
 * one or have the same tables. */
bool mx_waveform_same(const struct mx_waveform *a, const struct mx_waveform *b);

/* The time (s) behind which the waveform stays below a share of its largest value, or does not change any more (a
 * step): infinite for a sine; 0 where it is zero always. MX_FUNCTION_WAVEFORM must have been tabulated. */
double mx_waveform_end(const struct mx_waveform *waveform, double share);

/* The band that carries the waveform: beyond *high (Hz) its spectrum is below 1e-2 of its largest value. For the choice
 * of mesh and warnings; f0 of a sine, and 0 where there is none (step, table, function). */
double mx_waveform_band(const struct mx_waveform *waveform);
