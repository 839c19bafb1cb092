/* Finds out whether a launcher started the program. Launchers of MPI set variables of the environment to tell processes
 * who they are. */
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
