/* Groups of ranks. The blocks of several ranks lie in files, each of which a group of neighbouring ranks writes.
 * Private to this folder. */
#pragma once

#include <stdbool.h>

#include "libdg/comm/comm.h"

enum { DG_SILO_FILES = 32 }; /* of a snapshot that does not say how many */

struct dg_silo_groups {
  int ranks, rank, count, own;
  bool first, last; /* of its group */
};

/* Splits the ranks into at most `files` groups; 0: DG_SILO_FILES. A NULL communicator is one rank. */
void dg_silo_split_ranks(struct dg_silo_groups *groups, const struct dg_comm *comm, int files);
int dg_silo_group_of(const struct dg_silo_groups *groups, int rank);
