/* Writing a snapshot: blocks of all ranks into a few files, the root, and names in three steps, so that a snapshot is
 * whole or absent. maxwell/output calls it from the loop or from a thread; silo_writer.h has the rules for both. */
#include "libdg/io/silo/silo_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libdg/base/bug.h"
#include "libdg/base/digest.h"
#include "libdg/base/memory.h"
#include "libdg/io/silo/silo_file.h"
#include "libdg/io/silo/silo_groups.h"
#include "libdg/io/silo/silo_mesh.h"
#include "libdg/io/silo/silo_pattern.h"
#include "libdg/io/silo/silo_root.h"
#include "libdg/io/silo/silo_values.h"

enum { PLACE = 512 }; /* bytes of the longest name of a block, "blocks/fields_000100_0001.silo:/block_000004" */

struct writer {
  const struct dg_snapshot *snapshot;
  struct dg_silo_mesh *kept; /* of the series, or NULL */
  struct dg_comm *comm;      /* the thread that writes asks it for nothing but numbers */
  struct dg_silo_groups groups;
  char *folder, *stem;                     /* of the path: "cavity/", or "", and "fields_000100" */
  struct dg_silo_file root, blocks, apart; /* the last with the mesh, when that is not in the blocks */
  struct dg_silo_file *file;               /* the one with this rank's values */
  bool once;                               /* the mesh is in files of its own, */
  bool writes_mesh;                        /* which this snapshot makes */
  bool by_pattern;                         /* the file of blocks is not Silo's */
  size_t fields;
  struct dg_snapshot_field *field; /* [fields]: the snapshot's, and the rank */
  double *rank;                    /* [K] */
  size_t nodes;                    /* K * Np */
  struct dg_silo_mesh *mesh;       /* `kept`, or `own` */
  struct dg_silo_mesh own;
  size_t averages; /* variables at nodes, when there are points that other ranks have as well */
  double *average; /* [merge->shared][averages] */
  size_t variables;
  double *record; /* of this rank's block, see silo_root.h */
};

/* ---- sizes and names ------------------------------------------------------------------------------------------- */

static int split_path(struct writer *w, const char *path, struct dg_error *err)
{
  static const char ending[] = ".silo";
  const char *const slash = strrchr(path, '/'), *const name = slash != NULL ? slash + 1 : path;
  if (dg_copy_string(&w->folder, path, err) != 0 || dg_copy_string(&w->stem, name, err) != 0) return err->code;
  w->folder[name - path] = '\0';
  const size_t length = strlen(name);
  DG_ASSERT(length < PLACE / 2);
  if (length >= sizeof ending && strcmp(name + length + 1 - sizeof ending, ending) == 0)
    w->stem[length + 1 - sizeof ending] = '\0';
  return 0;
}

/* Does one file, the root, hold everything? */
static bool is_alone(const struct writer *w) { return w->groups.ranks == 1 && !w->once; }

/* Names a file of a rank. The rank's messages are about the file that it was told to write. */
static int name_file(const struct writer *w, struct dg_silo_file *file, const char *name, const char *path,
                     struct dg_error *err)
{
  return dg_silo_file_init(file, name, w->groups.ranks == 1 ? path : name, NULL, err);
}

/* Names the files and opens nothing yet. The files of the mesh are called after the first snapshot. */
static int name_files(struct writer *w, const char *path, struct dg_error *err)
{
  if (dg_silo_file_init(&w->root, path, path, NULL, err) != 0) return err->code;
  w->file = &w->root;
  if (is_alone(w)) return 0;
  const size_t size = strlen(path) + 64;
  char *name;
  if (split_path(w, path, err) != 0 || dg_alloc(&name, size, 1, err) != 0) return err->code;
  snprintf(name, size, "%sblocks/%s_%04d.silo", w->folder, w->stem, w->groups.own);
  w->file = &w->blocks;
  (void)!name_file(w, &w->blocks, name, path, err);
  if (w->once) {
    snprintf(name, size, "%sblocks/mesh_%016" PRIx64 "_%04d.silo", w->folder, w->mesh->common, w->groups.own);
    if (err->code == DG_OK) (void)!name_file(w, &w->apart, name, path, err);
  }
  dg_free(name);
  return err->code;
}

