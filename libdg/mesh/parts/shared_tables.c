/* Tables of entities and groups on all ranks alike: sent by rank 0 (distribute.c), or joined from parts that came with
 * their own (join.c). */
#include "libdg/mesh/parts/shared_tables.h"

#include <string.h>

#include "libdg/base/memory.h"

/* The message of rank 0 to everybody: the sizes, the tables without their pointers, and the lists behind the pointers,
 * each as one list. */
struct table_sizes {
  struct dg_mesh_size whole;
  size_t periods;
  double period[DG_PERIODS][3];
  size_t entities, groups, members, letters;
};

struct tables {
  struct table_sizes size;
  struct dg_entity *entity; /* [entities], .group unset */
  struct dg_group *group;   /* [groups], .name unset */
  int *member;              /* [members] groups of all entities */
  char *letter;             /* [letters] names of all groups with their zeros */
};

static int tables_init(struct tables *t, struct dg_error *err)
{
  if (DG_NEW(t->entity, t->size.entities, err) != 0 || DG_NEW(t->group, t->size.groups, err) != 0 ||
      DG_NEW(t->member, t->size.members, err) != 0 || DG_NEW(t->letter, t->size.letters, err) != 0)
    return err->code;
  return 0;
}

static int pack_tables(struct tables *t, const struct dg_mesh *mesh, struct dg_error *err)
{
  t->size = (struct table_sizes){
      .whole = mesh->whole, .periods = mesh->periods, .entities = mesh->entities, .groups = mesh->groups};
  memcpy(t->size.period, mesh->period, sizeof mesh->period);
  for (size_t i = 0; i < mesh->entities; i++) t->size.members += (size_t)mesh->entity[i].groups;
  for (size_t i = 0; i < mesh->groups; i++) t->size.letters += strlen(mesh->group[i].name) + 1;
  if (tables_init(t, err) != 0) return err->code;
  int *member = t->member;
  char *letter = t->letter;
  for (size_t i = 0; i < mesh->entities; i++) {
    size_t count = (size_t)mesh->entity[i].groups;
    t->entity[i] = mesh->entity[i];
    if (count > 0) memcpy(member, mesh->entity[i].group, count * sizeof *member);
    member += count;
  }
  for (size_t i = 0; i < mesh->groups; i++) {
    size_t length = strlen(mesh->group[i].name) + 1;
    t->group[i] = mesh->group[i];
    memcpy(letter, mesh->group[i].name, length);
    letter += length;
  }
  return 0;
}

static int unpack_tables(const struct tables *t, struct dg_mesh *mesh, struct dg_error *err)
{
  const int *member = t->member;
  const char *letter = t->letter;
  mesh->whole = t->size.whole;
  mesh->periods = t->size.periods;
  memcpy(mesh->period, t->size.period, sizeof mesh->period);
  if (DG_NEW(mesh->entity, t->size.entities, err) != 0 || DG_NEW(mesh->group, t->size.groups, err) != 0)
    return err->code;
  for (; mesh->entities < t->size.entities; mesh->entities++) {
    struct dg_entity *entity = &mesh->entity[mesh->entities];
    *entity = t->entity[mesh->entities];
    entity->group = NULL;
    if (entity->groups == 0) continue;
    if (DG_NEW(entity->group, entity->groups, err) != 0) return err->code;
    memcpy(entity->group, member, (size_t)entity->groups * sizeof *member);
    member += entity->groups;
  }
  for (; mesh->groups < t->size.groups; mesh->groups++) {
    struct dg_group *group = &mesh->group[mesh->groups];
    *group = t->group[mesh->groups];
    if (dg_copy_string(&group->name, letter, err) != 0) return err->code;
    letter += strlen(letter) + 1;
  }
  return 0;
}

