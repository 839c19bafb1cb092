/* Reads the output of the simulation table: snapshots, energy, and the lists of measures. config.c calls it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/io/formats.h"
#include "maxwell/model/config_read.h"
#include "maxwell/model/measures.h"

int mx_read_names(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, int *to)
{
  const struct mx_rule choice = {.names = rule->names};
  int bits = 0;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (value->count == 0) return mx_fail_at(r, value, "%s is empty; it must be %s", value->path, rule->expected);
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_value *item = &value->entry[i].value;
    int name;
    if (mx_read_choice(r, &choice, item, &name) != 0) return r->err->code;
    int bit = 1 << name; /* as in mx_quantity, and of formats */
    if (bits & bit) return mx_fail_at(r, item, "%s: \"%s\" is given twice", value->path, item->string);
    bits |= bit;
  }
  *to = bits;
  return 0;
}

static int read_quantities(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  return mx_read_names(r, rule, value, to);
}

/* One name, or a list of them. */
static int read_formats(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  int name;
  if (value->type != MX_STRING) return mx_read_names(r, rule, value, to);
  if (mx_read_choice(r, rule, value, &name) != 0) return r->err->code;
  *(int *)to = 1 << name;
  return 0;
}

static int read_fields(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
#define OUTPUT(field) offsetof(struct mx_config, output.field)
  static const char *const mesh_names[] = {"once", "each", NULL};
  static const char *const quantity_names[] = {"E", "H", "material", NULL};
#define NAME(word)   #word,
#define QUOTED(word) "\"" #word "\", "
  static const char *const format_names[] = {DG_FORMAT_LIST(NAME) NULL};
  static const struct mx_rule rules[] = {
      {"every", mx_read_long, OUTPUT(fields.every), .expected = "an integer >= 1", MX_FROM(1),
       .example = "every = 100"},
      {"quantities", read_quantities, OUTPUT(fields.quantities),
       .expected = "a list of \"E\", \"H\" and \"material\", as in { \"E\", \"H\" }", .names = quantity_names,
       .standard = "[\"E\", \"H\"]"},
      {"format", read_formats, OUTPUT(fields.formats),
       .expected =
           DG_FORMATS == 2 ? DG_FORMAT_LIST(QUOTED) "or a list of both" : DG_FORMAT_LIST(QUOTED) "or a list of them",
       .names = format_names, .standard = "\"silo\""},
      {"average", mx_read_boolean, .offset = OUTPUT(fields.average)},
      {"files", mx_read_int, OUTPUT(fields.files), .expected = "an integer >= 1", MX_FROM(1)},
      {"ahead", mx_read_int, OUTPUT(fields.ahead), .expected = "an integer from 0 to 1000", .least = 0, .most = 1000},
      {"precision", mx_read_choice, OUTPUT(fields.precision), .names = mx_precision_names},
      {"mesh", mx_read_choice, OUTPUT(fields.mesh_each), .names = mesh_names},
  };
  (void)to;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), mx_config_of(r));
}

static int read_energy(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"every", mx_read_long, OUTPUT(energy_every), .expected = "an integer >= 1", MX_FROM(1), .example = "every = 10"},
  };
  (void)to;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), mx_config_of(r));
}

static int read_balance(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"every", mx_read_long, OUTPUT(balance.every), .expected = "an integer >= 1", MX_FROM(1),
       .example = "every = 10"},
      {"tolerance", mx_read_real, OUTPUT(balance.tolerance), .expected = "a number > 0 and at most 1", .least = 0,
       .most = 1, .open = 1},
  };
  (void)to;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), mx_config_of(r));
}

static int read_progress(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"every", mx_read_real, OUTPUT(progress_every), .expected = "a number >= 0 (seconds; 0 is silent)", MX_FROM(0),
       .example = "every = 2"},
  };
  (void)to;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), mx_config_of(r));
}

/* ---- frequencies ---- */

static const char frequency_expected[] =
    "a list of numbers >= 0 (Hz), as in { 1e9, 2e9 }, or { from = 1e9, to = 2e9, points = 101 }";

