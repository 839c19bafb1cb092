/* Gmsh model -> dg_mesh_input. The only file that knows Gmsh; its C API from 4.8 on.
 *
 * Gmsh keeps values given on its command line (-setnumber, the only way that 4.8 has to set a constant without a ONELAB
 * name) until the process ends. A process that loads a script twice must therefore name the same constants again. */
#include <errno.h>
#include <gmshc.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libdg/base/memory.h"
#include "libdg/base/text.h"
#include "libdg/mesh/geo_parameters.h"
#include "libdg/mesh/mesh.h"
#include "libdg/mesh/mesh_check.h"
#include "libdg/mesh/mesh_groups.h"
#include "libdg/mesh/msh_parts.h"

enum { GMSH_TRIANGLE = 2, GMSH_TETRAHEDRON = 4 };

#define GMSH_AT_LEAST(major, minor)                                                                                    \
  (GMSH_API_VERSION_MAJOR > (major) || (GMSH_API_VERSION_MAJOR == (major) && GMSH_API_VERSION_MINOR >= (minor)))

/* ---- start, stop, messages ---- */

static void start(int argc, char **argv, int *failed)
{
#if GMSH_AT_LEAST(4, 9) /* 4.9 added `run`: start the whole application */
  gmshInitialize(argc, argv, 0, 0, failed);
#else
  gmshInitialize(argc, argv, 0, failed);
#endif
}

static void free_strings(char **string, size_t count)
{
  for (size_t i = 0; i < count; i++) gmshFree(string[i]);
  gmshFree(string);
}

/* Fails when Gmsh said so or logged an error since it was started; quotes the first one: the others follow from it. */
static int check(const char *what, const char *file, int failed, struct dg_error *err)
{
  char **line = NULL;
  size_t count = 0, errors = 0, first = 0;
  int ierr;
  gmshLoggerGet(&line, &count, &ierr);
  if (ierr != 0) count = 0;
  for (size_t i = 0; i < count; i++)
    if (strncmp(line[i], "Error", 5) == 0 && errors++ == 0) first = i;
  if (errors > 0) {
    const char *text = line[first] + strcspn(line[first], ":");
    text += strspn(text, ": ");
    (void)dg_fail(err, DG_INPUT, "Gmsh could not %s '%s': %s", what, file, text);
    if (errors > 1) dg_context(err, "and %zu more errors", errors - 1);
  } else if (failed != 0) {
    (void)dg_fail(err, DG_INPUT, "Gmsh could not %s '%s' and does not say why", what, file);
  }
  free_strings(line, count);
  return err->code;
}

/* Hands over what Gmsh said and ends it. */
static void stop(FILE *messages)
{
  char **line = NULL;
  size_t count = 0;
  int ierr;
  gmshLoggerGet(&line, &count, &ierr);
  if (ierr != 0) count = 0;
  for (size_t i = 0; i < count && messages != NULL; i++) fprintf(messages, "%s\n", line[i]);
  free_strings(line, count);
  gmshLoggerStop(&ierr);
  gmshFinalize(&ierr);
}

static void set_option(const char *name, double value)
{
  int ierr; /* an option that this version does not have is not needed */
  gmshOptionSetNumber(name, value, &ierr);
}

const char *dg_gmsh_version(void)
{
  static char version[32]; /* the contract hands out a string that nobody frees */
  if (version[0] != '\0') return version;
  char *text = NULL;
  int ierr;
  start(0, NULL, &ierr);
  if (ierr == 0) gmshOptionGetString("General.Version", &text, &ierr);
  snprintf(version, sizeof version, "%s", ierr == 0 && text != NULL ? text : GMSH_API_VERSION);
  gmshFree(text);
  gmshFinalize(&ierr);
  return version;
}

/* ---- the options of the caller ---- */

static int is_script(const char *file)
{
  const char *extension = strrchr(file, '.');
  return extension != NULL && (strcmp(extension, ".geo") == 0 || strcmp(extension, ".GEO") == 0);
}

