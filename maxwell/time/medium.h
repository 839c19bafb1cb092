/* How a conductor's electric field moves in a step: the one place that knows it, for backends, step limit and energy.
 *
 * With s = sigma/eps and x = s dt, the field alone decays by exp(-x) in a step. Explicit schemes follow that only while
 * x is small: the mean of old and new tends to a factor of -1, and Runge-Kutta blows up. Here losses never limit a
 * step.
 *
 * Leapfrog takes the exponential, exact for the loss:  E' = exp(-x) E + (1 - exp(-x))/s * (curl H + flux)/eps. The same
 * formula is the mean of old and new,
 *     eps' (E' - E)/dt = curl H + flux - sigma (E' + E)/2,     eps' = eps (x/2) coth(x/2) >= eps,
 * so energy and step limit are those of that scheme, with eps' as the weight of E. eps' - eps is second order in dt.
 *
 * Runge-Kutta takes eps' = max(eps, sigma dt / z), z seven tenths of its bound on the negative real axis: as long
 * as the step resolves the relaxation nothing changes and the order is kept. In a good conductor, whose relaxation no
 * step resolves, the displacement current grows to w dt / z of the current; without losses eps' is eps and all bits are
 * as they were.
 *
 * What is uploaded at t = 0 is scaled by sqrt(eps/eps'), so that the discrete energy begins as the field's own,
 * 1/2 eps E.E. Where the step resolves the relaxation that changes E by x^2/24 at most; where it does not, the field is
 * gone after a fraction of a step. share/doc/design/time.md, "Losses", has the proofs. */
#pragma once

#include <stdbool.h>

#include "maxwell/time/integrator.h"

struct mx_ampere {
  double inertia; /* eps': the weight of E in the energy */
  /* A step of leapfrog adds gain * rate - loss * E to E, rate being (curl H + flux)/eps; a stage of Runge-Kutta
   * has dt dE/dt equal to that. */
  double gain, loss;
  double start; /* what E is multiplied by at t = 0 */
};

/* epsilon > 0 relative, sigma >= 0 in 1/m, step > 0 in metres: natural units (maxwell/problem/flux.h). */
struct mx_ampere mx_ampere(enum mx_integrator integrator, double epsilon, double sigma, double step);

/* sigma dt / eps that a Runge-Kutta scheme takes with eps as it is, and of other relaxations their rate times dt: seven
 * tenths of its bound on the negative real axis, since the penalty and the curl want their part of the region of
 * stability. */
double mx_relaxation_bound(enum mx_integrator integrator);

/* Does the step resolve the relaxation eps/sigma? If not, E follows the current (Runge-Kutta: with eps' > eps). */
bool mx_step_resolves(enum mx_integrator integrator, double epsilon, double sigma, double step);
