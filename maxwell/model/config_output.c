/* The output of the simulation table: snapshots, energy, and what is measured. */
#include <math.h>
#include <string.h>

#include "maxwell/model/config_read.h"

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
  static const char *const mesh_names[] = {"once", "each", NULL};
  static const struct mx_rule rules[] = {
      {"every", mx_read_long, OUTPUT(fields.every), .expected = "an integer >= 1", MX_FROM(1),
       .example = "every = 100"},
      {"quantities", read_quantities, OUTPUT(fields.quantities),
       .expected = "a list of \"E\", \"H\" and \"material\", as in { \"E\", \"H\" }"},
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

/* ---- what all measurements have ---- */

/* Key of the list, what one and several are called in messages. */
static const struct {
  const char *key, *one, *several;
} kinds[] = {
    [MX_PROBE] = {"probes", "probe", "probes"},         [MX_PROBE_LINE] = {"lines", "line", "lines"},
    [MX_PROBE_PLANE] = {"planes", "plane", "planes"},   [MX_POYNTING] = {"fluxes", "flux", "fluxes"},
    [MX_VOLTAGE] = {"voltages", "voltage", "voltages"}, [MX_LOOP_CURRENT] = {"currents", "current", "currents"},
    [MX_LOSS] = {"losses", "loss", "losses"},
};

#define POINT_EXPECTED "three numbers (metres), as in { 0.4, 0.5, 0.3 }"
#define PATH_EXPECTED  "a list of points (metres), as in { { 0, 0, 0 }, { 0, 0, 0.1 } }"

/* A measurement while it is read. */
struct draft {
  struct mx_measure_config measure;
  double at[3], from[3], to[3], origin[3], u[3], v[3], centre[3], normal[3], radius;
  long samples;
};

static int read_name(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (mx_read_string(r, rule, value, to) != 0) return r->err->code;
  size_t length = strlen(value->string);
  if (value->string[0] == '.' || length > 200 || strspn(value->string, safe) != length)
    return mx_fail_expected(r, value, rule->expected);
  return 0;
}

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

#define DRAFT(field)   offsetof(struct draft, field)
#define MEASURE(field) offsetof(struct draft, measure.field)
#define COMMON_RULES(example_name)                                                                                     \
  {"name", read_name, MEASURE(name),                                                                                   \
   .expected = "a name for a file (letters, digits, '_', '-' and '.'; not starting with '.'; at most 200 characters)", \
   .example = example_name},                                                                                           \
      {"every", mx_read_long, MEASURE(every), .expected = "an integer >= 1", MX_FROM(1)},                              \
  {                                                                                                                    \
    "frequencies", mx_read_frequencies, MEASURE(frequencies), .expected = NULL                                         \
  }

/* ---- points and paths ---- */

static int set_points(struct mx_reader *r, struct mx_measure_config *measure, size_t count)
{
  measure->points = count;
  return mx_arena_alloc(&r->arena, &measure->point, count, sizeof *measure->point, r->err);
}

/* Corners of a path, to a draft. */
static int read_path(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule point = {.expected = POINT_EXPECTED};
  struct draft *draft = to;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (set_points(r, &draft->measure, value->count) != 0) return r->err->code;
  for (size_t i = 0; i < value->count; i++)
    if (mx_read_triple(r, &point, &value->entry[i].value, draft->measure.point[i]) != 0) return r->err->code;
  return 0;
}

static bool same_point(const double a[3], const double b[3]) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

/* A path has at least so many points, and no two neighbours are the same. */
static int check_path(struct mx_reader *r, const struct mx_value *value, const struct mx_measure_config *measure,
                      size_t least, bool closed)
{
  size_t n = measure->points;
  if (n < least) return mx_fail_at(r, value, "%s must have at least %zu points, not %zu", value->path, least, n);
  for (size_t i = 0; i + 1 < n + closed; i++) {
    size_t next = (i + 1) % n;
    if (!same_point(measure->point[i], measure->point[next])) continue;
    if (next == 0)
      return mx_fail_at(r, value, "%s: the path closes by itself; leave the last point, which is the first, out",
                        value->path);
    return mx_fail_at(r, value, "%s: points %zu and %zu are the same", value->path, i + 1, next + 1);
  }
  return 0;
}

static void set_point(double (*point)[3], const double a[3], const double b[3])
{
  for (int d = 0; d < 3; d++) (*point)[d] = a[d] + (b != NULL ? b[d] : 0);
}

static int finish_line(struct mx_reader *r, const struct mx_value *item, struct draft *draft)
{
  struct mx_measure_config *line = &draft->measure;
  if (set_points(r, line, 2) != 0) return r->err->code;
  set_point(&line->point[0], draft->from, NULL);
  set_point(&line->point[1], draft->to, NULL);
  line->samples[0] = (size_t)draft->samples;
  line->samples[1] = 1;
  if (same_point(draft->from, draft->to)) return mx_fail_at(r, item, "%s: the line ends where it begins", item->path);
  return 0;
}

static int finish_plane(struct mx_reader *r, const struct mx_value *item, struct draft *draft)
{
  struct mx_measure_config *plane = &draft->measure;
  const double *u = draft->u, *v = draft->v;
  double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  double across = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  double lengths = sqrt((u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  if (!(across > 1e-9 * lengths))
    return mx_fail_at(r, item, "%s: the edges 'u' and 'v' of the plane must not be zero or parallel", item->path);
  if (set_points(r, plane, 3) != 0) return r->err->code;
  set_point(&plane->point[0], draft->origin, NULL);
  set_point(&plane->point[1], draft->origin, u);
  set_point(&plane->point[2], draft->origin, v);
  return 0;
}

static int finish_voltage(struct mx_reader *r, const struct mx_value *item, struct draft *draft)
{
  const struct mx_value *path = mx_find_value(item, "path"), *from = mx_find_value(item, "from"),
                        *to = mx_find_value(item, "to");
  if (path != NULL && (from != NULL || to != NULL))
    return mx_fail_at(r, from != NULL ? from : to, "%s takes 'path', or 'from' and 'to', not both", item->path);
  if (path != NULL) return check_path(r, path, &draft->measure, 2, false);
  if (from == NULL && to == NULL)
    return mx_fail_at(r, item,
                      "%s needs 'from' and 'to', or 'path' (for example: from = { 0, 0, 0 }, to = { 0, 0, 0.1 })",
                      item->path);
  if (from == NULL || to == NULL)
    return mx_fail_at(r, item, "'%s' is missing in %s, which has '%s' (for example: %s = { 0, 0, 0.1 })",
                      from == NULL ? "from" : "to", item->path, from == NULL ? "to" : "from",
                      from == NULL ? "from" : "to");
  if (set_points(r, &draft->measure, 2) != 0) return r->err->code;
  set_point(&draft->measure.point[0], draft->from, NULL);
  set_point(&draft->measure.point[1], draft->to, NULL);
  return check_path(r, item, &draft->measure, 2, false);
}

#define CIRCLE_CORNERS 256 /* the polygon has 1e-4 less area than its circle */

static int read_circle(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"centre", mx_read_triple, DRAFT(centre), .expected = POINT_EXPECTED, .example = "centre = { 0, 0, 0 }"},
      {"normal", mx_read_unit_vector, DRAFT(normal), .expected = "three numbers, as in { 0, 0, 1 }",
       .example = "normal = { 0, 0, 1 }"},
      {"radius", mx_read_real, DRAFT(radius), .expected = "a number > 0 (metres)", MX_ABOVE(0),
       .example = "radius = 0.01"},
  };
  struct draft *draft = to;
  if (mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), draft) != 0) return r->err->code;
  /* Two axes across the normal, from the coordinate axis that is farthest from it; anticlockwise around it. */
  const double *n = draft->normal;
  int far = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0 : fabs(n[1]) <= fabs(n[2]) ? 1 : 2;
  double a[3], length = sqrt(1 - n[far] * n[far]);
  for (int d = 0; d < 3; d++) a[d] = ((d == far) - n[far] * n[d]) / length;
  const double b[3] = {n[1] * a[2] - n[2] * a[1], n[2] * a[0] - n[0] * a[2], n[0] * a[1] - n[1] * a[0]};
  if (set_points(r, &draft->measure, CIRCLE_CORNERS) != 0) return r->err->code;
  for (int i = 0; i < CIRCLE_CORNERS; i++) {
    double angle = 2 * acos(-1.0) * i / CIRCLE_CORNERS;
    for (int d = 0; d < 3; d++)
      draft->measure.point[i][d] = draft->centre[d] + draft->radius * (cos(angle) * a[d] + sin(angle) * b[d]);
  }
  return 0;
}

