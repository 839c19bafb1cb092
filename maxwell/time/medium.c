/* The update in media with losses: formulas and their limits for small and large losses. The backends
 * (through responses.c), the step limit and the report of conductors call it; medium.h derives the formulas. */
#include "maxwell/time/medium.h"

#include <math.h>

bool mx_step_resolves(enum mx_integrator integrator, struct mx_medium medium, double step)
{
  return medium.loss * step <= mx_schemes[integrator].relaxation * medium.storage;
}

struct mx_medium_update mx_medium_update(enum mx_integrator integrator, enum mx_equation equation,
                                         struct mx_medium medium, double step)
{
  const double x = medium.loss * step / medium.storage;
  const bool staggered = mx_staggered(integrator);
  struct mx_medium_update update = {
      .inertia = medium.storage, .gain = step, .loss = x, .start = 1, .back = 0.5, .lag = 0};
  if (!(medium.loss > 0)) return update;
  if (staggered) {
    update.loss = -expm1(-x);
    update.gain = step * (update.loss / x);
    /* (x/2) coth(x/2) in terms of 1 - exp(-x), which is exact for small x */
    update.inertia = medium.storage * (x * (2 - update.loss) / (2 * update.loss));
  } else if (!mx_step_resolves(integrator, medium, step)) {
    update.inertia = medium.loss * step / mx_schemes[integrator].relaxation;
    update.gain = step * (medium.storage / update.inertia);
    update.loss = medium.loss * step / update.inertia;
  }
  update.start = sqrt(medium.storage / update.inertia);
  if (staggered && equation == MX_FARADAY) {
    update.start = sqrt(tanh(x) / x);
    update.back = 1 / (2 - update.loss);
    update.lag = medium.loss * step / 4;
  }
  return update;
}
