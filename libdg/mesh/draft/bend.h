/* Curved maps for a draft: the mesh of straight edges that the mesher has made, and repair has improved, becomes one
 * whose nodes of higher order lie on the geometry.
 *
 * The map of an edge on a curve, or on a surface, goes through the projections of Gauss-Lobatto points of the straight
 * edge. Nodes within a face on a surface are projected from where the curved edges would put them. All others follow
 * from the edges and faces by the hierarchical modes of the tetrahedron, L_a L_b (L_b - L_a)^m of an edge and L_a L_b
 * L_c of a face (B. Szabo, I. Babuska, Finite Element Analysis, 1991): the mode of degree n has a coefficient of order
 * h^n, so that the n-th derivatives of a map fall with h^n, which isoparametric elements need to keep their order (M.
 * Lenoir, SIAM J. Numer. Anal. 23 (1986) 562). Each edge and face is placed once, by its vertices in ascending order:
 * elements that share it get the same nodes, bit for bit. */
#pragma once

#include "libdg/mesh/draft/bent.h"
#include "libdg/mesh/draft/draft.h"

/* geometry in 2..4. `slower`: how many times shorter than the shortest step of a straight element that of a curved one
 * may be, as far as their sizes tell; 0: any. The draft has no dead simplices, and needs no lists; its `project` is
 * used. Release with dg_bent_release, also behind an error. DG_ENVIRONMENT: no memory. */
int dg_draft_bend(struct dg_draft *draft, int geometry, double slower, struct dg_bent *bent,
                  struct dg_error *err) DG_MUST_USE;
void dg_bent_release(struct dg_bent *bent);
