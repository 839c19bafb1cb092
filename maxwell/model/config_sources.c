/* Reads the sources of the fields: boundaries, interfaces and sources of the simulation table. config.c calls it. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/mesh/mesh.h"
#include "maxwell/model/config_read.h"

#define KIND(kind)   (1u << (kind))
#define EVERY_KIND   ~0u
#define RULES_MAX    48
#define TEXT_MAX     256
#define EXAMPLE_WAVE "waveform = waveform.gaussian { f0 = 1e9, bandwidth = 1e9 }"

static int accept_value(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  (void)r;
  (void)rule;
  (void)value;
  (void)to;
  return 0;
}

/* Reads `kind`; every key of the table must be known, at least to another kind. */
static int read_kind(struct mx_reader *r, const struct mx_value *value, const char *expected,
                     const struct mx_kind_rule *rules, size_t count, void *base)
{
  struct mx_rule known[RULES_MAX] = {rules[0].rule};
  size_t n = 1;
  DG_ASSERT(count <= RULES_MAX && rules[0].rule.name != NULL);
  for (size_t i = 1; i < count; i++) {
    size_t k = 0;
    while (k < i && strcmp(rules[k].rule.name, rules[i].rule.name) != 0) k++;
    if (k < i) continue; /* another kind's key of the same name */
    known[n++] = (struct mx_rule){.name = rules[i].rule.name, .read = accept_value};
  }
  return mx_read_table(r, value, expected, known, n, base);
}

/* `"plane_wave" or "electric_field"`: the kinds that take the key. */
static void list_kinds(const struct mx_kind_rule *rules, size_t count, const char *key, const char *const *names,
                       char *text, size_t size)
{
  unsigned kinds = 0, left = 0;
  size_t used = 0;
  for (size_t i = 0; i < count; i++)
    if (strcmp(rules[i].rule.name, key) == 0) kinds |= rules[i].kinds;
  for (int k = 0; names[k] != NULL; k++) left += (kinds & KIND(k)) != 0;
  text[0] = '\0';
  for (int k = 0; names[k] != NULL && used < size; k++) {
    if ((kinds & KIND(k)) == 0) continue;
    left--;
    const char *after = left == 0 ? "" : left == 1 ? " or " : ", ";
    used += (size_t)snprintf(text + used, size - used, "\"%s\"%s", names[k], after);
  }
}

/* Tells the keys of each kind. */
static int tell_kinds(struct mx_reader *r, const struct mx_value *value, const struct mx_kind_rule *rules, size_t count,
                      void *base)
{
  const char *const *names = rules[0].rule.names;
  for (int kind = 0; names[kind] != NULL; kind++) {
    struct mx_rule own[RULES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
      if (rules[i].kinds & KIND(kind)) own[n++] = rules[i].rule;
    r->kind = names[kind];
    if (mx_tell_rules(r, value, own, n, base) != DG_INPUT) return r->err->code;
  }
  return r->err->code;
}

/* A table with `kind` and the keys of that kind, no others, into the struct at base. */
static int read_by_kind(struct mx_reader *r, const struct mx_value *value, const char *expected,
                        const struct mx_kind_rule *rules, size_t count, void *base)
{
  const char *const *names = rules[0].rule.names;
  struct mx_rule own[RULES_MAX];
  size_t n = 0;
  DG_ASSERT(count <= RULES_MAX);
  if (r->listener != NULL) return tell_kinds(r, value, rules, count, base);
  if (read_kind(r, value, expected, rules, count, base) != 0) return r->err->code;
  int kind;
  memcpy(&kind, (const char *)base + rules[0].rule.offset, sizeof kind);
  for (size_t i = 0; i < count; i++)
    if (rules[i].kinds & KIND(kind)) own[n++] = rules[i].rule;
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_entry *entry = &value->entry[i];
    size_t k = 0;
    while (k < n && strcmp(own[k].name, entry->key.name) != 0) k++;
    if (k < n) continue;
    char kinds[TEXT_MAX];
    list_kinds(rules, count, entry->key.name, names, kinds, sizeof kinds);
    return mx_fail_at(r, &entry->value, "%s is only for kind %s, not for kind \"%s\"", entry->value.path, kinds,
                      names[kind]);
  }
  for (size_t i = 0; i < n; i++)
    if (own[i].example != NULL && mx_find_value(value, own[i].name) == NULL)
      return mx_fail_at(r, value, "'%s' is missing in %s of kind \"%s\" (for example: %s)", own[i].name, value->path,
                        names[kind], own[i].example);
  return mx_read_table(r, value, expected, own, n, base);
}

