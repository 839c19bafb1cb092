/* The command line of `curlew sweep`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

/* One argument of the script and its values, as they stand behind -D NAME=. */
struct mx_axis {
  char *name;
  size_t values;
  char **value;
};

struct mx_sweep_options {
  const char *script, *output; /* borrowed; output NULL: the script's name and "_sweep" */
  size_t axes;
  struct mx_axis *axis;
  size_t words; /* options for each run, as they were given: --set, --trust and the like */
  const char **word;
  long jobs;
  bool again, list, quiet;
};

/* Reads the words behind `sweep`, which stay the caller's. DG_INPUT for what is not understood: an unknown option, a
 * range without end, an argument given twice, too many runs. Release in any case. */
int mx_sweep_options_read(struct mx_sweep_options *options, int argc, char **argv, struct dg_error *err) DG_MUST_USE;
void mx_sweep_options_release(struct mx_sweep_options *options);
