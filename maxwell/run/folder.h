/* The output folder of a run. */
#pragma once

#include "libdg/base/error.h"

/* Makes the folder where it is missing. A folder that holds anything, but no summary.json of
 * curlew's, is DG_INPUT. Errors of the system are DG_ENVIRONMENT with its reason. */
int mx_folder_prepare(const char *folder, struct dg_error *err) DG_MUST_USE;
/* Makes the folder folder/name for files of one kind ("probes") in a folder that was prepared. */
int mx_folder_part(const char *folder, const char *name, struct dg_error *err) DG_MUST_USE;
/* Removes what an earlier run left, only files that curlew writes and not summary.json: that is to be overwritten
 * before, so that it never calls a run done whose files are gone. */
int mx_folder_empty(const char *folder, struct dg_error *err) DG_MUST_USE;

/* Before a run goes on at `step`: removes its snapshots of that step and later ones, which it will write again, and
 * what was left unfinished. What cannot be removed stays. */
int mx_folder_cut(const char *folder, long step, struct dg_error *err) DG_MUST_USE;

/* "folder/name"; free with dg_free. */
int mx_folder_path(char **path, const char *folder, const char *name, struct dg_error *err) DG_MUST_USE;
