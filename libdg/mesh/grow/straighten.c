/* Takes the modes of edges and faces out of the maps of elements (draft/bend.h puts them in). All elements at an edge
 * lose the same, by the same numbers in the same order: shared faces stay the same on both sides, bit for bit.
 * open_layer.c and setup_mesh.c call it. */
#include "libdg/mesh/grow/straighten.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/base/vec3.h"
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
    if (bsearch(&key, code, faces, sizeof key, dg_compare_int32) != NULL) take_face(mesh, e, f, shape);
  }
  return any;
}

/* dg_mesh_straighten, for faces on both of their sides; elements of `chosen` (NULL: none) keep nothing of their maps.
 */
static int straighten(struct dg_mesh *mesh, size_t faces, const int32_t *code, const bool *chosen, size_t *changed,
                      struct dg_error *err)
{
  struct edges edges = {0};
  int32_t *sorted = NULL;
  const size_t nodes = mesh->curved > 0 ? dg_shape_nodes(mesh->geometry) : 0;
  size_t kept = 0;
  *changed = 0;
  if (mesh->curved == 0 || faces == 0) return 0;
  if (list_edges(&edges, mesh, faces, code, err) != 0 || DG_NEW(sorted, faces, err) != 0) goto fail;
  memcpy(sorted, code, faces * sizeof *sorted);
  qsort(sorted, faces, sizeof *sorted, dg_compare_int32);
  for (size_t k = 0; k < mesh->curved; k++) {
    const size_t e = (size_t)mesh->curve[k];
    double(*shape)[3] = mesh->shape + k * nodes, before[DG_SHAPE_MAX][3];
    if (chosen != NULL && chosen[e]) {
      ++*changed;
      continue;
    }
    memcpy(before, shape, nodes * sizeof *shape);
    if (straighten_element(mesh, e, &edges, faces, sorted, shape)) {
      const double size = dg_distance(mesh->vertex[mesh->element[e][0]], mesh->vertex[mesh->element[e][1]]);
      bool moved = false; /* further than by rounding */
      for (size_t n = 0; n < nodes; n++)
        for (int b = 0; b < 3; b++) moved = moved || fabs(before[n][b] - shape[n][b]) > 1e-12 * size;
      *changed += moved;
      if (dg_shape_is_affine(mesh, e, mesh->geometry, (const double(*)[3])shape)) continue;
    }
    if (kept != k) memcpy(mesh->shape + kept * nodes, shape, nodes * sizeof *shape);
    mesh->curve[kept++] = (int32_t)e;
  }
  mesh->curved = kept;
  if (kept == 0) mesh->geometry = 1;
  if (dg_mesh_check_maps(mesh, err) != 0) dg_context(err, "where layers were made straight");
fail:
  dg_free(edges.edge);
  dg_free(sorted);
  return err->code;
}

int dg_mesh_straighten(struct dg_mesh *mesh, size_t faces, const int32_t *code, size_t *changed, struct dg_error *err)
{
  return straighten(mesh, faces, code, NULL, changed, err);
}

int dg_mesh_straighten_elements(struct dg_mesh *mesh, const bool *chosen, size_t *changed, struct dg_error *err)
{
  int32_t *code = NULL;
  size_t faces = 0;
  *changed = 0;
  if (mesh->curved == 0) return 0;
  for (int fill = 0; fill < 2; fill++) {
    if (fill == 1 && DG_NEW(code, faces, err) != 0) return err->code;
    faces = 0;
    for (size_t i = 0; i < 4 * mesh->K; i++) {
      const int32_t other = mesh->neighbour[i / 4][i % 4];
      if (!chosen[i / 4] && (other < 0 || !chosen[other / 4])) continue;
      if (fill == 1) code[faces] = (int32_t)i;
      faces++;
    }
  }
  if (straighten(mesh, faces, code, chosen, changed, err) == 0) (void)!dg_mesh_close_seams(mesh, err);
  dg_free(code);
  return err->code;
}

