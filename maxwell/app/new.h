/* `curlew new NAME [--kind KIND]`: a first script and its geometry, with comments, to be changed.
 *
 * They are copies of KIND.lua and KIND.geo in share/templates, in which @NAME@ is the name. A template is whatever
 * stands there: a new pair of files is a new kind. */
#pragma once

#include <stdbool.h>

#include "libdg/base/error.h"

struct mx_new_options {
  const char *name; /* as it was given: a file name, or a path to it, with or without ".lua"; borrowed */
  const char *kind; /* borrowed */
  bool quiet;
};

/* Reads what follows `new`; argv stays the caller's. DG_INPUT for what is not understood. */
int mx_new_options_read(struct mx_new_options *options, int argc, char **argv, struct dg_error *err) DG_MUST_USE;
/* Writes NAME.lua and NAME.geo and says what to do with them. DG_INPUT: the name is none for a file, there is no such
 * kind, or one of the files is there already, and then none is written or changed. DG_ENVIRONMENT: there are no
 * templates, or the files cannot be written; what had been written is removed. */
int mx_new(const struct mx_new_options *options, struct dg_error *err) DG_MUST_USE;
