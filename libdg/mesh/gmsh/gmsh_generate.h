/* Gmsh meshes the geometry that it has read, and what comes out is repaired. Part of the process `curlew-mesh`, as
 * gmsh_session.h. */
#pragma once

#include "libdg/mesh/mesh.h"
#include "libdg/mesh/load/gmsh_model.h"

/* Meshes the volumes (dim, tag; `count` numbers). */
int dg_gmsh_generate(struct dg_model *model, const struct dg_mesh_options *options, const int *volume, size_t count,
                     struct dg_error *err) DG_MUST_USE;
/* The mesh that was generated and read into the model is repaired (repair.h), other meshes are tried where that is not
 * enough, and the log learns of it. */
int dg_gmsh_improve(struct dg_model *model, const struct dg_mesh_options *options, struct dg_error *err) DG_MUST_USE;
