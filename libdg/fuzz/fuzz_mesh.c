/* From what Gmsh hands out to a model, a parcel and a mesh: this program stands in Gmsh's place, and answers with
 * arrays made of the bytes. Their lengths agree, as Gmsh's do; what is in them need not make sense.
 *
 * Bytes: how Gmsh behaves; nodes (tag, x, y, z); entities (dimension, tag, parent, partition, blocks of elements);
 * groups (dimension, tag, name, entities). */
#include "libdg/fuzz/fuzz.h"

#include <float.h>
#include <gmshc.h>
#include <math.h>
#include <stdbool.h>

#include "libdg/base/memory.h"
#include "libdg/fuzz/fuzz_check_mesh.h"
#include "libdg/mesh/gmsh/gmsh_session.h"

enum { NODES = 64, ENTITIES = 8, BLOCKS = 3, ELEMENTS = 24, GROUPS = 5, MEMBERS = 8, NAME = 16, NODES_MAX = 20 };

struct block {
  int type;
  size_t count, per_element;
  size_t tag[ELEMENTS], node[ELEMENTS * NODES_MAX];
};

struct entity {
  int dim, tag, parent_dim, parent, partition;
  size_t blocks;
  struct block block[BLOCKS];
};

struct group {
  int dim, tag;
  char name[NAME + 1];
  size_t members;
  int member[MEMBERS];
};

static struct {
  unsigned fails;
  bool discrete;
  const char *complaint;
  size_t nodes, entities, groups;
  size_t tag[NODES];
  double coordinate[3 * NODES];
  struct entity entity[ENTITIES];
  struct group group[GROUPS];
} model;

/* ---- the bytes ---- */

static double read_coordinate(struct fuzz_bytes *bytes)
{
  static const double special[] = {0, -0.0, NAN, INFINITY, 1e308, -1e308, 1e-308, 4e-324, 1e100, 1e-100, 1e16};
  uint8_t byte = fuzz_byte(bytes);
  if (byte < 240) return (byte - 120) / 8.0;
  return special[fuzz_byte(bytes) % (sizeof special / sizeof *special)];
}

static size_t read_tag(struct fuzz_bytes *bytes)
{
  uint8_t byte = fuzz_byte(bytes);
  return byte < 250 ? byte : SIZE_MAX - (255u - byte); /* tags without order or end */
}

/* Types of elements as Gmsh numbers them. The first eight are older than the rest: the corpus knows their places. */
enum { KINDS = 12 };
static const struct {
  int type, nodes, dim, order, corners;
} kinds[KINDS] = {{4, 4, 3, 1, 4}, {2, 3, 2, 1, 3},   {4, 4, 3, 1, 4},   {2, 3, 2, 1, 3},
                  {5, 8, 3, 1, 8}, {3, 4, 2, 1, 4},   {11, 10, 3, 2, 4}, {15, 1, 0, 0, 1},
                  {9, 6, 2, 2, 3}, {29, 20, 3, 3, 4}, {21, 10, 2, 3, 3}, {11, 10, 3, 2, 4}};

/* Places of a tetrahedron's nodes, the corners first. */
static void local_nodes(int order, double *local)
{
  int node = 4;
  for (int k = 0; k <= order; k++)
    for (int j = 0; j + k <= order; j++)
      for (int i = 0; i + j + k <= order; i++) {
        const int corner = i == order ? 1 : j == order ? 2 : k == order ? 3 : i + j + k == 0 ? 0 : -1;
        double *to = local + 3 * (ptrdiff_t)(corner >= 0 ? corner : node++);
        to[0] = (double)i / order, to[1] = (double)j / order, to[2] = (double)k / order;
      }
}

