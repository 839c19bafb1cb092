/* A rank's block of a snapshot: its mesh, fields and averages, and how Silo, or a pattern, gets them into a file.
 * silo_writer.c calls it; silo_block.h has the rules. */
#include "libdg/io/silo/silo_block.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/digest.h"
#include "libdg/base/memory.h"
#include "libdg/io/silo/silo_mesh.h"
#include "libdg/io/silo/silo_pattern.h"
#include "libdg/io/silo/silo_root.h"
#include "libdg/io/silo/silo_values.h"

static int copy_fields(struct dg_silo_block *b, struct dg_error *err)
{
  const struct dg_snapshot *const s = b->snapshot;
  b->fields = s->fields + (b->groups.ranks > 1);
  if (DG_NEW(b->field, b->fields, err) != 0) return err->code;
  for (size_t f = 0; f < s->fields; f++) {
    DG_ASSERT(s->field[f].components == 1 || s->field[f].components == 3);
    b->field[f] = s->field[f];
  }
  if (b->groups.ranks > 1) {
    if (DG_NEW(b->rank, s->mesh->K, err) != 0) return err->code;
    for (size_t e = 0; e < s->mesh->K; e++) b->rank[e] = b->groups.rank;
    b->field[s->fields] =
        (struct dg_snapshot_field){.name = "rank", .unit = "", .components = 1, .per_element = true, .value = b->rank};
  }
  b->variables = dg_silo_variables(b->fields, b->field);
  return DG_NEW(b->record, dg_silo_record(b->variables), err);
}

/* Finds the digest after which the file of this rank's mesh is called. It is of all that is in the file, of all ranks
 * of the group, which tell it each other once; a rank alone in its group has nothing to ask. The same mesh in the same
 * parts has the same name. */
static int digest_mesh(const struct dg_silo_block *b, struct dg_comm *comm, struct dg_error *err)
{
  struct dg_silo_mesh *const mesh = b->mesh;
  uint64_t digest = (uint64_t)b->groups.rank, *all = NULL;
  if (!b->once || mesh->digested) return 0;
  digest = dg_digest(digest, mesh->zone, mesh->zones * sizeof *mesh->zone);
  digest = dg_digest(digest, mesh->coordinate, 3 * mesh->points * sizeof *mesh->coordinate);
  mesh->common = digest;
  if (b->groups.count < b->groups.ranks) {
    if (dg_comm_share(comm, sizeof digest, &digest, &all, NULL, err) != 0) return err->code;
    mesh->common = 0;
    for (int rank = 0; rank < b->groups.ranks; rank++)
      if (dg_silo_group_of(&b->groups, rank) == b->groups.own)
        mesh->common = dg_digest(mesh->common, &all[rank], sizeof all[rank]);
    dg_free(all);
  }
  mesh->digested = true;
  return 0;
}

int dg_silo_block_init(struct dg_silo_block *b, const struct dg_snapshot *s, struct dg_silo_mesh *kept,
                       struct dg_comm *comm, const char *path, struct dg_error *err)
{
  const size_t Np = (size_t)s->ref->Np, p = (size_t)s->ref->order, zones = s->mesh->K * p * p * p;

  *b = (struct dg_silo_block){.snapshot = s, .nodes = s->mesh->K * Np, .once = s->mesh_once && kept != NULL};
  b->mesh = kept != NULL ? kept : &b->own;
  /* Silo counts nodes and the length of the list of zones in int. */
  if (b->nodes > INT_MAX || zones > INT_MAX / 4)
    return dg_fail(err, DG_INPUT,
                   "cannot write '%s': %zu elements of order %zu have %zu nodes and %zu sub-tetrahedra, "
                   "too many for one block of a Silo file (at most %d and %d)",
                   path, s->mesh->K, p, b->nodes, zones, INT_MAX, INT_MAX / 4);
  dg_silo_split_ranks(&b->groups, comm, s->files);
  if ((b->mesh->work == NULL && dg_silo_make_mesh(b->mesh, s, b->nodes, zones, err) != 0) ||
      digest_mesh(b, comm, err) != 0 || copy_fields(b, err) != 0)
    return dg_context(err, "while writing '%s'", path);
  DG_ASSERT(b->mesh->zones == zones);
  memcpy(b->record, b->mesh->extent, sizeof b->mesh->extent);
  b->record[DG_SILO_ZONES] = (double)zones;
  memcpy(&b->record[DG_SILO_MESH], &b->mesh->common, sizeof b->mesh->common);
  return 0;
}

