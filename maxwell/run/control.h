/* Who tells the time loop to write a checkpoint or to end before its time: signals, the clock, the batch limit.
 *
 * Signals and clocks are a rank's own, and all ranks must do the same at the same step: now and then they vote. A vote
 * ends many steps behind its beginning, so that nobody waits for it.
 */
#pragma once

#include "maxwell/setup/setup.h"

enum mx_stop { /* by rank: the last one wins */
               MX_GO_ON,
               MX_STOP_WALLTIME,  /* with a checkpoint */
               MX_STOP_INTERRUPT, /* SIGINT: without */
               MX_STOP_TERMINATE  /* SIGTERM, SIGHUP, SIGPIPE, SIGXCPU: with a checkpoint */
};

struct mx_orders {
  enum mx_stop stop;
  bool checkpoint; /* write one at this step */
  long snapshots;  /* that all ranks had written when the vote began */
};

struct mx_control {
  const struct mx_setup *setup; /* borrowed */
  double checkpointed;          /* mx_clock at the end of the last one, or at the start */
  double longest;               /* seconds that a checkpoint took, */
  double estimate;              /* or may take, as long as none was written */
  long snapshots;               /* that this rank has written; the caller's, as the next one */
  double behind;                /* seconds that the end may have to wait for the rest of them */
  struct dg_reduction *vote;    /* under way */
  long next_vote, vote_steps;   /* the step that begins or ends one, and how many are between */
};

/* From now on SIGINT, SIGTERM, SIGUSR1, SIGHUP unless it is ignored, SIGPIPE and SIGXCPU are heard; at a second SIGINT
 * or SIGTERM the program ends at once. `saved` is for mx_control_end. bytes: of the state of this rank. */
struct mx_signals; /* opaque */
int mx_control_init(struct mx_control *control, struct mx_signals **saved, const struct mx_setup *setup, size_t bytes,
                    struct dg_error *err) DG_MUST_USE;
/* Signals are as before; NULL is safe. */
void mx_control_end(struct mx_signals *saved);
/* The loop begins at a step of its own choice. */
void mx_control_begin(struct mx_control *control);
/* Before step n; step_seconds is what a step takes. Collective. */
int mx_control_ask(struct mx_control *control, long n, double step_seconds, struct mx_orders *orders,
                   struct dg_error *err) DG_MUST_USE;
/* A checkpoint was written, or tried. */
void mx_control_checkpointed(struct mx_control *control, double seconds);
/* Every vote ends, also that of a run that is over. Collective. */
int mx_control_settle(struct mx_control *control, struct dg_error *err) DG_MUST_USE;
