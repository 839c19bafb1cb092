/* Open walls (`boundaries.X = { kind = "open" }`): a perfectly matched layer of elements grows from each before the
 * mesh is shared out (libdg/mesh/grow). setup_mesh.c calls it.
 *
 * Faces of open walls that touch each other are one wall, whatever keys they have; each has a layer of its own. How
 * many elements deep it is follows from the order and the target `reflection`, and how deep each is from the triangles
 * of the wall. */
#pragma once

#include "maxwell/setup/setup.h"

/* Says whether any boundary of the script is open. */
bool mx_open_wanted(const struct mx_config *config);

/* Grows the layers of a whole mesh, of which rank 0 alone has one, says so in the log, and fills setup->layers but for
 * the list by volume. DG_INPUT with the place in the script and in the mesh: a wall that is no box, sphere or cylinder
 * or bends inwards; a wall beside it that does not go on along the layer; ports, absorbing walls or sources that touch
 * it. Not collective. */
int mx_open_grow(struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;

/* Gives all ranks the layers, once the mesh is shared out. Collective. */
int mx_open_share(struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