void dg_silo_block_release(struct dg_silo_block *b)
{
  dg_free(b->field);
  dg_free(b->rank);
  dg_silo_mesh_release(&b->own);
  dg_free(b->average);
  dg_free(b->record);
}

/* Upper bounds of what the block adds to the files: the arrays, and what HDF5 and Silo put around them (measured: 1.3
 * kB a variable and 14 kB for the rest). */
size_t dg_silo_block_mesh_size(const struct dg_silo_block *b)
{
  return 65536 + b->mesh->points * 3 * sizeof(double) + b->mesh->zones * 4 * sizeof(int);
}

static size_t value_size(const struct dg_silo_block *b) { return b->snapshot->single ? sizeof(float) : sizeof(double); }

size_t dg_silo_block_size(const struct dg_silo_block *b)
{
  size_t bytes = (b->once ? 65536 : dg_silo_block_mesh_size(b)) + 8192 * b->variables;
  for (size_t f = 0; f < b->fields; f++)
    bytes +=
        (size_t)b->field[f].components * (b->field[f].per_element ? b->mesh->zones : b->mesh->points) * value_size(b);
  return bytes;
}

/* ---- by Silo --------------------------------------------------------------------------------------------------- */

/* Starts the options of an object. Where the mesh is in a file of its own, files of blocks differ in nothing but
 * values, and only roots know the time. Zeros leave no trace, but must be set, because Silo would otherwise take the
 * values of the object before. */
static int start_options(const struct dg_silo_block *b, const struct dg_silo_file *file, struct dg_silo_options *o,
                         struct dg_error *err)
{
  const struct dg_snapshot *const s = b->snapshot;
  return dg_silo_options_init(o, file->path, b->once ? 0 : s->time, b->once ? 0 : s->cycle, err);
}

static int write_mesh(const struct dg_silo_block *b, const struct dg_silo_file *file, struct dg_error *err)
{
  struct dg_silo_options o;
  if (start_options(b, file, &o, err) != 0) return err->code;
  (void)!dg_silo_put_mesh(b->mesh, file, &o, err);
  DBFreeOptlist(o.list);
  return err->code;
}

/* Collects a component at the nodes, value[K][Np], in the mesh's room to work in. */
static void collect_nodes(const struct dg_silo_block *b, const struct dg_snapshot_field *field, size_t component)
{
  dg_silo_gather(field, component, b->snapshot->mesh->K, (size_t)b->snapshot->ref->Np, b->mesh->work);
}

int dg_silo_block_share(struct dg_silo_block *b, struct dg_comm *comm, const char *path, struct dg_error *err)
{
  const struct dg_node_merge *const merge = b->snapshot->merge;
  size_t v = 0;
  if (merge == NULL || b->groups.ranks == 1) return 0;
  for (size_t f = 0; f < b->fields; f++)
    if (!b->field[f].per_element) b->averages += (size_t)b->field[f].components;
  if (DG_NEW(b->average, merge->shared * b->averages, err) != 0) return dg_context(err, "while writing '%s'", path);
  for (size_t f = 0; f < b->fields; f++) {
    if (b->field[f].per_element) continue;
    for (int c = 0; c < b->field[f].components; c++, v++) {
      double *const sum = b->mesh->work + b->nodes;
      collect_nodes(b, &b->field[f], (size_t)c);
      dg_node_merge_sum(merge, b->mesh->work, sum);
      for (size_t i = 0; i < merge->shared; i++) b->average[i * b->averages + v] = sum[merge->shared_point[i]];
    }
  }
  return dg_node_merge_share(merge, comm, b->averages, b->average, err);
}

static int put_variable(const struct dg_silo_block *b, const struct dg_silo_file *file,
                        const struct dg_snapshot_field *field, int component, struct dg_error *err)
{
  const size_t count = field->per_element ? b->mesh->zones : b->mesh->points;
  struct dg_silo_options o;
  char name[DG_SILO_NAME];
  dg_silo_variable_name(field, component, name);
  if (start_options(b, file, &o, err) != 0) return err->code;
  dg_silo_options_label(&o, name, field->unit);
  errno = 0;
  const int failed = DBPutUcdvar1(file->db, name, "mesh", b->mesh->work, (int)count, NULL, 0,
                                  b->snapshot->single ? DB_FLOAT : DB_DOUBLE,
                                  field->per_element ? DB_ZONECENT : DB_NODECENT, o.list) < 0;
  if (failed) dg_silo_failed(file->path, name, err);
  DBFreeOptlist(o.list);
  return failed ? err->code : 0;
}

