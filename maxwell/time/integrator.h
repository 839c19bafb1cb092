/* Time integrators and their stability; what their steps consist of is in schedule.h. */
#pragma once

#include <complex.h>

#include "maxwell/time/schedule.h"
#include "maxwell/time/step_rule.h"

/* How numbers go through a pass that is not staggered. step: the unit of time of their rates; 1 where the step is in
 * them. */
struct mx_step_rule mx_step_rule_of(const struct mx_pass *pass, double step);

/* The amplification of a one-step scheme (not leapfrog) on du/dt = lambda u, z = lambda dt. */
double complex mx_amplification(enum mx_integrator integrator, double complex z);

/* The largest s so that |amplification(s * lambda)| <= 1 on (0, s]; 0 if there is none. Re lambda > 0 counts as 0. */
double mx_scalar_limit(enum mx_integrator integrator, double complex lambda);
