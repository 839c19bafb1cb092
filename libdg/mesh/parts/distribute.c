/* Splits the mesh of rank 0 into one part a rank. Parts are made and sent one after the other. */
#include <stdbool.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/mesh/curve.h"
#include "libdg/base/sort.h"
#include "libdg/mesh/parts/partition.h"
#include "libdg/mesh/parts/shared_tables.h"

/* ---- making a part ---- */

struct splitter {
  const struct dg_mesh *mesh;
  const int32_t *owner;
  size_t *first;    /* [ranks + 1] a rank's elements in list */
  size_t *interior; /* [ranks] how many of them have no neighbour on another rank; they come first */
  int32_t *list;    /* [K] elements, rank by rank */
  int32_t *place;   /* [K] number of an element in its part */
  /* of the part that is being made, set where it has a ghost or a vertex: */
  int32_t *ghost;  /* [K] number of a ghost */
  int32_t *vertex; /* [vertices] number of a vertex */
};

static bool has_ghost(const struct splitter *s, size_t e)
{
  for (int f = 0; f < 4; f++) {
    int32_t beyond = s->mesh->neighbour[e][f];
    if (beyond != DG_BOUNDARY && s->owner[beyond >> 2] != s->owner[e]) return true;
  }
  return false;
}

static int splitter_init(struct splitter *s, const struct dg_mesh *mesh, const int32_t *owner, int ranks,
                         struct dg_error *err)
{
  size_t *next = NULL; /* [ranks + 1] */
  *s = (struct splitter){.mesh = mesh, .owner = owner};
  if (DG_NEW(s->first, ranks + 1, err) != 0 || DG_NEW(s->interior, ranks, err) != 0 ||
      DG_NEW(s->list, mesh->K, err) != 0 || DG_NEW(s->place, mesh->K, err) != 0 ||
      DG_NEW(s->ghost, mesh->K, err) != 0 || DG_NEW(s->vertex, mesh->vertices, err) != 0 ||
      DG_NEW(next, ranks, err) != 0)
    goto fail;
  for (size_t e = 0; e < mesh->K; e++) {
    DG_BUG_IF(owner[e] < 0 || owner[e] >= ranks, "element %zu goes to rank %d of %d", e, (int)owner[e], ranks);
    s->first[owner[e] + 1]++;
  }
  for (int p = 0; p < ranks; p++) s->first[p + 1] += s->first[p];
  for (int with_ghosts = 0; with_ghosts < 2; with_ghosts++)
    for (size_t e = 0; e < mesh->K; e++) {
      if (has_ghost(s, e) != with_ghosts) continue;
      size_t p = (size_t)owner[e];
      s->place[e] = (int32_t)next[p];
      s->list[s->first[p] + next[p]++] = (int32_t)e;
      s->interior[p] += !with_ghosts;
    }
fail:
  dg_free(next);
  return err->code;
}

static void splitter_release(struct splitter *s)
{
  dg_free(s->first);
  dg_free(s->interior);
  dg_free(s->list);
  dg_free(s->place);
  dg_free(s->ghost);
  dg_free(s->vertex);
}

/* Sorts keys; those that occur several times are kept once. */
static int sort_unique(struct dg_keyed *keyed, size_t *count, struct dg_error *err)
{
  size_t kept = 0;
  if (dg_sort_keyed(keyed, *count, err) != 0) return err->code;
  for (size_t i = 0; i < *count; i++)
    if (i == 0 || keyed[i].key != keyed[kept - 1].key) keyed[kept++] = keyed[i];
  *count = kept;
  return 0;
}

/* Finds the ghosts: ghost[part->ghosts].item are the elements of other ranks behind the faces of own[K], by rank, then
 * along the curve. */
static int find_ghosts(const struct splitter *s, struct dg_mesh *part, const int32_t *own, struct dg_keyed **ghost,
                       struct dg_error *err)
{
  size_t count = 0;
  if (DG_NEW(*ghost, 4 * (part->K - part->interior), err) != 0) return err->code;
  for (size_t i = part->interior; i < part->K; i++)
    for (int f = 0; f < 4; f++) {
      int32_t beyond = s->mesh->neighbour[own[i]][f] >> 2; /* arithmetic: DG_BOUNDARY stays negative */
      if (beyond < 0 || s->owner[beyond] == s->owner[own[i]]) continue;
      (*ghost)[count++] = (struct dg_keyed){(uint64_t)s->owner[beyond] << 32 | (uint64_t)beyond, (size_t)beyond};
    }
  if (sort_unique(*ghost, &count, err) != 0) return err->code;
  part->ghosts = count;
  for (size_t g = 0; g < count; g++) s->ghost[(*ghost)[g].item] = (int32_t)(part->K + g);
  return 0;
}

/* Takes the vertices of a part. Their local numbers ascend with those of the whole mesh: sorted vertices stay sorted,
 * and a face lists its vertices in the same order on both ranks. */
