/* The frames of curved elements. */
#include "maxwell/problem/curved.h"

#include <inttypes.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/curve.h"
#include "libdg/ref/rule.h"

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

/* ---- places where a map must not fold ---- */

/* The points of the rules of two orders, and the nodes: (r, s, t) in place[*count]. */
static int list_places(const struct dg_reference *ref, double (**place)[3], size_t *count, struct dg_error *err)
{
  const int orders[2] = {1, ref->order};
  if (DG_NEW(*place, ref->Np + dg_rule_points(3, 1) + dg_rule_points(3, ref->order), err) != 0) return err->code;
  *count = 0;
  for (int i = 0; i < ref->Np; i++) {
    double *at = (*place)[(*count)++];
    at[0] = ref->r[i], at[1] = ref->s[i], at[2] = ref->t[i];
  }
  for (int o = 0; o < 2; o++) {
    struct dg_rule rule;
    if (dg_rule_tetrahedron(&rule, orders[o], err) != 0) return err->code;
    for (int q = 0; q < rule.points; q++, ++*count)
      for (int a = 0; a < 3; a++) (*place)[*count][a] = 2 * rule.place[q][a + 1] - 1;
    dg_rule_release(&rule);
  }
  return 0;
}

/* Six times the volume between the vertices has the sign of the element. */
static double sign_of(const struct dg_mesh *mesh, size_t e)
{
  const int32_t *v = mesh->element[e];
  return dg_volume6(mesh->vertex[v[0]], mesh->vertex[v[1]], mesh->vertex[v[2]], mesh->vertex[v[3]]) < 0 ? -1 : 1;
}

int mx_curve_check(const struct dg_mesh *mesh, const struct dg_reference *ref, struct dg_error *err)
{
  double(*place)[3] = NULL;
  size_t count = 0;
  if (mesh->curved == 0) return 0;
  if (list_places(ref, &place, &count, err) != 0) goto fail;
  for (size_t k = 0; k < mesh->curved; k++) {
    const size_t e = (size_t)mesh->curve[k];
    const double sign = sign_of(mesh, e);
    for (size_t i = 0; i < count; i++) {
      double x[3], tangent[3][3], normal[3];
      dg_shape_at(mesh->geometry, dg_mesh_shape(mesh, k), place[i], x, tangent);
      dg_cross(tangent[1], tangent[2], normal);
      if (sign * dg_dot(tangent[0], normal) > 0) continue;
      (void)dg_fail(err, DG_INPUT,
                    "curved element %" PRIu64
                    " folds near (%.5g, %.5g, %.5g) m at a place that order %d needs: make the "
                    "mesh finer there (mesh.size), or lower mesh.geometry",
                    mesh->tag[e], x[0], x[1], x[2], ref->order);
      goto fail;
    }
  }
fail:
  dg_free(place);
  return err->code;
}
