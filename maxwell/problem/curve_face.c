/* Edges and normals of curved faces. Measures, sources and far fields call it. */
#include "maxwell/problem/curve_face.h"

#include <math.h>
#include <string.h>

#include "libdg/base/vec3.h"
#include "maxwell/problem/curve_tables.h"
#include "maxwell/problem/curved.h"

double mx_curve_face_at(const struct mx_problem *problem, size_t k, int f, const double place[3], double t[2][3],
                        double normal[3])
{
  double x[3][3];
  const double det = mx_curve_tangent(problem, k, place, x);
  for (int i = 0; i < 2; i++)
    for (int b = 0; b < 3; b++) {
      t[i][b] = 0;
      for (int a = 0; a < 3; a++) t[i][b] += mx_curve_edge[f][i][a] * x[a][b];
    }
  dg_cross(t[0], t[1], normal);
  const double length = sqrt(dg_dot(normal, normal)), sign = det < 0 ? -mx_curve_side(f) : mx_curve_side(f);
  for (int b = 0; b < 3; b++) normal[b] *= sign / length;
  return sign * length;
}

void mx_face_normal(const struct mx_problem *problem, size_t e, int f, size_t m, double normal[3])
{
  const ptrdiff_t k = problem->curves.count > 0 ? mx_curve_find(problem, e) : -1;
  if (k < 0) {
    memcpy(normal, problem->normal[e][f], 3 * sizeof *normal);
    return;
  }
  const struct dg_reference *ref = problem->ref;
  const int i = ref->face_node[(size_t)f * (size_t)ref->Nf + m];
  const double place[3] = {ref->r[i], ref->s[i], ref->t[i]};
  double t[2][3];
  (void)mx_curve_face_at(problem, (size_t)k, f, place, t, normal);
}
