/* Reads the far fields of the output: their surfaces, frequencies, directions and planes of images. config_output.c
 * calls it. */
#include <string.h>

#include "maxwell/model/config_read.h"
#include "maxwell/model/measures.h"

const char mx_far_expected[] =
    "a list, as in far_field = { { name = \"pattern\", surface = \"huygens\", frequencies = { 1e9 } } }";

/* ---- angles */

struct angles {
  size_t *count;
  double **degree;
};

/* { from =, to =, points = }: `to` is one of the points. */
static int read_range(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value,
                      const struct angles *angles)
{
  struct {
    double from, to;
    long points;
  } range = {0};
  const struct mx_rule rules[] = {
      {"from", mx_read_real, 0, .expected = rule->expected, .least = rule->least, .most = rule->most,
       .example = "from = 0"},
      {"to", mx_read_real, sizeof(double), .expected = rule->expected, .least = rule->least, .most = rule->most,
       .example = "to = 180"},
      {"points", mx_read_long, 2 * sizeof(double), .expected = "an integer from 2 to 100000", .least = 2, .most = 1e5,
       .example = "points = 181"},
  };
  if (mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), &range) != 0) return r->err->code;
  if (range.from >= range.to)
    return mx_fail_at(r, value, "%s: 'from' = %g degrees is not below 'to' = %g degrees", value->path, range.from,
                      range.to);
  const size_t count = (size_t)range.points;
  if (mx_arena_alloc(&r->arena, angles->degree, count, sizeof(double), r->err) != 0) return r->err->code;
  for (size_t i = 0; i < count; i++) {
    const double along = (double)i / (double)(count - 1);
    (*angles->degree)[i] = (1 - along) * range.from + along * range.to;
  }
  *angles->count = count;
  return 0;
}

static int read_angles(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value,
                       const struct angles *angles)
{
  if (value->type == MX_TABLE && value->count > 0 && value->entry[value->count - 1].key.name != NULL)
    return read_range(r, rule, value, angles);
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (value->count == 0) return mx_fail_at(r, value, "%s is empty; it must be %s", value->path, rule->expected);
  if (mx_arena_alloc(&r->arena, angles->degree, value->count, sizeof(double), r->err) != 0) return r->err->code;
  for (size_t i = 0; i < value->count; i++)
    if (mx_read_real(r, rule, &value->entry[i].value, &(*angles->degree)[i]) != 0) return r->err->code;
  *angles->count = value->count;
  return 0;
}

static int read_theta(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_far_config *far = to;
  return read_angles(r, rule, value, &(struct angles){&far->thetas, &far->theta});
}

static int read_phi(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_far_config *far = to;
  return read_angles(r, rule, value, &(struct angles){&far->phis, &far->phi});
}

/* The whole sphere. */
static int set_all_angles(struct mx_reader *r, struct mx_far_config *far)
{
  enum { THETAS = 37, PHIS = 36 };
  if (far->theta == NULL) {
    if (mx_arena_alloc(&r->arena, &far->theta, THETAS, sizeof(double), r->err) != 0) return r->err->code;
    for (size_t i = 0; i < THETAS; i++) far->theta[i] = 180.0 * (double)i / (THETAS - 1);
    far->thetas = THETAS;
  }
  if (far->phi == NULL) {
    if (mx_arena_alloc(&r->arena, &far->phi, PHIS, sizeof(double), r->err) != 0) return r->err->code;
    for (size_t i = 0; i < PHIS; i++) far->phi[i] = 360.0 * (double)i / PHIS;
    far->phis = PHIS;
  }
  return 0;
}

/* ---- images */

static int read_images(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const char *const axes[] = {"x", "y", "z", NULL}, *const walls[] = {"pec", "pmc", NULL},
                           *const uses[] = {"symmetry", "ground", NULL};
  struct draft {
    int axis, wall, use;
    double at;
  };
  static const struct mx_rule rules[] = {
      {"axis", mx_read_choice, offsetof(struct draft, axis), .names = axes, .example = "axis = \"z\""},
      {"at", mx_read_real, offsetof(struct draft, at), .expected = "a number (metres)"},
      {"wall", mx_read_choice, offsetof(struct draft, wall), .names = walls, .example = "wall = \"pec\""},
      {"use", mx_read_choice, offsetof(struct draft, use), .names = uses},
  };
  struct mx_far_config *far = to;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_value *item = &value->entry[i].value;
    struct draft draft = {0};
    if (mx_read_table(r, item, rule->expected, rules, MX_COUNT(rules), &draft) != 0) return r->err->code;
    for (size_t j = 0; j < far->images; j++)
      if (far->image[j].axis == draft.axis)
        return mx_fail_at(r, item, "%s: there is another plane across the axis \"%s\"", item->path, axes[draft.axis]);
    far->image[far->images++] = (struct mx_image_config){
        .axis = draft.axis, .at = draft.at, .magnetic = draft.wall == 1, .ground = draft.use == 1};
  }
  return 0;
}

