/* The work of a step, by levels. */
#pragma once

#include "maxwell/levels/levels.h"

struct mx_level_work {
  int64_t elements, core; /* of all ranks: in the part, and in its core */
  double passes;          /* passes over an element in a step of the whole, of either field; copies are counted, too */
};

/* work[levels->count + 1]: the whole, then each level; NULL for none. Launches are not counted. Collective. */
int mx_levels_work(const struct mx_levels *levels, const struct mx_problem *whole,
                   struct mx_level_work work[MX_LEVELS_MAX + 1], struct dg_error *err) DG_MUST_USE;
/* The work of the rank that has most of it, over the mean; 1 where there is none: uneven[0] of a step with all levels,
 * uneven[i] of the filter of level i - 1. passes: of this rank over the whole in a step, in those over a plain element.
 * Collective. */
int mx_levels_uneven(const struct mx_levels *levels, struct dg_comm *comm, double passes,
                     double uneven[MX_LEVELS_MAX + 1], struct dg_error *err) DG_MUST_USE;
/* The cost of filtering one pass of a level, in passes over an element, but for the levels in it. A launch takes as
 * long as a pass over `beside` elements; 0: launches are not counted. */
double mx_filter_cost(int m, double core, double part, double beside);
/* The passes of a step with so many levels beside that of the whole. */
double mx_work_passes(const struct mx_level_work *work, int levels);
/* How many times more passes a second of the model takes with one level and its step, than with these and theirs. */
double mx_work_gain(const struct mx_level_work *work, int levels, double single_step, double step);