static int unknown_parameter(const struct dg_mesh_options *options, const char *name,
                             const struct dg_geo_parameters *known, struct dg_error *err)
{
  if (!is_script(options->file))
    return dg_fail(err, DG_INPUT, "mesh file '%s' takes no parameters ('%s' is given): only .geo scripts do",
                   options->file, name);
  if (known->count == 0)
    return dg_fail(err, DG_INPUT, "geometry '%s' has no parameter '%s': it has no DefineConstant", options->file, name);
  const char **names;
  if (DG_NEW(names, known->count, err) != 0) return err->code;
  for (size_t i = 0; i < known->count; i++) names[i] = known->parameter[i].name;
  int near = dg_nearest(name, names, known->count);
  (void)dg_fail(err, DG_INPUT, "geometry '%s' has no parameter '%s' (%s '%s'%s)", options->file, name,
                near >= 0 ? "did you mean" : "it has", names[near >= 0 ? near : 0],
                near >= 0          ? "?"
                : known->count > 1 ? " and others"
                                   : "");
  dg_free(names);
  return err->code;
}

static int check_options(const struct dg_mesh_options *options, const struct dg_geo_parameters *known,
                         struct dg_error *err)
{
  if (!(options->unit > 0) || !isfinite(options->unit))
    return dg_fail(err, DG_INPUT, "mesh unit %g is not a positive number", options->unit);
  if (!(options->size >= 0) || !isfinite(options->size))
    return dg_fail(err, DG_INPUT, "mesh size %g is not a positive number", options->size);
  if (known->harmful != NULL && !options->trust)
    return dg_fail(err, DG_INPUT,
                   "geometry '%s' has %s, which starts programs or writes files: take it out, or start curlew with "
                   "--trust",
                   options->file, known->harmful);
  for (size_t i = 0; i < options->parameters; i++) {
    if (!is_script(options->file) || dg_geo_parameters_find(known, options->parameter_name[i]) == NULL)
      return unknown_parameter(options, options->parameter_name[i], known, err);
    if (!isfinite(options->parameter_value[i]))
      return dg_fail(err, DG_INPUT, "mesh parameter '%s' is not finite", options->parameter_name[i]);
  }
  return 0;
}

static int check_file(const char *file, struct dg_error *err)
{
  struct stat status;
  FILE *stream = fopen(file, "rb");
  if (stream == NULL) return dg_fail(err, DG_INPUT, "cannot read mesh file '%s': %s", file, strerror(errno));
  int failed = fstat(fileno(stream), &status);
  (void)fclose(stream);
  if (failed == 0 && S_ISDIR(status.st_mode))
    return dg_fail(err, DG_INPUT, "cannot read mesh file '%s': it is a folder", file);
  if (failed == 0 && status.st_size == 0) return dg_fail(err, DG_INPUT, "mesh file '%s' is empty", file);
  return 0;
}

/* Starts Gmsh with the constants of the script on its command line; the ONELAB parameters are set afterwards. */
static int start_with_parameters(const struct dg_mesh_options *options, const struct dg_geo_parameters *known,
                                 int *started, struct dg_error *err)
{
  enum { NUMBER_MAX = 32 };
  char program[] = "curlew", flag[] = "-setnumber";
  char **argv = NULL, *number = NULL;
  int argc = 0, failed = 0;
  if (DG_NEW(argv, 2 + 3 * options->parameters, err) != 0) goto fail;
  if (dg_alloc(&number, options->parameters + 1, NUMBER_MAX, err) != 0) goto fail;
  argv[argc++] = program;
  for (size_t i = 0; i < options->parameters; i++) {
    const struct dg_geo_parameter *parameter = dg_geo_parameters_find(known, options->parameter_name[i]);
    if (parameter->onelab) continue;
    snprintf(number + i * NUMBER_MAX, NUMBER_MAX, "%.17g", options->parameter_value[i]);
    argv[argc++] = flag;
    argv[argc++] = parameter->name;
    argv[argc++] = number + i * NUMBER_MAX;
  }
  start(argc, argv, &failed);
  *started = 1;
  set_option("General.Terminal", 0);
  set_option("General.AbortOnError", 0); /* the parser reads on to the end of the file; the log tells of the errors */
  gmshLoggerStart(&failed);
  if (failed != 0) (void)dg_fail(err, DG_ENVIRONMENT, "Gmsh could not be started");
  gmshOnelabClear("", &failed); /* 4.8 keeps those of the model before */
  for (size_t i = 0; i < options->parameters && err->code == DG_OK; i++) {
    double value = options->parameter_value[i];
    if (!dg_geo_parameters_find(known, options->parameter_name[i])->onelab) continue;
    gmshOnelabSetNumber(options->parameter_name[i], &value, 1, &failed);
    if (failed != 0) (void)check("set the parameters of", options->file, failed, err);
  }
fail:
  dg_free(argv);
  dg_free(number);
  return err->code;
}

