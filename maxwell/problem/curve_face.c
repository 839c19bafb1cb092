/* Edges and normals of curved faces. Measures, sources and far fields call it. */
#include "maxwell/problem/curve_face.h"

#include "libdg/ref/quadrature.h"

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

void mx_face_frame_at(const struct dg_face_map *map, const double outwards[3], const double bary[3],
                      struct mx_face_frame *frame)
{
  dg_face_map_at(map, bary, frame->x, frame->t);
  dg_cross(frame->t[0], frame->t[1], frame->normal);
  frame->area = sqrt(dg_dot(frame->normal, frame->normal));
  frame->sign = dg_dot(frame->normal, outwards) < 0 ? -1 : 1;
  for (int c = 0; c < 3; c++) frame->normal[c] *= frame->sign / frame->area;
}

double mx_curved_face_area(const struct dg_face_map *map)
{
  enum { POINTS = 8 };
  double x[POINTS], weight[POINTS], area = 0;
  dg_gauss_legendre(POINTS, x, weight);
  for (int i = 0; i < POINTS; i++)
    for (int j = 0; j < POINTS; j++) { /* the square collapsed to a triangle */
      const double b = x[i], c = x[j] * (1 - b), bary[3] = {1 - b - c, b, c};
      double at[3], t[2][3], normal[3];
      dg_face_map_at(map, bary, at, t);
      dg_cross(t[0], t[1], normal);
      area += 4 * (1 - b) * weight[i] * weight[j] * sqrt(dg_dot(normal, normal));
    }
  return area;
}
