/* The modes of a line of several conductors: C v = epsilon_eff K v, C and K as in tem_mode.h, now matrices of the
 * conductors beside the ground. Each mode travels at a speed of its own. */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"

/* C[n][n], K[n][n]; v[n][n]: the potentials of mode i are v[i], index[n]: its epsilon_eff, the slowest mode last.
 * DG_ENVIRONMENT: no memory. */
int mx_tem_modes(size_t n, const double *C, const double *K, double *v, double *index,
                 struct dg_error *err) DG_MUST_USE;
/* Scales potentials to 1 V of the port: the largest is 1 V when all have one sign, else the highest and the lowest are
 * 1 V apart. The first that is not small becomes positive: conductors have one order at both ends of a line. */
void mx_tem_scale(size_t n, double *v);
