/* Writing a snapshot: blocks of all ranks into a few files, the root, and names in three steps, so that a snapshot is
 * whole or absent. maxwell/output calls it from the loop or from a thread; silo_writer.h has the rules for both. */
#include "libdg/io/silo/silo_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/io/silo/silo_block.h"
#include "libdg/io/silo/silo_file.h"
#include "libdg/io/silo/silo_groups.h"
#include "libdg/io/silo/silo_root.h"

enum { PLACE = 512 }; /* bytes of the longest name of a block, "blocks/fields_000100_0001.silo:/block_000004" */

struct writer {
  struct dg_silo_block block;
  struct dg_comm *comm;                    /* the thread that writes asks it for nothing but numbers */
  char *folder, *stem;                     /* of the path: "cavity/", or "", and "fields_000100" */
  struct dg_silo_file root, blocks, apart; /* the last with the mesh, when that is not in the blocks */
  bool writes_mesh;                        /* this snapshot makes the files of meshes */
  bool by_pattern;                         /* the file of blocks is not Silo's */
};

/* ---- names ----------------------------------------------------------------------------------------------------- */

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
static bool is_alone(const struct writer *w) { return w->block.groups.ranks == 1 && !w->block.once; }

/* Names a file of a rank. The rank's messages are about the file that it was told to write. */
static int name_file(const struct writer *w, struct dg_silo_file *file, const char *name, const char *path,
                     struct dg_error *err)
{
  return dg_silo_file_init(file, name, w->block.groups.ranks == 1 ? path : name, NULL, err);
}

/* Names the files and opens nothing yet. The files of the mesh are called after the first snapshot. */
static int name_files(struct writer *w, const char *path, struct dg_error *err)
{
  if (dg_silo_file_init(&w->root, path, path, NULL, err) != 0) return err->code;
  if (is_alone(w)) return 0;
  const size_t size = strlen(path) + 64;
  char *name;
  if (split_path(w, path, err) != 0 || dg_alloc(&name, size, 1, err) != 0) return err->code;
  snprintf(name, size, "%sblocks/%s_%04d.silo", w->folder, w->stem, w->block.groups.own);
  (void)!name_file(w, &w->blocks, name, path, err);
  if (w->block.once) {
    snprintf(name, size, "%sblocks/mesh_%016" PRIx64 "_%04d.silo", w->folder, w->block.mesh->common,
             w->block.groups.own);
    if (err->code == DG_OK) (void)!name_file(w, &w->apart, name, path, err);
  }
  dg_free(name);
  return err->code;
}

/* The place at which the root finds the block of a rank. */
static void name_block(const struct writer *w, int rank, char place[PLACE])
{
  if (is_alone(w)) snprintf(place, PLACE, "block_%06d", rank);
  else
    snprintf(place, PLACE, "blocks/%s_%04d.silo:/block_%06d", w->stem, dg_silo_group_of(&w->block.groups, rank), rank);
}

/* The place at which the root finds the mesh of a rank; record[] is the block's. */
static void name_mesh(const struct writer *w, int rank, const double *record, char place[PLACE])
{
  uint64_t common;
  memcpy(&common, &record[DG_SILO_MESH], sizeof common);
  if (!w->block.once) name_block(w, rank, place);
  else
    snprintf(place, PLACE, "blocks/mesh_%016" PRIx64 "_%04d.silo:/block_%06d", common,
             dg_silo_group_of(&w->block.groups, rank), rank);
}

/* An upper bound for the root's objects, which know all blocks; those of one block are in the 14 kB. */
static size_t root_size(const struct writer *w)
{
  const size_t each = PLACE + 2 * DG_SILO_NAME;
  return 65536 + (1 + w->block.variables) * (8192 + (size_t)w->block.groups.ranks * each);
}

/* ---- the files ------------------------------------------------------------------------------------------------- */

