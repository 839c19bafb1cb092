/* A recorder: it watches the fields while a run goes on and writes what it finds, such as the energy, the measures or
 * snapshots. What one can do is a row of functions; the list of all is MX_RECORDERS below, and maxwell/output/output.c
 * walks over it. A new recorder is a file with its row and a line in the list. maxwell/record/energy.c is the one to
 * read first.
 *
 * A function that a recorder has no use for is NULL. `self` is what `open` made; NULL where the script asks for
 * nothing, and then none of the functions that take it is called. Functions are collective unless said otherwise. */
#pragma once

#include <stdbool.h>

#include "maxwell/scene/scene.h"
#include "maxwell/shell/archive.h"
#include "maxwell/shell/csv.h"
#include "maxwell/shell/hooks/results.h"
#include "maxwell/shell/plan.h"

struct mx_recorder {
  /* ---- before a run; not collective */
  /* Adds the names of the files that it may write. */
  int (*plan)(struct mx_plan *plan, const struct mx_scene *scene, struct dg_error *err);
  /* Adds the tables that hooks of the script see (mx_add_result). */
  int (*results)(struct mx_results *results, const struct mx_scene *scene, struct dg_error *err);
  /* Bytes of the host that it takes on this rank. */
  size_t (*memory)(const struct mx_scene *scene);

  /* ---- while it runs */
  /* Opens files; with `resume` it goes on with those that are there. The scene has backend and folder, and stays. */
  int (*open)(void **self, struct mx_scene *scene, bool resume, struct dg_error *err);
  /* Says whether anything is to be done at step n, and whether that asks the backend for values at once, which a card's
   * buffers spare (NULL: always when it is due). All ranks find the same. */
  bool (*due)(const void *self, long n);
  bool (*asks)(const void *self, long n);
  /* Records what is due at step n, time t (s), which is observed then. It is called for every observed step. */
  int (*take)(void *self, long n, double t, struct dg_error *err);
  /* Writes rows that were recorded and wait for the sums of all ranks. */
  int (*drain)(void *self, struct dg_error *err);
  /* Hands its tables to the system. Not collective. */
  int (*flush)(void *self, struct dg_error *err);
  /* Waits until threads have written what they were given. */
  int (*wait)(void *self, struct dg_error *err);

  /* ---- checkpoints */
  /* Gathers on rank 0 what `archive` needs of other ranks. */
  int (*gather)(void *self, struct dg_error *err);
  /* Passes its state to the archive, after drain and gather. */
  int (*archive)(void *self, struct mx_archive *archive, struct dg_error *err);

  /* ---- the end */
  /* Notes what is known only now, when the fields have made their last step. Not collective. */
  void (*end)(void *self);
  /* Writes what is known only at the end, after drain and wait; for a run that was interrupted, too. */
  int (*finish)(void *self, struct dg_error *err);
  /* Closes files; a write that failed late is an error here. Not collective. */
  int (*close)(void *self, struct dg_error *err);
  void (*release)(void *self);
};

/* The recorders, in the order in which they are called and in which a hook finds their tables. */
#define MX_RECORDERS(X)                                                                                                \
  X(energy) X(balance) X(measures) X(ports) X(far_fields) X(phasors) X(snapshots) X(doubts) X(resonances)

/* mx_energy_recorder and so on, with their places in the list. */
#define MX_RECORDER(name) extern const struct mx_recorder mx_##name##_recorder;
MX_RECORDERS(MX_RECORDER)
#undef MX_RECORDER
#define MX_RECORDER(name) MX_RECORDS_##name,
enum { MX_RECORDERS(MX_RECORDER) MX_RECORDERS_COUNT };
#undef MX_RECORDER
extern const struct mx_recorder *const mx_recorders[MX_RECORDERS_COUNT];

/* For `results`: adds the table FOLDER/[list/]FILE[ending].csv; file: NULL is the result's name. */
int mx_add_result(struct mx_results *results, const struct mx_scene *scene, const struct mx_result *result,
                  const char *file, const char *ending, struct dg_error *err) DG_MUST_USE;
/* For `open`: opens FOLDER/NAME on rank 0 with the header; nothing on other ranks. */
int mx_open_table(struct mx_csv *table, const struct mx_scene *scene, const char *name, const char *header, bool resume,
                  struct dg_error *err) DG_MUST_USE;

/* Takes what the recorder of resonances has found; release it. self: NULL finds none. */
struct mx_resonances mx_resonances_take_found(void *self);
