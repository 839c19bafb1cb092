/* Measurements that are taken at many steps: what the kernels find stays on the card, a row a time, and comes to the
 * host several rows at once, so that neither waits for the other at every step. The values are those of
 * gpu_sample_points and gpu_functionals, to the bit. */
#include <string.h>

#include "gpu/state.h"
#include "libdg/base/memory.h"
#include "maxwell/cpu/fused_tables.h"

enum { NUMBERS = 1 << 17 }; /* that a monitor keeps at most */

/* Elements whose H of half a step ago is wanted where leapfrog works in place: those of the points, then those of each
 * magnetic functional. `element` may be NULL. */
static size_t list_recalled(const struct mx_backend *backend, const struct mx_monitor *what, int32_t *element)
{
  size_t rows = gpu_rows_of_points(what->points, what->point, element);
  for (size_t f = 0; f < what->functionals; f++)
    if (backend->problem->functional[what->functional[f]].magnetic)
      rows += gpu_rows_of_functional(backend->problem, what->functional[f], element != NULL ? element + rows : NULL);
  return rows;
}

static int new_points(struct mx_backend *backend, struct gpu_monitor *monitor, const struct mx_monitor *what,
                      struct dg_error *err)
{
  const size_t weights = what->points * (size_t)backend->problem->ref->Np;
  double *weight = NULL;
  int32_t *number = NULL, *on_card;
  if (what->points == 0) return 0;
  if (DG_NEW(weight, weights, err) != 0 || DG_NEW(number, 3 * what->points, err) != 0) goto fail;
  gpu_list_points(backend, what->points, what->point, weight, number);
  for (size_t k = 0; k < what->points; k++) monitor->element[k] = what->point[k].element;
  if (gpu_new_copy(backend, &on_card, number, 3 * what->points * sizeof *number, "measurements", err) != 0 ||
      gpu_new_copy(backend, &monitor->at.weight, weight, weights * sizeof *weight, "measurements", err) != 0)
    goto fail;
  monitor->at.count = what->points;
  monitor->at.element = on_card;
  monitor->at.node = on_card + what->points;
  monitor->at.row = on_card + 2 * what->points;
fail:
  dg_free(weight);
  dg_free(number);
  return err->code;
}

static int new_recalled(struct mx_backend *backend, struct gpu_monitor *monitor, const struct mx_monitor *what,
                        struct dg_error *err)
{
  int32_t *element;
  const size_t rows = list_recalled(backend, what, NULL);
  if (!backend->in_place || rows == 0) return 0;
  if (DG_NEW(element, rows, err) != 0) return err->code;
  (void)list_recalled(backend, what, element);
  monitor->recalled.count = rows;
  monitor->point_rows = gpu_rows_of_points(what->points, what->point, NULL);
  (void)!gpu_new_copy(backend, &monitor->recalled.element, element, rows * sizeof *element, "measurements", err);
  dg_free(element);
  return err->code;
}

int gpu_monitor_new(struct mx_backend *backend, const struct mx_monitor *what, size_t *rows, size_t *number,
                    struct dg_error *err)
{
  const size_t *piece = backend->functional_piece;
  struct gpu_monitor monitor = {.functionals = what->functionals};
  monitor.width = 6 * what->points;
  for (size_t i = 0; i < what->functionals; i++)
    monitor.width += piece[what->functional[i] + 1] - piece[what->functional[i]];
  if (monitor.width > 0 && *rows > NUMBERS / monitor.width) *rows = NUMBERS / monitor.width;
  if (backend->in_place && list_recalled(backend, what, NULL) > backend->recall.rows) *rows = 0;
  if (backend->monitors == GPU_MONITORS) *rows = 0;
  if (*rows == 0) return 0;
  *number = backend->monitors;
  if (DG_NEW(monitor.element, what->points, err) != 0 || DG_NEW(monitor.functional, what->functionals, err) != 0)
    goto fail;
  if (what->functionals > 0) memcpy(monitor.functional, what->functional, what->functionals * sizeof *what->functional);
  if (new_points(backend, &monitor, what, err) != 0 || new_recalled(backend, &monitor, what, err) != 0 ||
      gpu_new(backend, &monitor.value, *rows * monitor.width * sizeof *monitor.value, "measurements", err) != 0)
    goto fail;
fail:
  backend->monitor[backend->monitors++] = monitor; /* released with the backend */
  return err->code;
}

void gpu_release_monitors(struct mx_backend *backend)
{
  for (size_t i = 0; i < backend->monitors; i++) {
    dg_free(backend->monitor[i].element);
    dg_free(backend->monitor[i].functional);
  }
}

int gpu_monitor_take(struct mx_backend *backend, size_t number, size_t row, struct dg_error *err)
{
  const struct gpu_monitor *monitor = &backend->monitor[number];
  const size_t stride = gpu_stride(backend->tables.order) * backend->real;
  double *part = monitor->value + row * monitor->width;
  struct gpu_points points = monitor->at;
  points.value = part;
  if ((monitor->recalled.count > 0 && gpu_recall_H(backend, &monitor->recalled, 0.5, backend->recall.row, err) != 0) ||
      gpu_check(gpu_start_sample(backend, points), "observing points", err) != 0)
    return err->code;
  part += 6 * points.count;
  const unsigned char *recalled = backend->recall.row; /* NULL, unless leapfrog works in place */
  if (recalled != NULL) recalled += monitor->point_rows * stride;
  for (size_t i = 0; i < monitor->functionals; i++) {
    const size_t f = monitor->functional[i];
    const bool recalls = recalled != NULL && backend->problem->functional[f].magnetic;
    if (gpu_check(gpu_start_functional(backend, f, true, recalls ? recalled : NULL, part), "observing", err) != 0)
      return err->code;
    if (recalls) recalled += stride * (backend->functional_row[f + 1] - backend->functional_row[f]);
    part += backend->functional_piece[f + 1] - backend->functional_piece[f];
  }
  return 0;
}

int gpu_monitor_fetch(struct mx_backend *backend, size_t number, size_t rows, double *value, struct dg_error *err)
{
  const struct gpu_monitor *monitor = &backend->monitor[number];
  const size_t bytes = rows * monitor->width * sizeof *monitor->value;
  if (bytes == 0) return 0;
  if (gpu_grow_staging(backend, bytes, err) != 0 ||
      gpu_check(gpuMemcpyAsync(backend->staging[1], monitor->value, bytes, gpuMemcpyDeviceToHost, backend->work),
                "observing", err) != 0 ||
      gpu_wait(backend, err) != 0)
    return err->code;
  const unsigned char *from = backend->staging[1];
  for (size_t row = 0; row < rows; row++) {
    for (size_t k = 0; k < monitor->at.count; k++, from += 6 * sizeof *value, value += 6)
      gpu_point_to_cartesian(backend, monitor->element[k], from, value);
    for (size_t i = 0; i < monitor->functionals; i++) {
      const size_t *piece = backend->functional_piece + monitor->functional[i], pieces = piece[1] - piece[0];
      *value++ = gpu_sum_of_parts(from, pieces);
      from += pieces * sizeof *value;
    }
  }
  return 0;
}
