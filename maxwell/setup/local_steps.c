/* Local time steps of a run. setup_build.c calls it while it chooses the step. */
#include "maxwell/setup/local_steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/levels/choose.h"
#include "maxwell/levels/filter.h"
#include "maxwell/limit/local_part.h"
#include "maxwell/limit/stability.h"
#include "maxwell/model/heat/heat_config.h"
#include "maxwell/problem/build/problem_build.h"

static const double least_gain = 1.1;
enum { ESTIMATE = 250000 }; /* unknowns of the search for a limit that no step depends on */
/* The damping of a filter without penalties in its core, and with them, which need the room. */
static const double damping = 0.05, more_damping = 0.4;
/* That of levels in others, which need more than the one around them. */
static const double inner_damping = 0.1;
/* What faces of the core may have of the penalty with which they would just take the step: the first that is stable. */
static const double penalty[] = {0.3, 0.15, 0.05, 0};
/* The part of the limit that a run with a perfectly matched layer may take. The criterion asks for z = -1 alone, where
 * the states of a layer vanish; noise in a thin layer grows from 0.967 of the limit on (share/doc/design/layers.md). */
static const double beside_layers = 0.95;

/* What one level alone can do; NULL: nothing. */
static const char *obstacle(const struct mx_setup *setup)
{
  const struct mx_config *config = setup->config;
  if (config->time.integrator != MX_OF_LEVELS) return "Runge-Kutta has one step for all";
  if (config->time.step > 0) return "time.step is given";
  if (setup->problem.paired) return "Bloch phases";
  if (config->output.balance.every > 0) return "output.balance";
  if (config->heat != NULL && config->heat->coupled) return "media change with the temperature";
  return NULL;
}

/* The limit of one level without penalties (c0 dt). */
static int calm_limit(struct mx_setup *setup, double *limit, struct dg_error *err)
{
  struct mx_problem calm = setup->problem;
  struct mx_stability stability;
  calm.flux = NULL;
  if (DG_NEW(calm.flux, calm.K, err) != 0) return err->code;
  memcpy(calm.flux, setup->problem.flux, calm.K * sizeof *calm.flux);
  for (size_t e = 0; e < calm.K; e++)
    for (int f = 0; f < 4; f++)
      if (calm.neighbour[e][f] >= 0) calm.flux[e][f].e_penalty = calm.flux[e][f].h_penalty = 0;
  if (mx_stability_limit(&stability, &calm, MX_OF_LEVELS, ESTIMATE, err) == 0)
    *limit = stability.limit * (1 - stability.error);
  dg_free(calm.flux);
  return err->code;
}

/* The elements whose pass takes a card as long as a launch: about 2.4 us on an H200 where steps are recorded. */
static double beside(const struct mx_setup *setup)
{
  return setup->ops->card->present ? 6e5 / (6.0 * setup->ref.Np) : 0;
}

/* Keeps lumped elements out of cores and rims: their circuits take the whole penalty of their walls, of which faces
 * there keep a part. */
static int hold_elements(const struct mx_setup *setup, struct mx_level_steps *steps, struct dg_error *err)
{
  const struct mx_ports *ports = &setup->sources.ports;
  for (size_t i = 0; i < ports->elements; i++) {
    const int32_t *where;
    const size_t count = mx_ports_element_faces(ports, &setup->problem, i, &where);
    for (size_t k = 0; k < count; k++) steps->most = fmin(steps->most, steps->part[where[k] / 4]);
  }
  return dg_comm_reduce(setup->comm, DG_MIN, 1, &steps->most, err);
}

