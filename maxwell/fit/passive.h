/* The residues of given poles, with which the medium does not amplify. Private to maxwell/fit. */
#pragma once

#include "maxwell/fit/vector_fit.h"

/* x[unknowns] minimises the weighted error. passive: under Im eps_r <= 0 for all w > 0, epsilon_r >= least and sigma >=
 * 0. Otherwise under nothing. DG_ENVIRONMENT: out of memory. */
int mx_fit_residues(const struct mx_fit_points *points, const struct mx_fit_poles *poles, bool passive, double least,
                    double *x, struct dg_error *err) DG_MUST_USE;
/* The smallest -Im eps_r of the poles over all frequencies, each as a part of the sum of the sizes of its terms; at
 * scaled frequency *where. Negative: the medium amplifies there. */
double mx_fit_least_loss(const struct mx_fit_poles *poles, const double *x, double *where);
