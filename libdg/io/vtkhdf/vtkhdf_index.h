/* The list of a series' snapshots as ParaView reads it: a file NAME.hdf.series in JSON, version 1.0.
 * ParaView 5.11 knows VTKHDF files by the ending .hdf alone, later ones by .vtkhdf, too. */
#pragma once

#include "libdg/io/snapshot_writer.h"

/* Writes the list to PATH.part and gives it its name. Errors: DG_ENVIRONMENT with the path and the system's reason. */
int dg_vtkhdf_write_list(const char *path, size_t count, const struct dg_snapshot_entry *entry,
                         struct dg_ledger *ledger, struct dg_error *err) DG_MUST_USE;
