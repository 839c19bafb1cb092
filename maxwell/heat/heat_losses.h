/* Losses of the fields as a source of heat: the density that phasors have at a frequency
 * (maxwell/phasor/phasor_loss.h), tested with the functions of the temperature. What an element gets in all is exactly
 * what its losses are. */
#pragma once

#include "maxwell/heat/heat_problem.h"
#include "maxwell/phasor/phasors.h"

/* DG_INPUT: losses lie outside of the body in which heat flows. */
int mx_heat_check_losses(const struct mx_heat_config *heat, const struct mx_heat_body *body,
                         const struct mx_phasors *phasors, struct dg_error *err) DG_MUST_USE;
/* Adds the loads of all losses to load[count], and says what they are; power[sources] gets the losses of each source,
 * W, and 0 where it has none. Behind mx_phasors_settle. Collective. DG_INPUT: a power is wanted of losses that are
 * zero. */
int mx_heat_add_losses(struct mx_heat_problem *problem, const struct mx_phasors *phasors, double *load, double *power,
                       struct dg_log *log, struct dg_error *err) DG_MUST_USE;
