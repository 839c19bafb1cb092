/* Reads the materials and the layers of the simulation table. config.c names the reader in its rules. */
#include <limits.h>
#include <string.h>

#include "maxwell/model/config_read.h"

int mx_read_selector(struct mx_reader *r, const struct mx_entry *entry, struct mx_selector *where)
{
  const struct mx_key *key = &entry->key;
  *where = (struct mx_selector){.line = entry->value.line, .where = entry->value.where};
  if (key->name == NULL) {
    if (key->integer < 1 || key->integer > INT_MAX)
      return mx_fail_at(r, &entry->value, "%s: a tag of an entity is an integer >= 1, not %lld", entry->value.path,
                        key->integer);
    where->tag = (int)key->integer;
  } else if (strcmp(key->name, "default") == 0) {
    where->is_default = true;
  } else if (*key->name == '\0') {
    return mx_fail_at(r, &entry->value, "%s: the name of a group is empty", entry->value.path);
  } else {
    where->group = key->name;
  }
  return 0;
}

/* Reads the frequencies from which to which a medium is known. */
static int read_valid(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule number = {.expected = "a number >= 0 (Hz)", MX_FROM(0)};
  double *valid = to;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (value->count != 2)
    return mx_fail_at(r, value, "%s must be %s, not %zu values", value->path, rule->expected, value->count);
  for (int i = 0; i < 2; i++)
    if (mx_read_real(r, &number, &value->entry[i].value, &valid[i]) != 0) return r->err->code;
  if (valid[0] >= valid[1])
    return mx_fail_at(r, value, "%s begins at %g Hz, and ends at %g Hz", value->path, valid[0], valid[1]);
  return 0;
}

static int read_scalar(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_scalar *scalar = to;
  scalar->line = value->line;
  scalar->where = value->where;
  if (value->type == MX_FUNCTION) return mx_read_function(r, rule, value, &scalar->function);
  return mx_read_real(r, rule, value, &scalar->value);
}

/* The same, or a tensor. */
static int read_epsilon(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_material_config *material = to;
  if (value->type == MX_TABLE) return mx_read_tensor(r, value, &material->tensor[0]);
  return read_scalar(r, rule, value, &material->epsilon_r);
}

static int read_mu(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_material_config *material = to;
  if (value->type == MX_TABLE) return mx_read_tensor(r, value, &material->tensor[1]);
  return read_scalar(r, rule, value, &material->mu_r);
}

/* A loss tangent over a band needs poles; here it belongs to one frequency. */
static int read_loss_frequency(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  if (value->type == MX_TABLE)
    return mx_fail_at(
        r, value,
        "%s must be %s, not a table: a loss tangent over a band is not there yet, and a Debye pole is what "
        "has one (debye = { { delta = , tau = } })",
        value->path, rule->expected);
  return mx_read_real(r, rule, value, to);
}

/* A loss tangent says what the conductivity is. */
static int check_losses(struct mx_reader *r, const struct mx_value *value)
{
  const struct mx_value *tangent = mx_find_value(value, "loss_tangent"), *at = mx_find_value(value, "at"),
                        *sigma = mx_find_value(value, "sigma");
  if (at != NULL && tangent == NULL)
    return mx_fail_at(r, at, "%s is the frequency of a loss_tangent, which is missing", at->path);
  if (tangent == NULL) return 0;
  if (at == NULL)
    return mx_fail_at(
        r, tangent,
        "%s needs the frequency that it holds at (for example: loss_tangent = 0.02, at = 2.4e9): one loss "
        "tangent for all frequencies is not there yet",
        tangent->path);
  if (sigma != NULL)
    return mx_fail_at(r, sigma, "%s and loss_tangent both give the losses: leave one of them out", sigma->path);
  static const char *const poles[] = {"debye", "drude", "lorentz", "critical_points", "poles"};
  for (size_t i = 0; i < MX_COUNT(poles); i++) {
    const struct mx_value *pole = mx_find_value(value, poles[i]);
    if (pole != NULL)
      return mx_fail_at(r, pole, "%s has losses of its own: a medium with a pole takes sigma, not loss_tangent",
                        pole->path);
  }
  return 0;
}

