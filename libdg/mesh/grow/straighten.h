/* Makes faces of curved elements straight: those of walls from which layers grow, which are straight. */
#pragma once

#include "libdg/mesh/mesh.h"

/* Makes the boundary faces code[faces] (4 * element + face) straight, with their edges, of a whole mesh. Elements that
 * have such an edge lose what it adds to their maps; those that become affine by it are curved no longer. *changed is
 * the number of elements whose maps change. DG_INPUT: a map folds then. */
int dg_mesh_straighten(struct dg_mesh *mesh, size_t faces, const int32_t *code, size_t *changed,
                       struct dg_error *err) DG_MUST_USE;
