/* Hooks: functions of the script that look at results (`on` of the simulation table). The time loop calls on.output in
 * its rhythm, and run.c calls on.done once the output of the run is complete.
 *
 * A hook sees the tables that the run has written until then, read back from their files: energy, balance, records of
 * measures, ports, and at the end spectra, S-parameters, far fields, resonances. A restart cuts these files to the
 * checkpoint's length and compares their bytes, so that a hook sees the same whether or not the run was interrupted;
 * and the script may remember nothing else (maxwell/shell/script/script_hook.h).
 *
 * What on.output returns is a row of derived.csv, whose columns are known with the first; the last row, and what
 * on.done returns, stand in summary.json. Tables of on.done become derived_NAME.csv.
 *
 * Rank 0 calls hooks; the others get the decision. */
#pragma once

#include "maxwell/output/output.h"
#include "maxwell/output/ports/port_output.h"
#include "maxwell/shell/hooks/results.h"

struct mx_hooks {
  const struct mx_scene *scene;       /* borrowed */
  const struct mx_folder *folder;     /* borrowed */
  struct mx_output *output;           /* borrowed */
  struct mx_port_output *port_output; /* borrowed */
  long every;                         /* steps between calls of on.output; 0: none */
  char why[MX_WHY];                   /* why on.output has stopped the run; "": it has not */
  /* Rank 0's. */
  struct mx_results results;
  size_t own;                    /* number of derived.csv in the results */
  struct mx_csv table;           /* derived.csv, once it is there */
  struct mx_derived_list row;    /* the last row of derived.csv, without step and time */
  struct mx_derived_list values; /* what on.done returned */
};

/* Finds the tables. Release in any case. */
int mx_hooks_open(struct mx_hooks *hooks, const struct mx_scene *scene, const struct mx_folder *folder,
                  struct mx_output *output, struct mx_port_output *port_output, struct dg_error *err) DG_MUST_USE;
bool mx_hooks_due(const struct mx_hooks *hooks, long n);
/* Calls on.output behind step n, time t (s), whose rows are measured. *stop: the run is to end, hooks->why says why.
 * DG_INPUT: the hook failed. Collective. */
int mx_hooks_output(struct mx_hooks *hooks, long n, double t, bool *stop, struct dg_error *err) DG_MUST_USE;
/* Calls on.done, if there is one, when all files of the run are written and closed. Collective. */
int mx_hooks_done(struct mx_hooks *hooks, long n, double t, const char *stop_reason, struct dg_error *err) DG_MUST_USE;
/* Hands over the values for summary.json: what on.done returned, and the last row of derived.csv. */
void mx_hooks_give(struct mx_hooks *hooks, struct mx_derived_list *values);
/* Saves or loads the length of derived.csv. Rank 0's. */
int mx_hooks_archive(struct mx_hooks *hooks, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
/* Closes derived.csv. */
int mx_hooks_close(struct mx_hooks *hooks, struct dg_error *err) DG_MUST_USE;
void mx_hooks_release(struct mx_hooks *hooks);
