/* The frames of curved elements. */
#include "maxwell/problem/curved.h"

#include <math.h>
#include <string.h>

#include "libdg/base/vec3.h"
#include "libdg/mesh/curve.h"

size_t mx_curve_nodes(int geometry) { return dg_shape_nodes(geometry); }

ptrdiff_t mx_curve_find(const struct mx_problem *problem, size_t e)
{
  return dg_find_ascending(problem->curves.count, problem->curves.where, e);
}

double mx_curve_tangent(const struct mx_problem *problem, size_t k, const double place[3], double tangent[3][3])
{
  const struct mx_curves *curves = &problem->curves;
  double normal[3];
  dg_shape_at(curves->geometry, (const double(*)[3])(curves->shape + k * dg_shape_nodes(curves->geometry)), place, NULL,
              tangent);
  dg_cross(tangent[1], tangent[2], normal);
  return dg_dot(tangent[0], normal);
}

double mx_curve_metric(const struct mx_problem *problem, size_t k, const double place[3], double metric[9])
{
  double tangent[3][3];
  const double det = mx_curve_tangent(problem, k, place, tangent);
  for (int a = 0; a < 3; a++) {
    double cofactor[3];
    dg_cross(tangent[(a + 1) % 3], tangent[(a + 2) % 3], cofactor);
    for (int b = 0; b < 3; b++) metric[3 * a + b] = cofactor[b] / det;
  }
  return det;
}

double mx_element_metric(const struct mx_problem *problem, size_t e, const double place[3], double metric[9])
{
  const ptrdiff_t k = problem->curves.count > 0 ? mx_curve_find(problem, e) : -1;
  if (k >= 0) return mx_curve_metric(problem, (size_t)k, place, metric);
  memcpy(metric, problem->metric[e], 9 * sizeof *metric);
  double cofactor[3];
  dg_cross(metric + 3, metric + 6, cofactor);
  return 1 / dg_dot(metric, cofactor);
}
