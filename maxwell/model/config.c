/* Reads the `simulation` table: mesh, order, flux, time, backend and the other small sections, and calls the readers of
 * the large ones (config_*.c). main calls mx_config_read on every rank. */
#include "maxwell/model/config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/orders.h"
#include "maxwell/model/config_read.h"

const char *const mx_interface_kind_names[] = {"surface_current", "total_field", "pec", "resistive_sheet",
                                               "graphene",        "metal_sheet", NULL};

_Static_assert(DG_ORDER_MIN == 1 && DG_ORDER_MAX == 8, "the message of `order` says 1 to 8");

static int read_name(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  if (mx_read_string(r, rule, value, to) != 0) return r->err->code;
  return mx_is_file_name(value->string) ? 0 : mx_fail_expected(r, value, rule->expected);
}

static int read_flux(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  if (value->type == MX_NUMBER) return mx_read_real(r, rule, value, to);
  if (value->type != MX_STRING) return mx_fail_expected(r, value, rule->expected);
  struct mx_rule choice = *rule;
  int name;
  choice.names = mx_flux_names;
  if (mx_read_choice(r, &choice, value, &name) != 0) return r->err->code;
  *(double *)to = mx_flux_alpha[name];
  return 0;
}

/* The wave vector of Bloch phases. */
static int read_bloch(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_config *config = mx_config_of(r);
  (void)to;
  config->bloch.given = true;
  config->bloch.where = value->where;
  return mx_read_triple(r, rule, value, config->bloch.k);
}

static int read_mesh_file(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  char *path;
  if (mx_read_string(r, rule, value, to) != 0) return r->err->code;
  mx_config_of(r)->mesh.where = value->where;
  if (value->string[0] == '/' || strcmp(mx_config_of(r)->directory, ".") == 0) return 0;
  const char *directory = mx_config_of(r)->directory;
  if (mx_arena_format(&r->arena, &path, r->err, "%s%s%s", directory, strcmp(directory, "/") == 0 ? "" : "/",
                      value->string) != 0)
    return r->err->code;
  *(const char **)to = path;
  return 0;
}

static int read_parameters(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_config *config = mx_config_of(r);
  (void)to;
  if (mx_expect_table(r, value, rule->expected) != 0) return r->err->code;
  if (mx_arena_alloc(&r->arena, &config->mesh.parameter_name, value->count, sizeof(char *), r->err) != 0 ||
      mx_arena_alloc(&r->arena, &config->mesh.parameter_value, value->count, sizeof(double), r->err) != 0)
    return r->err->code;
  static const struct mx_rule number = {.expected = "a number"};
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_entry *entry = &value->entry[i];
    if (entry->key.name == NULL || *entry->key.name == '\0')
      return mx_fail_at(r, &entry->value, "mesh.parameters must be %s; entry %lld has no name", rule->expected,
                        entry->key.integer);
    config->mesh.parameter_name[i] = entry->key.name;
    if (mx_read_real(r, &number, &entry->value, &config->mesh.parameter_value[i]) != 0) return r->err->code;
  }
  config->mesh.parameters = value->count;
  return 0;
}

/* The order of the maps of curved elements; "auto" follows from the order of the fields. */
static int read_geometry(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  if (value->type == MX_STRING && strcmp(value->string, "auto") == 0) {
    *(int *)to = 0;
    return 0;
  }
  return mx_read_int(r, rule, value, to);
}

