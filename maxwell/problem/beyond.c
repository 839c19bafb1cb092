/* Sends values of elements to the ranks that have their neighbours. The choice of levels and of the parts that are
 * examined for the limit of the step call it. */
#include "maxwell/problem/beyond.h"

#include <string.h>

#include "libdg/base/memory.h"

int mx_values_beyond(const struct mx_problem *problem, size_t bytes, const void *value, void *beyond,
                     struct dg_error *err)
{
  const struct dg_halo *halo = problem->halo;
  char *own;
  if (halo == NULL) return 0;
  if (DG_NEW(own, bytes * problem->ghosts, err) != 0) return err->code;
  for (size_t i = 0; i < problem->ghosts; i++)
    memcpy(own + bytes * i, (const char *)value + bytes * (size_t)(halo->send[i] / 4), bytes);
  (void)!dg_halo_swap(halo, problem->comm, bytes, own, beyond, err);
  dg_free(own);
  return err->code;
}
