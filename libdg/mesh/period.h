/* Periodic meshes: what leaves through a side of the mesh comes in through the opposite one. The two sides have the
 * same triangles, a translation apart, and become neighbours of each other. */
#pragma once

#include "libdg/mesh/mesh.h"

/* Two sides. Their faces are those on the outside of the mesh that lie on a chosen surface. */
struct dg_mesh_sides {
  const bool *from, *to; /* [entities]; borrowed */
  char name[2][80];      /* of `from` and `to`, for messages */
};

/* Gives the vertices of a whole mesh numbers with which both sides of each pair list the vertices of their faces in the
 * same order, as faces inside the mesh do (mesh.h). Elements stay where they are; the order of their vertices and faces
 * changes. period[pairs] becomes the translation from each pair's `from` to its `to`, m. Errors (DG_INPUT): a side
 * without faces, sides that do not have the same triangles, with the place, the distance and what helps; an element
 * that touches its own image. After an error the mesh is as it was. */
int dg_mesh_order_sides(struct dg_mesh *mesh, size_t pairs, const struct dg_mesh_sides *sides, double (*period)[3],
                        struct dg_error *err) DG_MUST_USE;

/* The same, and then the faces of the sides become neighbours: they lie on no surface any more, and the surfaces'
 * entities do not count them. The mesh keeps the translations (dg_mesh.period). pairs <= 3. */
int dg_mesh_join_sides(struct dg_mesh *mesh, size_t pairs, const struct dg_mesh_sides *sides,
                       struct dg_error *err) DG_MUST_USE;
