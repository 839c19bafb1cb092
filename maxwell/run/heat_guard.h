/* Signals, clocks and checkpoints of a computation of heat, which maxwell/heat asks for orders. */
#pragma once

#include "maxwell/heat/heat.h"
#include "maxwell/session/control.h"

struct mx_heat_guard {
  struct mx_control control;
  struct mx_signals *saved;
  struct mx_heat_watch watch; /* for mx_heat_how */
  long every;                 /* steps between checkpoints; 0: none of them */
  double step_seconds;        /* of the last step */
};

/* Listens to signals from now on (control.h); keeps: SIGINT leaves a checkpoint, too. A guard must stay where it is.
 * End it in any case. DG_ENVIRONMENT: no memory. */
int mx_heat_guard_begin(struct mx_heat_guard *guard, const struct mx_scene *scene, bool keeps,
                        struct dg_error *err) DG_MUST_USE;
void mx_heat_guard_end(struct mx_heat_guard *guard);
