/* The command line. */
#pragma once

#include <stdbool.h>

#include "libdg/base/error.h"
#include "maxwell/app/bench.h"
#include "maxwell/app/plot.h"
#include "maxwell/shell/script/script.h"

enum mx_command { MX_RUN, MX_CHECK, MX_INFO, MX_BENCH, MX_PLOT, MX_S, MX_SWEEP, MX_NEW, MX_FIT, MX_HELP, MX_VERSION };

struct mx_options {
  enum mx_command command;
  const char *script;        /* run and check */
  const char *output;        /* --output, or NULL */
  const char *picture;       /* check: --picture, or NULL */
  char model[MX_PLOT_MODEL]; /* check: the file that the picture is drawn from; main names it */
  bool quiet, profile, restart, remesh, keys;
  struct mx_limits limits; /* --trust, --lua-seconds */
  struct mx_bench_options bench;
  size_t args, sets;
  struct mx_definition *arg, *set; /* -D and --set; their strings are owned by this struct */
};

/* argv stays the caller's. DG_INPUT for what is not understood. Release in any case. */
int mx_options_read(struct mx_options *options, int argc, char **argv, struct dg_error *err) DG_MUST_USE;
void mx_options_release(struct mx_options *options);
