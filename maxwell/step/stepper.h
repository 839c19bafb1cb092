/* The steps of a simulation, one after the other: the passes of a step with their sources, and in the middle of it the
 * moment at which the fields of t_n can be looked at. The time loop, the C interface, the rehearsal of `curlew check`,
 * the pace of a run and the bench take their steps here; share/doc/design.md has a diagram of a step.
 *
 * A card with ports works ahead: the stage begins while the host waits for the ports' values of the fields before it,
 * and the sources follow. Collective, as the functions of the backend. */
#pragma once

#include "maxwell/backend/backend.h"
#include "maxwell/levels/filter.h"
#include "maxwell/shell/profile.h"
#include "maxwell/sources/sources.h"

/* The owner's part of a step. `self` is the stepper's. */
struct mx_step_hooks {
  /* The ports' values at t_n are ready. */
  int (*ports)(void *self, struct dg_error *err);
  /* The fields of t_n can be observed, if the step was told `observe`. The owner may end the steps here (`over`). */
  int (*observe)(void *self, struct dg_error *err);
  /* The sources of stage s, after the look at the fields before it; NULL: there are none. */
  int (*sources)(void *self, int s, const struct mx_stage_sources *sources, struct dg_error *err);
};

struct mx_stepper {
  const struct mx_backend_ops *ops;
  struct mx_backend *backend; /* borrowed */
  struct mx_schedule schedule;
  const struct mx_step_hooks *hooks; /* NULL: none */
  void *self;
  struct mx_profile *profile; /* NULL: off */
  long n;                     /* the step that is under way */
  int stage;                  /* stages of it that are done */
  bool over;                  /* no stage follows */
  /* Of sources (mx_stepper_drive). */
  struct mx_sources *sources;  /* borrowed; NULL: none */
  double step;                 /* s */
  long last;                   /* the number of steps: of step `last`, only the stages before the look are made */
  double *port_value;          /* [functionals of the ports] */
  double source_seconds;       /* time so far that sources took */
  struct mx_levels_run levels; /* of local time steps; none: count 0 */
};

/* A stepper without sources and hooks, at the beginning of step 0. */
struct mx_stepper mx_stepper_of(const struct mx_backend_ops *ops, struct mx_backend *backend,
                                const struct mx_problem *problem, enum mx_integrator integrator);
/* Gives it the sources of a run of `last` steps (s). */
int mx_stepper_drive(struct mx_stepper *stepper, struct mx_sources *sources, double step, long last,
                     struct dg_error *err) DG_MUST_USE;
/* Gives it the levels of a run, which must stay; NULL: all elements take the same steps. */
int mx_stepper_levels(struct mx_stepper *stepper, const struct mx_levels *levels,
                      const struct mx_backend_options *options, struct dg_error *err) DG_MUST_USE;
/* Before the backend is destroyed. */
void mx_stepper_release(struct mx_stepper *stepper);

/* Goes to the beginning of step n. */
void mx_stepper_place(struct mx_stepper *stepper, long n);
/* Makes the stages before the look at t_n that are not done yet, for a look from outside. */
int mx_stepper_look(struct mx_stepper *stepper, struct dg_error *err) DG_MUST_USE;
/* Makes what is left of the step, with its hooks, and goes to the beginning of the next one, unless the steps are over.
 * observe: the fields of t_n will be looked at. */
int mx_stepper_advance(struct mx_stepper *stepper, bool observe, struct dg_error *err) DG_MUST_USE;
