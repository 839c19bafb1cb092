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

/* The ladder of levels of a run, from the outer level to the inner one. */
struct mx_level_plan {
  double step; /* c0 dt, metres; 0: no level pays */
  int count;
  struct mx_level_rung {
    double bound;       /* elements whose mx_level_steps.core is below are in its core */
    int m;              /* shorter steps in one of the level around it */
    int64_t core, part; /* elements of all ranks */
  } rung[MX_LEVELS_MAX];
  int64_t all; /* elements of all ranks */
  double gain; /* predicted: the time that a second of the model takes with one level, over that with these */
};

/* What the choice of a ladder needs to know of a run. */
struct mx_level_costs {
  double limit;  /* c0 dt of one level, metres */
  double calm;   /* that of one level without penalties */
  double beside; /* a pass over n elements takes the time of n + beside */
  double eta[2]; /* the damping of the outermost level, and of those in it */
  int most;      /* levels, at most MX_LEVELS_MAX */
};

/* Chooses step and levels that make a second of the model cheapest, by a shortest path over levels and steps on a
 * lattice; what filters copy is counted, too. A further level must save MX_LEAST_OF_LEVEL of the time. Collective. */
#define MX_LEAST_OF_LEVEL 0.04
int mx_level_choose(struct mx_level_plan *plan, const struct mx_problem *problem, const struct mx_level_steps *steps,
                    const struct mx_level_costs *costs, struct dg_error *err) DG_MUST_USE;

/* The elements that a level of a step would have, by steps on the lattice step[i] = step[0] ratio^i. */
enum { MX_LATTICE = 320 };
struct mx_level_lattice {
  double step[MX_LATTICE]; /* step[0]: the longest that needs no level */
  int64_t core[MX_LATTICE], part[MX_LATTICE], all;
};
/* The same from given counts. most: the longest step. */
void mx_level_shortest(struct mx_level_plan *plan, const struct mx_level_lattice *lattice, double most,
                       const struct mx_level_costs *costs);
/* The cost of filtering one pass of a level at lattice step i, if what is inside of it costs `inner` a pass. */
double mx_level_filter_cost(const struct mx_level_lattice *lattice, int i, int m, double inner, double beside);
/* The least lattice step that is at least so long, or MX_LATTICE. */
int mx_level_lattice_index(const struct mx_level_lattice *lattice, double step);
