/* Reads the section `heat`. config.c calls it; what needs the mesh is checked later (maxwell/heat). */
#include <math.h>
#include <string.h>

#include "maxwell/model/config_read.h"
#include "maxwell/model/heat/heat_config.h"
#include "maxwell/model/measures.h"

static const char number_or_function[] = "a number or a function of x, y, z, t";

static int read_value(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_heat_value *of = to;
  if (value->type == MX_FUNCTION) return mx_read_function(r, rule, value, &of->function);
  return mx_read_real(r, rule, value, &of->value);
}

static int read_regions(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule one = {.expected = "the name of a volume group, or the tag of a volume"};
  struct mx_heat_config *heat = to;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (value->count == 0) return mx_fail_at(r, value, "%s is empty; it must be %s", value->path, rule->expected);
  if (mx_arena_alloc(&r->arena, &heat->region, value->count, sizeof *heat->region, r->err) != 0) return r->err->code;
  for (size_t i = 0; i < value->count; i++)
    if (mx_read_region(r, &one, &value->entry[i].value, &heat->region[i]) != 0) return r->err->code;
  heat->regions = value->count;
  return 0;
}

/* ---- walls */

static int read_wall(struct mx_reader *r, const struct mx_value *value, struct mx_heat_wall *wall)
{
  struct draft {
    struct mx_heat_value temperature, flux, ambient;
    double convection;
  } draft = {0};
  static const struct mx_rule rules[] = {
      {"temperature", read_value, offsetof(struct draft, temperature), .expected = number_or_function,
       .standard = "null"},
      {"flux", read_value, offsetof(struct draft, flux), .expected = number_or_function, .standard = "null"},
      {"convection", mx_read_real, offsetof(struct draft, convection), .expected = "a number > 0 (W/(m^2 K))",
       MX_ABOVE(0), .standard = "null"},
      {"ambient", read_value, offsetof(struct draft, ambient), .expected = number_or_function, .standard = "null"},
  };
  if (mx_read_table(r, value, "a table, as in { temperature = 37 }", rules, MX_COUNT(rules), &draft) != 0)
    return r->err->code;
  int given = 0;
  for (int i = 0; i < 3; i++) {
    if (mx_find_value(value, rules[i].name) == NULL) continue;
    given++;
    wall->kind = (enum mx_heat_wall_kind)i;
  }
  if (given != 1) return mx_fail_at(r, value, "%s needs one of 'temperature', 'flux' and 'convection'", value->path);
  const bool ambient = mx_find_value(value, "ambient") != NULL;
  if (ambient != (wall->kind == MX_HEAT_CONVECTION))
    return mx_fail_at(r, value,
                      ambient ? "%s: 'ambient' is the temperature that convection leads to"
                              : "%s: convection needs 'ambient', the temperature that it leads to",
                      value->path);
  wall->coefficient = draft.convection;
  wall->value = wall->kind == MX_HEAT_HELD   ? draft.temperature
                : wall->kind == MX_HEAT_FLUX ? draft.flux
                                             : draft.ambient;
  return 0;
}

static int read_walls(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_heat_config *heat = to;
  if (mx_expect_table(r, value, rule->expected) != 0 ||
      mx_arena_alloc(&r->arena, &heat->wall, value->count, sizeof *heat->wall, r->err) != 0)
    return r->err->code;
  for (size_t i = 0; i < value->count; i++)
    if (mx_read_selector(r, &value->entry[i], &heat->wall[i].where) != 0 ||
        read_wall(r, &value->entry[i].value, &heat->wall[i]) != 0)
      return r->err->code;
  heat->walls = value->count;
  return 0;
}

/* ---- sources */

static int check_source(struct mx_reader *r, const struct mx_value *item, const struct mx_heat_source *source)
{
  static const char *const of_losses[] = {"frequency", "amplitude", "power"};
  const bool density = mx_find_value(item, "density") != NULL;
  if (density == (source->losses != NULL))
    return mx_fail_at(r, item, "%s needs one of 'density' and 'losses'", item->path);
  for (size_t i = 0; i < MX_COUNT(of_losses); i++)
    if (density && mx_find_value(item, of_losses[i]) != NULL)
      return mx_fail_at(r, item, "%s: '%s' is for 'losses', which is not there", item->path, of_losses[i]);
  if (!density && source->by_region)
    return mx_fail_at(r, item, "%s: losses have the region of their spectrum, and take no 'region'", item->path);
  if (source->power > 0 && mx_find_value(item, "amplitude") != NULL)
    return mx_fail_at(r, item, "%s takes 'amplitude' or 'power', not both", item->path);
  return 0;
}

