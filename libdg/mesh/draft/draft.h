/* A mesh that can still be changed: tetrahedra in lists by vertex, so that a few of them can be replaced by others. The
 * repair of slivers (repair.h) works on it. The draft knows nothing of Gmsh. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdg/base/error.h"

/* The places to which a vertex may go without a change of the space that the mesh fills; on curved curves and surfaces,
 * as far as the geometry itself can tell. */
enum dg_freedom { DG_FIXED, DG_ON_LINE, DG_ON_PLANE, DG_ON_CURVE, DG_ON_SURFACE, DG_FREE };

/* A list of simplices at every vertex. The list of vertex v begins with head[v]; next[] of a place is the next one, ...
 * down to -1. A place is corners * simplex + corner. Dead simplices stay in the lists. */
struct dg_star {
  int32_t *head; /* [points] */
  int32_t *next; /* [corners * count] */
};

/* A draft. Arrays are the caller's, grown with dg_grow. A dead simplex has -1 as its first vertex until
 * dg_draft_finish. */
struct dg_draft {
  size_t points, K, triangles, segments, corners, holds;
  double (*point)[3];
  int32_t (*tet)[4]; /* [K] positively oriented */
  int32_t *volume_tag;
  uint64_t *tag;
  int32_t (*triangle)[3]; /* [triangles] faces on surfaces of the geometry */
  int32_t *surface_tag;
  int32_t (*segment)[2]; /* [segments] edges on curves of the geometry; may be NULL with 0 */
  int32_t *curve_tag;
  int32_t *corner; /* [corners] vertices on points of the geometry */
  int32_t *held;   /* [holds] vertices that must not move: those of periodic surfaces */
  /* Moves x to the nearest point of a curve (dim 1) or surface (2), true if it can. NULL: vertices on curved curves and
   * surfaces stay. */
  bool (*project)(void *geometry, int dim, int tag, double x[3]);
  void *geometry;
  bool graded; /* the geometry asks for sizes of its own here and there */

  size_t room, triangle_room, point_room; /* of tet, volume_tag, tag; of triangle, surface_tag; of point */
  uint64_t last_tag;
  bool *stays; /* [points] */
  struct dg_star tets, faces, edges;
};

/* Makes the lists. Call it when the first block of members is filled. */
int dg_draft_init(struct dg_draft *draft, struct dg_error *err) DG_MUST_USE;
/* Takes away dead simplices, keeping the order, and the lists. */
void dg_draft_finish(struct dg_draft *draft);
void dg_draft_release(struct dg_draft *draft); /* the lists alone */

enum { DG_STAR_MAX = 256 }; /* elements at a vertex; one with more is left as it is */

/* The living tetrahedra or triangles at a vertex; DG_STAR_MAX + 1 when there are more than DG_STAR_MAX. */
int dg_draft_tets_at(const struct dg_draft *draft, int32_t vertex, int32_t tet[DG_STAR_MAX]);
int dg_draft_triangles_at(const struct dg_draft *draft, int32_t vertex, int32_t triangle[DG_STAR_MAX]);
/* The tag of the curve on which the edge lies; 0: on none. */
int32_t dg_draft_curve(const struct dg_draft *draft, int32_t a, int32_t b);
/* The living triangle with these vertices, or -1. */
int32_t dg_draft_face(const struct dg_draft *draft, int32_t a, int32_t b, int32_t c);

struct dg_way {
  enum dg_freedom freedom;
  double direction[3]; /* of the line, or about that of the curve; the normal of the plane; unit length */
  int32_t tag;         /* of the curve or surface */
};
struct dg_way dg_draft_way(const struct dg_draft *draft, int32_t vertex);

int dg_draft_add_point(struct dg_draft *draft, const double x[3], int32_t *vertex, struct dg_error *err) DG_MUST_USE;
int dg_draft_add_tet(struct dg_draft *draft, const int32_t vertex[4], int32_t volume, struct dg_error *err) DG_MUST_USE;
int dg_draft_add_triangle(struct dg_draft *draft, const int32_t vertex[3], int32_t surface,
                          struct dg_error *err) DG_MUST_USE;

/* The least distance of a vertex to its opposite face, negative when the tetrahedron is inverted: the largest stable
 * step of an element goes with it. */
double dg_altitude(const double a[3], const double b[3], const double c[3], const double d[3]);
double dg_draft_altitude(const struct dg_draft *draft, int32_t tet);
double dg_draft_volume(const struct dg_draft *draft, int32_t tet); /* six times it, signed */

/* Is `wanted` among vertex[count]? */
static inline bool dg_draft_has(const int32_t *vertex, int count, int32_t wanted)
{
  for (int i = 0; i < count; i++)
    if (vertex[i] == wanted) return true;
  return false;
}