static int read_mesh(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
#define MESH(field) offsetof(struct mx_config, mesh.field)
  static const struct mx_rule rules[] = {
      {"file", read_mesh_file, MESH(file), .expected = "a file name", .example = "file = \"cavity.geo\""},
      {"size", mx_read_real, MESH(size), .expected = "a number > 0", MX_ABOVE(0)},
      {"unit", mx_read_real, MESH(unit), .expected = "a number > 0 (metres per drawing unit)", MX_ABOVE(0)},
      {"seconds", mx_read_real, MESH(seconds), .expected = "a number > 0 (seconds that meshing may take)", MX_ABOVE(0)},
      {"memory", mx_read_real, MESH(memory), .expected = "a number > 0 (gigabytes that meshing may have)", MX_ABOVE(0)},
      {"keep", mx_read_boolean, MESH(keep), .expected = "true or false"},
      {"threads", mx_read_int, MESH(threads), .expected = "an integer from 0 (all cores) to 1024", .least = 0,
       .most = 1024},
      {"geometry", read_geometry, MESH(geometry), .expected = "\"auto\", or the order of the elements' maps, 1 to 4",
       .least = 1, .most = 4, .standard = "\"auto\""},
      {"parameters", read_parameters, 0, .expected = "a table of names and numbers, as in { L = 1.0 }"},
  };
  (void)to;
  mx_config_of(r)->mesh.line = value->line;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), mx_config_of(r));
}

static int read_step(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  if (value->type == MX_STRING && strcmp(value->string, "auto") == 0) return 0;
  return mx_read_real(r, rule, value, to);
}

static int read_levels(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  if (value->type != MX_STRING || strcmp(value->string, "auto") != 0) return mx_read_int(r, rule, value, to);
  *(int *)to = 0;
  return 0;
}

/* Seconds, or "HH:MM:SS" as batch systems write it. */
int mx_read_walltime(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  unsigned hours, minutes, seconds;
  int used = 0;
  if (value->type != MX_STRING) return mx_read_real(r, rule, value, to);
  if (strspn(value->string, "0123456789:") != strlen(value->string) || strlen(value->string) > 12 ||
      sscanf(value->string, "%u:%2u:%2u%n", &hours, &minutes, &seconds, &used) != 3 || value->string[used] != '\0' ||
      minutes > 59 || seconds > 59 || hours + minutes + seconds == 0)
    return mx_fail_expected(r, value, rule->expected);
  *(double *)to = 3600.0 * hours + 60.0 * minutes + seconds;
  return 0;
}

static int read_time(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
#define TIME(field) offsetof(struct mx_config, time.field)
  static const struct mx_rule rules[] = {
      {"integrator", mx_read_choice, TIME(integrator), .names = mx_integrator_names},
      {"stop", mx_read_real, TIME(stop), .expected = "a number > 0 (seconds)", MX_ABOVE(0)},
      {"steps", mx_read_long, TIME(steps), .expected = "an integer >= 1", MX_FROM(1)},
      {"step", read_step, TIME(step), .expected = "a number > 0 (seconds) or \"auto\"", MX_ABOVE(0),
       .standard = "\"auto\""},
      {"cfl", mx_read_real, TIME(cfl), .expected = "a number in (0, 1]", .most = 1, .open = 1},
      {"levels", read_levels, TIME(levels), .expected = "an integer from 1 to 8 or \"auto\"", .least = 1, .most = 8,
       .standard = "1"},
      {"decay", mx_read_real, TIME(decay), .expected = "a number > 0 (dB)", MX_ABOVE(0)},
      {"finish", mx_read_function, TIME(finish), .expected = "a function of t, n, energy that returns true or false"},
      {"walltime", mx_read_walltime, TIME(walltime), .expected = "a number > 0 (seconds) or a time as in \"23:50:00\"",
       MX_ABOVE(0)},
  };
  struct mx_config *config = mx_config_of(r);
  (void)to;
  config->time.line = value->line;
  config->time.where = config->time.step_where = config->time.stop_where = value->where;
  if (mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), config) != 0) return r->err->code;
  const struct mx_value *stop = mx_find_value(value, "stop"), *steps = mx_find_value(value, "steps");
  const struct mx_value *step = mx_find_value(value, "step");
  if (step != NULL) config->time.step_where = step->where;
  if (stop != NULL) config->time.stop_where = stop->where;
  if (stop == NULL && steps == NULL)
    return mx_fail_at(r, value, "time needs 'stop' (seconds) or 'steps' (for example: time = { stop = 20e-9 })");
  if (stop != NULL && steps != NULL) {
    /* The command line (line 0) has the last word over the script. */
    if (stop->line != 0 && steps->line == 0) config->time.stop = 0;
    else if (stop->line == 0 && steps->line != 0) config->time.steps = 0;
    else return mx_fail_at(r, steps, "time takes 'stop' or 'steps', not both");
  }
  return 0;
}

