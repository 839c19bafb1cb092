/* Checkpoints of heat: the temperature between two steps, what has been counted until then, and the lengths of tables.
 *
 * OUTPUT/heat/checkpoint holds the last two, a file step_N.h5 each (libdg/io/store.h), N being the steps of heat. Rank
 * 0 writes it. Temperatures stand by the elements of the whole mesh, so that any number of ranks can read what another
 * number wrote; the same number goes on with the same bits. The losses of fields are not in it: they come from the
 * fields again, but where these run more than once (mx_heat_more). */
#pragma once

#include "maxwell/heat/heat_record.h"

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
  struct mx_folder *folder;
  const struct mx_heat_more *more; /* NULL: nothing */
  const char *identity;            /* rank 0's (maxwell/session/identity.h) */
  long restarts;                   /* before */
};

/* Writes a checkpoint and removes those before the last two. Collective. A failure to write is no error of this
 * function: *written is false then on all ranks, and *failure has the reason on rank 0. Errors are those of ranks that
 * fail. */
int mx_heat_checkpoint_write(const struct mx_heat_state *state, bool *written, struct dg_error *failure,
                             struct dg_error *err) DG_MUST_USE;

struct mx_heat_checkpoint {
  bool found;             /* the same on all ranks */
  size_t newer;           /* newer checkpoints, which are of no use */
  struct dg_store *store; /* rank 0's */
};

/* Finds the newest checkpoint that is whole; a warning tells why another one is not. Collective. DG_INPUT: it is of
 * another run. Release in any case. */
int mx_heat_checkpoint_find(struct mx_heat_checkpoint *checkpoint, const struct mx_heat_place *place,
                            const struct mx_folder *folder, const char *identity, struct dg_error *err) DG_MUST_USE;
/* Loads it; the tables must be open. Removes unfinished files of a killed run. Collective. DG_ENVIRONMENT: what is
 * there is not of this mesh. */
int mx_heat_checkpoint_load(const struct mx_heat_checkpoint *checkpoint, struct mx_heat_state *state,
                            struct dg_error *err) DG_MUST_USE;
void mx_heat_checkpoint_release(struct mx_heat_checkpoint *checkpoint);
