/* Points and paths in curved elements, on cubes of which a half is bent. */
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
#include "libdg/mesh/find/invert.h"
#include "libdg/mesh/find/segment.h"
#include "libdg/ref/quadrature.h"

#ifdef __SANITIZE_ADDRESS__ /* it takes ten times as long and looks at memory, not at numbers */
enum { TRIES = 200, PATHS = 10 };
#else
enum { TRIES = 2000, PATHS = 60 };
#endif

static double random_number(void)
{
  static unsigned long long state = 11;
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(state >> 11) / 9007199254740992.0;
}

/* Bends the half x > 1/2 of the unit cube; its outside stays where it is in z. */
static void bend(void *context, double x[3])
{
  const double by = *(const double *)context, u = x[0] > 0.5 ? x[0] - 0.5 : 0;
  const double out[3] = {x[0] + by * u * u * sin(3 * x[1]), x[1] + by * u * u * cos(4 * x[0]) * x[2],
                         x[2] + by * u * u * sin(2 * x[1] + x[0]) * x[2] * (1 - x[2])};
  memcpy(x, out, sizeof out);
}

static struct dg_mesh bent_cube(int cells, int geometry, double by)
{
  struct dg_mesh mesh;
  struct dg_error err = {0};
  assert_int_equal(cube_mesh(&mesh, cells, &err), 0);
  assert_int_equal(dg_mesh_bend(&mesh, geometry, bend, &by, &err), 0);
  assert_true(mesh.curved > mesh.K / 4 && mesh.curved < mesh.K);
  return mesh;
}

static void place_in_element(double place[3], double bary[4])
{
  double sum = 0;
  for (int i = 0; i < 4; i++) sum += bary[i] = -log(1 - random_number());
  for (int i = 0; i < 4; i++) bary[i] /= sum;
  for (int a = 0; a < 3; a++) place[a] = 2 * bary[a + 1] - 1;
}

static void finds_places_in_all_elements(void **state)
{
  (void)state;
  for (int geometry = 2; geometry <= 4; geometry++) {
    struct dg_mesh mesh = bent_cube(3, geometry, 0.8);
    struct dg_error err = {0};
    double(*x)[3] = calloc(4 * mesh.K, sizeof *x), (*wanted)[4] = calloc(4 * mesh.K, sizeof *wanted),
    (*bary)[4] = calloc(4 * mesh.K, sizeof *bary);
    int64_t *element = calloc(4 * mesh.K, sizeof *element);
    for (size_t i = 0; i < 4 * mesh.K; i++) {
      double place[3];
      place_in_element(place, wanted[i]);
      dg_mesh_map(&mesh, i / 4, place, x[i], NULL);
    }
    assert_int_equal(dg_mesh_locate_many(&mesh, 4 * mesh.K, (const double(*)[3])x, element, bary, &err), 0);
    for (size_t i = 0; i < 4 * mesh.K; i++) {
      double alone[4];
      assert_int_equal(element[i], i / 4);
      for (int b = 0; b < 4; b++) assert_true(fabs(bary[i][b] - wanted[i][b]) < 1e-12);
      assert_int_equal(dg_mesh_locate(&mesh, x[i], alone), i / 4);
      assert_memory_equal(alone, bary[i], sizeof alone);
    }
    free(x), free(wanted), free(bary), free(element);
    dg_mesh_release(&mesh);
  }
}

/* A point on a face, an edge or a vertex belongs to the element with the lowest number of those that have it. */
static void gives_faces_to_the_lowest(void **state)
{
  (void)state;
  struct dg_mesh mesh = bent_cube(2, 4, 1);
  for (size_t e = 0; e < mesh.K; e++)
    for (int f = 0; f < 4; f++) {
      double place[3], bary[4], x[3], found[4];
      const int32_t beyond = mesh.neighbour[e][f];
      place_in_element(place, bary);
      for (int i = 0; i < 4; i++) bary[i] += i != f ? bary[f] / 3 : 0;
      bary[f] = 0;
      for (int a = 0; a < 3; a++) place[a] = 2 * bary[a + 1] - 1;
      dg_mesh_map(&mesh, e, place, x, NULL);
      const int64_t low = beyond >= 0 && (size_t)beyond / 4 < e ? beyond / 4 : (int64_t)e;
      assert_int_equal(dg_mesh_locate(&mesh, x, found), low);
    }
  for (size_t v = 0; v < mesh.vertices; v++) {
    double bary[4];
    int64_t low = -1;
    for (size_t e = mesh.K; e-- > 0;)
      for (int i = 0; i < 4; i++)
        if ((size_t)mesh.element[e][i] == v) low = (int64_t)e;
    assert_int_equal(dg_mesh_locate(&mesh, mesh.vertex[v], bary), low);
  }
  dg_mesh_release(&mesh);
}

