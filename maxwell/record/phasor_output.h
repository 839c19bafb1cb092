/* The files of output.spectra at the end of a run. output.c calls it.
 *
 *   spectra/NAME_000001.silo, .hdf    the fields in a region at its first frequency, .. in the formats of snapshots:
 *                                     vectors E_re, E_im, H_re, H_im. The time of a file is its frequency.
 *                                     With losses: loss_density as well.
 *   spectra/NAME_losses.csv           "frequency,power": the losses of the region
 *   spectra/NAME_sar.csv              SAR of the region (maxwell/phasor/phasor_sar.h)
 *   spectra/NAME.csv                  a row a frequency and point of a plane, or a grid a frequency as above */
#pragma once

#include "maxwell/record/writers.h"
#include "maxwell/phasor/phasors.h"
#include "maxwell/shell/folder.h"

/* Writes all files. Collective. */
int mx_phasor_output(struct mx_phasors *phasors, const struct mx_writers *writers, const struct dg_reference *ref,
                     struct mx_folder *folder, struct dg_error *err) DG_MUST_USE;