/* Makes the levels of a plan, and finds the limit of the innermost one alone. */
static int make_levels(struct mx_setup *setup, const struct mx_level_plan *plan, const struct mx_level_steps *steps,
                       const double eta[2], struct dg_error *err)
{
  struct mx_problem *problem = &setup->problem;
  struct mx_levels *levels = &setup->levels;
  struct mx_stability own;
  bool *core = NULL;
  int32_t *element = NULL;
  size_t K = problem->K;
  if (DG_NEW(core, K, err) != 0 || DG_NEW(element, K, err) != 0) goto fail;
  for (size_t e = 0; e < K; e++) element[e] = (int32_t)e;
  for (int i = 0; i < plan->count; i++) {
    for (size_t k = 0; k < K; k++) core[k] = steps->core[element[k]] < plan->rung[i].bound;
    if (mx_levels_add(levels, problem, core, plan->rung[i].m, eta[i > 0], err) != 0) goto fail;
    K = levels->level[i].problem.K;
    int32_t *inner = NULL;
    if (DG_NEW(inner, K, err) != 0) goto fail;
    for (size_t k = 0; k < K; k++) inner[k] = element[levels->level[i].element[k]];
    dg_free(element);
    element = inner;
  }
  if (DG_NEW(levels->alone, problem->K, err) != 0) goto fail;
  memcpy(levels->alone, steps->core, problem->K * sizeof *steps->core);
  struct mx_level *last = &levels->level[levels->count - 1];
  if (mx_stability_limit(&own, &last->problem, MX_OF_LEVELS, 0, err) == 0) last->alone = own.limit * (1 - own.error);
fail:
  dg_free(core);
  dg_free(element);
  return err->code;
}

static void report_plan(const struct mx_setup *setup, const struct mx_level_plan *plan)
{
  for (int i = 0; i < plan->count; i++)
    dg_log_line(setup->log, "levels    %d: H of %lld of %lld elements takes shorter steps", i + 2,
                (long long)plan->rung[i].part, (long long)plan->all);
  dg_log_line(setup->log, "levels    predicted to be %.2f times as fast as one level", plan->gain);
}

/* Keeps layers and the gaps of lumped ports and elements out of cores and rims, of a whole mesh whose problem knows
 * neither. */
static void hold_unknown(const struct mx_setup *whole, const bool *layer, struct mx_level_steps *steps)
{
  const struct mx_config *config = whole->config;
  for (size_t e = 0; e < whole->mesh.K; e++) {
    bool held = layer[whole->mesh.volume[e]];
    for (int f = 0; f < 4; f++) {
      const int chosen = whole->assignment.boundary[e][f];
      held = held || (chosen >= 0 && mx_walls[config->boundary[chosen].kind].behind == MX_BEHIND_GAP);
    }
    if (held) steps->most = fmin(steps->most, steps->part[e]);
  }
}

/* The best ladder of at most so many levels, from the steps that elements could take alone. calm: the limit of one
 * level without penalties (c0 dt); rate[K]: room. Release the steps in any case. */
static int plan_levels(const struct mx_setup *setup, int most, double calm, double *rate, struct mx_level_steps *steps,
                       struct mx_level_costs *costs, struct mx_level_plan *plan, struct dg_error *err)
{
  const struct mx_problem *problem = &setup->problem;
  const double limit = setup->limit * MX_C0;
  *costs = (struct mx_level_costs){.limit = limit,
                                   .calm = fmax(calm, limit),
                                   .beside = beside(setup),
                                   .eta = {setup->config->alpha > 0 ? more_damping : damping, inner_damping},
                                   .most = most < MX_LEVELS_MAX ? most : MX_LEVELS_MAX};
  mx_local_rates(problem, false, rate);
  if (mx_level_steps(steps, problem, rate, limit, err) == 0 && hold_elements(setup, steps, err) == 0)
    (void)!mx_level_choose(plan, problem, steps, costs, err);
  return err->code;
}

int mx_setup_levels(struct mx_setup *setup, int most, double *step, struct dg_error *err)
{
  struct mx_level_steps steps = {0};
  struct mx_level_costs costs;
  struct mx_level_plan plan = {0};
  double calm = setup->limit * MX_C0, *rate = NULL;
  const char *why = obstacle(setup);
  if (most < 1) return 0;
  if (why != NULL) {
    dg_log_line(setup->log, "levels    one: %s", why);
    return 0;
  }
  if (calm_limit(setup, &calm, err) != 0 || DG_NEW(rate, setup->problem.K, err) != 0 ||
      plan_levels(setup, most, calm, rate, &steps, &costs, &plan, err) != 0)
    goto fail;
  if (plan.gain < least_gain) {
    dg_log_line(setup->log, "levels    one: more would make the run %.2f times as fast", plan.gain);
    goto fail;
  }
  if (make_levels(setup, &plan, &steps, costs.eta, err) != 0) goto fail;
  *step = setup->config->time.cfl * plan.step / MX_C0;
  report_plan(setup, &plan);
fail:
  mx_level_steps_release(&steps);
  dg_free(rate);
  return err->code;
}

