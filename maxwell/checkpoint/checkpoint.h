/* Checkpoints of the fields (maxwell/session/checkpoints.h).
 *
 * OUTPUT/checkpoint has for each a file step_N.h5, N being the steps so far of all runs for S-parameters, with the data
 * that exists once (counters, measurements, ports, lengths of tables), and one step_N_R.h5 a rank with its elements'
 * fields. The first file is written when all others are whole, and has their digests (libdg/io/store.h). Vectors are in
 * the components of the backend that wrote them, so that this backend gets the same bits back. */
#pragma once

#include "maxwell/shell/folder.h"
#include "maxwell/hooks/hooks.h"
#include "maxwell/output/output.h"
#include "maxwell/output/ports/port_output.h"
#include "maxwell/output/watchdog.h"
#include "maxwell/session/checkpoints.h"

struct mx_counters {
  long step;              /* the next one */
  long total;             /* steps of all runs for S-parameters */
  long excitation;        /* the port that is driven, of runs for S-parameters */
  long restarts;          /* restarts before */
  long ended;             /* the fields have come to their end (maxwell/run/loop.c: why); 0: they have not */
  long cut;               /* steps after which an earlier run for S-parameters ended by their number; 0: none did */
  double elapsed, output; /* s of wall-clock time in the loop, and of that for output */
};

/* The parts of a run that a checkpoint is made of; all borrowed. */
struct mx_run_state {
  const struct mx_scene *scene;
  struct mx_backend *backend;
  struct mx_folder *folder;
  const char *identity; /* identity.h; rank 0's */
  struct mx_output *output;
  struct mx_port_output *port_output;
  struct mx_hooks *hooks;
  struct mx_watchdog *watchdog; /* [2] of the run that writes output, and of further runs for S-parameters */
  struct mx_counters *counters;
};

/* Bytes of the fields' part of this rank. */
size_t mx_checkpoint_bytes(const struct mx_scene *scene);

extern const struct mx_checkpoint_kind mx_fields_checkpoints; /* of struct mx_run_state */

/* Writes what is measured, and a checkpoint (mx_checkpoint_keep). Collective. Errors are also those of tables that
 * cannot be written, and DG_BLEW_UP for fields that are no longer numbers, of which no checkpoint is made. */
int mx_checkpoint_write(struct mx_run_state *state, bool *written, struct dg_error *failure,
                        struct dg_error *err) DG_MUST_USE;

/* Loads the fields, behind an upload. Collective. */
int mx_checkpoint_load_fields(const struct mx_checkpoint *checkpoint, const struct mx_scene *scene,
                              struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Loads the rest of the state; the tables must be open. Removes unfinished files of a killed run from the checkpoints'
 * folder. Collective. */
int mx_checkpoint_load(const struct mx_checkpoint *checkpoint, struct mx_run_state *state,
                       struct dg_error *err) DG_MUST_USE;
/* Loads the counters alone. Collective. */
int mx_checkpoint_counters(const struct mx_checkpoint *checkpoint, const struct mx_scene *scene,
                           struct mx_counters *counters, struct dg_error *err) DG_MUST_USE;
