/* The elements of one layer, as lists: what extrude.c makes a mesh of. Private to this folder. */
#pragma once

#include "libdg/mesh/grow/growth.h"

/* A triangle at the front of the layer: of the wall, which grows in its stage, or beside it. Vertices count those of
 * the mesh first, then the new ones. */
struct dg_front {
  int32_t v[3];    /* ascending */
  int32_t surface; /* entity of the mesh, or -1 */
  int32_t seed;    /* element of the mesh whose medium is behind it */
  int stage;       /* -1: it does not grow, or has grown */
  bool inside;     /* elements lie on both of its sides */
  bool drawn;      /* it is a face of the mesh as it was */
};

struct dg_sprout_element {
  int32_t v[4], seed;
};

/* What has grown. {0} is empty. */
struct dg_sprouts {
  size_t points, elements, fronts;
  double (*point)[3]; /* the new ones, of all layers */
  struct dg_sprout_element *element;
  struct dg_front *front; /* of this layer: its triangles, when it has grown, are the new ones with a surface */
  size_t points_room, elements_room, fronts_room;
};
void dg_sprouts_release(struct dg_sprouts *sprouts);

/* Grows a layer: adds points and elements, and makes the fronts anew. DG_INPUT: more than two outer faces meet. */
int dg_sprout(struct dg_sprouts *sprouts, const struct dg_mesh *mesh, const struct dg_growth *growth,
              struct dg_error *err) DG_MUST_USE;
