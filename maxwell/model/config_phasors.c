/* Reads output.spectra: phasors in regions, on planes and everywhere. config_output.c calls it. */
#include <string.h>

#include "maxwell/model/config_read.h"
#include "maxwell/model/measures.h"

const char mx_phasors_expected[] =
    "a list, as in spectra = { { name = \"slot\", region = \"substrate\", frequencies = { 1e9 } } }";

static int read_quantities(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  return mx_read_names(r, rule, value, to);
}

static int read_plane(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const char *const formats[] = {"csv", "silo", NULL};
  struct draft {
    struct mx_measure_draft plane;
    int format;
  } draft = {.plane.measure = {.line = value->line, .where = value->where, .samples = {40, 30}}};
  static const struct mx_rule rules[] = {
      MX_PLANE_RULES,
      {"format", mx_read_choice, offsetof(struct draft, format), .names = formats},
  };
  if (mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), &draft) != 0 ||
      mx_measure_set_plane(r, value, &draft.plane) != 0)
    return r->err->code;
  draft.plane.measure.silo = draft.format == 1;
  *(struct mx_measure_config *)to = draft.plane.measure;
  return 0;
}

/* A density of losses belongs to a volume, and needs E. */
static int check_losses(struct mx_reader *r, const struct mx_value *item, const struct mx_phasor_config *phasor)
{
  if (phasor->grid > 0 && !phasor->sar) return mx_fail_at(r, item, "%s: sar_grid is that of sar = true", item->path);
  if (!phasor->losses && !phasor->sar) return 0;
  if (phasor->plane.points > 0)
    return mx_fail_at(r, item, "%s: losses are those of a volume, not of a plane", item->path);
  if ((phasor->quantities & MX_QUANTITY_E) == 0)
    return mx_fail_at(r, item, "%s: losses need E among the fields", item->path);
  return 0;
}

/* Would a table of this name be that of the losses of `of`, or of its SAR? */
static bool is_table_of(const char *name, const struct mx_phasor_config *of)
{
  const char *end = name + strlen(of->name);
  if (strncmp(name, of->name, strlen(of->name)) != 0) return false;
  return (of->losses && strcmp(end, "_losses") == 0) || (of->sar && strcmp(end, "_sar") == 0);
}

static int read_phasor(struct mx_reader *r, const struct mx_value *item, struct mx_phasor_config *phasor)
{
#define PHASOR(field) offsetof(struct mx_phasor_config, field)
  static const char *const quantities[] = {"E", "H", NULL}, *const norms[] = {"none", "source", "power", NULL};
  static const struct mx_rule rules[] = {
      {"name", mx_measure_read_name, PHASOR(name),
       .expected =
           "a name for a file (letters, digits, '_', '-' and '.'; not starting with '.'; at most 200 characters)",
       .example = "name = \"slot\""},
      {"region", mx_read_region, PHASOR(on), .expected = "the name of a volume group, or the tag of a volume"},
      {"plane", read_plane, PHASOR(plane),
       .expected = "a table, as in { origin = { 0, 0, 0.5 }, u = { 1, 0, 0 }, v = { 0, 1, 0 } }"},
      {"frequencies", mx_read_frequencies, PHASOR(frequencies), .expected = NULL, .example = "frequencies = { 1e9 }"},
      {"fields", read_quantities, PHASOR(quantities), .expected = "a list of \"E\" and \"H\", as in { \"E\", \"H\" }",
       .names = quantities, .standard = "[\"E\", \"H\"]"},
      {"normalise", mx_read_choice, PHASOR(norm), .names = norms},
      {"every", mx_read_long, PHASOR(every), .expected = "an integer >= 1", MX_FROM(1)},
      {"losses", mx_read_boolean, PHASOR(losses), .expected = "true or false"},
      {"sar", mx_read_boolean, PHASOR(sar), .expected = "true or false"},
      {"sar_grid", mx_read_real, PHASOR(grid), .expected = "a number > 0 (m)", MX_ABOVE(0), .standard = "null"},
  };
#undef PHASOR
  *phasor = (struct mx_phasor_config){.where = item->where, .quantities = MX_QUANTITY_E | MX_QUANTITY_H};
  if (mx_read_table(r, item, "a table, as in { name = \"slot\", region = \"substrate\", frequencies = { 1e9 } }", rules,
                    MX_COUNT(rules), phasor) != 0)
    return r->err->code;
  phasor->by_region = mx_find_value(item, "region") != NULL;
  if (phasor->by_region && phasor->plane.points > 0)
    return mx_fail_at(r, item, "%s must have either 'region' or 'plane', not both", item->path);
  phasor->plane.name = phasor->name;
  return check_losses(r, item, phasor);
}

int mx_read_phasors(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_config *config = mx_config_of(r);
  struct mx_phasor_config *all;
  (void)to;
  if (mx_expect_list(r, value, rule->expected) != 0 ||
      mx_arena_alloc(&r->arena, &all, value->count, sizeof *all, r->err) != 0)
    return r->err->code;
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_value *item = &value->entry[i].value;
    if (read_phasor(r, item, &all[i]) != 0) return r->err->code;
    for (size_t j = 0; j < i; j++)
      if (strcmp(all[j].name, all[i].name) == 0)
        return mx_fail_at(r, item, "output.spectra: two have the name '%s' (%zu and %zu)", all[i].name, j + 1, i + 1);
  }
  for (size_t i = 0; i < value->count; i++)
    for (size_t j = 0; j < value->count; j++)
      if (is_table_of(all[j].name, &all[i]))
        return mx_fail_at(r, &value->entry[j].value,
                          "output.spectra: the losses or SAR of '%s' and '%s' would be in files of the same name",
                          all[i].name, all[j].name);
  config->output.spectrum = all;
  config->output.spectra = value->count;
  return 0;
}
