/* The coefficients of the integrators and their regions of stability. Sources: integrator.h. */
#include "maxwell/time/integrator.h"

#include <math.h>

const struct mx_scheme mx_schemes[] = {
    [MX_LEAPFROG] = {.stages = 2, .observe_stage = 1, .evaluations = 1},
    [MX_RK4] = {.stages = 4, .observe_stage = 0, .evaluations = 4},
    [MX_LSRK] = {.stages = MX_LSRK_STAGES, .observe_stage = 0, .evaluations = MX_LSRK_STAGES},
    [MX_EULER] = {.stages = 1, .observe_stage = 0, .evaluations = 1},
};

const double mx_lsrk_a[MX_LSRK_STAGES] = {
    0,
    -567301805773.0 / 1357537059087.0,
    -2404267990393.0 / 2016746695238.0,
    -3550918686646.0 / 2091501179385.0,
    -1275806237668.0 / 842570457699.0,
};
const double mx_lsrk_b[MX_LSRK_STAGES] = {
    1432997174477.0 / 9575080441755.0, 5161836677717.0 / 13612068292357.0, 1720146321549.0 / 2090206949498.0,
    3134564353537.0 / 4481467310338.0, 2277821191437.0 / 14882151754819.0,
};
const double mx_lsrk_c[MX_LSRK_STAGES] = {
    0,
    1432997174477.0 / 9575080441755.0,
    2526269341429.0 / 6820363962896.0,
    2006345519317.0 / 3224310063776.0,
    2802321613138.0 / 2924317926251.0,
};

double mx_stage_time(enum mx_integrator integrator, int s)
{
  static const double rk4[4] = {0, 0.5, 0.5, 1};
  switch (integrator) {
  case MX_LEAPFROG:
    return s == 0 ? 0 : 0.5;
  case MX_RK4:
    return rk4[s];
  case MX_LSRK:
    return mx_lsrk_c[s];
  case MX_EULER:
    return 0;
  }
  return 0;
}

double complex mx_amplification(enum mx_integrator integrator, double complex z)
{
  if (integrator == MX_EULER) return 1 + z;
  if (integrator == MX_RK4) return 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)));
  double complex u = 1, k = 0; /* the low-storage scheme itself, on du/dt = z u with a step of 1 */
  for (int s = 0; s < MX_LSRK_STAGES; s++) {
    k = mx_lsrk_a[s] * k + z * u;
    u += mx_lsrk_b[s] * k;
  }
  return u;
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
