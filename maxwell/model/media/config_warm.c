/* Reads `with_temperature` of a material. config_sections.c names the reader in its rules. */
#include "maxwell/model/config_read.h"
#include "maxwell/model/media/warm.h"

static int read_key(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value,
                    struct mx_warm_config *warm, enum mx_warm_key key)
{
  warm->key[key].given = true;
  if (value->type == MX_FUNCTION) return mx_read_function(r, rule, value, &warm->key[key].function);
  return mx_read_real(r, rule, value, &warm->key[key].slope);
}

static int read_epsilon(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  return read_key(r, rule, value, to, MX_WARM_EPSILON);
}

static int read_sigma(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  return read_key(r, rule, value, to, MX_WARM_SIGMA);
}

int mx_read_warm(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"epsilon_r", read_epsilon, 0, .expected = "a number (1/K) or a function of the temperature", .standard = "null"},
      {"sigma", read_sigma, 0, .expected = "a number (1/K) or a function of the temperature (S/m)", .standard = "null"},
      {"reference", mx_read_real, offsetof(struct mx_warm_config, reference),
       .expected = "a number (the temperature at which the material's numbers hold)", .standard = "null"},
  };
  struct mx_warm_config *warm = to;
  warm->where = value->where;
  if (mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), warm) != 0) return r->err->code;
  bool slopes = false;
  for (int k = 0; k < MX_WARM_KEYS; k++) slopes = slopes || (warm->key[k].given && warm->key[k].function == NULL);
  if (!warm->key[MX_WARM_EPSILON].given && !warm->key[MX_WARM_SIGMA].given)
    return mx_fail_at(r, value, "%s needs 'epsilon_r', 'sigma' or both", value->path);
  if (slopes != (mx_find_value(value, "reference") != NULL))
    return mx_fail_at(r, value,
                      slopes ? "%s needs 'reference', the temperature from which numbers count (for example: "
                               "reference = 20)"
                             : "%s: 'reference' is for numbers, and functions have none",
                      value->path);
  return 0;
}

/* The number that a slope multiplies, or a function stands in the place of. */
static int check_key(struct mx_reader *r, const struct mx_value *value, const struct mx_material_config *material,
                     enum mx_warm_key key)
{
  const struct mx_value *own = mx_find_value(value, mx_warm_names[key]);
  const struct mx_scalar *scalar = key == MX_WARM_EPSILON ? &material->epsilon_r : &material->sigma;
  if (!material->warm.key[key].given) return 0;
  if (scalar->function != NULL)
    return mx_fail_at(r, own, "%s is a function of the place, and with_temperature.%s needs a number", own->path,
                      mx_warm_names[key]);
  if (material->warm.key[key].function != NULL && own != NULL)
    return mx_fail_at(r, own, "%s and with_temperature.%s, a function, both give it: leave one of them out", own->path,
                      mx_warm_names[key]);
  if (material->warm.key[key].function == NULL && !(scalar->value > 0))
    return mx_fail_at(r, value, "%s: with_temperature.%s is a relative change of %s, which is not there", value->path,
                      mx_warm_names[key], mx_warm_names[key]);
  return 0;
}

int mx_check_warm(struct mx_reader *r, const struct mx_value *value, const struct mx_material_config *material)
{
  static const char *const others[] = {"loss_tangent", "debye",    "drude",      "lorentz", "critical_points",
                                       "poles",        "magnetic", "gyrotropic", "ferrite", "axes"};
  if (!mx_is_warm(material)) return 0;
  for (size_t i = 0; i < MX_COUNT(others); i++) {
    const struct mx_value *other = mx_find_value(value, others[i]);
    if (other != NULL)
      return mx_fail_at(r, other,
                        "%s: with_temperature changes epsilon_r and sigma that are numbers, and is not there yet "
                        "beside %s",
                        other->path, others[i]);
  }
  if (mx_has_tensor(material))
    return mx_fail_at(r, value, "%s: with_temperature is not there yet beside a tensor", value->path);
  for (int k = 0; k < MX_WARM_KEYS; k++)
    if (check_key(r, value, material, (enum mx_warm_key)k) != 0) return r->err->code;
  return 0;
}
