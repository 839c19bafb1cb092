/* The time loop: stages with their sources, what is observed and written, checkpoints, and when to stop. */
#pragma once

#include "maxwell/checkpoint/checkpoint.h"
#include "maxwell/run/control.h"
#include "maxwell/output/output.h"
#include "maxwell/output/port_output.h"
#include "maxwell/output/watchdog.h"
#include "maxwell/shell/profile.h"

struct mx_loop {
  struct mx_setup *setup;
  struct mx_backend *backend;
  struct mx_folder *folder;
  const char *identity;
  struct mx_output output;
  struct mx_port_output port_output;
  struct mx_watchdog watchdog[2]; /* of the run that writes output, and of further runs for S-parameters */
  struct mx_control control;
  struct mx_counters counters; /* of the checkpoint at hand */
  double *port_amplitude;      /* [ports.functionals] */
  double started, output_seconds;
  struct dg_pace pace;        /* of progress */
  bool writes;                /* output; else this is a further run for S-parameters, which only adds to them */
  bool resume;                /* from a checkpoint */
  double source_seconds;      /* that the loop took for them */
  bool stopped;               /* by a signal or the clock, in the same step on all ranks */
  long done;                  /* steps */
  long total;                 /* of all runs for S-parameters */
  const char *reason;         /* why the run ends before its last step; NULL: it does not */
  long checkpoints;           /* written */
  long checkpointed;          /* `total` of the last one; -1: none */
  double checkpoint_seconds;  /* that they took */
  struct mx_profile *profile; /* NULL: off */
};

/* Where the run begins: at its start, or where the checkpoint was written, with the tables cut to what they were.
 * Collective. */
int mx_loop_begin(struct mx_loop *loop, const struct mx_checkpoint *checkpoint, long *first,
                  struct dg_error *err) DG_MUST_USE;
/* From step `first` to the end, or, for S-parameters, of the runs in which one port after the other is driven.
 * Collective. DG_INTERRUPTED where it was told to stop. */
int mx_loop_run(struct mx_loop *loop, long first, struct dg_error *err) DG_MUST_USE;
/* Since the first step, without output. */
double mx_loop_seconds(const struct mx_loop *loop);
