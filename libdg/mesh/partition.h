/* A mesh in parts: who gets which elements, and how they get there. */
#pragma once

#include "libdg/base/comm.h"
#include "libdg/mesh/mesh.h"

struct dg_partition_quality {
  size_t smallest, largest; /* elements of a part */
  double mean;
  size_t cut; /* faces between parts */
};

/* owner[K]: splits the mesh into `parts` of equal weight with as few faces between them as METIS (k-way; G. Karypis,
 * V. Kumar, SIAM J. Sci. Comput. 20 (1998) 359) finds. weight[K] > 0, or NULL for equal ones. The same mesh gives the
 * same parts. Not collective. Errors (DG_INPUT): more parts than elements; a part that ends up empty (the message names
 * the largest number that makes sense). */
int dg_mesh_partition(const struct dg_mesh *mesh, int parts, const int32_t *weight, int32_t *owner,
                      struct dg_error *err) DG_MUST_USE;
struct dg_partition_quality dg_mesh_partition_quality(const struct dg_mesh *mesh, int parts, const int32_t *owner);

/* Collective. Rank 0 has the whole mesh and owner[K], the others a mesh of zeros; in the end every rank has its part,
 * and rank 0 has let go of the rest. */
int dg_mesh_distribute(struct dg_mesh *mesh, const int32_t *owner, struct dg_comm *comm,
                       struct dg_error *err) DG_MUST_USE;
