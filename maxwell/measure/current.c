/* Currents: integrals of H along closed paths. The table at the end of this file is the kind; kinds.c lists it, and the
 * functions of path.c cut and integrate. */
#include <math.h>

#include "maxwell/measure/kinds.h"
#include "maxwell/measure/path.h"

#define CIRCLE_CORNERS 256 /* the polygon has 1e-4 less area than its circle */

static int read_circle(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"centre", mx_read_triple, MX_DRAFT(centre), .expected = MX_POINT_EXPECTED, .example = "centre = { 0, 0, 0 }"},
      {"normal", mx_read_unit_vector, MX_DRAFT(normal), .expected = "three numbers, as in { 0, 0, 1 }",
       .example = "normal = { 0, 0, 1 }"},
      {"radius", mx_read_real, MX_DRAFT(radius), .expected = "a number > 0 (metres)", MX_ABOVE(0),
       .example = "radius = 0.01"},
  };
  struct mx_measure_draft *draft = to;
  if (mx_read_table(r, value, rule->expected, rules, MX_COUNT(rules), draft) != 0) return r->err->code;
  /* Sets two axes across the normal, anticlockwise around it. They start from the coordinate axis that is farthest from
   * the normal. */
  const double *n = draft->normal;
  int far = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0 : fabs(n[1]) <= fabs(n[2]) ? 1 : 2;
  double a[3], length = sqrt(1 - n[far] * n[far]);
  for (int d = 0; d < 3; d++) a[d] = ((d == far) - n[far] * n[d]) / length;
  const double b[3] = {n[1] * a[2] - n[2] * a[1], n[2] * a[0] - n[0] * a[2], n[0] * a[1] - n[1] * a[0]};
  if (mx_measure_set_points(r, &draft->measure, CIRCLE_CORNERS) != 0) return r->err->code;
  for (int i = 0; i < CIRCLE_CORNERS; i++) {
    double angle = 2 * acos(-1.0) * i / CIRCLE_CORNERS;
    for (int d = 0; d < 3; d++)
      draft->measure.point[i][d] = draft->centre[d] + draft->radius * (cos(angle) * a[d] + sin(angle) * b[d]);
  }
  return 0;
}

static int finish_current(struct mx_reader *r, const struct mx_value *item, struct mx_measure_draft *draft)
{
  const struct mx_value *path = mx_find_value(item, "path"), *circle = mx_find_value(item, "circle");
  if (path != NULL && circle != NULL) return mx_fail_at(r, circle, "%s takes 'path' or 'circle', not both", item->path);
  if (path != NULL) return mx_measure_check_path(r, path, &draft->measure, 3, true);
  if (circle == NULL)
    return mx_fail_at(r, item,
                      "%s needs 'path' or 'circle' (for example: circle = { centre = { 0, 0, 0 }, normal = { 0, 0, 1 "
                      "}, radius = 0.01 })",
                      item->path);
  return mx_measure_check_path(r, circle, &draft->measure, 3, true);
}

static int init(struct mx_measure *measure, const struct mx_measure_scene *scene, struct dg_error *err)
{
  return mx_path_init(measure, scene, true, "current", err);
}

static void to_si(const struct mx_measure *measure, double *part)
{
  (void)measure;
  *part /= MX_ETA0;
}

static const struct mx_rule rules[] = {
    MX_MEASURE_RULES("name = \"wire\""),
    {"path", mx_measure_read_path, 0,
     .expected = "a list of points (metres), as in { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }"},
    {"circle", read_circle, 0,
     .expected = "a table, as in { centre = { 0, 0, 0 }, normal = { 0, 0, 1 }, radius = 0.01 }"},
};
const struct mx_measure_kind mx_currents = {
    .reads = {.key = "currents",
              .title = "Current",
              .list =
                  "a list, as in currents = { { name = \"wire\", path = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } } } }",
              .item =
                  "a table, as in { name = \"wire\", circle = { centre = { 0, 0, 0 }, normal = { 0, 0, 1 }, radius = "
                  "0.01 } }",
              .rules = MX_COUNT(rules),
              .rule = rules,
              .finish = finish_current},
    .columns = "current",
    .init = init,
    .to_si = to_si,
    MX_ALONG_PATH,
};
