/* The filter of all levels on a vector, for the search for the largest step. */
#pragma once

#include "maxwell/levels/levels.h"
#include "maxwell/operator/operator.h"

struct mx_levels_apply {
  const struct mx_levels *levels; /* borrowed */
  double step;                    /* c0 dt, metres */
  struct mx_matrices_double *matrices[MX_LEVELS_MAX];
  double *E[MX_LEVELS_MAX], *H[MX_LEVELS_MAX], *change[MX_LEVELS_MAX], *rate[MX_LEVELS_MAX];
};

/* The levels must be those of a problem on one rank. Release in any case. */
int mx_levels_apply_init(struct mx_levels_apply *apply, const struct mx_levels *levels, double step,
                         struct dg_error *err) DG_MUST_USE;
void mx_levels_apply_release(struct mx_levels_apply *apply);
/* u[K of the whole][3][Np] = F u. */
void mx_levels_apply(struct mx_levels_apply *apply, double *u);
