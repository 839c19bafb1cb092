/* Repair of slivers. One sliver sets everybody's pace: the step of the whole run is that of the element with the least
 * altitude. Repair finds the tetrahedra that lie far below the others and changes their surroundings (flip.h) until the
 * slow elements that are left are those that the geometry demands. A mesh without such tetrahedra is not touched, and
 * neither is anything far from them. The same mesh always gives the same result. */
#pragma once

#include "libdg/mesh/draft/demand.h"

/* An element is fast enough when its altitude is this part of the median. */
#define DG_PACE_GOAL 0.5

struct dg_pace {
  double worst, median; /* altitudes, in the units of the points */
  size_t slow;          /* elements below DG_PACE_GOAL times the median */
};

enum { DG_SLOWEST = 5 };

struct dg_slow {
  double place[3], altitude;
  struct dg_demand demand;
};

struct dg_repair {
  struct dg_pace before, after;
  size_t moves, flips, merges;
  bool unlucky; /* the slowest element may not be what the geometry demands: another mesh of it may do better */
  int slowest;  /* elements below the goal that are left, the slowest first, every feature once */
  struct dg_slow slow[DG_SLOWEST];
  double avoidable; /* least altitude of the elements below the goal that nothing demands; INFINITY: there is none */
};

/* Repairs a draft. It has no lists (dg_draft_init was not called), before and afterwards. */
int dg_repair(struct dg_draft *draft, struct dg_repair *repair, struct dg_error *err) DG_MUST_USE;
