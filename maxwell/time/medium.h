/* The update of a field in a medium with losses in a step. This is the one place that knows it, for backends, step
 * limit and energy. The update is the same for both equations, with (eps, sigma) for E and their counterparts for H;
 * here they are called `storage` and `loss`.
 *
 * With s = loss/storage and x = s dt, the field alone decays by exp(-x) in a step. Explicit schemes follow that only
 * while x is small: the mean of old and new tends to a factor of -1, and Runge-Kutta blows up. Here losses never limit
 * a step.
 *
 * Leapfrog takes the exponential, exact for the loss:  E' = exp(-x) E + (1 - exp(-x))/s * (curl H + flux)/eps. The same
 * formula is the mean of old and new,
 *     eps' (E' - E)/dt = curl H + flux - sigma (E' + E)/2,     eps' = eps (x/2) coth(x/2) >= eps,
 * so energy and step limit are those of that scheme, with eps' as the weight of E. eps' - eps is second order in dt.
 *
 * H lives at half steps, H- before t_n and H+ behind it. Where H has losses, the energy at t_n must fall by the loss
 * dt sigma (H- + H+)^2/4 a step. That energy has mu' H-.H+ - lag (H+.H+ - H-.H-), lag = loss dt / 4, in the place of
 * mu H.H. With Hm = (H- + H+)/2 that is mu x coth(x) Hm.Hm, less the (dt/2)^2 |curl E|^2 / mu' that leapfrog always
 * has.
 *
 * Runge-Kutta takes eps' = max(eps, sigma dt / z), z seven tenths of its bound on the negative real axis: as long
 * as the step resolves the relaxation nothing changes and the order is kept. In a good conductor, whose relaxation no
 * step resolves, the displacement current grows to w dt / z of the current; without losses eps' is eps and all bits are
 * as they were.
 *
 * The fields at t = 0 are scaled by sqrt(eps/eps'), and leapfrog's H by sqrt(tanh(x)/x), so that the discrete energy
 * begins as the field's own, 1/2 eps E.E. Where the step resolves the relaxation that changes a field by x^2/24
 * (leapfrog's H: x^2/6) at most; where it does not, the field is gone after a fraction of a step.
 * share/doc/design/time.md, "Losses", has the proofs. */
#pragma once

#include <stdbool.h>

#include "maxwell/problem/problem.h"
#include "maxwell/time/integrator.h"

struct mx_medium_update {
  double inertia; /* eps' or mu': the weight of the field in the energy */
  /* A step of leapfrog adds gain * rate - loss * field to the field, rate being (curl + flux)/storage; a stage of
   * Runge-Kutta has dt d(field)/dt equal to that. */
  double gain, loss;
  double start; /* factor of the field at t = 0 */
  double back;  /* leapfrog's H half a step before t = 0 is H less `back` times the addition of a step */
  double lag;   /* leapfrog's H: the lag of its energy, see above; else 0 */
};

/* storage > 0 relative, loss >= 0 in 1/m, step > 0 in metres: natural units (maxwell/problem/flux.h). */
struct mx_medium_update mx_medium_update(enum mx_integrator integrator, enum mx_equation equation,
                                         struct mx_medium medium, double step);

/* Says whether the step resolves the relaxation storage/loss. If not, the field follows what drives it (Runge-Kutta:
 * with a raised storage). */
bool mx_step_resolves(enum mx_integrator integrator, struct mx_medium medium, double step);
