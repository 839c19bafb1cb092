/* The output folder of a run. */
#pragma once

#include "libdg/base/error.h"

/* Makes the folder and its probes/ ready: creates them, or empties them of what an earlier run left (only files that
 * curlew writes; a folder with other content that no run of curlew made is refused, DG_INPUT). Errors of the system are
 * DG_ENVIRONMENT with its reason. */
int mx_folder_prepare(const char *folder, struct dg_error *err) DG_MUST_USE;

/* "folder/name"; free with dg_free. */
int mx_folder_path(char **path, const char *folder, const char *name, struct dg_error *err) DG_MUST_USE;