static int read_backend(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  mx_config_of(r)->backend_where = value->where;
  return mx_read_string(r, rule, value, to);
}

static int read_gpu(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"transport", mx_read_choice, offsetof(struct mx_config, gpu.transport), .names = mx_transport_names},
      {"share", mx_read_boolean, .offset = offsetof(struct mx_config, gpu.share)},
  };
  (void)to;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), mx_config_of(r));
}

static bool is_same_place(const struct mx_selector *a, const struct mx_selector *b)
{
  if (a->group != NULL && b->group != NULL) return strcmp(a->group, b->group) == 0;
  return a->group == NULL && b->group == NULL && a->tag == b->tag && a->is_default == b->is_default;
}

/* Adds the conductors of a table, by name: potentials or charges. */
static int read_conductors(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule number = {.expected = "a number"};
  struct mx_statics_config *statics = &mx_config_of(r)->initial.statics;
  struct mx_conductor_config *all;
  (void)to;
  if (mx_expect_table(r, value, rule->expected) != 0 ||
      mx_arena_alloc(&r->arena, &all, statics->conductors + value->count, sizeof *all, r->err) != 0)
    return r->err->code;
  for (size_t i = 0; i < statics->conductors; i++) all[i] = statics->conductor[i];
  for (size_t i = 0; i < value->count; i++) {
    struct mx_conductor_config *conductor = &all[statics->conductors + i];
    conductor->charged = strcmp(rule->name, "charges") == 0;
    if (mx_read_selector(r, &value->entry[i], &conductor->where) != 0 ||
        mx_read_real(r, &number, &value->entry[i].value, &conductor->value) != 0)
      return r->err->code;
    for (size_t k = 0; k < statics->conductors; k++)
      if (is_same_place(&all[k].where, &conductor->where))
        return mx_fail_at(r, &value->entry[i].value,
                          "%s: the conductor has a potential and a charge; give it one of them",
                          value->entry[i].value.path);
  }
  statics->conductor = all;
  statics->conductors += value->count;
  return 0;
}

/* Charges in space, by region. */
static int read_clouds(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule number = {.expected = "a number (C/m^3) or a function of x, y, z"};
  struct mx_statics_config *statics = &mx_config_of(r)->initial.statics;
  (void)to;
  if (mx_expect_table(r, value, rule->expected) != 0 ||
      mx_arena_alloc(&r->arena, &statics->cloud, value->count, sizeof *statics->cloud, r->err) != 0)
    return r->err->code;
  statics->clouds = value->count;
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_value *density = &value->entry[i].value;
    struct mx_cloud_config *cloud = &statics->cloud[i];
    *cloud = (struct mx_cloud_config){0};
    if (mx_read_selector(r, &value->entry[i], &cloud->where) != 0) return r->err->code;
    if (density->type == MX_FUNCTION) (void)mx_read_function(r, &number, density, &cloud->function);
    else (void)mx_read_real(r, &number, density, &cloud->value);
    if (r->err->code != 0) return r->err->code;
  }
  return 0;
}

static int read_statics(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"potentials", read_conductors, 0,
       .expected = "a table of conductors and volts, as in { plate = 100, default = 0 }"},
      {"charges", read_conductors, 0, .expected = "a table of conductors and coulombs, as in { ball = 1e-9 }"},
      {"density", read_clouds, 0,
       .expected = "a table of regions and charges in space (C/m^3), as in { cloud = 1e-9 }"},
      {"capacitance", mx_read_boolean, offsetof(struct mx_config, initial.statics.capacitance),
       .expected = "true or false"},
      {"conductance", mx_read_boolean, offsetof(struct mx_config, initial.statics.conductance),
       .expected = "true or false"},
      {"solver", mx_read_choice, offsetof(struct mx_config, initial.statics.solver), .names = mx_solver_names},
  };
  struct mx_statics_config *statics = &mx_config_of(r)->initial.statics;
  (void)to;
  statics->where = value->where;
  if (mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), mx_config_of(r)) != 0) return r->err->code;
  if (statics->conductors > 0) return 0;
  return mx_fail_at(r, value,
                    "initial.statics needs a conductor, as in statics = { potentials = { plate = 100, default "
                    "= 0 } }");
}