static int finish_current(struct mx_reader *r, const struct mx_value *item, struct draft *draft)
{
  const struct mx_value *path = mx_find_value(item, "path"), *circle = mx_find_value(item, "circle");
  if (path != NULL && circle != NULL) return mx_fail_at(r, circle, "%s takes 'path' or 'circle', not both", item->path);
  if (path != NULL) return check_path(r, path, &draft->measure, 3, true);
  if (circle == NULL)
    return mx_fail_at(r, item,
                      "%s needs 'path' or 'circle' (for example: circle = { centre = { 0, 0, 0 }, normal = { 0, 0, 1 "
                      "}, radius = 0.01 })",
                      item->path);
  return check_path(r, circle, &draft->measure, 3, true);
}

static int finish_probe(struct mx_reader *r, const struct mx_value *item, struct draft *draft)
{
  draft->measure.where = mx_find_value(item, "at")->where; /* what is wrong with a good probe is its place */
  if (set_points(r, &draft->measure, 1) != 0) return r->err->code;
  set_point(&draft->measure.point[0], draft->at, NULL);
  draft->measure.samples[0] = draft->measure.samples[1] = 1;
  return 0;
}

static int finish_flux(struct mx_reader *r, const struct mx_value *item, struct draft *draft)
{
  (void)r;
  draft->measure.has_direction = mx_find_value(item, "direction") != NULL;
  return 0;
}

