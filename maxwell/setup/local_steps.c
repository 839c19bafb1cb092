/* Local time steps of a run. setup_build.c calls it while it chooses the step. */
#include "maxwell/setup/local_steps.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "maxwell/levels/choose.h"
#include "maxwell/limit/local_part.h"
#include "maxwell/limit/stability.h"

enum { UNKNOWNS = 3000000 }; /* of the whole, whose filtered operator is examined */
static const double damping = 0.05, least_gain = 1.1;

/* What one level alone can do; NULL: nothing. */
static const char *obstacle(const struct mx_setup *setup)
{
  const struct mx_config *config = setup->config;
  if (!mx_staggered(config->time.integrator)) return "Runge-Kutta has one step for all";
  if (config->time.step > 0) return "time.step is given";
  if (setup->ops->fine == NULL) return "the backend cannot";
  if (dg_comm_size(setup->comm) > 1) return "several ranks";
  if (setup->problem.halo != NULL) return "Bloch phases";
  if (config->output.balance.every > 0) return "output.balance";
  if (setup->unknowns > UNKNOWNS) return "the mesh is too large for the search for their limit";
  return NULL;
}

int mx_setup_levels(struct mx_setup *setup, double *step, struct dg_error *err)
{
  struct mx_problem *problem = &setup->problem;
  struct mx_level_steps steps = {0};
  struct mx_level_plan plan = {0};
  const double limit = setup->limit * MX_C0;
  const char *why = obstacle(setup);
  double *rate = NULL;
  bool *core = NULL;
  if (setup->config->time.levels == 1) return 0;
  if (why != NULL) {
    dg_log_line(setup->log, "levels    one: %s", why);
    return 0;
  }
  if (DG_NEW(rate, problem->K, err) != 0 || DG_NEW(core, problem->K, err) != 0) goto fail;
  mx_local_rates(problem, false, rate);
  if (mx_level_steps(&steps, problem, rate, limit, err) != 0 ||
      mx_level_choose(&plan, problem, &steps, limit, 0, err) != 0)
    goto fail;
  if (plan.gain < least_gain) {
    dg_log_line(setup->log, "levels    one: two would make the run %.2f times as fast", plan.gain);
    goto fail;
  }
  mx_level_core(problem, &steps, plan.step, core);
  if (mx_levels_add(&setup->levels, problem, core, plan.m, damping, err) != 0) goto fail;
  struct mx_level *level = &setup->levels.level[0];
  struct mx_stability own;
  if (mx_stability_limit(&own, &level->problem, MX_LEAPFROG, 0, err) != 0) goto fail;
  level->alone = own.limit * (1 - own.error);
  *step = setup->config->time.cfl * plan.step / MX_C0;
  dg_log_line(setup->log,
              "levels    two: H of %lld of %lld elements takes %d shorter steps in one; predicted to be %.2f times as "
              "fast as one level",
              (long long)plan.part, (long long)plan.all, plan.m, plan.gain);
fail:
  mx_level_steps_release(&steps);
  dg_free(rate);
  dg_free(core);
  return err->code;
}

void mx_setup_drop_levels(struct mx_setup *setup)
{
  if (setup->levels.count > 0) dg_log_line(setup->log, "levels    one: no step with two levels is stable");
  mx_levels_undo(&setup->levels, &setup->problem);
}

int mx_setup_fit_levels(struct mx_setup *setup, bool *holds, struct dg_error *err)
{
  const double step = setup->step * MX_C0;
  struct mx_stability stability;
  *holds = true;
  if (setup->levels.count == 0) return 0;
  struct mx_level *level = &setup->levels.level[0];
  level->m = (int)ceil(step / (0.98 * level->alone));
  if (level->m > MX_SUBSTEPS_MAX) *holds = false;
  else if (mx_levels_limit(&stability, &setup->problem, &setup->levels, step, err) != 0) return err->code;
  else *holds = step < (1 - stability.error) * stability.limit;
  if (*holds) setup->limit = stability.limit / MX_C0;
  return 0;
}
