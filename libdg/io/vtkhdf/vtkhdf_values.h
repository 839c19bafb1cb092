/* The numbers of a snapshot on their way to a file, piece by piece, by OpenMP's threads. Functions return 0 or the
 * system's reason. Private to this folder. */
#pragma once

#include "libdg/io/snapshot_writer.h"
#include "libdg/io/vtkhdf/vtkhdf_cell.h"

/* The mesh: points[3], m, at VTK's nodes, on the curved maps; connectivity; the ends of elements in it; types of cells.
 * Points stand in the order of the solver's nodes, [K][Np], or are the points of the merge. place[4]: where each of the
 * four arrays begins. `scratch` has room for 3 numbers a point with a merge. */
int dg_vtkhdf_write_mesh(const struct dg_vtkhdf_cell *cell, const struct dg_snapshot *snapshot, int file,
                         const size_t place[4], double *scratch) DG_MUST_USE;
/* A field without a merge: [K][Np][components] at VTK's nodes, or [K][components]. */
int dg_vtkhdf_write_field(const struct dg_vtkhdf_cell *cell, const struct dg_snapshot_field *field, size_t K,
                          bool single, int file, size_t place) DG_MUST_USE;
/* A field of averages: average[components][points] at the solver's nodes. `scratch` as above. */
int dg_vtkhdf_write_average(const struct dg_vtkhdf_cell *cell, const struct dg_node_merge *merge, size_t K,
                            int components, const double *average, bool single, int file, size_t place,
                            double *scratch) DG_MUST_USE;
