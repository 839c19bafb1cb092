/* Least squares of a few unknowns, with and without inequalities: what a fit of poles needs.
 *
 * Matrices are row-major. Columns are scaled to length 1 and a rank that is lacking is filled up by a damping of 1e-11
 * of that, so that columns that depend on each other give small coefficients and no failure. Not collective. */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"

/* x[n] minimises |A x - b|, A[m][n]. A and b are overwritten. DG_ENVIRONMENT: out of memory. */
int mx_least_squares(size_t m, size_t n, double *A, double *b, double *x, struct dg_error *err) DG_MUST_USE;
/* The same under G x >= h, G[k][n], h[k], which some x must fulfil. The problem becomes one of least distance and that
 * one of non-negative least squares (Lawson & Hanson 1974, chapters 20 and 23). A, b, G and h are overwritten.
 * DG_ENVIRONMENT: out of memory. DG_BUG: no x fulfils the inequalities. */
int mx_least_squares_above(size_t m, size_t n, double *A, double *b, size_t k, double *G, double *h, double *x,
                           struct dg_error *err) DG_MUST_USE;
