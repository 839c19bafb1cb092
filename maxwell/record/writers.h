/* The formats of snapshots (libdg/io/formats.h) that a run writes. */
#pragma once

#include "libdg/io/formats.h"
#include "maxwell/model/config.h"

struct mx_writers {
  size_t count;
  const struct dg_snapshot_writer *writer[DG_FORMATS];
};
struct mx_writers mx_chosen_writers(const struct mx_config *config);
