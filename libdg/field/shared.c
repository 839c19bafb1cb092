/* Which nodes go to whom, and the sums. space.c finds the entities and gives nodes their numbers. */
#include "libdg/field/shared.h"

#include <stdlib.h>

#include "libdg/base/memory.h"

enum { OWN = -1 };

static int by_key(const void *a, const void *b)
{
  const struct dg_shared_entity *x = a, *y = b;
  for (int i = 0; i < 3; i++)
    if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
  return 0;
}

/* Peers see the entities that they have in common in the order of the keys: item n of one is item n of the other. */
static int list_items(struct dg_shared *shared, const struct dg_shared_entity *entity, const struct dg_meeting *meeting,
                      size_t meetings, struct dg_error *err)
{
  size_t n = 0;
  for (size_t m = 0; m < meetings; m++) {
    shared->items += (size_t)entity[meeting[m].index].nodes;
    shared->peers += m == 0 || meeting[m].peer != meeting[m - 1].peer;
  }
  if (DG_NEW(shared->node, shared->items, err) != 0 || DG_NEW(shared->peer, shared->peers, err) != 0) return err->code;
  struct dg_peer *peer = shared->peer - 1;
  for (size_t m = 0; m < meetings; m++) {
    if (m == 0 || meeting[m].peer != meeting[m - 1].peer)
      *++peer = (struct dg_peer){.rank = (int)meeting[m].peer, .send_first = n, .receive_first = n};
    const struct dg_shared_entity *common = &entity[meeting[m].index];
    for (int32_t i = 0; i < common->nodes; i++) shared->node[n++] = common->node + i;
    peer->receive_count = peer->send_count = n - peer->send_first;
  }
  return 0;
}

int dg_shared_init(struct dg_shared *shared, struct dg_comm *comm, size_t count, struct dg_shared_entity *entity,
                   struct dg_error *err)
{
  struct dg_meeting *meeting = NULL;
  size_t meetings = 0;
  *shared = (struct dg_shared){.comm = comm};
  if (count > 0) qsort(entity, count, sizeof *entity, by_key);
  if (dg_meet(comm, count, entity, &meeting, &meetings, err) == 0)
    (void)list_items(shared, entity, meeting, meetings, err);
  (void)!dg_exchange_new(&shared->exchange, comm, shared->peers, shared->peer, sizeof(double), err);
  dg_free(meeting);
  if (err->code != 0) dg_shared_release(shared);
  return err->code;
}

void dg_shared_release(struct dg_shared *shared)
{
  dg_exchange_free(shared->exchange);
  dg_free(shared->node);
  dg_free(shared->peer);
  dg_free(shared->place);
  dg_free(shared->row);
  dg_free(shared->from);
  dg_free(shared->foreign);
  *shared = (struct dg_shared){0};
}

static int swap(struct dg_shared *shared, struct dg_error *err)
{
  if (dg_exchange_start(shared->exchange, err) != 0) return err->code;
  return dg_exchange_finish(shared->exchange, err);
}

int dg_shared_swap(struct dg_shared *shared, const int32_t *value,
                   int (*take)(void *context, int32_t node, int32_t value, struct dg_error *err), void *context,
                   struct dg_error *err)
{
  double *send = dg_exchange_send_buffer(shared->exchange);
  const double *came = dg_exchange_receive_buffer(shared->exchange);
  for (size_t n = 0; n < shared->items; n++) send[n] = value[shared->node[n]];
  if (swap(shared, err) != 0) return err->code;
  for (size_t n = 0; n < shared->items; n++)
    if (take(context, shared->node[n], (int32_t)came[n], err) != 0) return err->code;
  return 0;
}

/* What is added to an unknown. */
struct term {
  int32_t unknown;
  int rank;
  int32_t from;
};

static int by_unknown(const void *a, const void *b)
{
  const struct term *x = a, *y = b;
  if (x->unknown != y->unknown) return x->unknown < y->unknown ? -1 : 1;
  return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* The terms of other ranks, and one of this rank for each unknown that has some. */
static size_t list_terms(const struct dg_shared *shared, size_t single, bool *seen, struct term *term)
{
  size_t terms = 0;
  for (size_t p = 0; p < shared->peers; p++) {
    const struct dg_peer *peer = &shared->peer[p];
    for (size_t n = peer->receive_first; n < peer->receive_first + peer->receive_count; n++) {
      const int32_t unknown = shared->node[n];
      if ((size_t)unknown >= single) continue; /* a body's */
      term[terms++] = (struct term){.unknown = unknown, .rank = peer->rank, .from = (int32_t)n};
      if (!seen[unknown])
        term[terms++] = (struct term){.unknown = unknown, .rank = dg_comm_rank(shared->comm), .from = OWN};
      seen[unknown] = true;
    }
  }
  if (terms > 0) qsort(term, terms, sizeof *term, by_unknown);
  return terms;
}

int dg_shared_settle(struct dg_shared *shared, const int32_t *unknown, size_t unknowns, size_t bodies,
                     struct dg_error *err)
{
  struct term *term = NULL;
  bool *seen = NULL;
  const size_t single = unknowns - bodies;
  for (size_t n = 0; n < shared->items; n++) shared->node[n] = unknown[shared->node[n]];
  if (DG_NEW(term, 2 * shared->items, err) == 0 && DG_NEW(seen, single, err) == 0 &&
      DG_NEW(shared->foreign, unknowns, err) == 0 && DG_NEW(shared->from, 2 * shared->items, err) == 0 &&
      DG_NEW(shared->place, shared->items, err) == 0 && DG_NEW(shared->row, shared->items + 1, err) == 0) {
    const size_t terms = list_terms(shared, single, seen, term);
    for (size_t i = 0; i < terms; i++) {
      if (i == 0 || term[i].unknown != term[i - 1].unknown) {
        shared->foreign[term[i].unknown] = term[i].from != OWN;
        shared->place[shared->places] = term[i].unknown;
        shared->row[shared->places++] = i;
      }
      shared->from[i] = term[i].from;
    }
    shared->row[shared->places] = terms;
    for (size_t b = single; b < unknowns; b++) shared->foreign[b] = dg_comm_rank(shared->comm) != 0;
  }
  dg_free(term);
  dg_free(seen);
  return err->code;
}

void dg_shared_sum(struct dg_shared *shared, size_t unknowns, size_t bodies, double *y)
{
  double *send = dg_exchange_send_buffer(shared->exchange);
  const double *came = dg_exchange_receive_buffer(shared->exchange);
  if (shared->err.code != 0) return;
  for (size_t n = 0; n < shared->items; n++) send[n] = y[shared->node[n]];
  if (swap(shared, &shared->err) != 0) return;
  for (size_t p = 0; p < shared->places; p++) {
    double sum = 0;
    for (size_t n = shared->row[p]; n < shared->row[p + 1]; n++)
      sum += shared->from[n] == OWN ? y[shared->place[p]] : came[shared->from[n]];
    y[shared->place[p]] = sum;
  }
  if (bodies > 0) (void)!dg_comm_reduce(shared->comm, DG_SUM, bodies, y + (unknowns - bodies), &shared->err);
}
