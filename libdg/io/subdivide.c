/* Cuts the lattice of nodes of an element into order^3 tetrahedra: upright and inverted cells, and octahedra, which are
 * cut into four along a diagonal. silo_mesh.c writes these as zones. */
#include "libdg/io/subdivide.h"

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"

/* Corners of a cell of the lattice as steps from its base node. Octahedron: ends of the diagonal, then the ring. */
static const int upright[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int inverted[4][3] = {{1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const int octahedron[6][3] = {{1, 0, 0}, {0, 1, 1}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 0}};

/* Node numbers by lattice index. */
struct lattice_map {
  int node[DG_ORDER_MAX + 1][DG_ORDER_MAX + 1][DG_ORDER_MAX + 1];
};

static int corner(const struct lattice_map *map, const int base[3], const int step[3])
{
  return map->node[base[0] + step[0]][base[1] + step[1]][base[2] + step[2]];
}

static double determinant(const double a[3], const double b[3], const double c[3], const double d[3])
{
  double u[3], v[3], w[3];
  for (int i = 0; i < 3; i++) {
    u[i] = b[i] - a[i];
    v[i] = c[i] - a[i];
    w[i] = d[i] - a[i];
  }
  return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/* Adds the tetrahedron, its last two nodes exchanged when it would have a negative volume. */
static void add_tet(struct dg_subdivision *sub, const struct dg_reference *ref, int a, int b, int c, int d)
{
  const int node[4] = {a, b, c, d};
  double x[4][3];
  for (int i = 0; i < 4; i++) {
    x[i][0] = ref->r[node[i]];
    x[i][1] = ref->s[node[i]];
    x[i][2] = ref->t[node[i]];
  }
  const int mirrored = determinant(x[0], x[1], x[2], x[3]) < 0;
  int *const tet = sub->tet[sub->count++];
  tet[0] = a;
  tet[1] = b;
  tet[2] = mirrored ? d : c;
  tet[3] = mirrored ? c : d;
}

int dg_subdivision_init(struct dg_subdivision *sub, const struct dg_reference *ref, struct dg_error *err)
{
  const int p = ref->order;
  struct lattice_map map;

  *sub = (struct dg_subdivision){.order = p};
  if (DG_NEW(sub->tet, p * p * p, err) != 0) return dg_context(err, "for the subdivision of an element");
  for (int n = 0; n < ref->Np; n++) {
    const int *const l = ref->lattice[n];
    map.node[l[0]][l[1]][l[2]] = n;
  }
  for (int n = 0; n < ref->Np; n++) {
    const int *const base = ref->lattice[n];
    const int room = p - base[0] - base[1] - base[2];
    int v[6];
    if (room >= 1) {
      for (int i = 0; i < 4; i++) v[i] = corner(&map, base, upright[i]);
      add_tet(sub, ref, v[0], v[1], v[2], v[3]);
    }
    if (room >= 2) {
      for (int i = 0; i < 6; i++) v[i] = corner(&map, base, octahedron[i]);
      for (int i = 0; i < 4; i++) add_tet(sub, ref, v[0], v[1], v[2 + i], v[2 + (i + 1) % 4]);
    }
    if (room >= 3) {
      for (int i = 0; i < 4; i++) v[i] = corner(&map, base, inverted[i]);
      add_tet(sub, ref, v[0], v[1], v[2], v[3]);
    }
  }
  DG_ASSERT(sub->count == p * p * p);
  return 0;
}

void dg_subdivision_release(struct dg_subdivision *sub)
{
  if (!sub) return;
  dg_free(sub->tet);
  *sub = (struct dg_subdivision){0};
}

void dg_subdivide_mesh(const struct dg_subdivision *sub, const struct dg_mesh *mesh, int Np, const int32_t *point,
                       int (*zone)[4])
{
  for (size_t e = 0; e < mesh->K; e++) {
    const int32_t *const v = mesh->element[e];
    const int mirrored =
        determinant(mesh->vertex[v[0]], mesh->vertex[v[1]], mesh->vertex[v[2]], mesh->vertex[v[3]]) < 0;
    const size_t first = e * (size_t)Np;
    for (int m = 0; m < sub->count; m++) {
      int *const out = zone[e * (size_t)sub->count + (size_t)m];
      for (int i = 0; i < 4; i++) {
        const size_t n = first + (size_t)sub->tet[m][mirrored && i >= 2 ? 5 - i : i];
        out[i] = point ? point[n] : (int)n;
      }
    }
  }
}