/* ONELAB parameters may have a range, choices, or be read-only: what was not taken must not pass in silence. */
static int check_parameters(const struct dg_mesh_options *options, const struct dg_geo_parameters *known,
                            struct dg_error *err)
{
  for (size_t i = 0; i < options->parameters; i++) {
    const char *name = options->parameter_name[i];
    double *value = NULL, wanted = options->parameter_value[i];
    size_t count = 0;
    int ierr;
    if (!dg_geo_parameters_find(known, name)->onelab) continue;
    gmshOnelabGetNumber(name, &value, &count, &ierr);
    if (ierr == 0 && count > 0 && value[0] != wanted)
      (void)dg_fail(err, DG_INPUT,
                    "geometry '%s' changes parameter '%s' from %.9g to %.9g: it is out of range or "
                    "read-only",
                    options->file, name, wanted, value[0]);
    gmshFree(value);
    if (err->code != DG_OK) return err->code;
  }
  return 0;
}

/* ---- meshing ---- */

static int has_elements(int dim, int tag)
{
  int *type = NULL, ierr;
  size_t count = 0;
  gmshModelMeshGetElementTypes(&type, &count, dim, tag, &ierr);
  gmshFree(type);
  return ierr == 0 && count > 0;
}

/* Volumes that Gmsh can mesh: not those that a mesh file brings. */
static int has_geometry(const int *entity, size_t count)
{
  for (size_t i = 0; i < count; i += 2) {
    char *type = NULL;
    int ierr;
    gmshModelGetType(3, entity[i + 1], &type, &ierr);
    int discrete = ierr != 0 || strncmp(type, "Discrete", 8) == 0 || strncmp(type, "Partition", 9) == 0;
    gmshFree(type);
    if (!discrete) return 1;
  }
  return 0;
}

static int generate(const struct dg_mesh_options *options, const int *volume, size_t count, struct dg_error *err)
{
  double threads = options->threads > 0 ? options->threads : 1;
  set_option("General.NumThreads", threads);
  set_option("Mesh.MaxNumThreads1D", threads);
  set_option("Mesh.MaxNumThreads2D", threads);
  set_option("Mesh.MaxNumThreads3D", threads);
  set_option("Mesh.ElementOrder", 1);
  if (options->size > 0) { /* both limits: whatever the points, curvatures and fields ask for is cut to the size */
    set_option("Mesh.MeshSizeFactor", 1);
    set_option("Mesh.MeshSizeMin", options->size);
    set_option("Mesh.MeshSizeMax", options->size);
  }
  int failed;
  gmshModelMeshGenerate(3, &failed);
  if (check("mesh", options->file, failed, err) != 0) return err->code;
  for (size_t i = 0; i < count; i += 2)
    if (!has_elements(3, volume[i + 1]))
      return dg_fail(err, DG_INPUT, "Gmsh made no tetrahedra in volume %d of '%s'", volume[i + 1], options->file);
  return 0;
}

static int open_and_mesh(const struct dg_mesh_options *options, const struct dg_geo_parameters *known,
                         struct dg_error *err)
{
  int failed, *volume = NULL;
  size_t count = 0;
  gmshOpen(options->file, &failed);
  if (check("read", options->file, failed, err) != 0) return err->code;
  if (check_parameters(options, known, err) != 0) return err->code;
  gmshModelGetEntities(&volume, &count, 3, &failed);
  if (!has_elements(3, -1) && has_geometry(volume, count)) (void)!generate(options, volume, count, err);
  else if (options->size > 0 && has_elements(3, -1))
    (void)dg_fail(err, DG_INPUT, "mesh size %g has no effect: '%s' holds a mesh, not a geometry", options->size,
                  options->file);
  gmshFree(volume);
  return err->code;
}

