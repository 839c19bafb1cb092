/* The time loop: stages with their sources, observation and output, checkpoints, and the end. run.c calls it. */
#pragma once

#include "libdg/base/clock.h"
#include "maxwell/checkpoint/checkpoint.h"
#include "maxwell/session/control.h"
#include "maxwell/output/output.h"
#include "maxwell/output/ports/port_output.h"
#include "maxwell/output/watchdog.h"
#include "maxwell/shell/profile.h"
#include "maxwell/step/stepper.h"

struct mx_loop {
  const struct mx_scene *scene; /* with backend and folder; borrowed */
  struct mx_backend *backend;
  struct mx_folder *folder;
  const char *identity;
  struct mx_output output;
  struct mx_port_output port_output;
  struct mx_hooks hooks;
  struct mx_watchdog watchdog[2]; /* for the run that writes output, and for further runs for S-parameters */
  struct mx_control control;
  struct mx_counters counters; /* of the checkpoint at hand */
  struct mx_stepper stepper;
  double started, output_seconds;
  struct dg_pace pace; /* of progress */
  bool writes;         /* the run writes output; else it is a further run for S-parameters, which only adds to them */
  bool rehearses;      /* steps are made to be timed (maxwell/check/rehearsal.h): the script's rules are not asked */
  bool observed;       /* the fields of the step are looked at */
  long seen;           /* number of the step as the observation takes it */
  bool resume;         /* the run goes on from a checkpoint */
  bool ended;          /* the checkpoint was written at the end of the fields */
  bool again;          /* the fields may run more than once: no checkpoint is written */
  bool heat_follows;   /* a checkpoint is written at the end of the fields: heat may be stopped, and goes on there */
  bool stopped;        /* a signal or the clock has stopped the run, in the same step on all ranks */
  long done;           /* steps done */
  long total;          /* steps of all runs for S-parameters */
  long later;          /* steps of the runs for S-parameters that are still to come, as it seems */
  const char *reason;  /* why the run ends before its last step; NULL: no reason */
  long checkpoints;    /* checkpoints written */
  long checkpointed;   /* `total` of the last checkpoint; -1: none */
  char no_checkpoint[208];          /* why the last one could not be written */
  double checkpoint_seconds;        /* seconds that checkpoints took */
  struct mx_profile *profile;       /* NULL: off */
  const struct mx_watcher *watcher; /* NULL: nobody looks */
  double watched;                   /* mx_clock at the watcher's last look */
  bool wanted;                      /* the watcher wants to see the fields of this step */
};

/* Makes the stepper of the loop's backend; release it (mx_stepper_release). */
int mx_loop_prepare(struct mx_loop *loop, struct dg_error *err) DG_MUST_USE;
/* Finds where the run begins: at its start, or at the checkpoint. The tables are then cut to their length at the
 * checkpoint. Collective. */
int mx_loop_begin(struct mx_loop *loop, const struct mx_checkpoint *checkpoint, long *first,
                  struct dg_error *err) DG_MUST_USE;
/* Runs from step `first` to the end; for S-parameters, runs one port after the other. Collective. DG_INTERRUPTED where
 * the loop was told to stop. */
int mx_loop_run(struct mx_loop *loop, long first, struct dg_error *err) DG_MUST_USE;
/* Runs step n, or as much of the step after the last as its observation needs. Observation and output take it for step
 * `seen`, which is n but in a rehearsal. Collective. */
int mx_loop_step(struct mx_loop *loop, long n, long seen, struct dg_error *err) DG_MUST_USE;
/* Had the fields, in a checkpoint at their end, come to the last step? Else a rule has ended them before. */
bool mx_loop_ended_at_last(const struct mx_counters *counters);
/* Seconds since the first step, without output. */
double mx_loop_seconds(const struct mx_loop *loop);
