/* The list of formats of snapshots, the only place above libdg that knows them by name. output.c, check.c, file_names.c
 * and summary.c read it. */
#include "maxwell/output/writers.h"

#include "libdg/io/silo/silo_format.h"

const struct dg_snapshot_writer *const mx_snapshot_writers[] = {&dg_silo_format, NULL};
