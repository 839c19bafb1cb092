/* Is a mesh file there to its end? Gmsh reads what there is of most formats and says nothing of the rest. Every format
 * that has an end of its own, or counts in front of its lists, is looked at here; a file of another format, and a
 * binary one without an end, counts as complete. */
#pragma once

#include "libdg/base/error.h"

/* DG_INPUT: "mesh file 'x.unv' is cut off: ...". A file that cannot be opened is somebody else's error. */
int dg_mesh_file_complete(const char *file, struct dg_error *err) DG_MUST_USE;
