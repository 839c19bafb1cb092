/* Why an element is slow: the feature of the geometry that leaves it no choice. */
#pragma once

#include "libdg/mesh/draft/draft.h"

enum dg_demand_kind {
  DG_DEMAND_NOTHING, /* the mesher could have done better */
  DG_DEMAND_CURVE,   /* a short curve: size is its length */
  DG_DEMAND_EDGES,   /* a curve that is divided finely: size is that of its edges */
  DG_DEMAND_GAP,     /* two surfaces, or two curves of one surface, lie near to each other: size is their distance */
  DG_DEMAND_NARROW,
  DG_DEMAND_WEDGE, /* two surfaces, or two curves, meet at a small angle: degrees */
  DG_DEMAND_TIP,
  DG_DEMAND_ROUND, /* a surface whose radius of curvature is below the size of the elements: size is the radius */
  DG_DEMAND_SIZES  /* all elements around are small: size is the altitude that is usual there */
};

struct dg_demand {
  enum dg_demand_kind kind;
  int32_t tag[2]; /* of the curves or surfaces */
  double size, angle;
};

/* Finds the demand behind a slow element. The draft has its lists. median: of the altitudes of the whole mesh; near: of
 * the elements around this one. */
struct dg_demand dg_demand_find(const struct dg_draft *draft, int32_t tet, double median, double near);
/* Writes the text of a demand: "curve 12 is 0.0003 m long". */
void dg_demand_text(const struct dg_demand *demand, char *text, size_t size);
