/* Gmsh is started, opens a file and meshes it, and is ended. Beside gmsh_reader.c, which reads the model meanwhile, the
 * only part that knows Gmsh. */
#pragma once

#include <stdio.h>

#include "libdg/mesh/geo_parameters.h"
#include "libdg/mesh/mesh.h"

int dg_gmsh_check_file(const char *file, struct dg_error *err) DG_MUST_USE;
/* known: of that file. */
int dg_gmsh_check_options(const struct dg_mesh_options *options, const struct dg_geo_parameters *known,
                          struct dg_error *err) DG_MUST_USE;
/* Behind both: the model of the file is there, with a mesh. If *started, dg_gmsh_stop follows, also behind an error. */
int dg_gmsh_open(const struct dg_mesh_options *options, const struct dg_geo_parameters *known, int *started,
                 struct dg_error *err) DG_MUST_USE;
/* Hands over what Gmsh said (messages may be NULL) and ends it. */
void dg_gmsh_stop(FILE *messages);
