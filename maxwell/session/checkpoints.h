/* Checkpoints of a part of a run, fields or heat: the whole state of the part between two steps, on disk, and back.
 *
 * A part has a folder with the last two. Each begins with a file step_N.h5 (libdg/io/store.h), which has the format,
 * the identity of the run (identity.h) and what the part archives; the part may put more into it, and other files
 * beside it. Elements are stored by their numbers in the whole mesh, so that any number of ranks can read what another
 * number wrote. */
#pragma once

#include <stdint.h>

#include "libdg/base/log.h"
#include "maxwell/shell/archive.h"
#include "maxwell/shell/folder.h"

struct mx_checkpoint;

/* What a part of a run says of its checkpoints. */
struct mx_checkpoint_kind {
  const char *folder; /* in the output folder: "checkpoint" */
  const char *of;     /* for messages, behind "the checkpoint": "", " of heat" */
  int format;         /* one more whenever an older checkpoint would be read wrongly */
  /* Passes to the archive what there is once. */
  int (*archive)(void *self, struct mx_archive *archive, struct dg_error *err);
  /* Writes the files into the folder, the first one last (mx_checkpoint_create). A failure to write is no error: rank 0
   * has it then in *failure, and nothing stays behind. Collective. */
  int (*save)(void *self, const char *folder, struct dg_error *failure, struct dg_error *err);
  /* Looks at the other files of a checkpoint that was found; *why: what this rank has against it. Collective. NULL:
   * there are no others. */
  int (*look)(struct mx_checkpoint *checkpoint, struct dg_error *why, struct dg_error *err);
};

/* ---- writing */

/* A checkpoint to be written; all borrowed. */
struct mx_checkpoint_order {
  const struct mx_checkpoint_kind *kind;
  void *self; /* the part's */
  struct dg_comm *comm;
  struct mx_folder *folder;
  const char *identity; /* rank 0's */
  long number;
};

/* Writes a checkpoint and removes those before the last two. Collective. A failure to write (a full disk) is no error
 * of this function: *failure then has the first rank's reason, on rank 0, and *written is false on all ranks. Errors
 * are those of ranks that fail, and of `save`. */
int mx_checkpoint_keep(const struct mx_checkpoint_order *order, bool *written, struct dg_error *failure,
                       struct dg_error *err) DG_MUST_USE;
/* For `save`, on rank 0: begins the first file; the caller adds what else there is, in arrays and bytes of `more`, and
 * finishes it. about: two numbers that stand in it beside the format. Free the store in any case. */
int mx_checkpoint_create(struct dg_store **store, const struct mx_checkpoint_order *order, const char *folder,
                         const int64_t about[2], struct mx_archive more, struct dg_error *err) DG_MUST_USE;
/* Gathers the first failure of all ranks, on rank 0; *failed on all. Collective. */
int mx_gather_failure(struct dg_comm *comm, struct dg_error *own, bool *failed, struct dg_error *err) DG_MUST_USE;

/* ---- finding and loading */

struct mx_checkpoint {
  const struct mx_checkpoint_kind *kind;
  struct dg_comm *comm; /* borrowed */
  char *folder;         /* OUTPUT/checkpoint */
  bool found;           /* the same on all ranks */
  long number;
  size_t newer;           /* newer checkpoints, which are of no use */
  int64_t about[2];       /* as mx_checkpoint_create had it */
  struct dg_store *store; /* rank 0's: the first file */
};

/* Finds the newest checkpoint of a kind that is whole, if there is one; a warning tells why another one is not.
 * Collective. DG_INPUT: it is of another run (rank 0's). Release in any case. */
int mx_checkpoint_find(struct mx_checkpoint *checkpoint, const struct mx_checkpoint_kind *kind, struct dg_comm *comm,
                       struct dg_log *log, const struct mx_folder *folder, const char *identity,
                       struct dg_error *err) DG_MUST_USE;
/* Fails, DG_INPUT, for one that was not found. */
int mx_checkpoint_missing(const struct mx_checkpoint *checkpoint, struct dg_error *err);
/* Loads what there is once. Collective. */
int mx_checkpoint_load_once(const struct mx_checkpoint *checkpoint, void *self, struct dg_error *err) DG_MUST_USE;
/* Once all is loaded: removes the unfinished files of a killed run, which may write no other checkpoint. */
int mx_checkpoint_tidy(const struct mx_checkpoint *checkpoint, struct dg_error *err) DG_MUST_USE;
void mx_checkpoint_release(struct mx_checkpoint *checkpoint);