/* ---- values */

static int read_profile(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_drive *drive = to;
  if (value->type == MX_FUNCTION) return mx_read_function(r, rule, value, &drive->profile);
  return mx_read_triple(r, rule, value, drive->constant);
}

int mx_read_unit_vector(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  double *v = to;
  if (mx_read_triple(r, rule, value, v) != 0) return r->err->code;
  double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
  if (largest == 0) return mx_fail_at(r, value, "%s must be %s, not zero", value->path, rule->expected);
  for (int i = 0; i < 3; i++) v[i] /= largest;
  double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int i = 0; i < 3; i++) v[i] /= length;
  return 0;
}

/* A region: the name of a volume group or the tag of a volume. */
static int read_region(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_selector *region = to;
  *region = (struct mx_selector){.line = value->line, .where = value->where};
  if (value->type == MX_NUMBER && value->is_integer && value->number >= 1 && value->number <= INT_MAX) {
    region->tag = (int)value->number;
    return 0;
  }
  if (value->type != MX_STRING || strcmp(value->string, "default") == 0)
    return mx_fail_expected(r, value, rule->expected);
  return mx_read_string(r, rule, value, (void *)&region->group);
}

/* ---- drives and plane waves */

static const char three_numbers[] = "three numbers, as in { 0, 0, 1 }";
static const char waveform_expected[] =
    "a waveform, as in waveform.gaussian { f0 = 1e9, bandwidth = 1e9 }, or a function of t";
static const char delay_expected[] = "a number >= 0 (seconds)";
static const char region_expected[] = "the name of a volume group, or the tag of a volume";

/* The keys of a drive that is the member `drive` of `type`; `general` is its function of x, y, z and t. */
#define DRIVE_AT(type, field) offsetof(struct type, drive) + offsetof(struct mx_drive, field)
#define DRIVE_RULES(type, general_key, kinds_of)                                                                       \
  {kinds_of,                                                                                                           \
   {general_key, mx_read_function, DRIVE_AT(type, general),                                                            \
    .expected = "a function of x, y, z, t that returns three numbers"}},                                               \
      {kinds_of,                                                                                                       \
       {"profile", read_profile, offsetof(struct type, drive),                                                         \
        .expected = "three numbers, as in { 0, 0, 1 }, or a function of x, y, z that returns three"}},                 \
      {kinds_of, {"waveform", mx_read_waveform, DRIVE_AT(type, waveform), .expected = waveform_expected}},             \
  {                                                                                                                    \
    kinds_of, { "delay", mx_read_real, DRIVE_AT(type, delay), .expected = delay_expected, MX_FROM(0) }                 \
  }

