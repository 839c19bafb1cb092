/* Finds the nodes that are the same point: a union-find over faces between elements, then over shared faces until no
 * rank changes anything. Snapshots with averages add up values over such points. */
#include "libdg/io/node_merge.h"

#include <stdbool.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/halo/halo.h"

/* The representative of a node, which is the lowest number in its set; halves the path on the way. */
static int32_t find_root(int32_t *parent, int32_t n)
{
  while (parent[n] != n) {
    parent[n] = parent[parent[n]];
    n = parent[n];
  }
  return n;
}

static void join(int32_t *parent, int32_t a, int32_t b)
{
  a = find_root(parent, a);
  b = find_root(parent, b);
  if (a < b) parent[b] = a;
  else parent[a] = b;
}

static void join_faces(int32_t *parent, const struct dg_mesh *mesh, const struct dg_reference *ref)
{
  for (size_t e = 0; e < mesh->K; e++) {
    for (int f = 0; f < 4; f++) {
      const int32_t neighbour = mesh->neighbour[e][f];
      if (neighbour == DG_BOUNDARY || (size_t)neighbour / 4 < e || (size_t)neighbour / 4 >= mesh->K) continue;
      if (dg_mesh_is_image(mesh, e, f)) continue; /* the same field, but not the same point */
      const int32_t own = (int32_t)e * ref->Np, other = neighbour / 4 * ref->Np;
      const int *const own_node = &ref->face_node[f * ref->Nf];
      const int *const other_node = &ref->face_node[neighbour % 4 * ref->Nf];
      for (int m = 0; m < ref->Nf; m++) join(parent, own + own_node[m], other + other_node[m]);
    }
  }
}

/* ---- points that several ranks have ---- */

/* The label that all nodes of a point agree on, on whatever rank they are: the lowest of their numbers in the whole
 * mesh, and the rank that has this node. This rank adds up the values at the point. */
struct label {
  int64_t node, rank;
};

static void label_points(const struct dg_node_merge *merge, const struct dg_mesh *mesh, int rank, struct label *label)
{
  const size_t Np = merge->nodes / (mesh->K > 0 ? mesh->K : 1);
  for (size_t i = 0; i < merge->points; i++) label[i] = (struct label){INT64_MAX, rank};
  for (size_t n = 0; n < merge->nodes; n++) {
    const int64_t node = dg_mesh_global(mesh, n / Np) * (int64_t)Np + (int64_t)(n % Np);
    if (node < label[merge->point[n]].node) label[merge->point[n]].node = node;
  }
}

/* The point of node m of shared face i. */
static int32_t halo_point(const struct dg_node_merge *merge, const struct dg_reference *ref, const struct dg_halo *halo,
                          size_t i, int m)
{
  const int32_t e = halo->send[i] / 4, f = halo->send[i] % 4;
  return merge->point[e * ref->Np + ref->face_node[f * ref->Nf + m]];
}

/* Is shared face i one whose far side lies elsewhere (libdg/mesh/period.h)? Its nodes are not the far side's points. */
static bool is_image(const struct dg_mesh *mesh, const struct dg_halo *halo, size_t i)
{
  return dg_mesh_is_image(mesh, (size_t)halo->send[i] / 4, halo->send[i] % 4);
}

/* Spreads lower labels over shared faces until none is left that could spread: through as many ranks as meet at an edge
 * or a vertex. */
static int spread_labels(const struct dg_node_merge *merge, const struct dg_mesh *mesh, const struct dg_reference *ref,
                         const struct dg_halo *halo, struct dg_comm *comm, struct label *label, struct dg_error *err)
{
  const size_t Nf = (size_t)ref->Nf;
  struct label *send = NULL, *receive = NULL;
  int64_t changed = 1;
  if (DG_NEW(send, halo->faces * Nf, err) != 0 || DG_NEW(receive, halo->faces * Nf, err) != 0) goto fail;
  while (changed) {
    for (size_t i = 0; i < halo->faces * Nf; i++) send[i] = label[halo_point(merge, ref, halo, i / Nf, (int)(i % Nf))];
    if (dg_halo_swap(halo, comm, Nf * sizeof *send, send, receive, err) != 0) goto fail;
    changed = 0;
    for (size_t i = 0; i < halo->faces * Nf; i++) {
      if (is_image(mesh, halo, i / Nf)) continue;
      struct label *const here = &label[halo_point(merge, ref, halo, i / Nf, (int)(i % Nf))];
      if (receive[i].node >= here->node) continue;
      *here = receive[i];
      changed = 1;
    }
    if (dg_comm_reduce_int(comm, DG_MAX, 1, &changed, err) != 0) goto fail;
  }
fail:
  dg_free(send);
  dg_free(receive);
  return err->code;
}