/* The place at which the root finds the block of a rank. */
static void name_block(const struct writer *w, int rank, char place[PLACE])
{
  if (is_alone(w)) snprintf(place, PLACE, "block_%06d", rank);
  else snprintf(place, PLACE, "blocks/%s_%04d.silo:/block_%06d", w->stem, dg_silo_group_of(&w->groups, rank), rank);
}

/* The place at which the root finds the mesh of a rank; record[] is the block's. */
static void name_mesh(const struct writer *w, int rank, const double *record, char place[PLACE])
{
  uint64_t common;
  memcpy(&common, &record[DG_SILO_MESH], sizeof common);
  if (!w->once) name_block(w, rank, place);
  else
    snprintf(place, PLACE, "blocks/mesh_%016" PRIx64 "_%04d.silo:/block_%06d", common,
             dg_silo_group_of(&w->groups, rank), rank);
}

static int copy_fields(struct writer *w, struct dg_error *err)
{
  const struct dg_snapshot *const s = w->snapshot;
  w->fields = s->fields + (w->groups.ranks > 1);
  if (DG_NEW(w->field, w->fields, err) != 0) return err->code;
  for (size_t f = 0; f < s->fields; f++) {
    DG_ASSERT(s->field[f].components == 1 || s->field[f].components == 3);
    w->field[f] = s->field[f];
  }
  if (w->groups.ranks > 1) {
    if (DG_NEW(w->rank, s->mesh->K, err) != 0) return err->code;
    for (size_t e = 0; e < s->mesh->K; e++) w->rank[e] = w->groups.rank;
    w->field[s->fields] =
        (struct dg_snapshot_field){.name = "rank", .unit = "", .components = 1, .per_element = true, .value = w->rank};
  }
  w->variables = dg_silo_variables(w->fields, w->field);
  return DG_NEW(w->record, dg_silo_record(w->variables), err);
}

/* Finds the digest after which the file of this rank's mesh is called. It is of all that is in the file, of all ranks
 * of the group, which tell it each other once; a rank alone in its group has nothing to ask. The same mesh in the same
 * parts has the same name. */
static int digest_mesh(const struct writer *w, struct dg_error *err)
{
  struct dg_silo_mesh *const mesh = w->mesh;
  uint64_t digest = (uint64_t)w->groups.rank, *all = NULL;
  if (!w->once || mesh->digested) return 0;
  digest = dg_digest(digest, mesh->zone, mesh->zones * sizeof *mesh->zone);
  digest = dg_digest(digest, mesh->coordinate, 3 * mesh->points * sizeof *mesh->coordinate);
  mesh->common = digest;
  if (w->groups.count < w->groups.ranks) {
    if (dg_comm_share(w->comm, sizeof digest, &digest, &all, NULL, err) != 0) return err->code;
    mesh->common = 0;
    for (int rank = 0; rank < w->groups.ranks; rank++)
      if (dg_silo_group_of(&w->groups, rank) == w->groups.own)
        mesh->common = dg_digest(mesh->common, &all[rank], sizeof all[rank]);
    dg_free(all);
  }
  mesh->digested = true;
  return 0;
}

static int prepare(struct writer *w, const char *path, struct dg_error *err)
{
  const struct dg_snapshot *const s = w->snapshot;
  const size_t Np = (size_t)s->ref->Np, p = (size_t)s->ref->order, zones = s->mesh->K * p * p * p;

  w->nodes = s->mesh->K * Np;
  /* Silo counts nodes and the length of the list of zones in int. */
  if (w->nodes > INT_MAX || zones > INT_MAX / 4)
    return dg_fail(err, DG_INPUT,
                   "cannot write '%s': %zu elements of order %zu have %zu nodes and %zu sub-tetrahedra, "
                   "too many for one block of a Silo file (at most %d and %d)",
                   path, s->mesh->K, p, w->nodes, zones, INT_MAX, INT_MAX / 4);
  w->mesh = w->kept != NULL ? w->kept : &w->own;
  w->once = s->mesh_once && w->kept != NULL;
  dg_silo_split_ranks(&w->groups, w->comm, s->files);
  if ((w->mesh->work == NULL && dg_silo_make_mesh(w->mesh, s, w->nodes, zones, err) != 0) || digest_mesh(w, err) != 0 ||
      name_files(w, path, err) != 0 || copy_fields(w, err) != 0)
    return dg_context(err, "while writing '%s'", path);
  DG_ASSERT(w->mesh->zones == zones);
  memcpy(w->record, w->mesh->extent, sizeof w->mesh->extent);
  w->record[DG_SILO_ZONES] = (double)zones;
  memcpy(&w->record[DG_SILO_MESH], &w->mesh->common, sizeof w->mesh->common);
  return 0;
}

