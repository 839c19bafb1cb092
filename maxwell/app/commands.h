/* `curlew fit` and `curlew new`, whose words and files share/lua/commands reads and writes. */
#pragma once

#include "libdg/base/error.h"

/* Fits a table. With --plot a Python takes the place of this program at the end, which draws the fit. */
int mx_fit_command(int words, char *const *word, struct dg_error *err) DG_MUST_USE;
/* Writes a first script and its geometry: both, or none. */
int mx_new(int words, char *const *word, struct dg_error *err) DG_MUST_USE;
