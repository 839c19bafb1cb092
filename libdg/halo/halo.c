/* Lists the shared faces of a part, sorted so that both sides have them in the same order: by the rank beyond and by
 * the face's number in the whole mesh. Backends exchange traces along these lists. */
#include "libdg/halo/halo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"

/* A shared face. Both sides sort by numbers that both know: the rank beyond, then the face's numbers in the whole mesh,
 * the lower one first. */
struct shared {
  int32_t rank;
  bool upper;        /* of faces shared with itself: this is the side with the higher number */
  int64_t low, high; /* 4 * element + face in the whole mesh, of the side with the lower and with the higher number */
  int32_t own, far;
};

static int compare(const void *a, const void *b)
{
  const struct shared *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  if (x->upper != y->upper) return x->upper ? 1 : -1;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return (x->high > y->high) - (x->high < y->high);
}

static struct shared shared_face(int32_t rank, int64_t own_number, int64_t far_number, int32_t own, int32_t far)
{
  const bool lower = own_number < far_number;
  return (struct shared){.rank = rank,
                         .upper = rank == DG_SELF && !lower,
                         .low = lower ? own_number : far_number,
                         .high = lower ? far_number : own_number,
                         .own = own,
                         .far = far};
}

static size_t find_shared(const struct dg_mesh *mesh, struct shared *list)
{
  size_t count = 0;
  for (size_t e = mesh->interior; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      int32_t far = mesh->neighbour[e][f];
      if (far < 0 || (size_t)far / 4 < mesh->K) continue;
      if (list != NULL)
        list[count] = shared_face(mesh->owner[(size_t)far / 4 - mesh->K], 4 * dg_mesh_global(mesh, e) + f,
                                  4 * dg_mesh_global(mesh, (size_t)far / 4) + far % 4, 4 * (int32_t)e + f, far);
      count++;
    }
  return count;
}

/* Does a new run of faces begin at entry i? */
static bool begins(const struct shared *list, size_t i)
{
  return i == 0 || list[i].rank != list[i - 1].rank || list[i].upper != list[i - 1].upper;
}

/* Sorts the list of halo->faces faces and fills the halo with it. */
static int from_list(struct dg_halo *halo, struct shared *list, struct dg_error *err)
{
  if (DG_NEW(halo->send, halo->faces, err) != 0 || DG_NEW(halo->receive, halo->faces, err) != 0) return err->code;
  qsort(list, halo->faces, sizeof *list, compare);
  for (size_t i = 0; i < halo->faces; i++) halo->peers += begins(list, i);
  if (DG_NEW(halo->peer, halo->peers, err) != 0) return err->code;
  size_t peers = 0;
  for (size_t i = 0; i < halo->faces; i++) {
    if (begins(list, i)) {
      halo->peer[peers++] = (struct dg_peer){.rank = list[i].rank, .send_first = i, .receive_first = i};
    }
    halo->peer[peers - 1].send_count++;
    halo->peer[peers - 1].receive_count++;
    halo->send[i] = list[i].own;
    halo->receive[i] = list[i].far;
  }
  if (peers > 1 && halo->peer[1].rank == DG_SELF) {
    DG_BUG_IF(halo->peer[0].send_count != halo->peer[1].send_count, "a face is shared with itself on one side only");
    halo->peer[0].receive_first = halo->peer[1].send_first;
    halo->peer[1].receive_first = halo->peer[0].send_first;
  }
  return 0;
}

int dg_halo_init(struct dg_halo *halo, const struct dg_mesh *mesh, struct dg_error *err)
{
  struct shared *list = NULL;
  *halo = (struct dg_halo){.faces = find_shared(mesh, NULL)};
  if (DG_NEW(list, halo->faces, err) != 0) return err->code;
  find_shared(mesh, list);
  if (from_list(halo, list, err) != 0) dg_halo_release(halo);
  dg_free(list);
  return err->code;
}

int dg_halo_init_self(struct dg_halo *halo, size_t faces, const int32_t *own, const int32_t *far, struct dg_error *err)
{
  struct shared *list = NULL;
  *halo = (struct dg_halo){.faces = faces};
  if (DG_NEW(list, faces, err) != 0) return err->code;
  for (size_t i = 0; i < faces; i++) list[i] = shared_face(DG_SELF, own[i], far[i], own[i], far[i]);
  if (from_list(halo, list, err) != 0) dg_halo_release(halo);
  dg_free(list);
  return err->code;
}

