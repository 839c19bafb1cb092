/* Stops a run whose fields are no longer numbers or whose energy runs away. */
#pragma once

#include <stdbool.h>

#include "maxwell/scene/scene.h"

struct mx_watchdog {
  const struct mx_scene *scene; /* borrowed */
  long every;                   /* steps between looks */
  bool looked;
  double first, peak, last; /* J: total energy at the first look, the largest, and at the last */
  double ringing;           /* J: the largest since output.resonances listens; 0: not yet, or it is not wanted */
  double least;             /* J: the smallest since the sources are silent; NaN: not yet, or there are none */
  bool warned;              /* that the energy has risen since */
  char alarm[160];          /* problem found by a look; empty: none. The same on all ranks */
};

void mx_watchdog_init(struct mx_watchdog *watchdog, const struct mx_scene *scene);
bool mx_watchdog_due(const struct mx_watchdog *watchdog, long n);
/* Looks at the fields at time t (s); the step must be observed. Collective. */
int mx_watchdog_look(struct mx_watchdog *watchdog, struct mx_backend *backend, double t,
                     struct dg_error *err) DG_MUST_USE;
/* Makes the error after a look that raised the alarm. DG_BLEW_UP names the step, the element, its place and material,
 * and the likely causes. Collective. */
int mx_watchdog_stop(const struct mx_watchdog *watchdog, struct mx_backend *backend, long n,
                     struct dg_error *err) DG_MUST_USE;
int mx_watchdog_archive(struct mx_watchdog *watchdog, const char *name, struct mx_archive *archive,
                        struct dg_error *err) DG_MUST_USE;
/* Energy below its peak, dB (not positive); NaN before the first look or without energy. */
double mx_watchdog_decibel(const struct mx_watchdog *watchdog);
/* The same for the rule time.decay at time t: NaN while sources are known to act, and with output.resonances the energy
 * below its peak behind them, NaN until its records are long enough. */
double mx_watchdog_decay(const struct mx_watchdog *watchdog, double t);
