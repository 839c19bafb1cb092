/* Lists the shared faces of a part, sorted so that both sides have them in the same order: by the rank beyond and by
 * the face's number in the whole mesh. Backends exchange traces along these lists. */
#include "libdg/halo/halo.h"

#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"

/* A shared face. Both sides sort by numbers that both know: the rank beyond, then the face's numbers in the whole mesh,
 * the lower one first. */
struct shared {
  int32_t rank;
  int64_t low, high; /* 4 * element + face in the whole mesh, of the side with the lower and with the higher number */
  int32_t own, far;
};

static int compare(const void *a, const void *b)
{
  const struct shared *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return (x->high > y->high) - (x->high < y->high);
}

static size_t find_shared(const struct dg_mesh *mesh, struct shared *list)
{
  size_t count = 0;
  for (size_t e = mesh->interior; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      int32_t far = mesh->neighbour[e][f];
      if (far < 0 || (size_t)far / 4 < mesh->K) continue;
      if (list != NULL) {
        int64_t own = 4 * dg_mesh_global(mesh, e) + f, other = 4 * dg_mesh_global(mesh, (size_t)far / 4) + far % 4;
        list[count] = (struct shared){.rank = mesh->owner[(size_t)far / 4 - mesh->K],
                                      .low = own < other ? own : other,
                                      .high = own < other ? other : own,
                                      .own = 4 * (int32_t)e + f,
                                      .far = far};
      }
      count++;
    }
  return count;
}

int dg_halo_init(struct dg_halo *halo, const struct dg_mesh *mesh, struct dg_error *err)
{
  struct shared *list = NULL;
  *halo = (struct dg_halo){.faces = find_shared(mesh, NULL)};
  if (DG_NEW(list, halo->faces, err) != 0 || DG_NEW(halo->send, halo->faces, err) != 0 ||
      DG_NEW(halo->receive, halo->faces, err) != 0)
    goto fail;
  find_shared(mesh, list);
  qsort(list, halo->faces, sizeof *list, compare);
  for (size_t i = 0; i < halo->faces; i++) halo->peers += i == 0 || list[i].rank != list[i - 1].rank;
  if (DG_NEW(halo->peer, halo->peers, err) != 0) goto fail;
  size_t peers = 0;
  for (size_t i = 0; i < halo->faces; i++) {
    if (i == 0 || list[i].rank != list[i - 1].rank)
      halo->peer[peers++] = (struct dg_peer){.rank = list[i].rank, .send_first = i, .receive_first = i};
    halo->peer[peers - 1].send_count++;
    halo->peer[peers - 1].receive_count++;
    halo->send[i] = list[i].own;
    halo->receive[i] = list[i].far;
  }
  dg_free(list);
  return 0;
fail:
  dg_free(list);
  dg_halo_release(halo);
  return err->code;
}

void dg_halo_release(struct dg_halo *halo)
{
  dg_free(halo->send);
  dg_free(halo->receive);
  dg_free(halo->peer);
  *halo = (struct dg_halo){0};
}

int dg_halo_swap(const struct dg_halo *halo, struct dg_comm *comm, size_t bytes, const void *send, void *receive,
                 struct dg_error *err)
{
  struct dg_exchange *exchange;
  if (comm == NULL) return err->code;
  if (dg_exchange_new(&exchange, comm, halo->peers, halo->peer, bytes, err) != 0) return err->code;
  if (halo->faces > 0) memcpy(dg_exchange_send_buffer(exchange), send, halo->faces * bytes);
  if (dg_exchange_start(exchange, err) == 0 && dg_exchange_finish(exchange, err) == 0 && halo->faces > 0)
    memcpy(receive, dg_exchange_receive_buffer(exchange), halo->faces * bytes);
  dg_exchange_free(exchange);
  return err->code;
}
