/* Fields at t = 0 from the script's functions. */
#pragma once

#include "maxwell/setup/setup.h"

/* *E and *H: [K][3][Np] in the solver's units (V/m, H times eta0), NULL where the script gives none; free with dg_free.
 * A function that fails or gives something that is no number is DG_INPUT. */
int mx_initial_fields(const struct mx_setup *setup, double **E, double **H, struct dg_error *err) DG_MUST_USE;
