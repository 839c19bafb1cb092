/* Values on a grid of n0 x n1 points of a surface, as a Silo file: quadrilaterals in space, values at the nodes. */
#pragma once

#include "libdg/io/snapshot_writer.h"

/* Writes `path`: an unstructured mesh "mesh" of quadrilaterals, of topological dimension 2, the variables, and the
 * expressions that join them to vectors. The file is whole or absent, as that of dg_silo_write. Errors: DG_ENVIRONMENT
 * with the path and the system's reason; DG_INPUT for more points than Silo counts (int). */
int dg_silo_write_grid(const char *path, const struct dg_grid *grid, struct dg_error *err) DG_MUST_USE;
