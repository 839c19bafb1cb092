/* A coaxial line: a ring of RING_AROUND sectors drawn along x from 0 to ring_length, walls at radius ring_inner and
 * ring_outer. Volume tag 1; surfaces: 1 x = 0, 2 x = ring_length. Include after box.h. */
#pragma once

enum { RING_AROUND = 16, RING_ALONG = 2 };
static const double ring_inner = 0.1, ring_outer = 0.23, ring_length = 0.5;

/* squeeze: factor on z of the inner wall. */
static inline void ring_mesh(struct box *box, double squeeze)
{
  static const int path[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  double x[(RING_ALONG + 1) * RING_AROUND * 2][3];
  int32_t tet[RING_ALONG * RING_AROUND * 6][4], volume[RING_ALONG * RING_AROUND * 6], tri[4 * RING_AROUND][3],
      surface[4 * RING_AROUND];
  size_t K = 0, triangles = 0;
  for (int i = 0; i <= RING_ALONG; i++)
    for (int j = 0; j < RING_AROUND; j++)
      for (int k = 0; k < 2; k++) {
        double r = k == 0 ? ring_inner : ring_outer, angle = 2 * acos(-1.0) * j / RING_AROUND;
        double *p = x[(i * RING_AROUND + j) * 2 + k];
        p[0] = ring_length * i / RING_ALONG;
        p[1] = 0.3 + r * cos(angle);
        p[2] = -0.2 + r * sin(angle) * (k == 0 ? squeeze : 1);
      }
  for (int i = 0; i < RING_ALONG; i++)
    for (int j = 0; j < RING_AROUND; j++)
      for (int q = 0; q < 6; q++, K++) {
        int at[3] = {i, j, 0}, end[4];
        for (int s = 0; s < 4; s++) {
          tet[K][s] = (at[0] * RING_AROUND + at[1] % RING_AROUND) * 2 + at[2];
          end[s] = at[0];
          if (s < 3) at[path[q][s]]++;
        }
        double d[3][3];
        for (int s = 0; s < 3; s++)
          for (int c = 0; c < 3; c++) d[s][c] = x[tet[K][s + 1]][c] - x[tet[K][0]][c];
        double det = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
                     d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                     d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
        volume[K] = 1;
        for (int side = 0; side < 2; side++) {
          int32_t corner[4];
          int on = 0;
          for (int s = 0; s < 4; s++)
            if (end[s] == side * RING_ALONG) corner[on++] = tet[K][s];
          if (on != 3) continue;
          memcpy(tri[triangles], corner, sizeof tri[triangles]);
          surface[triangles++] = side + 1;
        }
        if (det < 0) {
          int32_t keep = tet[K][2];
          tet[K][2] = tet[K][3];
          tet[K][3] = keep;
        }
      }
  const struct dg_mesh_input input = {.points = (RING_ALONG + 1) * RING_AROUND * 2,
                                      .K = K,
                                      .triangles = triangles,
                                      .point = (const double(*)[3])x,
                                      .tet = (const int32_t(*)[4])tet,
                                      .volume_tag = volume,
                                      .triangle = (const int32_t(*)[3])tri,
                                      .surface_tag = surface};
  struct dg_error err = {0};
  if (dg_mesh_build(&box->mesh, &input, &err) != 0 || dg_geometry_init(&box->geometry, &box->mesh, &err) != 0)
    fail_msg("%s", err.message);
  box->config =
      (struct mx_config){.script_path = "test.lua", .alpha = 1, .material = box->material, .boundary = box->boundary};
}

/* Bends sectors to circles; the corners of the polygons stay where they are. */
static inline void ring_round(void *context, double x[3])
{
  const double y = x[1] - 0.3, z = x[2] + 0.2, sector = 2 * acos(-1.0) / RING_AROUND, angle = atan2(z, y);
  const double off = angle - sector * (floor(angle / sector) + 0.5), out = cos(off) / cos(0.5 * sector);
  (void)context;
  x[1] = 0.3 + y * out;
  x[2] = -0.2 + z * out;
}
