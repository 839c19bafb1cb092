/* The geometry of a port's face: its triangles, and the rectangle or ring that they make. Private to port*.c.
 *
 * The face may lie on several ranks. All of them get all of its triangles, in the same order, and find the same shape.
 */
#pragma once

#include "libdg/mesh/mesh.h"
#include "maxwell/problem/problem_build.h"

/* Whose face it is, for all that is done with it and all that is said about it. */
struct mx_port_place {
  const struct dg_mesh *mesh;
  const struct mx_problem *problem;
  const char *where; /* as in mx_selector */
  const char *what;  /* "boundaries.left" */
};

struct mx_port_triangle {
  int64_t number;      /* 4 * element + face, the element numbered in the whole mesh */
  int64_t vertex[3];   /* numbers in the whole mesh, ascending */
  double corner[3][3]; /* of these vertices, m */
  double normal[3], area, epsilon, mu;
  int32_t where; /* 4 * element + face, or -1 when it is another rank's */
  int32_t rank;
};

struct mx_port_face {
  size_t count;                      /* of all ranks */
  struct mx_port_triangle *triangle; /* [count] by ascending number */
  size_t own;                        /* of this rank */
  int32_t *where;                    /* [own] 4 * element + face, in the same order */
  double area;                       /* m^2 */
  double extent;                     /* the longest side of the bounding box, m: the scale of tolerances */
  double normal[3];
};

struct mx_port_rectangle {
  double corner[3], axis[2][3]; /* of its first and second index, orthonormal, both towards growing coordinates */
  double side[2];               /* m */
};

struct mx_port_ring {
  double centre[3], inner, outer; /* radii, m */
};

/* The faces with boundary condition `index`. Collective. Release with mx_port_face_release in any case. */
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
/* Modes of closed guides need conductors all around: DG_INPUT where a wall at the rim of the face is neither a perfect
 * conductor (also with a prescribed electric field) nor an impedance of at most a hundredth of the medium's, and no
 * conducting sheet ends there. Collective. */
int mx_port_face_walls(const struct mx_port_face *face, const struct mx_port_place *place,
                       const struct mx_assignment *assignment, const struct mx_config *config, int index,
                       struct dg_error *err) DG_MUST_USE;