static int read_band(struct mx_reader *r, const struct mx_value *value, struct mx_frequencies *frequencies)
{
  struct {
    double from, to;
    long points;
  } band = {0};
  static const struct mx_rule rules[] = {
      {"from", mx_read_real, 0, .expected = "a number >= 0 (Hz)", MX_FROM(0), .example = "from = 1e9"},
      {"to", mx_read_real, sizeof(double), .expected = "a number > 0 (Hz)", MX_ABOVE(0), .example = "to = 2e9"},
      {"points", mx_read_long, 2 * sizeof(double), .expected = "an integer from 2 to 100000", .least = 2, .most = 1e5,
       .example = "points = 101"},
  };
  if (mx_read_table(r, value, frequency_expected, rules, MX_COUNT(rules), &band) != 0) return r->err->code;
  if (band.from >= band.to)
    return mx_fail_at(r, value, "%s: 'from' = %g Hz is not below 'to' = %g Hz", value->path, band.from, band.to);
  size_t count = (size_t)band.points;
  if (mx_arena_alloc(&r->arena, &frequencies->hertz, count, sizeof(double), r->err) != 0) return r->err->code;
  for (size_t i = 0; i < count; i++) {
    double along = (double)i / (double)(count - 1);
    frequencies->hertz[i] = (1 - along) * band.from + along * band.to;
  }
  frequencies->count = count;
  return 0;
}

int mx_read_frequencies(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule number = {.expected = "a number >= 0 (Hz)", MX_FROM(0)};
  struct mx_frequencies *frequencies = to;
  (void)rule;
  if (value->type == MX_TABLE && value->count > 0 && value->entry[value->count - 1].key.name != NULL)
    return read_band(r, value, frequencies);
  if (mx_expect_list(r, value, frequency_expected) != 0) return r->err->code;
  if (value->count == 0) return mx_fail_at(r, value, "%s is empty; it must be %s", value->path, frequency_expected);
  if (mx_arena_alloc(&r->arena, &frequencies->hertz, value->count, sizeof(double), r->err) != 0) return r->err->code;
  for (size_t i = 0; i < value->count; i++)
    if (mx_read_real(r, &number, &value->entry[i].value, &frequencies->hertz[i]) != 0) return r->err->code;
  frequencies->count = value->count;
  return 0;
}

/* ---- measures ---- */

static int check_names(struct mx_reader *r, const struct mx_value *item, const struct mx_measure_config *measure,
                       size_t i)
{
  const char *key = measure->kind->key;
  for (size_t j = 0; j < i; j++) {
    const struct mx_measure_config *other = measure - (i - j);
    if (strcmp(other->name, measure->name) == 0)
      return mx_fail_at(r, item, "output.%s: two %s have the name '%s' (%zu and %zu)", key, key, measure->name, j + 1,
                        i + 1);
    for (int swap = 0; swap < 2; swap++) {
      const struct mx_measure_config *a = swap ? measure : other, *b = swap ? other : measure;
      size_t length = strlen(a->name);
      if (a->frequencies.count > 0 && strncmp(b->name, a->name, length) == 0 &&
          strcmp(b->name + length, "_spectrum") == 0)
        return mx_fail_at(r, item, "output.%s: the name '%s' is that of the spectrum of '%s'; choose another one", key,
                          b->name, a->name);
    }
  }
  return 0;
}

struct named {
  const char *name;
  size_t index;
};

static int by_name(const void *a, const void *b)
{
  const struct named *const one = a, *const other = b;
  const int order = strcmp(one->name, other->name);
  return order != 0 ? order : (one->index > other->index) - (one->index < other->index);
}

