/* Measurements that are taken at many steps. The numbers of a step stay on the card as a row, and several rows come to
 * the host at once, so that neither waits for the other at every step. Where leapfrog works in place, H of half a step
 * before is copied for the elements that are looked at. */
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/core/halo.h"
#include "gpu/core/places.h"
#include "gpu/core/staging.h"
#include "gpu/watch/monitor.h"
#include "libdg/base/bug.h"
#include "libdg/base/memory.h"

enum {
  NUMBERS = 1 << 17, /* numbers that a monitor keeps at most */
  ELEMENTS = 1 << 14 /* elements that a monitor looks at, at most */
};

static bool has_kept(const struct mx_backend *backend, size_t functional)
{
  return backend->in_place && backend->problem->functional[functional].magnetic;
}

/* The number of elements whose H of half a step before is kept. Fills the list of elements, if `element` is not NULL:
 * those of the points, then those of the functionals. */
static size_t list_elements(const struct mx_backend *backend, const struct mx_monitor *what, int32_t *element)
{
  size_t rows = 0;
  for (; backend->in_place && rows < what->points; rows++)
    if (element != NULL) element[rows] = (int32_t)what->point[rows].element;
  for (size_t i = 0; i < what->functionals; i++)
    if (has_kept(backend, what->functional[i]))
      rows += gpu_rows_of_functional(backend->problem, what->functional[i], element != NULL ? element + rows : NULL);
  return rows;
}

int gpu_keep_elements(struct mx_backend *backend, size_t count, const int32_t *element, size_t *first,
                      struct dg_error *err)
{
  struct gpu_monitored *all = backend->monitored;
  DG_BUG_IF(all->kept.row != NULL, "rows are to be kept behind a step that was observed");
  *first = all->kept.count;
  if (count == 0) return 0;
  if (dg_grow(&all->element, *first + count, sizeof *all->element, err) != 0) return err->code;
  memcpy(all->element + *first, element, count * sizeof *element);
  all->kept.count += count;
  return gpu_new_copy(&backend->card, &all->kept.element, all->element, all->kept.count * sizeof *all->element,
                      "measurements", err);
}

static int keep_monitored(struct mx_backend *backend, struct gpu_monitor *monitor, const struct mx_monitor *what,
                          struct dg_error *err)
{
  const size_t count = list_elements(backend, what, NULL);
  int32_t *element;
  if (DG_NEW(element, count, err) != 0) return err->code;
  (void)list_elements(backend, what, element);
  (void)!gpu_keep_elements(backend, count, element, &monitor->first, err);
  dg_free(element);
  return err->code;
}

static int new_points(struct mx_backend *backend, struct gpu_monitor *monitor, const struct mx_monitor *what,
                      struct dg_error *err)
{
  const size_t count = what->points, weights = count * (size_t)backend->problem->ref->Np;
  double *weight = NULL;
  int32_t *number = NULL, *on_card; /* [3][count] element, node, row of H of before */
  if (DG_NEW(weight, weights, err) != 0 || DG_NEW(number, 3 * count, err) != 0) goto fail;
  gpu_list_points(backend, count, what->point, weight, number, number + count);
  for (size_t k = 0; k < count; k++) {
    number[2 * count + k] = backend->in_place ? (int32_t)(monitor->first + k) : number[k];
    memcpy(monitor->metric[k], gpu_metric_of_point(backend, &what->point[k]), sizeof *monitor->metric);
  }
  if (gpu_new_copy(&backend->card, &on_card, number, 3 * count * sizeof *number, "measurements", err) != 0 ||
      gpu_new_copy(&backend->card, &monitor->at.weight, weight, weights * sizeof *weight, "measurements", err) != 0)
    goto fail;
  monitor->at.count = count;
  monitor->at.element = monitor->at.row = on_card;
  monitor->at.node = on_card + count;
  monitor->at.other_row = on_card + 2 * count;
fail:
  dg_free(weight);
  dg_free(number);
  return err->code;
}