/* ---- a far field */

static const struct mx_rule *far_rules(size_t *count)
{
#define FAR(field) offsetof(struct mx_far_config, field)
  static const struct mx_rule rules[] = {
      {"name", mx_measure_read_name, FAR(name),
       .expected =
           "a name for a file (letters, digits, '_', '-' and '.'; not starting with '.'; at most 200 characters)",
       .example = "name = \"pattern\""},
      {"surface", mx_read_region, FAR(on), .expected = "the name of a surface group, or the tag of a surface"},
      {"region", mx_read_region, FAR(on), .expected = "the name of a volume group, or the tag of a volume"},
      {"frequencies", mx_read_frequencies, FAR(frequencies), .expected = NULL, .example = "frequencies = { 1e9 }"},
      {"theta", read_theta, 0, .expected = "a list of degrees from 0 to 180, or { from = 0, to = 180, points = 181 }",
       .least = 0, .most = 180},
      {"phi", read_phi, 0, .expected = "a list of degrees from -360 to 360, or { from = 0, to = 350, points = 36 }",
       .least = -360, .most = 360},
      {"every", mx_read_long, FAR(every), .expected = "an integer >= 1", MX_FROM(1)},
      {"images", read_images, 0, .expected = "a list of planes, as in { { axis = \"z\", at = 0, wall = \"pec\" } }"},
  };
#undef FAR
  *count = MX_COUNT(rules);
  return rules;
}

static int read_far_field(struct mx_reader *r, const struct mx_value *item, struct mx_far_config *far)
{
  size_t count;
  const struct mx_rule *rules = far_rules(&count);
  *far = (struct mx_far_config){.where = item->where};
  if (mx_read_table(r, item, "a table, as in { name = \"pattern\", surface = \"huygens\", frequencies = { 1e9 } }",
                    rules, count, far) != 0)
    return r->err->code;
  far->by_region = mx_find_value(item, "region") != NULL;
  if (far->by_region == (mx_find_value(item, "surface") != NULL))
    return mx_fail_at(r, item, "%s must have either 'surface' or 'region'%s", item->path,
                      far->by_region ? ", not both" : ", as in surface = \"huygens\"");
  for (size_t k = 0; k < far->frequencies.count; k++)
    if (!(far->frequencies.hertz[k] > 0)) return mx_fail_at(r, item, "%s: there is no far field at 0 Hz", item->path);
  return set_all_angles(r, far);
}

/* Says whether a file of one has the name of a file of the other: NAME.csv, NAME_powers.csv. */
static bool same_files(const char *a, const char *b)
{
  const size_t length = strlen(a);
  return strncmp(a, b, length) == 0 && (b[length] == '\0' || strcmp(b + length, "_powers") == 0);
}

int mx_read_far_fields(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_config *config = mx_config_of(r);
  (void)to;
  if (mx_expect_list(r, value, rule->expected) != 0 ||
      mx_arena_alloc(&r->arena, &config->output.far_field, value->count, sizeof *config->output.far_field, r->err) != 0)
    return r->err->code;
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_value *item = &value->entry[i].value;
    struct mx_far_config *far = &config->output.far_field[i];
    if (read_far_field(r, item, far) != 0) return r->err->code;
    for (size_t j = 0; j < i; j++)
      if (same_files(config->output.far_field[j].name, far->name) ||
          same_files(far->name, config->output.far_field[j].name))
        return mx_fail_at(r, item, "output.far_field: %zu and %zu would have the same files ('%s' and '%s')", j + 1,
                          i + 1, config->output.far_field[j].name, far->name);
  }
  config->output.far_fields = value->count;
  return 0;
}
