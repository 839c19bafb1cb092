/* Names and housekeeping of checkpoints' files. Private to checkpoint*.c. */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"

enum { MX_ROOT = -1 }; /* in place of a rank */

/* Makes FOLDER/step_N.h5 or FOLDER/step_N_R.h5; free it with dg_free. */
int mx_checkpoint_path(char **path, const char *folder, long number, long rank, struct dg_error *err) DG_MUST_USE;
/* Lists the numbers of the checkpoints that have their first file, the newest first; *list is new. A missing folder has
 * none. */
int mx_checkpoint_list(const char *folder, long **list, size_t *count, struct dg_error *err) DG_MUST_USE;
/* Removes all files of checkpoints but those of the newest `keep`, and unfinished files. Of the newest checkpoint it
 * also removes the files of ranks beyond `parts`, which an earlier one left. A file that cannot be removed stays. */
int mx_checkpoint_prune(const char *folder, size_t keep, long parts, struct dg_error *err) DG_MUST_USE;
