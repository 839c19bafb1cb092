/* A bent mesh: its maps, what could not follow the geometry, and how far off it is. bend.h makes it, misfit.h measures
 * it. */
#pragma once

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
