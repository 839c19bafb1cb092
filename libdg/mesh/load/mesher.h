/* Gmsh in a process of its own: the program `curlew-mesh` is found, started, watched, and its answer read.
 *
 * Request and answer are parcels in memory that has a descriptor but no name. The process has neither this one's
 * descriptors nor its MPI, ends when this one does, and may crash, exit, or be ended by its limits: each of them is an
 * error of this process, with one line. */
#pragma once

#include <stdbool.h>

#include "libdg/mesh/load/parcel.h"
#include "libdg/mesh/load/request.h"

/* Where curlew-mesh is looked for: the environment variable CURLEW_MESHER, the folder of this program, the folder
 * ../libexec/curlew beside it, the one of the installation, the one of the build. Free *path. DG_ENVIRONMENT: nowhere.
 */
int dg_mesher_find(char **path, struct dg_error *err) DG_MUST_USE;

/* Has the request carried out; *answer is open then, to be closed. Errors as those of dg_mesh_load which concern the
 * process. Not collective. The calling thread must live until it returns.
 * *meshed, also behind an error: Gmsh made a mesh, or died at it; it did not only read one, and was in time. */
int dg_mesher_ask(int *answer, const struct dg_request *request, bool *meshed, struct dg_error *err) DG_MUST_USE;
