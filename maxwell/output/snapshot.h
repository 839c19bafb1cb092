/* Snapshots: the fields of a step go to a file while the loop goes on.
 *
 * The loop sets the values aside and hands them over (relay.h); threads fetch them from the card, where there is one,
 * convert and write. The loop waits when it is output.fields.ahead snapshots ahead of the disk.
 *
 * Of several ranks each writes its own block so. What they have to tell each other, and the names of files, are the
 * loop's, at steps that are the same on all ranks: MPI is for the thread that started it. Where ranks write to one
 * file, or share averages, all is done in the loop. */
#pragma once

#include <stdbool.h>

#include "libdg/io/snapshot_writer.h"
#include "maxwell/shell/folder.h"
#include "maxwell/shell/relay.h"
#include "maxwell/setup/setup.h"

struct mx_snapshot {
  long step;
  double time;   /* s */
  double *E, *H; /* [K][3][Np]; NULL: not wanted */
  size_t buffer; /* of the backend, see snapshot_begin */
  void *job;     /* of several ranks: written, and without its name */
};

struct mx_snapshots {
  const struct mx_setup *setup; /* borrowed, as the next three; NULL: there are no snapshots */
  const struct dg_snapshot_writer *writer;
  struct mx_folder *folder;
  struct mx_backend *backend;
  struct mx_relay *relay; /* NULL: all is done in the loop */
  size_t slots;
  struct mx_snapshot *slot;         /* [slots] */
  size_t handed, named;             /* to the relay so far; of several ranks: how many of these have their names */
  size_t buffers;                   /* of the backend; 0: it has none */
  int fetch_threads, write_threads; /* of OpenMP, for a thread of the relay's stages */
  double *material[4];              /* [K] epsilon_r, mu_r, sigma in S/m, sigma_m in ohm/m where it is in use */
  struct dg_node_merge merge;       /* of those that average */
  void *series;                     /* of the writer */
  long before;                      /* written by the run that a checkpoint goes on */
  long in_line;                     /* written by the loop */
  double held_up;                   /* seconds in which the loop did nothing else, */
  double waited;                    /* and of these, before the end, waited for a thread */
};

/* Nothing when the script wants none. Collective. Release in any case, before the backend is destroyed. */
int mx_snapshots_init(struct mx_snapshots *snapshots, const struct mx_setup *setup,
                      const struct dg_snapshot_writer *writer, struct mx_backend *backend, struct mx_folder *folder,
                      struct dg_error *err) DG_MUST_USE;
bool mx_snapshots_due(const struct mx_snapshots *snapshots, long n);
/* Takes a snapshot of step n, time t (s), if one is due. The step must be observed. Also fails when an earlier one
 * could not be written. Collective where one is due. */
int mx_snapshots_take(struct mx_snapshots *snapshots, long n, double t, struct dg_error *err) DG_MUST_USE;
/* Several ranks: how many this one has written; and names for the first `count`, which all have. Collective. */
long mx_snapshots_ready(const struct mx_snapshots *snapshots);
int mx_snapshots_name(struct mx_snapshots *snapshots, long count, struct dg_error *err) DG_MUST_USE;
/* Until all that were taken are on disk. Collective. */
int mx_snapshots_finish(struct mx_snapshots *snapshots, struct dg_error *err) DG_MUST_USE;
/* On disk by now, also by earlier runs. Behind mx_snapshots_finish it is all of them. */
long mx_snapshots_written(const struct mx_snapshots *snapshots);
/* Seconds in which threads worked on snapshots. */
double mx_snapshots_seconds(const struct mx_snapshots *snapshots);
/* Seconds that those which are not on disk yet may take at most, one behind the other and as long as others took. */
double mx_snapshots_behind(const struct mx_snapshots *snapshots);
/* Waits as mx_snapshots_finish does. */
void mx_snapshots_release(struct mx_snapshots *snapshots);
/* Bytes of the host that a run will take for them on this rank. */
size_t mx_snapshots_memory(const struct mx_setup *setup, const struct dg_snapshot_writer *writer);