static void read_block(struct fuzz_bytes *bytes, struct block *block)
{
  size_t kind = fuzz_byte(bytes) % KINDS;
  *block = (struct block){.type = kinds[kind].type, .per_element = (size_t)kinds[kind].nodes};
  block->count = fuzz_count(bytes, ELEMENTS);
  for (size_t e = 0; e < block->count; e++) {
    block->tag[e] = e + 1;
    for (size_t k = 0; k < block->per_element; k++) block->node[block->per_element * e + k] = read_tag(bytes);
  }
}

/* -128 .. 127 */
static int small(struct fuzz_bytes *bytes)
{
  int byte = fuzz_byte(bytes);
  return byte < 128 ? byte : byte - 256;
}

static void read_entity(struct fuzz_bytes *bytes, struct entity *entity)
{
  uint8_t kind = fuzz_byte(bytes);
  entity->dim = 2 + kind % 2;
  entity->tag = small(bytes);
  entity->parent_dim = -1;
  if (kind & 2) {
    entity->parent_dim = kind & 4 ? entity->dim : 3;
    entity->parent = small(bytes);
  }
  entity->partition = kind & 8 ? small(bytes) : 0;
  entity->blocks = fuzz_count(bytes, BLOCKS);
  for (size_t i = 0; i < entity->blocks; i++) read_block(bytes, &entity->block[i]);
}

static void read_group(struct fuzz_bytes *bytes, struct group *group)
{
  group->dim = (int)fuzz_count(bytes, 3);
  group->tag = small(bytes);
  size_t length = fuzz_count(bytes, NAME);
  for (size_t i = 0; i < NAME; i++) group->name[i] = i < length ? (char)fuzz_byte(bytes) : '\0';
  group->members = fuzz_count(bytes, MEMBERS);
  for (size_t i = 0; i < group->members; i++) group->member[i] = small(bytes);
}

static void read_model(struct fuzz_bytes *bytes)
{
  memset(&model, 0, sizeof model);
  uint8_t way = fuzz_byte(bytes);
  model.discrete = way & 1;
  model.complaint = way & 2 ? "Error   : something is wrong" : "Info    : reading";
  if (way & 4) model.fails = 1u << (fuzz_byte(bytes) % 16);
  model.nodes = fuzz_count(bytes, NODES);
  for (size_t i = 0; i < model.nodes; i++) {
    model.tag[i] = read_tag(bytes);
    for (size_t b = 0; b < 3; b++) model.coordinate[3 * i + b] = read_coordinate(bytes);
  }
  model.entities = fuzz_count(bytes, ENTITIES);
  for (size_t i = 0; i < model.entities; i++) read_entity(bytes, &model.entity[i]);
  model.groups = fuzz_count(bytes, GROUPS);
  for (size_t i = 0; i < model.groups; i++) read_group(bytes, &model.group[i]);
}

/* ---- Gmsh ---- */

enum failing {
  NODES_FAIL,
  ENTITIES_FAIL,
  ELEMENTS_FAIL,
  PARENT_FAIL,
  PARTITIONS_FAIL,
  GROUPS_FAIL,
  MEMBERS_FAIL,
  NAME_FAIL,
  TYPE_FAIL,
  TYPES_FAIL,
  OPEN_FAIL,
  GENERATE_FAIL,
  PROPERTIES_FAIL
};

static bool fails(enum failing what, int *ierr)
{
  bool failed = model.fails >> what & 1;
  *ierr = failed;
  return failed;
}

static void *copy(const void *from, size_t bytes)
{
  void *to = malloc(bytes + 1);
  FUZZ_EXPECT(to != NULL);
  if (bytes > 0) memcpy(to, from, bytes);
  return to;
}

static char *copy_text(const char *text) { return copy(text, strlen(text) + 1); }

static const struct entity *find(int dim, int tag)
{
  for (size_t i = 0; i < model.entities; i++)
    if (model.entity[i].dim == dim && model.entity[i].tag == tag) return &model.entity[i];
  return NULL;
}

