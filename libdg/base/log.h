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
/* A line that replaces the one before it when stdout is a terminal; not written to the file more than once a minute. */
void dg_log_progress(struct dg_log *log, const char *format, ...) DG_PRINTF(2, 3);
/* 0 if all that was written reached the file, else the errno of the first failure. */
int dg_log_status(const struct dg_log *log);
