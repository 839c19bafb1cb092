/* Small questions to a mesh: the index of the entity with a tag, and whether an entity is in a group. The builder of
 * meshes and the selectors of scripts ask them. */
#include <string.h>

#include "libdg/mesh/mesh.h"

int dg_mesh_find_entity(const struct dg_mesh *mesh, int dim, int tag)
{
  size_t low = 0, high = mesh->entities;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct dg_entity *entity = &mesh->entity[middle];
    if (entity->dim < dim || (entity->dim == dim && entity->tag < tag)) low = middle + 1;
    else high = middle;
  }
  if (low == mesh->entities || mesh->entity[low].dim != dim || mesh->entity[low].tag != tag) return -1;
  return (int)low;
}

int dg_mesh_entity_in_group(const struct dg_mesh *mesh, int entity, const char *group_name)
{
  if (entity < 0 || (size_t)entity >= mesh->entities) return 0;
  for (int i = 0; i < mesh->entity[entity].groups; i++)
    if (strcmp(mesh->group[mesh->entity[entity].group[i]].name, group_name) == 0) return 1;
  return 0;
}