#define WAVE_AT(type, field) offsetof(struct type, wave) + offsetof(struct mx_plane_wave, field)
#define WAVE_RULES(type, kinds_of)                                                                                     \
  {kinds_of,                                                                                                           \
   {"direction", mx_read_unit_vector, WAVE_AT(type, direction), .expected = three_numbers,                             \
    .example = "direction = { 0, 0, 1 }"}},                                                                            \
      {kinds_of,                                                                                                       \
       {"polarisation", mx_read_unit_vector, WAVE_AT(type, polarisation), .expected = three_numbers,                   \
        .example = "polarisation = { 1, 0, 0 }"}},                                                                     \
      {kinds_of, {"amplitude", mx_read_real, WAVE_AT(type, amplitude), .expected = "a number (V/m)"}},                 \
      {kinds_of,                                                                                                       \
       {"origin", mx_read_triple, WAVE_AT(type, origin), .expected = "three numbers (metres), as in { 0, 0, -1 }"}},   \
      {kinds_of,                                                                                                       \
       {"waveform", mx_read_waveform, WAVE_AT(type, waveform), .expected = waveform_expected,                          \
        .example = EXAMPLE_WAVE}},                                                                                     \
  {                                                                                                                    \
    kinds_of, { "delay", mx_read_real, WAVE_AT(type, delay), .expected = delay_expected, MX_FROM(0) }                  \
  }

static const struct mx_drive no_drive = {.waveform = {.kind = MX_FUNCTION_WAVEFORM, .amplitude = 1}};
static const struct mx_plane_wave no_wave = {.amplitude = 1,
                                             .waveform = {.kind = MX_FUNCTION_WAVEFORM, .amplitude = 1}};

/* Exactly one of the general function, and profile with waveform. */
static int check_drive(struct mx_reader *r, const struct mx_value *value, const char *general_key)
{
  const struct mx_value *general = mx_find_value(value, general_key), *profile = mx_find_value(value, "profile");
  const struct mx_value *waveform = mx_find_value(value, "waveform"), *delay = mx_find_value(value, "delay");
  if (general != NULL) {
    const struct mx_value *other = profile != NULL ? profile : waveform != NULL ? waveform : delay;
    if (other == NULL) return 0;
    return mx_fail_at(r, other, "%s takes '%s', or 'profile' with 'waveform' and 'delay', not both", value->path,
                      general_key);
  }
  if (profile == NULL && waveform == NULL)
    return mx_fail_at(
        r, value, "%s needs '%s', or 'profile' with 'waveform' (for example: profile = { 0, 0, 1 }, " EXAMPLE_WAVE ")",
        value->path, general_key);
  if (profile == NULL)
    return mx_fail_at(r, value,
                      "'profile' is missing in %s, which has a 'waveform' (for example: profile = { 0, 0, 1 })",
                      value->path);
  if (waveform == NULL)
    return mx_fail_at(r, value, "'waveform' is missing in %s, which has a 'profile' (for example: " EXAMPLE_WAVE ")",
                      value->path);
  return 0;
}

static int check_wave(struct mx_reader *r, const struct mx_value *value, struct mx_plane_wave *wave)
{
  double *d = wave->direction, *p = wave->polarisation;
  wave->has_origin = mx_find_value(value, "origin") != NULL;
  double dot = d[0] * p[0] + d[1] * p[1] + d[2] * p[2];
  if (fabs(dot) > 1e-6)
    return mx_fail_at(r, mx_find_value(value, "polarisation"),
                      "%s: polarisation must be orthogonal to direction; the dot product of their unit vectors is %.6g",
                      value->path, dot);
  /* The part along the direction that is left is the script's rounding. */
  for (int i = 0; i < 3; i++) p[i] -= dot * d[i];
  double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  for (int i = 0; i < 3; i++) p[i] /= length;
  return 0;
}

/* ---- sections */

