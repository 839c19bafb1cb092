/* Writing a snapshot: the mesh where it is missing, values of all ranks, the root, and names in three steps, so that a
 * snapshot is whole or absent. vtkhdf_writer.h has the rules. */
#include "libdg/io/vtkhdf/vtkhdf_writer.h"

#include <errno.h>
#include <hdf5.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/bug.h"
#include "libdg/base/digest.h"
#include "libdg/base/memory.h"
#include "libdg/io/vtkhdf/vtkhdf_file.h"
#include "libdg/io/vtkhdf/vtkhdf_values.h"

enum { FIELDS = 16, MESH = 4 };

struct dg_vtkhdf_series {
  pthread_mutex_t lock; /* of all below, while it is made and while the mesh is written */
  bool ready, written;  /* written: the mesh, by this series */
  struct dg_vtkhdf_cell cell;
  uint64_t digest; /* of this rank's mesh */
};

/* What rank 0 knows of each rank. */
struct record {
  long long points, cells, connections;
  uint64_t digest;
};

struct writer {
  struct dg_vtkhdf_series *series;
  struct dg_snapshot snapshot;
  struct dg_comm *comm; /* the thread that writes asks it for nothing but numbers */
  int ranks, rank;
  char *folder, *stem; /* of the path: "cavity/", or "", and "fields_000100" */
  struct dg_vtkhdf_file root, block, mesh;
  bool writes_mesh;
  size_t fields, averages;
  struct dg_snapshot_field field[FIELDS]; /* [fields] the snapshot's and "rank" */
  double *number;                         /* [K] of "rank" */
  double *average;                        /* [averages][points] */
  double *scratch;                        /* [3][points] with a merge */
  struct record own;
};

/* ---- names ----------------------------------------------------------------------------------------------------- */

static bool shares_mesh(const struct writer *w) { return w->snapshot.mesh_once; }

static int split_path(struct writer *w, const char *path, struct dg_error *err)
{
  static const char ending[] = ".hdf";
  const char *const slash = strrchr(path, '/'), *const name = slash != NULL ? slash + 1 : path;
  if (dg_copy_string(&w->folder, path, err) != 0 || dg_copy_string(&w->stem, name, err) != 0) return err->code;
  w->folder[name - path] = '\0';
  const size_t length = strlen(name);
  DG_ASSERT(length < DG_VTKHDF_PATH / 2);
  if (length >= sizeof ending && strcmp(name + length + 1 - sizeof ending, ending) == 0)
    w->stem[length + 1 - sizeof ending] = '\0';
  return 0;
}

/* The name of a rank's file, relative to the root's folder. */
static void name_block(const struct writer *w, int rank, char name[DG_VTKHDF_PATH])
{
  snprintf(name, DG_VTKHDF_PATH, "blocks/%s_%04d.h5", w->stem, rank);
}

static void name_mesh(int rank, uint64_t digest, char name[DG_VTKHDF_PATH])
{
  snprintf(name, DG_VTKHDF_PATH, "blocks/mesh_%016" PRIx64 "_%04d.h5", digest, rank);
}

/* The rank's messages are about the file that it was told to write. */
static int name_file(const struct writer *w, struct dg_vtkhdf_file *file, const char *name, struct dg_error *err)
{
  char *whole;
  const size_t size = strlen(w->folder) + strlen(name) + 1;
  if (dg_alloc(&whole, size, 1, err) != 0) return err->code;
  snprintf(whole, size, "%s%s", w->folder, name);
  (void)!dg_vtkhdf_file_init(file, whole, w->ranks == 1 ? w->root.path : whole, err);
  dg_free(whole);
  return err->code;
}

static int name_files(struct writer *w, const char *path, struct dg_error *err)
{
  char name[DG_VTKHDF_PATH];
  if (dg_vtkhdf_file_init(&w->root, path, path, err) != 0 || split_path(w, path, err) != 0) return err->code;
  if (w->ranks > 1) {
    name_block(w, w->rank, name);
    if (name_file(w, &w->block, name, err) != 0) return err->code;
  }
  if (!shares_mesh(w)) return 0;
  name_mesh(w->rank, w->own.digest, name);
  return name_file(w, &w->mesh, name, err);
}

/* ---- the start ------------------------------------------------------------------------------------------------- */

