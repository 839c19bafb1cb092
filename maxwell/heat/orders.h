/* Somebody who tells a computation of heat to write a checkpoint or to end: signals and clocks, which maxwell/run knows
 * (run/heat_guard.h). */
#pragma once

#include <stdbool.h>

#include "libdg/base/error.h"

struct mx_heat_orders {
  bool stop, checkpoint; /* end; write a checkpoint, before the end if there is one */
  const char *why;       /* of `stop`, for the message: "interrupted" */
};

struct mx_heat_watch {
  /* Asked before step n. step_seconds: what a step takes. Collective, with the same answer on all ranks. */
  int (*ask)(void *self, long n, double step_seconds, struct mx_heat_orders *orders, struct dg_error *err);
  /* Is the step under way to be given up, since ask would say `stop`? Not collective. */
  bool (*presses)(void *self);
  /* A checkpoint was written, or tried, in so many seconds. */
  void (*wrote)(void *self, double seconds);
  void *self;
};