/* ---- lists ---- */

static int check_names(struct mx_reader *r, const struct mx_value *item, const struct mx_measure_config *measure,
                       size_t i)
{
  const char *key = kinds[measure->kind].key;
  for (size_t j = 0; j < i; j++) {
    const struct mx_measure_config *other = measure - (i - j);
    if (strcmp(other->name, measure->name) == 0)
      return mx_fail_at(r, item, "output.%s: two %s have the name '%s' (%zu and %zu)", key,
                        kinds[measure->kind].several, measure->name, j + 1, i + 1);
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

struct list {
  enum mx_measure_kind kind;
  const char *item; /* what an entry must be */
  size_t rules;
  const struct mx_rule *rule;
  int (*finish)(struct mx_reader *r, const struct mx_value *item, struct draft *draft);
};

/* Adds the list to config->output.measure, which holds the kinds before it. */
static int read_list(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value,
                     const struct list *list)
{
  struct mx_config *config = mx_config_of(r);
  struct mx_measure_config *all;
  size_t before = config->output.measures;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (mx_arena_alloc(&r->arena, &all, before + value->count, sizeof *all, r->err) != 0) return r->err->code;
  if (before > 0) memcpy(all, config->output.measure, before * sizeof *all);
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_value *item = &value->entry[i].value;
    struct draft draft = {.measure = {.kind = list->kind,
                                      .every = 1,
                                      .line = item->line,
                                      .where = item->where,
                                      .samples = {40, 30},
                                      .silo = list->kind == MX_PROBE_PLANE},
                          .samples = 50};
    if (mx_read_table(r, item, list->item, list->rule, list->rules, &draft) != 0) return r->err->code;
    if (list->finish != NULL && list->finish(r, item, &draft) != 0) return r->err->code;
    all[before + i] = draft.measure;
    if (check_names(r, item, &all[before + i], i) != 0) return r->err->code;
  }
  config->output.measure = all;
  config->output.measures = before + value->count;
  return 0;
}

#define READ_LIST(kind_, item_, rules_, finish_)                                                                       \
  read_list(r, rule, value, &(const struct list){kind_, item_, MX_COUNT(rules_), rules_, finish_})

static int read_probes(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      COMMON_RULES("name = \"centre\""),
      {"at", mx_read_triple, DRAFT(at), .expected = POINT_EXPECTED, .example = "at = { 0.4, 0.5, 0.3 }"},
  };
  (void)to;
  return READ_LIST(MX_PROBE, "a table, as in { name = \"centre\", at = { 0.4, 0.5, 0.3 } }", rules, finish_probe);
}

static int read_lines(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      COMMON_RULES("name = \"axis\""),
      {"from", mx_read_triple, DRAFT(from), .expected = POINT_EXPECTED, .example = "from = { 0, 0, 0 }"},
      {"to", mx_read_triple, DRAFT(to), .expected = POINT_EXPECTED, .example = "to = { 0, 0, 0.1 }"},
      {"points", mx_read_long, DRAFT(samples), .expected = "an integer from 2 to 1000000", .least = 2, .most = 1e6},
  };
  (void)to;
  return READ_LIST(MX_PROBE_LINE, "a table, as in { name = \"axis\", from = { 0, 0, 0 }, to = { 0, 0, 0.1 } }", rules,
                   finish_line);
}

static int read_samples(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule number = {.expected = "an integer from 2 to 10000", .least = 2, .most = 1e4};
  size_t *samples = to;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (value->count != 2)
    return mx_fail_at(r, value, "%s must be %s, not %zu values", value->path, rule->expected, value->count);
  for (int i = 0; i < 2; i++) {
    long count = 0;
    if (mx_read_long(r, &number, &value->entry[i].value, &count) != 0) return r->err->code;
    samples[i] = (size_t)count;
  }
  return 0;
}

static int read_format(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const char *const names[] = {"csv", "silo", NULL};
  struct mx_rule choice = *rule;
  int format;
  choice.names = names;
  if (mx_read_choice(r, &choice, value, &format) != 0) return r->err->code;
  *(bool *)to = format == 1;
  return 0;
}