static int check_density(struct mx_reader *r, const struct mx_value *value, const struct mx_material_config *material)
{
  const struct mx_value *density = mx_find_value(value, "density");
  const bool plain = material->density.function == NULL && material->density.value == 1; /* as without the key */
  if (density == NULL || plain || material->poles[0].count + material->poles[1].count > 0) return 0;
  return mx_fail_at(r, density, "%s is the density of what the poles stand for, and there are none", density->path);
}

/* What keys of a material say of each other. */
static int check_material(struct mx_reader *r, const struct mx_value *value, struct mx_material_config *material)
{
  if (check_losses(r, value) != 0 || check_density(r, value, material) != 0 ||
      mx_check_tensors(r, value, material) != 0 || mx_check_gyrotropic(r, value, material) != 0 ||
      mx_check_ferrite(r, value, material) != 0 || mx_check_poles(r, value, material) != 0)
    return r->err->code;
  return mx_check_warm(r, value, material);
}

int mx_read_materials(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
#define MATERIAL(field) offsetof(struct mx_material_config, field)
  static const char positive[] = "a number > 0, a function of x, y, z or a tensor";
  static const struct mx_rule rules[] = {
      {"source", mx_read_string, MATERIAL(source), .expected = "a string, from where the numbers are",
       .standard = mx_standard_string},
      {"valid", read_valid, MATERIAL(valid), .expected = "two frequencies (Hz), as in { 1e7, 2e10 }"},
      {"epsilon_r", read_epsilon, 0, .expected = positive, MX_ABOVE(0), .standard = "1"},
      {"mu_r", read_mu, 0, .expected = positive, MX_ABOVE(0), .standard = "1"},
      {"axes", mx_read_axes, MATERIAL(axes),
       .expected = "three directions at right angles, or { about = {..}, angle = degrees }"},
      {"sigma", read_scalar, MATERIAL(sigma), .expected = "a number >= 0 (S/m) or a function of x, y, z", MX_FROM(0),
       .standard = mx_standard_real},
      {"sigma_m", read_scalar, MATERIAL(sigma_m), .expected = "a number >= 0 (ohm/m) or a function of x, y, z",
       MX_FROM(0), .standard = mx_standard_real},
      {"loss_tangent", mx_read_real, MATERIAL(loss_tangent), .expected = "a number >= 0", MX_FROM(0),
       .standard = "null"},
      {"at", read_loss_frequency, MATERIAL(loss_at), .expected = "a number > 0 (Hz)", MX_ABOVE(0)},
      MX_POLE_RULES(MATERIAL(poles[0])),
      {"magnetic", mx_read_magnetic, MATERIAL(poles[1]), .expected = "a table of poles of mu_r"},
      {"mass_density", mx_read_real, MATERIAL(mass_density), .expected = "a number >= 0 (kg/m^3)", MX_FROM(0)},
      {"heat_capacity", mx_read_real, MATERIAL(thermal.capacity), .expected = "a number > 0 (J/(kg K))", MX_ABOVE(0),
       .standard = "null"},
      {"thermal_conductivity", mx_read_real, MATERIAL(thermal.conductivity), .expected = "a number > 0 (W/(m K))",
       MX_ABOVE(0), .standard = "null"},
      {"perfusion", mx_read_real, MATERIAL(thermal.perfusion), .expected = "a number >= 0 (W/(m^3 K) of the blood)",
       MX_FROM(0)},
      {"density", read_scalar, MATERIAL(density), .expected = "a number >= 0 or a function of x, y, z", MX_FROM(0),
       .standard = mx_standard_real},
      {"gyrotropic", mx_read_gyrotropic, MATERIAL(gyrotropic),
       .expected = "a table, as in { omega_p = 1e11, omega_c = { 0, 0, 5e10 } }"},
      {"ferrite", mx_read_ferrite, MATERIAL(ferrite),
       .expected = "a table, as in { saturation = 1.42e5, bias = { 0, 0, 1e5 } }"},
      {"with_temperature", mx_read_warm, MATERIAL(warm), .expected = "a table, as in { sigma = 0.02, reference = 20 }"},
  };
  struct mx_config *config = mx_config_of(r);
  (void)to;
  if (mx_expect_table(r, value, rule->expected) != 0) return r->err->code;
  if (value->count == 0)
    return mx_fail_at(r, value, "materials is empty (for example: materials = { default = {} } is vacuum everywhere)");
  if (mx_arena_alloc(&r->arena, &config->material, value->count, sizeof *config->material, r->err) != 0)
    return r->err->code;
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_entry *entry = &value->entry[i];
    struct mx_material_config *material = &config->material[i];
    if (mx_read_selector(r, entry, &material->where) != 0) return r->err->code;
    struct mx_scalar vacuum = {.value = 1, .line = entry->value.line, .where = entry->value.where};
    material->epsilon_r = material->mu_r = material->sigma = material->sigma_m = material->density = vacuum;
    material->sigma.value = material->sigma_m.value = 0;
    if (mx_read_table(r, &entry->value, "a table, as in { epsilon_r = 2 } ({} is vacuum)", rules, MX_COUNT(rules),
                      material) != 0 ||
        check_material(r, &entry->value, material) != 0)
      return r->err->code;
  }
  config->materials = value->count;
  config->materials_where = value->where;
  return 0;
}

