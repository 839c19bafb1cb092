/* Makes faces and elements straight: walls from which layers grow, and layers that are drawn, which are straight. */
#pragma once

#include "libdg/mesh/mesh.h"

/* Makes the boundary faces code[faces] (4 * element + face) straight, with their edges, of a whole mesh. Elements that
 * have such an edge lose what it adds to their maps; those that become affine by it are curved no longer. *changed is
 * the number of elements whose maps change. DG_INPUT: a map folds then. */
int dg_mesh_straighten(struct dg_mesh *mesh, size_t faces, const int32_t *code, size_t *changed,
                       struct dg_error *err) DG_MUST_USE;

/* Makes the elements e with chosen[e] (of K) of a whole mesh straight, and as much of their neighbours as belongs to
 * faces and edges of theirs. *changed and errors as above. */
int dg_mesh_straighten_elements(struct dg_mesh *mesh, const bool *chosen, size_t *changed,
                                struct dg_error *err) DG_MUST_USE;

/* Makes the faces on surfaces s with unseen[s] (of `entities`) of a whole mesh straight: surfaces where nothing happens
 * to a field. Faces with an edge on a surface that is seen and no plane stay as they are, lest its rim should change.
 * *changed and errors as above. */
int dg_mesh_straighten_unseen(struct dg_mesh *mesh, const bool *unseen, size_t *changed,
                              struct dg_error *err) DG_MUST_USE;