int dg_mesh_share_tables(struct dg_mesh *mesh, struct dg_comm *comm, struct dg_error *err)
{
  struct tables t = {0};
  int root = dg_comm_rank(comm) == 0;
  if (root && pack_tables(&t, mesh, err) != 0) goto fail;
  if (dg_comm_broadcast(comm, sizeof t.size, &t.size, err) != 0) goto fail;
  if (!root && tables_init(&t, err) != 0) goto fail;
  if (dg_comm_broadcast(comm, t.size.entities * sizeof *t.entity, t.entity, err) != 0 ||
      dg_comm_broadcast(comm, t.size.groups * sizeof *t.group, t.group, err) != 0 ||
      dg_comm_broadcast(comm, t.size.members * sizeof *t.member, t.member, err) != 0 ||
      dg_comm_broadcast(comm, t.size.letters, t.letter, err) != 0)
    goto fail;
  if (!root) (void)!unpack_tables(&t, mesh, err);
fail:
  dg_free(t.entity);
  dg_free(t.group);
  dg_free(t.member);
  dg_free(t.letter);
  return err->code;
}

/* ---- parts that come with tables ---- */

static int add_counts(struct dg_mesh *mesh, const struct dg_mesh *part, const int32_t *moved, struct dg_comm *comm,
                      struct dg_error *err)
{
  int64_t *count; /* then those of loose triangles */
  const size_t n = mesh->entities;
  if (DG_NEW(count, 2 * n, err) != 0) return err->code;
  for (size_t i = 0; i < part->entities; i++) {
    count[moved[i]] += (int64_t)part->entity[i].count;
    count[n + (size_t)moved[i]] += (int64_t)part->entity[i].loose;
  }
  if (dg_comm_reduce_int(comm, DG_SUM, 2 * n, count, err) == 0)
    for (size_t i = 0; i < n; i++) {
      mesh->entity[i].count = (size_t)count[i];
      mesh->entity[i].loose = (size_t)count[n + i];
    }
  dg_free(count);
  return err->code;
}

int dg_mesh_join_tables(struct dg_mesh *mesh, struct dg_comm *comm, struct dg_error *err)
{
  /* the tables of this part, which those of rank 0 replace */
  struct dg_mesh part = {.entities = mesh->entities, .groups = mesh->groups};
  int32_t *moved = NULL; /* [part.entities] */
  if (DG_NEW(moved, part.entities, err) != 0) return err->code;
  if (dg_comm_rank(comm) == 0) {
    part.groups = 0;
    if (DG_NEW(part.entity, part.entities, err) != 0) goto fail;
    for (size_t i = 0; i < part.entities; i++)
      part.entity[i] = (struct dg_entity){.dim = mesh->entity[i].dim,
                                          .tag = mesh->entity[i].tag,
                                          .count = mesh->entity[i].count,
                                          .loose = mesh->entity[i].loose};
  } else {
    part.entity = mesh->entity, part.group = mesh->group;
    mesh->entities = mesh->groups = 0, mesh->entity = NULL, mesh->group = NULL;
  }
  if (dg_mesh_share_tables(mesh, comm, err) != 0) goto fail;
  for (size_t i = 0; i < part.entities; i++) {
    const struct dg_entity *entity = &part.entity[i];
    moved[i] = dg_mesh_find_entity(mesh, entity->dim, entity->tag);
    if (moved[i] >= 0) continue;
    (void)dg_fail(err, DG_INPUT, "%s %d of part %d is not in part 1: they are not parts of one mesh",
                  entity->dim == 2 ? "surface" : "volume", entity->tag, dg_comm_rank(comm) + 1);
    goto fail;
  }
  for (size_t e = 0; e < mesh->K; e++) {
    mesh->volume[e] = moved[mesh->volume[e]];
    for (int f = 0; f < 4; f++)
      if (mesh->surface[e][f] >= 0) mesh->surface[e][f] = moved[mesh->surface[e][f]];
  }
  (void)!add_counts(mesh, &part, moved, comm, err);
fail:
  dg_free(moved);
  dg_mesh_release(&part);
  return err->code;
}