static int take_vertices(const struct splitter *s, struct dg_mesh *part, struct dg_error *err)
{
  struct dg_keyed *keyed;
  size_t elements = part->K + part->ghosts, count = 4 * elements;
  if (DG_NEW(keyed, count, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) keyed[i].key = (uint64_t)s->mesh->element[part->global[i / 4]][i % 4];
  if (sort_unique(keyed, &count, err) != 0) goto fail;
  part->vertices = count;
  if (DG_NEW(part->vertex, count, err) != 0 || DG_NEW(part->global_vertex, count, err) != 0) goto fail;
  for (size_t v = 0; v < count; v++) {
    s->vertex[keyed[v].key] = (int32_t)v;
    part->global_vertex[v] = (int64_t)keyed[v].key;
    memcpy(part->vertex[v], s->mesh->vertex[keyed[v].key], sizeof part->vertex[v]);
  }
  for (size_t i = 0; i < 4 * elements; i++)
    part->element[i / 4][i % 4] = s->vertex[s->mesh->element[part->global[i / 4]][i % 4]];
fail:
  dg_free(keyed);
  return err->code;
}

static void take_faces(const struct splitter *s, struct dg_mesh *part, int rank)
{
  for (size_t i = 0; i < part->K; i++) {
    size_t e = (size_t)part->global[i];
    memcpy(part->surface[i], s->mesh->surface[e], sizeof part->surface[i]);
    for (int f = 0; f < 4; f++) {
      int32_t code = s->mesh->neighbour[e][f], *here = &part->neighbour[i][f];
      *here = DG_BOUNDARY;
      part->boundary_faces += code == DG_BOUNDARY;
      if (code == DG_BOUNDARY) continue;
      int32_t beyond = code >> 2;
      *here = 4 * (s->owner[beyond] == rank ? s->place[beyond] : s->ghost[beyond]) + (code & 3);
      part->interior_faces += (size_t)beyond > e;
    }
  }
}

/* Takes the maps of the part's own curved elements. */
static int take_curves(const struct splitter *s, struct dg_mesh *part, struct dg_error *err)
{
  const struct dg_mesh *mesh = s->mesh;
  const size_t nodes = mesh->curved > 0 ? dg_shape_nodes(mesh->geometry) : 0;
  size_t curved = 0;
  part->geometry = mesh->geometry;
  if (mesh->curved == 0) return 0;
  for (size_t i = 0; i < part->K; i++) curved += dg_mesh_curve(mesh, (size_t)part->global[i]) >= 0;
  if (DG_NEW(part->curve, curved, err) != 0 || DG_NEW(part->shape, curved * nodes, err) != 0) return err->code;
  for (size_t i = 0; i < part->K; i++) {
    const ptrdiff_t k = dg_mesh_curve(mesh, (size_t)part->global[i]);
    if (k < 0) continue;
    part->curve[part->curved] = (int32_t)i;
    memcpy(part->shape + nodes * part->curved++, mesh->shape + nodes * (size_t)k, nodes * sizeof *part->shape);
  }
  return 0;
}

static int make_part(const struct splitter *s, int rank, struct dg_mesh *part, struct dg_error *err)
{
  const int32_t *own = s->list + s->first[rank];
  struct dg_keyed *ghost = NULL;
  *part = (struct dg_mesh){.K = s->first[rank + 1] - s->first[rank], .interior = s->interior[rank]};
  if (find_ghosts(s, part, own, &ghost, err) != 0) goto fail;
  size_t elements = part->K + part->ghosts;
  if (DG_NEW(part->element, elements, err) != 0 || DG_NEW(part->volume, elements, err) != 0 ||
      DG_NEW(part->tag, elements, err) != 0 || DG_NEW(part->global, elements, err) != 0 ||
      DG_NEW(part->neighbour, part->K, err) != 0 || DG_NEW(part->surface, part->K, err) != 0)
    goto fail;
  if (s->mesh->origin != NULL && DG_NEW(part->origin, part->K, err) != 0) goto fail;
  if (part->ghosts > 0 && DG_NEW(part->owner, part->ghosts, err) != 0) goto fail;
  for (size_t i = 0; i < elements; i++) {
    size_t e = i < part->K ? (size_t)own[i] : ghost[i - part->K].item;
    part->global[i] = (int64_t)e;
    part->volume[i] = s->mesh->volume[e];
    part->tag[i] = s->mesh->tag[e];
    if (i < part->K && s->mesh->origin != NULL) memcpy(part->origin[i], s->mesh->origin[e], sizeof part->origin[i]);
    if (i >= part->K) part->owner[i - part->K] = s->owner[e];
  }
  if (take_vertices(s, part, err) != 0 || take_curves(s, part, err) != 0) goto fail;
  take_faces(s, part, rank);
fail:
  dg_free(ghost);
  return err->code;
}

/* ---- sending a part */

struct array {
  void *at; /* address of the pointer */
  size_t count, size;
};

enum { SIZES = 9, ARRAYS = 12 };

static void list_arrays(struct dg_mesh *part, bool layers, struct array array[ARRAYS])
{
  const size_t elements = part->K + part->ghosts;
  const size_t nodes = part->curved > 0 ? dg_shape_nodes(part->geometry) : 0;
  const struct array all[ARRAYS] = {
      {&part->vertex, part->vertices, sizeof *part->vertex},
      {&part->element, elements, sizeof *part->element},
      {&part->neighbour, part->K, sizeof *part->neighbour},
      {&part->volume, elements, sizeof *part->volume},
      {&part->surface, part->K, sizeof *part->surface},
      {&part->tag, elements, sizeof *part->tag},
      {&part->owner, part->ghosts, sizeof *part->owner},
      {&part->global, elements, sizeof *part->global},
      {&part->global_vertex, part->vertices, sizeof *part->global_vertex},
      {&part->origin, layers ? part->K : 0, sizeof *part->origin},
      {&part->curve, part->curved, sizeof *part->curve},
      {&part->shape, part->curved * nodes, sizeof *part->shape},
  };
  memcpy(array, all, sizeof all);
}

static int send_part(struct dg_mesh *part, struct dg_comm *comm, int to, struct dg_error *err)
{
  const uint64_t size[SIZES] = {part->K,
                                part->interior,
                                part->ghosts,
                                part->vertices,
                                part->boundary_faces,
                                part->interior_faces,
                                part->origin != NULL,
                                (uint64_t)part->geometry,
                                part->curved};
  struct array array[ARRAYS];
  list_arrays(part, part->origin != NULL, array);
  if (dg_comm_send(comm, to, sizeof size, size, err) != 0) return err->code;
  for (int i = 0; i < ARRAYS; i++) {
    const void *data;
    if (array[i].count == 0) continue;
    memcpy(&data, array[i].at, sizeof data);
    if (dg_comm_send(comm, to, array[i].count * array[i].size, data, err) != 0) return err->code;
  }
  return 0;
}

static int receive_part(struct dg_mesh *part, struct dg_comm *comm, struct dg_error *err)
{
  uint64_t size[SIZES] = {0};
  struct array array[ARRAYS];
  if (dg_comm_receive(comm, 0, sizeof size, size, err) != 0) return err->code;
  part->K = size[0];
  part->interior = size[1];
  part->ghosts = size[2];
  part->vertices = size[3];
  part->boundary_faces = size[4];
  part->interior_faces = size[5];
  part->geometry = (int)size[7];
  part->curved = size[8];
  list_arrays(part, size[6] != 0, array);
  for (int i = 0; i < ARRAYS; i++) {
    void *data;
    if (array[i].count == 0) continue;
    if (dg_alloc_untouched(array[i].at, array[i].count, array[i].size, err) != 0) return err->code;
    memcpy(&data, array[i].at, sizeof data);
    if (dg_comm_receive(comm, 0, array[i].count * array[i].size, data, err) != 0) return err->code;
  }
  return 0;
}

static int send_parts(struct dg_mesh *mesh, const int32_t *owner, struct dg_comm *comm, struct dg_error *err)
{
  struct splitter s;
  struct dg_mesh part = {0};
  if (splitter_init(&s, mesh, owner, dg_comm_size(comm), err) != 0) goto fail;
  for (int rank = 1; rank < dg_comm_size(comm); rank++) {
    if (make_part(&s, rank, &part, err) != 0 || send_part(&part, comm, rank, err) != 0) goto fail;
    dg_mesh_release(&part);
  }
  if (make_part(&s, 0, &part, err) != 0) goto fail;
  part.entities = mesh->entities, part.entity = mesh->entity;
  part.groups = mesh->groups, part.group = mesh->group;
  part.whole = mesh->whole;
  part.periods = mesh->periods;
  memcpy(part.period, mesh->period, sizeof part.period);
  mesh->entities = mesh->groups = 0, mesh->entity = NULL, mesh->group = NULL;
  dg_mesh_release(mesh);
  *mesh = part;
  part = (struct dg_mesh){0};
fail:
  dg_mesh_release(&part);
  splitter_release(&s);
  return err->code;
}

/* ---- all of it ---- */

int dg_mesh_distribute(struct dg_mesh *mesh, const int32_t *owner, struct dg_comm *comm, struct dg_error *err)
{
  if (err->code != DG_OK || dg_comm_size(comm) == 1) return err->code;
  DG_BUG_IF(mesh->global != NULL, "a mesh that is in parts cannot be distributed");
  if (dg_mesh_share_tables(mesh, comm, err) == 0) {
    if (dg_comm_rank(comm) == 0) (void)!send_parts(mesh, owner, comm, err);
    else (void)!receive_part(mesh, comm, err);
  }
  if (err->code != DG_OK) dg_mesh_release(mesh);
  return err->code;
}
