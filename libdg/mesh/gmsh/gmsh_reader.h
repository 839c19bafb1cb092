/* Reads the model that Gmsh holds into ours (dg_gmsh_load, gmsh_session.h). */
#pragma once

#include "libdg/mesh/load/gmsh_model.h"
#include "libdg/mesh/mesh.h"

/* The second half of dg_gmsh_load. `generated`: Gmsh has just made the mesh, of first order. */
int dg_gmsh_read(struct dg_model *model, const struct dg_mesh_options *options, int part, bool generated,
                 struct dg_error *err) DG_MUST_USE;
