/* Paths cut at the faces of elements, and many points located at once, on a mesh whose inner points are shaken. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libdg/base/memory.h"
#include "libdg/io/tests/cube.h"
#include "libdg/mesh/mesh_check.h"
#include "libdg/mesh/find/segment.h"
#include "libdg/ref/quadrature.h"

enum { CELLS = 4 };

static double random_number(void)
{
  static unsigned long long state = 7;
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(state >> 11) / 9007199254740992.0;
}

/* The unit cube; points inside are moved by up to a quarter of a cell. */
static struct dg_mesh shaken_cube(void)
{
  struct dg_mesh mesh;
  struct dg_error err = {0};
  assert_int_equal(cube_mesh(&mesh, CELLS, &err), 0);
  for (size_t v = 0; v < mesh.vertices; v++) {
    int inside = 1;
    for (int d = 0; d < 3; d++) inside = inside && mesh.vertex[v][d] > 1e-9 && mesh.vertex[v][d] < 1 - 1e-9;
    for (int d = 0; d < 3 && inside; d++) mesh.vertex[v][d] += 0.25 / CELLS * (2 * random_number() - 1);
  }
  return mesh;
}

static void at(const double (*point)[3], size_t points, const struct dg_path_piece *piece, double t, double x[3])
{
  const double *a = point[piece->segment], *b = point[(piece->segment + 1) % points];
  for (int d = 0; d < 3; d++) x[d] = a[d] + t * (b[d] - a[d]);
}

/* Pieces are disjoint, in order and in their elements; their length is that of the path less what is outside. */
static double check_pieces(const struct dg_mesh *mesh, size_t points, const double (*point)[3],
                           const struct dg_path *path)
{
  double covered = 0;
  for (size_t i = 0; i < path->pieces; i++) {
    const struct dg_path_piece *piece = &path->piece[i];
    assert_true(0 <= piece->begin && piece->begin < piece->end && piece->end <= 1);
    if (i > 0 && piece[-1].segment == piece->segment) assert_true(piece[-1].end <= piece->begin);
    if (i > 0) assert_true(piece[-1].segment <= piece->segment);
    double ends[2][3];
    for (int k = 0; k < 3; k++) {
      double x[3], bary[4], t = k == 0 ? piece->begin : k == 1 ? piece->end : (piece->begin + piece->end) / 2;
      at(point, points, piece, t, x);
      dg_mesh_barycentric(mesh, piece->element, x, bary);
      for (int b = 0; b < 4; b++) assert_true(bary[b] > -1e-8);
      if (k == 2) { /* what several elements hold goes to the first */
        double other[4];
        if (piece->end - piece->begin > 1e-6) assert_int_equal(dg_mesh_locate(mesh, x, other), piece->element);
      } else memcpy(ends[k], x, sizeof x);
    }
    covered +=
        sqrt(pow(ends[1][0] - ends[0][0], 2) + pow(ends[1][1] - ends[0][1], 2) + pow(ends[1][2] - ends[0][2], 2));
  }
  assert_true(fabs(covered + path->outside - path->length) < 1e-13 * path->length);
  return covered;
}

static void cut(const struct dg_mesh *mesh, size_t points, const double (*point)[3], int closed, double outside,
                double tolerance)
{
  struct dg_path path;
  struct dg_error err = {0};
  assert_int_equal(dg_path_cut(&path, mesh, NULL, points, point, closed, &err), 0);
  check_pieces(mesh, points, point, &path);
  if (!(fabs(path.outside - outside) <= tolerance)) fail_msg("outside %.17g, not %.17g", path.outside, outside);
  dg_path_release(&path);
}

static void covers_random_segments(void **state)
{
  (void)state;
  struct dg_mesh mesh = shaken_cube();
  for (int i = 0; i < 500; i++) {
    double ends[2][3];
    for (int k = 0; k < 6; k++) ends[k / 3][k % 3] = random_number();
    cut(&mesh, 2, (const double(*)[3])ends, 0, 0, 0);
  }
  dg_mesh_release(&mesh);
}