/* Upper bounds of what the block adds to the files: the arrays, and what HDF5 and Silo put around them (measured: 1.3
 * kB a variable and 14 kB for the rest). */
static size_t mesh_size(const struct writer *w)
{
  return 65536 + w->mesh->points * 3 * sizeof(double) + w->mesh->zones * 4 * sizeof(int);
}

static size_t value_size(const struct writer *w) { return w->snapshot->single ? sizeof(float) : sizeof(double); }

static size_t block_size(const struct writer *w)
{
  size_t bytes = (w->once ? 65536 : mesh_size(w)) + 8192 * w->variables;
  for (size_t f = 0; f < w->fields; f++)
    bytes +=
        (size_t)w->field[f].components * (w->field[f].per_element ? w->mesh->zones : w->mesh->points) * value_size(w);
  return bytes;
}

/* An upper bound for the root's objects, which know all blocks; those of one block are in the 14 kB. */
static size_t root_size(const struct writer *w)
{
  const size_t each = PLACE + 2 * DG_SILO_NAME;
  return 65536 + (1 + w->variables) * (8192 + (size_t)w->groups.ranks * each);
}

/* ---- a block --------------------------------------------------------------------------------------------------- */

/* Starts the options of an object. Where the mesh is in a file of its own, files of blocks differ in nothing but
 * values, and only roots know the time. Zeros leave no trace, but must be set, because Silo would otherwise take the
 * values of the object before. */
static int start_options(const struct writer *w, struct dg_silo_options *o, struct dg_error *err)
{
  const struct dg_snapshot *const s = w->snapshot;
  return dg_silo_options_init(o, w->file->path, w->once ? 0 : s->time, w->once ? 0 : s->cycle, err);
}

static int write_mesh(const struct writer *w, const struct dg_silo_file *file, struct dg_error *err)
{
  struct dg_silo_options o;
  if (start_options(w, &o, err) != 0) return err->code;
  (void)!dg_silo_put_mesh(w->mesh, file, &o, err);
  DBFreeOptlist(o.list);
  return err->code;
}

/* Collects a component at the nodes, value[K][Np], in the mesh's room to work in. */
static void collect_nodes(const struct writer *w, const struct dg_snapshot_field *field, size_t component)
{
  dg_silo_gather(field, component, w->snapshot->mesh->K, (size_t)w->snapshot->ref->Np, w->mesh->work);
}

/* Collective. Averages the values at nodes that other ranks have as well. */
static int share_averages(struct writer *w, struct dg_error *err)
{
  const struct dg_node_merge *const merge = w->snapshot->merge;
  size_t v = 0;
  if (merge == NULL || w->groups.ranks == 1) return 0;
  for (size_t f = 0; f < w->fields; f++)
    if (!w->field[f].per_element) w->averages += (size_t)w->field[f].components;
  if (DG_NEW(w->average, merge->shared * w->averages, err) != 0)
    return dg_context(err, "while writing '%s'", w->root.path);
  for (size_t f = 0; f < w->fields; f++) {
    if (w->field[f].per_element) continue;
    for (int c = 0; c < w->field[f].components; c++, v++) {
      double *const sum = w->mesh->work + w->nodes;
      collect_nodes(w, &w->field[f], (size_t)c);
      dg_node_merge_sum(merge, w->mesh->work, sum);
      for (size_t i = 0; i < merge->shared; i++) w->average[i * w->averages + v] = sum[merge->shared_point[i]];
    }
  }
  return dg_node_merge_share(merge, w->comm, w->averages, w->average, err);
}