static int read_sources(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
#define SOURCE(field) offsetof(struct mx_heat_source, field)
  static const struct mx_rule rules[] = {
      {"density", read_value, SOURCE(density), .expected = "a number (W/m^3) or a function of x, y, z, t",
       .standard = "null"},
      {"region", mx_read_region, SOURCE(on), .expected = "the name of a volume group, or the tag of a volume"},
      {"losses", mx_read_string, SOURCE(losses), .expected = "the name of one of output.spectra, with losses = true",
       .standard = "null"},
      {"frequency", mx_read_real, SOURCE(frequency), .expected = "a number > 0 (Hz)", MX_ABOVE(0), .standard = "null"},
      {"amplitude", mx_read_real, SOURCE(amplitude),
       .expected = "a number > 0 (of the fields; losses grow as its "
                   "square)",
       MX_ABOVE(0)},
      {"power", mx_read_real, SOURCE(power), .expected = "a number > 0 (W, of all losses of the spectrum)", MX_ABOVE(0),
       .standard = "null"},
  };
  struct mx_heat_config *heat = to;
  if (mx_expect_list(r, value, rule->expected) != 0 ||
      mx_arena_alloc(&r->arena, &heat->source, value->count, sizeof *heat->source, r->err) != 0)
    return r->err->code;
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_value *item = &value->entry[i].value;
    struct mx_heat_source *source = &heat->source[i];
    *source = (struct mx_heat_source){.where = item->where, .amplitude = 1};
    if (mx_read_table(r, item, "a table, as in { density = 1e4 } or { losses = \"tissue\" }", rules, MX_COUNT(rules),
                      source) != 0)
      return r->err->code;
    source->by_region = mx_find_value(item, "region") != NULL;
    if (check_source(r, item, source) != 0) return r->err->code;
  }
  heat->sources = value->count;
  return 0;
}

/* ---- time and results */

static int read_time(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
#define HEAT(field) offsetof(struct mx_heat_config, field)
  static const struct mx_rule rules[] = {
      {"stop", mx_read_real, HEAT(stop), .expected = "a number > 0 (seconds)", MX_ABOVE(0), .example = "stop = 600"},
      {"step", mx_read_real, HEAT(step), .expected = "a number > 0 (seconds)", MX_ABOVE(0), .standard = "null"},
      {"tolerance", mx_read_real, HEAT(tolerance), .expected = "a number > 0 (K, the error of a step)", MX_ABOVE(0)},
      {"theta", mx_read_real, HEAT(theta), .expected = "a number from 0.5 (Crank-Nicolson) to 1 (backward Euler)",
       .least = 0.5, .most = 1},
      {"walltime", mx_read_walltime, HEAT(walltime), .expected = "a number > 0 (seconds) or a time as in \"23:50:00\"",
       MX_ABOVE(0)},
  };
  struct mx_config *config = mx_config_of(r);
  const struct mx_heat_config *heat = to;
  const struct mx_value *walltime = mx_find_value(value, "walltime");
  if (mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), to) != 0) return r->err->code;
  if (walltime != NULL && (config->time.stop > 0 || config->time.steps > 0))
    return mx_fail_at(r, walltime,
                      "heat.time.walltime is for heat alone: time.walltime counts the fields and their heat");
  if (walltime != NULL) config->time.walltime = heat->walltime;
  if (mx_find_value(value, "step") != NULL && mx_find_value(value, "tolerance") != NULL)
    return mx_fail_at(r, value, "heat.time takes 'step' or 'tolerance', which chooses the step, not both");
  return 0;
}

