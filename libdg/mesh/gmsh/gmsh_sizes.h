/* The sizes of elements that the caller and the geometry ask for. */
#pragma once

#include "libdg/mesh/load/gmsh_model.h"
#include "libdg/mesh/mesh.h"

/* Refuses geometries that ask for elements of second order, which this program does not have. */
int dg_gmsh_check_wishes(const struct dg_mesh_options *options, struct dg_error *err) DG_MUST_USE;
/* The metres per drawing unit. Mesh.ScalingFactor acts as it does on a mesh that Gmsh saves, which has the factor in
 * its coordinates already. */
double dg_gmsh_unit(const struct dg_mesh_options *options);

/* Sets the sizes: mesh.size bounds all sizes from above; sizes of the geometry that are smaller stay. Call it once,
 * before the first mesh. */
void dg_gmsh_set_sizes(const struct dg_mesh_options *options);
/* Refuses a size that would make so many elements that Gmsh would mesh for ever: a drawing in millimetres and a size in
 * metres. Call it when the sizes are set. */
int dg_gmsh_check_count(const struct dg_mesh_options *options, struct dg_error *err) DG_MUST_USE;
/* Does the geometry ask for sizes at some places? */
bool dg_gmsh_graded(const struct dg_mesh_options *options);
/* Notes for the log which sizes came from where, and which edges came out. */
int dg_gmsh_note_sizes(struct dg_model *model, const struct dg_mesh_options *options, struct dg_error *err) DG_MUST_USE;
