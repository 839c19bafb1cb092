/* The log of a run: to the terminal and, once opened, to log.txt. Only rank 0 speaks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

struct dg_log; /* opaque */

/* Makes a log. With `echo` it prints to stdout too, without it writes to the file only. Free with dg_log_free; NULL is
 * safe. */
int dg_log_new(struct dg_log **log, int echo, struct dg_error *err) DG_MUST_USE;
void dg_log_free(struct dg_log *log);
/* From here on lines also go to the file. Earlier lines are written first. With `append` they come behind the content
 * of the file. */
int dg_log_open(struct dg_log *log, const char *path, bool append, struct dg_error *err) DG_MUST_USE;
/* Logs one line and adds the newline. A NULL log is silent. */
void dg_log_line(struct dg_log *log, const char *format, ...) DG_PRINTF(2, 3);
/* Logs a line with the prefix "warning: ", to stderr instead of stdout whether or not there is an echo. */
void dg_log_warning(struct dg_log *log, const char *format, ...) DG_PRINTF(2, 3);
/* From here on lines are dropped, or lines and warnings, or nothing. Progress is never. NULL is safe. */
enum dg_hush { DG_HUSH_NOTHING, DG_HUSH_LINES, DG_HUSH_WARNINGS };
void dg_log_hush(struct dg_log *log, enum dg_hush hush);
/* A piece of a line of progress. Where the terminal is too narrow for all, pieces of the greatest rank go first. Those
 * of rank 0 stay, and are cut. */
struct dg_piece {
  const char *text;
  int rank;
};
/* Logs a line of progress: `count` pieces, with two spaces between them. On a terminal it replaces the line of progress
 * before it and has at most as many columns as the terminal; the line goes before anything else is logged, and with the
 * log. Anywhere else it is a line like others, with all pieces and without control characters. In the file such lines
 * grow rare, from one a minute to one in ten. */
void dg_log_progress(struct dg_log *log, size_t count, const struct dg_piece *piece);
/* For what prints to stdout beside the log: takes a line of progress away, if stdout is a terminal where it may stand.
 */
void dg_log_clear_line(void);
/* Is stdout a terminal whose lines can be replaced? The stdout of a process that mpirun or the like has started is not:
 * its output goes through the launcher, often to a file, and a pseudo-terminal on the way says nothing. */
bool dg_log_on_terminal(const struct dg_log *log);

/* A pace for lines that somebody waits for at first and that would fill a disk in the end. One line comes every `least`
 * seconds, later lines when twice as much time has passed, and in the end one every `most`. */
struct dg_pace {
  double least, most;
  double begun, last; /* s of a clock, of the caller's */
};
/* Is a line due? Then it counts as said. */
bool dg_pace_due(struct dg_pace *pace, double now);
/* 0 if all that was written reached the file, else the errno of the first failure. */
int dg_log_status(const struct dg_log *log);
