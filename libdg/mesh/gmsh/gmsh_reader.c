/* Reads Gmsh's model, which gmsh_session.c has opened, into a struct dg_model, by Gmsh's C API from 4.8 on. */
#include "libdg/mesh/gmsh/gmsh_reader.h"

#include <gmshc.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/gmsh/gmsh_calls.h"
#include "libdg/mesh/gmsh/gmsh_names.h"
#include "libdg/mesh/gmsh/gmsh_orders.h"
#include "libdg/mesh/gmsh/gmsh_sizes.h"
#include "libdg/mesh/mesh_check.h"
#include "libdg/mesh/parts/msh_parts.h"

/* ---- nodes ---- */

struct node {
  size_t tag;
  int32_t index;
};

/* The parts of the model that were read. */
struct model {
  double unit;
  int geometry; /* order that the file must have; 0: any */
  size_t nodes, K, tet_room, triangles, triangle_room;
  struct node *node; /* [nodes] by tag */
  double (*point)[3];
  int32_t (*tet)[4], *volume_tag, *partition;
  int partitions;
  uint64_t *tag;
  int32_t (*triangle)[3], *surface_tag;
  int order;          /* of the tetrahedra; 0: there are none yet */
  double (*shape)[3]; /* [K][nodes of that order]; NULL when it is 1 */
};

static void model_release(struct model *model)
{
  dg_free(model->node);
  dg_free(model->point);
  dg_free(model->tet);
  dg_free(model->volume_tag);
  dg_free(model->partition);
  dg_free(model->tag);
  dg_free(model->triangle);
  dg_free(model->surface_tag);
  dg_free(model->shape);
}

static int compare_nodes(const void *left, const void *right)
{
  const struct node *a = left, *b = right;
  return (a->tag > b->tag) - (a->tag < b->tag);
}

static int32_t find_node(const struct model *model, size_t tag)
{
  if (model->nodes == 0 || tag < model->node[0].tag) return -1;
  size_t guess = tag - model->node[0].tag; /* tags without gaps are the rule */
  if (guess < model->nodes && model->node[guess].tag == tag) return model->node[guess].index;
  const struct node key = {.tag = tag};
  const struct node *found = bsearch(&key, model->node, model->nodes, sizeof key, compare_nodes);
  return found != NULL ? found->index : -1;
}

static int read_nodes(struct model *model, struct dg_error *err)
{
  struct dg_gmsh_nodes nodes;
  const bool got = dg_gmsh_get_nodes(&nodes, -1, -1);
  const size_t tags = nodes.count;
  if (!got || nodes.coords != 3 * tags) (void)dg_fail(err, DG_INPUT, "Gmsh could not give the nodes");
  else if (tags > INT32_MAX) (void)dg_fail(err, DG_INPUT, "the mesh has %zu nodes, too many for one process", tags);
  else if (DG_NEW(model->node, tags, err) == 0 && DG_NEW(model->point, tags, err) == 0) {
    model->nodes = tags;
    for (size_t i = 0; i < tags; i++) model->node[i] = (struct node){nodes.tag[i], (int32_t)i};
    qsort(model->node, model->nodes, sizeof *model->node, compare_nodes);
    for (size_t i = 0; i < tags; i++) {
      for (int b = 0; b < 3; b++) model->point[i][b] = model->unit * nodes.coord[3 * model->node[i].index + b];
      model->node[i].index = (int32_t)i;
    }
  }
  dg_gmsh_free_nodes(&nodes);
  return err->code;
}

/* ---- elements ---- */

/* The elements of one entity, as Gmsh hands them out. */
struct elements {
  size_t types, tags, nodes; /* lengths of the outer arrays; all equal */
  int *type;
  size_t **tag, *tag_count, **node, *node_count;
};

static void elements_free(struct elements *elements)
{
  for (size_t i = 0; i < elements->tags; i++) gmshFree(elements->tag[i]);
  for (size_t i = 0; i < elements->nodes; i++) gmshFree(elements->node[i]);
  gmshFree(elements->type);
  gmshFree(elements->tag);
  gmshFree(elements->tag_count);
  gmshFree(elements->node);
  gmshFree(elements->node_count);
}

