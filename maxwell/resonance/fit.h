/* Least squares: makes the modes that harmonic inversion has found the best ones for the record, says how sure they
 * are, and drops those that the record does not need.
 *
 * The model is y(t) = c + sum of A exp(-d t) cos(2 pi f t + phi), all of it at once (Levenberg, Marquardt). Noise,
 * content beside the band and the library's choice of functions each move what inversion finds; the fit is where the
 * record has it. Its covariance, with what is left over as the noise, is the error of a mode. Not collective. */
#pragma once

#include "libdg/base/error.h"
#include "maxwell/resonance/ringing.h"

struct mx_fitted {
  double left;     /* mean square of what the modes leave of the record; infinite: the fit does not converge */
  double constant; /* c */
};

/* Improves mode[*count] in place and drops modes whose amplitude is within some errors of zero or below 1e-10 (the
 * largest value of the record is 1), and the weakest where
 * there are more than the record allows. `error` becomes the standard error of the fit. *count may become 0. */
int mx_fit_modes(const struct mx_signal *signal, struct mx_ringing *mode, size_t *count, struct mx_fitted *fitted,
                 struct dg_error *err) DG_MUST_USE;
/* Computes what modes and constant leave: rest[signal->count]. */
int mx_fit_rest(const struct mx_signal *signal, const struct mx_ringing *mode, size_t count,
                const struct mx_fitted *fitted, double *rest, struct dg_error *err) DG_MUST_USE;
