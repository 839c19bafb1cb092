/* The output folder of a run: who works in it, and which of its files are the run's.
 *
 * A run has its folder for itself (libdg/files/lock.h) until its last file has its name. Of the files in it, it removes
 * and replaces only those that it or an earlier run made (libdg/files/ledger.h). Both are kept in FOLDER/.curlew. Rank
 * 0 prepares the folder. All functions but open, join and close are rank 0's own, and tell other ranks nothing. */
#pragma once

#include "libdg/comm/comm.h"
#include "libdg/files/lock.h"
#include "libdg/base/log.h"
#include "libdg/files/ledger.h"
#include "maxwell/shell/plan.h"

struct mx_folder {
  char *path;
  int rank;
  struct dg_log *log; /* borrowed, may be NULL */
  struct dg_lock lock;
  struct dg_ledger *ledger;   /* NULL before the folder is there */
  struct dg_ledger_list list; /* the ledger when the run came; rank 0's */
};

/* Opens the folder, but creates nothing. DG_ENVIRONMENT, on rank 0, if another run works in an existing folder: a run
 * that first waits for its mesh is then told at once. Close in any case. */
int mx_folder_open(struct mx_folder *folder, const char *path, struct dg_comm *comm, struct dg_log *log,
                   struct dg_error *err) DG_MUST_USE;
/* Makes the folder where it is missing, takes the lock, and checks that the run's files can be written. DG_INPUT: the
 * folder has files and no ledger, or a file that is not ours has a name that the run needs. DG_ENVIRONMENT: the
 * system's errors, and another run. Existing files are not changed. */
int mx_folder_prepare(struct mx_folder *folder, const struct mx_plan *plan, struct dg_error *err) DG_MUST_USE;
/* Claims the plan's files and makes its folders. `afresh`, for a run that does not go on, removes all output of earlier
 * runs but summary.json. The caller must have overwritten that before, so that it never calls a run done whose files
 * are gone. */
int mx_folder_claim(struct mx_folder *folder, const struct mx_plan *plan, bool afresh,
                    struct dg_error *err) DG_MUST_USE;
/* Joins the folder on other ranks, once rank 0 has prepared it. */
int mx_folder_join(struct mx_folder *folder, struct dg_error *err) DG_MUST_USE;
/* Makes the folder PATH/name for files of one kind ("probes") in a folder that was prepared. */
int mx_folder_part(const struct mx_folder *folder, const char *name, struct dg_error *err) DG_MUST_USE;

/* Removes, before a run goes on at `step`, its files of that step and later ones (mx_plan_step), which it will write
 * again, and unfinished files. A file that cannot be removed stays. */
int mx_folder_cut(struct mx_folder *folder, const struct mx_plan *plan, long step, struct dg_error *err) DG_MUST_USE;

/* Makes "path/name"; free it with dg_free. */
int mx_folder_path(char **path, const struct mx_folder *folder, const char *name, struct dg_error *err) DG_MUST_USE;
/* Gives the lock back. */
void mx_folder_close(struct mx_folder *folder);