int mx_setup_suggest_levels(struct mx_setup *setup, struct dg_error *err)
{
  static const double worth_a_line = 1.3, searches = 10;
  /* A rough ratio of the limits without penalties and with them; a search would say it exactly. */
  const double calm = setup->limit * MX_C0 * (1 + 0.8 * setup->config->alpha);
  const double search = searches * setup->limit_applications * (double)(setup->limit_elements + setup->limit_clustered);
  struct mx_level_steps steps = {0};
  struct mx_level_costs costs;
  struct mx_level_plan plan = {0};
  double *rate;
  if (obstacle(setup) != NULL) return 0;
  if (DG_NEW(rate, setup->problem.K, err) != 0) return err->code;
  if (plan_levels(setup, MX_LEVELS_MAX, calm, rate, &steps, &costs, &plan, err) == 0 && plan.gain > worth_a_line &&
      (double)setup->steps * (double)plan.all * (1 - 1 / plan.gain) > search)
    dg_log_line(setup->log, "levels    local time steps (time.levels = \"auto\") would take about %.2g times less work",
                plan.gain);
  mx_level_steps_release(&steps);
  dg_free(rate);
  return err->code;
}

int mx_setup_foretell_levels(const struct mx_setup *setup, const bool *layer, struct mx_level_steps *steps,
                             struct mx_level_plan *plan, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  const int most = config->time.levels == 0 ? MX_LEVELS_MAX : config->time.levels - 1;
  struct mx_setup whole = {.config = config, .ops = setup->ops, .mesh = setup->mesh};
  struct mx_stability stability;
  struct dg_geometry geometry = {0};
  struct mx_level_costs costs;
  double *rate = NULL, calm = 0;
  *plan = (struct mx_level_plan){0};
  if (most < 1 || config->bloch.given || obstacle(setup) != NULL || mx_first_warm(config) != NULL) return 0;
  if (DG_NEW(rate, whole.mesh.K, err) != 0 || dg_reference_init(&whole.ref, config->order, err) != 0 ||
      dg_geometry_init(&geometry, &whole.mesh, err) != 0 ||
      mx_problem_init(&whole.problem, &whole.assignment, config, &whole.mesh, &geometry, &whole.ref, NULL, err) != 0 ||
      mx_stability_limit(&stability, &whole.problem, MX_OF_LEVELS, 0, err) != 0 || calm_limit(&whole, &calm, err) != 0)
    goto fail;
  whole.limit = stability.limit / MX_C0;
  if (plan_levels(&whole, most, calm, rate, steps, &costs, plan, err) != 0) goto fail;
  hold_unknown(&whole, layer, steps);
  if (mx_level_choose(plan, &whole.problem, steps, &costs, err) == 0 && plan->gain < least_gain) plan->count = 0;
fail:
  dg_free(rate);
  dg_geometry_release(&geometry);
  mx_problem_release(&whole.problem);
  mx_assignment_release(&whole.assignment);
  dg_reference_release(&whole.ref);
  return err->code;
}

void mx_setup_drop_levels(struct mx_setup *setup)
{
  if (setup->levels.count > 0)
    dg_log_line(setup->log, "levels    no step with %d levels is stable", setup->levels.count + 1);
  mx_levels_undo(&setup->levels, &setup->problem);
}

/* Leaves of the penalties in the core so much of what the step allows. */
static int leave(struct mx_setup *setup, double most, struct dg_error *err)
{
  const double step = setup->step * MX_C0;
  double *share;
  if (DG_NEW(share, setup->problem.K, err) != 0) return err->code;
  for (size_t e = 0; e < setup->problem.K; e++) share[e] = fmin(1, most * setup->levels.alone[e] / step);
  (void)!mx_levels_leave(&setup->levels, &setup->problem, share, err);
  dg_free(share);
  return err->code;
}