static int put_variable(const struct writer *w, const struct dg_snapshot_field *field, int component,
                        struct dg_error *err)
{
  const size_t count = field->per_element ? w->mesh->zones : w->mesh->points;
  struct dg_silo_options o;
  char name[DG_SILO_NAME];
  dg_silo_variable_name(field, component, name);
  if (start_options(w, &o, err) != 0) return err->code;
  dg_silo_options_label(&o, name, field->unit);
  errno = 0;
  const int failed = DBPutUcdvar1(w->file->db, name, "mesh", w->mesh->work, (int)count, NULL, 0,
                                  w->snapshot->single ? DB_FLOAT : DB_DOUBLE,
                                  field->per_element ? DB_ZONECENT : DB_NODECENT, o.list) < 0;
  if (failed) dg_silo_failed(w->file->path, name, err);
  DBFreeOptlist(o.list);
  return failed ? err->code : 0;
}

/* Writes one scalar; index counts all scalars, node those at the nodes. */
static int write_variable(struct writer *w, const struct dg_snapshot_field *field, int component, size_t index,
                          size_t node, struct dg_error *err)
{
  const size_t K = w->snapshot->mesh->K, count = field->per_element ? w->mesh->zones : w->mesh->points;
  double *const work = w->mesh->work, *const range = w->record + dg_silo_record(index);
  if (field->per_element || w->snapshot->merge == NULL) {
    dg_silo_convert(field, (size_t)component, K, K > 0 ? count / K : 0, w->snapshot->single, work, range);
  } else {
    double *const average = work + w->nodes;
    collect_nodes(w, field, (size_t)component);
    dg_node_merge_average(w->snapshot->merge, work, w->averages > 0 ? w->average + node : NULL, w->averages, average);
    dg_silo_convert_numbers(count, average, w->snapshot->single, work, range);
  }
  dg_silo_lock();
  (void)!put_variable(w, field, component, err);
  dg_silo_unlock();
  return err->code;
}

static int enter_folder(const struct writer *w, const struct dg_silo_file *file, struct dg_error *err)
{
  char name[32];
  snprintf(name, sizeof name, "block_%06d", w->groups.rank);
  errno = 0;
  if (DBMkDir(file->db, name) < 0 || DBSetDir(file->db, name) < 0) return dg_silo_failed(file->path, name, err);
  return 0;
}

static int leave_folder(const struct dg_silo_file *file, struct dg_error *err)
{
  errno = 0;
  if (DBSetDir(file->db, "/") < 0) return dg_silo_failed(file->path, "/", err);
  return 0;
}

static int write_block(struct writer *w, struct dg_error *err)
{
  size_t index = 0, node = 0;
  dg_silo_lock();
  if (enter_folder(w, w->file, err) == 0 && !w->once) (void)!write_mesh(w, w->file, err);
  dg_silo_unlock();
  for (size_t f = 0; f < w->fields; f++)
    for (int c = 0; err->code == DG_OK && c < w->field[f].components; c++) {
      (void)!write_variable(w, &w->field[f], c, index++, node, err);
      node += !w->field[f].per_element;
    }
  if (err->code != DG_OK) return err->code;
  dg_silo_lock();
  (void)!leave_folder(w->file, err);
  dg_silo_unlock();
  return err->code;
}

/* Writes the file of meshes. */
static int write_mesh_alone(const struct writer *w, struct dg_error *err)
{
  dg_silo_lock();
  if (enter_folder(w, &w->apart, err) == 0 && write_mesh(w, &w->apart, err) == 0) (void)!leave_folder(&w->apart, err);
  dg_silo_unlock();
  return err->code;
}

/* ---- the files ------------------------------------------------------------------------------------------------- */

/* Writes the root from record[ranks][...] of all blocks. */
static int write_root(const struct writer *w, const double *record, struct dg_error *err)
{
  const size_t blocks = (size_t)w->groups.ranks;
  char(*text)[PLACE] = NULL;
  const char **place = NULL; /* [2 * blocks] of values, then of meshes */
  if (DG_NEW(text, 2 * blocks, err) != 0 || DG_NEW(place, 2 * blocks, err) != 0) {
    dg_context(err, "while writing '%s'", w->root.path);
    goto fail;
  }
  for (size_t b = 0; b < blocks; b++) {
    name_block(w, (int)b, text[b]);
    name_mesh(w, (int)b, record + b * dg_silo_record(w->variables), text[blocks + b]);
    place[b] = text[b];
    place[blocks + b] = text[blocks + b];
  }
  const struct dg_silo_root root = {.time = w->snapshot->time,
                                    .cycle = w->snapshot->cycle,
                                    .blocks = w->groups.ranks,
                                    .place = place,
                                    .mesh = place + blocks,
                                    .record = record,
                                    .fields = w->fields,
                                    .field = w->field};
  (void)!dg_silo_write_root(&w->root, &root, err);
fail:
  dg_free(text);
  dg_free(place);
  return err->code;
}