/* ---- nodes ---- */

struct node {
  size_t tag;
  int32_t index;
};

/* What was read of the model. */
struct model {
  double unit;
  size_t nodes, K, tet_room, triangles, triangle_room;
  struct node *node; /* [nodes] by tag */
  double (*point)[3];
  int32_t (*tet)[4], *volume_tag, *partition;
  int partitions;
  uint64_t *tag;
  int32_t (*triangle)[3], *surface_tag;
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
  size_t *tag = NULL, tags = 0, coords = 0, parameters = 0;
  double *coord = NULL, *parameter = NULL;
  int failed;
  gmshModelMeshGetNodes(&tag, &tags, &coord, &coords, &parameter, &parameters, -1, -1, 0, 0, &failed);
  if (failed != 0 || coords != 3 * tags) (void)dg_fail(err, DG_INPUT, "Gmsh could not give the nodes");
  else if (tags > INT32_MAX) (void)dg_fail(err, DG_INPUT, "the mesh has %zu nodes, too many for one process", tags);
  else if (DG_NEW(model->node, tags, err) == 0 && DG_NEW(model->point, tags, err) == 0) {
    model->nodes = tags;
    for (size_t i = 0; i < tags; i++) model->node[i] = (struct node){tag[i], (int32_t)i};
    qsort(model->node, model->nodes, sizeof *model->node, compare_nodes);
    for (size_t i = 0; i < tags; i++) {
      for (int b = 0; b < 3; b++) model->point[i][b] = model->unit * coord[3 * model->node[i].index + b];
      model->node[i].index = (int32_t)i;
    }
  }
  gmshFree(tag);
  gmshFree(coord);
  gmshFree(parameter);
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

static int not_a_tetrahedron(const struct model *model, const struct elements *elements, size_t i, int volume,
                             struct dg_error *err)
{
  char *name = NULL;
  double *local = NULL, x[3] = {0};
  size_t locals = 0, found = 0;
  int dim, order, nodes = 0, primary, ierr;
  gmshModelMeshGetElementProperties(elements->type[i], &name, &dim, &order, &nodes, &local, &locals, &primary, &ierr);
  size_t count = elements->tag_count[i], per_element = count > 0 ? elements->node_count[i] / count : 0;
  for (size_t k = 0; k < per_element; k++) {
    int32_t node = find_node(model, elements->node[i][k]);
    for (int b = 0; b < 3 && node >= 0; b++) x[b] += model->point[node][b];
    found += node >= 0;
  }
  for (int b = 0; b < 3 && found > 0; b++) x[b] /= (double)found;
  (void)dg_fail(err, DG_INPUT,
                "element %zu at " DG_AT " is a '%s' (volume %d has %zu of them): only first-order tetrahedra, of 4 "
                "nodes, can be used",
                elements->tag[i][0], DG_XYZ(x), ierr == 0 ? name : "unknown element", volume, count);
  gmshFree(name);
  gmshFree(local);
  return err->code;
}

static int missing_node(size_t element, size_t node, struct dg_error *err)
{
  return dg_fail(err, DG_INPUT, "element %zu refers to node %zu, which does not exist", element, node);
}

static int add_tetrahedra(struct model *model, const struct elements *elements, size_t i, int volume, int partition,
                          struct dg_error *err)
{
  size_t count = elements->tag_count[i], need = model->K + count;
  if (need > model->tet_room) {
    size_t room = need > 2 * model->tet_room ? need : 2 * model->tet_room;
    if (dg_grow(&model->tet, room, sizeof *model->tet, err) != 0) return err->code;
    if (dg_grow(&model->tag, room, sizeof *model->tag, err) != 0) return err->code;
    if (dg_grow(&model->volume_tag, room, sizeof *model->volume_tag, err) != 0) return err->code;
    if (dg_grow(&model->partition, room, sizeof *model->partition, err) != 0) return err->code;
    model->tet_room = room;
  }
  for (size_t e = 0; e < count; e++, model->K++) {
    for (size_t k = 0; k < 4; k++) {
      size_t node = elements->node[i][4 * e + k];
      int32_t index = model->tet[model->K][k] = find_node(model, node);
      if (index < 0) return missing_node(elements->tag[i][e], node, err);
    }
    model->tag[model->K] = elements->tag[i][e];
    model->volume_tag[model->K] = volume;
    model->partition[model->K] = partition;
  }
  return 0;
}

static int add_triangles(struct model *model, const struct elements *elements, size_t i, int surface,
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
      size_t node = elements->node[i][3 * e + k];
      int32_t index = model->triangle[model->triangles][k] = find_node(model, node);
      if (index < 0) return missing_node(elements->tag[i][e], node, err);
    }
    model->surface_tag[model->triangles] = surface;
  }
  return 0;
}

