/* Reads the keys of boundaries that are ports. config_sources.c calls it. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/text.h"
#include "maxwell/model/config_read.h"

#define KIND(kind)                            (1u << (kind))
#define IF_PORT(kind, name, behind, entering) | ((entering) == MX_MODES ? KIND(kind) : 0u)
#define EVERY_PORT                            (0u MX_WALLS(IF_PORT))

enum { PORT_NAME_MAX = 128 }; /* of its files */

static const char mode_expected[] = "a mode, as in \"TE10\", \"TM11\" or, with larger indices, \"TE1,12\"";
static const char *const family_names[] = {"TE", "TM", "TEM", NULL}; /* by enum mx_mode_family */

static const char *const circuit_names[] = {"series", "parallel", NULL}; /* by enum mx_circuit_kind */

/* An index of a mode: digits up to `end`. */
static bool read_index(const char *text, const char *end, int *index)
{
  if (text == end || end - text > 3) return false;
  for (*index = 0; text < end; text++) {
    if (!isdigit((unsigned char)*text)) return false;
    *index = 10 * *index + (*text - '0');
  }
  return true;
}

static bool read_indices(const char *text, struct mx_mode *mode)
{
  const char *comma = strchr(text, ','), *end = text + strlen(text);
  if (comma != NULL) return read_index(text, comma, &mode->m) && read_index(comma + 1, end, &mode->n);
  return end - text == 2 && read_index(text, text + 1, &mode->m) && read_index(text + 1, end, &mode->n);
}

static int read_mode(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const char *const usual[] = {"TE10", "TE20", "TE01", "TE11", "TE21", "TE12", "TE02",
                                      "TE30", "TE22", "TM11", "TM21", "TM12", "TM22"};
  struct mx_mode *mode = to;
  if (value->type != MX_STRING) return mx_fail_expected(r, value, rule->expected);
  const char *text = value->string;
  bool magnetic = strncmp(text, "TM", 2) == 0;
  mode->family = magnetic ? MX_TM : MX_TE;
  if ((!magnetic && strncmp(text, "TE", 2) != 0) || !read_indices(text + 2, mode)) {
    int nearest = dg_nearest(text, usual, MX_COUNT(usual));
    if (nearest < 0) return mx_fail_expected(r, value, rule->expected);
    return mx_fail_at(r, value, "%s must be %s, not the string \"%s\" (nearest: '%s')", value->path, rule->expected,
                      text, usual[nearest]);
  }
  if (mode->m == 0 && mode->n == 0)
    return mx_fail_at(r, value, "%s: a rectangular guide has no mode %s; one index of a TE mode is at least 1",
                      value->path, text);
  if (magnetic && (mode->m == 0 || mode->n == 0))
    return mx_fail_at(r, value, "%s: a rectangular guide has no mode %s; both indices of a TM mode are at least 1",
                      value->path, text);
  return 0;
}

static int read_absorb(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_port_config *port = to;
  static const struct mx_rule item = {.expected = mode_expected};
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (mx_arena_alloc(&r->arena, &port->absorb, value->count, sizeof *port->absorb, r->err) != 0) return r->err->code;
  for (size_t i = 0; i < value->count; i++)
    if (read_mode(r, &item, &value->entry[i].value, &port->absorb[i]) != 0) return r->err->code;
  port->absorbed = value->count;
  return 0;
}

/* `mode` of a port whose face says what its modes are: a number, "even" or "odd". */
static int read_tem_mode(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  const bool even = value->type == MX_STRING && strcmp(value->string, "even") == 0;
  if (value->type != MX_STRING) return mx_read_int(r, rule, value, to);
  if (!even && strcmp(value->string, "odd") != 0) return mx_fail_expected(r, value, rule->expected);
  *(int *)to = even ? MX_TEM_EVEN : MX_TEM_ODD;
  return 0;
}

static int read_voltages(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule item = {.expected = "a number (V)"};
  struct mx_port_config *port = to;
  bool any = false;
  if (mx_expect_table(r, value, rule->expected) != 0) return r->err->code;
  if (mx_arena_alloc(&r->arena, &port->voltage, value->count, sizeof *port->voltage, r->err) != 0) return r->err->code;
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_entry *entry = &value->entry[i];
    struct mx_port_voltage *voltage = &port->voltage[i];
    if (entry->key.name == NULL) return mx_fail_expected(r, value, rule->expected);
    *voltage = (struct mx_port_voltage){.name = entry->key.name, .where = entry->value.where};
    if (mx_read_real(r, &item, &entry->value, &voltage->value) != 0) return r->err->code;
    any = any || voltage->value != 0;
  }
  if (!any) return mx_fail_at(r, value, "%s gives no conductor a potential other than 0", value->path);
  port->voltages = value->count;
  return 0;
}

