/* Checks of what must hold of every mesh, whatever bytes it was made of; and a first use of the mesh. */
#pragma once

#include <math.h>

#include "libdg/fuzz/fuzz.h"
#include "libdg/geometry/geometry.h"
#include "libdg/mesh/curve.h"

static inline void fuzz_check_mesh(const struct dg_mesh *mesh)
{
  size_t boundary = 0;
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    int32_t other = mesh->neighbour[i / 4][i % 4], surface = mesh->surface[i / 4][i % 4],
            v = mesh->element[i / 4][i % 4];
    FUZZ_EXPECT(v >= 0 && (size_t)v < mesh->vertices && (i % 4 == 0 || v > mesh->element[i / 4][i % 4 - 1]));
    FUZZ_EXPECT(surface >= -1 && surface < (int64_t)mesh->entities);
    FUZZ_EXPECT(other == DG_BOUNDARY ||
                (other >= 0 && (size_t)other < 4 * mesh->K && mesh->neighbour[other / 4][other % 4] == (int32_t)i));
    boundary += other == DG_BOUNDARY;
  }
  FUZZ_EXPECT(boundary == mesh->boundary_faces && boundary + 2 * mesh->interior_faces == 4 * mesh->K);
  for (size_t e = 0; e < mesh->K; e++)
    FUZZ_EXPECT(mesh->volume[e] >= 0 && (size_t)mesh->volume[e] < mesh->entities &&
                mesh->entity[mesh->volume[e]].dim == 3);
  FUZZ_EXPECT(mesh->curved <= mesh->K && mesh->geometry <= DG_GEOMETRY_MAX &&
              (mesh->curved == 0 || mesh->geometry > 1));
  for (size_t k = 0; k < mesh->curved; k++) {
    FUZZ_EXPECT(mesh->curve[k] >= 0 && (size_t)mesh->curve[k] < mesh->K &&
                (k == 0 || mesh->curve[k] > mesh->curve[k - 1]));
    for (size_t n = 0; n < dg_shape_nodes(mesh->geometry); n++)
      for (int b = 0; b < 3; b++) FUZZ_EXPECT(isfinite(dg_mesh_shape(mesh, k)[n][b]));
  }
  for (size_t i = 0; i < mesh->entities; i++)
    for (int k = 0; k < mesh->entity[i].groups; k++)
      FUZZ_EXPECT(mesh->entity[i].group[k] >= 0 && (size_t)mesh->entity[i].group[k] < mesh->groups);
}

/* Uses the mesh as a run does next. */
static inline void fuzz_use_mesh(const struct dg_mesh *mesh)
{
  struct dg_geometry geometry;
  struct dg_error err = {0};
  FUZZ_EXPECT(dg_geometry_init(&geometry, mesh, &err) == 0);
  double point[2][3] = {{0.1, 0.2, 0.3}}, bary[2][4];
  int64_t element[2];
  dg_geometry_barycentre(mesh, mesh->K - 1, point[1]);
  FUZZ_EXPECT(dg_mesh_locate_many(mesh, 2, (const double(*)[3])point, element, bary, &err) == 0);
  FUZZ_EXPECT(element[1] >= 0);
  dg_geometry_release(&geometry);
  for (size_t g = 0; g < mesh->groups; g++)
    for (size_t i = 0; i < mesh->entities; i++) (void)dg_mesh_entity_in_group(mesh, (int)i, mesh->group[g].name);
}
