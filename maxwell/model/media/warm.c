/* Values of materials at temperatures. The problem's build and heat call it. */
#include "maxwell/model/media/warm.h"

#include <stdio.h>

#include "maxwell/model/selectors.h"

enum { NAME = 200 };

const char *const mx_warm_names[MX_WARM_KEYS] = {"epsilon_r", "sigma"};

static const struct {
  const char *unit;
  bool may_be_zero;
} keys[MX_WARM_KEYS] = {{"", false}, {" S/m", true}};

static void name_key(const struct mx_material_config *material, enum mx_warm_key key, char what[NAME])
{
  char name[128];
  mx_selector_name(&material->where, name, sizeof name);
  (void)snprintf(what, NAME, "materials.%s.with_temperature.%s", name, mx_warm_names[key]);
}

static struct mx_places places(const char *what, size_t count, const double *T)
{
  return (struct mx_places){.what = what, .count = count, .t = T, .components = 1, .argument = "T"};
}

int mx_warm_values(const struct mx_material_config *material, enum mx_warm_key key, size_t count, const double *T,
                   double *value, struct dg_error *err)
{
  const struct mx_warm_config *warm = &material->warm;
  const struct mx_function *function = warm->key[key].function;
  const double at_reference = key == MX_WARM_EPSILON ? material->epsilon_r.value : material->sigma.value;
  char what[NAME];
  name_key(material, key, what);
  const struct mx_places at = places(what, count, T);
  if (count > 0 && function != NULL && mx_function_values(function, &at, value, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) {
    if (function == NULL) value[i] = at_reference * (1 + warm->key[key].slope * (T[i] - warm->reference));
    if (value[i] > 0 || (keys[key].may_be_zero && value[i] == 0)) continue;
    return dg_fail(err, DG_INPUT, MX_PLACE "%s gives %g%s at a temperature of %g, and must be %s 0", MX_AT(warm->where),
                   what, value[i], keys[key].unit, T[i], keys[key].may_be_zero ? "at least" : "greater than");
  }
  return 0;
}

int mx_warm_repeat(const struct mx_material_config *material, enum mx_warm_key key, size_t count, const double *T,
                   const double *value, struct dg_error *err)
{
  const struct mx_function *function = material->warm.key[key].function;
  char what[NAME];
  name_key(material, key, what);
  const struct mx_places at = places(what, count, T);
  return function != NULL ? mx_function_repeat(function, &at, value, err) : 0;
}