static int read_probes(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"name", mx_measure_read_name, offsetof(struct mx_heat_probe, name),
       .expected = "a name (letters, digits, '_', '-' and '.'; not starting with '.'; at most 200 characters)",
       .example = "name = \"centre\""},
      {"at", mx_read_triple, offsetof(struct mx_heat_probe, at),
       .expected = "three numbers (metres), as in { 0, 0, 0 }", .example = "at = { 0, 0, 0 }"},
  };
  struct mx_heat_config *heat = to;
  if (mx_expect_list(r, value, rule->expected) != 0 ||
      mx_arena_alloc(&r->arena, &heat->probe, value->count, sizeof *heat->probe, r->err) != 0)
    return r->err->code;
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_value *item = &value->entry[i].value;
    struct mx_heat_probe *probe = &heat->probe[i];
    *probe = (struct mx_heat_probe){.where = item->where};
    if (mx_read_table(r, item, "a table, as in { name = \"centre\", at = { 0, 0, 0 } }", rules, MX_COUNT(rules),
                      probe) != 0)
      return r->err->code;
    for (size_t j = 0; j < i; j++)
      if (strcmp(heat->probe[j].name, probe->name) == 0)
        return mx_fail_at(r, item, "heat.probes: two have the name '%s' (%zu and %zu)", probe->name, j + 1, i + 1);
  }
  heat->probes = value->count;
  return 0;
}

static int read_snapshots(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"interval", mx_read_real, HEAT(interval), .expected = "a number > 0 (seconds)", MX_ABOVE(0), .standard = "null"},
  };
  struct mx_heat_config *heat = to;
  heat->snapshots = true;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), heat);
}

static int read_coupling(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"tolerance", mx_read_real, HEAT(coupling.tolerance),
       .expected = "a number > 0 and at most 1 (relative change of epsilon_r or sigma)", .open = 1, .least = 0,
       .most = 1},
      {"settled", mx_read_real, HEAT(coupling.settled), .expected = "a number > 0 (K)", MX_ABOVE(0)},
      {"iterations", mx_read_int, HEAT(coupling.iterations), .expected = "an integer from 1 to 1000", .least = 1,
       .most = 1000},
  };
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), to);
}

/* ---- all */

#define FAIL_AT(of, ...) mx_fail_where(r->err, (of)->where, __FILE__, __LINE__, __VA_ARGS__)

/* Does output.spectra have the losses of a source, as powers? */
static int check_losses(struct mx_reader *r, const struct mx_heat_source *source)
{
  const struct mx_config *config = mx_config_of(r);
  const struct mx_phasor_config *phasor = NULL;
  if (config->time.stop == 0 && config->time.steps == 0)
    return FAIL_AT(source, "heat.sources: losses are those of a run of the fields, which needs 'time'");
  for (size_t i = 0; i < config->output.spectra; i++)
    if (strcmp(config->output.spectrum[i].name, source->losses) == 0) phasor = &config->output.spectrum[i];
  if (phasor == NULL || !phasor->losses)
    return FAIL_AT(source, "heat.sources: output.spectra has no '%s' with losses = true", source->losses);
  if (phasor->norm == MX_NORM_NONE && source->power == 0)
    return FAIL_AT(source,
                   "heat.sources: the losses of '%s' are no powers without normalise; give it, or 'power' here (W)",
                   source->losses);
  if (source->frequency == 0 && phasor->frequencies.count > 1)
    return FAIL_AT(source, "heat.sources: '%s' has %zu frequencies; 'frequency' says which one heats", source->losses,
                   phasor->frequencies.count);
  for (size_t f = 0; f < phasor->frequencies.count; f++)
    if (source->frequency == 0 || fabs(phasor->frequencies.hertz[f] - source->frequency) <= 1e-9 * source->frequency)
      return 0;
  return FAIL_AT(source, "heat.sources: %g Hz is none of the frequencies of '%s'", source->frequency, source->losses);
}