/* The middle of the first element of a type. */
static void middle_of(const struct model *model, const struct elements *elements, size_t i, double x[3])
{
  const size_t count = elements->tag_count[i], per_element = count > 0 ? elements->node_count[i] / count : 0;
  size_t found = 0;
  memset(x, 0, 3 * sizeof *x);
  for (size_t k = 0; k < per_element; k++) {
    const int32_t node = find_node(model, elements->node[i][k]);
    for (int b = 0; b < 3 && node >= 0; b++) x[b] += model->point[node][b];
    found += node >= 0;
  }
  for (int b = 0; b < 3 && found > 0; b++) x[b] /= (double)found;
}

static int not_a_tetrahedron(const struct model *model, const struct elements *elements, size_t i,
                             const struct dg_gmsh_type *type, int volume, struct dg_error *err)
{
  double x[3];
  middle_of(model, elements, i, x);
  return dg_fail(err, DG_INPUT,
                 "element %zu at " DG_AT " is a '%s' (volume %d has %zu of them): only tetrahedra with all nodes of "
                 "their order, 1 to %d, can be used",
                 elements->tag[i][0], DG_XYZ(x), type->name, volume, elements->tag_count[i], DG_GEOMETRY_MAX);
}

/* Checks that the tetrahedra have one order, and the one that is asked for. */
static int check_order(struct model *model, const struct elements *elements, size_t i, const struct dg_gmsh_type *type,
                       struct dg_error *err)
{
  double x[3];
  middle_of(model, elements, i, x);
  if (model->order != 0 && model->order != type->order)
    return dg_fail(err, DG_INPUT,
                   "element %zu at " DG_AT
                   " is a '%s' of order %d, others have order %d: the elements of a mesh have one "
                   "order",
                   elements->tag[i][0], DG_XYZ(x), type->name, type->order, model->order);
  model->order = type->order;
  if (model->geometry == 0 || model->geometry == type->order) return 0;
  return dg_fail(err, DG_INPUT,
                 "element %zu at " DG_AT " is a '%s': the file holds a mesh of order %d, but mesh.geometry is %d; set "
                 "mesh.geometry = %d or \"auto\"",
                 elements->tag[i][0], DG_XYZ(x), type->name, type->order, model->geometry, type->order);
}

static int missing_node(size_t element, size_t node, struct dg_error *err)
{
  return dg_fail(err, DG_INPUT, "element %zu refers to node %zu, which does not exist", element, node);
}

static int make_room(struct model *model, size_t need, struct dg_error *err)
{
  const size_t room = need > 2 * model->tet_room ? need : 2 * model->tet_room;
  if (need <= model->tet_room) return 0;
  if (dg_grow(&model->tet, room, sizeof *model->tet, err) != 0 ||
      dg_grow(&model->tag, room, sizeof *model->tag, err) != 0 ||
      dg_grow(&model->volume_tag, room, sizeof *model->volume_tag, err) != 0 ||
      dg_grow(&model->partition, room, sizeof *model->partition, err) != 0)
    return err->code;
  if (model->order > 1 && dg_grow(&model->shape, room * dg_shape_nodes(model->order), sizeof *model->shape, err) != 0)
    return err->code;
  model->tet_room = room;
  return 0;
}

static int add_tetrahedra(struct model *model, const struct elements *elements, size_t i,
                          const struct dg_gmsh_type *type, int volume, int partition, struct dg_error *err)
{
  const size_t count = elements->tag_count[i], nodes = (size_t)type->nodes;
  if (check_order(model, elements, i, type, err) != 0 || make_room(model, model->K + count, err) != 0) return err->code;
  for (size_t e = 0; e < count; e++, model->K++) {
    for (size_t k = 0; k < nodes; k++) {
      const size_t node = elements->node[i][nodes * e + k];
      const int32_t index = find_node(model, node);
      if (index < 0) return missing_node(elements->tag[i][e], node, err);
      if (k < 4) model->tet[model->K][k] = index;
      if (model->order > 1)
        memcpy(model->shape[nodes * model->K + (size_t)type->lattice[k]], model->point[index], sizeof *model->shape);
    }
    model->tag[model->K] = elements->tag[i][e];
    model->volume_tag[model->K] = volume;
    model->partition[model->K] = partition;
  }
  return 0;
}

