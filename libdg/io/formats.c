/* The list of formats of snapshots. */
#include "libdg/io/formats.h"

#define DG_FORMAT(word) &dg_##word##_format,
const struct dg_snapshot_writer *const dg_formats[] = {DG_FORMAT_LIST(DG_FORMAT)};
