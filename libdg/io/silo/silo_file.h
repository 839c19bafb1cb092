/* Code that the writers of Silo files share. Private to this folder; only its .c files see silo.h.
 *
 * A file is written as NAME.part and gets its name when it is complete. */
#pragma once

#include <silo.h>
#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"
#include "libdg/files/ledger.h"
#include "libdg/files/room.h"

enum { DG_SILO_NAME = 128 }; /* bytes of the longest name of an object */

struct dg_silo_file {
  char *path; /* in messages */
  char *name, *part, *held;
  struct dg_ledger *ledger; /* borrowed: is told of the file before it is created; may be NULL */
  DBfile *db;               /* NULL while it is closed, or bare */
  bool bare;                /* open without the library: */
  int descriptor;           /* of it then */
  struct dg_room room;
  bool touched, named; /* what an error has to remove: the part, the file under its name */
};

/* Locks and unlocks Silo, around its calls. Like HDF5, Silo has variables of the process: only one thread at a time
 * calls it. Meanwhile nothing is printed about errors. errno is 0 at first. Not to be nested. */
void dg_silo_lock(void);
void dg_silo_unlock(void);

/* Prepares a file `name`, which messages call `path`. Copies both. Release in any case. */
int dg_silo_file_init(struct dg_silo_file *file, const char *name, const char *path, struct dg_ledger *ledger,
                      struct dg_error *err) DG_MUST_USE;
/* Creates NAME.part, or opens the part of another rank to write more; `bytes` are the most that will be added. Errors
 * of this and of the next functions are DG_ENVIRONMENT with the path and the system's reason. */
int dg_silo_file_create(struct dg_silo_file *file, const char *what, size_t bytes, struct dg_error *err) DG_MUST_USE;
int dg_silo_file_append(struct dg_silo_file *file, size_t bytes, struct dg_error *err) DG_MUST_USE;
/* Creates NAME.part for a caller that writes all of it without the library. */
int dg_silo_file_create_bare(struct dg_silo_file *file, size_t bytes, struct dg_error *err) DG_MUST_USE;
/* Closes the file, also after an error and when nothing is open; returns err's code. */
int dg_silo_file_close(struct dg_silo_file *file, struct dg_error *err);
/* Gives the complete file its name. */
int dg_silo_file_finish(struct dg_silo_file *file, struct dg_error *err) DG_MUST_USE;
/* After an error removes what this rank wrote. */
void dg_silo_file_release(struct dg_silo_file *file, const struct dg_error *err);

/* Fails for the file. The reason is the system's (errno must have been set to 0 before the call that failed), or else
 * Silo's. */
int dg_silo_failed(const char *path, const char *what, struct dg_error *err);

/* Options with the storage that Silo's pointers need. */
struct dg_silo_options {
  DBoptlist *list;
  int cycle;
  float time;
  double precise_time;
  char unit[64], label[DG_SILO_NAME];
};

/* Fills the options with time and cycle. Free the list with DBFreeOptlist. */
int dg_silo_options_init(struct dg_silo_options *options, const char *path, double time, int cycle,
                         struct dg_error *err) DG_MUST_USE;
/* Adds metres and the names of the axes, for meshes. */
void dg_silo_options_axes(struct dg_silo_options *options);
/* Adds label and unit, for variables. */
void dg_silo_options_label(struct dg_silo_options *options, const char *label, const char *unit);