int gpu_monitor_new(struct mx_backend *backend, const struct mx_monitor *what, size_t *rows, size_t *number,
                    struct dg_error *err)
{
  struct gpu_monitored *all = backend->monitored;
  const size_t *piece = backend->functional_piece;
  size_t width = 6 * what->points;
  for (size_t i = 0; i < what->functionals; i++) width += piece[what->functional[i] + 1] - piece[what->functional[i]];
  if (width > 0 && *rows > NUMBERS / width) *rows = NUMBERS / width;
  if (all->count == GPU_MONITORS || list_elements(backend, what, NULL) > ELEMENTS) *rows = 0;
  if (*rows == 0) return 0;
  *number = all->count++; /* what it has is released with the backend */
  struct gpu_monitor *monitor = &all->monitor[*number];
  monitor->functionals = what->functionals;
  monitor->width = width;
  if (DG_NEW(monitor->metric, what->points, err) != 0 || DG_NEW(monitor->functional, what->functionals, err) != 0)
    return err->code;
  if (what->functionals > 0)
    memcpy(monitor->functional, what->functional, what->functionals * sizeof *what->functional);
  if (keep_monitored(backend, monitor, what, err) != 0 || new_points(backend, monitor, what, err) != 0)
    return err->code;
  return gpu_new(&backend->card, &monitor->value, *rows * width * sizeof *monitor->value, "measurements", err);
}

void gpu_release_monitors(struct mx_backend *backend)
{
  struct gpu_monitored *all = backend->monitored;
  for (size_t i = 0; i < all->count; i++) {
    dg_free(all->monitor[i].metric);
    dg_free(all->monitor[i].functional);
  }
  dg_free(all->element);
}

int gpu_monitor_keep(struct mx_backend *backend, struct dg_error *err)
{
  struct gpu_kept *kept = &backend->monitored->kept;
  const size_t row = gpu_stride(backend->tables.order) * backend->real;
  if (!backend->observed || kept->count == 0) return 0;
  if (kept->row == NULL &&
      gpu_new(&backend->card, &kept->row, kept->count * row, "rows of half a step before", err) != 0)
    return err->code;
  return gpu_check(gpu_keep_rows(&backend->tables, kept, backend->field[1], backend->work), "copying rows", err);
}

int gpu_monitor_take(struct mx_backend *backend, size_t number, size_t row, struct dg_error *err)
{
  const struct gpu_monitor *monitor = &backend->monitored->monitor[number];
  const void *before = backend->in_place ? backend->monitored->kept.row : gpu_other_H(backend);
  double *part = monitor->value + row * monitor->width;
  struct gpu_points points = monitor->at;
  DG_BUG_IF(backend->in_place && !backend->observed, "a step was to be measured that is not observed");
  points.E = backend->field[0], points.H = backend->field[1], points.H_other = before;
  points.value = part;
  if (gpu_check(gpu_sample(&backend->tables, &points, backend->work), "observing points", err) != 0) return err->code;
  part += 6 * points.count;
  size_t at = monitor->first + points.count; /* among the rows that are kept */
  for (size_t i = 0; i < monitor->functionals; i++) {
    const size_t f = monitor->functional[i];
    struct gpu_sum sum = gpu_sum_of_functional(backend, f, part);
    if (has_kept(backend, f)) {
      sum.v = (const unsigned char *)before + at * gpu_stride(backend->tables.order) * backend->real;
      sum.other_row = NULL;
      at += backend->functional_row[f + 1] - backend->functional_row[f];
    } else if (backend->problem->functional[f].magnetic) sum.v = before;
    if (gpu_check(gpu_weighted_sums(&backend->tables, &sum, backend->work), "observing", err) != 0) return err->code;
    part += sum.count;
  }
  return 0;
}

int gpu_monitor_fetch(struct mx_backend *backend, size_t number, size_t rows, double *value, struct dg_error *err)
{
  const struct gpu_monitor *monitor = &backend->monitored->monitor[number];
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
      gpu_point_to_cartesian(monitor->metric[k], from, value);
    for (size_t i = 0; i < monitor->functionals; i++) {
      const size_t *piece = backend->functional_piece + monitor->functional[i], pieces = piece[1] - piece[0];
      *value++ = gpu_sum_of_parts(from, pieces);
      from += pieces * sizeof *value;
    }
  }
  return 0;
}
