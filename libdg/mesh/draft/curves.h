/* The curved edges and faces of a draft, and the maps of tetrahedra that follow from them (bend.h says how). They
 * depend on the triangles of surfaces and the segments of curves alone: the inside of the mesh may change (follow.h)
 * while they stay as they are. */
#pragma once

#include "libdg/mesh/curve.h"
#include "libdg/mesh/draft/draft.h"
#include "libdg/ref/rule.h"

enum { DG_BETWEEN_MAX = DG_GEOMETRY_MAX - 1 }; /* nodes within an edge, or a face, at most */

/* An edge on a curve or surface: shift[n] is what is added to node n + 1 of the straight edge from a to b. */
struct dg_curved_edge {
  int32_t a, b, dim, tag; /* a < b */
  double shift[DG_BETWEEN_MAX][3];
  bool folds;   /* an element at it does, or is too fast */
  bool relaxed; /* it follows the geometry less closely than it could */
};

/* A face on a surface. Its nodes stand in the order of face_node: shift[n] is added to where the edges put them. */
struct dg_curved_face {
  int32_t v[3], tag; /* ascending */
  double shift[DG_BETWEEN_MAX][3];
  bool folds, relaxed;
};

struct dg_curves {
  const struct dg_draft *draft;
  int g, face_nodes;
  int face_node[DG_BETWEEN_MAX][3]; /* lattice numbers towards the three vertices; their sum is g */
  struct dg_rule rule;              /* of faces; order 2 has none */
  size_t edges, faces;
  struct dg_curved_edge *edge; /* [edges] ascending */
  struct dg_curved_face *face; /* [faces] ascending */
  size_t lost;                 /* edges and faces whose nodes could not be projected: straight */
  double lost_place[3];        /* of one of them */
};

/* Lists edges and faces and places their nodes with maps of order g. Release them also after an error. */
int dg_curves_init(struct dg_curves *curves, const struct dg_draft *draft, int g, struct dg_error *err) DG_MUST_USE;
/* The same of order 4: edges and faces that are coarse, or relaxed, are placed anew, all others keep the map that they
 * have. *same: there are none of the former, and nothing was made. */
int dg_curves_refine(struct dg_curves *fine, const struct dg_curves *curves, bool *same,
                     struct dg_error *err) DG_MUST_USE;
void dg_curves_release(struct dg_curves *curves);

/* A tetrahedron by its vertices in ascending order, with what is bent of it. */
struct dg_curved_tet {
  int32_t v[4];
  int own[4]; /* the number in the tetrahedron's own order */
  struct dg_curved_edge *edge[4][4];
  struct dg_curved_face *face[4]; /* opposite vertex f */
};
/* Looks up the edges and faces; false: none is bent. */
bool dg_curves_gather(const struct dg_curves *curves, const int32_t vertex[4], struct dg_curved_tet *tet);
/* Is any node displaced? */
bool dg_is_bent(const double (*shift)[3], int count);
/* The nodes of its map, by the tetrahedron's own vertices: shape[dg_shape_nodes(g)]. */
void dg_curves_place(const struct dg_curves *curves, const struct dg_curved_tet *tet, double (*shape)[3]);
