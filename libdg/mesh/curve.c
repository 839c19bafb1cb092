/* Evaluates the maps of elements. */
#include "libdg/mesh/curve.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/base/vec3.h"

ptrdiff_t dg_find_ascending(size_t count, const int32_t *list, size_t wanted)
{
  size_t first = 0, last = count;
  while (first < last) {
    const size_t middle = first + (last - first) / 2;
    if ((size_t)list[middle] < wanted) first = middle + 1;
    else last = middle;
  }
  return first < count && (size_t)list[first] == wanted ? (ptrdiff_t)first : -1;
}

ptrdiff_t dg_mesh_curve(const struct dg_mesh *mesh, size_t e)
{
  return dg_find_ascending(mesh->curved, mesh->curve, e);
}

void dg_mesh_map(const struct dg_mesh *mesh, size_t e, const double place[3], double x[3], double (*tangent)[3])
{
  const ptrdiff_t k = mesh->curved > 0 ? dg_mesh_curve(mesh, e) : -1;
  if (k >= 0) {
    dg_shape_at(mesh->geometry, dg_mesh_shape(mesh, (size_t)k), place, x, tangent);
    return;
  }
  const double *origin = mesh->vertex[mesh->element[e][0]];
  double row[3][3];
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) row[a][b] = 0.5 * (mesh->vertex[mesh->element[e][a + 1]][b] - origin[b]);
  for (int b = 0; b < 3 && x != NULL; b++)
    x[b] = origin[b] + (1 + place[0]) * row[0][b] + (1 + place[1]) * row[1][b] + (1 + place[2]) * row[2][b];
  if (tangent != NULL) memcpy(tangent, row, sizeof row);
}

/* Node n of the lattice of a map: (r, s, t). */
static void lattice_place(int geometry, size_t n, double place[3])
{
  size_t node = 0;
  for (int a = 0; a < 3; a++) place[a] = -1;
  for (int k = 0; k <= geometry; k++)
    for (int j = 0; j + k <= geometry; j++)
      for (int i = 0; i + j + k <= geometry; i++, node++)
        if (node == n) {
          place[0] = 2.0 * i / geometry - 1;
          place[1] = 2.0 * j / geometry - 1;
          place[2] = 2.0 * k / geometry - 1;
          return;
        }
}

bool dg_shape_is_affine(const struct dg_mesh *mesh, size_t e, int geometry, const double (*shape)[3])
{
  double edge = 0;
  for (int v = 0; v < 4; v++)
    for (int w = 0; w < v; w++) {
      double d[3];
      dg_subtract(mesh->vertex[mesh->element[e][v]], mesh->vertex[mesh->element[e][w]], d);
      edge = fmax(edge, sqrt(dg_dot(d, d)));
    }
  for (size_t n = 0; n < dg_shape_nodes(geometry); n++) {
    const double *origin = mesh->vertex[mesh->element[e][0]];
    double place[3];
    lattice_place(geometry, n, place);
    for (int b = 0; b < 3; b++) {
      double x = origin[b];
      for (int a = 0; a < 3; a++) x += 0.5 * (1 + place[a]) * (mesh->vertex[mesh->element[e][a + 1]][b] - origin[b]);
      if (fabs(shape[n][b] - x) > 1e-10 * edge) return false;
    }
  }
  return true;
}

/* ---- both sides of a face between a straight and a curved element are the same ---- */