#define PORT(field) offsetof(struct mx_boundary_config, port) + offsetof(struct mx_port_config, field)
const struct mx_kind_rule mx_port_rules[] = {
    {EVERY_PORT, {"number", mx_read_int, PORT(number), .expected = "an integer >= 1", .least = 1, .most = INT_MAX}},
    {KIND(MX_WAVEGUIDE_PORT), {"mode", read_mode, PORT(mode), .expected = mode_expected, .standard = "\"TE10\""}},
    {KIND(MX_WAVEGUIDE_PORT),
     {"absorb", read_absorb, offsetof(struct mx_boundary_config, port),
      .expected = "a list of modes, as in { \"TE20\", \"TE01\" }"}},
    {KIND(MX_WAVEGUIDE_PORT),
     {"axis", mx_read_unit_vector, PORT(axis), .expected = "three numbers, as in { 0, 0, 1 }"}},
    {KIND(MX_MODAL_PORT),
     {"profile", mx_read_function, PORT(profile), .expected = "a function of x, y, z that returns three numbers",
      .example = "profile = function(x, y, z) return 0, math.sin(math.pi * x), 0 end"}},
    {KIND(MX_MODAL_PORT),
     {"family", mx_read_choice, PORT(mode.family), .names = family_names, .example = "family = \"TE\""}},
    {KIND(MX_MODAL_PORT), {"cutoff", mx_read_real, PORT(cutoff), .expected = "a number >= 0 (Hz)", MX_FROM(0)}},
    {KIND(MX_TEM_PORT),
     {"mode", read_tem_mode, PORT(tem), .expected = "an integer >= 1, \"even\" or \"odd\"", .least = 1,
      .most = INT_MAX}},
    {KIND(MX_TEM_PORT),
     {"voltages", read_voltages, offsetof(struct mx_boundary_config, port),
      .expected = "a table of potentials (V) by conductors, as in { strip = 1 }"}},
    {KIND(MX_TEM_PORT),
     {"ground", mx_read_string, PORT(ground), .expected = "the name of a surface group of metal, as in \"shield\""}},
    {KIND(MX_LUMPED_PORT),
     {"resistance", mx_read_real, PORT(resistance), .expected = "a number > 0 (ohm)", MX_ABOVE(0),
      .example = "resistance = 50"}},
    {KIND(MX_LUMPED_ELEMENT),
     {"resistance", mx_read_real, PORT(resistance), .expected = "a number > 0 (ohm)", MX_ABOVE(0)}},
    {KIND(MX_LUMPED_ELEMENT),
     {"inductance", mx_read_real, PORT(inductance), .expected = "a number > 0 (henry)", MX_ABOVE(0)}},
    {KIND(MX_LUMPED_ELEMENT),
     {"capacitance", mx_read_real, PORT(capacitance), .expected = "a number > 0 (farad)", MX_ABOVE(0)}},
    {KIND(MX_LUMPED_ELEMENT), {"circuit", mx_read_choice, PORT(circuit), .names = circuit_names}},
    {KIND(MX_LUMPED_PORT) | KIND(MX_LUMPED_ELEMENT),
     {"direction", mx_read_unit_vector, PORT(direction), .expected = "three numbers, as in { 0, 0, 1 }",
      .example = "direction = { 0, 0, 1 }"}},
    {EVERY_PORT,
     {"waveform", mx_read_waveform, PORT(waveform),
      .expected = "a waveform, as in waveform.gaussian { f0 = 1e9, bandwidth = 1e9 }, or a function of t"}},
    {EVERY_PORT, {"amplitude", mx_read_real, PORT(amplitude), .expected = "a number (V)"}},
    {EVERY_PORT, {"delay", mx_read_real, PORT(delay), .expected = "a number >= 0 (seconds)", MX_FROM(0)}},
};
const size_t mx_port_rules_count = MX_COUNT(mx_port_rules);

const struct mx_port_config mx_no_port = {
    .mode = {MX_TE, 1, 0}, .waveform = {.kind = MX_FUNCTION_WAVEFORM, .amplitude = 1}, .amplitude = 1};

static bool same_mode(const struct mx_mode *a, const struct mx_mode *b)
{
  return a->family == b->family && a->m == b->m && a->n == b->n;
}

static int check_modes(struct mx_reader *r, const struct mx_value *value, const struct mx_port_config *port)
{
  const struct mx_value *absorb = mx_find_value(value, "absorb");
  for (size_t i = 0; i < port->absorbed; i++) {
    const struct mx_mode *mode = &port->absorb[i];
    const struct mx_value *item = &absorb->entry[i].value;
    if (same_mode(mode, &port->mode))
      return mx_fail_at(r, item, "%s: %s is the port's own mode, which is absorbed in any case", item->path,
                        item->string);
    for (size_t j = 0; j < i; j++)
      if (same_mode(mode, &port->absorb[j]))
        return mx_fail_at(r, item, "%s: %s is given twice", item->path, item->string);
  }
  return 0;
}

