/* Snapshots: the fields of a step go to a file while the loop goes on.
 *
 * The loop sets the values aside and hands them over (relay.h). Threads fetch them from the card, where there is one,
 * convert them and write. The loop waits when it is output.fields.ahead snapshots ahead of the disk.
 *
 * Each of several ranks writes its own block in this way. Messages between ranks and the names of files are left to the
 * loop, at steps that are the same on all ranks: only the thread that started MPI may use it. Where ranks write to one
 * file, or share averages, the loop does everything. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "maxwell/record/writers.h"
#include "maxwell/shell/relay.h"
#include "maxwell/scene/scene.h"

struct mx_snapshot {
  long step;
  double time;           /* s */
  double *E, *H;         /* [K][3][Np]; NULL: not wanted */
  size_t buffer;         /* buffer of the backend, see snapshot_begin */
  void *job[DG_FORMATS]; /* several ranks: files that are written and have no names yet */
};

struct mx_snapshots {
  const struct mx_scene *scene; /* borrowed, with backend and folder; NULL: there are no snapshots */
  struct mx_relay *relay;       /* NULL: the loop does everything */
  size_t slots;
  struct mx_snapshot *slot; /* [slots] */
  size_t handed, named;     /* snapshots given to the relay so far; several ranks: how many of these have their names */
  size_t buffers;           /* buffers of the backend; 0: none */
  int fetch_threads, write_threads; /* OpenMP's threads for one thread of the relay's stages */
  double *material[4];              /* [K] epsilon_r, mu_r, sigma in S/m, sigma_m in ohm/m where it is in use */
  struct dg_node_merge merge;       /* the merge of nodes for averages */
  struct mx_writers writers;        /* the formats, each of which gets every snapshot */
  void *series[DG_FORMATS];         /* the writers' series */
  struct mx_snapshot_list {
    pthread_mutex_t lock; /* of the rest: threads name snapshots in any order */
    bool begun;
    size_t count, room;
    long *step; /* [count] of the snapshots on disk, ascending */
  } list[DG_FORMATS];
  long most;      /* snapshots that the run may have */
  long before;    /* snapshots of the run that a checkpoint goes on */
  long in_line;   /* snapshots that the loop wrote */
  double held_up; /* seconds in which the loop did nothing else */
  double waited;  /* part of these, before the end, in which the loop waited for a thread */
};

/* Prepares snapshots; does nothing when the script wants none. Collective. Release in any case, before the backend is
 * destroyed. */
int mx_snapshots_init(struct mx_snapshots *snapshots, const struct mx_scene *scene, const struct mx_writers *writers,
                      struct dg_error *err) DG_MUST_USE;
bool mx_snapshots_due(const struct mx_snapshots *snapshots, long n);
/* Takes a snapshot of step n, time t (s), if one is due or `asked` for; output.fields must be there. The step must be
 * observed. The function also fails when an earlier snapshot could not be written. Collective where one is due. */
int mx_snapshots_take(struct mx_snapshots *snapshots, long n, double t, bool asked, struct dg_error *err) DG_MUST_USE;
/* Several ranks: mx_snapshots_ready tells how many snapshots this rank has written. mx_snapshots_name gives the first
 * `count`, which all ranks have written, their names. Collective. */
long mx_snapshots_ready(const struct mx_snapshots *snapshots);
int mx_snapshots_name(struct mx_snapshots *snapshots, long count, struct dg_error *err) DG_MUST_USE;
/* Waits until all snapshots that were taken are on disk. Collective. */
int mx_snapshots_finish(struct mx_snapshots *snapshots, struct dg_error *err) DG_MUST_USE;
/* Counts the snapshots on disk by now, also those of earlier runs. Behind mx_snapshots_finish the count is that of all.
 */
long mx_snapshots_written(const struct mx_snapshots *snapshots);
/* Seconds in which threads worked on snapshots. */
double mx_snapshots_seconds(const struct mx_snapshots *snapshots);
/* The most seconds that the snapshots which are not on disk yet may take, one behind the other and as long as others
 * took. */
double mx_snapshots_behind(const struct mx_snapshots *snapshots);
/* Waits as mx_snapshots_finish does. */
void mx_snapshots_release(struct mx_snapshots *snapshots);
/* Bytes of the host that a run will take for snapshots on this rank. */
size_t mx_snapshots_memory(const struct mx_scene *scene, const struct mx_writers *writers);
