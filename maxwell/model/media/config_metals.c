/* Reads the keys of metal walls. Beside the reader of boundaries (config_sources.c); metal.h says what a metal is. */
#include <math.h>

#include "maxwell/model/config_read.h"
#include "maxwell/model/media/metal.h"

int mx_read_band(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  double *band = to;
  if (value->type != MX_TABLE || value->count != 2) return mx_fail_expected(r, value, rule->expected);
  for (size_t i = 0; i < 2; i++) {
    const struct mx_value *number = &value->entry[i].value;
    if (number->type != MX_NUMBER) return mx_fail_expected(r, value, rule->expected);
    band[i] = number->number;
  }
  return band[0] > 0 && band[1] > band[0] && isfinite(band[1]) ? 0 : mx_fail_expected(r, value, rule->expected);
}

int mx_check_metal(struct mx_reader *r, const struct mx_value *value, const char *kind, struct mx_metal_config *metal)
{
  const struct mx_value *name = mx_find_value(value, "metal"), *sigma = mx_find_value(value, "conductivity");
  if (name != NULL && sigma != NULL)
    return mx_fail_at(r, sigma, "%s takes 'metal' or 'conductivity', not both", value->path);
  if (name == NULL && sigma == NULL)
    return mx_fail_at(r, value,
                      "'metal' or 'conductivity' is missing in %s of kind \"%s\" (for example: metal = \"copper\")",
                      value->path, kind);
  if (name != NULL) metal->sigma = mx_metal_conductivity(metal->name);
  return 0;
}