/* If neighbours share the edge or face in which a segment lies, the segment is counted once. */
static void covers_edges_and_faces_once(void **state)
{
  (void)state;
  struct dg_mesh mesh = shaken_cube();
  for (size_t e = 0; e < mesh.K; e += 3)
    for (int a = 0; a < 4; a++) {
      const double *p = mesh.vertex[mesh.element[e][a]], *q = mesh.vertex[mesh.element[e][(a + 1) % 4]],
                   *r = mesh.vertex[mesh.element[e][(a + 2) % 4]];
      double edge[2][3], face[2][3];
      for (int d = 0; d < 3; d++) {
        edge[0][d] = p[d], edge[1][d] = q[d];
        face[0][d] = 0.2 * p[d] + 0.3 * q[d] + 0.5 * r[d]; /* within the face */
        face[1][d] = 0.7 * p[d] + 0.1 * q[d] + 0.2 * r[d];
      }
      cut(&mesh, 2, (const double(*)[3])edge, 0, 0, 0);
      cut(&mesh, 2, (const double(*)[3])face, 0, 0, 0);
    }
  dg_mesh_release(&mesh);
}

/* Through the vertices, edges and faces of a regular grid, and on its outside. */
static void covers_what_is_degenerate(void **state)
{
  (void)state;
  struct dg_mesh mesh;
  struct dg_error err = {0};
  assert_int_equal(cube_mesh(&mesh, CELLS, &err), 0);
  static const double inside[][2][3] = {
      {{0, 0, 0}, {1, 1, 1}},     {{0, 0, 0}, {1, 0, 0}},         {{1, 0, 0}, {0, 1, 1}},
      {{0, 0, 0}, {1, 1, 0}},     {{0, 0.5, 0.5}, {1, 0.5, 0.5}}, {{0.5, 0, 0}, {0.5, 1, 1}},
      {{0, 0.1, 0}, {0, 0.9, 1}}, {{0.3, 1, 0}, {0.3, 1, 1}},     {{1, 1, 1}, {1, 1, 0}},
  };
  for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) cut(&mesh, 2, inside[i], 0, 0, 0);
  dg_mesh_release(&mesh);
}

static void measures_what_is_outside(void **state)
{
  (void)state;
  struct dg_mesh mesh = shaken_cube();
  static const double across[2][3] = {{-1, 0.3, 0.4}, {2, 0.3, 0.4}},
                      corner[2][3] = {{0.9, -0.1, 0.5}, {1.1, 0.1, 0.5}}, away[2][3] = {{2, 0, 0}, {2, 1, 1}},
                      near[2][3] = {{1 + 1e-6, 0, 0.5}, {1 + 1e-6, 1, 0.5}},
                      loop[4][3] = {{-0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0.5, 2, 0.5}, {-0.5, 2, 0.5}};
  cut(&mesh, 2, across, 0, 2, 1e-14);
  cut(&mesh, 2, corner, 0, 2 * 0.1 * sqrt(2), 1e-13); /* touches the edge only */
  cut(&mesh, 2, away, 0, sqrt(2), 0);
  cut(&mesh, 2, near, 0, 1, 0);
  cut(&mesh, 4, loop, 0, 2.5, 1e-14);
  cut(&mesh, 4, loop, 1, 4, 1e-14);
  dg_mesh_release(&mesh);
}

static void rule_is_exact(void **state)
{
  (void)state;
  for (int n = 1; n <= 6; n++) {
    double x[6], weight[6];
    dg_gauss_legendre(n, x, weight);
    for (int degree = 0; degree < 2 * n; degree++) {
      double sum = 0;
      for (int i = 0; i < n; i++) sum += weight[i] * pow(x[i], degree);
      assert_true(fabs(sum - 1.0 / (degree + 1)) < 2e-15);
    }
    double sum = 0; /* but not one degree higher */
    for (int i = 0; i < n; i++) sum += weight[i] * pow(x[i], 2 * n);
    assert_true(fabs(sum - 1.0 / (2 * n + 1)) > 1e-8);
    for (int i = 1; i < n; i++) assert_true(x[i - 1] < x[i]);
  }
}

