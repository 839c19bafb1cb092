/* Takes faces out of the maps of curved elements. Ports and far fields call it. */
#include "libdg/mesh/face_map.h"

#include <math.h>
#include <string.h>

#include "libdg/mesh/curve.h"

/* (r, s, t) of a place on face f, whose vertices are the element's others in ascending order. */
static void place_on(int f, const double towards[3], double place[3])
{
  double bary[4] = {0};
  for (int v = 0, n = 0; v < 4; v++)
    if (v != f && n < 3) bary[v] = towards[n++];
  for (int a = 0; a < 3; a++) place[a] = 2 * bary[a + 1] - 1;
}

bool dg_face_map_of(const struct dg_mesh *mesh, size_t e, int f, struct dg_face_map *map)
{
  const double flat = 1e-8;
  const ptrdiff_t k = mesh->curved > 0 ? dg_mesh_curve(mesh, e) : -1;
  const int g = mesh->geometry;
  double off = 0, size = 0;
  size_t n = 0;
  *map = (struct dg_face_map){0};
  if (k < 0) return false;
  for (int j = 0; j <= g; j++)
    for (int i = 0; i + j <= g; i++, n++) {
      const double towards[3] = {(double)(g - i - j) / g, (double)i / g, (double)j / g};
      double place[3];
      place_on(f, towards, place);
      dg_shape_at(g, dg_mesh_shape(mesh, (size_t)k), place, map->node[n], NULL);
    }
  const double(*x)[3] = (const double(*)[3])map->node, *a = x[0], *b = x[g], *c = x[n - 1];
  n = 0;
  for (int j = 0; j <= g; j++)
    for (int i = 0; i + j <= g; i++, n++)
      for (int d = 0; d < 3; d++) {
        off = fmax(off, fabs(x[n][d] - ((g - i - j) * a[d] + i * b[d] + j * c[d]) / g));
        size = fmax(size, fmax(fabs(b[d] - a[d]), fabs(c[d] - a[d])));
      }
  if (off <= flat * size) return false;
  map->geometry = g;
  return true;
}

void dg_face_map_at(const struct dg_face_map *map, const double bary[3], double x[3], double t[2][3])
{
  /* The nodes are those of the face t = -1 of an element, in the order of its lattice. */
  const double place[3] = {2 * bary[1] - 1, 2 * bary[2] - 1, -1};
  double shape[DG_SHAPE_MAX][3] = {{0}}, tangent[3][3];
  memcpy(shape, map->node, sizeof map->node);
  dg_shape_at(map->geometry, (const double(*)[3])shape, place, x, tangent);
  memcpy(t, tangent, 2 * sizeof tangent[0]);
}
