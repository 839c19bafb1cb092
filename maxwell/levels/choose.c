/* The cheapest step and its level, from the steps that elements could take alone. */
#include "maxwell/levels/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/levels/filter.h"
#include "maxwell/levels/work.h"
#include "maxwell/problem/beyond.h"

/* A shorter step may be this fraction of what the elements of the core allow. */
static const double room = 0.98;

void mx_level_steps_release(struct mx_level_steps *steps)
{
  dg_free(steps->core);
  dg_free(steps->part);
}

/* to[e] = the least of from[] over e and its neighbours. */
static int least_around(const struct mx_problem *problem, const double *from, double *to, struct dg_error *err)
{
  double *beyond;
  if (DG_NEW(beyond, problem->ghosts, err) != 0) return err->code;
  if (mx_values_beyond(problem, sizeof *from, from, beyond, err) != 0) goto fail;
  for (size_t e = 0; e < problem->K; e++) {
    to[e] = from[e];
    for (int f = 0; f < 4; f++) {
      const int32_t code = problem->neighbour[e][f];
      const size_t other = (size_t)(code / 4);
      if (code >= 0) to[e] = fmin(to[e], other < problem->K ? from[other] : beyond[other - problem->K]);
    }
  }
fail:
  dg_free(beyond);
  return err->code;
}

/* Keeps half of the elements out of the core. */
static int keep_half(struct mx_level_steps *steps, const struct mx_problem *problem, double limit, struct dg_error *err)
{
  enum { ROUNDS = 30 };
  double low = limit, high = 2 * limit;
  for (size_t e = 0; e < problem->K; e++) high = fmax(high, 2 * steps->core[e]);
  if (dg_comm_reduce(problem->comm, DG_MAX, 1, &high, err) != 0) return err->code;
  for (int round = 0; round < ROUNDS; round++) {
    const double middle = sqrt(low * high);
    int64_t count[2] = {0, (int64_t)problem->K};
    for (size_t e = 0; e < problem->K; e++) count[0] += steps->core[e] < middle;
    if (dg_comm_reduce_int(problem->comm, DG_SUM, 2, count, err) != 0) return err->code;
    *(2 * count[0] > count[1] ? &high : &low) = middle;
  }
  steps->most = fmin(steps->most, low);
  return 0;
}

int mx_level_steps(struct mx_level_steps *steps, const struct mx_problem *problem, const double *rate, double limit,
                   struct dg_error *err)
{
  double fastest = 0, *alone = NULL;
  *steps = (struct mx_level_steps){.most = INFINITY};
  for (size_t e = 0; e < problem->K; e++) fastest = fmax(fastest, rate[e]);
  if (dg_comm_reduce(problem->comm, DG_MAX, 1, &fastest, err) != 0 || DG_NEW(alone, problem->K, err) != 0 ||
      DG_NEW(steps->core, problem->K, err) != 0 || DG_NEW(steps->part, problem->K, err) != 0)
    goto fail;
  for (size_t e = 0; e < problem->K; e++) alone[e] = limit * fastest / rate[e];
  if (least_around(problem, alone, steps->core, err) != 0 || least_around(problem, steps->core, steps->part, err) != 0)
    goto fail;
  for (size_t e = 0; e < problem->K; e++)
    if (!mx_level_takes(problem, e)) steps->most = fmin(steps->most, steps->part[e]);
  if (dg_comm_reduce(problem->comm, DG_MIN, 1, &steps->most, err) == 0) (void)!keep_half(steps, problem, limit, err);
fail:
  dg_free(alone);
  return err->code;
}

/* The lattice is finer than the search for the limit is exact in m, and spans ratios to 500. */
static const double finer = 1.02;

int mx_level_lattice_index(const struct mx_level_lattice *lattice, double step)
{
  const double i = ceil(log(step / lattice->step[0]) / log(finer) - 1e-9);
  return i > 0 ? (int)fmin(i, MX_LATTICE) : 0;
}

/* count[i] = elements with value < step[i]. */
static void count_below(const struct mx_level_lattice *lattice, size_t K, const double *value, int64_t *count)
{
  int64_t seen = 0;
  memset(count, 0, MX_LATTICE * sizeof *count);
  for (size_t e = 0; e < K; e++) {
    int i = mx_level_lattice_index(lattice, value[e]);
    while (i < MX_LATTICE && value[e] >= lattice->step[i]) i++;
    while (i > 0 && value[e] < lattice->step[i - 1]) i--;
    if (i < MX_LATTICE) count[i]++;
  }
  for (int i = 0; i < MX_LATTICE; i++) count[i] = seen += count[i];
}