static int add_triangles(struct model *model, const struct elements *elements, size_t i, size_t nodes, int surface,
                         struct dg_error *err)
{
  size_t count = elements->tag_count[i], need = model->triangles + count;
  if (need > model->triangle_room) {
    size_t room = need > 2 * model->triangle_room ? need : 2 * model->triangle_room;
    if (dg_grow(&model->triangle, room, sizeof *model->triangle, err) != 0) return err->code;
    if (dg_grow(&model->surface_tag, room, sizeof *model->surface_tag, err) != 0) return err->code;
    model->triangle_room = room;
  }
  for (size_t e = 0; e < count; e++, model->triangles++) {
    for (size_t k = 0; k < 3; k++) {
      size_t node = elements->node[i][nodes * e + k];
      int32_t index = model->triangle[model->triangles][k] = find_node(model, node);
      if (index < 0) return missing_node(elements->tag[i][e], node, err);
    }
    model->surface_tag[model->triangles] = surface;
  }
  return 0;
}

/* ---- elements that are there once for each group ---- */

/* A simplex by its vertices in ascending order, and where it stands. */
struct copy {
  int32_t v[4];
  size_t at;
};

static int compare_copies(const void *left, const void *right)
{
  const struct copy *a = left, *b = right;
  for (int i = 0; i < 4; i++)
    if (a->v[i] != b->v[i]) return a->v[i] < b->v[i] ? -1 : 1;
  return (a->at > b->at) - (a->at < b->at);
}

/* Marks those of count simplices that are there before: *again[count]. */
static int find_copies(const int32_t *vertex, int corners, size_t count, bool **again, struct dg_error *err)
{
  struct copy *copy = NULL;
  if (DG_NEW(*again, count + 1, err) != 0 || DG_NEW(copy, count + 1, err) != 0) goto fail;
  for (size_t i = 0; i < count; i++) {
    copy[i] = (struct copy){.v = {-1, -1, -1, -1}, .at = i};
    for (int k = 0; k < corners; k++) {
      int j = k;
      for (; j > 0 && copy[i].v[j - 1] > vertex[(size_t)corners * i + (size_t)k]; j--) copy[i].v[j] = copy[i].v[j - 1];
      copy[i].v[j] = vertex[(size_t)corners * i + (size_t)k];
    }
  }
  qsort(copy, count, sizeof *copy, compare_copies);
  for (size_t i = 1; i < count; i++) (*again)[copy[i].at] = memcmp(copy[i].v, copy[i - 1].v, sizeof copy[i].v) == 0;
fail:
  dg_free(copy);
  return err->code;
}

/* MSH 2.2 writes an element once for each physical group that it is in. Takes away the copies among the elements from K
 * and from `triangles` on, which are those of one entity. */
static int drop_copies(struct model *model, size_t K, size_t triangles, struct dg_error *err)
{
  const size_t nodes = dg_shape_nodes(model->order > 0 ? model->order : 1);
  bool *again = NULL;
  size_t kept = K;
  if (K < model->K && find_copies(model->tet[K], 4, model->K - K, &again, err) != 0) goto fail;
  for (size_t e = K; e < model->K; e++) {
    if (again[e - K]) continue;
    memmove(model->tet[kept], model->tet[e], sizeof *model->tet);
    model->volume_tag[kept] = model->volume_tag[e];
    model->partition[kept] = model->partition[e];
    model->tag[kept] = model->tag[e];
    if (model->order > 1) memmove(model->shape + nodes * kept, model->shape + nodes * e, nodes * sizeof *model->shape);
    kept++;
  }
  model->K = kept;
  dg_free(again);
  again = NULL;
  kept = triangles;
  if (triangles < model->triangles &&
      find_copies(model->triangle[triangles], 3, model->triangles - triangles, &again, err) != 0)
    goto fail;
  for (size_t t = triangles; t < model->triangles; t++) {
    if (again[t - triangles]) continue;
    memmove(model->triangle[kept], model->triangle[t], sizeof *model->triangle);
    model->surface_tag[kept++] = model->surface_tag[t];
  }
  model->triangles = kept;
fail:
  dg_free(again);
  return err->code;
}

