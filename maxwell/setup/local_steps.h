/* Local time steps of a run: whether small elements take shorter steps, which ones, and the step of all. */
#pragma once

#include "maxwell/levels/choose.h"
#include "maxwell/levels/levels.h"
#include "maxwell/setup/setup.h"

/* Chooses at most so many levels beside that of all, of a run whose limit with one level is setup->limit, and replaces
 * *step, which follows from it, by the one to try with them. setup->levels has none where none pays. Collective. */
int mx_setup_levels(struct mx_setup *setup, int most, double *step, struct dg_error *err) DG_MUST_USE;
/* Says what levels would gain in a run of setup->steps steps that has one level, where that is worth more than their
 * search. It is an estimate from the steps that elements could take alone. Collective. */
int mx_setup_suggest_levels(struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
/* Foretells the levels of a run before the mesh is shared out, on this rank, which has the whole mesh: the same choice
 * from the same limits of one level. That a ladder turns out unstable, and another one is taken, is not foretold.
 * plan->count is 0 where no level pays, and where media change with the temperature. layer[mesh->entities]: volumes
 * that are layers. Release the steps in any case. Not collective. */
int mx_setup_foretell_levels(const struct mx_setup *setup, const bool *layer, struct mx_level_steps *steps,
                             struct mx_level_plan *plan, struct dg_error *err) DG_MUST_USE;
/* Goes back to one level. */
void mx_setup_drop_levels(struct mx_setup *setup);
/* Fits the levels to the step of the run, setup->step: their shorter steps, and whether all is stable; `holds` says so.
 * The limit is not monotone in the step, so that the caller tries a shorter one where it does not hold. */
int mx_setup_fit_levels(struct mx_setup *setup, bool *holds, struct dg_error *err) DG_MUST_USE;
