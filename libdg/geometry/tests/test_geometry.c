/* Geometric factors of a tetrahedron in closed form, and of a cube of many: volumes, normals, the map, the divergence
 * theorem. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "libdg/base/memory.h"
#include "libdg/geometry/geometry.h"
#include "libdg/mesh/tests/cube.h"

#define CELLS 3

static void both(struct dg_mesh *mesh, struct dg_geometry *geometry)
{
  struct dg_error err = {0};
  cube(mesh, CELLS);
  assert_int_equal(dg_geometry_init(geometry, mesh, &err), 0);
}

static void release(struct dg_mesh *mesh, struct dg_geometry *geometry)
{
  dg_geometry_release(geometry);
  dg_mesh_release(mesh);
  assert_int_equal(dg_memory_current(), 0);
}

/* A corner of the reference tetrahedron's shape, edges 2, 4 and 6: everything is known in closed form. */
static void test_one_element(void **state)
{
  (void)state;
  const double point[4][3] = {{1, 1, 1}, {3, 1, 1}, {1, 5, 1}, {1, 1, 7}};
  const int32_t tet[1][4] = {{0, 1, 2, 3}}, volume[1] = {1};
  const struct dg_mesh_input input = {.points = 4, .K = 1, .point = point, .tet = tet, .volume_tag = volume};
  struct dg_error err = {0};
  struct dg_mesh mesh;
  struct dg_geometry geometry;
  assert_int_equal(dg_mesh_build(&mesh, &input, &err), 0);
  assert_int_equal(dg_geometry_init(&geometry, &mesh, &err), 0);
  const double metric[9] = {1, 0, 0, 0, 0.5, 0, 0, 0, 1.0 / 3};
  for (int i = 0; i < 9; i++) assert_true(fabs(geometry.metric[0][i] - metric[i]) < 1e-15);
  assert_true(fabs(geometry.jacobian[0] - 6) < 1e-14); /* volume 8 = 4/3 * 6 */
  const double area[4] = {14, 12, 6, 4};               /* |(24,12,8)|/2 = 14 */
  for (int f = 0; f < 4; f++) {
    assert_true(fabs(dg_geometry_face_area(&geometry, 0, f) - area[f]) < 1e-13);
    assert_true(fabs(geometry.face_scale[0][f] - area[f] / 2 / 6) < 1e-14);
  }
  const double slanted[3] = {6.0 / 7, 3.0 / 7, 2.0 / 7};
  for (int b = 0; b < 3; b++) {
    assert_true(fabs(geometry.normal[0][0][b] - slanted[b]) < 1e-15);
    for (int f = 1; f < 4; f++) assert_true(fabs(geometry.normal[0][f][b] + (b == f - 1)) < 1e-15);
  }
  double x[3];
  dg_geometry_barycentre(&mesh, 0, x);
  assert_true(fabs(x[0] - 1.5) < 1e-15 && fabs(x[1] - 2) < 1e-15 && fabs(x[2] - 2.5) < 1e-15);
  release(&mesh, &geometry);
}

static void test_volumes_and_closed_surfaces(void **state)
{
  (void)state;
  struct dg_mesh mesh;
  struct dg_geometry geometry;
  both(&mesh, &geometry);
  double volume = 0, boundary = 0;
  for (size_t e = 0; e < mesh.K; e++) {
    assert_true(geometry.jacobian[e] > 0);
    volume += 4.0 / 3 * geometry.jacobian[e];
    double sum[3] = {0};
    for (int f = 0; f < 4; f++) {
      double area = dg_geometry_face_area(&geometry, e, f);
      for (int b = 0; b < 3; b++) sum[b] += area * geometry.normal[e][f][b];
      if (mesh.neighbour[e][f] == DG_BOUNDARY) boundary += area;
    }
    for (int b = 0; b < 3; b++) assert_true(fabs(sum[b]) < 1e-15);
  }
  assert_true(fabs(volume - 1) < 1e-14);
  assert_true(fabs(boundary - 6) < 1e-13);
  release(&mesh, &geometry);
}

