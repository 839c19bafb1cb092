/* The pattern of a run: the bytes that its files of blocks have in common, all but their values.
 *
 * Silo writes the first of these files. The pattern keeps the places in which HDF5 has put the values of each variable,
 * and the bytes around them. A later file is the pattern and its own values, in the same bytes that Silo would have
 * written. Later files need no library, which takes one thread at a time and one call for a variable: threads convert
 * and write pieces, also of several files at a time.
 *
 * Private to this folder. */
#pragma once

#include "libdg/io/snapshot_writer.h"

struct dg_silo_pattern; /* opaque */

/* The layout of a rank's block. Files with the same pattern have the same layout, but for the pointers to values. */
struct dg_silo_layout {
  int rank;
  size_t K, points, zones; /* elements, and what they have in the file */
  size_t fields;
  const struct dg_snapshot_field *field; /* [fields] */
  bool single;
};

/* Finds the pattern in the complete file `path` that Silo has written. *pattern is NULL where the file is not as
 * expected: then all files are Silo's. One thread at a time, and not inside dg_silo_lock. Errors: memory. */
int dg_silo_pattern_find(struct dg_silo_pattern **pattern, const struct dg_silo_layout *layout, const char *path,
                         struct dg_error *err) DG_MUST_USE;
/* Is it a pattern, and one of files with that layout? NULL is none. */
bool dg_silo_pattern_fits(const struct dg_silo_pattern *pattern, const struct dg_silo_layout *layout);
/* The bytes of a file with this pattern. */
size_t dg_silo_pattern_bytes(const struct dg_silo_pattern *pattern);
/* Writes all of a file through a descriptor, and the ranges of variables into the block's record (silo_root.h). Errors:
 * DG_ENVIRONMENT with the path, the system's reason and what was being written. */
int dg_silo_pattern_write(const struct dg_silo_pattern *pattern, const struct dg_silo_layout *layout, int file,
                          double *record, const char *path, struct dg_error *err) DG_MUST_USE;
/* Frees a pattern; NULL is safe. */
void dg_silo_pattern_free(struct dg_silo_pattern *pattern);
