/* Physical groups: sorting and storing them, and entities without elements. The loader of models and the parts of
 * meshes call it after the elements are in place. */
#include "libdg/mesh/mesh_groups.h"

#include <stdlib.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"

static int compare_entities(const void *left, const void *right)
{
  const struct dg_entity *a = left, *b = right;
  if (a->dim != b->dim) return a->dim < b->dim ? -1 : 1;
  return (a->tag > b->tag) - (a->tag < b->tag);
}

static int compare_groups(const void *left, const void *right)
{
  const struct dg_group *a = left, *b = right;
  if (a->dim != b->dim) return a->dim < b->dim ? -1 : 1;
  return (a->tag > b->tag) - (a->tag < b->tag);
}

int dg_mesh_add_empty(struct dg_mesh *mesh, size_t groups, const struct dg_group_input *group, struct dg_error *err)
{
  size_t old_count = mesh->entities, count = old_count;
  for (size_t g = 0; g < groups; g++) count += group[g].entities;
  struct dg_entity *all = NULL;
  int32_t *moved = NULL; /* by old index */
  if (DG_NEW(all, count, err) != 0 || DG_NEW(moved, old_count, err) != 0) goto fail;
  count = 0;
  for (size_t i = 0; i < old_count; i++) all[count++] = mesh->entity[i];
  for (size_t g = 0; g < groups; g++)
    for (size_t i = 0; i < group[g].entities; i++)
      if (dg_mesh_find_entity(mesh, group[g].dim, group[g].entity_tag[i]) < 0)
        all[count++] = (struct dg_entity){.dim = group[g].dim, .tag = group[g].entity_tag[i]};
  qsort(all, count, sizeof *all, compare_entities);
  size_t unique = 0;
  for (size_t i = 0; i < count; i++)
    if (i == 0 || compare_entities(&all[i], &all[unique - 1]) != 0) all[unique++] = all[i];
  for (size_t i = 0, j = 0; i < old_count; i++) {
    while (compare_entities(&all[j], &mesh->entity[i]) != 0) j++;
    moved[i] = (int32_t)j;
  }
  for (size_t e = 0; e < mesh->K; e++) {
    mesh->volume[e] = moved[mesh->volume[e]];
    for (int f = 0; f < 4; f++)
      if (mesh->surface[e][f] >= 0) mesh->surface[e][f] = moved[mesh->surface[e][f]];
  }
  struct dg_entity *old = mesh->entity;
  mesh->entity = all;
  mesh->entities = unique;
  all = old;
fail:
  dg_free(all);
  dg_free(moved);
  return err->code;
}

int dg_mesh_set_groups(struct dg_mesh *mesh, size_t groups, const struct dg_group_input *group, struct dg_error *err)
{
  DG_BUG_IF(mesh->group != NULL, "dg_mesh_set_groups was called twice");
  if (dg_mesh_add_empty(mesh, groups, group, err) != 0) return err->code;
  if (DG_NEW(mesh->group, groups, err) != 0) return err->code;
  for (size_t g = 0; g < groups; g++) {
    struct dg_group *new = &mesh->group[g];
    *new = (struct dg_group){.dim = group[g].dim, .tag = group[g].tag};
    if (dg_copy_string(&new->name, group[g].name, err) != 0) return err->code;
    mesh->groups = g + 1;
  }
  qsort(mesh->group, groups, sizeof *mesh->group, compare_groups);

  for (size_t g = 0; g < groups; g++) {
    const struct dg_group key = {.dim = group[g].dim, .tag = group[g].tag};
    const struct dg_group *own = bsearch(&key, mesh->group, groups, sizeof key, compare_groups);
    for (size_t i = 0; i < group[g].entities; i++) {
      struct dg_entity *entity = &mesh->entity[dg_mesh_find_entity(mesh, key.dim, group[g].entity_tag[i])];
      if (dg_grow(&entity->group, (size_t)entity->groups + 1, sizeof *entity->group, err) != 0) return err->code;
      entity->group[entity->groups++] = (int)(own - mesh->group);
    }
  }
  return 0;
}