/* The outside of a bent wall: a step beyond it there is nothing, a step before it there is. */
static void knows_the_outside(void **state)
{
  (void)state;
  for (int geometry = 2; geometry <= 4; geometry++) {
    struct dg_mesh mesh = bent_cube(2, geometry, 1);
    size_t walls = 0;
    for (size_t k = 0; k < mesh.curved; k++)
      for (int f = 0; f < 4; f++) {
        const size_t e = (size_t)mesh.curve[k];
        if (mesh.neighbour[e][f] >= 0) continue;
        for (int n = 0; n < 20; n++, walls++) {
          double place[3], bary[4], x[3], inward[3], found[4], towards[3], tangent[3][3];
          place_in_element(place, bary);
          for (int i = 0; i < 4; i++) bary[i] += i != f ? bary[f] / 3 : 0;
          bary[f] = 0;
          for (int a = 0; a < 3; a++) place[a] = 2 * bary[a + 1] - 1;
          for (int a = 0; a < 3; a++) towards[a] = (f == a + 1 ? 1 : -1) - place[a]; /* vertex f */
          dg_mesh_map(&mesh, e, place, x, tangent);
          for (int sign = -1; sign <= 1; sign += 2) {
            for (int b = 0; b < 3; b++)
              inward[b] =
                  x[b] +
                  sign * 1e-6 * (towards[0] * tangent[0][b] + towards[1] * tangent[1][b] + towards[2] * tangent[2][b]);
            assert_int_equal(dg_mesh_locate(&mesh, inward, found) >= 0, sign > 0);
          }
        }
      }
    assert_true(walls > 200);
    dg_mesh_release(&mesh);
  }
}

/* One element that is bent by far more than meshes are: where Newton's method from the middle goes astray, the
 * element is cut. The truth is a search among places on a fine lattice. */
static void strongly(void *context, double x[3])
{
  (void)context;
  const double angle = 3.6 * (x[0] + 0.4 * x[1]), radius = 0.3 + x[1];
  x[0] = radius * cos(angle);
  x[1] = radius * sin(angle);
}