/* Materials that change with the temperature want losses that change with them. */
static int check_coupling(struct mx_reader *r, const struct mx_value *value, struct mx_heat_config *heat)
{
  const struct mx_config *config = mx_config_of(r);
  const struct mx_value *coupling = mx_find_value(value, "coupling");
  const struct mx_material_config *warm = mx_first_warm(config);
  bool losses = false;
  if (warm == NULL && coupling != NULL)
    return mx_fail_at(r, coupling, "heat.coupling is for materials with_temperature, and there are none");
  if (warm == NULL) return 0;
  for (size_t i = 0; i < heat->sources; i++) losses = losses || heat->source[i].losses != NULL;
  if (!losses)
    return FAIL_AT(&warm->warm,
                   "with_temperature is for the fields and their losses, and no source of heat.sources has "
                   "'losses'");
  if (mx_find_value(value, "temperature") == NULL)
    return mx_fail_at(r, value,
                      "heat needs 'temperature', with which the fields begin (for example: temperature = 20)");
  heat->coupled = true;
  return 0;
}

/* What a state, or a series of them, needs and has no use for. */
static int check_heat(struct mx_reader *r, const struct mx_value *value, struct mx_heat_config *heat)
{
  const struct mx_config *config = mx_config_of(r);
  const bool times = mx_find_value(value, "time") != NULL;
  if (times == heat->steady)
    return mx_fail_at(r, value, "heat needs one of 'time', as in time = { stop = 600 }, and steady = true");
  if (!heat->steady && mx_find_value(value, "temperature") == NULL)
    return mx_fail_at(r, value, "heat needs 'temperature', with which it begins (for example: temperature = 37)");
  bool perfused = false;
  for (size_t i = 0; i < config->materials; i++) perfused = perfused || config->material[i].thermal.perfusion > 0;
  if (perfused != (mx_find_value(value, "blood") != NULL))
    return mx_fail_at(r, value,
                      perfused ? "heat needs 'blood', the temperature of the blood, as materials have "
                                 "perfusion (for example: blood = 37)"
                               : "heat.blood is the temperature of blood, and no material has perfusion");
  for (size_t i = 0; i < heat->sources; i++)
    if (heat->source[i].losses != NULL && check_losses(r, &heat->source[i]) != 0) return r->err->code;
  return check_coupling(r, value, heat);
}

int mx_read_heat(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"order", mx_read_int, HEAT(order), .expected = "an integer from 1 to 8", .least = 1, .most = 8},
      {"regions", read_regions, 0, .expected = "a list of volumes, as in { \"tissue\" }"},
      {"temperature", read_value, HEAT(start), .expected = number_or_function, .standard = "null"},
      {"blood", mx_read_real, HEAT(blood), .expected = "a number (the temperature of the blood)", .standard = "null"},
      {"boundaries", read_walls, 0, .expected = "a table, as in boundaries = { skin = { temperature = 37 } }"},
      {"sources", read_sources, 0, .expected = "a list, as in sources = { { density = 1e4 } }"},
      {"steady", mx_read_boolean, HEAT(steady), .expected = "true or false"},
      {"time", read_time, 0, .expected = "a table, as in time = { stop = 600 }"},
      {"residual", mx_read_real, HEAT(solve), .expected = "a number from 1e-14 to 1e-2", .least = 1e-14, .most = 1e-2},
      {"solver", mx_read_choice, HEAT(solver), .names = mx_solver_names},
      {"probes", read_probes, 0, .expected = "a list, as in probes = { { name = \"centre\", at = { 0, 0, 0 } } }"},
      {"snapshots", read_snapshots, 0, .expected = "a table, as in snapshots = { interval = 60 }"},
      {"coupling", read_coupling, 0, .expected = "a table, as in coupling = { tolerance = 0.02 }"},
  };
  struct mx_config *config = mx_config_of(r);
  struct mx_heat_config *heat;
  (void)to;
  if (mx_arena_alloc(&r->arena, &heat, 1, sizeof *heat, r->err) != 0) return r->err->code;
  *heat = (struct mx_heat_config){.where = value->where,
                                  .order = 2,
                                  .tolerance = 1e-3,
                                  .theta = 0.5,
                                  .solve = 1e-12,
                                  .coupling = {.tolerance = 0.02, .settled = 0.1, .iterations = 10}};
  if (mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), heat) != 0 || check_heat(r, value, heat) != 0)
    return r->err->code;
  config->heat = heat;
  return 0;
}