/* Writes one scalar; index counts all scalars, node those at the nodes. */
static int write_variable(struct dg_silo_block *b, const struct dg_silo_file *file,
                          const struct dg_snapshot_field *field, int component, size_t index, size_t node,
                          struct dg_error *err)
{
  const size_t K = b->snapshot->mesh->K, count = field->per_element ? b->mesh->zones : b->mesh->points;
  double *const work = b->mesh->work, *const range = b->record + dg_silo_record(index);
  if (field->per_element || b->snapshot->merge == NULL) {
    dg_silo_convert(field, (size_t)component, K, K > 0 ? count / K : 0, b->snapshot->single, work, range);
  } else {
    double *const average = work + b->nodes;
    collect_nodes(b, field, (size_t)component);
    dg_node_merge_average(b->snapshot->merge, work, b->averages > 0 ? b->average + node : NULL, b->averages, average);
    dg_silo_convert_numbers(count, average, b->snapshot->single, work, range);
  }
  dg_silo_lock();
  (void)!put_variable(b, file, field, component, err);
  dg_silo_unlock();
  return err->code;
}

static int enter_folder(const struct dg_silo_block *b, const struct dg_silo_file *file, struct dg_error *err)
{
  char name[32];
  snprintf(name, sizeof name, "block_%06d", b->groups.rank);
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

int dg_silo_block_write(struct dg_silo_block *b, const struct dg_silo_file *file, struct dg_error *err)
{
  size_t index = 0, node = 0;
  dg_silo_lock();
  if (enter_folder(b, file, err) == 0 && !b->once) (void)!write_mesh(b, file, err);
  dg_silo_unlock();
  for (size_t f = 0; f < b->fields; f++)
    for (int c = 0; err->code == DG_OK && c < b->field[f].components; c++) {
      (void)!write_variable(b, file, &b->field[f], c, index++, node, err);
      node += !b->field[f].per_element;
    }
  if (err->code != DG_OK) return err->code;
  dg_silo_lock();
  (void)!leave_folder(file, err);
  dg_silo_unlock();
  return err->code;
}

int dg_silo_block_write_mesh(const struct dg_silo_block *b, const struct dg_silo_file *file, struct dg_error *err)
{
  dg_silo_lock();
  if (enter_folder(b, file, err) == 0 && write_mesh(b, file, err) == 0) (void)!leave_folder(file, err);
  dg_silo_unlock();
  return err->code;
}

/* ---- by pattern ------------------------------------------------------------------------------------------------ */

/* For averages, too, all is known but the values; but they go by Silo because they need the mesh's room to work in. */
bool dg_silo_block_may_have_pattern(const struct dg_silo_block *b)
{
  return b->once && b->groups.count == b->groups.ranks && b->snapshot->merge == NULL;
}

static struct dg_silo_layout layout_of(const struct dg_silo_block *b)
{
  return (struct dg_silo_layout){.rank = b->groups.rank,
                                 .K = b->snapshot->mesh->K,
                                 .points = b->mesh->points,
                                 .zones = b->mesh->zones,
                                 .fields = b->fields,
                                 .field = b->field,
                                 .single = b->snapshot->single};
}

bool dg_silo_block_knows_pattern(const struct dg_silo_block *b)
{
  const struct dg_silo_layout layout = layout_of(b);
  return dg_silo_pattern_fits(b->mesh->pattern, &layout);
}

int dg_silo_block_find_pattern(struct dg_silo_block *b, const char *file, struct dg_error *err)
{
  const struct dg_silo_layout layout = layout_of(b);
  if (!dg_silo_block_may_have_pattern(b) || dg_silo_block_knows_pattern(b)) return 0;
  dg_silo_pattern_free(b->mesh->pattern);
  return dg_silo_pattern_find(&b->mesh->pattern, &layout, file, err);
}

size_t dg_silo_block_bare_size(const struct dg_silo_block *b) { return dg_silo_pattern_bytes(b->mesh->pattern); }

int dg_silo_block_write_bare(struct dg_silo_block *b, const struct dg_silo_file *file, struct dg_error *err)
{
  const struct dg_silo_layout layout = layout_of(b);
  return dg_silo_pattern_write(b->mesh->pattern, &layout, file->descriptor, b->record, file->path, err);
}
