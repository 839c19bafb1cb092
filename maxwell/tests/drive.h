/* Drives a backend as the time loop does. Include after box.h. */
#pragma once

#include "maxwell/backend/backend.h"

struct drive {
  const struct mx_backend_ops *ops;
  struct mx_backend *backend;
  struct mx_backend_options options;
};

static inline struct drive drive_new(const struct mx_backend_ops *ops, const struct box *box,
                                     enum mx_integrator integrator, enum mx_precision precision, double step,
                                     const double *E, const double *H)
{
  struct drive drive = {.ops = ops, .options = {.integrator = integrator, .precision = precision, .step = step}};
  struct dg_error err = {0};
  if (ops->create(&drive.backend, &box->problem, &drive.options, &err) != 0 ||
      ops->upload(drive.backend, E, H, &err) != 0)
    fail_msg("%s", err.message);
  return drive;
}

static inline void drive_stages(const struct drive *drive, int from, int to, bool observe)
{
  struct dg_error err = {0};
  for (int s = from; s < to; s++)
    if (drive->ops->stage_begin(drive->backend, s, observe, NULL, &err) != 0 ||
        drive->ops->stage_end(drive->backend, s, &err) != 0)
      fail_msg("%s", err.message);
}

/* The first part of a step, after which its values may be asked for, and the rest. */
static inline void drive_observe(const struct drive *drive)
{
  drive_stages(drive, 0, mx_schemes[drive->options.integrator].observe_stage, true);
}

static inline void drive_finish(const struct drive *drive)
{
  const struct mx_scheme *scheme = &mx_schemes[drive->options.integrator];
  drive_stages(drive, scheme->observe_stage, scheme->stages, false);
}

static inline void drive_steps(const struct drive *drive, long steps)
{
  for (long n = 0; n < steps; n++) drive_stages(drive, 0, mx_schemes[drive->options.integrator].stages, false);
}

static inline double drive_energy(const struct drive *drive)
{
  double electric = 0, magnetic = 0;
  struct dg_error err = {0};
  assert_int_equal(drive->ops->energy(drive->backend, &electric, &magnetic, &err), 0);
  return electric + magnetic;
}

/* Runs `steps` steps and returns the fields of the same time in E and H. */
static inline void drive_run(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                             enum mx_precision precision, double step, long steps, double *E, double *H)
{
  struct dg_error err = {0};
  struct drive drive = drive_new(ops, box, integrator, precision, step, E, H);
  drive_steps(&drive, steps);
  drive_observe(&drive);
  assert_int_equal(ops->download(drive.backend, E, H, &err), 0);
  ops->destroy(drive.backend);
}