/* The entity of the geometry to which an entity of a partitioned mesh belongs; 0 when it is of no use: a surface
 * between two partitions lies in a volume. One whose parents go round in a circle belongs to none. */
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

/* 0 and up, or -1: the volume is not one that a partitioner made. */
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
  if (whole == 0) return 0;
  gmshModelMeshGetElements(&all.type, &all.types, &all.tag, &all.tag_count, &all.tags, &all.node, &all.node_count,
                           &all.nodes, dim, tag, &failed);
  if (failed != 0) (void)dg_fail(err, DG_INPUT, "Gmsh could not give the elements of entity %d", tag);
  for (size_t i = 0; i < all.types && err->code == DG_OK; i++) {
    if (all.tag_count[i] == 0) continue;
    if (all.type[i] == GMSH_TETRAHEDRON) (void)!add_tetrahedra(model, &all, i, whole, partition_of(tag), err);
    else if (dim == 3) (void)!not_a_tetrahedron(model, &all, i, whole, err);
    else if (all.type[i] == GMSH_TRIANGLE) (void)!add_triangles(model, &all, i, whole, err);
    /* other surface elements cannot lie on a tetrahedron: they are left over, as unmatched triangles are */
  }
  elements_free(&all);
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

/* ---- physical groups ---- */

/* What a dg_group_input points to. */
struct group_data {
  char *name;
  int *entity;
};

/* The entities of a group, those of a partitioned mesh replaced by the ones to which they belong. A group that holds
 * nothing else was made by the partitioner and gets none. */
static int read_group_entities(struct dg_group_input *group, struct group_data *data, const int *entity, size_t count,
                               struct dg_error *err)
{
  int own = 0;
  if (DG_NEW(data->entity, count, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) {
    int whole = whole_entity(group->dim, entity[i]);
    size_t k = 0;
    own = own || whole == entity[i];
    while (k < group->entities && data->entity[k] != whole) k++;
    if (whole != 0 && k == group->entities) data->entity[group->entities++] = whole;
  }
  if (!own) group->entities = 0;
  group->entity_tag = data->entity;
  return 0;
}

static int read_group(struct dg_group_input *group, struct group_data *data, int dim, int tag, struct dg_error *err)
{
  char *name = NULL;
  int *entity = NULL, failed;
  size_t count = 0;
  *group = (struct dg_group_input){.dim = dim, .tag = tag};
  gmshModelGetPhysicalName(dim, tag, &name, &failed);
  if (failed != 0) name = NULL;
  gmshModelGetEntitiesForPhysicalGroup(dim, tag, &entity, &count, &failed);
  if (failed != 0) count = 0;
  if (dg_copy_string(&data->name, name != NULL ? name : "", err) == 0)
    (void)!read_group_entities(group, data, entity, count, err);
  group->name = data->name;
  gmshFree(name);
  gmshFree(entity);
  return err->code;
}

/* Those of the whole model that this part does not have: all parts then have the same. */
static int add_entities_elsewhere(struct dg_mesh *mesh, struct dg_error *err)
{
  for (int dim = 2; dim <= 3 && err->code == DG_OK; dim++) {
    int *dim_tag = NULL, *tag = NULL, failed;
    size_t length = 0, count = 0;
    gmshModelGetEntities(&dim_tag, &length, dim, &failed);
    if (failed != 0) length = 0;
    if (DG_NEW(tag, length / 2, err) == 0) {
      for (size_t i = 0; i < length; i += 2)
        if (whole_entity(dim, dim_tag[i + 1]) == dim_tag[i + 1]) tag[count++] = dim_tag[i + 1];
      const struct dg_group_input all = {.dim = dim, .entities = count, .entity_tag = tag};
      (void)!dg_mesh_add_empty(mesh, 1, &all, err);
    }
    dg_free(tag);
    gmshFree(dim_tag);
  }
  return err->code;
}

static int read_groups(struct dg_mesh *mesh, struct dg_error *err)
{
  int *dim_tag = NULL, failed;
  size_t length = 0, groups = 0;
  struct dg_group_input *group = NULL;
  struct group_data *data = NULL;
  gmshModelGetPhysicalGroups(&dim_tag, &length, -1, &failed);
  if (DG_NEW(group, length / 2, err) != 0 || DG_NEW(data, length / 2, err) != 0) goto fail;
  for (size_t i = 0; i < length; i += 2) {
    if (dim_tag[i] < 2) continue; /* curves and points carry nothing that the solver uses */
    if (read_group(&group[groups], &data[i / 2], dim_tag[i], dim_tag[i + 1], err) != 0) goto fail;
    groups += group[groups].entities > 0;
  }
  if (dg_mesh_set_groups(mesh, groups, group, err) != 0) goto fail;
fail:
  for (size_t i = 0; data != NULL && i < length / 2; i++) {
    dg_free(data[i].name);
    dg_free(data[i].entity);
  }
  dg_free(data);
  dg_free(group);
  gmshFree(dim_tag);
  return err->code;
}

/* ---- all of it ---- */

/* Is the file what it is taken for? part: 1 and up, 0 for a whole mesh. */
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
  for (size_t i = 0; i < model->nodes; i++) (*number)[i] = (int64_t)model->node[i].tag;
  return 0;
}

