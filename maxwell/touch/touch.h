/* One table of what may touch what: surfaces of total field, plane waves, drawn and grown layers, ports, sheets,
 * fluxes, surfaces of far fields, walls and sources (touch_rows.h).
 *
 * A pair that touches where it must not gives wrong fields without a sign. The walks (touch_find.c) go over faces and
 * elements once, when mesh, problem, sources and far fields are known. Each meeting of two things is looked up in the
 * table: what has no row is allowed; a row is an error, or a warning that comes once for each pair. */
#pragma once

#include "libdg/base/log.h"
#include "libdg/mesh/mesh.h"
#include "maxwell/far/far_field.h"
#include "maxwell/model/config.h"
#include "maxwell/problem/assignment.h"
#include "maxwell/problem/layer_shape.h"
#include "maxwell/sources/sources.h"

struct mx_touch_scene {
  const struct mx_config *config;
  const struct dg_mesh *mesh;
  const struct mx_problem *problem;
  const struct mx_assignment *assignment;
  const struct mx_layers *layers;
  const struct mx_sources *sources;
  const struct mx_far_fields *far;
  struct dg_log *log; /* rank 0's; NULL is silent */
};

/* Looks at all pairs. Collective. DG_INPUT: the first row of the table that is an error and that some rank has met,
 * with file:line and a place. Warnings go to the log. */
int mx_touch(const struct mx_touch_scene *scene, struct dg_error *err) DG_MUST_USE;
