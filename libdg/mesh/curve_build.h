/* From the maps of an input to those of a mesh: the part of dg_mesh_build that knows curved elements. */
#pragma once

#include "libdg/base/sort.h"
#include "libdg/mesh/mesh.h"

/* Takes the maps of the input. place[e].item is the element of the input that has become element e; number[points] is
 * the vertex of a point. Maps that are affine are dropped. DG_INPUT: two elements do not have the same nodes on the
 * face that they share, or a map folds: the message names the element, the place and what helps. */
int dg_mesh_take_shapes(struct dg_mesh *mesh, const struct dg_mesh_input *input, const struct dg_keyed *place,
                        const int32_t *number, struct dg_error *err) DG_MUST_USE;

/* Checks that the determinants of all curved maps have their elements' sign on a lattice of twice the maps' order. */
int dg_mesh_check_maps(const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
