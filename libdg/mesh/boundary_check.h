/* Boundary faces that go through each other, or lie on each other with a gap that nobody can have meant. Elements that
 * overlap have a boundary face's point inside another element (mesh_check.h), or boundaries that cross; large elements
 * may do the latter alone. Errors (DG_INPUT) name both elements and the place. */
#pragma once

#include "libdg/mesh/mesh.h"

/* A boundary face, for any rank to compare with its own. */
struct dg_boundary_face {
  double vertex[3][3], outward[3];
  int64_t number[3]; /* of the vertices in the whole mesh */
  uint64_t tag;      /* of the element */
  int64_t volume;    /* tag of its volume */
};

struct dg_boundary_face dg_boundary_face_of(const struct dg_mesh *mesh, size_t e, int f);

/* Boxes around the boundary faces. */
struct dg_boundary;

int dg_boundary_new(struct dg_boundary **boundary, const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
void dg_boundary_free(struct dg_boundary *boundary);
size_t dg_boundary_faces(const struct dg_boundary *boundary);
const struct dg_boundary_face *dg_boundary_face(const struct dg_boundary *boundary, size_t i);

/* Does a face cross one of these, or face one of them across a gap below 1e-3 of its longest edge? O(log B). */
int dg_boundary_compare(const struct dg_boundary *boundary, const struct dg_boundary_face *face,
                        struct dg_error *err) DG_MUST_USE;
