/* The regions of stability of the integrators, from their passes. The step limit, sources and ports call it;
 * schedule.h names the papers. */
#include "maxwell/time/integrator.h"

#include <math.h>

struct mx_step_rule mx_step_rule_of(const struct mx_pass *pass, double step)
{
  return (struct mx_step_rule){.step = step,
                               .a = pass->a,
                               .b = pass->b,
                               .weight = pass->weight * step,
                               .next = pass->next * step,
                               .sums = pass->keeps == MX_SUMS,
                               .first = pass->from == MX_FIELDS,
                               .last = pass->to == MX_FIELDS};
}

double complex mx_amplification(enum mx_integrator integrator, double complex z)
{
  const struct mx_scheme *scheme = &mx_schemes[integrator];
  const double complex start = 1;
  double complex u = start, k = 0, sum = start; /* the passes themselves, with a step of 1 */
  for (int s = 0; s < scheme->stages; s++) {
    const struct mx_pass *pass = &scheme->pass[s];
    k = MX_REGISTER_STEP(pass->a, k, z * u);
    sum = MX_NUMBER_STEP(sum, pass->weight, k);
    u = scheme->sums ? MX_NUMBER_STEP(start, pass->next, k) : MX_NUMBER_STEP(u, pass->b, k);
  }
  return scheme->sums ? sum : u;
}

double mx_scalar_limit(enum mx_integrator integrator, double complex lambda)
{
  double size = cabs(lambda);
  if (size == 0) return INFINITY;
  double complex direction = (fmin(creal(lambda), 0) + cimag(lambda) * I) / size;
  /* March along the ray until it leaves the region, then bisect. The bound forgives rounding on the imaginary axis,
   * where |amplification| is 1 up to high order in z. */
  const double step = 0.01, bound = 1 + 1e-12;
  double inside = 0;
  while (inside < 100 && cabs(mx_amplification(integrator, (inside + step) * direction)) <= bound) inside += step;
  double low = inside, high = inside + step;
  for (int i = 0; i < 40; i++) {
    double middle = 0.5 * (low + high);
    if (cabs(mx_amplification(integrator, middle * direction)) <= bound) low = middle;
    else high = middle;
  }
  return low / size;
}
