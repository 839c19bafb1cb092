/* Everything between the checked configuration and the first time step. `curlew run` and `curlew check` share it. */
#pragma once

#include "maxwell/setup/setup_mesh.h"

/* Takes the mesh from an earlier run, reads or makes it, builds the tables and finds the step; for heat alone it has
 * the mesh and no more. Errors: those of its parts, DG_INPUT for a given step beyond the limit (the message names the
 * limit), DG_ENVIRONMENT for a backend that cannot run here. keeping may be NULL: nothing is kept. Collective over
 * comm. */
int mx_setup_init(struct mx_setup *setup, const struct mx_config *config, const struct mx_origin *origin,
                  struct dg_log *log, struct dg_comm *comm, const struct mx_keeping *keeping,
                  struct dg_error *err) DG_MUST_USE;
/* Makes all but the mesh again, for other values in setup->temperature: tables, sources, measures and the step, as
 * mx_setup_init does. Errors are those of mx_setup_init; the set-up must be released in
 * any case. Collective. */
int mx_setup_renew(struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
/* Sets setup->ops by config, log and comm, and takes the rank's card. DG_ENVIRONMENT, DG_INPUT: there is no such
 * backend here. Collective. mx_setup_init does it too. */
int mx_setup_choose_backend(struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
/* Chooses the step and the number of steps from the user's keys and the limit, with levels where time.levels says so.
 * Of the set-up it takes config, ops, problem, and the ports of its sources. mx_setup_init does it too. Errors:
 * DG_INPUT for a given step beyond the limit. Collective. */
int mx_setup_choose_step(struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