static const int edge_end[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* An edge of an element, by its vertices. */
static uint64_t edge_key(const struct dg_mesh *mesh, size_t e, int edge)
{
  const int32_t v = mesh->element[e][edge_end[edge][0]], w = mesh->element[e][edge_end[edge][1]];
  return (uint64_t)(v < w ? v : w) << 32 | (uint64_t)(v < w ? w : v);
}

/* The edges of straight elements between vertices of curved ones, ascending. near[vertices] says whose vertices are. */
static int list_edges(const struct dg_mesh *mesh, const char *curved, const char *near, struct dg_keyed **list,
                      size_t *count, struct dg_error *err)
{
  for (int fill = 0; fill < 2; fill++) {
    if (fill == 1 && DG_NEW(*list, *count, err) != 0) return err->code;
    *count = 0;
    for (size_t e = 0; e < mesh->K; e++)
      for (int edge = 0; edge < 6 && !curved[e]; edge++) {
        if (!near[mesh->element[e][edge_end[edge][0]]] || !near[mesh->element[e][edge_end[edge][1]]]) continue;
        if (fill == 1) (*list)[*count] = (struct dg_keyed){edge_key(mesh, e, edge), e};
        ++*count;
      }
  }
  return dg_sort_keyed(*list, *count, err);
}

/* Moves the nodes of a map that have no other vertices than those of `on` (a bit a vertex) to affine places. */
static void straighten(const struct dg_mesh *mesh, size_t e, unsigned on, double (*shape)[3])
{
  const int g = mesh->geometry;
  size_t node = 0;
  for (int k = 0; k <= g; k++)
    for (int j = 0; j + k <= g; j++)
      for (int i = 0; i + j + k <= g; i++, node++) {
        const int n[4] = {g - i - j - k, i, j, k};
        unsigned of = 0;
        for (int v = 0; v < 4; v++) of |= n[v] > 0 ? 1u << v : 0;
        if ((of & ~on) != 0) continue;
        for (int b = 0; b < 3; b++) {
          shape[node][b] = 0;
          for (int v = 0; v < 4; v++) shape[node][b] += (double)n[v] / g * mesh->vertex[mesh->element[e][v]][b];
        }
      }
}

int dg_mesh_close_seams(struct dg_mesh *mesh, struct dg_error *err)
{
  char *curved = NULL, *near = NULL;
  struct dg_keyed *list = NULL;
  size_t count = 0;
  if (mesh->curved == 0) return 0;
  if (DG_NEW(curved, mesh->K, err) != 0 || DG_NEW(near, mesh->vertices, err) != 0) goto fail;
  for (size_t k = 0; k < mesh->curved; k++) {
    curved[mesh->curve[k]] = 1;
    for (int v = 0; v < 4; v++) near[mesh->element[mesh->curve[k]][v]] = 1;
  }
  if (list_edges(mesh, curved, near, &list, &count, err) != 0) goto fail;
  for (size_t k = 0; k < mesh->curved; k++) {
    const size_t e = (size_t)mesh->curve[k];
    double(*shape)[3] = mesh->shape + k * dg_shape_nodes(mesh->geometry);
    for (int edge = 0; edge < 6; edge++)
      if (dg_find_keyed(list, count, edge_key(mesh, e, edge)) != SIZE_MAX)
        straighten(mesh, e, 1u << edge_end[edge][0] | 1u << edge_end[edge][1], shape);
    for (int f = 0; f < 4; f++) {
      const int32_t code = mesh->neighbour[e][f];
      if (code >= 0 && !curved[code / 4]) straighten(mesh, e, 15u & ~(1u << f), shape);
    }
  }
fail:
  dg_free(curved);
  dg_free(near);
  dg_free(list);
  return err->code;
}

/* ---- curved meshes without a mesher ---- */

int dg_mesh_set_shapes(struct dg_mesh *mesh, int geometry, const double (*shape)[3], struct dg_error *err)
{
  const size_t nodes = dg_shape_nodes(geometry);
  size_t curved = 0, k = 0;
  dg_free(mesh->curve);
  dg_free(mesh->shape);
  mesh->curve = NULL;
  mesh->shape = NULL;
  mesh->curved = 0;
  mesh->geometry = 1;
  for (size_t e = 0; e < mesh->K; e++) curved += !dg_shape_is_affine(mesh, e, geometry, shape + e * nodes);
  if (curved == 0) return 0;
  if (DG_NEW(mesh->curve, curved, err) != 0 || DG_NEW(mesh->shape, curved * nodes, err) != 0) return err->code;
  for (size_t e = 0; e < mesh->K; e++) {
    if (dg_shape_is_affine(mesh, e, geometry, shape + e * nodes)) continue;
    mesh->curve[k] = (int32_t)e;
    memcpy(mesh->shape + k++ * nodes, shape + e * nodes, nodes * sizeof *shape);
  }
  mesh->geometry = geometry;
  mesh->curved = curved;
  return dg_mesh_close_seams(mesh, err);
}

int dg_mesh_bend(struct dg_mesh *mesh, int geometry, void (*map)(void *context, double x[3]), void *context,
                 struct dg_error *err)
{
  const size_t nodes = dg_shape_nodes(geometry);
  double(*shape)[3];
  if (DG_NEW(shape, mesh->K * nodes, err) != 0) return err->code;
  for (size_t e = 0; e < mesh->K; e++)
    for (size_t n = 0; n < nodes; n++) {
      double place[3];
      lattice_place(geometry, n, place);
      dg_mesh_map(mesh, e, place, shape[e * nodes + n], NULL);
      map(context, shape[e * nodes + n]);
    }
  for (size_t v = 0; v < mesh->vertices; v++) map(context, mesh->vertex[v]);
  const int status = dg_mesh_set_shapes(mesh, geometry, (const double(*)[3])shape, err);
  dg_free(shape);
  return status;
}
