/* summary.json: what a run was and how it went, for other programs. Keys keep their meaning between versions. */
#pragma once

#include "libdg/base/clock.h"
#include "maxwell/output/s_parameters.h"
#include "maxwell/output/step_model.h"
#include "maxwell/shell/folder.h"
#include "maxwell/shell/profile.h"

struct mx_summary {
  const struct mx_setup *setup;
  const char *status; /* "running", "done", "interrupted", "blew up", "failed" */
  const char *error;  /* message, or NULL */
  long steps_done;
  long steps_total;                 /* of all runs that S-parameters took */
  double simulated_time;            /* s */
  double loop_seconds;              /* the time loop without output */
  double energy_first, energy_last; /* J; NaN if never looked at */
  const char *stop_reason;          /* "end time", "steps", "decay", "function", "walltime", "signal"; NULL: none */
  long checkpoints, restarts;       /* written by this process; so far */
  double checkpoint_seconds;
  struct mx_s_quality quality; /* of S-parameters */
  int threads, lua_threads;    /* of the backend; that call the script's functions, of the rank that has fewest */
  struct mx_seconds seconds;
  const struct mx_profile *profile; /* NULL: none is kept */
  /* Figures of the rank that has or took most, once the run is over. */
  double peak_memory, card_memory; /* bytes; the latter 0: no card */
  /* Several ranks. */
  struct mx_model model;
  const char *transport; /* of the halo, between cards (mx_halo_use); NULL: none */
  double halo_bytes;     /* that a rank sends in a step */
  double halo_least;     /* seconds of the rank that took least; seconds.halo is of the one that took most */
};

/* Writes folder/summary.json, first under another name, so that readers always find a whole one. */
int mx_summary_write(const struct mx_summary *summary, const struct mx_folder *folder,
                     struct dg_error *err) DG_MUST_USE;

/* From now on an emergency (libdg/base/emergency.h) says "failed", and why, in the summary that is there and says
 * "running". On any rank; without one that it can find, nothing. */
int mx_summary_watch(const struct mx_folder *folder, struct dg_error *err) DG_MUST_USE;
void mx_summary_forget(void);

/* Unknowns times all steps over loop seconds, 0 before the first. */
double mx_summary_dof_per_second(const struct mx_summary *summary);
