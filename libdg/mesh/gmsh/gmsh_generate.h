/* Lets Gmsh mesh the geometry that it has read, and repairs the mesh. Part of the process `curlew-mesh`, as
 * gmsh_session.h. */
#pragma once

#include "libdg/mesh/mesh.h"
#include "libdg/mesh/load/gmsh_model.h"

/* Meshes the volumes (dim, tag; `count` numbers). */
int dg_gmsh_generate(struct dg_model *model, const struct dg_mesh_options *options, const int *volume, size_t count,
                     struct dg_error *err) DG_MUST_USE;
/* Repairs the mesh that was generated and read into the model (repair.h). Where that is not enough, other meshes are
 * tried. The log tells about it. */
int dg_gmsh_improve(struct dg_model *model, const struct dg_mesh_options *options, struct dg_error *err) DG_MUST_USE;