static int read_boundary(struct mx_reader *r, const struct mx_value *value, struct mx_boundary_config *boundary)
{
#define BOUNDARY(field) offsetof(struct mx_boundary_config, field)
/* Keys follow from what stands behind a wall and what comes in through it (walls.h). */
#define IF_GIVEN(kind, name, behind, entering) | ((behind) == MX_BEHIND_GIVEN ? KIND(kind) : 0u)
#define IF_WAVE(kind, name, behind, entering)  | ((entering) == MX_WAVE ? KIND(kind) : 0u)
#define IF_FIELD(kind, name, behind, entering)                                                                         \
  | ((entering) == MX_GIVEN_E || (entering) == MX_GIVEN_H ? KIND(kind) : 0u)
#define IF_SHEET(kind, name, behind, entering) | ((entering) == MX_SHEET_CURRENT ? KIND(kind) : 0u)
  static const struct mx_kind_rule rules[] = {
      {EVERY_KIND,
       {"kind", mx_read_choice, BOUNDARY(kind), .names = mx_boundary_kind_names, .example = "kind = \"pec\""}},
      {0u MX_WALLS(IF_GIVEN),
       {"impedance", mx_read_real, BOUNDARY(impedance), .expected = "a number > 0 (ohm)", MX_ABOVE(0),
        .example = "impedance = 377"}},
      {KIND(MX_METAL_WALL), {"metal", mx_read_choice, BOUNDARY(metal.name), .names = mx_metal_names}},
      {KIND(MX_METAL_WALL),
       {"conductivity", mx_read_real, BOUNDARY(metal.sigma), .expected = "a number > 0 (S/m)", MX_ABOVE(0)}},
      {KIND(MX_METAL_WALL),
       {"roughness", mx_read_real, BOUNDARY(metal.roughness), .expected = "a number >= 0 (metres rms)", MX_FROM(0)}},
      {KIND(MX_METAL_WALL), {"mu_r", mx_read_real, BOUNDARY(metal.mu_r), .expected = "a number > 0", MX_ABOVE(0)}},
      {KIND(MX_METAL_WALL),
       {"band", mx_read_band, BOUNDARY(metal.band),
        .expected = "two numbers > 0 in ascending order (Hz), as in { 1e9, 1e10 }"}},
      {KIND(MX_OPEN_WALL),
       {"reflection", mx_read_real, BOUNDARY(open.reflection), .expected = "a number of dB from -200 to -20",
        .least = -200, .most = -20}},
      {KIND(MX_OPEN_WALL),
       {"thickness", mx_read_real, BOUNDARY(open.thickness), .expected = "a number > 0 (metres)", MX_ABOVE(0)}},
      {KIND(MX_OPEN_WALL),
       {"elements", mx_read_int, BOUNDARY(open.sheets), .expected = "an integer from 1 to 50", .least = 1, .most = 50}},
      {KIND(MX_OPEN_WALL), {"absorber", mx_read_boolean, BOUNDARY(open.absorber), .expected = "true or false"}},
      {KIND(MX_PERIODIC),
       {"with", read_region, BOUNDARY(with), .expected = "the name of the surface group on the opposite side, or a tag",
        .example = "with = \"right\""}},
      WAVE_RULES(mx_boundary_config, (0u MX_WALLS(IF_WAVE))),
      DRIVE_RULES(mx_boundary_config, "field", (0u MX_WALLS(IF_FIELD))),
      DRIVE_RULES(mx_boundary_config, "current", (0u MX_WALLS(IF_SHEET))),
  };
  struct mx_kind_rule all[RULES_MAX];
  DG_ASSERT(MX_COUNT(rules) + mx_port_rules_count <= RULES_MAX);
  memcpy(all, rules, sizeof rules);
  memcpy(all + MX_COUNT(rules), mx_port_rules, mx_port_rules_count * sizeof *all);
  boundary->drive = no_drive;
  boundary->wave = no_wave;
  boundary->port = mx_no_port;
  boundary->metal = (struct mx_metal_config){.name = -1, .mu_r = 1};
  if (read_by_kind(r, value, "a table, as in { kind = \"pec\" }", all, MX_COUNT(rules) + mx_port_rules_count,
                   boundary) != 0)
    return r->err->code;
  switch (mx_walls[boundary->kind].entering) {
  case MX_NOTHING:
    return boundary->kind == MX_METAL_WALL ? mx_check_metal(r, value, "metal", &boundary->metal) : 0;
  case MX_WAVE:
    return check_wave(r, value, &boundary->wave);
  case MX_GIVEN_E:
  case MX_GIVEN_H:
    return check_drive(r, value, "field");
  case MX_SHEET_CURRENT:
    return check_drive(r, value, "current");
  case MX_MODES:
    return mx_check_port(r, value, boundary);
  case MX_CIRCUIT:
    return mx_check_element(r, value, boundary);
  }
  return 0;
}

