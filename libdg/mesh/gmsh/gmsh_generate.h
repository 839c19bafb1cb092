/* Gmsh meshes the geometry that it has read: sizes, and repair of what comes out. Part of the process `curlew-mesh`, as
 * gmsh_session.h; the functions of it that both need stand here as well. */
#pragma once

#include "libdg/mesh/mesh.h"
#include "libdg/mesh/load/gmsh_model.h"

/* Fails when Gmsh said so or logged an error since it was started: "Gmsh could not `what` 'file': ...". */
int dg_gmsh_check(const char *what, const char *file, int failed, struct dg_error *err) DG_MUST_USE;
/* An option that this version does not have is not needed. */
void dg_gmsh_set(const char *name, double value);
/* otherwise: the value of an option that this version does not have. */
double dg_gmsh_get(const char *name, double otherwise);

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

/* Meshes the volumes (dim, tag; `count` numbers). */
int dg_gmsh_generate(struct dg_model *model, const struct dg_mesh_options *options, const int *volume, size_t count,
                     struct dg_error *err) DG_MUST_USE;
/* The mesh that was generated and read into the model is repaired (repair.h), other meshes are tried where that is not
 * enough, and the log learns of it. */
int dg_gmsh_improve(struct dg_model *model, const struct dg_mesh_options *options, struct dg_error *err) DG_MUST_USE;
