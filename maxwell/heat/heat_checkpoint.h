/* Checkpoints of heat: the temperature between two steps, what has been counted until then, and the lengths of tables.
 *
 * OUTPUT/heat/checkpoint has a file for each, N being the steps of heat (maxwell/session/checkpoints.h). Rank 0 writes
 * it. The same number of ranks goes on with the same bits. The losses of fields are not in it: they come from the
 * fields again, but where these run more than once (mx_heat_more). */
#pragma once

#include "maxwell/heat/heat_record.h"
#include "maxwell/session/checkpoints.h"

/* What a computation has besides, for which the fields run again: values of the unknowns, and what is not of single
 * ones. */
enum { MX_HEAT_MORE = 3 };
struct mx_heat_more {
  const char *name[MX_HEAT_MORE];
  double *value[MX_HEAT_MORE]; /* [count] each */
  int (*archive)(void *self, struct mx_archive *archive, struct dg_error *err);
  void *self;
};
/* The parts of a computation that a checkpoint is made of; all borrowed. */
struct mx_heat_state {
  const struct mx_heat_place *place;
  struct mx_heat_march *march;
  struct mx_heat_record *record;
  const struct mx_heat_more *more;  /* NULL: nothing */
  struct mx_checkpoint_order order; /* of mx_heat_checkpoints; its `self` is the state */
  long restarts;                    /* before */
};

extern const struct mx_checkpoint_kind mx_heat_checkpoints; /* of struct mx_heat_state */

/* Loads a checkpoint; the tables must be open. Removes unfinished files of a killed run. Collective. DG_ENVIRONMENT:
 * what is there is not of this mesh. */
int mx_heat_checkpoint_load(const struct mx_checkpoint *checkpoint, struct mx_heat_state *state,
                            struct dg_error *err) DG_MUST_USE;
