/* Groups from the names and colours that a CAD file gives its solids and faces. Part of the process `curlew-mesh`, as
 * gmsh_session.h. */
#pragma once

#include "libdg/mesh/load/gmsh_model.h"
#include "libdg/mesh/mesh.h"

/* Makes the solids of a file that has several share the faces in which they touch, as elements on both sides must share
 * nodes. Solids that overlap fall into pieces. */
int dg_gmsh_join_solids(struct dg_model *model, const struct dg_mesh_options *options,
                        struct dg_error *err) DG_MUST_USE;
/* Gives the model groups of volumes, and of surfaces, where it has none: one for each name, and one for each colour
 * ("#ff0000") of what has no name. Gmsh's importers of STEP and IGES know them, also when a script merges such a file.
 * A note for the log says which. */
int dg_gmsh_name_groups(struct dg_model *model, struct dg_error *err) DG_MUST_USE;
/* Copies the name that a .msh file gives a physical group, "" if it gives none: of two groups of one name Gmsh forgets
 * the name of the second when it reads a file of version 2.2. */
int dg_gmsh_name_in_file(char **name, const char *file, int dim, int tag, struct dg_error *err) DG_MUST_USE;
