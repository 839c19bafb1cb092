/* The orders to a part of a run to write a checkpoint or to end before its time. They come from signals, the clock and
 * the batch limit. The time loop and the march of heat ask for them before every step.
 *
 * Signals and clocks are a rank's own, and all ranks must do the same at the same step: now and then they vote. A vote
 * ends many steps behind its beginning, so that nobody waits for it. */
#pragma once

#include "maxwell/scene/scene.h"

enum mx_stop { /* by rank: the last one wins */
               MX_GO_ON,
               MX_STOP_WALLTIME,  /* with a checkpoint */
               MX_STOP_INTERRUPT, /* SIGINT: without */
               MX_STOP_TERMINATE  /* SIGTERM, SIGHUP, SIGPIPE, SIGXCPU: with a checkpoint */
};

struct mx_orders {
  enum mx_stop stop;
  bool checkpoint; /* write one at this step; without `stop` */
  long snapshots;  /* snapshots that all ranks had written when the vote began */
};

/* What somebody who steps a run wants before step n. */
enum mx_order {
  MX_ORDER_STEP,       /* make the step */
  MX_ORDER_LOOK,       /* make it, and call `at` when the fields of t_n can be looked at */
  MX_ORDER_CHECKPOINT, /* write a checkpoint, and ask again; a failure is a warning */
  MX_ORDER_STOP,       /* end the run with a checkpoint */
  MX_ORDER_LEAVE       /* end the run without one */
};

struct mx_loop;

/* Somebody who looks at a run now and then, or steps it, on one rank: a program whose library this is. */
struct mx_watcher {
  /* Is called about ten times a second, before step n of `steps` at time t (s). False ends the run with a checkpoint.
   * NULL: nobody looks. */
  bool (*look)(void *self, long n, long steps, double t);
  /* Both or none. `stand` is called before every step, and may wait as long as it likes. */
  enum mx_order (*stand)(void *self, struct mx_loop *loop, long n);
  int (*at)(void *self, struct mx_loop *loop, long n, struct dg_error *err) DG_MUST_USE;
  void *self;
};

struct mx_control {
  const struct mx_scene *scene; /* borrowed */
  double checkpointed;          /* mx_clock at the end of the last checkpoint, or at the start */
  double longest;               /* seconds that the longest checkpoint took */
  double estimate;              /* seconds that one may take, as long as none was written */
  long snapshots;               /* snapshots that this rank has written; the caller sets this member and the next one */
  double behind;                /* seconds that the end may have to wait for the other snapshots */
  bool keeps;                   /* SIGINT ends the run with a checkpoint, too */
  struct dg_reduction *vote;    /* the vote under way */
  long next_vote, vote_steps;   /* the step that begins or ends a vote, and the steps between */
  double step_seconds;          /* seconds of a step, as the last question had it */
  bool listens;                 /* signals are to be given back */
  bool within;                  /* another control listens as well, which came before and goes after */
};

/* Listens from now on to SIGINT, SIGTERM, SIGUSR1, SIGPIPE, SIGXCPU, and SIGHUP unless it is ignored. At a second
 * SIGINT or SIGTERM the program ends at once. within: another
 * control listens already, and ends later: heat, while its fields run again. Then signals that have come before are
 * heard, too. bytes: size of this rank's state. The scene must stay where it is. */
void mx_control_begin(struct mx_control *control, const struct mx_scene *scene, size_t bytes, bool within);
/* Gives the signals back for as long as a run stands, and takes them again. */
void mx_control_pause(void);
void mx_control_resume(void);
/* Restores the signals. One that has not begun is safe. */
void mx_control_end(struct mx_control *control);
/* Begins the votes anew: a loop may begin at any step. */
void mx_control_restart(struct mx_control *control);
/* Asks for orders before step n; step_seconds is the time of a step. Collective. */
int mx_control_ask(struct mx_control *control, long n, double step_seconds, struct mx_orders *orders,
                   struct dg_error *err) DG_MUST_USE;
/* The same at once, for steps that are long: all ranks wait for each other. */
int mx_control_ask_now(struct mx_control *control, long n, double step_seconds, struct mx_orders *orders,
                       struct dg_error *err) DG_MUST_USE;
/* Would this rank end the run now? Not collective, and no order is taken. */
bool mx_control_presses(const struct mx_control *control);
/* Notes that a checkpoint was written, or tried. */
void mx_control_checkpointed(struct mx_control *control, double seconds);
/* Ends every vote, also that of a run that is over. Collective. */
int mx_control_settle(struct mx_control *control, struct dg_error *err) DG_MUST_USE;

/* How often the log says how far a part is (output.progress): more often on a terminal. */
struct dg_pace mx_progress_pace(const struct mx_config *config, const struct dg_log *log);
