/* HDF5, alone or below Silo, has variables of the process: only one thread at a time calls it. Writers of snapshots and
 * of grids hold this lock around their calls. It is not to be nested. */
#pragma once

void dg_library_lock(void);
void dg_library_unlock(void);
