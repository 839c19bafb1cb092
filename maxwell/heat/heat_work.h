/* A computation of heat at work, and what its marches share: that of given losses (heat.c), and that for which the
 * fields run again (heat_coupled.c). Private to them. */
#pragma once

#include "maxwell/heat/heat.h"
#include "maxwell/heat/heat_record.h"

struct mx_heat_work {
  const struct mx_heat_place *place;
  struct mx_heat_body body;
  struct mx_heat_problem problem;
  struct mx_heat_march march;
  struct mx_heat_record record;
  struct mx_folder *folder;
  const struct mx_heat_how *how;
  struct mx_heat_report *report;
  double *power;                    /* [sources] W of the losses that heat, 0 of others */
  struct mx_heat_coupled *coupled;  /* NULL: the fields have run once, and that is all */
  const struct mx_heat_more *more;  /* its part of checkpoints */
  const struct mx_heat_mark *start; /* the begin of its interval, to which an end goes back; NULL: there is none */
  bool whole;                       /* what is under way is not ended before it is done */
  double started;                   /* mx_clock */
  long first;                       /* step that was the first of this process */
  long checkpointed;                /* step of the last checkpoint; -1: none */
  double before;                    /* time of the first step of this process, s */
  struct dg_pace pace;              /* of progress */
};

/* What is nearer to the end than this is there, s. */
double mx_heat_near(const struct mx_heat_work *heat);
/* The end of a step from t: that of the run, or the next snapshot. */
double mx_heat_next_stop(const struct mx_heat_work *heat, double t);
/* Asks whether to end before the next step, and writes checkpoints that are due. DG_INTERRUPTED: it ends. */
int mx_heat_look(struct mx_heat_work *heat, struct dg_error *err) DG_MUST_USE;
/* Takes a step, which may be given up in its middle; then the control says why. */
int mx_heat_take(struct mx_heat_work *heat, double stop, struct dg_error *err) DG_MUST_USE;
/* Marches to `end`, with rows, snapshots within, and progress. */
int mx_heat_record_march(struct mx_heat_work *heat, double end, struct dg_error *err) DG_MUST_USE;
/* Finds the steady state, without a row. */
int mx_heat_find_steady(struct mx_heat_work *heat, struct dg_error *err) DG_MUST_USE;

/* Writes a checkpoint before the next step. If it cannot be written that is a warning, and heat goes on, unless it
 * `must` be written. */
int mx_heat_keep(struct mx_heat_work *heat, bool must, struct dg_error *err) DG_MUST_USE;

/* heat_coupled.c: makes heat->coupled, and opens its table. Free in any case. */
int mx_heat_coupled_new(struct mx_heat_work *heat, struct dg_error *err) DG_MUST_USE;
void mx_heat_coupled_free(struct mx_heat_coupled *coupled);
/* The whole computation, with the fields run again (heat.h: mx_heat_fields). load[count]: of the losses of the run
 * before, unless a checkpoint was loaded. */
int mx_heat_couple(struct mx_heat_work *heat, const double *load, struct dg_error *err) DG_MUST_USE;
