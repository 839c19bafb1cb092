/* Boxes whose greater part is bent, walls and the plane between the media with it. Include after box.h. */
#pragma once

#include "libdg/mesh/curve.h"

struct bend {
  double from, amount; /* x <= from stays as it is */
};

static inline void bend_place(void *context, double x[3])
{
  const struct bend *bend = context;
  const double u = x[0] > bend->from ? x[0] - bend->from : 0, a = bend->amount * u;
  const double out[3] = {x[0] + a * u * x[1] * (1 + x[2]), x[1] + a * (0.6 * u + x[2] * x[2] * u + 0.3 * x[1] * u),
                         x[2] + a * u * (x[1] - 0.8 * x[1] * x[1])};
  memcpy(x, out, sizeof out);
}

/* After box_mesh and before box_problem. */
static inline void box_bend(struct box *box, int geometry, double from, double amount)
{
  struct bend bend = {from, amount};
  struct dg_error err = {0};
  dg_geometry_release(&box->geometry);
  if (dg_mesh_bend(&box->mesh, geometry, bend_place, &bend, &err) != 0 ||
      dg_geometry_init(&box->geometry, &box->mesh, &err) != 0)
    fail_msg("%s", err.message);
  assert_true(box->mesh.curved > 0 && box->mesh.curved < box->mesh.K);
}
