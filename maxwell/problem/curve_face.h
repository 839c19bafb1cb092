/* Faces of curved elements, for what is prescribed and measured there: edges and normals at their places. */
#pragma once

#include "maxwell/problem/problem.h"

/* Edges t1, t2 (m) of face f of curved element k at a place (r, s, t) on it, the same vectors for both sides of the
 * face; and the unit normal outwards. Returns the area by that of the reference triangle, |t1 x t2|: half the area of a
 * flat face. The return value has the sign of t1 x t2 along the normal. */
double mx_curve_face_at(const struct mx_problem *problem, size_t k, int f, const double place[3], double t[2][3],
                        double normal[3]);

/* Unit normal outwards of face f of any element at node m of the face. */
void mx_face_normal(const struct mx_problem *problem, size_t e, int f, size_t m, double normal[3]);