/* A batch finds what one by one finds: at random, on faces, edges and vertices, around the mesh, on a plane. */
static void locates_many_as_one_by_one(void **state)
{
  (void)state;
  enum { COUNT = 3000 };
  struct dg_mesh mesh = shaken_cube();
  struct dg_error err = {0};
  static double point[COUNT][3], bary[COUNT][4];
  static int64_t element[COUNT];
  for (int round = 0; round < 4; round++) {
    size_t found = 0;
    for (size_t i = 0; i < COUNT; i++) {
      const int32_t *v = mesh.element[i % mesh.K];
      for (int d = 0; d < 3; d++) {
        double u = random_number();
        const double *p = mesh.vertex[v[0]], *q = mesh.vertex[v[1]], *r = mesh.vertex[v[2]];
        if (round == 0) point[i][d] = 1.4 * u - 0.2;
        else if (round == 1)
          point[i][d] = i % 3 == 0 ? p[d] : i % 3 == 1 ? (p[d] + q[d]) / 2 : (p[d] + q[d] + r[d]) / 3;
        else if (round == 2) point[i][d] = d == 1 ? 0.37 : d == 0 ? (double)(i % 60) / 59 : (double)(i / 60) / 49;
        else point[i][d] = d == 0 ? (double)i / COUNT : 0.25; /* a line */
      }
    }
    assert_int_equal(dg_mesh_locate_many(&mesh, COUNT, (const double(*)[3])point, element, bary, &err), 0);
    for (size_t i = 0; i < COUNT; i++) {
      double one[4];
      int64_t e = dg_mesh_locate(&mesh, point[i], one);
      assert_int_equal(element[i], e);
      if (e >= 0) assert_memory_equal(bary[i], one, sizeof one);
      found += e >= 0;
    }
    assert_true(round == 0 ? found > COUNT / 4 && found < COUNT / 2 : found == COUNT);
  }
  int64_t alone;
  assert_int_equal(dg_mesh_locate_many(&mesh, 1, (const double(*)[3])point, &alone, bary, &err), 0);
  assert_int_equal(alone, element[0]);
  assert_int_equal(dg_mesh_locate_many(&mesh, 0, NULL, NULL, NULL, &err), 0);
  dg_mesh_release(&mesh);
}

static void survives_every_failing_allocation(void **state)
{
  (void)state;
  struct dg_mesh mesh = shaken_cube();
  static const double point[3][3] = {{0, 0, 0}, {1, 0.9, 0.8}, {0.2, 1, 0}};
  size_t before = dg_memory_current();
  for (int many = 0; many < 2; many++) {
    int failed = 1;
    long n = 0;
    for (; failed; n++) {
      struct dg_error err = {0};
      struct dg_path path = {0};
      int64_t element[3];
      double bary[3][4];
      dg_memory_fail_at(n + 1);
      failed = many ? dg_mesh_locate_many(&mesh, 3, point, element, bary, &err) != 0
                    : dg_path_cut(&path, &mesh, NULL, 3, point, 1, &err) != 0;
      dg_memory_fail_at(0);
      assert_int_equal(err.code, failed ? DG_ENVIRONMENT : DG_OK);
      dg_path_release(&path);
      assert_int_equal(dg_memory_current(), before);
    }
    assert_true(n > 2);
  }
  dg_mesh_release(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(covers_random_segments),
      cmocka_unit_test(covers_edges_and_faces_once),
      cmocka_unit_test(covers_what_is_degenerate),
      cmocka_unit_test(measures_what_is_outside),
      cmocka_unit_test(rule_is_exact),
      cmocka_unit_test(locates_many_as_one_by_one),
      cmocka_unit_test(survives_every_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