static int read_planes(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      COMMON_RULES("name = \"cut\""),
      {"origin", mx_read_triple, DRAFT(origin), .expected = POINT_EXPECTED, .example = "origin = { 0, 0, 0.5 }"},
      {"u", mx_read_triple, DRAFT(u), .expected = "an edge of three numbers (metres), as in { 1, 0, 0 }",
       .example = "u = { 1, 0, 0 }"},
      {"v", mx_read_triple, DRAFT(v), .expected = "an edge of three numbers (metres), as in { 0, 1, 0 }",
       .example = "v = { 0, 1, 0 }"},
      {"points", read_samples, MEASURE(samples), .expected = "two integers >= 2, as in { 40, 30 }"},
      {"format", read_format, MEASURE(silo), .expected = NULL},
  };
  (void)to;
  return READ_LIST(MX_PROBE_PLANE,
                   "a table, as in { name = \"cut\", origin = { 0, 0, 0.5 }, u = { 1, 0, 0 }, v = { 0, 1, 0 } }", rules,
                   finish_plane);
}

static int read_fluxes(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      COMMON_RULES("name = \"outwards\""),
      {"surface", mx_read_region, MEASURE(on), .expected = "the name of a surface group, or the tag of a surface",
       .example = "surface = \"aperture\""},
      {"direction", mx_read_unit_vector, MEASURE(direction), .expected = "three numbers, as in { 0, 0, 1 }"},
  };
  (void)to;
  return READ_LIST(MX_POYNTING, "a table, as in { name = \"outwards\", surface = \"aperture\" }", rules, finish_flux);
}

static int read_voltages(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      COMMON_RULES("name = \"gap\""),
      {"path", read_path, 0, .expected = PATH_EXPECTED},
      {"from", mx_read_triple, DRAFT(from), .expected = POINT_EXPECTED},
      {"to", mx_read_triple, DRAFT(to), .expected = POINT_EXPECTED},
  };
  (void)to;
  return READ_LIST(MX_VOLTAGE, "a table, as in { name = \"gap\", from = { 0, 0, 0 }, to = { 0, 0, 0.1 } }", rules,
                   finish_voltage);
}

static int read_currents(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      COMMON_RULES("name = \"wire\""),
      {"path", read_path, 0, .expected = "a list of points (metres), as in { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }"},
      {"circle", read_circle, 0,
       .expected = "a table, as in { centre = { 0, 0, 0 }, normal = { 0, 0, 1 }, radius = 0.01 }"},
  };
  (void)to;
  return READ_LIST(MX_LOOP_CURRENT,
                   "a table, as in { name = \"wire\", circle = { centre = { 0, 0, 0 }, normal = { 0, 0, "
                   "1 }, radius = 0.01 } }",
                   rules, finish_current);
}

static int read_losses(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      COMMON_RULES("name = \"load\""),
      {"region", mx_read_region, MEASURE(on), .expected = "the name of a volume group, or the tag of a volume",
       .example = "region = \"load\""},
  };
  (void)to;
  return READ_LIST(MX_LOSS, "a table, as in { name = \"load\", region = \"load\" }", rules, NULL);
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
  /* In the order of enum mx_measure_kind. */
  static const struct mx_rule rules[] = {
      {"fields", read_fields, 0, .expected = "a table, as in fields = { every = 100 }"},
      {"probes", read_probes, 0,
       .expected = "a list, as in probes = { { name = \"centre\", at = { 0.4, 0.5, 0.3 } } }"},
      {"lines", read_lines, 0,
       .expected = "a list, as in lines = { { name = \"axis\", from = { 0, 0, 0 }, to = { 0, 0, 0.1 } } }"},
      {"planes", read_planes, 0,
       .expected =
           "a list, as in planes = { { name = \"cut\", origin = { 0, 0, 0.5 }, u = { 1, 0, 0 }, v = { 0, 1, 0 } "
           "} }"},
      {"fluxes", read_fluxes, 0,
       .expected = "a list, as in fluxes = { { name = \"outwards\", surface = \"aperture\" } }"},
      {"voltages", read_voltages, 0,
       .expected = "a list, as in voltages = { { name = \"gap\", from = { 0, 0, 0 }, to = { 0, 0, 0.1 } } }"},
      {"currents", read_currents, 0,
       .expected =
           "a list, as in currents = { { name = \"wire\", path = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } } } }"},
      {"losses", read_losses, 0, .expected = "a list, as in losses = { { name = \"load\", region = \"load\" } }"},
      {"energy", read_energy, 0, .expected = "a table, as in energy = { every = 10 }"},
      {"balance", read_balance, 0, .expected = "a table, as in balance = { every = 10 }"},
      {"progress", read_progress, 0, .expected = "a table, as in progress = { every = 2 }"},
      {"ports", read_port_output, 0, .expected = "a table, as in ports = { every = 10 }"},
      {"s_parameters", read_s_parameters, OUTPUT(s_parameters), .expected = NULL},
  };
  (void)to;
  return mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), mx_config_of(r));
}