void gmshFree(void *p) { free(p); }
void gmshFinalize(int *ierr) { *ierr = 0; }
void gmshLoggerStart(int *ierr) { *ierr = 0; }
void gmshLoggerStop(int *ierr) { *ierr = 0; }
void gmshOpen(const char *name, int *ierr) { (void)name, (void)fails(OPEN_FAIL, ierr); }
void gmshModelMeshGenerate(const int dim, int *ierr) { (void)dim, (void)fails(GENERATE_FAIL, ierr); }
void gmshOptionSetNumber(const char *name, const double value, int *ierr) { (void)name, (void)value, *ierr = 0; }
void gmshOnelabClear(const char *name, int *ierr) { (void)name, *ierr = 0; }

#if GMSH_API_VERSION_MAJOR > 4 || (GMSH_API_VERSION_MAJOR == 4 && GMSH_API_VERSION_MINOR >= 9)
void gmshInitialize(int argc, char **argv, const int readConfigFiles, const int run, int *ierr)
{
  (void)argc, (void)argv, (void)readConfigFiles, (void)run, *ierr = 0;
}

void gmshOnelabSetNumber(const char *name, const double *value, const size_t value_n, int *ierr)
{
  (void)name, (void)value, (void)value_n, *ierr = 0;
}
#else
void gmshInitialize(int argc, char **argv, const int readConfigFiles, int *ierr)
{
  (void)argc, (void)argv, (void)readConfigFiles, *ierr = 0;
}

void gmshOnelabSetNumber(const char *name, double *value, size_t value_n, int *ierr)
{
  (void)name, (void)value, (void)value_n, *ierr = 0;
}
#endif

void gmshOptionGetString(const char *name, char **value, int *ierr)
{
  (void)name;
  *value = copy_text("0");
  *ierr = 0;
}

void gmshOnelabGetNumber(const char *name, double **value, size_t *value_n, int *ierr)
{
  (void)name;
  *value = NULL;
  *value_n = 0;
  *ierr = 0;
}

void gmshLoggerGet(char ***log, size_t *log_n, int *ierr)
{
  char *line = copy_text(model.complaint);
  *log = copy(&line, sizeof line);
  *log_n = 1;
  *ierr = 0;
}

void gmshModelGetEntities(int **dimTags, size_t *dimTags_n, const int dim, int *ierr)
{
  int list[2 * ENTITIES];
  *dimTags = NULL;
  *dimTags_n = 0;
  if (fails(ENTITIES_FAIL, ierr)) return;
  for (size_t i = 0; i < model.entities; i++) {
    if (dim >= 0 && model.entity[i].dim != dim) continue;
    list[(*dimTags_n)++] = model.entity[i].dim;
    list[(*dimTags_n)++] = model.entity[i].tag;
  }
  *dimTags = copy(list, *dimTags_n * sizeof *list);
}

void gmshModelGetEntitiesForPhysicalGroup(const int dim, const int tag, int **tags, size_t *tags_n, int *ierr)
{
  *tags = NULL;
  *tags_n = 0;
  if (fails(MEMBERS_FAIL, ierr)) return;
  for (size_t i = 0; i < model.groups; i++) {
    if (model.group[i].dim != dim || model.group[i].tag != tag) continue;
    *tags_n = model.group[i].members;
    *tags = copy(model.group[i].member, *tags_n * sizeof **tags);
    return;
  }
}

void gmshModelGetPhysicalGroups(int **dimTags, size_t *dimTags_n, const int dim, int *ierr)
{
  int list[2 * GROUPS];
  (void)dim;
  *dimTags = NULL;
  *dimTags_n = 0;
  if (fails(GROUPS_FAIL, ierr)) return;
  for (size_t i = 0; i < model.groups; i++) {
    list[(*dimTags_n)++] = model.group[i].dim;
    list[(*dimTags_n)++] = model.group[i].tag;
  }
  *dimTags = copy(list, *dimTags_n * sizeof *list);
}