static bool same_selector(const struct mx_selector *a, const struct mx_selector *b)
{
  if (a->group == NULL || b->group == NULL) return a->group == b->group && a->tag == b->tag;
  return strcmp(a->group, b->group) == 0;
}

const struct mx_boundary_config *mx_opposite(const struct mx_config *config, const struct mx_boundary_config *boundary)
{
  for (size_t i = 0; i < config->boundaries; i++)
    if (same_selector(&config->boundary[i].where, &boundary->with)) return &config->boundary[i];
  return NULL;
}

/* Checks that periodic boundaries are pairs. */
static int check_periods(struct mx_reader *r, const struct mx_value *value)
{
  const struct mx_config *config = mx_config_of(r);
  size_t sides = 0;
  for (size_t i = 0; i < config->boundaries; i++) {
    const struct mx_boundary_config *boundary = &config->boundary[i], *other = mx_opposite(config, boundary);
    const struct mx_value *item = &value->entry[i].value;
    if (boundary->kind != MX_PERIODIC) continue;
    if (boundary->where.is_default)
      return mx_fail_at(r, item, "%s is periodic, so that it needs the name of a side", item->path);
    if (other == boundary) return mx_fail_at(r, item, "%s is periodic with itself", item->path);
    if (other == NULL || other->kind != MX_PERIODIC || !same_selector(&other->with, &boundary->where))
      return mx_fail_at(
          r, item,
          "%s is periodic: the boundary that its 'with' names must be periodic with it, as in left = { kind "
          "= \"periodic\", with = \"right\" }, right = { kind = \"periodic\", with = \"left\" }",
          item->path);
    sides++;
  }
  if (sides > 2 * (size_t)DG_PERIODS)
    return mx_fail_at(r, value, "boundaries has %zu pairs of periodic sides, and space has %d directions", sides / 2,
                      DG_PERIODS);
  return 0;
}

int mx_read_boundaries(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_config *config = mx_config_of(r);
  (void)to;
  if (mx_expect_table(r, value, rule->expected) != 0) return r->err->code;
  if (mx_arena_alloc(&r->arena, &config->boundary, value->count, sizeof *config->boundary, r->err) != 0)
    return r->err->code;
  for (size_t i = 0; i < value->count; i++) {
    struct mx_boundary_config *boundary = &config->boundary[i];
    if (mx_read_selector(r, &value->entry[i], &boundary->where) != 0) return r->err->code;
    if (read_boundary(r, &value->entry[i].value, boundary) != 0) return r->err->code;
  }
  config->boundaries = value->count;
  if (check_periods(r, value) != 0) return r->err->code;
  return mx_check_port_numbers(r, value);
}

