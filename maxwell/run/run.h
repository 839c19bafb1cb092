/* `curlew run`: the time loop with its output, progress, watchdog and summary. */
#pragma once

#include "maxwell/session/control.h"
#include "maxwell/shell/folder.h"
#include "maxwell/setup/setup.h"

struct mx_run_options {
  bool resume;                      /* go on from the last checkpoint in the folder */
  bool profile;                     /* time the phases: a table at the end, and in summary.json */
  bool keeps;                       /* SIGINT leaves a checkpoint, as SIGTERM does */
  const struct mx_watcher *watcher; /* borrowed; NULL: nobody looks */
};

/* Runs the simulation into `folder`, which is open (created, or rid of what earlier runs wrote). Errors: those of its
 * parts; DG_BLEW_UP from the watchdog; DG_INTERRUPTED after SIGINT or SIGTERM (the step in progress is finished and the
 * files are whole). Whatever happens after the folder exists stands in summary.json. */
int mx_run(struct mx_setup *setup, struct mx_folder *folder, const struct mx_run_options *options,
           struct dg_error *err) DG_MUST_USE;
