/* The face of a port: its triangles and its size, and the gap of a lumped one.
 *
 * The face may lie on several ranks. All of them get all of its triangles, in the same order.
 */
#pragma once

#include "libdg/mesh/face_map.h"
#include "maxwell/problem/curve_face.h"
#include "maxwell/problem/assignment.h"
#include "maxwell/problem/problem.h"

/* The port that a face belongs to, for everything that is done with the face and said about it. */
struct mx_port_place {
  const struct dg_mesh *mesh;
  const struct mx_problem *problem;
  const char *where; /* as in mx_selector */
  const char *what;  /* "boundaries.left" */
};

struct mx_port_triangle {
  int64_t number;                      /* 4 * element + face, the element numbered in the whole mesh */
  int64_t vertex[3];                   /* numbers in the whole mesh, ascending */
  double corner[3][3];                 /* of these vertices, m */
  double normal[3], area, epsilon, mu; /* of a curved triangle: the normal of its corners, and its own area */
  double sigma, sigma_m;               /* as in mx_problem */
  struct dg_face_map map;              /* geometry 0: the triangle is flat, with straight edges */
  int32_t where;                       /* 4 * element + face, or -1 when it is another rank's */
  int32_t rank;
};

struct mx_port_face {
  size_t count;                      /* triangles of all ranks */
  struct mx_port_triangle *triangle; /* [count] by ascending number */
  size_t own;                        /* triangles of this rank */
  int32_t *where;                    /* [own] 4 * element + face, in the same order */
  double area;                       /* m^2 */
  double extent;                     /* the longest side of the bounding box, m: the scale of tolerances */
  double normal[3];
};

/* Collects the faces with boundary condition `index`. Collective. Release with mx_port_face_release in any case. */
int mx_port_face_init(struct mx_port_face *face, const struct mx_port_place *place,
                      const struct mx_assignment *assignment, int index, struct dg_error *err) DG_MUST_USE;
void mx_port_face_release(struct mx_port_face *face);
/* Measures the gap of a lumped port: its length along `direction`, and its width, area / length (m). DG_INPUT if the
 * direction does not lie in the face. */
int mx_port_face_gap(const struct mx_port_face *face, const struct mx_port_place *place, const double direction[3],
                     double *length, double *width, struct dg_error *err) DG_MUST_USE;
