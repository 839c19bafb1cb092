/* The mesh of a snapshot as the file has it. Private to this folder. */
#pragma once

#include "libdg/io/silo/silo_file.h"
#include "libdg/io/silo/silo_kept.h"
#include "libdg/io/snapshot_writer.h"

/* Makes the nodes, the sub-tetrahedra, their extent, and room to work in; nothing is left in the mesh behind an error.
 * `nodes` and `zones` are the snapshot's K Np and K order^3. */
int dg_silo_make_mesh(struct dg_silo_mesh *mesh, const struct dg_snapshot *snapshot, size_t nodes, size_t zones,
                      struct dg_error *err) DG_MUST_USE;
/* Writes the mesh to the file's current folder. Call it inside dg_silo_lock. Errors: the disk's. */
int dg_silo_put_mesh(const struct dg_silo_mesh *mesh, const struct dg_silo_file *file, struct dg_silo_options *options,
                     struct dg_error *err) DG_MUST_USE;