static bool in_several_groups(int dim, int tag)
{
  int *group = NULL, ierr;
  size_t count = 0;
  gmshModelGetPhysicalGroupsForEntity(dim, tag, &group, &count, &ierr);
  gmshFree(group);
  return ierr == 0 && count > 1;
}

/* The cells of other partitions that a partition sees: they are elements of their own partition. */
static bool is_ghost(int dim, int tag)
{
  char *type = NULL;
  int ierr;
  gmshModelGetType(dim, tag, &type, &ierr);
  const bool is = ierr == 0 && type != NULL && strncmp(type, "Ghost", 5) == 0;
  gmshFree(type);
  return is;
}

/* ---- entities ---- */

/* The entity of the geometry to which an entity of a partitioned mesh belongs. 0 when that is of no use: a surface
 * between two partitions lies in a volume. An entity whose parents go round in a circle belongs to none. */
static int whole_entity(int dim, int tag)
{
  int whole = tag;
  for (int depth = 0; depth < 8; depth++) {
    int parent_dim = -1, parent = -1, ierr;
    gmshModelGetParent(dim, whole, &parent_dim, &parent, &ierr);
    if (ierr != 0 || parent_dim < 0) return whole;
    if (parent_dim != dim) return 0;
    whole = parent;
  }
  return tag;
}

/* The partition of a volume: 0 and up, or -1 if no partitioner made the volume. */
static int partition_of(int volume)
{
  int *partition = NULL, ierr;
  size_t count = 0;
  gmshModelGetPartitions(3, volume, &partition, &count, &ierr);
  int number = ierr == 0 && count == 1 ? partition[0] - 1 : -1;
  gmshFree(partition);
  return number;
}

static int read_entity(struct model *model, int dim, int tag, struct dg_error *err)
{
  struct elements all = {0};
  int failed, whole = whole_entity(dim, tag);
  const size_t K = model->K, triangles = model->triangles;
  if (whole == 0 || is_ghost(dim, tag)) return 0;
  gmshModelMeshGetElements(&all.type, &all.types, &all.tag, &all.tag_count, &all.tags, &all.node, &all.node_count,
                           &all.nodes, dim, tag, &failed);
  if (failed != 0) (void)dg_fail(err, DG_INPUT, "Gmsh could not give the elements of entity %d", tag);
  for (size_t i = 0; i < all.types && err->code == DG_OK; i++) {
    if (all.tag_count[i] == 0) continue;
    struct dg_gmsh_type type;
    const bool usable = dg_gmsh_get_type(all.type[i], &type) && type.simplex && type.dim == dim &&
                        all.node_count[i] == all.tag_count[i] * (size_t)type.nodes;
    if (dim == 3 && usable) (void)!add_tetrahedra(model, &all, i, &type, whole, partition_of(tag), err);
    else if (dim == 3) (void)!not_a_tetrahedron(model, &all, i, &type, whole, err);
    else if (usable) (void)!add_triangles(model, &all, i, (size_t)type.nodes, whole, err);
    /* other surface elements cannot lie on a tetrahedron: they are left over, as unmatched triangles are */
  }
  elements_free(&all);
  if (err->code == DG_OK && in_several_groups(dim, tag)) (void)!drop_copies(model, K, triangles, err);
  return err->code;
}

