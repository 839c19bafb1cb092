/* The unit cube as n^3 cells of six tetrahedra each (Kuhn), for the tests of this folder. */
#pragma once

#include <stdbool.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/mesh.h"

/* Is the cell left out? In the middle layer of three only every other cell is there. These cells touch in edges, and
 * reach each other through faces only by way of the layers above and below. */
static inline bool is_hole(int n, int cell) { return n == 3 && cell / 9 == 1 && cell % 2 == 0; }

static inline int cube_mesh_with(struct dg_mesh *mesh, int n, bool holes, struct dg_error *err)
{
  static const int path[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}; /* 3 even, 3 odd */
  const int side = n + 1, points = side * side * side, K = 6 * n * n * n;
  double(*point)[3] = NULL;
  int32_t(*tet)[4] = NULL, *volume = NULL;
  int k = 0;

  if (DG_NEW(point, points, err) != 0 || DG_NEW(tet, K, err) != 0 || DG_NEW(volume, K, err) != 0) goto fail;
  for (int i = 0; i < points; i++) {
    point[i][0] = (double)(i % side) / n;
    point[i][1] = (double)(i / side % side) / n;
    point[i][2] = (double)(i / side / side) / n;
  }
  for (int cell = 0; cell < n * n * n; cell++) {
    if (holes && is_hole(n, cell)) continue;
    const int stride[3] = {1, side, side * side};
    const int base = cell % n + cell / n % n * side + cell / n / n * side * side;
    for (int q = 0; q < 6; q++, k++) {
      int corner[4] = {base};
      for (int i = 0; i < 3; i++) corner[i + 1] = corner[i] + stride[path[q][i]];
      for (int i = 0; i < 4; i++) tet[k][i] = corner[i];
      if (q >= 3) {
        tet[k][2] = corner[3];
        tet[k][3] = corner[2];
      }
      volume[k] = 1;
    }
  }
  const struct dg_mesh_input input = {.points = (size_t)points,
                                      .K = (size_t)k,
                                      .point = (const double(*)[3])point,
                                      .tet = (const int32_t(*)[4])tet,
                                      .volume_tag = volume};
  if (dg_mesh_build(mesh, &input, err) != 0) goto fail;
fail:
  dg_free(point);
  dg_free(tet);
  dg_free(volume);
  return err->code;
}

static inline int cube_mesh(struct dg_mesh *mesh, int n, struct dg_error *err)
{
  return cube_mesh_with(mesh, n, false, err);
}
