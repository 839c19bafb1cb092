/* Curved maps for a mesh that Gmsh has made: nodes of higher order on the curves and surfaces of its model. Part of the
 * process `curlew-mesh`, as gmsh_session.h. */
#pragma once

#include "libdg/mesh/load/gmsh_model.h"
#include "libdg/mesh/mesh.h"

/* Moves a point (m) to the nearest one of a curve (dim 1) or surface (2) of Gmsh's model; *unit is the metres per
 * drawing unit. False: Gmsh cannot tell. */
bool dg_gmsh_project(void *unit, int dim, int tag, double x[3]);

/* Gives the model, as repair has left it, curved maps of the order that the options ask for (bend.h). */
int dg_gmsh_bend(struct dg_model *model, const struct dg_mesh_options *options, struct dg_error *err) DG_MUST_USE;
