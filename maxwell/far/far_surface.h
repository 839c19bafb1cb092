/* The closed surface of a far field: which faces it has, which of their sides lie inside, and that it is closed.
 *
 * A face belongs to the rank that has its inside element. The rank that has only the outside element keeps the face,
 * too: fields on the surface are sums of what both sides give (far_sums.h), and each rank gives what it has. */
#pragma once

#include "libdg/base/log.h"
#include "libdg/mesh/face_map.h"
#include "maxwell/model/config.h"
#include "maxwell/problem/curve_face.h"
#include "libdg/mesh/mesh.h"
#include "maxwell/problem/assignment.h"

struct mx_far_face {
  int32_t side[2];        /* 4 * element + face of the inside and of the outside; -1: another rank's */
  int64_t name;           /* 4 * element + face of the inside, in the whole mesh */
  double normal[3];       /* unit, from the inside to the outside */
  double tangent[2][3];   /* unit, with tangent[0] x tangent[1] = normal */
  double area;            /* m^2 */
  double corner[3][3];    /* m, in the order of the face's nodes */
  struct dg_face_map map; /* geometry 0: the face is flat; else normal and tangents are those of its corners */
};

struct mx_far_surface {
  size_t count;
  struct mx_far_face *face; /* [count] of this rank, by ascending own side */
  size_t curved;            /* of them */
  double epsilon, mu;       /* of the medium along the surface, relative */
  int64_t faces;            /* of all ranks */
  double area;              /* of all ranks, m^2 */
  double centre[3], radius; /* m: of a ball that holds the surface and its images */
  bool above[3];            /* across the axis of an image: the surface lies above its plane */
  bool *inside;             /* [entities of the mesh] volumes that lie inside */
};

/* The place of a surface. */
struct mx_far_scene {
  const struct mx_far_config *config;
  const struct mx_problem *problem;
  const struct mx_assignment *assignment;
  const struct dg_mesh *mesh;
  struct dg_log *log; /* rank 0's; NULL is silent */
};

/* Finds the surface. Collective. Errors (DG_INPUT, with file:line and a position): a surface or region that the mesh
 * lacks; a surface that is not closed but for edges on planes of images, that lies on a wall, or that runs through
 * media with losses or through several media. A warning tells of other media outside. Release it in any case. */
int mx_far_surface_init(struct mx_far_surface *surface, const struct mx_far_scene *scene,
                        struct dg_error *err) DG_MUST_USE;
void mx_far_surface_release(struct mx_far_surface *surface);
