/* The only part that knows Gmsh, together with the other gmsh_*.c; it belongs to the program `curlew-mesh`
 * (mesher_main.c) and to nothing else. */
#pragma once

#include "libdg/mesh/load/geo_parameters.h"
#include "libdg/mesh/mesh.h"
#include "libdg/mesh/load/gmsh_model.h"

/* Starts Gmsh, opens the file of the options, meshes it if it is a geometry, and fills the model. part: 1 and
 * up when the file holds one part of a mesh, 0 for all of it; a part has its points in the order of Gmsh's node tags,
 * which are `number`, and names all entities of the model, also those that lie in other parts. Lines for the log of the
 * run are added with dg_model_note. Errors as those of dg_mesh_load. Release the model also then. */
int dg_gmsh_load(struct dg_model *model, const struct dg_mesh_options *options, int part,
                 struct dg_error *err) DG_MUST_USE;

/* Fills the model with the version of the Gmsh library in use, and with nothing else. */
void dg_gmsh_get_version(struct dg_model *model);
