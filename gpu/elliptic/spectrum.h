/* Eigenvalues of the operator over its diagonal on the card (private to gpu/elliptic). */
#pragma once

#include <stdbool.h>

#include "gpu/elliptic/level.h"
#include "libdg/base/error.h"

enum { GPU_SEARCH = 200 }; /* iterations, at most */

/* The smallest and the largest eigenvalue over what level->inverse has that at most `most` iterations find. Source: Y.
 * Saad, Iterative Methods for Sparse Linear Systems, SIAM 2003, section 6.7.3: conjugate gradients hold the matrix of
 * Lanczos. */
int gpu_find_spectrum(const struct gpu_level *level, struct gpu_elliptic_weights weights, bool floating, double ones,
                      int most, const struct gpu_search *search, struct gpu_ends *ends,
                      struct dg_error *err) DG_MUST_USE;
