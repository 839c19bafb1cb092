/* Mends the inside of a mesh whose elements cannot follow its curves: those that would fold, or shorten the steps. Two
 * faces of a tetrahedron on one smooth surface make a flat angle at their common edge, whatever the rest does; an edge
 * as long as the radius of its curve bulges through a thin element. The surfaces and curves stay as they are, and with
 * them every displaced node (curves.h): vertices inside move, edges and faces inside are changed (flip.h), or divided
 * by a new vertex, until no such element is left or nothing helps. A mesh without such elements is not touched. */
#pragma once

#include "libdg/mesh/draft/curves.h"

struct dg_follow {
  double least;    /* of the straight element's determinant that a map must have everywhere */
  double straight; /* highest rate of the straight elements (dg_shape_rate), 1/m^2 */
  double slower;   /* times slower than these that elements which are made here may be */
  bool fast;       /* elements that are slower than that are mended, too; else only those that fold */
};

/* What was done. */
struct dg_followed {
  size_t bad, left; /* elements before and afterwards */
  size_t moves, flips, vertices;
};

/* The draft has no lists (dg_draft_init was not called), before and afterwards. The curves are those of this draft. */
int dg_draft_follow(struct dg_draft *draft, const struct dg_curves *curves, const struct dg_follow *follow,
                    struct dg_followed *done, struct dg_error *err) DG_MUST_USE;