/* The place of the first of a name in a sorted list, or where it would be. */
static size_t place_of(const struct named *named, size_t count, const char *name)
{
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (strcmp(named[middle].name, name) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Checks the names of a list, which may be long: finds the first item whose name is taken, and lets check_names say it.
 */
static int check_all_names(struct mx_reader *r, const struct mx_value *list, const struct mx_measure_config *measure)
{
  const size_t count = list->count;
  struct named *named;
  size_t wrong = count;
  if (count == 0) return 0;
  if (mx_arena_alloc(&r->arena, &named, count, sizeof *named, r->err) != 0) return r->err->code;
  for (size_t i = 0; i < count; i++) named[i] = (struct named){measure[i].name, i};
  qsort(named, count, sizeof *named, by_name);
  for (size_t k = 1; k < count; k++)
    if (strcmp(named[k - 1].name, named[k].name) == 0 && named[k].index < wrong) wrong = named[k].index;
  for (size_t i = 0; i < count; i++) {
    char spectrum[256]; /* names are file names, of at most 200 bytes */
    if (measure[i].frequencies.count == 0) continue;
    snprintf(spectrum, sizeof spectrum, "%s_spectrum", measure[i].name);
    const size_t k = place_of(named, count, spectrum);
    if (k == count || strcmp(named[k].name, spectrum) != 0) continue;
    const size_t later = named[k].index > i ? named[k].index : i;
    if (later < wrong) wrong = later;
  }
  return wrong < count ? check_names(r, &list->entry[wrong].value, &measure[wrong], wrong) : 0;
}

/* Adds the list to config->output.measure, which holds the kinds before it. */
static int read_measures(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_config *config = mx_config_of(r);
  const struct mx_measure_reader *kind = *config->output.kinds;
  for (size_t k = 0; strcmp(rule->name, kind->key) != 0; k++) kind = config->output.kinds[k];
  (void)to;
  struct mx_measure_config *all;
  size_t before = config->output.measures;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (mx_arena_alloc(&r->arena, &all, before + value->count, sizeof *all, r->err) != 0) return r->err->code;
  if (before > 0) memcpy(all, config->output.measure, before * sizeof *all);
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_value *item = &value->entry[i].value;
    struct mx_measure_draft draft = {.measure = {.kind = kind,
                                                 .every = 1,
                                                 .line = item->line,
                                                 .where = item->where,
                                                 .samples = {40, 30},
                                                 .silo = kind->silo},
                                     .samples = 50};
    if (mx_read_table(r, item, kind->item, kind->rule, kind->rules, &draft) != 0) return r->err->code;
    if (kind->finish != NULL && kind->finish(r, item, &draft) != 0) return r->err->code;
    all[before + i] = draft.measure;
  }
  if (check_all_names(r, value, all + before) != 0) return r->err->code;
  config->output.measure = all;
  config->output.measures = before + value->count;
  return 0;
}

/* ---- ports ---- */

static int read_port_output(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"every", mx_read_long, OUTPUT(ports_every), .expected = "an integer >= 1", MX_FROM(1), .example = "every = 10"},
  };
  (void)to;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), mx_config_of(r));
}

static int read_s_parameters(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  mx_config_of(r)->output.s_parameters_where = value->where;
  return mx_read_frequencies(r, rule, value, to);
}

int mx_read_output(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  enum { MOST = 32 };
  static const struct mx_rule rules[] = {
      {"fields", read_fields, 0, .expected = "a table, as in fields = { every = 100 }"},
      {"energy", read_energy, 0, .expected = "a table, as in energy = { every = 10 }"},
      {"balance", read_balance, 0, .expected = "a table, as in balance = { every = 10 }"},
      {"progress", read_progress, 0, .expected = "a table, as in progress = { every = 2 }"},
      {"resonances", mx_read_resonances, 0,
       .expected = "a list, as in resonances = { { name = \"modes\", probe = \"centre\", from = 1e9, to = 2e9 } }"},
      {"ports", read_port_output, 0, .expected = "a table, as in ports = { every = 10 }", .standard = "{\"every\": 1}"},
      {"s_parameters", read_s_parameters, OUTPUT(s_parameters), .expected = NULL},
      {"far_field", mx_read_far_fields, 0, .expected = mx_far_expected},
      {"spectra", mx_read_phasors, 0, .expected = mx_phasors_expected},
  };
  /* The lists of measures stand behind `fields`: in this order they are read. */
  const struct mx_config *config = mx_config_of(r);
  struct mx_rule all[MOST] = {rules[0]};
  size_t count = 1;
  for (size_t k = 0; config->output.kinds[k] != NULL; k++) {
    DG_ASSERT(count + MX_COUNT(rules) <= MOST);
    all[count++] = (struct mx_rule){
        .name = config->output.kinds[k]->key, .read = read_measures, .expected = config->output.kinds[k]->list};
  }
  memcpy(all + count, rules + 1, sizeof rules - sizeof *rules);
  (void)to;
  return mx_read_table(r, value, rule->expected, all, count + MX_COUNT(rules) - 1, mx_config_of(r));
}
