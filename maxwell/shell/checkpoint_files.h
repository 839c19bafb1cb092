/* Names and housekeeping of checkpoints' files. Private to checkpoint*.c. */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"

enum { MX_ROOT = -1 }; /* in place of a rank */

/* FOLDER/step_N.h5 or FOLDER/step_N_R.h5; free with dg_free. */
int mx_checkpoint_path(char **path, const char *folder, long number, long rank, struct dg_error *err) DG_MUST_USE;
/* The numbers of the checkpoints that have their first file, the newest first; *list is new. A folder that is not there
 * has none. */
int mx_checkpoint_list(const char *folder, long **list, size_t *count, struct dg_error *err) DG_MUST_USE;
/* Removes all files of checkpoints but those of the newest `keep`, also what was left unfinished, and of the newest
 * what more than `parts` ranks wrote before. What cannot be removed stays. */
int mx_checkpoint_prune(const char *folder, size_t keep, long parts, struct dg_error *err) DG_MUST_USE;
