/* Probes: the fields at a point. The table at the end of this file is the kind; kinds.c lists it, and the functions of
 * points.c find and sample the point. */
#include "maxwell/measure/kinds.h"
#include "maxwell/measure/points.h"

static int init(struct mx_measure *measure, const struct mx_measure_scene *scene, struct dg_error *err)
{
  const struct mx_measure_config *config = measure->config;
  char span[300];
  if (mx_points_init(measure, scene, err) != 0) return err->code;
  if (((const struct mx_measured_points *)measure->own)->somewhere) return 0;
  if (mx_measure_span(scene->mesh, scene->problem->comm, 1, (const double(*)[3])measure->x, span, sizeof span, err) !=
      0)
    return err->code;
  return dg_fail(err, DG_INPUT, MX_PLACE "probe '%s' at (%g, %g, %g) m is outside the mesh, %s", MX_AT(config->where),
                 config->name, measure->x[0][0], measure->x[0][1], measure->x[0][2], span);
}

static const struct mx_rule rules[] = {
    MX_MEASURE_RULES("name = \"centre\""),
    {"at", mx_read_triple, MX_DRAFT(at), .expected = MX_POINT_EXPECTED, .example = "at = { 0.4, 0.5, 0.3 }"},
};
const struct mx_measure_kind mx_probes = {
    .reads = {.key = "probes",
              .title = "Probe",
              .list = "a list, as in probes = { { name = \"centre\", at = { 0.4, 0.5, 0.3 } } }",
              .item = "a table, as in { name = \"centre\", at = { 0.4, 0.5, 0.3 } }",
              .rules = MX_COUNT(rules),
              .rule = rules,
              .finish = mx_points_finish},
    .columns = MX_FIELD_COLUMNS,
    .init = init,
    MX_ON_POINTS,
};
