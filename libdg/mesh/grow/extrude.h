/* Layers of elements that grow outwards from walls of a mesh.
 *
 * On each triangle of a wall stand prisms, one above the other, one for each sheet. A prism is cut into three
 * tetrahedra by the order of its vertices: the diagonal of each of its quadrilaterals starts at the lower vertex of the
 * wall and ends above the higher one, so that neighbours cut their common side alike (J. Dompierre and others, "How to
 * subdivide pyramids, prisms and hexahedra into tetrahedra", 8th Int. Meshing Roundtable, 1999).
 *
 * A wall grows in stages, since it may have edges: the planes of a box grow one direction after the other. What stands
 * beside a stage that grows, be that an outer face, a surface that ends on the wall, or a part of the wall whose stage
 * comes later, goes on along the new elements. So the slabs on two planes meet in a bar along their edge, and three
 * bars in a corner, and no element reaches over a plane of the wall.
 *
 * What the elements of a layer continue is kept. `grown_from` of an entity (struct dg_entity) is the tag of the volume
 * or surface that goes on in it, `origin` of an element (struct dg_mesh) the place whose medium it has. */
#pragma once

#include "libdg/mesh/grow/growth.h"

/* Adds the layers, all of them at once, to a whole mesh; layer i + 1 is that of growth[i]. Elements and vertices get
 * new numbers, along the curve as always; the same mesh and growth give the same. The walls lie inside then, and have
 * the numbers of the mesh as it was: release them. Where elements are curved, the walls have been made straight
 * (straighten.h). New volumes and surfaces have tags of their own behind all others:
 *   - a volume for each volume that a layer continues, in the group `name`, and in no other;
 *   - for each surface of the wall one that is the outer face of the layer;
 *   - for each surface that ends on the wall (dg_wall_side) one that continues it beside the layer, or through it.
 * Errors (DG_INPUT): elements that turn over, overlap the mesh, or come to lie on each other, with the place; a group
 * `name` that the mesh has already. After an error the mesh is released. */
int dg_mesh_grow(struct dg_mesh *mesh, size_t growths, const struct dg_growth *growth,
                 struct dg_error *err) DG_MUST_USE;
