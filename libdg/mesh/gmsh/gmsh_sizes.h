/* How large elements shall be: what the caller and the geometry ask for. */
#pragma once

#include "libdg/mesh/load/gmsh_model.h"
#include "libdg/mesh/mesh.h"

/* Refuses what the geometry asks for and this program cannot do: elements of second order. */
int dg_gmsh_check_wishes(const struct dg_mesh_options *options, struct dg_error *err) DG_MUST_USE;
/* Metres per drawing unit: Mesh.ScalingFactor acts as it does on a mesh that Gmsh saves, which has it in already. */
double dg_gmsh_unit(const struct dg_mesh_options *options);

/* mesh.size bounds all sizes from above; those of the geometry that are smaller stay. Once, before the first mesh. */
void dg_gmsh_set_sizes(const struct dg_mesh_options *options);
/* The geometry asks for sizes at some places. */
bool dg_gmsh_graded(const struct dg_mesh_options *options);
/* The log learns which sizes came from where, and what came of them. */
int dg_gmsh_note_sizes(struct dg_model *model, const struct dg_mesh_options *options, struct dg_error *err) DG_MUST_USE;
