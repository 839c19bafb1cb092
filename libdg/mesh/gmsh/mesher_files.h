/* Which files curlew-mesh opens: its own open and fopen stand in front of those of the C library, for all libraries of
 * the process, and write down what they are asked for. */
#pragma once

#include "libdg/mesh/load/gmsh_model.h"

/* From now on names are written down. Adds Gmsh and this program to the sources of the model: call it while they can be
 * looked at. */
int dg_mesher_files_watch(struct dg_model *model, struct dg_error *err) DG_MUST_USE;
/* Adds the files to the sources of the model; and `uncertain`, when the mesh may depend on something else. Call it
 * once, at the end. */
int dg_mesher_files_report(struct dg_model *model, struct dg_error *err) DG_MUST_USE;