static int write_alone(struct writer *w, struct dg_error *err)
{
  if (dg_silo_file_create(&w->root, "nodal fields", block_size(w), err) != 0) return err->code;
  if (write_block(w, err) == 0) (void)!write_root(w, w->record, err);
  if (dg_silo_file_close(&w->root, err) == 0) (void)!dg_silo_file_finish(&w->root, err);
  return err->code;
}

/* Waits for the cause of an error. A rank that learns of an error removes the file that it has written to. Another rank
 * that then misses the file would take that for an error of its own: it waits for the message about the first error,
 * which is on its way. */
static void await_cause(const struct writer *w, const struct dg_silo_file *file, struct dg_error *err)
{
  enum { TRIES = 2000 };
  const struct timespec millisecond = {.tv_nsec = 1000000};
  struct dg_error cause = {0};
  if (access(file->part, F_OK) == 0 || errno != ENOENT) return;
  for (int i = 0; i < TRIES && dg_comm_poll(w->comm, &cause) == 0; i++) nanosleep(&millisecond, NULL);
  if (cause.code != DG_OK) *err = cause;
}

static int make_folder(const struct writer *w, struct dg_error *err)
{
  char *folder;
  if (dg_alloc(&folder, strlen(w->folder) + sizeof "blocks", 1, err) != 0)
    return dg_context(err, "while writing '%s'", w->root.path);
  sprintf(folder, "%sblocks", w->folder);
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    const char *const reason = strerror(errno);
    if (w->groups.ranks == 1) dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", w->root.path, reason);
    else dg_fail(err, DG_ENVIRONMENT, "cannot make the folder '%s': %s", folder, reason);
  }
  dg_free(folder);
  return err->code;
}

/* The first of a group makes the file, and the folder where it is missing. */
static int open_blocks(struct writer *w, struct dg_error *err)
{
  if (!w->groups.first) return dg_silo_file_append(&w->blocks, block_size(w), err);
  if (make_folder(w, err) != 0) return err->code;
  return dg_silo_file_create(&w->blocks, "blocks of nodal fields", block_size(w), err);
}

static int open_meshes(struct writer *w, struct dg_error *err)
{
  if (!w->groups.first) return dg_silo_file_append(&w->apart, mesh_size(w), err);
  if (make_folder(w, err) != 0) return err->code;
  return dg_silo_file_create(&w->apart, "meshes of nodal fields", mesh_size(w), err);
}

/* Must the file of meshes be made? The first snapshot makes it, unless an earlier run has made it, and another snapshot
 * when it has gone. A file of meshes that waits for its name is there as well; this function looks for that one first,
 * since it may get its name meanwhile. */
static bool lacks_mesh(const struct writer *w)
{
  if (!w->once || (w->mesh->written && access(w->apart.part, F_OK) == 0)) return false;
  return access(w->apart.name, F_OK) != 0;
}

/* ---- the second and later files of blocks ---------------------------------------------------------------------- */

/* May the file of blocks be written by pattern? For averages, too, all is known but the values; but they go by Silo
 * because they need the mesh's room to work in. */
static bool may_have_pattern(const struct writer *w)
{
  return w->once && w->groups.count == w->groups.ranks && w->snapshot->merge == NULL;
}

static struct dg_silo_layout layout_of(const struct writer *w)
{
  return (struct dg_silo_layout){.rank = w->groups.rank,
                                 .K = w->snapshot->mesh->K,
                                 .points = w->mesh->points,
                                 .zones = w->mesh->zones,
                                 .fields = w->fields,
                                 .field = w->field,
                                 .single = w->snapshot->single};
}

static bool knows_pattern(const struct writer *w)
{
  const struct dg_silo_layout layout = layout_of(w);
  return dg_silo_pattern_fits(w->mesh->pattern, &layout);
}

