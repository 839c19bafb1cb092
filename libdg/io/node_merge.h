/* Nodes of different elements that are the same point in space, and averages over them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "libdg/comm/comm.h"
#include "libdg/mesh/mesh.h"
#include "libdg/ref/reference.h"

struct dg_node_merge {
  size_t nodes;   /* K * Np */
  size_t points;  /* distinct points */
  int32_t *point; /* [nodes] the point of node n of element e at [e * Np + n]; numbered as they first appear */
  int32_t *count; /* [points] nodes at a point, of this rank */

  /* Points that other ranks have as well. One of these ranks adds up the values of all at the point, and tells them. */
  size_t shared;
  int32_t *shared_point; /* [shared] in the order of the ranks that add up */
  size_t *to;            /* [ranks] how many each of them gets from this rank */
  size_t *from;          /* [ranks] how many this rank gets from each, `received` in all */
  size_t received, sums; /* different points among those received */
  int32_t *sum;          /* [received] to which sum each belongs */
  int32_t *sum_count;    /* [sums] nodes of all ranks */
};

/* Merges nodes through the faces that elements share: node m of a face is the same point on both sides (mesh.h), so
 * no coordinate is compared. Parts of a mesh that touch in an edge or a vertex only stay apart. Where ranks share the
 * mesh, a point that this rank's elements reach only through those of another rank may appear twice, with the same
 * averages. Collective. Errors: DG_INPUT for more nodes on this rank than int32_t counts. Release with
 * dg_node_merge_release; a zeroed struct is safe to release. */
int dg_node_merge_init(struct dg_node_merge *merge, const struct dg_mesh *mesh, const struct dg_reference *ref,
                       struct dg_comm *comm, struct dg_error *err) DG_MUST_USE;
void dg_node_merge_release(struct dg_node_merge *merge);

/* sum[points]: the sum over this rank's nodes at each point of value[nodes]. */
void dg_node_merge_sum(const struct dg_node_merge *merge, const double *value, double *sum);
/* Collective, with the communicator of dg_node_merge_init. data[shared][variables]: sums of this rank become averages
 * over the nodes of all ranks, the same to the last bit on each. */
int dg_node_merge_share(const struct dg_node_merge *merge, struct dg_comm *comm, size_t variables, double *data,
                        struct dg_error *err) DG_MUST_USE;
/* average[points] of value[nodes]. At shared points it is known already: shared_average[i * stride]; not read when
 * there are none. */
void dg_node_merge_average(const struct dg_node_merge *merge, const double *value, const double *shared_average,
                           size_t stride, double *average);
