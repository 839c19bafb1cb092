/* The list of formats of snapshots, the only place above libdg that knows them by name. output.c, check.c, file_names.c
 * and summary.c read it. */
#include "maxwell/record/writers.h"

#include "libdg/io/silo/silo_format.h"
#include "libdg/io/vtkhdf/vtkhdf_format.h"

const struct dg_snapshot_writer *const mx_snapshot_writers[] = {&dg_silo_format, &dg_vtkhdf_format, NULL};

struct mx_writers mx_chosen_writers(const struct mx_config *config)
{
  struct mx_writers chosen = {0};
  for (int i = 0; mx_snapshot_writers[i] != NULL; i++)
    if (config->output.fields.formats & 1 << i) chosen.writer[chosen.count++] = mx_snapshot_writers[i];
  return chosen;
}
