/* The maps of curved elements: polynomials of order 1 to 4 in (r, s, t) through places of nodes (Lagrange elements).
 *
 * The nodes of a map are equispaced, as Gmsh's are. They stand in the order of the lattice: i towards vertex 1 runs
 * first, then j towards vertex 2, then k towards vertex 3, with vertices in the element's own (ascending) order. */
#pragma once

#include "libdg/mesh/mesh.h"

enum { DG_GEOMETRY_MAX = 4, DG_SHAPE_MAX = 35 };

/* Nodes of a map of that order. */
static inline size_t dg_shape_nodes(int geometry)
{
  const size_t g = (size_t)geometry;
  return (g + 1) * (g + 2) * (g + 3) / 6;
}

/* The number of the node with lattice numbers n[4] towards the four vertices, whose sum is the order. */
static inline size_t dg_shape_node(int geometry, const int n[4])
{
  int node = n[1];
  for (int k = 0; k < n[3]; k++) node += (geometry - k + 1) * (geometry - k + 2) / 2;
  for (int j = 0; j < n[2]; j++) node += geometry - n[3] - j + 1;
  return (size_t)node;
}

/* Adds to x what an edge with displaced nodes adds to the map at a place with coordinates la and lb towards its ends:
 * L_a L_b times the polynomial in L_b - L_a that has the nodes' values. shift[geometry - 1] belongs to the nodes from a
 * to b. */
static inline void dg_shape_edge_mode(int geometry, const double (*shift)[3], double la, double lb, double x[3])
{
  const double t = lb - la, bubble = la * lb;
  for (int b = 0; b < 3; b++) {
    const double one = shift[0][b], two = geometry > 2 ? shift[1][b] : 0, three = geometry > 3 ? shift[2][b] : 0;
    double value = 4 * one;
    if (geometry == 3) value = 9.0 / 4 * (one + two) + 27.0 / 4 * (two - one) * t;
    if (geometry == 4) value = 4 * two + 16.0 / 3 * (three - one) * t + (32.0 / 3 * (one + three) - 16 * two) * t * t;
    x[b] += bubble * value;
  }
}
/* Turns a map to another order of the vertices: vertex q of `to` is vertex own[q] of `from`. */
void dg_shape_turn(int geometry, const int own[4], const double (*from)[3], double (*to)[3]);

/* The place x of (r, s, t), m, and tangent[a] = dx/d(r, s, t)_a there; either may be NULL.
 * shape[dg_shape_nodes(geometry)]. */
void dg_shape_at(int geometry, const double (*shape)[3], const double place[3], double x[3], double (*tangent)[3]);

/* The derivatives of the maps' polynomials at the points of a lattice of twice their order. */
struct dg_shape_slopes {
  size_t points, nodes;
  double (*place)[3], *slope; /* [points] (r, s, t); [points][nodes][3] */
};
int dg_shape_slopes_init(struct dg_shape_slopes *slopes, int geometry, struct dg_error *err) DG_MUST_USE;
void dg_shape_slopes_release(struct dg_shape_slopes *slopes);
/* The least determinant of a map at these points over `straight`, that of the affine map of its vertices (dg_volume6
 * / 8); *where is the point. NaN where a node is. */
double dg_shape_least(const struct dg_shape_slopes *slopes, const double (*shape)[3], double straight, size_t *where);

/* How fast waves see the element at a point with the tangents t[a] = dx/d(r, s, t)_a: the sum of |grad|^2 of 1 + r, 1 +
 * s, 1 + t and r + s + t, 1/m^2, which are 2 over the four heights where the map is affine. The step goes as 1/sqrt. */
double dg_shape_rate(const double t[3][3]);
/* The highest rate of a map at the points of the slopes, and where. */
double dg_shape_highest_rate(const struct dg_shape_slopes *slopes, const double (*shape)[3], size_t *where);

/* Which of the mesh's curved elements e is; -1: its map is affine. O(log n). */
ptrdiff_t dg_mesh_curve(const struct dg_mesh *mesh, size_t e);
/* The nodes of curved element k of the mesh. */
static inline const double (*dg_mesh_shape(const struct dg_mesh *mesh, size_t k))[3]
{
  return (const double(*)[3])(mesh->shape + k * dg_shape_nodes(mesh->geometry));
}
/* The place x of (r, s, t) in any element, m, and tangent[a] = dx/d(r, s, t)_a there; either may be NULL. */
void dg_mesh_map(const struct dg_mesh *mesh, size_t e, const double place[3], double x[3], double (*tangent)[3]);

/* The number of `wanted` in the ascending list[count]; -1: it is not there. */
ptrdiff_t dg_find_ascending(size_t count, const int32_t *list, size_t wanted);

/* Do the nodes, by ascending vertices, lie within 1e-10 of the longest edge of the affine map of the element? */
bool dg_shape_is_affine(const struct dg_mesh *mesh, size_t e, int geometry, const double (*shape)[3]);

/* Moves the nodes of curved elements to affine places on the faces and edges that straight elements have too. A
 * straight element is affine but for rounding; its curved neighbour still has the nodes as they were, and the two sides
 * of a face would differ by as much: energy that a scheme keeps would drift by 1e-13 a step. The mesh is one of the
 * whole and knows its neighbours. Part of dg_mesh_build and of the functions below. DG_ENVIRONMENT: no memory. */
int dg_mesh_close_seams(struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;

/* Gives the mesh curved maps: shape[K][dg_shape_nodes(geometry)], m, by the elements' own vertices, whose places are
 * those of the mesh. Elements whose nodes lie within 1e-10 of their longest edge of an affine map stay straight. What
 * the mesh had of maps is replaced. The mesh is one of the whole (not a part). DG_ENVIRONMENT: no memory. */
int dg_mesh_set_shapes(struct dg_mesh *mesh, int geometry, const double (*shape)[3], struct dg_error *err) DG_MUST_USE;

/* Bends a mesh of straight elements by a map of space, x = map(context, x), m: vertices move, and the elements' maps
 * become polynomials of order `geometry` through the places of their nodes. */
int dg_mesh_bend(struct dg_mesh *mesh, int geometry, void (*map)(void *context, double x[3]), void *context,
                 struct dg_error *err) DG_MUST_USE;