static int find_pattern(struct writer *w, struct dg_error *err)
{
  const struct dg_silo_layout layout = layout_of(w);
  if (!may_have_pattern(w) || knows_pattern(w)) return 0;
  dg_silo_pattern_free(w->mesh->pattern);
  if (dg_silo_pattern_find(&w->mesh->pattern, &layout, w->blocks.part, err) != 0)
    dg_context(err, "while writing '%s'", w->root.path);
  return err->code;
}

static int write_bare_block(struct writer *w, struct dg_error *err)
{
  const struct dg_silo_pattern *const pattern = w->mesh->pattern;
  const struct dg_silo_layout layout = layout_of(w);
  if (make_folder(w, err) != 0 || dg_silo_file_create_bare(&w->blocks, dg_silo_pattern_bytes(pattern), err) != 0)
    return err->code;
  return dg_silo_pattern_write(pattern, &layout, w->blocks.descriptor, w->record, w->blocks.path, err);
}

/* ---- all files of a rank --------------------------------------------------------------------------------------- */

static int write_meshes(struct writer *w, struct dg_error *err)
{
  if (open_meshes(w, err) == 0) (void)!write_mesh_alone(w, err);
  if (dg_silo_file_close(&w->apart, err) == 0) w->mesh->written = true;
  else if (!w->groups.first) await_cause(w, &w->apart, err);
  return err->code;
}

/* Writes files that are complete, but for their names. The mesh comes first, because Silo remembers its dimensions for
 * variables. */
static int write_parts(struct writer *w, struct dg_error *err)
{
  if (w->writes_mesh && write_meshes(w, err) != 0) return err->code;
  if (w->by_pattern) (void)!write_bare_block(w, err);
  else if (open_blocks(w, err) == 0) (void)!write_block(w, err);
  if (dg_silo_file_close(&w->blocks, err) != 0) {
    if (!w->groups.first) await_cause(w, &w->blocks, err);
    return err->code;
  }
  return w->by_pattern ? 0 : find_pattern(w, err);
}

/* Lets the ranks of a group write one after the other; the first says whether they write meshes. */
static int write_in_turn(struct writer *w, struct dg_error *err)
{
  char baton = w->writes_mesh;
  if (!w->groups.first && dg_comm_receive(w->comm, w->groups.rank - 1, 1, &baton, err) != 0) return err->code;
  w->writes_mesh = baton;
  if (write_parts(w, err) != 0) return err->code;
  return w->groups.last ? 0 : dg_comm_send(w->comm, w->groups.rank + 1, 1, &baton, err);
}

/* Lets rank 0 write the root under its .part name; rank 0 learns here that all blocks are written. */
static int gather_root(struct writer *w, struct dg_error *err)
{
  const bool several = w->groups.ranks > 1;
  double *record = NULL;
  if ((several &&
       dg_comm_gather(w->comm, dg_silo_record(w->variables) * sizeof *record, w->record, &record, NULL, err) != 0) ||
      w->groups.rank != 0)
    goto fail;
  if (dg_silo_file_create(&w->root, "nodal fields of all blocks", root_size(w), err) == 0)
    (void)!write_root(w, several ? record : w->record, err);
  if (dg_silo_file_close(&w->root, err) != 0) goto fail;
  /* An older snapshot of that name must not find the blocks of this one. */
  if (unlink(w->root.path) != 0 && errno != ENOENT)
    dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", w->root.path, strerror(errno));
fail:
  dg_free(record);
  return err->code;
}

/* Names the files. Nothing gets its name before all is written, and the root not before all blocks have theirs. */
static int name_together(struct writer *w, struct dg_error *err)
{
  if (gather_root(w, err) != 0 || dg_comm_agree(w->comm, err) != 0) return err->code;
  struct dg_silo_file *const file[] = {&w->apart, &w->blocks};
  for (int i = !w->writes_mesh; w->groups.first && i < 2; i++)
    if (dg_silo_file_finish(file[i], err) != 0) {
      await_cause(w, file[i], err);
      return err->code;
    }
  if (dg_comm_agree(w->comm, err) != 0 || (w->groups.rank == 0 && dg_silo_file_finish(&w->root, err) != 0))
    return err->code;
  return dg_comm_agree(w->comm, err);
}

