/* Integration along broken lines: the parts of a path that lie in each element.
 *
 * Inside an element a nodal field is a polynomial, so that a Gauss rule on every piece integrates it exactly along the
 * path, whatever the mesh. In a curved element the field along the piece is smooth, but no polynomial. */
#pragma once

#include "libdg/comm/comm.h"
#include "libdg/mesh/mesh.h"

struct dg_path_piece { /* points from + t (to - from), t in [begin, end], of a segment of the path */
  size_t element, segment;
  double begin, end;
};

struct dg_path {
  size_t pieces;
  struct dg_path_piece *piece; /* [pieces] in this rank's elements, in the order of the path; those of all ranks
                                  together cover what is inside the mesh once */
  double length, outside;      /* m: of the path, and of what of it no element of any rank holds; the same everywhere */
};

/* Collective, the same points on all ranks. Cuts the path through point[points] (metres; closed: back to the first) at
 * the faces of the elements. A piece on a shared face or edge goes to the element with the lowest global number, with
 * the tolerance of dg_mesh_locate: the cuts do not depend on the number of ranks. Release with dg_path_release in any
 * case. Curved elements are entered and left where their faces are crossed (span.h); a piece may run along a bent face
 * only by chance. O(K) plus the elements near the path times its segments; all ranks hold a record of each element near
 * it. */
int dg_path_cut(struct dg_path *path, const struct dg_mesh *mesh, struct dg_comm *comm, size_t points,
                const double (*point)[3], int closed, struct dg_error *err) DG_MUST_USE;
void dg_path_release(struct dg_path *path);
