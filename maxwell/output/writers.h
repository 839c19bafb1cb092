/* The formats of snapshots that this program has. output.c, check.c, file_names.c and summary.c read the list. */
#pragma once

#include "libdg/io/snapshot_writer.h"

/* NULL-terminated. The first is the one that runs write; a new format is a line here. */
extern const struct dg_snapshot_writer *const mx_snapshot_writers[];
