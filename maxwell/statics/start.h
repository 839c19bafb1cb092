/* The fields at t = 0: those of the script's functions, or the static field of conductors. */
#pragma once

#include "maxwell/statics/statics.h"

/* Gives E and H at the nodes, [K][3][Np] in V/m with H times eta0, as mx_initial_fields does. *statics, which may be
 * NULL, gets what a static field has to tell, or {0}; release it with mx_statics_release. */
int mx_start_fields(const struct mx_statics_place *place, struct mx_statics *statics, double **E, double **H,
                    struct dg_error *err) DG_MUST_USE;