/* A digest of all that the file of the mesh is made of. */
static uint64_t digest_of(const struct dg_snapshot *s, int rank)
{
  const struct dg_mesh *const mesh = s->mesh;
  const int64_t head[5] = {1, rank, s->ref->order, mesh->geometry, s->merge != NULL ? (int64_t)s->merge->points : -1};
  uint64_t digest = dg_digest(0, head, sizeof head);
  digest = dg_digest(digest, mesh->element, mesh->K * sizeof *mesh->element);
  digest = dg_digest(digest, mesh->vertex, mesh->vertices * sizeof *mesh->vertex);
  if (mesh->curved > 0) {
    digest = dg_digest(digest, mesh->curve, mesh->curved * sizeof *mesh->curve);
    const size_t nodes = (size_t)((mesh->geometry + 1) * (mesh->geometry + 2) * (mesh->geometry + 3) / 6);
    digest = dg_digest(digest, mesh->shape, mesh->curved * nodes * sizeof *mesh->shape);
  }
  return digest;
}

/* Must the file of the mesh be made? The first snapshot makes it, unless an earlier run has made it, and another
 * snapshot when it has gone. A file that waits for its name is there as well; this looks for that one first, since it
 * may get its name meanwhile. */
static bool lacks_mesh(const struct writer *w)
{
  if (!shares_mesh(w) || (w->series->written && access(w->mesh.part, F_OK) == 0)) return false;
  return access(w->mesh.name, F_OK) != 0;
}

static int copy_fields(struct writer *w, struct dg_error *err)
{
  const struct dg_snapshot *const s = &w->snapshot;
  const size_t K = s->mesh->K;
  DG_ASSERT(s->fields < FIELDS);
  for (size_t f = 0; f < s->fields; f++) {
    w->field[w->fields++] = s->field[f];
    if (!s->field[f].per_element) w->averages += (size_t)s->field[f].components;
  }
  if (w->ranks > 1) {
    if (DG_NEW(w->number, K, err) != 0) return err->code;
    for (size_t e = 0; e < K; e++) w->number[e] = w->rank;
    w->field[w->fields++] = (struct dg_snapshot_field){
        .name = "rank", .unit = "", .components = 1, .per_element = true, .value = w->number};
  }
  if (s->merge == NULL) return 0;
  if (dg_alloc_untouched(&w->average, w->averages * s->merge->points, sizeof *w->average, err) != 0) return err->code;
  return dg_alloc_untouched(&w->scratch, 3 * s->merge->points, sizeof *w->scratch, err);
}

static int claim_files(const struct writer *w, struct dg_error *err)
{
  const char *path[3];
  size_t count = 0;
  if (w->rank == 0) path[count++] = w->root.name;
  if (w->ranks > 1) path[count++] = w->block.name;
  if (w->writes_mesh) path[count++] = w->mesh.name;
  return dg_ledger_claim_all(w->snapshot.ledger, DG_LEDGER_OUTPUT, count, path, err);
}

static int prepare_series(struct writer *w, struct dg_error *err)
{
  struct dg_vtkhdf_series *const series = w->series;
  if (series->ready) return 0;
  if (dg_vtkhdf_cell_init(&series->cell, w->snapshot.ref, err) != 0) {
    dg_vtkhdf_cell_release(&series->cell);
    return err->code;
  }
  series->digest = digest_of(&w->snapshot, w->rank);
  series->ready = true;
  return 0;
}

/* Behind this the series is locked, until the mesh is written. */
static int begin(struct writer *w, const char *path, const struct dg_snapshot *s, struct dg_error *err)
{
  w->snapshot = *s;
  w->ranks = dg_comm_size(w->comm);
  w->rank = dg_comm_rank(w->comm);
  w->root.descriptor = w->block.descriptor = w->mesh.descriptor = -1;
  pthread_mutex_lock(&w->series->lock);
  const size_t nodes = s->mesh->K * (size_t)s->ref->Np;
  if (prepare_series(w, err) != 0 || copy_fields(w, err) != 0) return dg_context(err, "while writing '%s'", path);
  w->own = (struct record){.points = (long long)(s->merge != NULL ? s->merge->points : nodes),
                           .cells = (long long)s->mesh->K,
                           .connections = (long long)nodes,
                           .digest = w->series->digest};
  if (name_files(w, path, err) != 0) return dg_context(err, "while writing '%s'", path);
  w->writes_mesh = lacks_mesh(w);
  return claim_files(w, err);
}