void gmshModelGetPhysicalName(const int dim, const int tag, char **name, int *ierr)
{
  *name = NULL;
  if (fails(NAME_FAIL, ierr)) return;
  for (size_t i = 0; i < model.groups && *name == NULL; i++)
    if (model.group[i].dim == dim && model.group[i].tag == tag) *name = copy_text(model.group[i].name);
}

void gmshModelGetParent(const int dim, const int tag, int *parentDim, int *parentTag, int *ierr)
{
  const struct entity *entity = find(dim, tag);
  *parentDim = *parentTag = -1;
  if (fails(PARENT_FAIL, ierr) || entity == NULL) return;
  *parentDim = entity->parent_dim;
  *parentTag = entity->parent;
}

void gmshModelGetPartitions(const int dim, const int tag, int **partitions, size_t *partitions_n, int *ierr)
{
  const struct entity *entity = find(dim, tag);
  *partitions = NULL;
  *partitions_n = 0;
  if (fails(PARTITIONS_FAIL, ierr) || entity == NULL || entity->partition == 0) return;
  *partitions = copy(&entity->partition, sizeof entity->partition);
  *partitions_n = 1;
}

void gmshModelGetType(const int dim, const int tag, char **entityType, int *ierr)
{
  (void)dim, (void)tag;
  *entityType = NULL;
  if (!fails(TYPE_FAIL, ierr)) *entityType = copy_text(model.discrete ? "Discrete volume" : "Volume");
}

void gmshModelMeshGetElementProperties(const int elementType, char **elementName, int *dim, int *order, int *numNodes,
                                       double **localNodeCoord, size_t *localNodeCoord_n, int *numPrimaryNodes,
                                       int *ierr)
{
  double local[3 * NODES_MAX];
  *elementName = NULL;
  *localNodeCoord = NULL;
  *localNodeCoord_n = 0;
  *dim = *order = *numNodes = *numPrimaryNodes = 1;
  if (fails(PROPERTIES_FAIL, ierr)) return;
  *elementName = copy_text("Element");
  for (int i = 0; i < KINDS; i++) {
    if (kinds[i].type != elementType) continue;
    *dim = kinds[i].dim, *order = kinds[i].order, *numNodes = kinds[i].nodes, *numPrimaryNodes = kinds[i].corners;
  }
  if (*dim != 3 || *numPrimaryNodes != 4) return;
  local_nodes(*order, local);
  *localNodeCoord_n = 3 * (size_t)*numNodes;
  *localNodeCoord = copy(local, *localNodeCoord_n * sizeof *local);
}

void gmshModelMeshGetElementTypes(int **elementTypes, size_t *elementTypes_n, const int dim, const int tag, int *ierr)
{
  int list[ENTITIES * BLOCKS];
  *elementTypes = NULL;
  *elementTypes_n = 0;
  if (fails(TYPES_FAIL, ierr)) return;
  for (size_t i = 0; i < model.entities; i++) {
    const struct entity *entity = &model.entity[i];
    if ((dim >= 0 && entity->dim != dim) || (tag >= 0 && entity->tag != tag)) continue;
    for (size_t k = 0; k < entity->blocks; k++) list[(*elementTypes_n)++] = entity->block[k].type;
  }
  *elementTypes = copy(list, *elementTypes_n * sizeof *list);
}

