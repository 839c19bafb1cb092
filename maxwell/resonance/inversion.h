/* Harmonic inversion: the decaying oscillations of which a signal is the sum, x(t) = sum of A exp(-d t) cos(2 pi f t +
 * phi).
 *
 * The method is filter diagonalisation (V. A. Mandelshtam, H. S. Taylor, J. Chem. Phys. 107 (1997) 6756) as libharminv
 * has it (S. G. Johnson). Unlike the lines of a Fourier transform, what it finds is not as wide as one over the length
 * of the signal: without noise, frequency and decay of lines that are a hundredth of that apart come out with six
 * digits.
 *
 * The library is loaded by name when it is first wanted (inversion.c alone knows it), and behind OpenBLAS (dense.h),
 * whose one thread it then shares. A build without it has these functions, too; they fail. Not collective. */
#pragma once

#include "libdg/base/error.h"
#include "maxwell/resonance/ringing.h"

/* Loads the library. DG_ENVIRONMENT: this build has none, or it cannot be loaded. */
int mx_inversion_prepare(struct dg_error *err) DG_MUST_USE;
/* Finds the oscillations between two frequencies (Hz), 0 <= from < to <= half the sampling rate, in ascending order of
 * frequency. *mode is the caller's, to be freed with dg_free; it is NULL if there are none. The values must be finite,
 * and there should be at least 16 of them. Oscillations that are weaker than some 1e-6 of the strongest in the band are
 * not found, and what the library itself is unsure of (an error above 0.1) is left out. */
int mx_invert(const struct mx_signal *signal, double from, double to, struct mx_ringing **mode, size_t *count,
              struct dg_error *err) DG_MUST_USE;