double mx_level_filter_cost(const struct mx_level_lattice *lattice, int i, int m, double inner, double beside)
{
  if (m == 1 && inner == 0) return 0; /* not filtered at all */
  return mx_filter_cost(m, (double)lattice->core[i], (double)lattice->part[i], beside) + m * inner;
}

/* The cheapest way to pass once over a level at each lattice step: cost, shorter steps, and the lattice step in it. */
struct path {
  double cost[MX_LATTICE];
  int m[MX_LATTICE], to[MX_LATTICE];
};

/* Extends paths with one level less. scale: what the step of a level is longer than on the lattice. */
static void extend(struct path *path, const struct path *inner, const struct mx_level_lattice *lattice, double eta,
                   double scale, double beside)
{
  double ratio[MX_SUBSTEPS_MAX + 1];
  for (int m = 1; m <= MX_SUBSTEPS_MAX; m++) ratio[m] = mx_filter_ratio(m, eta) * scale;
  for (int i = 0; i < MX_LATTICE; i++) {
    path->cost[i] = INFINITY;
    if (i > 0 && lattice->core[i] == 0) continue; /* too near to the limit, but nobody is below: not a level */
    for (int m = 1; m <= MX_SUBSTEPS_MAX; m++) {
      const int to = mx_level_lattice_index(lattice, lattice->step[i] / ratio[m]);
      if (to >= i && i > 0) continue;
      const double cost = mx_level_filter_cost(lattice, i, m, inner->cost[to], beside);
      if (cost < path->cost[i]) path->cost[i] = cost, path->m[i] = m, path->to[i] = to;
      if (to == 0) break;
    }
  }
}

/* Writes down a path that has been found. */
static void follow(struct mx_level_plan *plan, const struct path *outer, const struct path *inner,
                   const struct mx_level_lattice *lattice, int i, int levels)
{
  plan->count = 0;
  for (int l = 0; l < levels; l++) {
    const struct path *path = l == 0 ? outer : &inner[levels - l];
    if (l > 0 && i == 0) break;
    plan->rung[plan->count++] =
        (struct mx_level_rung){lattice->step[i], path->m[i], lattice->core[i], lattice->part[i]};
    i = path->to[i];
  }
}

void mx_level_shortest(struct mx_level_plan *plan, const struct mx_level_lattice *lattice, double most,
                       const struct mx_level_costs *costs)
{
  struct path outer, inner[MX_LEVELS_MAX]; /* inner[l]: at most l levels */
  const double pass = 2 * ((double)lattice->all + costs->beside), one = pass / costs->limit;
  *plan = (struct mx_level_plan){.gain = 1, .all = lattice->all};
  for (int i = 0; i < MX_LATTICE; i++) inner[0].cost[i] = i == 0 ? 0 : INFINITY;
  for (int levels = 1; levels <= costs->most; levels++) {
    double best = plan->gain / (levels > 1 ? 1 - MX_LEAST_OF_LEVEL : 1);
    int at = -1;
    if (levels > 1) {
      extend(&inner[levels - 1], &inner[levels - 2], lattice, costs->eta[1], 1, costs->beside);
      inner[levels - 1].cost[0] = 0;
    }
    extend(&outer, &inner[levels - 1], lattice, costs->eta[0], costs->calm / costs->limit, costs->beside);
    for (int i = 1; i < MX_LATTICE && lattice->step[i] <= most; i++) {
      const double gain = one / ((pass + outer.cost[i]) / lattice->step[i]);
      if (gain > best) best = gain, at = i;
    }
    if (at < 0) continue;
    plan->gain = best, plan->step = lattice->step[at];
    follow(plan, &outer, inner, lattice, at, levels);
  }
}

int mx_level_choose(struct mx_level_plan *plan, const struct mx_problem *problem, const struct mx_level_steps *steps,
                    const struct mx_level_costs *costs, struct dg_error *err)
{
  struct mx_level_lattice *lattice;
  *plan = (struct mx_level_plan){.gain = 1};
  if (DG_NEW(lattice, 1, err) != 0) return err->code;
  for (int i = 0; i < MX_LATTICE; i++) lattice->step[i] = room * costs->limit * pow(finer, i);
  count_below(lattice, problem->K, steps->core, lattice->core);
  count_below(lattice, problem->K, steps->part, lattice->part);
  lattice->all = (int64_t)problem->K;
  if (dg_comm_reduce_int(problem->comm, DG_SUM, MX_LATTICE, lattice->core, err) == 0 &&
      dg_comm_reduce_int(problem->comm, DG_SUM, MX_LATTICE, lattice->part, err) == 0 &&
      dg_comm_reduce_int(problem->comm, DG_SUM, 1, &lattice->all, err) == 0)
    mx_level_shortest(plan, lattice, steps->most, costs);
  dg_free(lattice);
  return err->code;
}
