/* Names and housekeeping of checkpoints' files, and what a restart must know before anything else. */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"
#include "libdg/comm/comm.h"

enum { MX_ROOT = -1 }; /* in place of a rank */

/* Makes FOLDER/step_N.h5 or FOLDER/step_N_R.h5; free it with dg_free. */
int mx_checkpoint_path(char **path, const char *folder, long number, long rank, struct dg_error *err) DG_MUST_USE;
/* Lists the numbers of the checkpoints that have their first file, the newest first; *list is new. A missing folder has
 * none. */
int mx_checkpoint_list(const char *folder, long **list, size_t *count, struct dg_error *err) DG_MUST_USE;
/* The step of a run, which its end may have shortened. */
struct mx_step_plan {
  double step;   /* s; 0: nothing is known */
  double widest; /* s: the automatic step before the run's end shortened it */
};

#define MX_STEP_PLAN "plan" /* the array of a checkpoint's first file with these two numbers */

/* Reads the plan of the newest checkpoint in OUTPUT/checkpoint that can be opened; {0} if there is none: what is wrong
 * there is told by who loads it. Collective. */
int mx_checkpoint_plan(struct mx_step_plan *plan, const char *output, struct dg_comm *comm,
                       struct dg_error *err) DG_MUST_USE;
/* Removes all files of checkpoints but those of the newest `keep`, and unfinished files. Of the newest checkpoint it
 * also removes the files of ranks beyond `parts`, which an earlier one left. A file that cannot be removed stays. */
int mx_checkpoint_prune(const char *folder, size_t keep, long parts, struct dg_error *err) DG_MUST_USE;