static int read_interface(struct mx_reader *r, const struct mx_value *value, struct mx_interface_config *interface)
{
#define INTERFACE(field) offsetof(struct mx_interface_config, field)
  static const struct mx_kind_rule rules[] = {
      {EVERY_KIND,
       {"kind", mx_read_choice, INTERFACE(kind), .names = mx_interface_kind_names,
        .example = "kind = \"surface_current\""}},
      DRIVE_RULES(mx_interface_config, "current", KIND(MX_SURFACE_CURRENT)),
      {KIND(MX_TOTAL_FIELD),
       {"region", read_region, INTERFACE(inside), .expected = region_expected, .example = "region = \"inside\""}},
      WAVE_RULES(mx_interface_config, KIND(MX_TOTAL_FIELD)),
      {KIND(MX_RESISTIVE_SHEET),
       {"resistance", mx_read_real, INTERFACE(resistance), .expected = "a number > 0 (ohm per square)", MX_ABOVE(0),
        .example = "resistance = 188"}},
      {KIND(MX_GRAPHENE),
       {"chemical_potential", mx_read_real, INTERFACE(graphene.potential), .expected = "a number >= 0 (eV)", MX_FROM(0),
        .example = "chemical_potential = 0.3"}},
      {KIND(MX_GRAPHENE),
       {"relaxation_time", mx_read_real, INTERFACE(graphene.relaxation), .expected = "a number > 0 (seconds)",
        MX_ABOVE(0), .example = "relaxation_time = 0.5e-12"}},
      {KIND(MX_GRAPHENE),
       {"temperature", mx_read_real, INTERFACE(graphene.temperature), .expected = "a number > 0 (K)", MX_ABOVE(0)}},
      {KIND(MX_METAL_SHEET),
       {"thickness", mx_read_real, INTERFACE(metal.thickness), .expected = "a number > 0 (metres)", MX_ABOVE(0),
        .example = "thickness = 35e-6"}},
      {KIND(MX_METAL_SHEET), {"metal", mx_read_choice, INTERFACE(metal.name), .names = mx_metal_names}},
      {KIND(MX_METAL_SHEET),
       {"conductivity", mx_read_real, INTERFACE(metal.sigma), .expected = "a number > 0 (S/m)", MX_ABOVE(0)}},
      {KIND(MX_METAL_SHEET), {"mu_r", mx_read_real, INTERFACE(metal.mu_r), .expected = "a number > 0", MX_ABOVE(0)}},
      {KIND(MX_METAL_SHEET),
       {"band", mx_read_band, INTERFACE(metal.band),
        .expected = "two numbers > 0 in ascending order (Hz), as in { 1e6, 1e9 }"}},
  };
  interface->drive = no_drive;
  interface->wave = no_wave;
  interface->graphene.temperature = 300;
  interface->metal = (struct mx_metal_config){.name = -1, .mu_r = 1};
  if (read_by_kind(r, value, "a table, as in { kind = \"surface_current\", current = f }", rules, MX_COUNT(rules),
                   interface) != 0)
    return r->err->code;
  if (interface->kind == MX_CONDUCTING_SHEET || interface->kind == MX_RESISTIVE_SHEET || interface->kind == MX_GRAPHENE)
    return 0;
  if (interface->kind == MX_METAL_SHEET) return mx_check_metal(r, value, "metal_sheet", &interface->metal);
  if (interface->kind == MX_TOTAL_FIELD) return check_wave(r, value, &interface->wave);
  return check_drive(r, value, "current");
}

int mx_read_interfaces(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_config *config = mx_config_of(r);
  (void)to;
  if (mx_expect_table(r, value, rule->expected) != 0) return r->err->code;
  if (mx_arena_alloc(&r->arena, &config->interface, value->count, sizeof *config->interface, r->err) != 0)
    return r->err->code;
  for (size_t i = 0; i < value->count; i++) {
    struct mx_interface_config *interface = &config->interface[i];
    const struct mx_value *item = &value->entry[i].value;
    if (mx_read_selector(r, &value->entry[i], &interface->where) != 0) return r->err->code;
    if (interface->where.is_default)
      return mx_fail_at(r, item, "%s: an interface is on named surfaces; write the name of a group or a tag",
                        item->path);
    if (read_interface(r, item, interface) != 0) return r->err->code;
  }
  config->interfaces = value->count;
  return 0;
}

#define SOURCE(field) offsetof(struct mx_source_config, field)

/* The waveform and delay of a source whose shape says the rest. */
#define SOURCE_TIME                                                                                                    \
  {"waveform", mx_read_waveform, SOURCE(drive.waveform), .expected = waveform_expected, .example = EXAMPLE_WAVE},      \
  {                                                                                                                    \
    "delay", mx_read_real, SOURCE(drive.delay), .expected = delay_expected, MX_FROM(0)                                 \
  }

