/* Lines: the fields at equally spaced points. The table at the end of this file is the kind; kinds.c lists it, and the
 * functions of points.c find and sample the points. */
#include "maxwell/measure/kinds.h"
#include "maxwell/measure/points.h"

static int finish_line(struct mx_reader *r, const struct mx_value *item, struct mx_measure_draft *draft)
{
  struct mx_measure_config *line = &draft->measure;
  if (mx_measure_set_points(r, line, 2) != 0) return r->err->code;
  mx_measure_set_point(&line->point[0], draft->from, NULL);
  mx_measure_set_point(&line->point[1], draft->to, NULL);
  line->samples[0] = (size_t)draft->samples;
  line->samples[1] = 1;
  if (mx_measure_same_point(draft->from, draft->to))
    return mx_fail_at(r, item, "%s: the line ends where it begins", item->path);
  return 0;
}

static int init(struct mx_measure *measure, const struct mx_measure_scene *scene, struct dg_error *err)
{
  if (mx_points_init(measure, scene, err) != 0) return err->code;
  if (((const struct mx_measured_points *)measure->own)->somewhere) return 0;
  return mx_points_outside(measure, scene, "line", err);
}

static const struct mx_rule rules[] = {
    MX_MEASURE_RULES("name = \"axis\""),
    {"from", mx_read_triple, MX_DRAFT(from), .expected = MX_POINT_EXPECTED, .example = "from = { 0, 0, 0 }"},
    {"to", mx_read_triple, MX_DRAFT(to), .expected = MX_POINT_EXPECTED, .example = "to = { 0, 0, 0.1 }"},
    {"points", mx_read_long, MX_DRAFT(samples), .expected = "an integer from 2 to 1000000", .least = 2, .most = 1e6},
};
const struct mx_measure_kind mx_lines = {
    .reads = {.key = "lines",
              .title = "Line",
              .places = true,
              .list = "a list, as in lines = { { name = \"axis\", from = { 0, 0, 0 }, to = { 0, 0, 0.1 } } }",
              .item = "a table, as in { name = \"axis\", from = { 0, 0, 0 }, to = { 0, 0, 0.1 } }",
              .rules = MX_COUNT(rules),
              .rule = rules,
              .finish = finish_line},
    .columns = "x,y,z," MX_FIELD_COLUMNS,
    .init = init,
    MX_ON_POINTS,
};
