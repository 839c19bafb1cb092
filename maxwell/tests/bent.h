/* Boxes of curved elements (box.h) for tests: a map of space bends the straight ones. Include after box.h. */
#pragma once

#include "libdg/mesh/curve.h"

/* Bends the mesh of a box, with elements of order `geometry`. Before the problem is built. */
static inline void bend_box(struct box *box, int geometry, void (*map)(void *context, double x[3]), void *context)
{
  struct dg_error err = {0};
  dg_geometry_release(&box->geometry);
  if (dg_mesh_bend(&box->mesh, geometry, map, context, &err) != 0 ||
      dg_geometry_init(&box->geometry, &box->mesh, &err) != 0)
    fail_msg("%s", err.message);
}