static int read_elements(struct model *model, struct dg_error *err)
{
  for (int dim = 3; dim >= 2 && err->code == DG_OK; dim--) {
    int *entity = NULL, failed;
    size_t count = 0;
    gmshModelGetEntities(&entity, &count, dim, &failed);
    if (failed != 0) (void)dg_fail(err, DG_INPUT, "Gmsh could not give the entities");
    for (size_t i = 0; i < count && err->code == DG_OK; i += 2) (void)!read_entity(model, dim, entity[i + 1], err);
    gmshFree(entity);
  }
  if (err->code != DG_OK || model->K > 0) return err->code;
  if (model->triangles == 0)
    return dg_fail(err, DG_INPUT,
                   "the mesh has neither tetrahedra nor triangles: the geometry has no volume, or the file is cut off");
  return dg_fail(err, DG_INPUT,
                 "the mesh has %zu triangles but no tetrahedra: the geometry has no volume, or Gmsh did not save it "
                 "because it is in no physical group",
                 model->triangles);
}

/* ---- entities and physical groups ---- */

/* Reads the entities of a group. Entities of a partitioned mesh are replaced by the ones to which they belong. A group
 * that holds nothing else was made by the partitioner and gets none. */
static int read_group_entities(struct dg_group_input *group, const int *entity, size_t count, struct dg_error *err)
{
  int own = 0, *tag;
  if (DG_NEW(tag, count, err) != 0) return err->code;
  group->entity_tag = tag;
  for (size_t i = 0; i < count; i++) {
    int whole = whole_entity(group->dim, entity[i]);
    size_t k = 0;
    own = own || whole == entity[i];
    while (k < group->entities && tag[k] != whole) k++;
    if (whole != 0 && k == group->entities) tag[group->entities++] = whole;
  }
  if (!own) group->entities = 0;
  return 0;
}

static int read_group(struct dg_group_input *group, const char *file, int dim, int tag, struct dg_error *err)
{
  char *name = NULL, *copy = NULL;
  int *entity = NULL, failed;
  size_t count = 0;
  *group = (struct dg_group_input){.dim = dim, .tag = tag};
  gmshModelGetPhysicalName(dim, tag, &name, &failed);
  if (failed != 0) name = NULL;
  gmshModelGetEntitiesForPhysicalGroup(dim, tag, &entity, &count, &failed);
  if (failed != 0) count = 0;
  if (name != NULL && name[0] != '\0' ? dg_copy_string(&copy, name, err) == 0
                                      : dg_gmsh_name_in_file(&copy, file, dim, tag, err) == 0) {
    group->name = copy;
    (void)!read_group_entities(group, entity, count, err);
  }
  gmshFree(name);
  gmshFree(entity);
  return err->code;
}

/* Reads the entities of the whole model; a part has only some of them. */
static int read_entities(struct dg_model *model, struct dg_error *err)
{
  for (int dim = 2; dim <= 3 && err->code == DG_OK; dim++) {
    int *dim_tag = NULL, failed;
    size_t length = 0;
    gmshModelGetEntities(&dim_tag, &length, dim, &failed);
    if (failed != 0) length = 0;
    if (dg_grow(&model->entity, model->entities + length / 2, sizeof *model->entity, err) == 0)
      for (size_t i = 0; i < length; i += 2)
        if (whole_entity(dim, dim_tag[i + 1]) == dim_tag[i + 1]) {
          model->entity[model->entities][0] = dim;
          model->entity[model->entities++][1] = dim_tag[i + 1];
        }
    gmshFree(dim_tag);
  }
  return err->code;
}

static int read_groups(struct dg_model *model, const char *file, struct dg_error *err)
{
  int *dim_tag = NULL, failed;
  size_t length = 0;
  gmshModelGetPhysicalGroups(&dim_tag, &length, -1, &failed);
  if (failed != 0) length = 0;
  if (DG_NEW(model->group, length / 2, err) == 0)
    for (size_t i = 0; i < length && err->code == DG_OK; i += 2) {
      if (dim_tag[i] < 2) continue; /* curves and points carry nothing that the solver uses */
      (void)!read_group(&model->group[model->groups++], file, dim_tag[i], dim_tag[i + 1], err);
      if (err->code == DG_OK && model->group[model->groups - 1].entities == 0) dg_model_drop_group(model);
    }
  gmshFree(dim_tag);
  return err->code;
}