static int read_initial(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"E", mx_read_function, offsetof(struct mx_config, initial.E),
       .expected = "a function of x, y, z that returns Ex, Ey, Ez"},
      {"H", mx_read_function, offsetof(struct mx_config, initial.H),
       .expected = "a function of x, y, z that returns Hx, Hy, Hz"},
      {"statics", read_statics, 0,
       .expected = "a table, as in statics = { potentials = { plate = 100, default = 0 } }"},
  };
  (void)to;
  if (mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), mx_config_of(r)) != 0) return r->err->code;
  if (mx_config_of(r)->initial.statics.conductors > 0 && mx_config_of(r)->initial.E != NULL)
    return mx_fail_at(r, value, "initial takes E or statics, not both");
  return 0;
}

static int read_watchdog(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"growth", mx_read_real, offsetof(struct mx_config, watchdog.growth), .expected = "a number > 1", MX_ABOVE(1)},
      {"every", mx_read_long, offsetof(struct mx_config, watchdog.every), .expected = "an integer >= 1", MX_FROM(1)},
  };
  (void)to;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), mx_config_of(r));
}

static int read_checkpoint(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"every", mx_read_long, offsetof(struct mx_config, checkpoint.every), .expected = "an integer >= 1", MX_FROM(1)},
      {"minutes", mx_read_real, offsetof(struct mx_config, checkpoint.minutes), .expected = "a number > 0",
       MX_ABOVE(0)},
  };
  (void)to;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), mx_config_of(r));
}

/* A function of the script: a program's own functions give values at places and know no results. */
static int read_hook(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  if (mx_read_function(r, rule, value, to) != 0) return r->err->code;
  if (value->function->look != NULL) return 0;
  return mx_fail_at(r, value, "%s must be a function of the script, since a program's own gets no results",
                    value->path);
}

/* Functions that look at results. */
static int read_on(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
#define ON(field) offsetof(struct mx_config, on.field)
  static const struct mx_rule rules[] = {
      {"output", read_hook, ON(output), .expected = "a function of sim, the results so far"},
      {"done", read_hook, ON(done), .expected = "a function of sim, the results of the run"},
      {"every", mx_read_long, ON(every), .expected = "an integer >= 1 (steps)", MX_FROM(1)},
      {"interval", mx_read_real, ON(interval), .expected = "a number > 0 (seconds)", MX_ABOVE(0)},
  };
  struct mx_config *config = mx_config_of(r);
  (void)to;
  if (mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), config) != 0) return r->err->code;
  config->on.where = value->where;
  const bool every = config->on.every > 0, interval = config->on.interval > 0;
  if (every && interval) return mx_fail_at(r, value, "on takes 'every' (steps) or 'interval' (seconds), not both");
  if (config->on.output != NULL && !every && !interval)
    return mx_fail_at(r, value,
                      "on.output needs 'every' (steps) or 'interval' (seconds), as in on = { every = 100, "
                      "output = function(sim) ... end }");
  if (config->on.output == NULL && (every || interval))
    return mx_fail_at(r, value, "on.%s is for on.output, which is not there", every ? "every" : "interval");
  return 0;
}

