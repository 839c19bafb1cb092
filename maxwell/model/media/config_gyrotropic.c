/* Reads the gyrotropic term of a material. Beside the reader of materials (config_sections.c). What the term is stands
 * in the file gyrotropic.h of maxwell/response. */
#include <math.h>
#include <string.h>

#include "maxwell/model/config_read.h"

int mx_read_gyrotropic(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
#define GYRO(field) offsetof(struct mx_gyrotropic_config, field)
  static const char rate[] = "a number >= 0 (rad/s)";
  static const struct mx_rule rules[] = {
      {"omega_p", mx_read_real, GYRO(omega_p), .expected = "a number > 0 (rad/s)", MX_ABOVE(0),
       .example = "omega_p = 1e11"},
      {"omega_0", mx_read_real, GYRO(omega_0), .expected = rate, MX_FROM(0)},
      {"gamma", mx_read_real, GYRO(gamma), .expected = rate, MX_FROM(0)},
      {"omega_c", mx_read_triple, GYRO(omega_c), .expected = "three numbers (rad/s), q B/m",
       .example = "omega_c = { 0, 0, 5e10 }"},
  };
  struct mx_gyrotropic_config *gyrotropic = to;
  if (mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), gyrotropic) != 0) return r->err->code;
  gyrotropic->given = true;
  return 0;
}

int mx_check_gyrotropic(struct mx_reader *r, const struct mx_value *value, const struct mx_material_config *material)
{
  static const char *const poles[] = {"debye", "drude", "lorentz", "critical_points", "poles"};
  const struct mx_value *gyrotropic = mx_find_value(value, "gyrotropic");
  if (!material->gyrotropic.given) return 0;
  if (mx_has_tensor(material))
    return mx_fail_at(r, gyrotropic, "%s needs an epsilon_r and a mu_r that are numbers or functions, not tensors",
                      gyrotropic->path);
  for (size_t i = 0; i < MX_COUNT(poles); i++) {
    const struct mx_value *pole = mx_find_value(value, poles[i]);
    if (pole != NULL)
      return mx_fail_at(r, pole, "%s beside a gyrotropic term is not there yet: a medium has one or the other",
                        pole->path);
  }
  return 0;
}
