/* The cases of a sweep: one combination of arguments each, with its folder, its state on disk, and what came out. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "libdg/files/lock.h"
#include "maxwell/app/sweep/sweep_inputs.h"
#include "maxwell/app/sweep/sweep_options.h"

struct mx_case {
  size_t number;             /* from 0, in the order of the product; the last argument runs fastest */
  const char **value;        /* [axes] borrowed */
  char *name;                /* of its folder: "a=1,b=0.2" */
  char *folder, *note;       /* paths: the folder, and the note about it */
  uint64_t key;              /* digest of all that the run is known to depend on before it begins */
  uint64_t files;            /* digest of the files that it has read; 0: it is not known */
  bool done, kept;           /* the run is done; by an earlier sweep */
  bool restarts;             /* it goes on from a checkpoint */
  int exit_code;             /* -1: it was not run */
  double seconds;            /* wall clock of the process, of all parts of a run that went on */
  double before;             /* those of earlier sweeps */
  char *error;               /* message, or NULL */
  struct mx_outcome outcome; /* what it has left; the table reads it when it has ended */
  bool looked;               /* has it read it? */
  /* While it runs: */
  pid_t process; /* 0: it does not */
  int said;      /* file with what the process says to stderr */
  double started;
};

struct mx_cases {
  const struct mx_sweep_options *options; /* borrowed */
  char *output;                           /* folder of the sweep */
  size_t count;
  struct mx_case *item; /* [count] */
  struct dg_lock lock;
};

/* Makes the cases and looks which are done; touches nothing. DG_INPUT: the script cannot be read. Release in any case.
 */
int mx_cases_init(struct mx_cases *cases, const struct mx_sweep_options *options, struct dg_error *err) DG_MUST_USE;
void mx_cases_release(struct mx_cases *cases);
/* Makes the folder of the sweep and that of its notes, takes its lock, and looks again which cases are done.
 * DG_ENVIRONMENT: another sweep is at work there. */
int mx_cases_make_folder(struct mx_cases *cases, struct dg_error *err) DG_MUST_USE;
/* Finds the digest of the files that the run has read. */
int mx_case_look_at_files(struct mx_case *item, struct dg_error *err) DG_MUST_USE;
/* Notes that a run begins, or that it has ended. */
int mx_case_note(const struct mx_case *item, struct dg_error *err) DG_MUST_USE;