int mx_check_port(struct mx_reader *r, const struct mx_value *value, struct mx_boundary_config *boundary)
{
  struct mx_port_config *port = &boundary->port;
  if (boundary->where.is_default)
    return mx_fail_at(r, value, "%s: a port is on named surfaces; write the name of a group or a tag", value->path);
  if (boundary->where.group != NULL && (!mx_is_file_name(boundary->where.group) || *boundary->where.group == '.' ||
                                        strlen(boundary->where.group) > PORT_NAME_MAX))
    return mx_fail_at(r, value,
                      "the group '%s' of a port names files: no '/' or control character, no '.' at its beginning, at "
                      "most %d characters; rename it or write the tag of the surface",
                      boundary->where.group, PORT_NAME_MAX);
  port->driven = mx_find_value(value, "waveform") != NULL;
  port->has_axis = mx_find_value(value, "axis") != NULL;
  for (int i = 0; i < 2 && !port->driven; i++) {
    const char *key = i == 0 ? "amplitude" : "delay";
    const struct mx_value *given = mx_find_value(value, key);
    if (given != NULL)
      return mx_fail_at(r, given,
                        "'waveform' is missing in %s, which has '%s' (for example: waveform = waveform.gaussian { f0 = "
                        "1e9, bandwidth = 1e9 })",
                        value->path, key);
  }
  if (boundary->kind == MX_WAVEGUIDE_PORT) return check_modes(r, value, port);
  if (boundary->kind == MX_TEM_PORT && port->voltages > 0 && (port->tem != 0 || port->ground != NULL))
    return mx_fail_at(r, mx_find_value(value, "voltages"),
                      "%s.voltages says what the field is, and so does '%s': leave one of them out", value->path,
                      port->tem != 0 ? "mode" : "ground");
  if (boundary->kind != MX_MODAL_PORT) return 0;
  if (port->mode.family == MX_TEM && port->cutoff > 0)
    return mx_fail_at(r, mx_find_value(value, "cutoff"),
                      "%s: a TEM mode has no cut-off; leave 'cutoff' away, or say family = \"TE\" or \"TM\"",
                      value->path);
  if (port->mode.family != MX_TEM && port->cutoff == 0)
    return mx_fail_at(r, value, "%s: a %s mode needs its cut-off in Hz (for example: cutoff = 6.557e9)", value->path,
                      family_names[port->mode.family]);
  return 0;
}

int mx_check_element(struct mx_reader *r, const struct mx_value *value, const struct mx_boundary_config *boundary)
{
  static const char *const key[] = {"resistance", "inductance", "capacitance"};
  int given = 0;
  if (boundary->where.is_default)
    return mx_fail_at(r, value, "%s: a lumped element is on named surfaces; write the name of a group or a tag",
                      value->path);
  for (size_t i = 0; i < MX_COUNT(key); i++) given += mx_find_value(value, key[i]) != NULL;
  if (given == 0)
    return mx_fail_at(r, value,
                      "%s has no resistance, inductance or capacitance (for example: resistance = 50; a short circuit "
                      "is \"pec\", and an open one \"pmc\")",
                      value->path);
  if (given > 1 && mx_find_value(value, "circuit") == NULL)
    return mx_fail_at(r, value,
                      "'circuit' is missing in %s, which has several parts (circuit = \"series\" or \"parallel\")",
                      value->path);
  return 0;
}

bool mx_boundary_is_open(const struct mx_boundary_config *boundary)
{
  const struct mx_port_config *part = &boundary->port;
  if (boundary->kind != MX_LUMPED_ELEMENT) return mx_is_open(boundary->kind);
  const double first = part->circuit == MX_SERIES ? part->inductance : part->capacitance;
  return first == 0 && part->resistance > 0;
}

int mx_check_port_numbers(struct mx_reader *r, const struct mx_value *boundaries)
{
  const struct mx_config *config = mx_config_of(r);
  for (size_t i = 0; i < config->boundaries; i++)
    for (size_t j = 0; j < i; j++) {
      int number = config->boundary[i].port.number;
      if (number == 0 || number != config->boundary[j].port.number) continue;
      const struct mx_value *item = &boundaries->entry[i].value;
      return mx_fail_at(r, mx_find_value(item, "number"), "%s.number: %s has the number %d already", item->path,
                        boundaries->entry[j].value.path, number);
    }
  return 0;
}
