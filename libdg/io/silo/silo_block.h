/* What one rank has of a snapshot, its block: the mesh, fields and averages, and how they get into an open file.
 * silo_writer.c calls it; names of files and the order of ranks are its affair. */
#pragma once

#include <stdbool.h>

#include "libdg/comm/comm.h"
#include "libdg/io/silo/silo_file.h"
#include "libdg/io/silo/silo_groups.h"
#include "libdg/io/silo/silo_kept.h"
#include "libdg/io/snapshot_writer.h"

struct dg_silo_block {
  const struct dg_snapshot *snapshot;
  struct dg_silo_groups groups;
  bool once; /* the mesh is in files of its own */
  size_t fields;
  struct dg_snapshot_field *field; /* [fields]: the snapshot's, and the rank */
  double *rank;                    /* [K] */
  size_t nodes;                    /* K * Np */
  struct dg_silo_mesh *mesh;       /* of the series, or `own` */
  struct dg_silo_mesh own;
  size_t averages; /* variables at nodes, when there are points that other ranks have as well */
  double *average; /* [merge->shared][averages] */
  size_t variables;
  double *record; /* see silo_root.h */
};

/* Collective where several ranks share a file. Finds the mesh, its digest, the fields and the record. `kept` is of the
 * series, or NULL; `path`, the snapshot's, is for messages. Release the block behind an error, too. Errors: DG_INPUT
 * when the nodes or sub-tetrahedra are more than Silo can count, DG_ENVIRONMENT. */
int dg_silo_block_init(struct dg_silo_block *block, const struct dg_snapshot *snapshot, struct dg_silo_mesh *kept,
                       struct dg_comm *comm, const char *path, struct dg_error *err) DG_MUST_USE;
void dg_silo_block_release(struct dg_silo_block *block);

/* Upper bounds, in bytes, of what block and mesh add to their files. */
size_t dg_silo_block_size(const struct dg_silo_block *block);
size_t dg_silo_block_mesh_size(const struct dg_silo_block *block);

/* Collective. Averages the values at nodes that other ranks have as well. */
int dg_silo_block_share(struct dg_silo_block *block, struct dg_comm *comm, const char *path,
                        struct dg_error *err) DG_MUST_USE;
/* Writes the block into an open file of Silo's, in a directory of its own, and fills the record; the mesh with it, if
 * it has no file of its own. */
int dg_silo_block_write(struct dg_silo_block *block, const struct dg_silo_file *file, struct dg_error *err) DG_MUST_USE;
/* Writes the mesh into an open file of meshes. */
int dg_silo_block_write_mesh(const struct dg_silo_block *block, const struct dg_silo_file *file,
                             struct dg_error *err) DG_MUST_USE;

/* The second and later files of blocks can be written by pattern (silo_pattern.h) instead of by Silo. Tells whether
 * this block may be, and whether its pattern is known; finds the pattern in a complete file, unless it is known or of
 * no use; gives the size of a file; writes one that is open and empty, and fills the record. */
bool dg_silo_block_may_have_pattern(const struct dg_silo_block *block);
bool dg_silo_block_knows_pattern(const struct dg_silo_block *block);
int dg_silo_block_find_pattern(struct dg_silo_block *block, const char *file, struct dg_error *err) DG_MUST_USE;
size_t dg_silo_block_bare_size(const struct dg_silo_block *block);
int dg_silo_block_write_bare(struct dg_silo_block *block, const struct dg_silo_file *file,
                             struct dg_error *err) DG_MUST_USE;
