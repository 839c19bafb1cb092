/* Metals, and the fit of their surface impedance: metal.h. The reader of the configuration takes the names, the builder
 * of a problem the fit. */
#include "maxwell/model/media/metal.h"

#include <math.h>
#include <string.h>

#include "maxwell/model/config_read.h"
#include "maxwell/model/media/skin_fit.h"

/* Conductivities: copper is the standard of annealed copper (IACS), the others are from D. M. Pozar, Microwave
 * Engineering, 4th ed. (2012), appendix F. None of them is magnetic. */
#define METALS(X)                                                                                                      \
  X("aluminium", 3.816e7)                                                                                              \
  X("aluminum", 3.816e7)                                                                                               \
  X("brass", 2.564e7)                                                                                                  \
  X("bronze", 1.00e7)                                                                                                  \
  X("chromium", 3.846e7)                                                                                               \
  X("copper", 5.80e7)                                                                                                  \
  X("gold", 4.098e7)                                                                                                   \
  X("lead", 4.56e6)                                                                                                    \
  X("platinum", 9.52e6)                                                                                                \
  X("silver", 6.173e7)                                                                                                 \
  X("solder", 7.0e6)                                                                                                   \
  X("stainless_steel", 1.1e6) X("tungsten", 1.825e7) X("zinc", 1.67e7)

#define NAME_OF(name, sigma)  name,
#define SIGMA_OF(name, sigma) sigma,
const char *const mx_metal_names[] = {METALS(NAME_OF) NULL};
static const double conductivities[] = {METALS(SIGMA_OF)};

double mx_metal_conductivity(int name) { return conductivities[name]; }

double mx_metal_rough(double mu, double sigma, double roughness)
{
  const double factor = 1.4; /* of the formula; delta^2 = 2/(w mu sigma) */
  return roughness > 0 ? 2 / (factor * roughness * roughness * mu * sigma) : INFINITY;
}

/* sqrt(s) K(s/rough) */
static double complex impedance(double w, double rough)
{
  const double pi = 3.14159265358979323846;
  const double complex root = csqrt(I * w), z = I * w / rough, q = csqrt(z);
  if (isinf(rough)) return root;
  return root * (1 + 2 / pi * (catan(q) + clog(1 + q) - 0.5 * clog(1 + z)));
}

void mx_metal_impedance(double mu, double sigma, double roughness, double w, double Z[2])
{
  const double complex own = sqrt(mu / sigma) * impedance(w, mx_metal_rough(mu, sigma, roughness));
  Z[0] = creal(own);
  Z[1] = cimag(own);
}

double mx_skin_error(double from, double to, double rough, const struct mx_skin *skin)
{
  struct mx_skin_target target;
  mx_skin_points(from, to, &target);
  for (int i = 0; i < MX_SKIN_POINTS; i++) target.scale[i] = target.value[i] = impedance(target.w[i], rough);
  return mx_skin_distance(&target, 0, skin);
}

double mx_skin_fit(double from, double to, double rough, struct mx_skin *skin)
{
  struct mx_skin_target target;
  mx_skin_points(fmin(from / to, 0.999), 1, &target);
  for (int i = 0; i < MX_SKIN_POINTS; i++) target.scale[i] = target.value[i] = impedance(target.w[i], rough / to);
  *skin = (struct mx_skin){0};
  const double error = mx_skin_fit_to(&target, target.w[0], 1, skin);
  for (size_t k = 0; k < skin->poles; k++) {
    skin->rate[k] *= to;
    skin->resistance[k] *= sqrt(to);
  }
  return error;
}