static void cuts_what_is_strongly_bent(void **state)
{
  (void)state;
  static const double point[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const int32_t tet[1][4] = {{0, 1, 2, 3}};
  static const int32_t volume[1] = {1};
  const struct dg_mesh_input input = {.points = 4, .K = 1, .point = point, .tet = tet, .volume_tag = volume};
  struct dg_mesh mesh;
  struct dg_error err = {0};
  struct dg_inverse inverse;
  struct dg_bent bent;
  size_t astray = 0, outside = 0;
  assert_int_equal(dg_mesh_build(&mesh, &input, &err), 0);
  assert_int_equal(dg_mesh_bend(&mesh, 4, strongly, NULL, &err), 0);
  dg_inverse_init(&inverse, &mesh);
  dg_bent_box(&bent, &inverse, 0);
  for (int n = 0; n < TRIES; n++) {
    double place[3], wanted[4], x[3], bary[4];
    place_in_element(place, wanted);
    dg_mesh_map(&mesh, 0, place, x, NULL);
    astray += !dg_bent_newton(&bent, &inverse, x, bary) || fabs(bary[1] - wanted[1]) > 1e-9;
    assert_true(dg_bent_find(&bent, &inverse, x, 1e-9, bary));
    for (int b = 0; b < 4; b++) assert_true(fabs(bary[b] - wanted[b]) < 1e-9);
    for (int b = 0; b < 3; b++) x[b] = bent.low[b] + random_number() * (bent.high[b] - bent.low[b]);
    if (dg_bent_find(&bent, &inverse, x, 1e-9, bary)) {
      double back[3];
      for (int a = 0; a < 3; a++) place[a] = 2 * bary[a + 1] - 1;
      dg_mesh_map(&mesh, 0, place, back, NULL);
      for (int b = 0; b < 3; b++) assert_true(fabs(back[b] - x[b]) < 1e-12);
      continue;
    }
    outside++;
    double nearest = INFINITY;
    for (int i = 0; i <= 30; i++)
      for (int j = 0; i + j <= 30; j++)
        for (int k = 0; i + j + k <= 30; k++) {
          const double there[3] = {i / 15.0 - 1, j / 15.0 - 1, k / 15.0 - 1};
          double at[3];
          dg_mesh_map(&mesh, 0, there, at, NULL);
          nearest = fmin(nearest, hypot(hypot(at[0] - x[0], at[1] - x[1]), at[2] - x[2]));
        }
    if (nearest < 1e-3) fail_msg("a point %g m from the element is said to be outside", nearest);
  }
  assert_true(outside > TRIES / 4);
  assert_true(astray > TRIES / 100); /* Newton's method alone would not do */
  dg_mesh_release(&mesh);
}

/* The integral of the gradient of phi along the pieces of a path, with the places that the map gives. */
static double phi(const double x[3]) { return sin(2 * x[0]) * x[1] + x[2] * x[2] * x[0] + cos(3 * x[1] * x[2]); }

static void gradient(const double x[3], double g[3])
{
  g[0] = 2 * cos(2 * x[0]) * x[1] + x[2] * x[2];
  g[1] = sin(2 * x[0]) - 3 * x[2] * sin(3 * x[1] * x[2]);
  g[2] = 2 * x[2] * x[0] - 3 * x[1] * sin(3 * x[1] * x[2]);
}

static double along(const struct dg_mesh *mesh, const double end[2][3], const struct dg_path *path)
{
  enum { POINTS = 16 };
  double t[POINTS], weight[POINTS], sum = 0;
  struct dg_inverse inverse;
  dg_inverse_init(&inverse, mesh);
  dg_gauss_legendre(POINTS, t, weight);
  for (size_t i = 0; i < path->pieces; i++)
    for (int q = 0; q < POINTS; q++) {
      const double length = path->piece[i].end - path->piece[i].begin, at = path->piece[i].begin + t[q] * length;
      double x[3], bary[4], place[3], back[3], g[3];
      for (int d = 0; d < 3; d++) x[d] = end[0][d] + at * (end[1][d] - end[0][d]);
      dg_mesh_place(&inverse, path->piece[i].element, x, bary);
      for (int b = 0; b < 4; b++) assert_true(bary[b] > -2e-9);
      for (int a = 0; a < 3; a++) place[a] = 2 * bary[a + 1] - 1;
      dg_mesh_map(mesh, path->piece[i].element, place, back, NULL);
      gradient(back, g);
      for (int d = 0; d < 3; d++) sum += weight[q] * length * g[d] * (end[1][d] - end[0][d]);
    }
  return sum;
}

static void cuts_paths_at_bent_faces(void **state)
{
  (void)state;
  for (int geometry = 2; geometry <= 4; geometry++) {
    struct dg_mesh mesh = bent_cube(3, geometry, 0.6);
    struct dg_error err = {0};
    size_t bent = 0;
    for (int n = 0; n < PATHS; n++) {
      double end[2][3], bary[4];
      struct dg_path path;
      const int64_t on = n % 4 == 3 ? mesh.curve[(size_t)n % mesh.curved] : -1; /* along an edge at times */
      for (int k = 0; k < 6; k++) end[k / 3][k % 3] = 0.15 + 0.7 * random_number();
      for (int k = 0; k < 2 && on >= 0; k++) memcpy(end[k], mesh.vertex[mesh.element[on][2 * k]], sizeof end[k]);
      if (on >= 0) /* from a vertex to near another one */
        for (int d = 0; d < 3; d++) end[1][d] = 0.9 * end[1][d] + 0.1 * (0.5 + 0.01 * d);
      if (dg_mesh_locate(&mesh, end[0], bary) < 0 || dg_mesh_locate(&mesh, end[1], bary) < 0) continue;
      assert_int_equal(dg_path_cut(&path, &mesh, NULL, 2, (const double(*)[3])end, 0, &err), 0);
      double covered = 0;
      for (size_t i = 0; i < path.pieces; i++) {
        covered += (path.piece[i].end - path.piece[i].begin) * path.length;
        bent += dg_mesh_curve(&mesh, path.piece[i].element) >= 0;
      }
      assert_true(fabs(covered + path.outside - path.length) < 1e-13);
      if (path.outside < 1e-9) { /* a bent wall may be between the ends */
        const double wanted = phi(end[1]) - phi(end[0]), got = along(&mesh, (const double(*)[3])end, &path);
        if (fabs(got - wanted) > 1e-11) fail_msg("%.15g instead of %.15g", got, wanted);
      }
      dg_path_release(&path);
    }
    assert_true(bent > 5 * PATHS / 2);
    dg_mesh_release(&mesh);
  }
}

/* A segment that grazes the bent wall from outside, and one that leaves it for a moment: the lengths inside. */
static void bow(void *context, double x[3])
{
  (void)context;
  x[2] += 0.2 * x[0] * (1 - x[0]) * x[2]; /* the top is a parabola from 1 up to 1.05 */
}

static void sees_what_grazes(void **state)
{
  (void)state;
  struct dg_mesh mesh;
  struct dg_error err = {0};
  assert_int_equal(cube_mesh(&mesh, 1, &err), 0);
  assert_int_equal(dg_mesh_bend(&mesh, 3, bow, NULL, &err), 0);
  static const double depth[] = {1e-2, 1e-4, 1e-6, 1e-8};
  for (size_t n = 0; n < sizeof depth / sizeof *depth; n++) {
    const double end[2][3] = {{0, 0.3, 1.05 - depth[n]}, {1, 0.3, 1.05 - depth[n]}};
    const double inside = 2 * sqrt(depth[n] / 0.2);
    struct dg_path path;
    assert_int_equal(dg_path_cut(&path, &mesh, NULL, 2, end, 0, &err), 0);
    if (fabs(1 - path.outside - inside) > 1e-6)
      fail_msg("%.9g of the segment are inside, not %.9g", 1 - path.outside, inside);
    dg_path_release(&path);
  }
  dg_mesh_release(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_places_in_all_elements),
      cmocka_unit_test(gives_faces_to_the_lowest),
      cmocka_unit_test(knows_the_outside),
      cmocka_unit_test(cuts_what_is_strongly_bent),
      cmocka_unit_test(cuts_paths_at_bent_faces),
      cmocka_unit_test(sees_what_grazes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
