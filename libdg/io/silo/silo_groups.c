/* Finds the ranks that share a file of a snapshot: neighbouring ranks, in groups of nearly the same size. silo_block.c
 * asks this file who begins and who ends a file. */
#include "libdg/io/silo/silo_groups.h"

#include <stdint.h>

int dg_silo_group_of(const struct dg_silo_groups *g, int rank) { return (int)((int64_t)rank * g->count / g->ranks); }

void dg_silo_split_ranks(struct dg_silo_groups *g, const struct dg_comm *comm, int files)
{
  g->ranks = dg_comm_size(comm);
  g->rank = dg_comm_rank(comm);
  g->count = files > 0 ? files : DG_SILO_FILES;
  if (g->count > g->ranks) g->count = g->ranks;
  g->own = dg_silo_group_of(g, g->rank);
  g->first = g->rank == 0 || dg_silo_group_of(g, g->rank - 1) != g->own;
  g->last = g->rank == g->ranks - 1 || dg_silo_group_of(g, g->rank + 1) != g->own;
}