static void test_normals(void **state)
{
  (void)state;
  struct dg_mesh mesh;
  struct dg_geometry geometry;
  both(&mesh, &geometry);
  for (size_t e = 0; e < mesh.K; e++)
    for (int f = 0; f < 4; f++) {
      const double *n = geometry.normal[e][f], *apex = mesh.vertex[mesh.element[e][f]];
      assert_true(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-14);
      for (int i = 0; i < 4; i++) { /* the plane holds the other vertices; the apex lies behind it */
        const double *v = mesh.vertex[mesh.element[e][i]], *on = mesh.vertex[mesh.element[e][f == 0 ? 1 : 0]];
        double height = n[0] * (v[0] - on[0]) + n[1] * (v[1] - on[1]) + n[2] * (v[2] - on[2]);
        if (v == apex) assert_true(height < 0);
        else assert_true(fabs(height) < 1e-14);
      }
      int32_t other = mesh.neighbour[e][f];
      if (other == DG_BOUNDARY) continue;
      for (int b = 0; b < 3; b++) assert_true(fabs(n[b] + geometry.normal[other >> 2][other & 3][b]) < 1e-13);
      double here = dg_geometry_face_area(&geometry, e, f);
      assert_true(fabs(here - dg_geometry_face_area(&geometry, (size_t)(other >> 2), other & 3)) < 1e-14);
    }
  release(&mesh, &geometry);
}

/* The map takes reference vertices to vertices, and the metric inverts it: r(x(r)) = r. */
static void test_map(void **state)
{
  (void)state;
  struct dg_mesh mesh;
  struct dg_geometry geometry;
  both(&mesh, &geometry);
  const double corner[4][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  for (size_t e = 0; e < mesh.K; e++) {
    double x[3], origin[3];
    for (int i = 0; i < 4; i++) {
      dg_geometry_point(&mesh, e, corner[i][0], corner[i][1], corner[i][2], x);
      for (int b = 0; b < 3; b++) assert_true(fabs(x[b] - mesh.vertex[mesh.element[e][i]][b]) < 1e-15);
    }
    const double r[3] = {-0.3, -0.6, -0.2};
    dg_geometry_point(&mesh, e, r[0], r[1], r[2], x);
    dg_geometry_point(&mesh, e, 0, 0, 0, origin);
    for (int a = 0; a < 3; a++) {
      double back = 0;
      for (int b = 0; b < 3; b++) back += geometry.metric[e][3 * a + b] * (x[b] - origin[b]);
      assert_true(fabs(back - r[a]) < 1e-13);
    }
  }
  release(&mesh, &geometry);
}

/* F = (2x + y, 3y - z, x - 7z) has div F = -2: the flux through each element's faces is -2 times its volume. */
static void test_divergence_theorem(void **state)
{
  (void)state;
  struct dg_mesh mesh;
  struct dg_geometry geometry;
  both(&mesh, &geometry);
  for (size_t e = 0; e < mesh.K; e++) {
    double flux = 0;
    for (int f = 0; f < 4; f++) {
      double x[3] = {0};
      for (int i = 0; i < 4; i++)
        for (int b = 0; b < 3 && i != f; b++) x[b] += mesh.vertex[mesh.element[e][i]][b] / 3;
      const double F[3] = {2 * x[0] + x[1], 3 * x[1] - x[2], x[0] - 7 * x[2]};
      const double *n = geometry.normal[e][f];
      flux += dg_geometry_face_area(&geometry, e, f) * (F[0] * n[0] + F[1] * n[1] + F[2] * n[2]);
    }
    assert_true(fabs(flux + 2 * 4.0 / 3 * geometry.jacobian[e]) < 1e-14);
  }
  release(&mesh, &geometry);
}

static void test_out_of_memory(void **state)
{
  (void)state;
  struct dg_mesh mesh;
  cube(&mesh, CELLS);
  size_t before = dg_memory_current();
  for (int n = 1; n <= 4; n++) {
    struct dg_error err = {0};
    struct dg_geometry geometry;
    dg_memory_fail_at(n);
    assert_int_equal(dg_geometry_init(&geometry, &mesh, &err), DG_ENVIRONMENT);
    dg_memory_fail_at(0);
    assert_int_equal(dg_memory_current(), before);
  }
  dg_mesh_release(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_element),
      cmocka_unit_test(test_volumes_and_closed_surfaces),
      cmocka_unit_test(test_normals),
      cmocka_unit_test(test_map),
      cmocka_unit_test(test_divergence_theorem),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
