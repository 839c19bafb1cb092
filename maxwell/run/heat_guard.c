/* Hands the orders of signals and clocks to heat. run.c and heat_alone.c use it. */
#include "maxwell/run/heat_guard.h"

static int ask(void *self, long n, double step_seconds, struct mx_heat_orders *orders, struct dg_error *err)
{
  struct mx_heat_guard *guard = self;
  struct mx_orders given;
  guard->step_seconds = step_seconds;
  if (mx_control_ask_now(&guard->control, step_seconds, &given, err) != 0) return err->code;
  const bool kept = given.stop == MX_STOP_TERMINATE || given.stop == MX_STOP_WALLTIME;
  const bool due = given.stop == MX_GO_ON && guard->every > 0 && n > 0 && n % guard->every == 0;
  *orders = (struct mx_heat_orders){.stop = given.stop != MX_GO_ON,
                                    .checkpoint = kept || due || (given.checkpoint && given.stop == MX_GO_ON),
                                    .why = given.stop == MX_STOP_WALLTIME ? "stopped before the end of the walltime"
                                                                          : "interrupted"};
  return 0;
}

static bool presses(void *self)
{
  const struct mx_heat_guard *guard = self;
  return mx_control_presses(&guard->control, guard->step_seconds);
}

static void wrote(void *self, double seconds)
{
  struct mx_heat_guard *guard = self;
  mx_control_checkpointed(&guard->control, seconds);
}

int mx_heat_guard_begin(struct mx_heat_guard *guard, const struct mx_scene *scene, bool keeps, struct dg_error *err)
{
  *guard = (struct mx_heat_guard){.every = scene->config->checkpoint.every};
  guard->watch = (struct mx_heat_watch){.ask = ask, .presses = presses, .wrote = wrote, .self = guard};
  if (mx_control_init(&guard->control, &guard->saved, scene, 0, false, err) != 0) return err->code;
  guard->control.keeps = keeps;
  return 0;
}

void mx_heat_guard_end(struct mx_heat_guard *guard)
{
  mx_control_end(guard->saved);
  guard->saved = NULL;
}
