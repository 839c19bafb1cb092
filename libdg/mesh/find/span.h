/* The parts of a straight segment that lie in a curved element. */
#pragma once

#include "libdg/mesh/find/invert.h"

enum { DG_SPANS = 8 }; /* the most parts of a segment in an element */

struct dg_span {    /* of the segment's parameter, 0 to 1 */
  double low, high; /* the element holds the segment here, within the tolerance */
  double cut[2];    /* where it crosses the element's faces */
};

/* Finds the parts of from + t (to - from) that the element holds, outside by at most `slack` of a barycentric
 * coordinate, ascending. The least of the four coordinates is looked at in 33 points between the ends of the box, and
 * followed where it comes near zero between them, so that a segment that only grazes a bent face is seen. */
size_t dg_bent_spans(struct dg_bent *bent, const struct dg_inverse *inverse, const double from[3], const double to[3],
                     double slack, struct dg_span span[DG_SPANS]);