static const struct mx_rule root_rules[] = {
    {"name", read_name, offsetof(struct mx_config, name),
     .expected = "a name for the output folder (not empty, \".\" or \"..\", no '/' or control character, at most 200 "
                 "characters)",
     .standard = mx_standard_string},
    {"mesh", read_mesh, 0, .expected = "a table, as in mesh = { file = \"cavity.geo\" }",
     .example = "mesh = { file = \"cavity.geo\" }"},
    {"order", mx_read_int, offsetof(struct mx_config, order), .expected = "an integer from 1 to 8",
     .least = DG_ORDER_MIN, .most = DG_ORDER_MAX, .example = "order = 3"},
    {"flux", read_flux, offsetof(struct mx_config, alpha),
     .expected = "\"upwind\", \"damped\", \"centered\" or a number in [0, 1]", .most = 1, .standard = mx_standard_real},
    {"time", read_time, 0, .expected = "a table, as in time = { stop = 20e-9 }"},
    {"backend", read_backend, offsetof(struct mx_config, backend), .expected = "the name of a backend, or \"auto\"",
     .standard = mx_standard_string},
    {"precision", mx_read_choice, offsetof(struct mx_config, precision), .names = mx_precision_names},
    {"gpu", read_gpu, 0, .expected = "a table, as in gpu = { share = true }", .section = true},
    {"materials", mx_read_materials, 0, .expected = "a table, as in materials = { default = {} }",
     .example = "materials = { default = {} } is vacuum everywhere"},
    {"layers", mx_read_layers, 0, .expected = "a table, as in layers = { shell = { kind = \"box\" } }"},
    {"boundaries", mx_read_boundaries, 0, .expected = "a table, as in boundaries = { walls = { kind = \"pec\" } }"},
    {"bloch", read_bloch, 0, .expected = "three numbers (rad/m), as in bloch = { 3.14, 0, 0 }"},
    {"interfaces", mx_read_interfaces, 0,
     .expected = "a table, as in interfaces = { sheet = { kind = \"surface_current\", current = f } }"},
    {"sources", mx_read_sources, 0,
     .expected = "a list, as in sources = { { region = \"rod\", current = function(x, y, z, t) return 0, 0, 1 end } }"},
    {"initial", read_initial, 0, .expected = "a table, as in initial = { E = function(x, y, z) return 0, 0, 1 end }"},
    {"output", mx_read_output, 0, .expected = "a table, as in output = { energy = { every = 10 } }", .section = true},
    {"heat", mx_read_heat, 0, .expected = "a table, as in heat = { temperature = 37, time = { stop = 600 } }"},
    {"on", read_on, 0, .expected = "a table, as in on = { done = function(sim) return { ... } end }"},
    {"checkpoint", read_checkpoint, 0, .expected = "a table, as in checkpoint = { minutes = 30 }", .section = true},
    {"watchdog", read_watchdog, 0, .expected = "a table, as in watchdog = { growth = 1e3 }", .section = true},
};

/* Without `time` no field is computed, which makes sense for heat alone: then nothing may ask for fields. */
static int check_alone(struct mx_reader *r, const struct mx_value *root, const struct mx_config *config)
{
  static const char *const of_fields[] = {"layers",  "bloch", "interfaces", "sources",
                                          "initial", "on",    "watchdog",   "boundaries"};
  if (config->time.stop > 0 || config->time.steps > 0) return 0;
  if (config->heat == NULL)
    return mx_fail_at(r, root, "'time' is missing in simulation (for example: time = { stop = 20e-9 })");
  for (size_t i = 0; i < MX_COUNT(of_fields); i++) {
    const struct mx_value *value = mx_find_value(root, of_fields[i]);
    if (value != NULL)
      return mx_fail_at(r, value, "'%s' is for a run of the fields, which needs 'time'; heat alone does not take it",
                        of_fields[i]);
  }
  const struct mx_value *output = mx_find_value(root, "output");
  for (size_t i = 0; output != NULL && i < output->count; i++)
    if (strcmp(output->entry[i].key.name, "fields") != 0)
      return mx_fail_at(
          r, &output->entry[i].value,
          "%s is for a run of the fields, which needs 'time'; heat alone takes output.fields for its format",
          output->entry[i].value.path);
  return 0;
}

/* Materials that change with the temperature let the fields run more than once. */
static int check_warm(struct mx_reader *r, const struct mx_value *root, const struct mx_config *config)
{
  const struct mx_value *on = mx_find_value(root, "on");
  const struct mx_material_config *warm = mx_first_warm(config);
  if (warm == NULL) return 0;
  if (config->heat == NULL)
    return mx_fail_where(r->err, warm->warm.where, __FILE__, __LINE__,
                         "with_temperature needs the section 'heat', which finds the temperature");
  if (on != NULL)
    return mx_fail_at(r, on, "'on' is not there yet beside with_temperature, for which the fields run more than once");
  return 0;
}

