/* Launchers of MPI tell the processes that they start who they are by variables of the environment. */
#include "libdg/base/machine/launch.h"

#include <stddef.h>
#include <stdlib.h>

bool dg_launched(void)
{
  static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    if (getenv(variables[i]) != NULL) return true;
  return false;
}