/* ---- surfaces that nobody sees ---- */

/* Says which surfaces are planes: the normals of all their triangles are the same but for the sign. */
static int find_planes(const struct dg_mesh *mesh, bool **plane, struct dg_error *err)
{
  double(*normal)[3] = NULL;
  if (DG_NEW(*plane, mesh->entities, err) != 0 || DG_NEW(normal, mesh->entities, err) != 0) return err->code;
  for (size_t i = 0; i < mesh->entities; i++) (*plane)[i] = true;
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    const int32_t s = mesh->surface[i / 4][i % 4], *v = mesh->element[i / 4];
    const int f = (int)(i % 4);
    double a[3], b[3], n[3], cross[3];
    if (s < 0) continue;
    dg_subtract(mesh->vertex[v[1 + (f <= 1)]], mesh->vertex[v[f == 0]], a);
    dg_subtract(mesh->vertex[v[2 + (f <= 2)]], mesh->vertex[v[f == 0]], b);
    dg_cross(a, b, n);
    const double size = sqrt(dg_dot(n, n));
    for (int d = 0; d < 3; d++) n[d] /= size;
    if (dg_dot(normal[s], normal[s]) == 0) memcpy(normal[s], n, sizeof n);
    dg_cross(normal[s], n, cross);
    if (dg_dot(cross, cross) > 1e-16) (*plane)[s] = false;
  }
  dg_free(normal);
  return 0;
}

/* Lists the faces whose surface is, or is not, unseen: of those that are not, only what bends. */
static int list_faces(const struct dg_mesh *mesh, const bool *unseen, const bool *plane, bool wanted, int32_t **code,
                      size_t *faces, struct dg_error *err)
{
  for (int fill = 0; fill < 2; fill++) {
    if (fill == 1 && DG_NEW(*code, *faces, err) != 0) return err->code;
    *faces = 0;
    for (size_t i = 0; i < 4 * mesh->K; i++) {
      const int32_t s = mesh->surface[i / 4][i % 4];
      if (s < 0 && mesh->neighbour[i / 4][i % 4] != DG_BOUNDARY) continue;
      const bool hidden = s >= 0 && unseen[s];
      if (hidden != wanted || (!hidden && s >= 0 && plane[s])) continue;
      if (fill == 1) (*code)[*faces] = (int32_t)i;
      ++*faces;
    }
  }
  return 0;
}

/* Has a face an edge of the list? */
static bool touches(const struct dg_mesh *mesh, int32_t code, const struct edges *edges)
{
  const int32_t *v = mesh->element[code >> 2];
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++)
      if (i != (code & 3) && j != (code & 3) && has_edge(edges, v[i], v[j])) return true;
  return false;
}

int dg_mesh_straighten_unseen(struct dg_mesh *mesh, const bool *unseen, size_t *changed, struct dg_error *err)
{
  bool *plane = NULL;
  int32_t *seen = NULL, *code = NULL;
  size_t seen_faces = 0, faces = 0, kept = 0;
  struct edges edges = {0};
  *changed = 0;
  if (mesh->curved == 0) return 0;
  if (find_planes(mesh, &plane, err) != 0 || list_faces(mesh, unseen, plane, false, &seen, &seen_faces, err) != 0 ||
      list_faces(mesh, unseen, plane, true, &code, &faces, err) != 0 ||
      list_edges(&edges, mesh, seen_faces, seen, err) != 0)
    goto fail;
  for (size_t n = 0; n < faces; n++)
    if (!touches(mesh, code[n], &edges)) code[kept++] = code[n];
  if (straighten(mesh, kept, code, NULL, changed, err) == 0) (void)!dg_mesh_close_seams(mesh, err);
fail:
  dg_free(plane);
  dg_free(seen);
  dg_free(code);
  dg_free(edges.edge);
  return err->code;
}
