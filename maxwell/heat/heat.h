/* The computation of heat: after a run of the fields, from their losses, or alone. */
#pragma once

#include "maxwell/heat/heat_body.h"
#include "maxwell/phasor/phasors.h"
#include "maxwell/shell/folder.h"
#include "maxwell/shell/plan.h"

/* Does the script want heat, and heat alone? */
static inline bool mx_heat_alone(const struct mx_config *config)
{
  return config->heat != NULL && config->time.stop == 0 && config->time.steps == 0;
}

/* Makes all that the computation needs and forgets it: what is wrong in the script is found before a long run of the
 * fields. Says how large it is. phasors: those of the run, made but not yet filled; NULL: there are none. */
int mx_heat_check(const struct mx_heat_place *place, const struct mx_phasors *phasors,
                  struct dg_error *err) DG_MUST_USE;
/* Computes, and writes the files of heat_record.h into a folder that is the run's. phasors: settled, or NULL. Errors:
 * those of heat_body.h, heat_problem.h and heat_step.h; DG_ENVIRONMENT. */
int mx_heat_run(const struct mx_heat_place *place, const struct mx_phasors *phasors, struct mx_folder *folder,
                struct dg_error *err) DG_MUST_USE;
/* Adds the names of the files. */
int mx_heat_plan(struct mx_plan *plan, const struct mx_config *config, struct dg_error *err) DG_MUST_USE;
