/* What the files of blocks of a run have in common: all but their values.
 *
 * The first of them is Silo's. Where HDF5 has put the values of each variable, and what is around them, is kept; a
 * later file is that and its own values, in the same bytes that Silo would have written. They need no library, which
 * has one thread at a time and one call for a variable: threads convert and write pieces, and of several files at a
 * time.
 *
 * Private to this folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdg/base/error.h"

struct dg_silo_pattern; /* opaque */

/* A variable of the first file: its name there, with folders, and the bytes of its values. */
struct dg_silo_pattern_variable {
  const char *name;
  size_t bytes;
};

/* Looks at the complete file `path`; `key` is a digest of all that these files must have in common. NULL in *pattern
 * where the file is not as expected: then all files are Silo's. One thread at a time, and not inside
 * dg_silo_lock. Errors: memory. */
int dg_silo_pattern_find(struct dg_silo_pattern **pattern, uint64_t key, const char *path, size_t variables,
                         const struct dg_silo_pattern_variable *variable, struct dg_error *err) DG_MUST_USE;
/* Is it one, and of files with that key? NULL is none. */
bool dg_silo_pattern_fits(const struct dg_silo_pattern *pattern, uint64_t key);
/* Where the values of a variable begin, and how large files are. */
size_t dg_silo_pattern_place(const struct dg_silo_pattern *pattern, size_t variable);
size_t dg_silo_pattern_bytes(const struct dg_silo_pattern *pattern);
/* Writes all but the values: 0 or the system's reason. */
int dg_silo_pattern_write(const struct dg_silo_pattern *pattern, int file);
/* NULL is safe. */
void dg_silo_pattern_free(struct dg_silo_pattern *pattern);

/* As pwrite, all bytes: 0 or the system's reason. */
int dg_silo_write_at(int file, const void *from, size_t bytes, size_t place);
