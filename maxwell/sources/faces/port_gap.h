/* The gap of a lumped port: that it is one, between two conductors. */
#pragma once

#include "maxwell/sources/faces/port_face.h"

struct mx_port_gap {
  double length, width; /* along the direction, and area over length, m */
  double around;        /* the rod that the face goes around, or whose part it is, m; 0: it is no rod */
};

/* Measures the gap and looks at its rim. Collective; all ranks have the same answer. DG_INPUT, with a place: the
 * direction does not lie in the face; the ends are not at one length of each other (askew, not parallel, or two gaps
 * with something between them); the direction is askew to the sides; an end meets no conductor. */
int mx_port_gap_find(struct mx_port_gap *gap, const struct mx_port_face *face, const struct mx_port_place *place,
                     const struct mx_assignment *assignment, const struct mx_config *config, int index,
                     struct dg_error *err) DG_MUST_USE;
