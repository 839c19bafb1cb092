/* Periodic boundaries (`boundaries.X = { kind = "periodic", with = "Y" }`): their faces become neighbours of those on
 * the opposite side before the mesh is shared out (libdg/mesh/period.h). setup_mesh.c calls it. */
#pragma once

#include "maxwell/model/config.h"
#include "libdg/base/log.h"
#include "libdg/mesh/mesh.h"

/* Says whether any boundary of the script is periodic. */
bool mx_periods_wanted(const struct mx_config *config);

/* Before layers grow: makes both sides alike, so that what grows beside them is alike, too. DG_INPUT with the place in
 * the script and in the mesh: sides that do not have the same triangles. Rank 0 alone has the mesh. Not collective. */
int mx_periods_order(const struct mx_config *config, struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
/* When the mesh is complete: joins the sides, with what has grown beside them, and says so in the log. */
int mx_periods_join(const struct mx_config *config, struct dg_mesh *mesh, struct dg_log *log,
                    struct dg_error *err) DG_MUST_USE;
