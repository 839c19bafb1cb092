/* The formats of snapshots that this program has: the one list. A format is a line here; its number in the list is its
 * bit in output.fields.format. Its table is in a file or folder of its own (libdg/io/silo, libdg/io/vtkhdf). */
#pragma once

#include "libdg/io/snapshot_writer.h"

/* X(word): the format's name in scripts, messages and summary.json, with the table dg_WORD_format. The first is the
 * default, and also writes planes. */
#define DG_FORMAT_LIST(X) X(silo) X(vtkhdf)

#define DG_FORMAT(word) extern const struct dg_snapshot_writer dg_##word##_format;
DG_FORMAT_LIST(DG_FORMAT)
#undef DG_FORMAT
#define DG_FORMAT(word) DG_FORMAT_##word,
enum { DG_FORMAT_LIST(DG_FORMAT) DG_FORMATS }; /* their numbers, and how many there are */
#undef DG_FORMAT
extern const struct dg_snapshot_writer *const dg_formats[DG_FORMATS];