/* Is the step stable if faces of the core keep so much? */
static int holds_with(struct mx_setup *setup, double most, bool *holds, struct dg_error *err)
{
  const double step = setup->step * MX_C0;
  struct mx_stability stability;
  if (leave(setup, most, err) != 0 || mx_levels_limit(&stability, &setup->problem, &setup->levels, step, 0, err) != 0)
    return err->code;
  const double certain = fmin(1 - stability.error, setup->layers.count > 0 ? beside_layers : 1),
               limit = mx_ports_limit(&setup->sources.ports, stability.limit, NULL);
  *holds = step < certain * limit;
  if (*holds) setup->limit = limit / MX_C0;
  return 0;
}

/* Finds the first share of the penalties with which the step is stable. Without any it is stable the soonest, so that a
 * step is given up at once that is not. */
static int find_penalty(struct mx_setup *setup, double *kept, bool *holds, struct dg_error *err)
{
  enum { SHARES = sizeof penalty / sizeof *penalty };
  *kept = setup->config->alpha > 0 ? penalty[0] : 0;
  if (holds_with(setup, *kept, holds, err) != 0 || *holds || *kept == 0) return err->code;
  *kept = 0;
  if (holds_with(setup, 0, holds, err) != 0 || !*holds) return err->code;
  for (int i = 1; i < SHARES; i++) {
    *kept = penalty[i];
    if (holds_with(setup, *kept, holds, err) != 0 || *holds) return err->code;
  }
  return 0;
}

/* Are the filters of the inner levels positive at the step? Each by the limit of the part around it, with what filters
 * in it: the criterion of the whole, once more. Fits the shorter steps of the innermost one. */
static int fit_inner(struct mx_setup *setup, bool *holds, struct dg_error *err)
{
  static const double room = 0.98;
  struct mx_levels *levels = &setup->levels;
  struct mx_level *last = &levels->level[levels->count - 1];
  double step[MX_LEVELS_MAX] = {setup->step * MX_C0};
  for (int i = 1; i < levels->count; i++)
    step[i] = step[i - 1] / mx_filter_ratio(levels->level[i - 1].m, levels->level[i - 1].eta);
  last->m = mx_filter_steps(step[levels->count - 1] / last->alone, last->eta);
  *holds = last->m <= MX_SUBSTEPS_MAX;
  for (int i = levels->count - 2; i >= 0 && *holds; i--) {
    struct mx_stability own;
    struct mx_levels inside = {.count = levels->count - 1 - i};
    memcpy(inside.level, levels->level + i + 1, (size_t)inside.count * sizeof *inside.level);
    if (mx_levels_limit(&own, &levels->level[i].problem, &inside, step[i + 1], 0, err) != 0) return err->code;
    *holds = step[i + 1] < sqrt(room) * (1 - own.error) * own.limit;
  }
  return 0;
}

static void report_fit(const struct mx_setup *setup, double kept)
{
  const struct mx_levels *levels = &setup->levels;
  char steps[8 * MX_LEVELS_MAX] = "";
  for (int i = 0; i < levels->count; i++) {
    const size_t used = strlen(steps);
    (void)snprintf(steps + used, sizeof steps - used, "%s%d", i > 0 ? " x " : "", levels->level[i].m);
  }
  if (setup->config->alpha > 0)
    dg_log_line(setup->log,
                "levels    %s steps of H in one; faces between small elements keep up to %g of the penalty that the "
                "step allows",
                steps, kept);
  else dg_log_line(setup->log, "levels    %s steps of H in one", steps);
}

int mx_setup_fit_levels(struct mx_setup *setup, bool *holds, struct dg_error *err)
{
  double kept;
  *holds = setup->levels.count == 0;
  if (*holds) return 0;
  if (fit_inner(setup, holds, err) != 0 || !*holds) return err->code;
  if (find_penalty(setup, &kept, holds, err) != 0 || !*holds) return err->code;
  report_fit(setup, kept);
  return 0;
}
