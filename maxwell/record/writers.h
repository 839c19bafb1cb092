/* The formats of snapshots that this program has. output.c, check.c, file_names.c and summary.c read the list. */
#pragma once

#include "libdg/io/snapshot_writer.h"
#include "maxwell/model/config.h"

/* NULL-terminated, in the order of mx_format. The first also writes planes; a new format is a line here. */
extern const struct dg_snapshot_writer *const mx_snapshot_writers[];

/* Those that a run writes. */
enum { MX_WRITERS = 2 };
struct mx_writers {
  size_t count;
  const struct dg_snapshot_writer *writer[MX_WRITERS];
};
struct mx_writers mx_chosen_writers(const struct mx_config *config);
