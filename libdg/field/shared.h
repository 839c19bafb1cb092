/* Nodes that several ranks have: who else has each, and sums over all of them.
 *
 * Ranks know each other's entities (vertices, edges, faces) by the numbers of their vertices in the whole mesh. An
 * entity that two ranks share lies on a face of each part that has no neighbour there: a face whose neighbour is
 * another rank's, or a boundary face. The ranks ask each other who has an entity through a directory that is spread
 * over all ranks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdg/comm/comm.h"
#include "libdg/field/meet.h"

struct dg_shared {
  struct dg_comm *comm; /* the caller's */
  size_t items;         /* to all peers, and as many from them */
  int32_t *node;        /* [items] in the order in which they are sent and received */
  size_t peers;
  struct dg_peer *peer; /* [peers] ascending ranks */
  struct dg_exchange *exchange;
  size_t places;       /* unknowns that some other rank has */
  int32_t *place;      /* [places] which */
  size_t *row;         /* [places + 1] into from */
  int32_t *from;       /* what adds to each, by ascending rank: items, or OWN */
  bool *foreign;       /* [unknowns] those that a lower rank counts */
  struct dg_error err; /* the first that happened in dg_shared_sum */
};

/* Finds the other ranks of entity[count], which it sorts; they must differ. Collective. DG_ENVIRONMENT: no memory.
 * Release with dg_shared_release; a zeroed struct is safe to release. */
int dg_shared_init(struct dg_shared *shared, struct dg_comm *comm, size_t count, struct dg_shared_entity *entity,
                   struct dg_error *err) DG_MUST_USE;
void dg_shared_release(struct dg_shared *shared);

/* Sends value[node] of every shared node and hands each value that comes to take(context, node, value). Collective. */
int dg_shared_swap(struct dg_shared *shared, const int32_t *value,
                   int (*take)(void *context, int32_t node, int32_t value, struct dg_error *err), void *context,
                   struct dg_error *err) DG_MUST_USE;

/* Nodes became unknowns: unknown[node] of `unknowns`, of which the last `bodies` belong to all ranks. */
int dg_shared_settle(struct dg_shared *shared, const int32_t *unknown, size_t unknowns, size_t bodies,
                     struct dg_error *err) DG_MUST_USE;

/* y[unknowns] of all ranks are added where they are the same unknown, in the order of the ranks: bit for bit the same
 * on all. Collective. An error stays in shared->err, and nothing more is sent. */
void dg_shared_sum(struct dg_shared *shared, size_t unknowns, size_t bodies, double *y);
