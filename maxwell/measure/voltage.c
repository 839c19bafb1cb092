/* Voltages: integrals of E along paths. The table at the end of this file is the kind; kinds.c lists it, and the
 * functions of path.c cut and integrate. */
#include "maxwell/measure/kinds.h"
#include "maxwell/measure/path.h"

static int finish_voltage(struct mx_reader *r, const struct mx_value *item, struct mx_measure_draft *draft)
{
  const struct mx_value *path = mx_find_value(item, "path"), *from = mx_find_value(item, "from"),
                        *to = mx_find_value(item, "to");
  if (path != NULL && (from != NULL || to != NULL))
    return mx_fail_at(r, from != NULL ? from : to, "%s takes 'path', or 'from' and 'to', not both", item->path);
  if (path != NULL) return mx_measure_check_path(r, path, &draft->measure, 2, false);
  if (from == NULL && to == NULL)
    return mx_fail_at(r, item,
                      "%s needs 'from' and 'to', or 'path' (for example: from = { 0, 0, 0 }, to = { 0, 0, 0.1 })",
                      item->path);
  if (from == NULL || to == NULL)
    return mx_fail_at(r, item, "'%s' is missing in %s, which has '%s' (for example: %s = { 0, 0, 0.1 })",
                      from == NULL ? "from" : "to", item->path, from == NULL ? "to" : "from",
                      from == NULL ? "from" : "to");
  if (mx_measure_set_points(r, &draft->measure, 2) != 0) return r->err->code;
  mx_measure_set_point(&draft->measure.point[0], draft->from, NULL);
  mx_measure_set_point(&draft->measure.point[1], draft->to, NULL);
  return mx_measure_check_path(r, item, &draft->measure, 2, false);
}

static int init(struct mx_measure *measure, const struct mx_measure_scene *scene, struct dg_error *err)
{
  return mx_path_init(measure, scene, false, "voltage", err);
}

/* The integral is in V already. */
static void to_si(const struct mx_measure *measure, double *part) { (void)measure, (void)part; }

static const struct mx_rule rules[] = {
    MX_MEASURE_RULES("name = \"gap\""),
    {"path", mx_measure_read_path, 0, .expected = "a list of points (metres), as in { { 0, 0, 0 }, { 0, 0, 0.1 } }"},
    {"from", mx_read_triple, MX_DRAFT(from), .expected = MX_POINT_EXPECTED},
    {"to", mx_read_triple, MX_DRAFT(to), .expected = MX_POINT_EXPECTED},
};
const struct mx_measure_kind mx_voltages = {
    .reads = {.key = "voltages",
              .title = "Voltage",
              .list = "a list, as in voltages = { { name = \"gap\", from = { 0, 0, 0 }, to = { 0, 0, 0.1 } } }",
              .item = "a table, as in { name = \"gap\", from = { 0, 0, 0 }, to = { 0, 0, 0.1 } }",
              .rules = MX_COUNT(rules),
              .rule = rules,
              .finish = finish_voltage},
    .columns = "voltage",
    .init = init,
    .to_si = to_si,
    MX_ALONG_PATH,
};
