/* Silo snapshots of nodal fields that look as their order: every element becomes order^3 linear tetrahedra between its
 * own nodes; values are not averaged between elements unless asked. A vector E is written as Ex, Ey, Ez and the
 * expression E; what has a value an element is centred on zones. libdg/io/formats.h puts this behind the seam
 * (libdg/io/snapshot_writer.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libdg/comm/comm.h"
#include "libdg/io/silo/silo_kept.h"
#include "libdg/io/snapshot_writer.h"

/* Collective. Writes `path`, "folder/name.silo", the root file: a multi-block mesh "mesh" and multi-block variables
 * over the blocks. One rank alone has its block in the same file, in the directory block_000000. Several ranks have
 * theirs in "folder/blocks/name_0000.silo" and so on, a file for every group of neighbouring ranks, which write one
 * after the other, each to its own directory (block_000007 of rank 7); names in the root are relative, so that the
 * folder may be moved. They also get the variable "rank", one number an element.
 *
 * `kept` is for the next snapshot of the series; NULL: everything is made for this file alone.
 *
 * With mesh_once, which needs `kept`, the blocks of one rank, too, lie in "folder/blocks/name_0000.silo", and what they
 * have in common, their meshes, in "folder/blocks/mesh_0123456789abcdef_0000.silo". That is called after its content,
 * so that no snapshot finds another one's mesh: the first one writes it, or finds it there, later ones name it in their
 * roots and write it again only when somebody has taken it away.
 *
 * A file appears under its name only when it is complete: it is written beside it (.part) and renamed, the meshes
 * first, the root when all others have their names. After an error on any rank no root and no file of blocks is left;
 * an older file `path` may be gone then. Errors: DG_ENVIRONMENT with the path and the system's reason; DG_INPUT when
 * the nodes or sub-tetrahedra are more than Silo can count in one block (int).
 *
 * Several threads may write snapshots, with the same `kept` too, and others grids (silo_grid.h): one at a time
 * calls the library. With mesh_once, a file for each rank and no averages only the first file of blocks is the
 * library's, later ones are written beside each other; else a snapshot begins when the one before is whole. Files of
 * arrays (store.h) do not wait for that; nobody may write a snapshot meanwhile.
 *
 * Time and cycle are in the root; blocks have them only when they lie in it, else they say 0. */
int dg_silo_write(const char *path, const struct dg_snapshot *snapshot, struct dg_silo_mesh *kept, struct dg_comm *comm,
                  struct dg_error *err) DG_MUST_USE;

/* Writes a snapshot in two halves. The first says nothing to other ranks, so that a thread may write it while another
 * one uses the communicator. This is for several ranks that need not wait for each other (dg_silo_in_halves), because
 * each has a file of its own and there are no averages. */
struct dg_silo_job; /* opaque */
bool dg_silo_in_halves(int files, bool average, const struct dg_comm *comm);
/* Writes this rank's block, under its .part name. All that the snapshot points to, but for its list of fields, must
 * stay until the second half. *job is NULL behind an error. */
int dg_silo_write_block(struct dg_silo_job **job, const char *path, const struct dg_snapshot *snapshot,
                        struct dg_silo_mesh *kept, struct dg_comm *comm, struct dg_error *err) DG_MUST_USE;
/* Collective. Writes the root and gives the files their names. The job is gone in any case. */
int dg_silo_write_names(struct dg_silo_job *job, struct dg_error *err) DG_MUST_USE;
/* Removes the block, instead of the second half. NULL is safe. */
void dg_silo_abandon(struct dg_silo_job *job);
const char *dg_silo_version(void);
