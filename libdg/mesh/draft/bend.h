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

#include "libdg/mesh/draft/draft.h"
#include "libdg/mesh/draft/follow.h"

/* A figure of the mesh beside that of the geometry: a volume's, m^3, or a surface's area, m^2. */
struct dg_misfit {
  int32_t tag;
  int32_t surface; /* the one that has most to do with it */
  double followed, wanted;
};
enum { DG_MISFITS = 6 };

struct dg_bent {
  int geometry;
  size_t curved;
  int32_t *curve;     /* [curved] tetrahedra whose map may not be affine, ascending */
  double (*shape)[3]; /* [curved][dg_shape_nodes(geometry)] by the tetrahedron's own vertices (curve.h) */
  size_t lost;        /* edges and faces on curved curves and surfaces whose nodes could not be projected: straight */
  double place[3];    /* of one of them */
  size_t relaxed; /* elements that would fold, or nearly so: their edges and faces follow the geometry less closely */
  double relaxed_place[3]; /* in one of them */
  size_t slowed;           /* other elements that would shorten the steps too much: likewise */
  double slowed_place[3];
  struct dg_followed followed; /* what was changed inside before */
  int misfits[2];              /* surfaces, and volumes, that are off at all: the worst first */
  struct dg_misfit misfit[2][DG_MISFITS];
};

/* geometry in 2..4. `slower`: how many times shorter than the shortest step of a straight element that of a curved one
 * may be, as far as their sizes tell; 0: any. The draft has no dead simplices, and needs no lists; its `project` is
 * used. Release with dg_bent_release, also behind an error. DG_ENVIRONMENT: no memory. */
int dg_draft_bend(struct dg_draft *draft, int geometry, double slower, struct dg_bent *bent,
                  struct dg_error *err) DG_MUST_USE;
void dg_bent_release(struct dg_bent *bent);
