/* Faces of curved elements, for what is prescribed and measured there: edges and normals at their places. */
#pragma once

#include "libdg/mesh/face_map.h"
#include "maxwell/problem/problem.h"

/* Edges t1, t2 (m) of face f of curved element k at a place (r, s, t) on it, the same vectors for both sides of the
 * face; and the unit normal outwards. Returns the area by that of the reference triangle, |t1 x t2|: half the area of a
 * flat face. The return value has the sign of t1 x t2 along the normal. */
double mx_curve_face_at(const struct mx_problem *problem, size_t k, int f, const double place[3], double t[2][3],
                        double normal[3]);

/* Unit normal outwards of face f of any element at node m of the face. */
void mx_face_normal(const struct mx_problem *problem, size_t e, int f, size_t m, double normal[3]);

/* A place of a curved face, for who knows the face by its map alone. */
struct mx_face_frame {
  double x[3], t[2][3]; /* m; t by the coordinates of the reference triangle, of area 2 */
  double normal[3];     /* unit, on the side of `outwards` */
  double area;          /* |t1 x t2| */
  double sign;          /* of t1 x t2 along the normal */
};
/* The frame at barycentric coordinates; outwards[3] tells the sides apart. */
void mx_face_frame_at(const struct dg_face_map *map, const double outwards[3], const double bary[3],
                      struct mx_face_frame *frame);
/* The area of the face, m^2. */
double mx_curved_face_area(const struct dg_face_map *map);
