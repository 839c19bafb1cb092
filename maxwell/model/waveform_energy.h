/* The energy of a waveform over frequency. The function itself is sampled, also one that a script wrote. */
#pragma once

#include "libdg/base/error.h"
#include "maxwell/model/waveform.h"

/* The use of a waveform: w(t - shift), t from 0 to `end`, in steps of `step` (s). */
struct mx_waveform_use {
  double shift, end, step;
};

struct mx_waveform_energy {
  double peak;    /* largest |w| within the run */
  double largest; /* largest |w| at any time, as far as it is known, else peak */
  double begin;   /* time of the run, s, at which |w| first exceeds a thousandth of its peak there */
  double jump;    /* |w| when the run begins */
  size_t bins;
  double width;  /* of a bin, Hz */
  double *power; /* [bins] energies, in any unit */
  double total;  /* sum of the energies; 0: the waveform is zero in the run */
};

/* Samples and transforms. A value that stays at the end (a step) has no spectrum; that of its slope is taken. Any other
 * value that is cut at the end is faded out first. At most some 1e5 to 1e6 samples are taken from the waveform's
 * beginning. MX_FUNCTION_WAVEFORM must have been tabulated. Release in any case. */
int mx_waveform_energy_init(struct mx_waveform_energy *spectrum, const struct mx_waveform *waveform,
                            const struct mx_waveform_use *use, struct dg_error *err) DG_MUST_USE;
void mx_waveform_energy_release(struct mx_waveform_energy *spectrum);
/* Returns the part of the energy above a frequency (Hz), 0 to 1. */
double mx_waveform_energy_above(const struct mx_waveform_energy *spectrum, double hertz);
