/* How the program was started. */
#pragma once

#include <stdbool.h>

/* Was the program started by mpirun, srun or the like? A plain start needs no MPI, and does without its daemon, its
 * half second, and its folder in /tmp, which may be full. */
bool dg_launched(void);