/* Writes the root from record[ranks][...] of all blocks. */
static int write_root(const struct writer *w, const double *record, struct dg_error *err)
{
  const size_t blocks = (size_t)w->block.groups.ranks;
  char(*text)[PLACE] = NULL;
  const char **place = NULL; /* [2 * blocks] of values, then of meshes */
  if (DG_NEW(text, 2 * blocks, err) != 0 || DG_NEW(place, 2 * blocks, err) != 0) {
    dg_context(err, "while writing '%s'", w->root.path);
    goto fail;
  }
  for (size_t b = 0; b < blocks; b++) {
    name_block(w, (int)b, text[b]);
    name_mesh(w, (int)b, record + b * dg_silo_record(w->block.variables), text[blocks + b]);
    place[b] = text[b];
    place[blocks + b] = text[blocks + b];
  }
  const struct dg_silo_root root = {.time = w->block.snapshot->time,
                                    .cycle = w->block.snapshot->cycle,
                                    .blocks = w->block.groups.ranks,
                                    .place = place,
                                    .mesh = place + blocks,
                                    .record = record,
                                    .fields = w->block.fields,
                                    .field = w->block.field};
  (void)!dg_silo_write_root(&w->root, &root, err);
fail:
  dg_free(text);
  dg_free(place);
  return err->code;
}

static int write_alone(struct writer *w, struct dg_error *err)
{
  if (dg_silo_file_create(&w->root, "nodal fields", dg_silo_block_size(&w->block), err) != 0) return err->code;
  if (dg_silo_block_write(&w->block, &w->root, err) == 0) (void)!write_root(w, w->block.record, err);
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
    if (w->block.groups.ranks == 1) dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", w->root.path, reason);
    else dg_fail(err, DG_ENVIRONMENT, "cannot make the folder '%s': %s", folder, reason);
  }
  dg_free(folder);
  return err->code;
}

/* The first of a group makes the file, and the folder where it is missing. */
static int open_blocks(struct writer *w, struct dg_error *err)
{
  if (!w->block.groups.first) return dg_silo_file_append(&w->blocks, dg_silo_block_size(&w->block), err);
  if (make_folder(w, err) != 0) return err->code;
  if (w->by_pattern) return dg_silo_file_create_bare(&w->blocks, dg_silo_block_bare_size(&w->block), err);
  return dg_silo_file_create(&w->blocks, "blocks of nodal fields", dg_silo_block_size(&w->block), err);
}

static int open_meshes(struct writer *w, struct dg_error *err)
{
  if (!w->block.groups.first) return dg_silo_file_append(&w->apart, dg_silo_block_mesh_size(&w->block), err);
  if (make_folder(w, err) != 0) return err->code;
  return dg_silo_file_create(&w->apart, "meshes of nodal fields", dg_silo_block_mesh_size(&w->block), err);
}

/* Must the file of meshes be made? The first snapshot makes it, unless an earlier run has made it, and another snapshot
 * when it has gone. A file of meshes that waits for its name is there as well; this function looks for that one first,
 * since it may get its name meanwhile. */
static bool lacks_mesh(const struct writer *w)
{
  if (!w->block.once || (w->block.mesh->written && access(w->apart.part, F_OK) == 0)) return false;
  return access(w->apart.name, F_OK) != 0;
}

/* ---- all files of a rank --------------------------------------------------------------------------------------- */

static int write_meshes(struct writer *w, struct dg_error *err)
{
  if (open_meshes(w, err) == 0) (void)!dg_silo_block_write_mesh(&w->block, &w->apart, err);
  if (dg_silo_file_close(&w->apart, err) == 0) w->block.mesh->written = true;
  else if (!w->block.groups.first) await_cause(w, &w->apart, err);
  return err->code;
}

/* Writes files that are complete, but for their names. The mesh comes first, because Silo remembers its dimensions for
 * variables. */
static int write_parts(struct writer *w, struct dg_error *err)
{
  if (w->writes_mesh && write_meshes(w, err) != 0) return err->code;
  if (open_blocks(w, err) == 0)
    (void)!(w->by_pattern ? dg_silo_block_write_bare(&w->block, &w->blocks, err)
                          : dg_silo_block_write(&w->block, &w->blocks, err));
  if (dg_silo_file_close(&w->blocks, err) != 0) {
    if (!w->block.groups.first) await_cause(w, &w->blocks, err);
    return err->code;
  }
  if (!w->by_pattern && dg_silo_block_find_pattern(&w->block, w->blocks.part, err) != 0)
    dg_context(err, "while writing '%s'", w->root.path);
  return err->code;
}

