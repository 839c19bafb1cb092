#include <math.h>
#include <string.h>

#include "libdg/mesh/mesh.h"
#include "libdg/mesh/mesh_check.h"

#define LOCATE_TOLERANCE 1e-9 /* of the element: how far outside a point may be and still belong to it */

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

int64_t dg_mesh_locate(const struct dg_mesh *mesh, const double point[3], double bary[4])
{
  for (size_t e = 0; e < mesh->K; e++) {
    const int32_t *v = mesh->element[e];
    int near = 1;
    for (int b = 0; b < 3 && near; b++) { /* most elements are ruled out by their box */
      double low = INFINITY, high = -INFINITY;
      for (int i = 0; i < 4; i++) {
        low = fmin(low, mesh->vertex[v[i]][b]);
        high = fmax(high, mesh->vertex[v[i]][b]);
      }
      double slack = 4 * LOCATE_TOLERANCE * (high - low);
      near = point[b] >= low - slack && point[b] <= high + slack;
    }
    if (!near) continue;
    dg_mesh_barycentric(mesh, e, point, bary);
    if (fmin(fmin(bary[0], bary[1]), fmin(bary[2], bary[3])) >= -LOCATE_TOLERANCE) return (int64_t)e;
  }
  return -1;
}
