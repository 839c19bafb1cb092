/* The steps of vector fitting on a scaled axis s = j w. Private to maxwell/fit, but for MX_FIT_POLES.
 *
 * Unknowns of a sum over poles are real: c of a real pole; Re c, Im c of a pair. Behind them stand epsilon_r and, with
 * `conducts`, the residue of a pole at zero. Poles are listed with Im a >= 0. */
#pragma once

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

enum { MX_FIT_POLES = 16 }; /* states at most, as a material can have: a real pole is one, a pair is two */

struct mx_fit_points {
  size_t count;
  const double *w;           /* [count] scaled */
  const double complex *eps; /* [count] */
  double *weight;            /* [count][2] of the real parts and of the imaginary ones */
};

struct mx_fit_poles {
  size_t count;
  double complex a[MX_FIT_POLES]; /* scaled, Re a < 0, Im a >= 0 */
  bool conducts;
};

int mx_fit_states(const struct mx_fit_poles *poles);
/* How many unknowns a fit with these poles has. */
size_t mx_fit_unknowns(const struct mx_fit_poles *poles);
/* The functions at j w that the unknowns multiply: row[unknowns]. */
void mx_fit_basis(const struct mx_fit_poles *poles, double w, double complex *row);
/* Moves the poles to where vector fitting says, which is left of the imaginary axis. */
int mx_fit_relocate(const struct mx_fit_points *points, struct mx_fit_poles *poles, struct dg_error *err) DG_MUST_USE;