static void release(struct writer *w, const struct dg_error *err)
{
  dg_vtkhdf_file_release(&w->root, err);
  dg_vtkhdf_file_release(&w->block, err);
  dg_vtkhdf_file_release(&w->mesh, err);
  dg_free(w->folder);
  dg_free(w->stem);
  dg_free(w->number);
  dg_free(w->average);
  dg_free(w->scratch);
}

/* ---- arrays ---------------------------------------------------------------------------------------------------- */

/* The arrays of the mesh with the rows that a rank's part, or the whole, has of them. */
static void list_mesh(const char *folder, const struct record *r, size_t parts, struct dg_vtkhdf_array array[MESH])
{
  const size_t rows[MESH] = {(size_t)r->points, (size_t)r->connections, (size_t)r->cells + parts, (size_t)r->cells};
  static const char *const name[MESH] = {"Points", "Connectivity", "Offsets", "Types"};
  static const enum dg_vtkhdf_type type[MESH] = {DG_VTKHDF_DOUBLES, DG_VTKHDF_INTEGERS, DG_VTKHDF_INTEGERS,
                                                 DG_VTKHDF_BYTES};
  for (int i = 0; i < MESH; i++) {
    array[i] = (struct dg_vtkhdf_array){.type = type[i], .rows = rows[i], .columns = i == 0 ? 3 : 1};
    snprintf(array[i].name, DG_VTKHDF_NAME, "%s%s", folder, name[i]);
  }
}

static void list_fields(const struct writer *w, const char *folder, const struct record *r,
                        struct dg_vtkhdf_array *array)
{
  for (size_t f = 0; f < w->fields; f++) {
    const struct dg_snapshot_field *const field = &w->field[f];
    array[f] = (struct dg_vtkhdf_array){.type = w->snapshot.single ? DG_VTKHDF_FLOATS : DG_VTKHDF_DOUBLES,
                                        .rows = (size_t)(field->per_element ? r->cells : r->points),
                                        .columns = field->components,
                                        .unit = field->unit};
    snprintf(array[f].name, DG_VTKHDF_NAME, "%s%s/%.64s%.16s", folder, field->per_element ? "CellData" : "PointData",
             field->name, dg_snapshot_suffix(field));
  }
}

static int write_failed(const struct dg_vtkhdf_file *file, int reason, const char *what, struct dg_error *err)
{
  errno = reason;
  return dg_vtkhdf_failed(file->path, what, err);
}

static int write_mesh(const struct writer *w, const struct dg_vtkhdf_file *file, const struct dg_vtkhdf_array *array,
                      struct dg_error *err)
{
  const size_t place[MESH] = {array[0].place, array[1].place, array[2].place, array[3].place};
  const int reason = dg_vtkhdf_write_mesh(&w->series->cell, &w->snapshot, file->descriptor, place, w->scratch);
  return reason == 0 ? 0 : write_failed(file, reason, "the mesh", err);
}

static int write_fields(const struct writer *w, const struct dg_vtkhdf_file *file, const struct dg_vtkhdf_array *array,
                        struct dg_error *err)
{
  const struct dg_snapshot *const s = &w->snapshot;
  size_t done = 0; /* averages */
  for (size_t f = 0; f < w->fields; f++) {
    const struct dg_snapshot_field *const field = &w->field[f];
    int reason;
    if (s->merge == NULL || field->per_element) {
      reason = dg_vtkhdf_write_field(&w->series->cell, field, s->mesh->K, s->single, file->descriptor, array[f].place);
    } else {
      reason = dg_vtkhdf_write_average(&w->series->cell, s->merge, s->mesh->K, field->components,
                                       w->average + done * s->merge->points, s->single, file->descriptor,
                                       array[f].place, w->scratch);
      done += (size_t)field->components;
    }
    if (reason != 0) return write_failed(file, reason, field->name, err);
  }
  return 0;
}

/* ---- averages -------------------------------------------------------------------------------------------------- */

/* Collects a component at the nodes, value[K][Np]. */
static void collect(const struct writer *w, const struct dg_snapshot_field *field, size_t component, double *value)
{
  const size_t Np = (size_t)w->snapshot.ref->Np, components = (size_t)field->components;
  for (size_t e = 0; e < w->snapshot.mesh->K; e++)
    for (size_t n = 0; n < Np; n++) {
      const double own = field->value[(e * components + component) * Np + n];
      value[e * Np + n] = field->divisor != 0 ? own / field->divisor : own;
    }
}

