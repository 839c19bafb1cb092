/* Meshes that Gmsh has partitioned: their number of parts, and reading one file a part. */
#pragma once

#include "libdg/mesh/mesh.h"

/* The number of partitions of the mesh to which a file belongs, as a .msh file of version 4 says; 0 when it does not
 * say, or cannot be read. */
int dg_msh_partitions(const char *file);

/* As dg_mesh_load, loads a file that holds one part (1 and up) of a mesh, or (0) all of it. A part has its vertices in
 * the order of Gmsh's node tags, which are global_vertex, and all entities of the model, also those that lie in other
 * parts. */
int dg_mesh_load_part(struct dg_mesh *mesh, const struct dg_mesh_options *options, int part,
                      struct dg_error *err) DG_MUST_USE;
