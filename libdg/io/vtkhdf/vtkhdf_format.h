/* VTKHDF behind the seam of snapshots (libdg/io/snapshot_writer.h). */
#pragma once

#include "libdg/io/snapshot_writer.h"

extern const struct dg_snapshot_writer dg_vtkhdf_format;
