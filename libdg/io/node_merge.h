/* Nodes of different elements that are the same point in space, and averages over them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "libdg/mesh/mesh.h"
#include "libdg/ref/reference.h"

struct dg_node_merge {
  size_t nodes;   /* K * Np */
  size_t points;  /* distinct points */
  int32_t *point; /* [nodes] the point of node n of element e at [e * Np + n]; numbered as they first appear */
  int32_t *count; /* [points] nodes at a point */
};

/* Merges nodes through the faces that elements share: node m of a face is the same point on both sides (mesh.h), so
 * no coordinate is compared. Parts of a mesh that touch in an edge or a vertex only stay apart, and so do the elements
 * of different ranks. The caller has checked that K * Np fits into int32_t. Release with dg_node_merge_release; a
 * zeroed struct is safe to release. */
int dg_node_merge_init(struct dg_node_merge *merge, const struct dg_mesh *mesh, const struct dg_reference *ref,
                       struct dg_error *err) DG_MUST_USE;
void dg_node_merge_release(struct dg_node_merge *merge);

/* average[points]: the mean over the nodes at each point of value[nodes]. */
void dg_node_merge_average(const struct dg_node_merge *merge, const double *value, double *average);
