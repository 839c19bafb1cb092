/* The sections of the simulation table that hold lists: materials and output. */
#include <limits.h>
#include <string.h>

#include "maxwell/config_read.h"

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

static int read_scalar(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_scalar *scalar = to;
  scalar->line = value->line;
  scalar->where = value->where;
  if (value->type == MX_FUNCTION) return mx_read_function(r, rule, value, &scalar->function);
  return mx_read_real(r, rule, value, &scalar->value);
}

int mx_read_materials(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
#define MATERIAL(field) offsetof(struct mx_material_config, field)
  static const char positive[] = "a number > 0 or a function of x, y, z";
  static const struct mx_rule rules[] = {
      {"epsilon_r", read_scalar, MATERIAL(epsilon_r), .expected = positive, MX_ABOVE(0)},
      {"mu_r", read_scalar, MATERIAL(mu_r), .expected = positive, MX_ABOVE(0)},
      {"sigma", read_scalar, MATERIAL(sigma), .expected = "a number >= 0 (S/m) or a function of x, y, z", MX_FROM(0)},
  };
  struct mx_config *config = r->config;
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
    struct mx_scalar vacuum = {.value = 1, .function = -1, .line = entry->value.line, .where = entry->value.where};
    material->epsilon_r = material->mu_r = material->sigma = vacuum;
    material->sigma.value = 0;
    if (mx_read_table(r, &entry->value, "a table, as in { epsilon_r = 2 } ({} is vacuum)", rules, MX_COUNT(rules),
                      material) != 0)
      return r->err->code;
  }
  config->materials = value->count;
  config->materials_where = value->where;
  return 0;
}

static int read_quantities(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const char *const names[] = {"E", "H", "material", NULL};
  static const struct mx_rule choice = {.names = names};
  int bits = 0;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (value->count == 0) return mx_fail_at(r, value, "%s is empty; it must be %s", value->path, rule->expected);
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_value *item = &value->entry[i].value;
    int name;
    if (mx_read_choice(r, &choice, item, &name) != 0) return r->err->code;
    int bit = 1 << name; /* as in mx_quantity */
    if (bits & bit) return mx_fail_at(r, item, "%s: \"%s\" is given twice", value->path, item->string);
    bits |= bit;
  }
  *(int *)to = bits;
  return 0;
}

static int read_fields(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
#define OUTPUT(field) offsetof(struct mx_config, output.field)
  static const struct mx_rule rules[] = {
      {"every", mx_read_long, OUTPUT(fields.every), .expected = "an integer >= 1", MX_FROM(1),
       .example = "every = 100"},
      {"quantities", read_quantities, OUTPUT(fields.quantities),
       .expected = "a list of \"E\", \"H\" and \"material\", as in { \"E\", \"H\" }"},
      {"average", mx_read_boolean, .offset = OUTPUT(fields.average)},
  };
  (void)to;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), r->config);
}

static int read_energy(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"every", mx_read_long, OUTPUT(energy_every), .expected = "an integer >= 1", MX_FROM(1), .example = "every = 10"},
  };
  (void)to;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), r->config);
}

static int read_progress(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"every", mx_read_real, OUTPUT(progress_every), .expected = "a number >= 0 (seconds; 0 is silent)", MX_FROM(0),
       .example = "every = 2"},
  };
  (void)to;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), r->config);
}

static int read_probe_name(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (mx_read_string(r, rule, value, to) != 0) return r->err->code;
  size_t length = strlen(value->string);
  if (value->string[0] == '.' || length > 200 || strspn(value->string, safe) != length)
    return mx_fail_expected(r, value, rule->expected);
  return 0;
}

static int read_probes(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
#define PROBE(field) offsetof(struct mx_probe_config, field)
  static const struct mx_rule rules[] = {
      {"name", read_probe_name, PROBE(name),
       .expected =
           "a name for a file (letters, digits, '_', '-' and '.'; not starting with '.'; at most 200 characters)",
       .example = "name = \"centre\""},
      {"at", mx_read_triple, PROBE(at), .expected = "three numbers (metres), as in { 0.4, 0.5, 0.3 }",
       .example = "at = { 0.4, 0.5, 0.3 }"},
      {"every", mx_read_long, PROBE(every), .expected = "an integer >= 1", MX_FROM(1)},
  };
  struct mx_config *config = r->config;
  (void)to;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (mx_arena_alloc(&r->arena, &config->output.probe, value->count, sizeof *config->output.probe, r->err) != 0)
    return r->err->code;
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_value *item = &value->entry[i].value;
    struct mx_probe_config *probe = &config->output.probe[i];
    *probe = (struct mx_probe_config){.every = 1, .line = item->line, .where = item->where};
    if (mx_read_table(r, item, "a table, as in { name = \"centre\", at = { 0.4, 0.5, 0.3 } }", rules, MX_COUNT(rules),
                      probe) != 0)
      return r->err->code;
    probe->where = mx_find_value(item, "at")->where; /* what is wrong with a good probe is its place */
    for (size_t j = 0; j < i; j++)
      if (strcmp(config->output.probe[j].name, probe->name) == 0)
        return mx_fail_at(r, item, "output.probes: two probes have the name '%s' (%zu and %zu)", probe->name, j + 1,
                          i + 1);
  }
  config->output.probes = value->count;
  return 0;
}

int mx_read_output(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"fields", read_fields, 0, .expected = "a table, as in fields = { every = 100 }"},
      {"probes", read_probes, 0,
       .expected = "a list, as in probes = { { name = \"centre\", at = { 0.4, 0.5, 0.3 } } }"},
      {"energy", read_energy, 0, .expected = "a table, as in energy = { every = 10 }"},
      {"progress", read_progress, 0, .expected = "a table, as in progress = { every = 2 }"},
  };
  (void)to;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), r->config);
}
