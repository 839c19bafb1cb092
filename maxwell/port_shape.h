/* The geometry of a port's face: its triangles, and the rectangle or ring that they make. Private to port*.c. */
#pragma once

#include "libdg/mesh/mesh.h"
#include "maxwell/problem.h"

/* Whose face it is, for all that is done with it and all that is said about it. */
struct mx_port_place {
  const struct dg_mesh *mesh;
  const struct mx_problem *problem;
  const char *where; /* as in mx_selector */
  const char *what;  /* "boundaries.left" */
};

struct mx_port_face {
  size_t count;
  int32_t *where; /* [count] 4 * element + face */
  double area;    /* m^2 */
  double extent;  /* the longest side of the bounding box, m: the scale of tolerances */
  double normal[3];
};

struct mx_port_rectangle {
  double corner[3], axis[2][3]; /* of its first and second index, orthonormal, both towards growing coordinates */
  double side[2];               /* m */
};

struct mx_port_ring {
  double centre[3], inner, outer; /* radii, m */
};

/* The faces with boundary condition `index`. Release with mx_port_face_release in any case. */
int mx_port_face_init(struct mx_port_face *face, const struct mx_port_place *place,
                      const struct mx_assignment *assignment, int index, struct dg_error *err) DG_MUST_USE;
void mx_port_face_release(struct mx_port_face *face);
/* Finds the normal; DG_INPUT if the face is not plane. */
int mx_port_face_plane(struct mx_port_face *face, const struct mx_port_place *place, struct dg_error *err) DG_MUST_USE;
/* The face is plane. wanted: direction of the first axis, or NULL for the longer side (of a square the one that is
 * nearer to the x axis, then y). DG_INPUT if it is no rectangle, or `wanted` not one of its sides. */
int mx_port_face_rectangle(struct mx_port_rectangle *rectangle, const struct mx_port_face *face,
                           const struct mx_port_place *place, const double *wanted, struct dg_error *err) DG_MUST_USE;
/* The face is plane. DG_INPUT if its rim is not made of two circles around one centre. */
int mx_port_face_ring(struct mx_port_ring *ring, const struct mx_port_face *face, const struct mx_port_place *place,
                      struct dg_error *err) DG_MUST_USE;
/* The three vertices of face k. */
void mx_port_corners(const struct mx_port_face *face, const struct dg_mesh *mesh, size_t k, const double *corner[3]);
/* Area of face k, m^2. */
double mx_port_area(const struct mx_port_face *face, const struct mx_problem *problem, size_t k);
