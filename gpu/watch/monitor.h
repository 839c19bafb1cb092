/* Points and functionals that are measured again and again. */
#pragma once

#include "gpu/kernels/kernels.h"
#include "maxwell/backend/backend.h"

enum { GPU_MONITORS = 16 }; /* what is measured at the same steps is one */

/* The points and functionals that are measured at the same steps, again and again (monitor.c). */
struct gpu_monitor {
  struct gpu_points at; /* without the fields */
  size_t functionals, *functional;
  size_t first;  /* row of monitored.kept: those of the points, then those of the functionals of H, in their order */
  size_t width;  /* numbers a time: six a point, pieces of the functionals */
  double *value; /* [rows][width] of the card */
  double (*metric)[9]; /* [at.count] of the points */
};

struct gpu_monitored {
  size_t count;
  struct gpu_monitor monitor[GPU_MONITORS];
  struct gpu_kept kept; /* H of half a step before, where leapfrog works in place, of all monitors' elements as often as
                           they have them; rows are allocated when something is observed first */
  int32_t *element;     /* [kept.count] the same as kept.element, on the host */
};

int gpu_monitor_new(struct mx_backend *backend, const struct mx_monitor *what, size_t *rows, size_t *number,
                    struct dg_error *err);
/* Keeps H for the monitors. Call it before the half step of H. It does nothing where the step is not observed. */
int gpu_monitor_keep(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
int gpu_monitor_take(struct mx_backend *backend, size_t number, size_t row, struct dg_error *err);
int gpu_monitor_fetch(struct mx_backend *backend, size_t number, size_t rows, double *value, struct dg_error *err);
void gpu_release_monitors(struct mx_backend *backend);

/* Keeps H of half a step before of these elements at every observed step from now on, as rows *first and following of
 * monitored.kept. Before the first step. */
int gpu_keep_elements(struct mx_backend *backend, size_t count, const int32_t *element, size_t *first,
                      struct dg_error *err) DG_MUST_USE;