/* Sums of this rank at points that others have as well, or, once these are averages of all, averages everywhere. */
static void sum_up(struct writer *w, bool averages, double *value, double *shared)
{
  const struct dg_node_merge *const merge = w->snapshot.merge;
  size_t v = 0;
  for (size_t f = 0; f < w->fields; f++)
    for (size_t c = 0; !w->field[f].per_element && c < (size_t)w->field[f].components; c++, v++) {
      double *const to = w->average + v * merge->points;
      collect(w, &w->field[f], c, value);
      if (averages) {
        dg_node_merge_average(merge, value, merge->shared > 0 ? shared + v : NULL, w->averages, to);
        continue;
      }
      dg_node_merge_sum(merge, value, to);
      for (size_t i = 0; i < merge->shared; i++) shared[i * w->averages + v] = to[merge->shared_point[i]];
    }
}

static int find_averages(struct writer *w, struct dg_error *err)
{
  const struct dg_node_merge *const merge = w->snapshot.merge;
  double *value = NULL, *shared = NULL;
  if (merge == NULL) return 0;
  if (dg_alloc_untouched(&value, (size_t)w->own.connections, sizeof *value, err) != 0 ||
      DG_NEW(shared, merge->shared * w->averages, err) != 0) {
    (void)dg_context(err, "while writing '%s'", w->root.path);
    goto fail;
  }
  if (w->ranks > 1) {
    sum_up(w, false, value, shared);
    if (dg_node_merge_share(merge, w->comm, w->averages, shared, err) != 0) goto fail;
  }
  sum_up(w, true, value, shared);
fail:
  dg_free(value);
  dg_free(shared);
  return err->code;
}

/* ---- the files of a rank --------------------------------------------------------------------------------------- */

static int make_folder(const struct writer *w, struct dg_error *err)
{
  char *folder = NULL;
  if (w->ranks == 1 && !shares_mesh(w)) return 0;
  if (w->folder == NULL || dg_alloc(&folder, strlen(w->folder) + sizeof "blocks", 1, err) != 0 || folder == NULL)
    return dg_context(err, "while writing '%s'", w->root.path);
  sprintf(folder, "%sblocks", w->folder);
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    const char *const reason = strerror(errno);
    if (w->ranks == 1) (void)dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", w->root.path, reason);
    else (void)dg_fail(err, DG_ENVIRONMENT, "cannot make the folder '%s': %s", folder, reason);
  }
  dg_free(folder);
  return err->code;
}

/* Writes the file of the mesh, and unlocks the series. Of one rank it gets its name at once, for another thread's
 * snapshot may be whole before this one; of several the loop gives all names, in the order of the snapshots. */
static int write_shared_mesh(struct writer *w, struct dg_error *err)
{
  struct dg_vtkhdf_array array[MESH];
  if (err->code == DG_OK && w->writes_mesh) {
    list_mesh("", &w->own, 1, array);
    if (dg_vtkhdf_file_create(&w->mesh, MESH, array, NULL, err) == 0) (void)!write_mesh(w, &w->mesh, array, err);
    if (dg_vtkhdf_file_close(&w->mesh, err) == 0) w->series->written = true;
    if (err->code == DG_OK && w->ranks == 1 && dg_vtkhdf_file_finish(&w->mesh, err) == 0) {
      w->mesh.named = false; /* it stays, whatever becomes of this snapshot */
      w->writes_mesh = false;
    }
  }
  pthread_mutex_unlock(&w->series->lock);
  return err->code;
}

/* Writes a file with this rank's values, and its mesh where that is not in a file of its own. */
static int write_values(struct writer *w, struct dg_vtkhdf_file *file, const char *folder,
                        const struct dg_vtkhdf_head *head, struct dg_error *err)
{
  struct dg_vtkhdf_array array[FIELDS + MESH];
  const bool mesh = !shares_mesh(w);
  list_fields(w, folder, &w->own, array);
  if (mesh) list_mesh(folder, &w->own, 1, array + w->fields);
  if (dg_vtkhdf_file_create(file, w->fields + (mesh ? MESH : 0), array, head, err) == 0 &&
      (!mesh || write_mesh(w, file, array + w->fields, err) == 0))
    (void)!write_fields(w, file, array, err);
  return dg_vtkhdf_file_close(file, err);
}

