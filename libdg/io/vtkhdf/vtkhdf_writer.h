/* VTKHDF snapshots of nodal fields, for ParaView: Lagrange tetrahedra of the elements' order, curved ones as curved
 * (vtkhdf_cell.h), every element with points of its own unless averages are asked for. Vectors are arrays of three
 * components; what has a value an element is data of cells. libdg/io/formats.h puts this behind the seam
 * (libdg/io/snapshot_writer.h).
 *
 * `path`, "folder/name.hdf", is the root. One rank has its fields in it. Several ranks have theirs in
 * "folder/blocks/name_0000.h5" and so on, a file each, and the root's arrays are virtual ones that join these; the part
 * of each rank is a piece of the grid. They also get the data "rank". With mesh_once the arrays of the mesh are in
 * "folder/blocks/mesh_0123456789abcdef_0000.h5", called after its content: the root of one rank links to them. All
 * names are relative to the root's folder. `files` of the snapshot is not heeded.
 *
 * A file appears under its name only when it is complete, the meshes first, the root last. After an error on any rank
 * no root and no file of values is left; an older file `path` may be gone then. Errors: DG_ENVIRONMENT with the path
 * and the system's reason.
 *
 * Any number of threads may write snapshots of a series at the same time, in halves too. */
#pragma once

#include "libdg/io/snapshot_writer.h"

struct dg_vtkhdf_series; /* opaque */
int dg_vtkhdf_series_new(struct dg_vtkhdf_series **series, struct dg_error *err) DG_MUST_USE;
void dg_vtkhdf_series_free(struct dg_vtkhdf_series *series); /* NULL is safe */

/* Collective. */
int dg_vtkhdf_write(struct dg_vtkhdf_series *series, const char *path, const struct dg_snapshot *snapshot,
                    struct dg_comm *comm, struct dg_error *err) DG_MUST_USE;

/* The two halves of the seam, for several ranks without averages. */
struct dg_vtkhdf_job; /* opaque */
bool dg_vtkhdf_in_halves(int files, bool average, const struct dg_comm *comm);
int dg_vtkhdf_write_part(struct dg_vtkhdf_series *series, struct dg_vtkhdf_job **job, const char *path,
                         const struct dg_snapshot *snapshot, struct dg_comm *comm, struct dg_error *err) DG_MUST_USE;
int dg_vtkhdf_finish(struct dg_vtkhdf_job *job, struct dg_error *err) DG_MUST_USE;
void dg_vtkhdf_abandon(struct dg_vtkhdf_job *job); /* NULL is safe */
const char *dg_vtkhdf_version(void);
