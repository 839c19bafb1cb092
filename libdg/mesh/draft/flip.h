/* Local changes of a draft: a vertex moves, or the tetrahedra around an edge or at a face give way to others that fill
 * the same space. Each change is carried out only if every tetrahedron that it makes has an altitude above `least`,
 * and then returns 1 in *done. Faces on surfaces stay on them; planar ones may be divided otherwise.
 *
 * Edges are removed with the best triangulation of the ring around them (J. R. Shewchuk, Two discrete optimization
 * algorithms for the topological improvement of tetrahedral meshes, 2002; G. T. Klincsek, Annals of Discrete
 * Mathematics 9 (1980) 121). */
#pragma once

#include "libdg/mesh/draft/draft.h"

/* Moves the vertex to where the least altitude of its tetrahedra is largest, or at least `enough`. */
void dg_flip_move(struct dg_draft *draft, int32_t vertex, double least, double enough, int *done);
/* Removes the edge a b, with the tetrahedra around it. */
int dg_flip_edge(struct dg_draft *draft, int32_t a, int32_t b, double least, int *done,
                 struct dg_error *err) DG_MUST_USE;
/* Removes the face of tet opposite its vertex `face`: two tetrahedra become three. */
int dg_flip_face(struct dg_draft *draft, int32_t tet, int face, double least, int *done,
                 struct dg_error *err) DG_MUST_USE;
/* Merges vertex `from` into `into`, its neighbour. No edge gets longer than `longest`. */
int dg_flip_merge(struct dg_draft *draft, int32_t from, int32_t into, double least, double longest, int *done,
                  struct dg_error *err) DG_MUST_USE;
