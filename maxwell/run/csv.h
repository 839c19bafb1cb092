/* Tables as text: opening, closing and what to say when the disk does not take them. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "libdg/base/error.h"

/* DG_ENVIRONMENT with the path and the reason in errno, which was set to 0 before the call that failed. */
int mx_csv_failed(const char *path, struct dg_error *err);
/* Creates the file with its first line, or, to `resume`, opens the one that is there (mx_archive_file then says where
 * to go on). */
int mx_csv_open(FILE **file, const char *path, const char *header, bool resume, struct dg_error *err) DG_MUST_USE;
/* What was written so far goes to the system; file may be NULL. Also an error when somebody has removed the file: the
 * system would go on to take what nobody will see. */
int mx_csv_flush(FILE *file, const char *path, struct dg_error *err) DG_MUST_USE;
/* Closes *file, which may be NULL, and sets it to NULL; a write that failed earlier, or a file that was removed,
 * is an error here at the latest. */
int mx_csv_close(FILE **file, const char *path, struct dg_error *err) DG_MUST_USE;
