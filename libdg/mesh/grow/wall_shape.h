/* The shape of a wall, found from its triangles, and the way in which each of its vertices moves when a layer grows
 * from it. Shapes that a layer can continue are convex and close upon themselves outwards:
 *   - a box: planes at right angles to each other in any orientation, of which some may be missing (one plane is one,
 *     too). A vertex on several planes moves by the sum of their normals, so that edges and corners are mitred;
 *   - a sphere or a piece of one: a vertex moves away from the centre;
 *   - a cylinder or a piece of one, with or without flat ends: a vertex moves away from the axis, along it on an end,
 *     and by the sum of both on the rim of an end.
 * Missing pieces are cut off by other walls; whether those go on along the layer is asked of each side of the wall
 * (dg_wall_side_slope). */
#pragma once

#include "libdg/mesh/grow/wall.h"

enum dg_wall_kind { DG_WALL_BOX, DG_WALL_SPHERE, DG_WALL_CYLINDER };

struct dg_wall_shape {
  enum dg_wall_kind kind;
  double centre[3];  /* m; of a box: of the wall's extent along the axes; on the axis of a cylinder */
  double axis[3][3]; /* rows: an orthonormal frame; axis[2] is that of a cylinder */
  /* Metres from the centre along the axes. A box: where the planes are, -INFINITY and INFINITY where there is none. A
   * sphere: high[0] is its radius. A cylinder: high[0] is its radius, INFINITY if the wall has only ends; low[2] and
   * high[2] are its ends, infinite where there is none. */
  double low[3], high[3];
};

/* Finds the shape, and direction[wall->vertices]: where a vertex moves to for each metre of depth. DG_INPUT: it is none
 * of these; the message, which begins with a verb ("is concave at ..."), says where. */
int dg_wall_shape_find(struct dg_wall_shape *shape, double (*direction)[3], const struct dg_mesh *mesh,
                       const struct dg_wall *wall, struct dg_error *err) DG_MUST_USE;

/* How far the surface at a side leaves the way of the layer: the sine of the largest angle between its face and the
 * directions of its ends. 0: the surface goes on beside the layer. */
double dg_wall_side_slope(const struct dg_mesh *mesh, const struct dg_wall *wall, const double (*direction)[3],
                          const struct dg_wall_side *side);