static int read_region_source(struct mx_reader *r, const struct mx_value *item, struct mx_source_config *source)
{
  static const struct mx_kind_rule lines[] = {
      {EVERY_KIND, {"region", read_region, SOURCE(where), .expected = region_expected, .example = "region = \"rod\""}},
      DRIVE_RULES(mx_source_config, "current", EVERY_KIND),
  };
  struct mx_rule rules[MX_COUNT(lines)];
  for (size_t i = 0; i < MX_COUNT(lines); i++) rules[i] = lines[i].rule;
  if (mx_read_table(r, item, "a table, as in { region = \"rod\", current = f }", rules, MX_COUNT(rules), source) != 0)
    return r->err->code;
  return check_drive(r, item, "current");
}

static int read_dipole(struct mx_reader *r, const struct mx_value *item, struct mx_source_config *source)
{
  static const struct mx_rule rules[] = {
      {"at", mx_read_triple, SOURCE(at), .expected = "three numbers (metres), as in { 0, 0, 0 }"},
      {"moment", mx_read_triple, SOURCE(moment), .expected = "three numbers (A m), as in { 0, 0, 1e-3 }",
       .example = "moment = { 0, 0, 1e-3 }"},
      SOURCE_TIME,
  };
  source->shape = MX_DIPOLE;
  return mx_read_table(r, item, "a table, as in { at = { 0, 0, 0 }, moment = { 0, 0, 1e-3 }, ... }", rules,
                       MX_COUNT(rules), source);
}

static int read_wire(struct mx_reader *r, const struct mx_value *item, struct mx_source_config *source)
{
  static const struct mx_rule rules[] = {
      {"from", mx_read_triple, SOURCE(at), .expected = "three numbers (metres), as in { 0, 0, 0 }"},
      {"to", mx_read_triple, SOURCE(to), .expected = "three numbers (metres), as in { 0, 0, 0.1 }",
       .example = "to = { 0, 0, 0.1 }"},
      {"amperes", mx_read_real, SOURCE(current), .expected = "a number (A)"},
      SOURCE_TIME,
  };
  source->shape = MX_WIRE;
  source->current = 1;
  if (mx_read_table(r, item, "a table, as in { from = { 0, 0, 0 }, to = { 0, 0, 0.1 }, ... }", rules, MX_COUNT(rules),
                    source) != 0)
    return r->err->code;
  if (source->at[0] == source->to[0] && source->at[1] == source->to[1] && source->at[2] == source->to[2])
    return mx_fail_at(r, item, "%s: the wire ends where it begins", item->path);
  return 0;
}

/* One of the shapes; when rules are told all of them. */
static int read_source(struct mx_reader *r, const struct mx_value *item, struct mx_source_config *source)
{
  const bool is_table = item->type == MX_TABLE;
  *source = (struct mx_source_config){.drive = no_drive, .place = item->where};
  if (r->listener != NULL) {
    r->kind = "dipole";
    if (read_dipole(r, item, source) != DG_INPUT) return r->err->code;
    r->kind = "wire";
    if (read_wire(r, item, source) != DG_INPUT) return r->err->code;
    r->kind = "region";
  }
  if (is_table && mx_find_value(item, "at") != NULL) return read_dipole(r, item, source);
  if (is_table && mx_find_value(item, "from") != NULL) return read_wire(r, item, source);
  return read_region_source(r, item, source);
}

int mx_read_sources(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_config *config = mx_config_of(r);
  (void)to;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (mx_arena_alloc(&r->arena, &config->source, value->count, sizeof *config->source, r->err) != 0)
    return r->err->code;
  for (size_t i = 0; i < value->count; i++)
    if (read_source(r, &value->entry[i].value, &config->source[i]) != 0) return r->err->code;
  config->sources = value->count;
  return 0;
}

/* ---- for the output section */

int mx_read_region(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  return read_region(r, rule, value, to);
}