/* ---- the root -------------------------------------------------------------------------------------------------- */

/* The root of one rank: its values, and its mesh or links to it. */
static int write_alone(struct writer *w, struct dg_error *err)
{
  struct dg_vtkhdf_joined join[MESH];
  struct dg_vtkhdf_piece piece[MESH];
  struct dg_vtkhdf_array mesh[MESH];
  struct dg_vtkhdf_head head = {.parts = 1,
                                .points = &w->own.points,
                                .cells = &w->own.cells,
                                .connections = &w->own.connections,
                                .time = w->snapshot.time,
                                .cycle = w->snapshot.cycle};
  if (shares_mesh(w)) {
    list_mesh("", &w->own, 1, mesh);
    for (int i = 0; i < MESH; i++) {
      name_mesh(0, w->own.digest, piece[i].file);
      memcpy(piece[i].name, mesh[i].name, sizeof piece[i].name);
      join[i] = (struct dg_vtkhdf_joined){.pieces = 1, .piece = &piece[i], .link = true};
      snprintf(join[i].array.name, DG_VTKHDF_NAME, "VTKHDF/%.64s", mesh[i].name);
    }
    head.joined = MESH;
    head.join = join;
  }
  return write_values(w, &w->root, "VTKHDF/", &head, err);
}

struct root {
  const struct record *record; /* [ranks] */
  struct record whole;
  long long *count;              /* [3][ranks] */
  struct dg_vtkhdf_piece *piece; /* [MESH + fields][ranks] */
  struct dg_vtkhdf_joined join[MESH + FIELDS];
};

/* Joins array i of all ranks; `one` are the arrays of a rank in its file, given by its record. */
static void join_array(const struct writer *w, struct root *r, size_t i, const struct dg_vtkhdf_array *whole)
{
  const size_t ranks = (size_t)w->ranks;
  struct dg_vtkhdf_piece *const piece = r->piece + i * ranks;
  for (size_t rank = 0; rank < ranks; rank++) {
    struct dg_vtkhdf_array one[MESH + FIELDS];
    list_mesh("", &r->record[rank], 1, one);
    list_fields(w, "", &r->record[rank], one + MESH);
    if (i < MESH && shares_mesh(w)) name_mesh((int)rank, r->record[rank].digest, piece[rank].file);
    else name_block(w, (int)rank, piece[rank].file);
    memcpy(piece[rank].name, one[i].name, sizeof piece[rank].name);
    piece[rank].rows = one[i].rows;
  }
  r->join[i] = (struct dg_vtkhdf_joined){.array = *whole, .pieces = ranks, .piece = piece};
}

static int write_joined(struct writer *w, struct root *r, struct dg_error *err)
{
  const size_t ranks = (size_t)w->ranks, arrays = MESH + w->fields;
  struct dg_vtkhdf_array whole[MESH + FIELDS];
  if (DG_NEW(r->count, 3 * ranks, err) != 0 || DG_NEW(r->piece, arrays * ranks, err) != 0)
    return dg_context(err, "while writing '%s'", w->root.path);
  for (size_t rank = 0; rank < ranks; rank++) {
    r->whole.points += r->count[rank] = r->record[rank].points;
    r->whole.cells += r->count[ranks + rank] = r->record[rank].cells;
    r->whole.connections += r->count[2 * ranks + rank] = r->record[rank].connections;
  }
  list_mesh("VTKHDF/", &r->whole, ranks, whole);
  list_fields(w, "VTKHDF/", &r->whole, whole + MESH);
  for (size_t i = 0; i < arrays; i++) join_array(w, r, i, &whole[i]);
  const struct dg_vtkhdf_head head = {.parts = ranks,
                                      .points = r->count,
                                      .cells = r->count + ranks,
                                      .connections = r->count + 2 * ranks,
                                      .time = w->snapshot.time,
                                      .cycle = w->snapshot.cycle,
                                      .joined = arrays,
                                      .join = r->join};
  (void)!dg_vtkhdf_file_create(&w->root, 0, NULL, &head, err);
  return dg_vtkhdf_file_close(&w->root, err);
}

