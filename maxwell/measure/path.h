/* Integrals along paths, for voltages and currents: functions for the table of their kinds. The state `own` of such a
 * measure is a struct mx_measured_path. */
#pragma once

#include "maxwell/measure/measure.h"

struct mx_measured_path {
  size_t functional;        /* index of the problem's functional */
  double length, uncovered; /* m: of the whole path, and of its part outside the mesh */
};

/* Cuts the path of config.point; the path of an integral of H is closed. `what` is the measure's name in messages. */
int mx_path_init(struct mx_measure *measure, const struct mx_measure_scene *scene, bool magnetic, const char *what,
                 struct dg_error *err) DG_MUST_USE;
void mx_path_release(struct mx_measure *measure);
int mx_path_take(const struct mx_measure *measure, const struct mx_problem *problem, const struct mx_backend_ops *ops,
                 struct mx_backend *backend, double *part, double *scratch, struct dg_error *err) DG_MUST_USE;
struct mx_monitor mx_path_watch(const struct mx_measure *measure);
size_t mx_path_memory(const struct mx_measure *measure, const struct mx_problem *problem);

#define MX_ALONG_PATH .release = mx_path_release, .take = mx_path_take, .watch = mx_path_watch, .memory = mx_path_memory
