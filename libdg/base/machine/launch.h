/* The way in which the program was started. */
#pragma once

#include <stdbool.h>

/* Was the program started by mpirun, srun or the like? A plain start needs no MPI. Without it there is no daemon, no
 * half second of waiting, and no folder in /tmp, which may be full. */
bool dg_launched(void);
