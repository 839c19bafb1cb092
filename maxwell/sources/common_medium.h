/* The one medium along a surface, which plane waves and the modes of ports need. */
#pragma once

#include "libdg/mesh/mesh.h"
#include "maxwell/problem/problem.h"

/* The faces of a surface. mx_common_medium finds the medium of their elements on all ranks; it must be one medium,
 * without losses. mx_plain_media only refuses tensors and responses. Collective. */
struct mx_surface_faces {
  size_t count;           /* faces of this rank */
  const int32_t *where;   /* [count] 4 * element + face */
  const char *place;      /* as mx_selector.where */
  const char *what, *who; /* "boundaries.left", "a plane wave" */
};
int mx_common_medium(const struct mx_problem *problem, const struct dg_mesh *mesh, const struct mx_surface_faces *faces,
                     double *epsilon, double *mu, struct dg_error *err) DG_MUST_USE;
int mx_plain_media(const struct mx_problem *problem, const struct dg_mesh *mesh, const struct mx_surface_faces *faces,
                   struct dg_error *err) DG_MUST_USE;