void gmshModelMeshGetElements(int **elementTypes, size_t *elementTypes_n, size_t ***elementTags, size_t **elementTags_n,
                              size_t *elementTags_nn, size_t ***nodeTags, size_t **nodeTags_n, size_t *nodeTags_nn,
                              const int dim, const int tag, int *ierr)
{
  const struct entity *entity = find(dim, tag);
  int type[BLOCKS];
  size_t *tags[BLOCKS], *nodes[BLOCKS], tags_n[BLOCKS], nodes_n[BLOCKS], blocks = entity != NULL ? entity->blocks : 0;
  *elementTypes = NULL;
  *elementTags = *nodeTags = NULL;
  *elementTags_n = *nodeTags_n = NULL;
  *elementTypes_n = *elementTags_nn = *nodeTags_nn = 0;
  if (fails(ELEMENTS_FAIL, ierr)) return;
  for (size_t i = 0; i < blocks; i++) {
    const struct block *block = &entity->block[i];
    type[i] = block->type;
    tags_n[i] = block->count;
    nodes_n[i] = block->count * block->per_element;
    tags[i] = copy(block->tag, tags_n[i] * sizeof(size_t));
    nodes[i] = copy(block->node, nodes_n[i] * sizeof(size_t));
  }
  *elementTypes = copy(type, blocks * sizeof *type);
  *elementTags = copy(tags, blocks * sizeof *tags);
  *elementTags_n = copy(tags_n, blocks * sizeof *tags_n);
  *nodeTags = copy(nodes, blocks * sizeof *nodes);
  *nodeTags_n = copy(nodes_n, blocks * sizeof *nodes_n);
  *elementTypes_n = *elementTags_nn = *nodeTags_nn = blocks;
}

void gmshModelMeshGetNodes(size_t **nodeTags, size_t *nodeTags_n, double **coord, size_t *coord_n,
                           double **parametricCoord, size_t *parametricCoord_n, const int dim, const int tag,
                           const int includeBoundary, const int returnParametricCoord, int *ierr)
{
  (void)dim, (void)tag, (void)includeBoundary, (void)returnParametricCoord;
  *nodeTags = NULL;
  *coord = *parametricCoord = NULL;
  *nodeTags_n = *coord_n = *parametricCoord_n = 0;
  if (fails(NODES_FAIL, ierr)) return;
  *nodeTags_n = model.nodes;
  *coord_n = 3 * model.nodes;
  *nodeTags = copy(model.tag, *nodeTags_n * sizeof(size_t));
  *coord = copy(model.coordinate, *coord_n * sizeof(double));
}

/* ---- the mesh ---- */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  static const char parts[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PartitionedEntities\n3\n";
  (void)argc, (void)argv;
  fuzz_enter();
  fuzz_write("whole.msh", "$MeshFormat\n", 12);
  fuzz_write("parts.msh", parts, sizeof parts - 1);
  return 0;
}

/* As curlew-mesh and the program do it, in one process: the model, by way of a parcel, becomes a mesh. */
static int load(struct dg_mesh *mesh, const struct dg_mesh_options *options, int part, struct dg_error *err)
{
  struct dg_model made = {0}, taken = {.borrowed = true};
  struct dg_parcel parcel = {0};
  *mesh = (struct dg_mesh){0};
  if (dg_gmsh_load(&made, options, part, err) == 0) {
    FUZZ_EXPECT(dg_model_put(&made, &parcel, err) == 0);
    dg_parcel_reread(&parcel);
    FUZZ_EXPECT(dg_model_take(&taken, &parcel, err) == 0);
    (void)!dg_model_build(mesh, &taken, err);
  }
  dg_model_release(&made);
  dg_model_release(&taken);
  dg_parcel_release(&parcel);
  return err->code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct fuzz_bytes bytes = {data, data + size};
  uint8_t how = fuzz_byte(&bytes);
  const struct dg_mesh_options options = {.file = how & 1 ? "parts.msh" : "whole.msh",
                                          .unit = how & 2 ? 1e-3 : 1,
                                          .size = how & 4 ? 0.5 : 0,
                                          .threads = 1,
                                          .own_geometry = how < 128};
  struct dg_mesh mesh;
  struct dg_error err = {0};
  size_t before = dg_memory_current();
  read_model(&bytes);
  int status = load(&mesh, &options, how >> 3 & 3, &err);
  FUZZ_EXPECT((status == 0) == (err.code == DG_OK) && (err.code == DG_OK || err.code == DG_INPUT));
  if (status == 0) {
    fuzz_check_mesh(&mesh);
    fuzz_use_mesh(&mesh);
  }
  dg_mesh_release(&mesh);
  FUZZ_EXPECT(dg_memory_current() == before);
  return 0;
}
