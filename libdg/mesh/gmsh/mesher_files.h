/* Notes the files that curlew-mesh opens. Its own open and fopen stand in front of those of the C library, for all
 * libraries of the process, and write down the names that they are called with. */
#pragma once

#include "libdg/mesh/load/gmsh_model.h"

/* Starts writing names down. Adds Gmsh and this program to the sources of the model: call it while their files can be
 * looked at. */
int dg_mesher_files_watch(struct dg_model *model, struct dg_error *err) DG_MUST_USE;
/* Names the folder of geometry that comes with the program. A script that includes "curlew/NAME.geo" gets it from there
 * if there is no such file beside the script. NULL, or a path that is too long: there is none. */
void dg_mesher_files_library(const char *folder);
/* Adds the files to the sources of the model; and sets `uncertain` when the mesh may depend on something else. Call it
 * once, at the end. */
int dg_mesher_files_report(struct dg_model *model, struct dg_error *err) DG_MUST_USE;