/* Lets rank 0 write the root under its .part name; rank 0 learns here that all parts are written. */
static int gather_root(struct writer *w, struct dg_error *err)
{
  struct root root = {0};
  struct record *all = NULL;
  if (dg_comm_gather(w->comm, sizeof w->own, &w->own, &all, NULL, err) == 0 && w->rank == 0) {
    root.record = all;
    (void)!write_joined(w, &root, err);
    /* An older snapshot of that name must not find the values of this one. */
    if (err->code == DG_OK && w->root.name != NULL && unlink(w->root.name) != 0 && errno != ENOENT)
      (void)dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", w->root.path, strerror(errno));
  }
  dg_free(all);
  dg_free(root.count);
  dg_free(root.piece);
  return err->code;
}

/* Names the files. Nothing gets its name before all is written, and the root not before all others have theirs. */
static int name_together(struct writer *w, struct dg_error *err)
{
  if ((w->ranks > 1 && gather_root(w, err) != 0) || dg_comm_agree(w->comm, err) != 0) return err->code;
  if ((w->writes_mesh && dg_vtkhdf_file_finish(&w->mesh, err) != 0) ||
      (w->ranks > 1 && dg_vtkhdf_file_finish(&w->block, err) != 0) || dg_comm_agree(w->comm, err) != 0 ||
      (w->rank == 0 && dg_vtkhdf_file_finish(&w->root, err) != 0))
    return err->code;
  return dg_comm_agree(w->comm, err);
}

/* ---- a snapshot ------------------------------------------------------------------------------------------------ */

static int write_parts(struct writer *w, const char *path, const struct dg_snapshot *snapshot, struct dg_error *err)
{
  if (begin(w, path, snapshot, err) == 0) (void)!make_folder(w, err);
  if (write_shared_mesh(w, err) != 0 || find_averages(w, err) != 0) return err->code;
  return w->ranks > 1 ? write_values(w, &w->block, "", NULL, err) : write_alone(w, err);
}

int dg_vtkhdf_write(struct dg_vtkhdf_series *series, const char *path, const struct dg_snapshot *snapshot,
                    struct dg_comm *comm, struct dg_error *err)
{
  struct writer w = {.series = series, .comm = comm};
  if (err->code != DG_OK) return err->code;
  if (write_parts(&w, path, snapshot, err) == 0) (void)!name_together(&w, err);
  release(&w, err);
  return err->code;
}

struct dg_vtkhdf_job {
  struct writer writer;
};

bool dg_vtkhdf_in_halves(int files, bool average, const struct dg_comm *comm)
{
  (void)files;
  return dg_comm_size(comm) > 1 && !average;
}

int dg_vtkhdf_write_part(struct dg_vtkhdf_series *series, struct dg_vtkhdf_job **result, const char *path,
                         const struct dg_snapshot *snapshot, struct dg_comm *comm, struct dg_error *err)
{
  struct dg_vtkhdf_job *job;
  *result = NULL;
  if (err->code != DG_OK || DG_NEW(job, 1, err) != 0) return err->code;
  job->writer = (struct writer){.series = series, .comm = comm};
  if (write_parts(&job->writer, path, snapshot, err) == 0) {
    *result = job;
    return 0;
  }
  release(&job->writer, err);
  dg_free(job);
  return err->code;
}

int dg_vtkhdf_finish(struct dg_vtkhdf_job *job, struct dg_error *err)
{
  (void)!name_together(&job->writer, err);
  release(&job->writer, err);
  dg_free(job);
  return err->code;
}

void dg_vtkhdf_abandon(struct dg_vtkhdf_job *job)
{
  const struct dg_error abandoned = {.code = DG_INTERRUPTED};
  if (job == NULL) return;
  release(&job->writer, &abandoned);
  dg_free(job);
}

/* ---- a series -------------------------------------------------------------------------------------------------- */

int dg_vtkhdf_series_new(struct dg_vtkhdf_series **series, struct dg_error *err)
{
  *series = NULL;
  if (DG_NEW(*series, 1, err) != 0) return err->code;
  pthread_mutex_init(&(*series)->lock, NULL);
  return 0;
}

void dg_vtkhdf_series_free(struct dg_vtkhdf_series *series)
{
  if (series == NULL) return;
  dg_vtkhdf_cell_release(&series->cell);
  pthread_mutex_destroy(&series->lock);
  dg_free(series);
}

const char *dg_vtkhdf_version(void) { return &H5_VERS_INFO[sizeof "HDF5 library version: " - 1]; }