void dg_halo_release(struct dg_halo *halo)
{
  dg_free(halo->send);
  dg_free(halo->receive);
  dg_free(halo->peer);
  dg_free(halo->turn);
  *halo = (struct dg_halo){0};
}

/* ---- turns */

/* The angle by which what this side of shared face i sends is turned: k times the way from the far side to this one,
 * which is a period. */
static double angle_of(const struct dg_halo *halo, const struct dg_mesh *mesh, size_t i, const double k[3])
{
  const int32_t own = halo->send[i], far = halo->receive[i];
  const double *x = mesh->vertex[mesh->element[own / 4][own % 4 == 0]],
               *y = mesh->vertex[mesh->element[far / 4][far % 4 == 0]];
  double way[3], nearest = INFINITY, angle = 0;
  if (x == y) return 0;
  dg_subtract(x, y, way);
  for (size_t p = 0; p < mesh->periods; p++) /* the period itself, without the rounding of vertices */
    for (int sign = -1; sign <= 1; sign += 2) {
      double from[3];
      for (int d = 0; d < 3; d++) from[d] = sign * mesh->period[p][d];
      const double off = dg_distance(way, from);
      if (off >= nearest) continue;
      nearest = off;
      angle = dg_dot(k, from);
    }
  return angle;
}

int dg_halo_set_turns(struct dg_halo *halo, const struct dg_mesh *mesh, const double k[3], struct dg_error *err)
{
  int32_t *place = NULL; /* [K][4] of the halo's faces */
  if (DG_NEW(place, 4 * mesh->K, err) != 0 || DG_NEW(halo->turn, halo->faces / 2, err) != 0) goto fail;
  for (size_t i = 0; i < halo->faces; i++) place[halo->send[i]] = (int32_t)i;
  for (size_t i = 0; i < halo->faces; i++) {
    const double angle = angle_of(halo, mesh, i, k);
    if (halo->send[i] / 4 % 2 != 0 || angle == 0) continue;
    halo->turn[halo->turns++] =
        (struct dg_halo_turn){.re = (int32_t)i, .im = place[halo->send[i] + 4], .cos = cos(angle), .sin = sin(angle)};
  }
fail:
  dg_free(place);
  return err->code;
}

void dg_halo_turn_double(const struct dg_halo *halo, size_t numbers, double *value)
{
  for (size_t i = 0; i < halo->turns; i++) {
    const struct dg_halo_turn *turn = &halo->turn[i];
    double *re = value + (size_t)turn->re * numbers, *im = value + (size_t)turn->im * numbers;
    for (size_t m = 0; m < numbers; m++) {
      const double a = re[m], b = im[m];
      re[m] = turn->cos * a - turn->sin * b;
      im[m] = turn->sin * a + turn->cos * b;
    }
  }
}

void dg_halo_turn_single(const struct dg_halo *halo, size_t numbers, float *value)
{
  for (size_t i = 0; i < halo->turns; i++) {
    const struct dg_halo_turn *turn = &halo->turn[i];
    const float c = (float)turn->cos, s = (float)turn->sin;
    float *re = value + (size_t)turn->re * numbers, *im = value + (size_t)turn->im * numbers;
    for (size_t m = 0; m < numbers; m++) {
      const float a = re[m], b = im[m];
      re[m] = c * a - s * b;
      im[m] = s * a + c * b;
    }
  }
}

/* ---- exchange */

int dg_halo_swap(const struct dg_halo *halo, struct dg_comm *comm, size_t bytes, const void *send, void *receive,
                 struct dg_error *err)
{
  struct dg_exchange *exchange;
  if (comm == NULL && halo->faces == 0) return err->code;
  if (dg_exchange_new(&exchange, comm, halo->peers, halo->peer, bytes, err) != 0) return err->code;
  if (halo->faces > 0) memcpy(dg_exchange_send_buffer(exchange), send, halo->faces * bytes);
  if (dg_exchange_start(exchange, err) == 0 && dg_exchange_finish(exchange, err) == 0 && halo->faces > 0)
    memcpy(receive, dg_exchange_receive_buffer(exchange), halo->faces * bytes);
  dg_exchange_free(exchange);
  return err->code;
}