const char *const mx_shell_kind_names[] = {"box", "sphere", "cylinder", NULL};

static int read_centre(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_layer_config *layer = to;
  layer->has_centre = true;
  return mx_read_triple(r, rule, value, layer->centre);
}

static int check_layer(struct mx_reader *r, const struct mx_value *value, const struct mx_layer_config *layer)
{
  const struct mx_value *centre = mx_find_value(value, "centre"), *axis = mx_find_value(value, "axis");
  if (layer->where.is_default)
    return mx_fail_at(r, value, "layers.default: a layer is a volume that was drawn for it; name its group");
  if (layer->kind == MX_SHELL_BOX && centre != NULL)
    return mx_fail_at(r, centre, "%s: a box has no use for a centre; spheres and cylinders have one", centre->path);
  if (layer->kind != MX_SHELL_CYLINDER && axis != NULL)
    return mx_fail_at(r, axis, "%s: only a cylinder has an axis", axis->path);
  return 0;
}

int mx_read_layers(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
#define LAYER(field) offsetof(struct mx_layer_config, field)
  static const char point[] = "three numbers (metres), as in { 0, 0, 0 }";
  static const struct mx_rule rules[] = {
      {"kind", mx_read_choice, LAYER(kind), .names = mx_shell_kind_names},
      {"centre", read_centre, 0, .expected = point},
      {"axis", mx_read_unit_vector, LAYER(axis), .expected = "a direction, as in { 0, 0, 1 }"},
      {"reflection", mx_read_real, LAYER(reflection), .expected = "a number from -200 to -20 (dB)", .least = -200,
       .most = -20},
      {"absorber", mx_read_boolean, LAYER(absorber), .expected = "true or false"},
  };
  struct mx_config *config = mx_config_of(r);
  (void)to;
  if (mx_expect_table(r, value, rule->expected) != 0) return r->err->code;
  if (mx_arena_alloc(&r->arena, &config->layer, value->count, sizeof *config->layer, r->err) != 0) return r->err->code;
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_entry *entry = &value->entry[i];
    struct mx_layer_config *layer = &config->layer[i];
    *layer = (struct mx_layer_config){.axis = {0, 0, 1}};
    if (mx_read_selector(r, entry, &layer->where) != 0 ||
        mx_read_table(r, &entry->value, "a table, as in { kind = \"box\" }", rules, MX_COUNT(rules), layer) != 0 ||
        check_layer(r, &entry->value, layer) != 0)
      return r->err->code;
  }
  config->layers = value->count;
  return 0;
}
