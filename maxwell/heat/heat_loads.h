/* What brings heat at a time: sources, walls and blood. */
#pragma once

#include "maxwell/heat/heat_problem.h"

/* Finds problem->turns, at which steps end that are chosen by their error. Collective. DG_INPUT: a function cannot be
 * followed (maxwell/shell/turns/turns.h). */
int mx_heat_find_turns(struct mx_heat_problem *problem, struct dg_error *err) DG_MUST_USE;

/* Where the heat comes from, W; into the body is positive. */
struct mx_heat_powers {
  double sources, blood;
  double *wall; /* [walls] as config.heat->wall */
};

/* A time of a step; with dt = 0, a moment. */
struct mx_heat_span {
  double t, dt; /* s */
};

/* Adds factor F to load[count]. F is the mean of the load over the span, so that what is put in is its integral; theta
 * other than 1/2 leans to its end. The last few spans are remembered, and loads that no function gives are computed
 * once: behind the first call `fixed` changes by mx_heat_set_losses alone. Collective, as all of these are. */
int mx_heat_add_load(struct mx_heat_problem *problem, struct mx_heat_span span, double factor, double *load,
                     struct dg_error *err) DG_MUST_USE;
/* Sets the load of losses to from[count] at time t0, W, from where they go on to[count] at t1 > t0 and beyond on a
 * line; `to` NULL: they stay. Other loads stay what they are. Not collective. */
int mx_heat_set_losses(struct mx_heat_problem *problem, const double *from, const double *to, double t0, double t1,
                       struct dg_error *err) DG_MUST_USE;
/* Puts the temperatures of held walls at time t into T[count]. */
int mx_heat_hold(struct mx_heat_problem *problem, double t, double *T, struct dg_error *err) DG_MUST_USE;
/* T at t = 0: heat.temperature, with the walls that hold theirs. Chooses problem->offset, before anything else asks for
 * a temperature. */
int mx_heat_start(struct mx_heat_problem *problem, double *T, struct dg_error *err) DG_MUST_USE;
/* Adds factor times the powers in a span, as far as they are this rank's part: those that the load F gives, and those
 * that depend on the temperature T besides. Walls that hold their temperature are residuals (heat_step.c). */
int mx_heat_add_given(struct mx_heat_problem *problem, struct mx_heat_span span, double factor,
                      struct mx_heat_powers *powers, struct dg_error *err) DG_MUST_USE;
void mx_heat_add_exchanged(const struct mx_heat_problem *problem, const double *T, double factor,
                           struct mx_heat_powers *powers);
