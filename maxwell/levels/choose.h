/* Which elements take shorter steps, and how many. */
#pragma once

#include "maxwell/levels/levels.h"

/* The steps that elements could take alone, in the same unit for all: c0 dt, metres. An element is in the core of a
 * step where it or a neighbour could not take that step, and in the core or its rim where a neighbour's neighbour could
 * not. */
struct mx_level_steps {
  double *core; /* [K] the largest step for which the element is not in the core */
  double *part; /* [K] the largest step for which it is neither in the core nor in the rim */
  /* The largest step for which no element is in the part that must not be (mx_level_takes), and at most half of all in
   * the core. The filter would take any step, but it does not follow waves for which the step is too long: the step
   * stays one that most elements could take alone. */
  double most;
};

/* rate[K]: of maxwell/limit/local_part.h; limit: the step of one level (c0 dt), which the fastest element of all sets.
 * Collective. Release in any case. */
int mx_level_steps(struct mx_level_steps *steps, const struct mx_problem *problem, const double *rate, double limit,
                   struct dg_error *err) DG_MUST_USE;
void mx_level_steps_release(struct mx_level_steps *steps);

/* What a level would do. */
struct mx_level_plan {
  double step;             /* c0 dt, metres; 0: no level pays */
  int m;                   /* shorter steps in it */
  int64_t core, part, all; /* elements of all ranks */
  double gain; /* predicted: the time that a second of the model takes with one level, over that with this */
};

/* Chooses the step that makes a second of the model cheapest. limit: that of one level; calm: that of one level without
 * penalties. A pass over n elements takes the time of n + beside; what the filter copies is counted, too. Collective.
 */
int mx_level_choose(struct mx_level_plan *plan, const struct mx_problem *problem, const struct mx_level_steps *steps,
                    double limit, double calm, double beside, struct dg_error *err) DG_MUST_USE;

/* core[K] of a step. */
void mx_level_core(const struct mx_problem *problem, const struct mx_level_steps *steps, double step, bool *core);