static int read_model(struct dg_mesh *mesh, const struct dg_mesh_options *options, int part, struct dg_error *err)
{
  struct model model = {.unit = options->unit};
  int64_t *number = NULL;
  if (read_nodes(&model, err) != 0 || read_elements(&model, err) != 0) goto fail;
  if (check_partitions(&model, options->file, part, err) != 0) goto fail;
  if (part > 0 && number_points(&model, &number, err) != 0) goto fail;
  const struct dg_mesh_input input = {
      .points = model.nodes,
      .K = model.K,
      .triangles = model.triangles,
      .point = (const double(*)[3])model.point,
      .tet = (const int32_t(*)[4])model.tet,
      .volume_tag = model.volume_tag,
      .tag = model.tag,
      .triangle = (const int32_t(*)[3])model.triangle,
      .surface_tag = model.surface_tag,
      .partition = model.partitions > 0 ? model.partition : NULL,
      .partitions = model.partitions,
      .number = number,
  };
  if (dg_mesh_build(mesh, &input, err) != 0) goto fail;
  if (part > 0 && add_entities_elsewhere(mesh, err) != 0) goto fail;
  (void)!read_groups(mesh, err);
fail:
  dg_free(number);
  model_release(&model);
  return err->code;
}

int dg_mesh_load_part(struct dg_mesh *mesh, const struct dg_mesh_options *options, int part, struct dg_error *err)
{
  struct dg_geo_parameters known = {0};
  int started = 0, threads = omp_get_max_threads(); /* Gmsh sets its own number for the whole process */
  *mesh = (struct dg_mesh){0};
  if (check_file(options->file, err) != 0) return err->code;
  if (dg_geo_parameters_init(&known, options->file, err) != 0) goto fail;
  if (check_options(options, &known, err) != 0) goto fail;
  int status = start_with_parameters(options, &known, &started, err);
  if (status == 0) status = open_and_mesh(options, &known, err);
  omp_set_num_threads(threads);
  if (status == 0 && read_model(mesh, options, part, err) != 0) dg_context(err, "in mesh '%s'", options->file);
  if (started) stop(options->messages);
fail:
  dg_geo_parameters_release(&known);
  if (err->code != DG_OK) dg_mesh_release(mesh);
  return err->code;
}

int dg_mesh_load(struct dg_mesh *mesh, const struct dg_mesh_options *options, struct dg_error *err)
{
  return dg_mesh_load_part(mesh, options, 0, err);
}
