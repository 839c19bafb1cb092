/* A directory that is spread over the ranks: the key of an entity says which rank keeps it. Everyone sends its keys to
 * their keepers, which answer each holder with the others. shared.c calls this. */
#include "libdg/field/meet.h"

#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"

struct record { /* of an entity, on its way to the keeper */
  int64_t key[3], index, from;
};

static size_t keeper(const int64_t key[3], size_t ranks)
{
  uint64_t hash = 0x9e3779b97f4a7c15U;
  for (int i = 0; i < 3; i++) hash = (hash ^ (uint64_t)key[i]) * 0xff51afd7ed558ccdU, hash ^= hash >> 33;
  return (size_t)(hash % ranks);
}

static int by_key(const void *a, const void *b)
{
  const struct record *x = a, *y = b;
  for (int i = 0; i < 3; i++)
    if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
  return x->from < y->from ? -1 : x->from > y->from;
}

static int by_peer(const void *a, const void *b)
{
  const struct dg_meeting *x = a, *y = b;
  if (x->peer != y->peer) return x->peer < y->peer ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* Sends what[count] items of `size` bytes to rank to[i] each. *received is new; from[ranks] gets how many came. */
static int deal(struct dg_comm *comm, size_t count, size_t size, const void *what, const size_t *to, void *received,
                size_t *from, struct dg_error *err)
{
  const size_t ranks = (size_t)dg_comm_size(comm);
  size_t *bytes = NULL, *next = NULL;
  char *sorted = NULL, **result = received;
  *result = NULL;
  if (err->code != 0) return err->code;
  if (DG_NEW(bytes, ranks, err) == 0 && DG_NEW(next, ranks, err) == 0 && DG_NEW(sorted, count * size, err) == 0) {
    for (size_t i = 0; i < count; i++) bytes[to[i]] += size;
    for (size_t r = 1; r < ranks; r++) next[r] = next[r - 1] + bytes[r - 1];
    for (size_t i = 0; i < count; i++) {
      memcpy(sorted + next[to[i]], (const char *)what + i * size, size);
      next[to[i]] += size;
    }
  }
  (void)!dg_comm_all_to_all(comm, bytes, sorted, received, from, err);
  for (size_t r = 0; err->code == 0 && r < ranks; r++) from[r] /= size;
  dg_free(bytes);
  dg_free(next);
  dg_free(sorted);
  return err->code;
}

/* The keeper's part: record[count] is sorted, and every holder of a key hears of the others. */
static int answer(struct dg_comm *comm, struct record *record, size_t count, struct dg_meeting **meeting,
                  size_t *meetings, struct dg_error *err)
{
  struct dg_meeting *said = NULL;
  size_t *to = NULL, *from = NULL, pairs = 0, n = 0;
  if (count > 0) qsort(record, count, sizeof *record, by_key);
  for (int pass = 0; pass < 2 && err->code == 0; pass++) {
    for (size_t i = 0, end; i < count; i = end) {
      for (end = i + 1; end < count && memcmp(record[end].key, record[i].key, sizeof record[i].key) == 0;) end++;
      for (size_t a = i; a < end; a++) {
        for (size_t b = i; b < end; b++) {
          if (a == b) continue;
          if (pass == 0) {
            pairs++;
            continue;
          }
          said[n] = (struct dg_meeting){.peer = record[b].from, .index = record[a].index};
          to[n++] = (size_t)record[a].from;
        }
      }
    }
    if (pass == 0 && DG_NEW(said, pairs, err) == 0) (void)!DG_NEW(to, pairs, err);
  }
  const size_t ranks = (size_t)dg_comm_size(comm);
  *meetings = 0;
  if (err->code == 0 && DG_NEW(from, ranks, err) == 0 && deal(comm, n, sizeof *said, said, to, meeting, from, err) == 0)
    for (size_t r = 0; r < ranks; r++) *meetings += from[r];
  if (*meetings > 0) qsort(*meeting, *meetings, sizeof **meeting, by_peer);
  dg_free(said);
  dg_free(to);
  dg_free(from);
  return err->code;
}

int dg_meet(struct dg_comm *comm, size_t count, const struct dg_shared_entity *entity, struct dg_meeting **meeting,
            size_t *meetings, struct dg_error *err)
{
  const size_t ranks = (size_t)dg_comm_size(comm);
  struct record *sent = NULL, *kept = NULL;
  size_t *to = NULL, *from = NULL, all = 0;
  *meeting = NULL;
  *meetings = 0;
  if (DG_NEW(sent, count, err) == 0 && DG_NEW(to, count, err) == 0 && DG_NEW(from, ranks, err) == 0) {
    for (size_t i = 0; i < count; i++) {
      sent[i] = (struct record){.index = (int64_t)i, .from = dg_comm_rank(comm)};
      memcpy(sent[i].key, entity[i].key, sizeof sent[i].key);
      to[i] = keeper(entity[i].key, ranks);
    }
    if (deal(comm, count, sizeof *sent, sent, to, (void *)&kept, from, err) == 0) {
      for (size_t r = 0; r < ranks; r++) all += from[r];
      (void)answer(comm, kept, all, meeting, meetings, err);
    }
  }
  dg_free(sent);
  dg_free(kept);
  dg_free(to);
  dg_free(from);
  return err->code;
}
