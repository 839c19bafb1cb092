/* Reads the model that Gmsh holds into ours (dg_gmsh_load, gmsh_session.h). */
#pragma once

#include "libdg/mesh/load/gmsh_model.h"
#include "libdg/mesh/mesh.h"

/* The second half of dg_gmsh_load. */
int dg_gmsh_read(struct dg_model *model, const struct dg_mesh_options *options, int part,
                 struct dg_error *err) DG_MUST_USE;
