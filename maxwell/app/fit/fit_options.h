/* The command line of `curlew fit TABLE`. */
#pragma once

#include <stdbool.h>

#include "libdg/base/error.h"
#include "maxwell/fit/fit.h"
#include "maxwell/fit/table.h"

/* Strings are borrowed from argv. */
struct mx_fit_command {
  const char *table;
  struct mx_fit_form form;
  struct mx_fit_options fit;
  const char *csv, *json, *plot; /* files, or NULL */
  bool quiet;
};

/* Reads what follows `fit`; argv stays the caller's. DG_INPUT for what is not understood. */
int mx_fit_command_read(struct mx_fit_command *command, int argc, char **argv, struct dg_error *err) DG_MUST_USE;
