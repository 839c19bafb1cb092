/* Picks the formats of snapshots that a script asks for. */
#include "maxwell/record/writers.h"

struct mx_writers mx_chosen_writers(const struct mx_config *config)
{
  struct mx_writers chosen = {0};
  for (int i = 0; i < DG_FORMATS; i++)
    if (config->output.fields.formats & 1 << i) chosen.writer[chosen.count++] = dg_formats[i];
  return chosen;
}
