#include "libdg/io/node_merge.h"

#include <string.h>

#include "libdg/base/memory.h"

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
      const int32_t own = (int32_t)e * ref->Np, other = neighbour / 4 * ref->Np;
      const int *const own_node = &ref->face_node[f * ref->Nf];
      const int *const other_node = &ref->face_node[neighbour % 4 * ref->Nf];
      for (int m = 0; m < ref->Nf; m++) join(parent, own + own_node[m], other + other_node[m]);
    }
  }
}

int dg_node_merge_init(struct dg_node_merge *merge, const struct dg_mesh *mesh, const struct dg_reference *ref,
                       struct dg_error *err)
{
  const size_t nodes = mesh->K * (size_t)ref->Np;

  *merge = (struct dg_node_merge){.nodes = nodes};
  if (DG_NEW(merge->point, nodes, err) != 0 || DG_NEW(merge->count, nodes, err) != 0) {
    dg_node_merge_release(merge);
    return dg_context(err, "while merging nodes");
  }
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

void dg_node_merge_release(struct dg_node_merge *merge)
{
  if (!merge) return;
  dg_free(merge->point);
  dg_free(merge->count);
  *merge = (struct dg_node_merge){0};
}

void dg_node_merge_average(const struct dg_node_merge *merge, const double *value, double *average)
{
  memset(average, 0, merge->points * sizeof *average);
  for (size_t n = 0; n < merge->nodes; n++) average[merge->point[n]] += value[n];
  for (size_t i = 0; i < merge->points; i++) average[i] /= merge->count[i];
}
