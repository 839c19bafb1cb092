/* Which ports are closed (maxwell/sources/port_closed.h), and how they find their currents. */
#pragma once

#include "maxwell/levels/choose.h"
#include "maxwell/sources/sources.h"

struct dg_log;

/* Closes the ports that can be closed and that have an element in a core or a rim of the step (c0 dt); NULL, 0: all
 * that can be closed. On several ranks it closes none. */
int mx_close_ports(struct mx_sources *sources, struct mx_problem *problem, const struct mx_level_steps *steps,
                   double step, struct dg_error *err) DG_MUST_USE;
/* Opens them all. */
int mx_open_ports(struct mx_sources *sources, struct mx_problem *problem, struct dg_error *err) DG_MUST_USE;
/* Keeps lumped elements out of cores and rims: their states know nothing of a penalty that is taken off. Collective. */
int mx_hold_elements(const struct mx_sources *sources, const struct mx_problem *problem, struct mx_level_steps *steps,
                     struct dg_error *err) DG_MUST_USE;
/* Tells closed ports how to find their currents, once the step (c0 dt) and the fluxes of the problem are settled.
 * Before mx_sources_prepare. */
int mx_finish_closed_ports(struct mx_sources *sources, struct mx_problem *problem, double step, struct dg_log *log,
                           struct dg_error *err) DG_MUST_USE;
