/* A mesh for tests. Behind cmocka.h. */
#pragma once

#include <stdlib.h>

#include "libdg/mesh/mesh.h"

/* The most cells a side. */
#ifndef CUBE_MOST
#define CUBE_MOST 12
#endif
enum { MOST = CUBE_MOST };

/* The unit cube as cells^3 cells of six tetrahedra each (Kuhn), with its inner vertices moved about. */
static void cube(struct dg_mesh *mesh, int cells)
{
  enum { SIDE = MOST + 1 };
  static double point[SIDE * SIDE * SIDE][3];
  static int32_t tet[6 * MOST * MOST * MOST][4], volume[6 * MOST * MOST * MOST];
  static const int path[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  const int side = cells + 1, step[3] = {1, side, side * side};
  srand(1);
  for (int p = 0; p < side * side * side; p++) {
    const int index[3] = {p % side, p / side % side, p / side / side};
    for (int b = 0; b < 3; b++) {
      int inner = index[b] > 0 && index[b] < cells;
      point[p][b] = (index[b] + (inner ? 0.3 * (rand() / (double)RAND_MAX - 0.5) : 0)) / cells;
    }
  }
  int k = 0;
  for (int p = 0; p < side * side * side; p++) {
    if (p % side == cells || p / side % side == cells || p / side / side == cells) continue;
    for (int i = 0; i < 6; i++) {
      int32_t v[4] = {p};
      for (int j = 0; j < 3; j++) v[j + 1] = v[j] + step[path[i][j]];
      int odd = i >= 3; /* an odd permutation is a mirror image */
      tet[k][0] = v[0];
      tet[k][1] = v[odd ? 2 : 1];
      tet[k][2] = v[odd ? 1 : 2];
      tet[k][3] = v[3];
      volume[k++] = 1;
    }
  }
  const struct dg_mesh_input input = {.points = (size_t)(side * side * side),
                                      .K = (size_t)k,
                                      .point = (const double(*)[3])point,
                                      .tet = (const int32_t(*)[4])tet,
                                      .volume_tag = volume};
  struct dg_error err = {0};
  if (dg_mesh_build(mesh, &input, &err) != 0) fail_msg("%s", err.message);
}
