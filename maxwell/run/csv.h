/* Tables as text: opening, closing and what to say when the disk does not take them. */
#pragma once

#include <stdio.h>

#include "libdg/base/error.h"

/* DG_ENVIRONMENT with the path and the reason in errno, which was set to 0 before the call that failed. */
int mx_csv_failed(const char *path, struct dg_error *err);
/* Creates the file with its first line. */
int mx_csv_open(FILE **file, const char *path, const char *header, struct dg_error *err) DG_MUST_USE;
/* Closes *file, which may be NULL, and sets it to NULL; a write that failed earlier is an error here at the latest. */
int mx_csv_close(FILE **file, const char *path, struct dg_error *err) DG_MUST_USE;
