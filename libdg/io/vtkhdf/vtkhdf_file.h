/* HDF5 files whose arrays are written without the library: it makes a file with its groups, names and empty arrays, and
 * says where in the file their numbers belong. Threads then write the numbers there, also of several files at a time.
 *
 * A file is written as NAME.part and gets its name when it is complete. Private to this folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"
#include "libdg/io/vtkhdf/vtkhdf_array.h"

struct dg_vtkhdf_file {
  char *path; /* in messages */
  char *name, *part;
  int descriptor;      /* negative: closed */
  bool touched, named; /* what an error has to remove: the part, the file under its name */
};

/* Prepares a file `name`, which messages call `path`. Copies both. Release in any case; zeroed is safe. */
int dg_vtkhdf_file_init(struct dg_vtkhdf_file *file, const char *name, const char *path,
                        struct dg_error *err) DG_MUST_USE;
/* Creates NAME.part with these arrays, and with `head` where it is not NULL; open for writing afterwards. Errors of
 * this and of the next functions are DG_ENVIRONMENT with the path and the reason. */
int dg_vtkhdf_file_create(struct dg_vtkhdf_file *file, size_t arrays, struct dg_vtkhdf_array *array,
                          const struct dg_vtkhdf_head *head, struct dg_error *err) DG_MUST_USE;
/* Closes the file, also after an error and when nothing is open; returns err's code. */
int dg_vtkhdf_file_close(struct dg_vtkhdf_file *file, struct dg_error *err);
/* Gives the complete file its name. */
int dg_vtkhdf_file_finish(struct dg_vtkhdf_file *file, struct dg_error *err) DG_MUST_USE;
/* After an error removes what this rank wrote. */
void dg_vtkhdf_file_release(struct dg_vtkhdf_file *file, const struct dg_error *err);

/* Fails for the file with errno's reason, or the library's. */
int dg_vtkhdf_failed(const char *path, const char *what, struct dg_error *err);
