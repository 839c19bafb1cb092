/* `curlew run` and `curlew check` of a script that asks for heat and for no fields: it has no `time`. */
#pragma once

#include "maxwell/setup/setup_mesh.h"
#include "maxwell/shell/folder.h"

/* Makes the mesh, computes heat, and writes the files of maxwell/heat/heat_record.h beside summary.json,
 * configuration.json and log.txt. resume: it goes on from the last checkpoint in the folder (DG_INPUT: there is none).
 * The setup has config, origin, log and comm, and gets a mesh; release it. folder: NULL for a check, which only looks
 * whether all is well. Collective. Errors: those of its parts. */
int mx_run_heat_alone(struct mx_setup *setup, struct mx_folder *folder, const struct mx_keeping *keeping, bool resume,
                      struct dg_error *err) DG_MUST_USE;
