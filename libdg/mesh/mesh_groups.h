/* Physical groups: given to a mesh that dg_mesh_build made. */
#pragma once

#include "libdg/mesh/mesh.h"

struct dg_group_input {
  int dim, tag;     /* dim 2 or 3 */
  const char *name; /* "" when it has none */
  size_t entities;
  const int *entity_tag; /* of the same dim */
};

/* Gives a mesh its groups, once per mesh. Entities of a group that carry no elements of the mesh are added with count
 * 0. All is copied. On failure the mesh stays releasable. */
int dg_mesh_set_groups(struct dg_mesh *mesh, size_t groups, const struct dg_group_input *group,
                       struct dg_error *err) DG_MUST_USE;

/* Adds only the entities of the groups that the mesh does not have, and moves the indices of the others. */
int dg_mesh_add_empty(struct dg_mesh *mesh, size_t groups, const struct dg_group_input *group,
                      struct dg_error *err) DG_MUST_USE;
