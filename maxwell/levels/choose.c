/* The cheapest step and its level, from the steps that elements could take alone. */
#include "maxwell/levels/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"

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
  double *own = NULL, *beyond = NULL;
  if (DG_NEW(own, problem->ghosts, err) != 0 || DG_NEW(beyond, problem->ghosts, err) != 0) goto fail;
  for (size_t i = 0; i < problem->ghosts; i++) own[i] = from[problem->halo->send[i] / 4];
  if (problem->halo != NULL && dg_halo_swap(problem->halo, problem->comm, sizeof *own, own, beyond, err) != 0)
    goto fail;
  for (size_t e = 0; e < problem->K; e++) {
    to[e] = from[e];
    for (int f = 0; f < 4; f++) {
      const int32_t code = problem->neighbour[e][f];
      const size_t other = (size_t)(code / 4);
      if (code >= 0) to[e] = fmin(to[e], other < problem->K ? from[other] : beyond[other - problem->K]);
    }
  }
fail:
  dg_free(own);
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

static int64_t below(const struct mx_problem *problem, const double *step, double bound)
{
  int64_t count = 0;
  for (size_t e = 0; e < problem->K; e++) count += step[e] < bound;
  return count;
}

int mx_level_choose(struct mx_level_plan *plan, const struct mx_problem *problem, const struct mx_level_steps *steps,
                    double limit, double calm, double beside, struct dg_error *err)
{
  static const double finer = 1.06, copies = 0.5; /* of a pass over the part */
  enum { TRIALS = 72 };
  int64_t count[2 * TRIALS + 1];
  *plan = (struct mx_level_plan){.gain = 1};
  for (int i = 0; i < TRIALS; i++) {
    count[2 * i] = below(problem, steps->core, limit * pow(finer, i));
    count[2 * i + 1] = below(problem, steps->part, limit * pow(finer, i));
  }
  count[2 * TRIALS] = (int64_t)problem->K;
  if (dg_comm_reduce_int(problem->comm, DG_SUM, 2 * TRIALS + 1, count, err) != 0) return err->code;
  const double all = (double)count[2 * TRIALS], one = 2 * (all + beside) / limit;
  for (int i = 1; i < TRIALS; i++) {
    const double step = limit * pow(finer, i), core = (double)count[2 * i], part = (double)count[2 * i + 1];
    const int m = (int)ceil(step / (room * calm));
    if (step > steps->most || m > MX_SUBSTEPS_MAX) break;
    const double filter = m > 1 ? (m - 1) * (core + part + 3 * beside) + copies * part + 4 * beside : 0;
    const double cost = (2 * (all + beside) + filter) / step;
    if (one / cost <= plan->gain) continue;
    *plan = (struct mx_level_plan){step, m, count[2 * i], count[2 * i + 1], count[2 * TRIALS], one / cost};
  }
  return 0;
}

void mx_level_core(const struct mx_problem *problem, const struct mx_level_steps *steps, double step, bool *core)
{
  for (size_t e = 0; e < problem->K; e++) core[e] = steps->core[e] < step;
}
