/* The shape of a wall, found from its triangles, and how a layer grows from it. Shapes that a layer can continue are
 * convex:
 *   - a box: planes at right angles to each other in any orientation, of which some may be missing (one plane is one,
 *     too). They grow along their normals, one axis after the other;
 *   - a sphere or a piece of one, which grows away from its centre;
 *   - a cylinder or a piece of one, with or without flat ends. It grows away from its axis, then the ends along it.
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

/* The stages of growth (extrude.h) of any shape. */
enum { DG_WALL_STAGES = 3 };

/* Finds the shape, and stage[wall->faces]: when each face grows. DG_INPUT: it is none of these; the message, which
 * begins with a verb ("is concave at ..."), says where. */
int dg_wall_shape_find(struct dg_wall_shape *shape, int *stage, const struct dg_mesh *mesh, const struct dg_wall *wall,
                       struct dg_error *err) DG_MUST_USE;

/* Where a point of the wall, or of what has grown from it, goes in a stage for each metre of depth; shape is a struct
 * dg_wall_shape. The `way` of a struct dg_growth. */
void dg_wall_shape_way(const void *shape, int stage, const double x[3], double way[3]);

/* How far the surface at a side leaves the way of the layer: the sine of the largest angle between its face and the
 * way of the ends of the side. 0: the surface goes on beside the layer. */
double dg_wall_side_slope(const struct dg_mesh *mesh, const struct dg_wall *wall, const struct dg_wall_shape *shape,
                          const int *stage, const struct dg_wall_side *side);
