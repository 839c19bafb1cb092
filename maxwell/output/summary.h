/* summary.json: the set-up and the course of a run, for other programs. Keys keep their meaning between versions. run.c
 * writes it. */
#pragma once

#include "libdg/base/clock.h"
#include "maxwell/output/ports/s_parameters.h"
#include "maxwell/output/step_model.h"
#include "maxwell/shell/folder.h"
#include "maxwell/shell/hooks/results.h"
#include "maxwell/shell/profile.h"

struct mx_summary {
  const struct mx_scene *scene;
  const char *status; /* "running", "done", "interrupted", "blew up", "failed" */
  const char *error;  /* message, or NULL */
  long steps_done;
  long steps_total;                 /* steps of all runs that S-parameters took */
  double simulated_time;            /* s */
  double loop_seconds;              /* the time loop without output */
  double energy_first, energy_last; /* J; NaN if no look was taken */
  const char *stop_reason; /* "end time", "steps", "decay", "function", "hook", "walltime", "signal"; NULL: none */
  char stop_text[MX_WHY];  /* the reason that a hook gives; "": none */
  struct mx_derived_list derived; /* values of hooks; release them. Empty until the run is over */
  long rounds; /* runs of the fields that heat took; the members above are of the last one. 0: there was no need of more
                */
  long heat_steps;            /* of heat, which had none of the fields before it */
  long checkpoints, restarts; /* checkpoints that this process wrote; restarts so far */
  double checkpoint_seconds;
  struct mx_s_quality quality;     /* quality of S-parameters */
  struct mx_resonances resonances; /* those found; release them. Empty until the run is over */
  /* Threads of the backend; threads that call the script's functions, on the rank that has fewest. */
  int threads, lua_threads;
  struct mx_seconds seconds;
  const struct mx_profile *profile; /* NULL: no profile is kept */
  /* Once the run is over: figures of the rank that has or took most. */
  double peak_memory, card_memory; /* bytes; card_memory is 0 without a card */
  /* Figures of several ranks. */
  struct mx_model model;
  const char *transport; /* transport of the halo between cards (mx_halo_use); NULL: none */
  double halo_bytes;     /* bytes that a rank sends in a step */
  double halo_least;     /* seconds of the rank that took least; seconds.halo is of the one that took most */
};

/* Writes folder/summary.json, first under another name, so that readers always find a whole one. */
int mx_summary_write(const struct mx_summary *summary, const struct mx_folder *folder,
                     struct dg_error *err) DG_MUST_USE;

/* Prepares for an emergency (libdg/base/emergency.h): from now on it writes "failed", and why, into a summary that says
 * "running". Any rank may call it; without a summary that it can find, nothing happens. */
int mx_summary_watch(const struct mx_folder *folder, struct dg_error *err) DG_MUST_USE;
void mx_summary_forget(void);

/* Returns unknowns times all steps over loop seconds; 0 before the first. */
double mx_summary_dof_per_second(const struct mx_summary *summary);