/* Lists the points on shared faces, by the rank that adds up and in the order of their labels. */
static int list_shared(struct dg_node_merge *merge, const struct dg_mesh *mesh, const struct dg_reference *ref,
                       const struct dg_halo *halo, const struct label *label, struct dg_error *err)
{
  struct dg_keyed *list = NULL;
  bool *listed = NULL;
  if (DG_NEW(listed, merge->points, err) != 0 || DG_NEW(list, halo->faces * (size_t)ref->Nf, err) != 0) goto fail;
  for (size_t i = 0; i < halo->faces; i++)
    for (int m = 0; m < ref->Nf && !is_image(mesh, halo, i); m++) {
      const int32_t point = halo_point(merge, ref, halo, i, m);
      if (!listed[point])
        list[merge->shared++] = (struct dg_keyed){.key = (uint64_t)label[point].node, .item = (size_t)point};
      listed[point] = true;
    }
  if (dg_sort_keyed(list, merge->shared, err) != 0) goto fail;
  for (size_t i = 0; i < merge->shared; i++) list[i].key = (uint64_t)label[list[i].item].rank;
  if (dg_sort_keyed(list, merge->shared, err) != 0 || DG_NEW(merge->shared_point, merge->shared, err) != 0) goto fail;
  for (size_t i = 0; i < merge->shared; i++) {
    merge->shared_point[i] = (int32_t)list[i].item;
    merge->to[list[i].key]++;
  }
fail:
  dg_free(listed);
  dg_free(list);
  return err->code;
}

/* The message of a rank to the rank that adds up: the number of its nodes at a point. */
struct announcement {
  int64_t node, count;
};

/* Numbers the sums that this rank makes, by the announcements that it received. */
static int number_sums(struct dg_node_merge *merge, const struct announcement *told, struct dg_error *err)
{
  struct dg_keyed *list;
  if (DG_NEW(list, merge->received, err) != 0) return err->code;
  for (size_t i = 0; i < merge->received; i++) list[i] = (struct dg_keyed){.key = (uint64_t)told[i].node, .item = i};
  if (dg_sort_keyed(list, merge->received, err) != 0 || DG_NEW(merge->sum, merge->received, err) != 0 ||
      DG_NEW(merge->sum_count, merge->received, err) != 0)
    goto fail;
  for (size_t i = 0; i < merge->received; i++) {
    if (i == 0 || list[i].key != list[i - 1].key) merge->sums++;
    merge->sum[list[i].item] = (int32_t)merge->sums - 1;
    merge->sum_count[merge->sums - 1] += (int32_t)told[list[i].item].count;
  }
fail:
  dg_free(list);
  return err->code;
}

static int announce(struct dg_node_merge *merge, const struct label *label, struct dg_comm *comm, struct dg_error *err)
{
  const int ranks = dg_comm_size(comm);
  struct announcement *own = NULL, *told = NULL;
  size_t *bytes = NULL;
  if (DG_NEW(own, merge->shared, err) != 0 || DG_NEW(bytes, ranks, err) != 0) goto fail;
  for (size_t i = 0; i < merge->shared; i++) {
    const int32_t point = merge->shared_point[i];
    own[i] = (struct announcement){label[point].node, merge->count[point]};
  }
  for (int rank = 0; rank < ranks; rank++) bytes[rank] = merge->to[rank] * sizeof *own;
  if (dg_comm_all_to_all(comm, bytes, own, &told, merge->from, err) != 0) goto fail;
  for (int rank = 0; rank < ranks; rank++) merge->received += merge->from[rank] /= sizeof *told;
  (void)!number_sums(merge, told, err);
fail:
  dg_free(own);
  dg_free(told);
  dg_free(bytes);
  return err->code;
}

static int plan_sharing(struct dg_node_merge *merge, const struct dg_mesh *mesh, const struct dg_reference *ref,
                        struct dg_comm *comm, struct dg_error *err)
{
  const int ranks = dg_comm_size(comm);
  struct dg_halo halo = {0};
  struct label *label = NULL;
  if (DG_NEW(label, merge->points, err) != 0 || DG_NEW(merge->to, ranks, err) != 0 ||
      DG_NEW(merge->from, ranks, err) != 0 || dg_halo_init(&halo, mesh, err) != 0)
    goto fail;
  label_points(merge, mesh, dg_comm_rank(comm), label);
  if (spread_labels(merge, mesh, ref, &halo, comm, label, err) != 0 ||
      list_shared(merge, mesh, ref, &halo, label, err) != 0 || announce(merge, label, comm, err) != 0)
    goto fail;
fail:
  dg_free(label);
  dg_halo_release(&halo);
  return err->code;
}