/* The script's folder, and its file name without ".lua". */
static int split_path(struct mx_reader *r, const char *path)
{
  const char *slash = strrchr(path, '/');
  const char *base = slash == NULL ? path : slash + 1;
  size_t length = strlen(base);
  char *directory, *name;
  if (length > 4 && strcmp(base + length - 4, ".lua") == 0) length -= 4;
  if (mx_arena_format(&r->arena, &name, r->err, "%.*s", (int)length, base) != 0) return r->err->code;
  int folder = slash == NULL ? 1 : slash == path ? 1 : (int)(slash - path);
  if (mx_arena_format(&r->arena, &directory, r->err, "%.*s", folder, slash == NULL ? "." : path) != 0)
    return r->err->code;
  mx_config_of(r)->name = name;
  mx_config_of(r)->directory = directory;
  return 0;
}

struct mx_config mx_config_defaults(void)
{
  struct mx_config config = {.directory = ".",
                             .mesh.unit = 1,
                             .mesh.seconds = 3600,
                             .mesh.threads = 1,
                             .mesh.keep = true,
                             .alpha = 1,
                             .time = {.integrator = MX_LEAPFROG, .cfl = 0.95, .levels = 1},
                             .backend = "auto",
                             .precision = MX_DOUBLE,
                             .output.progress_every = -1,
                             .output.balance.tolerance = 0.01,
                             .output.ports_every = 1,
                             .watchdog.growth = 1e3};
  config.output.fields.quantities = MX_QUANTITY_E | MX_QUANTITY_H;
  config.output.fields.formats = 1;
  config.output.fields.ahead = 2;
  config.output.fields.precision = MX_DOUBLE;
  return config;
}

int mx_config_read(struct mx_config *config, const struct mx_measure_reader *const *kinds,
                   const struct mx_origin *origin, struct dg_error *err)
{
  struct mx_reader r = {.target = config, .err = err};
  *config = mx_config_defaults();
  config->script_path = origin->path;
  config->output.kinds = kinds;
  config->output.fields.precision = -1; /* as the run */
  const struct mx_value *root = origin->root;
  if (split_path(&r, config->script_path) == 0 &&
      mx_read_table(&r, root, "a table", root_rules, MX_COUNT(root_rules), config) == 0 &&
      check_alone(&r, root, config) == 0 && check_warm(&r, root, config) == 0 &&
      (mx_is_file_name(config->name) ||
       mx_fail_at(&r, root, "'name' is missing, and the script's own name is none for an output folder: '%s'",
                  config->name) == 0) &&
      mx_resolved_collect(&config->resolved, &r) == 0) {
    if (config->output.fields.precision < 0) config->output.fields.precision = (int)config->precision;
    config->storage = r.arena.blocks;
    return 0;
  }
  mx_arena_release(&r.arena);
  *config = (struct mx_config){0};
  return err->code;
}

long mx_config_hook_every(const struct mx_config *config, double step)
{
  static const double most = 1e15;
  if (config->on.output == NULL) return 0;
  return config->on.every > 0 ? config->on.every : (long)fmin(fmax(round(config->on.interval / step), 1), most);
}

int mx_config_tell(const struct mx_measure_reader *const *kinds, struct mx_rule_listener *listener,
                   struct dg_error *err)
{
  struct mx_config config = mx_config_defaults();
  struct mx_reader r = {.target = &config, .err = err, .listener = listener};
  char where[] = "rules", path[] = "";
  const struct mx_value root = {.type = MX_TABLE, .where = where, .path = path};
  config.output.kinds = kinds;
  config.output.fields.precision = -1;
  const int status = mx_read_table(&r, &root, "a table", root_rules, MX_COUNT(root_rules), &config);
  mx_arena_release(&r.arena);
  if (status == DG_INPUT) *err = (struct dg_error){0}; /* as mx_tell_rules ends */
  return err->code;
}

void mx_config_release(struct mx_config *config)
{
  if (config == NULL) return;
  struct mx_arena arena = {.blocks = config->storage};
  mx_arena_release(&arena);
  *config = (struct mx_config){0};
}
