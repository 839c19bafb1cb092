/* Reads output.resonances. config_output.c calls it; what needs the measures and the step is checked later
 * (maxwell/resonance/resonances.c). */
#include <string.h>

#include "maxwell/model/config_read.h"
#include "maxwell/model/measures.h"

/* One string, or a list of strings that differ. */
static int read_names(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_names *names = to;
  const bool single = value->type == MX_STRING;
  if (!single && mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (!single && value->count == 0)
    return mx_fail_at(r, value, "%s is empty; it must be %s", value->path, rule->expected);
  names->count = single ? 1 : value->count;
  if (mx_arena_alloc(&r->arena, &names->name, names->count, sizeof *names->name, r->err) != 0) return r->err->code;
  for (size_t i = 0; i < names->count; i++) {
    const struct mx_value *item = single ? value : &value->entry[i].value;
    if (mx_read_string(r, rule, item, &names->name[i]) != 0) return r->err->code;
    for (size_t j = 0; j < i; j++)
      if (strcmp(names->name[i], names->name[j]) == 0)
        return mx_fail_at(r, item, "%s: \"%s\" is given twice", value->path, item->string);
  }
  return 0;
}

#define RESONANCE(field) offsetof(struct mx_resonance_config, field)
static const struct mx_rule rules[] = {
    {"name", mx_measure_read_name, RESONANCE(name),
     .expected = "a name (letters, digits, '_', '-' and '.'; not starting with '.'; at most 200 characters)",
     .example = "name = \"modes\""},
    {"probe", read_names, RESONANCE(probe),
     .expected = "the name of a probe, voltage or current, or a list of such names", .example = "probe = \"centre\""},
    {"component", read_names, RESONANCE(component),
     .expected = "\"Ex\", \"Ey\", \"Ez\", \"Hx\", \"Hy\", \"Hz\", or a list of these"},
    {"from", mx_read_real, RESONANCE(from), .expected = "a number > 0 (Hz)", MX_ABOVE(0), .example = "from = 1e9"},
    {"to", mx_read_real, RESONANCE(to), .expected = "a number > 0 (Hz)", MX_ABOVE(0), .example = "to = 2e9"},
    {"after", mx_read_real, RESONANCE(after), .expected = "a number >= 0 (seconds)", MX_FROM(0)},
    {"error", mx_read_real, RESONANCE(error), .expected = "a number in (0, 0.1]", .least = 0, .most = 0.1, .open = 1},
};

int mx_read_resonances(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_config *config = mx_config_of(r);
  struct mx_resonance_config *all;
  (void)to;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (mx_arena_alloc(&r->arena, &all, value->count, sizeof *all, r->err) != 0) return r->err->code;
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_value *item = &value->entry[i].value;
    struct mx_resonance_config *one = &all[i];
    *one = (struct mx_resonance_config){.after = -1, .error = 1e-3, .where = item->where};
    if (mx_read_table(r, item, "a table, as in { name = \"modes\", probe = \"centre\", from = 1e9, to = 2e9 }", rules,
                      MX_COUNT(rules), one) != 0)
      return r->err->code;
    if (one->from >= one->to)
      return mx_fail_at(r, item, "%s: 'from' = %g Hz is not below 'to' = %g Hz", item->path, one->from, one->to);
    for (size_t j = 0; j < i; j++)
      if (strcmp(all[j].name, one->name) == 0)
        return mx_fail_at(r, item, "output.resonances: two have the name '%s' (%zu and %zu)", one->name, j + 1, i + 1);
  }
  config->output.resonance = all;
  config->output.resonances = value->count;
  return 0;
}
