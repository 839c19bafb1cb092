/* Takes steps. The backend does the passes, the sources know their values, and the hooks are the owner's. */
#include "maxwell/step/stepper.h"

#include <limits.h>

#include "libdg/base/clock.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/profiled.h"

struct mx_stepper mx_stepper_of(const struct mx_backend_ops *ops, struct mx_backend *backend,
                                const struct mx_problem *problem, enum mx_integrator integrator)
{
  return (struct mx_stepper){
      .ops = ops, .backend = backend, .schedule = mx_schedule_of(integrator, problem), .last = LONG_MAX};
}

int mx_stepper_drive(struct mx_stepper *stepper, struct mx_sources *sources, double step, long last,
                     struct dg_error *err)
{
  stepper->sources = sources;
  stepper->step = step;
  stepper->last = last;
  return DG_NEW(stepper->port_value, sources->ports.functionals, err);
}

int mx_stepper_levels(struct mx_stepper *stepper, const struct mx_levels *levels,
                      const struct mx_backend_options *options, struct dg_error *err)
{
  const struct mx_backend_ops *ops = stepper->ops;
  struct mx_backend *whole = stepper->backend;
  if (levels == NULL) return 0;
  mx_profiled_inner(&ops, &whole);
  stepper->levels.profile = stepper->profile;
  return mx_levels_begin(&stepper->levels, levels, ops, whole, options, err);
}

void mx_stepper_release(struct mx_stepper *stepper)
{
  mx_levels_end(&stepper->levels);
  dg_free(stepper->port_value);
  *stepper = (struct mx_stepper){0};
}

void mx_stepper_place(struct mx_stepper *stepper, long n)
{
  stepper->n = n;
  stepper->stage = 0;
  stepper->over = false;
}

static size_t functionals_of(const struct mx_stepper *stepper)
{
  return stepper->sources != NULL ? stepper->sources->ports.functionals : 0;
}

/* Takes the ports' values of the fields before the stage: of the fields now or, `begun`, of when the look at them was
 * begun. */
static int take_ports(struct mx_stepper *stepper, bool begun, struct dg_error *err)
{
  struct mx_ports *ports = &stepper->sources->ports;
  double *value = stepper->port_value;
  const int status =
      begun ? stepper->ops->card->functionals_end(stepper->backend, ports->first, ports->functionals, value, err)
            : stepper->ops->functionals(stepper->backend, ports->first, ports->functionals, false, value, err);
  if (status != 0 || mx_ports_sum(ports, value, err) != 0) return err->code;
  mx_ports_record(ports, stepper->n, stepper->stage, value);
  return 0;
}

/* Evaluates the sources of the stage. Of the stage behind the last one only the ports' part is wanted, for output. */
static int evaluate(struct mx_stepper *stepper, bool last, bool begun, const struct mx_stage_sources **sources,
                    struct dg_error *err)
{
  if (stepper->sources == NULL) return 0;
  const double start = mx_clock();
  const struct mx_mark mark = mx_phase_begin(stepper->profile);
  int status = functionals_of(stepper) > 0 ? take_ports(stepper, begun, err) : 0;
  if (last) mx_sources_evaluate_ports(stepper->sources, stepper->n, stepper->stage, stepper->step);
  else if (status == 0 &&
           mx_sources_evaluate(stepper->sources, stepper->n, stepper->stage, stepper->step, sources, err) != 0)
    status = dg_context(err, "in step %ld of %ld", stepper->n, stepper->last);
  stepper->source_seconds += mx_clock() - start;
  mx_phase_end(stepper->profile, mark, "sources, evaluated", (struct mx_cost){0, 0});
  return status;
}

/* Makes the next stage, with the hooks if the look is before it. */
static int make_stage(struct mx_stepper *stepper, bool observe, struct dg_error *err)
{
  static const struct mx_step_hooks none = {0};
  const struct mx_backend_ops *ops = stepper->ops;
  const struct mx_step_hooks *hooks = stepper->hooks != NULL ? stepper->hooks : &none;
  const struct mx_stage_sources *sources = NULL;
  const int s = stepper->stage;
  const bool ahead = functionals_of(stepper) > 0 && ops->card->present, here = s == stepper->schedule.observe_stage;
  if (here && stepper->n == stepper->last) stepper->over = true;
  if (ahead) {
    const struct mx_ports *ports = &stepper->sources->ports;
    if (ops->card->functionals_begin(stepper->backend, ports->first, ports->functionals, err) != 0) return err->code;
  } else if (evaluate(stepper, stepper->over, false, &sources, err) != 0 ||
             (here && hooks->ports != NULL && hooks->ports(stepper->self, err) != 0))
    return err->code;
  if (here && hooks->observe != NULL && hooks->observe(stepper->self, err) != 0) return err->code;
  const bool filters = stepper->levels.count > 0 && stepper->schedule.pass[s].changes[MX_FARADAY] && !stepper->over;
  if (filters && mx_levels_before(&stepper->levels, err) != 0) return err->code;
  if (ahead && ((!stepper->over && ops->stage_begin(stepper->backend, s, observe, &mx_sources_follow, err) != 0) ||
                evaluate(stepper, stepper->over, true, &sources, err) != 0 ||
                (here && hooks->ports != NULL && hooks->ports(stepper->self, err) != 0)))
    return err->code;
  if (hooks->sources != NULL && hooks->sources(stepper->self, s, sources, err) != 0) return err->code;
  if (stepper->over) return 0;
  if ((ahead ? ops->card->stage_sources(stepper->backend, s, sources, err)
             : ops->stage_begin(stepper->backend, s, observe, sources, err)) != 0 ||
      ops->stage_end(stepper->backend, s, err) != 0 || (filters && mx_levels_after(&stepper->levels, err) != 0))
    return err->code;
  stepper->stage++;
  return 0;
}

int mx_stepper_look(struct mx_stepper *stepper, struct dg_error *err)
{
  while (stepper->stage < stepper->schedule.observe_stage)
    if (make_stage(stepper, true, err) != 0) return err->code;
  return 0;
}

int mx_stepper_advance(struct mx_stepper *stepper, bool observe, struct dg_error *err)
{
  while (stepper->stage < stepper->schedule.passes && !stepper->over)
    if (make_stage(stepper, observe, err) != 0) return err->code;
  if (!stepper->over) mx_stepper_place(stepper, stepper->n + 1);
  return 0;
}
