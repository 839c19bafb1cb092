/* Reads the ferrite of a material, in the quantities of a data sheet, and turns them into rates. Beside the reader of
 * materials (config_sections.c). What a ferrite is stands in the file ferrite.h of maxwell/response. */
#include <math.h>

#include "maxwell/model/config_read.h"

static const double mu0 = 1.25663706212e-6;          /* H/m */
static const double of_electrons = 8.79410005384e10; /* e/(2 m), rad/(s T) for g = 1: CODATA 2018 */
static const double pi = 3.14159265358979323846;

/* As the script gives it. */
struct given {
  double saturation, bias[3], g, damping, linewidth, at;
};

int mx_read_ferrite(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
#define GIVEN(field) offsetof(struct given, field)
  static const struct mx_rule rules[] = {
      {"saturation", mx_read_real, GIVEN(saturation), .expected = "a number > 0 (A/m)", MX_ABOVE(0),
       .example = "saturation = 1.42e5"},
      {"bias", mx_read_triple, GIVEN(bias), .expected = "three numbers (A/m), the static field inside the ferrite",
       .example = "bias = { 0, 0, 1e5 }"},
      {"g", mx_read_real, GIVEN(g), .expected = "a number > 0", MX_ABOVE(0), .standard = "2"},
      {"damping", mx_read_real, GIVEN(damping), .expected = "a number >= 0", MX_FROM(0)},
      {"linewidth", mx_read_real, GIVEN(linewidth), .expected = "a number >= 0 (A/m)", MX_FROM(0)},
      {"at", mx_read_real, GIVEN(at), .expected = "a number > 0 (Hz)", MX_ABOVE(0), .standard = "null"},
  };
  struct mx_ferrite_config *ferrite = to;
  struct given given = {.g = 2};
  if (mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), &given) != 0) return r->err->code;
  const struct mx_value *linewidth = mx_find_value(value, "linewidth"), *at = mx_find_value(value, "at"),
                        *damping = mx_find_value(value, "damping"), *bias = mx_find_value(value, "bias");
  const double *H = given.bias, size = sqrt(H[0] * H[0] + H[1] * H[1] + H[2] * H[2]);
  if (linewidth != NULL && damping != NULL)
    return mx_fail_at(r, linewidth, "%s and damping are two ways to say one thing: leave one of them out",
                      linewidth->path);
  if (linewidth != NULL && at == NULL)
    return mx_fail_at(r, linewidth, "%s belongs to a frequency: add at = ..., in Hz", linewidth->path);
  if (at != NULL && linewidth == NULL)
    return mx_fail_at(r, at, "%s is the frequency of a linewidth, and there is none", at->path);
  if (!(size > 0))
    return mx_fail_at(r, bias, "%s is zero: a ferrite needs a static field that saturates it", bias->path);
  const double gamma = given.g * of_electrons * mu0;
  ferrite->given = true;
  ferrite->omega_0 = gamma * size;
  ferrite->omega_m = gamma * given.saturation;
  ferrite->damping = linewidth != NULL ? gamma * given.linewidth / (4 * pi * given.at) : given.damping;
  for (int i = 0; i < 3; i++) ferrite->direction[i] = H[i] / size;
  return 0;
}

int mx_check_ferrite(struct mx_reader *r, const struct mx_value *value, const struct mx_material_config *material)
{
  const struct mx_value *ferrite = mx_find_value(value, "ferrite"), *magnetic = mx_find_value(value, "magnetic");
  if (!material->ferrite.given) return 0;
  if (mx_has_tensor(material))
    return mx_fail_at(r, ferrite, "%s needs an epsilon_r and a mu_r that are numbers or functions, not tensors",
                      ferrite->path);
  if (magnetic != NULL)
    return mx_fail_at(r, magnetic, "%s beside a ferrite is not there yet: a medium has one or the other",
                      magnetic->path);
  return 0;
}
