/* Takes the modes of edges and faces out of the maps of elements (draft/bend.h puts them in). All elements at an edge
 * lose the same, by the same numbers in the same order: shared faces stay the same on both sides, bit for bit.
 * open_layer.c calls it. */
#include "libdg/mesh/grow/straighten.h"

#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/curve.h"
#include "libdg/mesh/curve_build.h"

struct edge {
  int32_t a, b; /* a < b */
};

struct edges {
  size_t count;
  struct edge *edge; /* [count] ascending */
};

static int compare_edges(const void *left, const void *right)
{
  const struct edge *x = left, *y = right;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  return (x->b > y->b) - (x->b < y->b);
}

static int compare_codes(const void *left, const void *right)
{
  const int32_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

static int list_edges(struct edges *edges, const struct dg_mesh *mesh, size_t faces, const int32_t *code,
                      struct dg_error *err)
{
  if (DG_NEW(edges->edge, 3 * faces, err) != 0) return err->code;
  for (size_t n = 0; n < faces; n++) {
    const int32_t *v = mesh->element[code[n] >> 2];
    for (int i = 0; i < 4; i++)
      for (int j = i + 1; j < 4; j++)
        if (i != (code[n] & 3) && j != (code[n] & 3)) edges->edge[edges->count++] = (struct edge){v[i], v[j]};
  }
  if (edges->count > 0) qsort(edges->edge, edges->count, sizeof *edges->edge, compare_edges);
  return 0;
}

static bool has_edge(const struct edges *edges, int32_t a, int32_t b)
{
  const struct edge key = {a, b};
  return edges->count > 0 && bsearch(&key, edges->edge, edges->count, sizeof key, compare_edges) != NULL;
}

/* The straight place of lattice numbers n[4]. */
static void straight(const struct dg_mesh *mesh, size_t e, const int n[4], double x[3])
{
  for (int b = 0; b < 3; b++) {
    x[b] = 0;
    for (int i = 0; i < 4; i++)
      if (n[i] > 0) x[b] += (double)n[i] / mesh->geometry * mesh->vertex[mesh->element[e][i]][b];
  }
}

/* Takes the edge from vertex i to vertex j of an element out of its map. */
static void take_edge(const struct dg_mesh *mesh, size_t e, int i, int j, double (*shape)[3])
{
  const int g = mesh->geometry;
  double shift[DG_GEOMETRY_MAX - 1][3] = {{0}};
  for (int n = 1; n < g; n++) {
    double x[3];
    int towards[4] = {0};
    towards[i] = g - n, towards[j] = n;
    straight(mesh, e, towards, x);
    for (int b = 0; b < 3; b++) shift[n - 1][b] = x[b] - shape[dg_shape_node(g, towards)][b]; /* what is to be added */
  }
  for (int c = 0; c <= g; c++)
    for (int b = 0; b + c <= g; b++)
      for (int a = 0; a + b + c <= g; a++) {
        const int n[4] = {g - a - b - c, a, b, c};
        double *x = shape[dg_shape_node(g, n)];
        if (n[i] == 0 || n[j] == 0) continue;
        if (n[i] + n[j] == g) straight(mesh, e, n, x);
        else dg_shape_edge_mode(g, (const double(*)[3])shift, (double)n[i] / g, (double)n[j] / g, x);
      }
}

/* Takes face f, whose edges are straight, out of the map of an element. */
static void take_face(const struct dg_mesh *mesh, size_t e, int f, double (*shape)[3])
{
  const int g = mesh->geometry;
  double sum[3] = {0};
  int count = 0;
  for (int b = 1; b < g; b++)
    for (int c = 1; b + c < g; c++, count++) {
      const int towards[3] = {g - b - c, b, c};
      int n[4] = {0};
      double x[3];
      for (int i = 0; i < 3; i++) n[i + (i >= f)] = towards[i];
      double *node = shape[dg_shape_node(g, n)];
      straight(mesh, e, n, x);
      for (int d = 0; d < 3; d++) sum[d] += x[d] - node[d];
      memcpy(node, x, sizeof x);
    }
  if (g < 4) return;
  const int middle[4] = {1, 1, 1, 1}; /* where L_a L_b L_c is half of what it is at the nodes of the face */
  for (int d = 0; d < 3; d++) shape[dg_shape_node(g, middle)][d] += sum[d] / (2 * count);
}

/* Makes one element straight where it has edges of the list or is in code[]; false: it has nothing there. */
static bool straighten_element(const struct dg_mesh *mesh, size_t e, const struct edges *edges, size_t faces,
                               const int32_t *code, double (*shape)[3])
{
  const int32_t *v = mesh->element[e];
  bool any = false;
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++)
      if (has_edge(edges, v[i], v[j])) {
        take_edge(mesh, e, i, j, shape);
        any = true;
      }
  for (int f = 0; f < 4 && any; f++) {
    const int32_t key = 4 * (int32_t)e + f;
    if (bsearch(&key, code, faces, sizeof key, compare_codes) != NULL) take_face(mesh, e, f, shape);
  }
  return any;
}

int dg_mesh_straighten(struct dg_mesh *mesh, size_t faces, const int32_t *code, size_t *changed, struct dg_error *err)
{
  struct edges edges = {0};
  int32_t *sorted = NULL;
  const size_t nodes = mesh->curved > 0 ? dg_shape_nodes(mesh->geometry) : 0;
  size_t kept = 0;
  *changed = 0;
  if (mesh->curved == 0 || faces == 0) return 0;
  if (list_edges(&edges, mesh, faces, code, err) != 0 || DG_NEW(sorted, faces, err) != 0) goto fail;
  memcpy(sorted, code, faces * sizeof *sorted);
  qsort(sorted, faces, sizeof *sorted, compare_codes);
  for (size_t k = 0; k < mesh->curved; k++) {
    const size_t e = (size_t)mesh->curve[k];
    double(*shape)[3] = mesh->shape + k * nodes, before[DG_SHAPE_MAX][3];
    memcpy(before, shape, nodes * sizeof *shape);
    if (straighten_element(mesh, e, &edges, faces, sorted, shape)) {
      bool moved = false;
      for (size_t n = 0; n < nodes; n++)
        for (int b = 0; b < 3; b++) moved = moved || before[n][b] != shape[n][b];
      *changed += moved;
      if (dg_shape_is_affine(mesh, e, mesh->geometry, (const double(*)[3])shape)) continue;
    }
    if (kept != k) memcpy(mesh->shape + kept * nodes, shape, nodes * sizeof *shape);
    mesh->curve[kept++] = (int32_t)e;
  }
  mesh->curved = kept;
  if (kept == 0) mesh->geometry = 1;
  if (dg_mesh_check_maps(mesh, err) != 0) dg_context(err, "where walls that grow were made straight");
fail:
  dg_free(edges.edge);
  dg_free(sorted);
  return err->code;
}
