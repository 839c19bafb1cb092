/* The computation of heat: after a run of the fields, from their losses, or alone. */
#pragma once

#include "maxwell/heat/heat_checkpoint.h"
#include "maxwell/phasor/phasors.h"
#include "maxwell/session/control.h"
#include "maxwell/shell/folder.h"
#include "maxwell/shell/plan.h"

/* Makes all that the computation needs and forgets it: what is wrong in the script is found before a long run of the
 * fields. Says how large it is, and with `rehearses` how long it takes, by one step. phasors: those of the run, made
 * but not yet filled; NULL: there are none. */
int mx_heat_check(const struct mx_heat_place *place, const struct mx_phasors *phasors, bool rehearses,
                  struct dg_error *err) DG_MUST_USE;
/* The fields, which run again where materials change with the temperature. */
struct mx_heat_fields {
  double *temperature; /* [K of the whole] at which the materials are; heat writes the next one there */
  /* Runs the fields again at that temperature, with phasors in the place of those before. Collective. */
  int (*run)(void *self, struct dg_error *err);
  const struct mx_phasors *phasors;
  void *self;
};
/* How a computation goes on and ends; all borrowed. */
struct mx_heat_how {
  const char *identity;                /* rank 0's, for checkpoints */
  struct mx_control *control;          /* NULL: nobody ends it, and there are no checkpoints */
  const struct mx_checkpoint *from;    /* what it goes on from, if found; NULL: it begins */
  const struct mx_heat_fields *fields; /* with heat.coupled; else NULL */
};
/* What summary.json says of it. */
struct mx_heat_report {
  long steps, checkpoints, restarts;
  long rounds; /* of the fields; 0: they do not run again */
  double checkpoint_seconds;
};

/* Computes, and writes the files of heat_record.h into a folder that is the run's. phasors: settled, or NULL.
 * Collective. Errors: those of heat_body.h, heat_problem.h and heat_step.h; DG_INTERRUPTED; DG_ENVIRONMENT. */
int mx_heat_run(const struct mx_heat_place *place, const struct mx_phasors *phasors, struct mx_folder *folder,
                const struct mx_heat_how *how, struct mx_heat_report *report, struct dg_error *err) DG_MUST_USE;
/* Adds the names of the files. */
int mx_heat_plan(struct mx_plan *plan, const struct mx_config *config, struct dg_error *err) DG_MUST_USE;