static int write_together(struct writer *w, struct dg_error *err)
{
  if (share_averages(w, err) != 0 || write_in_turn(w, err) != 0) return err->code;
  return name_together(w, err);
}

static void release(struct writer *w, const struct dg_error *err)
{
  dg_silo_file_release(&w->root, err);
  dg_silo_file_release(&w->blocks, err);
  dg_silo_file_release(&w->apart, err);
  dg_free(w->folder);
  dg_free(w->stem);
  dg_free(w->field);
  dg_free(w->rank);
  dg_silo_mesh_release(&w->own);
  dg_free(w->average);
  dg_free(w->record);
}

/* The lock that a snapshot holds while Silo writes it, because it has the mesh's room to work in. All other snapshots
 * hold it while they look at the mesh's data. */
static pthread_mutex_t by_silo = PTHREAD_MUTEX_INITIALIZER;

/* Claims all files that this rank is going to create, in one go. */
static int claim_files(const struct writer *w, struct dg_error *err)
{
  const char *path[3];
  size_t count = 0;
  if (w->groups.rank == 0) path[count++] = w->root.name;
  if (!is_alone(w) && w->groups.first) path[count++] = w->blocks.name;
  if (w->writes_mesh && w->groups.first) path[count++] = w->apart.name;
  return dg_ledger_claim_all(w->snapshot->ledger, DG_LEDGER_OUTPUT, count, path, err);
}

/* Begins a snapshot. Behind this the lock is held unless w->by_pattern. */
static int begin(struct writer *w, const char *path, struct dg_error *err)
{
  pthread_mutex_lock(&by_silo);
  if (prepare(w, path, err) != 0) return err->code;
  w->writes_mesh = lacks_mesh(w);
  w->by_pattern = may_have_pattern(w) && !w->writes_mesh && knows_pattern(w);
  if (w->by_pattern) pthread_mutex_unlock(&by_silo);
  return claim_files(w, err);
}

static void end(const struct writer *w)
{
  if (!w->by_pattern) pthread_mutex_unlock(&by_silo);
}

int dg_silo_write(const char *path, const struct dg_snapshot *snapshot, struct dg_silo_mesh *kept, struct dg_comm *comm,
                  struct dg_error *err)
{
  struct writer w = {.snapshot = snapshot, .kept = kept, .comm = comm};
  if (err->code != DG_OK) return err->code;
  if (begin(&w, path, err) == 0) (void)!(is_alone(&w) ? write_alone(&w, err) : write_together(&w, err));
  release(&w, err);
  end(&w);
  return err->code;
}

/* ---- in two halves --------------------------------------------------------------------------------------------- */

struct dg_silo_job {
  struct writer writer;
  struct dg_snapshot snapshot;
};

bool dg_silo_in_halves(int files, bool average, const struct dg_comm *comm)
{
  struct dg_silo_groups groups;
  dg_silo_split_ranks(&groups, comm, files);
  return groups.ranks > 1 && groups.count == groups.ranks && !average;
}

int dg_silo_write_block(struct dg_silo_job **result, const char *path, const struct dg_snapshot *snapshot,
                        struct dg_silo_mesh *kept, struct dg_comm *comm, struct dg_error *err)
{
  struct dg_silo_job *job;
  *result = NULL;
  if (err->code != DG_OK || DG_NEW(job, 1, err) != 0) return err->code;
  *job = (struct dg_silo_job){.snapshot = *snapshot, .writer = {.kept = kept, .comm = comm}};
  struct writer *const w = &job->writer;
  w->snapshot = &job->snapshot;
  if (begin(w, path, err) == 0) (void)!write_parts(w, err);
  end(w);
  if (err->code == DG_OK) {
    *result = job;
    return 0;
  }
  release(w, err);
  dg_free(job);
  return err->code;
}

int dg_silo_write_names(struct dg_silo_job *job, struct dg_error *err)
{
  (void)!name_together(&job->writer, err);
  release(&job->writer, err);
  dg_free(job);
  return err->code;
}

void dg_silo_abandon(struct dg_silo_job *job)
{
  const struct dg_error abandoned = {.code = DG_INTERRUPTED};
  if (job == NULL) return;
  release(&job->writer, &abandoned);
  dg_free(job);
}

const char *dg_silo_version(void) { return DBVersion(); }
