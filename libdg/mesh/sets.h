/* Two sets of elements in one mesh: the real and the imaginary part of a complex field, for Bloch phases. All that is
 * real in a problem (media, walls, terms) then acts on each part alone, and only what crosses periodic sides mixes
 * them (libdg/halo/halo.h). */
#pragma once

#include "libdg/mesh/mesh.h"

/* Turns a mesh, or a part of one, into one of two sets: of element i come elements 2 j (real) and 2 j + 1 (imaginary)
 * at the same place, with the numbers 2 n and 2 n + 1 in the whole mesh if its own was n. A point is found in the real
 * set, since that has the lower number. Neighbours are of the same set. A neighbour across periodic sides becomes a
 * ghost, with the owner DG_SELF where it is the rank's own, and elements with such neighbours go behind the interior
 * ones. Vertices stay as they are; entities
 * count both sets. After an error the mesh is as it was. Not collective. */
int dg_mesh_make_sets(struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
