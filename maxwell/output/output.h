/* The output of a run while it runs: what its recorders (maxwell/record/recorder.h) do, on their schedule. The time
 * loop calls it. */
#pragma once

#include "maxwell/record/balance.h"
#include "maxwell/record/recorder.h"
#include "maxwell/record/snapshot.h"

struct mx_output {                /* must stay where it is while it is open */
  struct mx_scene scene;          /* what recorders see */
  void *self[MX_RECORDERS_COUNT]; /* the recorders; NULL: the script asks for nothing */
  double last_flush;
};

/* The recorders that the loop talks to; of an output that is open. */
static inline struct mx_snapshots *mx_output_snapshots(const struct mx_output *output)
{
  return output->self[MX_RECORDS_snapshots];
}
static inline struct mx_balance *mx_output_balance(const struct mx_output *output) /* NULL: none is kept */
{
  return output->self[MX_RECORDS_balance];
}

/* Opens the files; with `resume` it goes on with those that are there. The scene has the backend and the folder, which
 * must be prepared. Release with mx_output_release in any case. */
int mx_output_open(struct mx_output *output, const struct mx_scene *scene, bool resume,
                   struct dg_error *err) DG_MUST_USE;
/* Says whether anything is to be written at step n. */
bool mx_output_due(const struct mx_output *output, long n);
/* Says whether the output of step n asks the backend for values at once. A card's buffers take values without that. */
bool mx_output_asks(const struct mx_output *output, long n);
/* Writes what is due at step n, time t (s). The step must be observed. */
int mx_output_write(struct mx_output *output, long n, double t, struct dg_error *err) DG_MUST_USE;
/* Writes what has been measured and not yet written (several ranks write many rows at a time). Waits for snapshots.
 * Collective. */
int mx_output_drain(struct mx_output *output, struct dg_error *err) DG_MUST_USE;
/* Writes rows that have been measured, and hands all tables to the system, so that a hook can read them. Collective. */
int mx_output_settle(struct mx_output *output, struct dg_error *err) DG_MUST_USE;
/* Gathers on rank 0 what the archive of other ranks' state needs, after mx_output_drain. Collective. */
int mx_output_gather(struct mx_output *output, struct dg_error *err) DG_MUST_USE;
/* Passes the state of the output to the archive, after mx_output_gather. */
int mx_output_archive(struct mx_output *output, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
/* Notes what is known when the fields have made their last step; further runs for S-parameters forget it. */
void mx_output_end(struct mx_output *output);
/* Does what mx_output_drain does, and writes what is known only at the end: Fourier transforms and resonances. Call it
 * for a run that was interrupted, too. Collective. */
int mx_output_finish(struct mx_output *output, struct dg_error *err) DG_MUST_USE;
/* Closes the files; a write that failed late is an error here. */
int mx_output_close(struct mx_output *output, struct dg_error *err) DG_MUST_USE;
void mx_output_release(struct mx_output *output);

/* Bytes of the host that the output of a run will take on this rank. */
size_t mx_output_memory(const struct mx_scene *scene);
