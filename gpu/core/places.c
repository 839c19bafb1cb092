/* Points and functionals as kernels take them: places.h. */
#include "gpu/core/places.h"

#include <string.h>

#include "gpu/core/core.h"
#include "maxwell/backend/frame/frame.h"

double gpu_sum_of_parts(const unsigned char *from, size_t parts)
{
  double sum = 0;
  for (size_t i = 0; i < parts; i++) {
    double part;
    memcpy(&part, from + i * sizeof part, sizeof part);
    sum += part;
  }
  return sum;
}

void gpu_list_points(const struct mx_backend *backend, size_t count, const struct mx_point *point, double *weight,
                     int32_t *element, int32_t *node)
{
  const size_t Np = (size_t)backend->problem->ref->Np;
  for (size_t k = 0; k < count; k++) {
    for (size_t n = 0; n < Np; n++)
      weight[k * Np + n] = point[k].weight != NULL ? point[k].weight[backend->node[n]] : 0;
    element[k] = (int32_t)point[k].element;
    node[k] = point[k].weight != NULL ? -1 : backend->place[point[k].node];
  }
}

const double *gpu_metric_of_point(const struct mx_backend *backend, const struct mx_point *point)
{
  if (point->metric != NULL) return point->metric;
  return gpu_metric_at(backend, point->element, point->weight != NULL ? 0 : point->node);
}

void gpu_point_to_cartesian(const double metric[9], const unsigned char *from, double *value)
{
  double u[6], g[3][3];
  memcpy(u, from, sizeof u);
  mx_frame_gradients(metric, g);
  for (size_t f = 0; f < 6; f += 3)
    for (size_t d = 0; d < 3; d++) value[f + d] = u[f] * g[0][d] + u[f + 1] * g[1][d] + u[f + 2] * g[2][d];
}

size_t gpu_rows_of_functional(const struct mx_problem *problem, size_t functional, int32_t *element)
{
  const struct mx_functional *from = &problem->functional[functional];
  const size_t numbers = 3 * (size_t)problem->ref->Np;
  size_t rows = 0;
  for (size_t k = 0; k < from->count; k++) {
    if (k > 0 && from->index[k] / numbers == from->index[k - 1] / numbers) continue;
    if (element != NULL) element[rows] = (int32_t)(from->index[k] / numbers);
    rows++;
  }
  return rows;
}

struct gpu_sum gpu_sum_of_functional(const struct mx_backend *backend, size_t f, double *part)
{
  const size_t *piece = backend->functional_piece + f;
  const void *field = backend->field[backend->problem->functional[f].magnetic];
  return (struct gpu_sum){.order = backend->tables.order,
                          .count = piece[1] - piece[0],
                          .first = backend->piece_first + piece[0],
                          .place = backend->functional_place,
                          .row = backend->functional_element,
                          .other_row = backend->functional_element,
                          .first_row = backend->functional_row[f],
                          .weight = backend->functional_weight,
                          .u = field,
                          .v = field,
                          .part = part};
}
