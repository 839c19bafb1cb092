/* The largest stable step of a box, and what becomes of noise in it. Include after box.h and drive.h. */
#pragma once

#include <math.h>
#include <stdlib.h>

#include "maxwell/limit/stability.h"

static inline double box_limit(const struct box *box, enum mx_integrator integrator)
{
  struct mx_stability stability;
  struct dg_error err = {0};
  if (mx_stability_limit(&stability, &box->problem, integrator, 0, &err) != 0) fail_msg("%s", err.message);
  return stability.limit;
}

/* Energy of noise after many steps, over that at the start; *most: the largest rise from one look to the next, `every`
 * so many steps. */
static inline double drive_grown_far(const struct mx_backend_ops *ops, const struct box *box,
                                     enum mx_integrator integrator, double step, long steps, long every, double *most)
{
  double *E = box_field(box), *H = box_field(box), first = 0, before = 0, energy = 0, rise = -INFINITY;
  box_random_state = 7;
  box_noise(box, E), box_noise(box, H);
  struct drive drive = drive_new(ops, box, integrator, MX_DOUBLE, step, E, H);
  for (long n = 0; n <= steps; n += every) {
    drive_observe(&drive);
    energy = drive_energy(&drive);
    if (n == 0) first = energy;
    else rise = fmax(rise, (energy - before) / first);
    before = energy;
    drive_finish(&drive);
    if (every > 1) drive_steps(&drive, every - 1);
  }
  *most = rise;
  ops->destroy(drive.backend);
  free(E), free(H);
  return fabs(energy / first);
}

/* The same with a look at every step. */
static inline double drive_grown(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                                 double step, long steps, double *most)
{
  return drive_grown_far(ops, box, integrator, step, steps, 1, most);
}
