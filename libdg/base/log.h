/* The log of a run: to the terminal and, once opened, to log.txt. Only rank 0 speaks. */
#pragma once

#include <stdbool.h>

#include "libdg/base/error.h"

struct dg_log; /* opaque */

/* echo: 1 prints to stdout too; 0 writes to the file only. Free with dg_log_free; NULL is safe. */
int dg_log_new(struct dg_log **log, int echo, struct dg_error *err) DG_MUST_USE;
void dg_log_free(struct dg_log *log);
/* From now on lines also go to the file (what was said before is written first), behind what is in it if `append`. */
int dg_log_open(struct dg_log *log, const char *path, bool append, struct dg_error *err) DG_MUST_USE;
/* One line, newline added. A NULL log is silent. */
void dg_log_line(struct dg_log *log, const char *format, ...) DG_PRINTF(2, 3);
/* As dg_log_line, prefixed "warning: ", and to stderr instead of stdout whether or not there is an echo. */
void dg_log_warning(struct dg_log *log, const char *format, ...) DG_PRINTF(2, 3);
/* A line that replaces the one before it on a terminal; in the file they grow rare, from one a minute to one in ten. */
void dg_log_progress(struct dg_log *log, const char *format, ...) DG_PRINTF(2, 3);
/* Is stdout a terminal whose lines can be replaced? Not that of a process which mpirun or the like has started: what it
 * prints goes through them, often to a file, and a pseudo-terminal on the way says nothing. */
bool dg_log_on_terminal(const struct dg_log *log);

/* Lines that somebody waits for at first and that fill a disk in the end: one every `least` seconds, later ones when
 * twice as much time has passed, and from then on every `most`. */
struct dg_pace {
  double least, most;
  double begun, last; /* s of a clock, of the caller's */
};
/* Is one due? Then it counts as said. */
bool dg_pace_due(struct dg_pace *pace, double now);
/* 0 if all that was written reached the file, else the errno of the first failure. */
int dg_log_status(const struct dg_log *log);