/* ---- all of it ---- */

/* Is the file a whole mesh (`part` is 0), or the part that is asked for (1 and up)? */
static int check_partitions(struct model *model, const char *file, int part, struct dg_error *err)
{
  int low = INT_MAX, high = -1;
  for (size_t e = 0; e < model->K; e++) {
    if (model->partition[e] < low) low = model->partition[e];
    if (model->partition[e] > high) high = model->partition[e];
  }
  model->partitions = dg_msh_partitions(file);
  if (part > 0 && (low != part - 1 || high != part - 1))
    return dg_fail(err, DG_INPUT, "its elements are not those of part %d", part);
  if (part == 0 && low == high && low >= 0 && model->partitions > 1)
    return dg_fail(
        err, DG_INPUT,
        "it is only part %d of %d: leave the number out of the name and start %d ranks, or let Gmsh write one "
        "file (Mesh.PartitionSplitMeshFiles = 0)",
        low + 1, model->partitions, model->partitions);
  if (part > 0 || low < 0 || high >= model->partitions) model->partitions = 0;
  return 0;
}

static int number_points(const struct model *model, int64_t **number, struct dg_error *err)
{
  if (DG_NEW(*number, model->nodes, err) != 0) return err->code;
  for (size_t i = 0; i < model->nodes; i++) {
    const size_t tag = model->node[i].tag;
    if (tag > INT64_MAX || (i > 0 && tag == model->node[i - 1].tag))
      return dg_fail(err, DG_INPUT, "node %zu is there twice, or has too large a number", tag);
    (*number)[i] = (int64_t)tag;
  }
  return 0;
}

/* Hands the arrays over to the model. */
static void give(struct dg_model *to, struct model *from)
{
  to->points = from->nodes;
  to->K = from->K;
  to->triangles = from->triangles;
  to->point = from->point;
  to->tet = from->tet;
  to->volume_tag = from->volume_tag;
  to->tag = from->tag;
  to->triangle = from->triangle;
  to->surface_tag = from->surface_tag;
  to->partitions = from->partitions;
  if (from->order > 1) {
    to->geometry = from->order;
    to->shape = from->shape;
  }
  if (from->partitions > 0) to->partition = from->partition;
  else dg_free(from->partition);
  dg_free(from->node);
}

/* All elements of a mesh of higher order have a map; dg_mesh_build drops those that are affine. */
static int list_curved(struct dg_model *model, struct dg_error *err)
{
  if (DG_NEW(model->curve, model->K, err) != 0) return err->code;
  model->curved = model->K;
  for (size_t e = 0; e < model->K; e++) model->curve[e] = (int32_t)e;
  return 0;
}

/* The order that the elements must have. */
static int geometry_of(const struct dg_mesh_options *options, bool generated)
{
  if (generated) return 1; /* the maps of a geometry's mesh are bent later */
  return options->own_geometry ? 0 : options->geometry > 1 ? options->geometry : 1;
}

static int check_part_order(const struct model *model, int part, struct dg_error *err)
{
  if (part == 0 || model->order < 2) return 0;
  return dg_fail(err, DG_INPUT,
                 "it is a part of a mesh of order %d: a mesh that comes in parts has straight elements; take one file "
                 "for the whole mesh",
                 model->order);
}

int dg_gmsh_read(struct dg_model *to, const struct dg_mesh_options *options, int part, bool generated,
                 struct dg_error *err)
{
  struct model model = {.unit = dg_gmsh_unit(options), .geometry = geometry_of(options, generated)};
  if (read_nodes(&model, err) != 0 || read_elements(&model, err) != 0 ||
      check_partitions(&model, options->file, part, err) != 0 || check_part_order(&model, part, err) != 0 ||
      (part > 0 && number_points(&model, &to->number, err) != 0)) {
    model_release(&model);
    return err->code;
  }
  give(to, &model);
  if (to->shape != NULL && list_curved(to, err) != 0) return err->code;
  if (part > 0 && read_entities(to, err) != 0) return err->code;
  return read_groups(to, options->file, err);
}
