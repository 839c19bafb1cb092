/* The shape of a port's face: the rectangle or ring that its triangles make. Private to port*.c. All ranks find the
 * same shape.
 */
#pragma once

#include "maxwell/model/config.h"
#include "maxwell/sources/faces/port_face.h"

struct mx_port_rectangle {
  double corner[3], axis[2][3]; /* of the first and second index, orthonormal, both towards growing coordinates */
  double side[2];               /* m */
};

struct mx_port_ring {
  double centre[3], inner, outer; /* radii, m */
};

/* Finds the normal of the face. DG_INPUT if the face is not plane. */
int mx_port_face_plane(struct mx_port_face *face, const struct mx_port_place *place, struct dg_error *err) DG_MUST_USE;
/* Finds the rectangle of a plane face. wanted: direction of the first axis, or NULL for the longer side (of a square
 * the side that is nearer to the x axis, then y). DG_INPUT if the face is no rectangle, or `wanted` is not along one of
 * its sides. */
int mx_port_face_rectangle(struct mx_port_rectangle *rectangle, const struct mx_port_face *face,
                           const struct mx_port_place *place, const double *wanted, struct dg_error *err) DG_MUST_USE;
/* Finds the ring of a plane face. DG_INPUT if its rim is not made of two circles around one centre. */
int mx_port_face_ring(struct mx_port_ring *ring, const struct mx_port_face *face, const struct mx_port_place *place,
                      struct dg_error *err) DG_MUST_USE;
/* Says whether the wall `boundary` (an index, or MX_DEFAULT_PEC) of element e conducts: a perfect conductor, also with
 * a prescribed electric field, or an impedance of at most a hundredth of the medium's. */
bool mx_port_wall_conducts(const struct mx_problem *problem, const struct mx_config *config, int boundary, size_t e);
/* Checks the walls at the rim of the face, since modes of closed guides need conductors all around. DG_INPUT where a
 * wall is neither a perfect conductor (also with a prescribed electric field) nor an impedance of at most a hundredth
 * of the medium's, and no conducting sheet ends there. Collective. */
int mx_port_face_walls(const struct mx_port_face *face, const struct mx_port_place *place,
                       const struct mx_assignment *assignment, const struct mx_config *config, int index,
                       struct dg_error *err) DG_MUST_USE;