/* ---- the whole ---- */

static int merge_own(struct dg_node_merge *merge, const struct dg_mesh *mesh, const struct dg_reference *ref,
                     struct dg_error *err)
{
  const size_t nodes = merge->nodes;
  if (nodes > INT32_MAX)
    return dg_fail(err, DG_INPUT, "%zu elements of order %d have %zu nodes, too many to average (at most %d)", mesh->K,
                   ref->order, nodes, INT32_MAX);
  if (DG_NEW(merge->point, nodes, err) != 0 || DG_NEW(merge->count, nodes, err) != 0) return err->code;
  /* `point` first holds the parents of the union-find forest. A root has the lowest number of its set, so that one
   * ascending pass numbers the points: every parent is numbered before its children. */
  int32_t *const point = merge->point;
  for (size_t n = 0; n < nodes; n++) point[n] = (int32_t)n;
  join_faces(point, mesh, ref);
  int32_t points = 0;
  for (size_t n = 0; n < nodes; n++) {
    point[n] = point[n] == (int32_t)n ? points++ : point[point[n]];
    merge->count[point[n]]++;
  }
  merge->points = (size_t)points;
  return 0;
}

int dg_node_merge_init(struct dg_node_merge *merge, const struct dg_mesh *mesh, const struct dg_reference *ref,
                       struct dg_comm *comm, struct dg_error *err)
{
  *merge = (struct dg_node_merge){.nodes = mesh->K * (size_t)ref->Np};
  if (merge_own(merge, mesh, ref, err) == 0 &&
      (dg_comm_size(comm) == 1 || plan_sharing(merge, mesh, ref, comm, err) == 0))
    return 0;
  dg_node_merge_release(merge);
  return dg_context(err, "while merging nodes");
}

void dg_node_merge_release(struct dg_node_merge *merge)
{
  if (!merge) return;
  dg_free(merge->point);
  dg_free(merge->count);
  dg_free(merge->shared_point);
  dg_free(merge->to);
  dg_free(merge->from);
  dg_free(merge->sum);
  dg_free(merge->sum_count);
  *merge = (struct dg_node_merge){0};
}

void dg_node_merge_sum(const struct dg_node_merge *merge, const double *value, double *sum)
{
  memset(sum, 0, merge->points * sizeof *sum);
  for (size_t n = 0; n < merge->nodes; n++) sum[merge->point[n]] += value[n];
}

/* Averages the received data: data[received][variables], which has what every rank has at a point, becomes the average
 * of all. */
static int average_received(const struct dg_node_merge *merge, size_t variables, double *data, struct dg_error *err)
{
  double *sum;
  if (DG_NEW(sum, merge->sums * variables, err) != 0) return err->code;
  for (size_t i = 0; i < merge->received; i++)
    for (size_t v = 0; v < variables; v++) sum[(size_t)merge->sum[i] * variables + v] += data[i * variables + v];
  for (size_t i = 0; i < merge->received; i++)
    for (size_t v = 0; v < variables; v++)
      data[i * variables + v] = sum[(size_t)merge->sum[i] * variables + v] / merge->sum_count[merge->sum[i]];
  dg_free(sum);
  return 0;
}

int dg_node_merge_share(const struct dg_node_merge *merge, struct dg_comm *comm, size_t variables, double *data,
                        struct dg_error *err)
{
  const int ranks = dg_comm_size(comm);
  const size_t item = variables * sizeof *data;
  double *received = NULL, *back = NULL;
  size_t *bytes = NULL;
  if (ranks == 1) return 0;
  if (DG_NEW(bytes, ranks, err) != 0) goto fail;
  for (int rank = 0; rank < ranks; rank++) bytes[rank] = merge->to[rank] * item;
  if (dg_comm_all_to_all(comm, bytes, data, &received, NULL, err) != 0 ||
      average_received(merge, variables, received, err) != 0)
    goto fail;
  for (int rank = 0; rank < ranks; rank++) bytes[rank] = merge->from[rank] * item;
  if (dg_comm_all_to_all(comm, bytes, received, &back, NULL, err) != 0) goto fail;
  if (merge->shared > 0) memcpy(data, back, merge->shared * item);
fail:
  dg_free(bytes);
  dg_free(received);
  dg_free(back);
  return err->code;
}

void dg_node_merge_average(const struct dg_node_merge *merge, const double *value, const double *shared_average,
                           size_t stride, double *average)
{
  dg_node_merge_sum(merge, value, average);
  for (size_t i = 0; i < merge->points; i++) average[i] /= merge->count[i];
  for (size_t i = 0; i < merge->shared; i++) average[merge->shared_point[i]] = shared_average[i * stride];
}