/* Lets the ranks of a group write one after the other; the first says whether they write meshes. */
static int write_in_turn(struct writer *w, struct dg_error *err)
{
  char baton = w->writes_mesh;
  if (!w->block.groups.first && dg_comm_receive(w->comm, w->block.groups.rank - 1, 1, &baton, err) != 0)
    return err->code;
  w->writes_mesh = baton;
  if (write_parts(w, err) != 0) return err->code;
  return w->block.groups.last ? 0 : dg_comm_send(w->comm, w->block.groups.rank + 1, 1, &baton, err);
}

/* Lets rank 0 write the root under its .part name; rank 0 learns here that all blocks are written. */
static int gather_root(struct writer *w, struct dg_error *err)
{
  const bool several = w->block.groups.ranks > 1;
  double *record = NULL;
  if ((several && dg_comm_gather(w->comm, dg_silo_record(w->block.variables) * sizeof *record, w->block.record, &record,
                                 NULL, err) != 0) ||
      w->block.groups.rank != 0)
    goto fail;
  if (dg_silo_file_create(&w->root, "nodal fields of all blocks", root_size(w), err) == 0)
    (void)!write_root(w, several ? record : w->block.record, err);
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
  for (int i = !w->writes_mesh; w->block.groups.first && i < 2; i++)
    if (dg_silo_file_finish(file[i], err) != 0) {
      await_cause(w, file[i], err);
      return err->code;
    }
  if (dg_comm_agree(w->comm, err) != 0 || (w->block.groups.rank == 0 && dg_silo_file_finish(&w->root, err) != 0))
    return err->code;
  return dg_comm_agree(w->comm, err);
}

static int write_together(struct writer *w, struct dg_error *err)
{
  if (dg_silo_block_share(&w->block, w->comm, w->root.path, err) != 0 || write_in_turn(w, err) != 0) return err->code;
  return name_together(w, err);
}

static void release(struct writer *w, const struct dg_error *err)
{
  dg_silo_file_release(&w->root, err);
  dg_silo_file_release(&w->blocks, err);
  dg_silo_file_release(&w->apart, err);
  dg_free(w->folder);
  dg_free(w->stem);
  dg_silo_block_release(&w->block);
}

/* The lock that a snapshot holds while Silo writes it, because it has the mesh's room to work in. All other snapshots
 * hold it while they look at the mesh's data. */
static pthread_mutex_t by_silo = PTHREAD_MUTEX_INITIALIZER;

/* Claims all files that this rank is going to create, in one go. */
static int claim_files(const struct writer *w, struct dg_error *err)
{
  const char *path[3];
  size_t count = 0;
  if (w->block.groups.rank == 0) path[count++] = w->root.name;
  if (!is_alone(w) && w->block.groups.first) path[count++] = w->blocks.name;
  if (w->writes_mesh && w->block.groups.first) path[count++] = w->apart.name;
  return dg_ledger_claim_all(w->block.snapshot->ledger, DG_LEDGER_OUTPUT, count, path, err);
}

/* Begins a snapshot. Behind this the lock is held unless w->by_pattern. */
static int begin(struct writer *w, const char *path, const struct dg_snapshot *snapshot, struct dg_silo_mesh *kept,
                 struct dg_error *err)
{
  pthread_mutex_lock(&by_silo);
  if (dg_silo_block_init(&w->block, snapshot, kept, w->comm, path, err) != 0) return err->code;
  if (name_files(w, path, err) != 0) return dg_context(err, "while writing '%s'", path);
  w->writes_mesh = lacks_mesh(w);
  w->by_pattern =
      !w->writes_mesh && dg_silo_block_may_have_pattern(&w->block) && dg_silo_block_knows_pattern(&w->block);
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
  struct writer w = {.comm = comm};
  if (err->code != DG_OK) return err->code;
  if (begin(&w, path, snapshot, kept, err) == 0) (void)!(is_alone(&w) ? write_alone(&w, err) : write_together(&w, err));
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
  *job = (struct dg_silo_job){.snapshot = *snapshot, .writer = {.comm = comm}};
  struct writer *const w = &job->writer;
  if (begin(w, path, &job->snapshot, kept, err) == 0) (void)!write_parts(w, err);
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
