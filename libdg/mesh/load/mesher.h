/* Gmsh in a process of its own: the program `curlew-mesh` is found, started, watched, and its answer read.
 *
 * Request and answer are parcels in memory that has a descriptor but no name. The process has neither this one's
 * descriptors nor its MPI, and ends when this one does. If it crashes, exits, or is ended by its limits, that is an
 * error of this process, with one line. */
#pragma once

#include <stdbool.h>

#include "libdg/mesh/load/parcel.h"
#include "libdg/mesh/load/request.h"

/* Finds curlew-mesh. It is looked for in the environment variable CURLEW_MESHER, the folder of this program, the folder
 * ../libexec/curlew beside it, the folder of the installation, and the folder of the build. Free *path. DG_ENVIRONMENT:
 * it is in none of them. */
int dg_mesher_find(char **path, struct dg_error *err) DG_MUST_USE;

/* Has the request carried out; *answer is open then, to be closed. Errors as those of dg_mesh_load which concern the
 * process. Not collective. The calling thread must live until it returns.
 * *meshed, also behind an error: Gmsh made a mesh, or died at it; it did not only read one, and was in time. */
int dg_mesher_ask(int *answer, const struct dg_request *request, bool *meshed, struct dg_error *err) DG_MUST_USE;
