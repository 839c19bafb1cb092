/* The map of one face of a curved element: a polynomial through the face's own nodes, the same from both sides. */
#pragma once

#include <stdbool.h>

#include "libdg/mesh/mesh.h"

enum { DG_FACE_SHAPE_MAX = 15 };

struct dg_face_map {
  int geometry;                      /* order; 0: the map is affine, and there are no nodes */
  double node[DG_FACE_SHAPE_MAX][3]; /* m, equispaced: towards the second vertex first, then the third */
};

/* Takes the map of face f of an element of this rank. False: it is affine, within 1e-8 of the face's size, so that both
 * sides say the same. */
bool dg_face_map_of(const struct dg_mesh *mesh, size_t e, int f, struct dg_face_map *map);
/* The place x (m) at barycentric coordinates towards the face's vertices, and t = dx by the coordinates of the
 * reference triangle (-1 to 1, towards the second and the third vertex): |t1 x t2| is half the area of a flat face. */
void dg_face_map_at(const struct dg_face_map *map, const double bary[3], double x[3], double t[2][3]);
