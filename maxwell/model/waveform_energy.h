/* Where on the frequency axis a waveform has its energy, by sampling the function itself: also what a script wrote.
 */
#pragma once

#include "libdg/base/error.h"
#include "maxwell/model/waveform.h"

/* When a waveform is used: w(t - shift), t from 0 to `end`, in steps of `step` (s). */
struct mx_waveform_use {
  double shift, end, step;
};

struct mx_waveform_energy {
  double peak;    /* of |w| within the run */
  double largest; /* of |w| whenever it is: as far as it is known, else peak */
  double begin;   /* of the run's time: s when |w| first exceeds a thousandth of its peak there */
  double jump;    /* |w| when the run begins */
  size_t bins;
  double width;  /* of a bin, Hz */
  double *power; /* [bins] energies, in any unit */
  double total;  /* of them; 0: the waveform is zero in the run */
};

/* A value that stays at the end (a step) has no spectrum; that of its slope is taken. What else is cut at the end is
 * faded out first. At most some 1e5 to 1e6 samples from the waveform's beginning. MX_FUNCTION_WAVEFORM must have been
 * tabulated. Release in any case. */
int mx_waveform_energy_init(struct mx_waveform_energy *spectrum, const struct mx_waveform *waveform,
                            const struct mx_waveform_use *use, struct dg_error *err) DG_MUST_USE;
void mx_waveform_energy_release(struct mx_waveform_energy *spectrum);
/* The part of the energy above a frequency (Hz), 0 to 1. */
double mx_waveform_energy_above(const struct mx_waveform_energy *spectrum, double hertz);
