/* Potentials on planes: polynomials that are exact, division that leaves no gaps, wedges, a capacitance with corners, a
 * curved ring, and memory that ends. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/plane/plane_space.h"
#include "libdg/solve/pcg.h"

enum { MOST = 400 };

/* Triangles on a grid of squares, turned out of the coordinate planes: u along (3, 4, 0)/5, v along z. */
struct scene {
  size_t triangles, edges;
  int64_t vertex[MOST][3];
  double corner[MOST][3][3];
  struct dg_face_map map[MOST];
  double k[MOST];
  struct dg_plane_edge edge[MOST];
};

static void place(double u, double v, double x[3])
{
  x[0] = 0.6 * u;
  x[1] = 0.8 * u;
  x[2] = v;
}

static void add_triangle(struct scene *scene, const int64_t vertex[3], const double (*at)[2], double k)
{
  const size_t n = scene->triangles++;
  memcpy(scene->vertex[n], vertex, sizeof scene->vertex[n]);
  for (int i = 0; i < 3; i++) place(at[i][0], at[i][1], scene->corner[n][i]);
  scene->k[n] = k;
}

static void add_edge(struct scene *scene, int64_t a, int64_t b, int body)
{
  scene->edge[scene->edges++] = (struct dg_plane_edge){{a < b ? a : b, a < b ? b : a}, body};
}

/* Squares of side h at (i, j) for which keep(i, j), vertices 7 (i + 100 j). */
static void grid(struct scene *scene, int n, double h, bool (*keep)(int i, int j), double (*medium)(int i, int j))
{
  memset(scene, 0, sizeof *scene);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      const int64_t a = 7 * (i + 100 * j), b = a + 7, c = a + 700, d = c + 7;
      const double x = i * h, y = j * h;
      if (!keep(i, j)) continue;
      add_triangle(scene, (const int64_t[3]){a, b, d}, (const double[3][2]){{x, y}, {x + h, y}, {x + h, y + h}},
                   medium(i, j));
      add_triangle(scene, (const int64_t[3]){a, c, d}, (const double[3][2]){{x, y}, {x, y + h}, {x + h, y + h}},
                   medium(i, j));
    }
}

static int make(struct dg_plane *plane, const struct scene *scene, struct dg_error *err)
{
  const struct dg_plane_input input = {.triangles = scene->triangles,
                                       .vertex = scene->vertex,
                                       .corner = scene->corner,
                                       .map = scene->map,
                                       .k = scene->k,
                                       .edges = scene->edges,
                                       .edge = scene->edge};
  return dg_plane_init(plane, &input, err);
}

struct system {
  const struct dg_plane_space *space;
  const double *value;
};

static void apply(void *context, const double *x, double *y)
{
  const struct system *system = context;
  dg_plane_apply(system->space, system->value, x, y);
}

/* The potential with 1 on body 1 and 0 on body 0: u[space->count], and its energy. */
static double solve(const struct dg_plane_space *space, const double *k, double *u)
{
  struct dg_error err = {0};
  struct dg_pcg_report report;
  double *value = NULL, *zero = NULL, *flux = NULL, energy = 0;
  bool *held = NULL;
  if (DG_NEW(value, space->row[space->count], &err) != 0 || DG_NEW(zero, space->count, &err) != 0 ||
      DG_NEW(flux, space->count, &err) != 0 || DG_NEW(held, space->count, &err) != 0 ||
      dg_plane_matrix(space, k, value, &err) != 0)
    fail_msg("%s", err.message);
  struct system system = {space, value};
  const struct dg_pcg pcg = {
      .count = space->count, .apply = apply, .context = &system, .held = held, .tolerance = 1e-12, .most = 5000};
  held[0] = held[1] = true;
  memset(u, 0, space->count * sizeof *u);
  u[1] = 1;
  if (dg_pcg_solve(&pcg, zero, u, &report, &err) != 0) fail_msg("%s", err.message);
  dg_plane_apply(space, value, u, flux);
  for (size_t i = 0; i < space->count; i++) energy += u[i] * flux[i];
  assert_true(fabs(flux[0] + flux[1]) < 1e-9 * energy && fabs(flux[1] - energy) < 1e-9 * energy);
  dg_free(value);
  dg_free(zero);
  dg_free(flux);
  dg_free(held);
  return energy;
}

static bool all_of(int i, int j) { return (void)i, (void)j, true; }
static double one(int i, int j) { return (void)i, (void)j, 1; }
static double halves(int i, int j) { return (void)i, j < 2 ? 1 : 4; }

/* Plates at v = 0 and v = 1 of width 1: the potential is made of straight lines, whatever the order and the cells. */
static void test_plates(void **state)
{
  (void)state;
  static struct scene scene;
  for (int media = 0; media < 2; media++)
    for (int order = 1; order <= 8; order++)
      for (int halved = 0; halved < 2; halved++) {
        struct dg_plane plane;
        struct dg_plane_space space;
        struct dg_error err = {0};
        double u[20000];
        grid(&scene, 4, 0.25, all_of, media ? halves : one);
        for (int i = 0; i < 4; i++) {
          add_edge(&scene, 7 * i, 7 * (i + 1), 0);
          add_edge(&scene, 7 * (i + 400), 7 * (i + 401), 1);
        }
        if (make(&plane, &scene, &err) != 0 || (halved && dg_plane_halve(&plane, &err) != 0) ||
            dg_plane_space_init(&space, &plane, order, 2, &err) != 0)
          fail_msg("%s", err.message);
        assert_true(space.count <= sizeof u / sizeof *u);
        assert_true(fabs(solve(&space, scene.k, u) - (media ? 1.6 : 1)) < 1e-10);
        for (size_t e = 0; e < plane.cells; e++) {
          double slope[3];
          dg_plane_gradient(&space, e, (const double[3]){0.2, 0.3, 0.5}, u, slope);
          const bool upper = media && scene.k[plane.cell[e].triangle] == 4;
          assert_true(fabs(slope[0]) < 1e-9 && fabs(slope[1]) < 1e-9 &&
                      fabs(slope[2] - (media ? upper ? 0.4 : 1.6 : 1)) < 1e-9);
        }
        dg_plane_space_release(&space);
        dg_plane_release(&plane);
      }
}

/* A quarter of a square coaxial line, sides 1 and 2. */
static bool quarter(int i, int j) { return i > 0 || j > 0; }

static void square_coax(struct scene *scene)
{
  grid(scene, 2, 0.5, quarter, one);
  add_edge(scene, 7, 707, 1);
  add_edge(scene, 700, 707, 1);
  for (int i = 0; i < 2; i++) {
    add_edge(scene, 7 * (200 + i), 7 * (201 + i), 0);
    add_edge(scene, 7 * (2 + 100 * i), 7 * (102 + 100 * i), 0);
  }
}

/* The area of all cells, and whether each side has one or two cells. */
static void check_cells(const struct dg_plane *plane, double area)
{
  struct dg_error err = {0};
  struct dg_plane_side *sides;
  double sum = 0;
  size_t rim = 0;
  for (size_t e = 0; e < plane->cells; e++) {
    double x[3], t[2][3], n[3];
    dg_plane_at(plane, &plane->cell[e], (const double[3]){0.3, 0.3, 0.4}, x, t);
    dg_cross(t[0], t[1], n);
    sum += 2 * sqrt(dg_dot(n, n));
    assert_true(plane->cell[e].vertex[0] < plane->cell[e].vertex[1] &&
                plane->cell[e].vertex[1] < plane->cell[e].vertex[2]);
  }
  assert_true(fabs(sum - area) < 1e-12 * area);
  assert_int_equal(dg_plane_sides(plane, &sides, &err), 0);
  for (size_t i = 0, next; i < 3 * plane->cells; i = next) {
    for (next = i + 1; next < 3 * plane->cells && memcmp(sides[i].vertex, sides[next].vertex, 16) == 0;) next++;
    assert_true(next - i <= 2);
    rim += next - i == 1;
  }
  /* Euler: V - E + F = 1 of a region without a hole. */
  const int64_t edges = (int64_t)(3 * plane->cells + rim) / 2;
  assert_int_equal(plane->vertices - edges + (int64_t)plane->cells, 1);
  dg_free(sides);
}

/* C = 10.23409 epsilon0 of the whole line: 376.7303 ohm over 36.8113 ohm, from the complete elliptic integrals of F.
 * Bowman, Introduction to Elliptic Functions, 1953, p. 104; the inner corner alone is singular. */
static void test_square_coax(void **state)
{
  (void)state;
  static struct scene scene;
  struct dg_plane plane;
  struct dg_plane_space space;
  struct dg_error err = {0};
  bool singular[16];
  double u[20000], plain, graded;
  square_coax(&scene);
  if (make(&plane, &scene, &err) != 0) fail_msg("%s", err.message);
  const int64_t count = plane.vertices;
  assert_int_equal(count, 8);
  assert_int_equal(dg_plane_singular(&plane, singular, &err), 0);
  int places = 0;
  for (int64_t v = 0; v < count; v++) places += singular[v];
  assert_true(places == 1 && singular[3]); /* by number: 7, 14, 700, 707, ... */
  if (dg_plane_halve(&plane, &err) != 0 || dg_plane_space_init(&space, &plane, 5, 2, &err) != 0)
    fail_msg("%s", err.message);
  check_cells(&plane, 0.75);
  plain = 4 * solve(&space, scene.k, u);
  dg_plane_space_release(&space);
  if (dg_plane_grade(&plane, singular, count, 6, 0.25, &err) != 0 ||
      dg_plane_space_init(&space, &plane, 5, 2, &err) != 0)
    fail_msg("%s", err.message);
  check_cells(&plane, 0.75);
  graded = 4 * solve(&space, scene.k, u);
  print_message("square coax: %.6f, with layers at the corner %.6f\n", plain, graded);
  assert_true(fabs(graded - 10.23409) < 1e-4 && fabs(plain - 10.23409) > 1e-3);
  dg_plane_space_release(&space);
  dg_plane_release(&plane);
}

/* ---- a ring of curved triangles: 2 pi / ln 2 */

enum { SECTORS = 12, SHAPE = 4 };

static void curve(struct scene *scene)
{
  const double pi = acos(-1.0);
  memset(scene, 0, sizeof *scene);
  for (int s = 0; s < SECTORS; s++)
    for (int half = 0; half < 2; half++) {
      const int next = (s + 1) % SECTORS;
      /* r and angle of the corners; vertices 2 s inside, 2 s + 1 outside */
      double polar[3][2] = {{1, s}, {half ? 2 : 1, s + (half ? 0 : 1)}, {2, s + 1}};
      int64_t vertex[3] = {2 * s, half ? 2 * s + 1 : 2 * next, 2 * next + 1};
      for (int i = 1; i < 3; i++)
        for (int j = i; j > 0 && vertex[j] < vertex[j - 1]; j--) {
          const int64_t swap = vertex[j];
          double keep[2];
          vertex[j] = vertex[j - 1];
          vertex[j - 1] = swap;
          memcpy(keep, polar[j], sizeof keep);
          memcpy(polar[j], polar[j - 1], sizeof keep);
          memcpy(polar[j - 1], keep, sizeof keep);
        }
      const size_t n = scene->triangles++;
      struct dg_face_map *map = &scene->map[n];
      memcpy(scene->vertex[n], vertex, sizeof vertex);
      scene->k[n] = 1;
      map->geometry = SHAPE;
      for (int j = 0, m = 0; j <= SHAPE; j++)
        for (int i = 0; i + j <= SHAPE; i++, m++) {
          const double b[3] = {(double)(SHAPE - i - j) / SHAPE, (double)i / SHAPE, (double)j / SHAPE};
          double r = 0, angle = 0;
          for (int c = 0; c < 3; c++) r += b[c] * polar[c][0], angle += b[c] * polar[c][1] * 2 * pi / SECTORS;
          place(r * cos(angle), r * sin(angle), map->node[m]);
        }
    }
  for (int s = 0; s < SECTORS; s++)
    for (int out = 0; out < 2; out++) add_edge(scene, 2 * s + out, 2 * ((s + 1) % SECTORS) + out, out);
}

static void test_curved_ring(void **state)
{
  (void)state;
  static struct scene scene;
  struct dg_plane plane;
  struct dg_plane_space space;
  struct dg_error err = {0};
  bool singular[2 * SECTORS];
  double u[5000];
  curve(&scene);
  if (make(&plane, &scene, &err) != 0 || dg_plane_singular(&plane, singular, &err) != 0 ||
      dg_plane_halve(&plane, &err) != 0 || dg_plane_space_init(&space, &plane, 6, 2, &err) != 0)
    fail_msg("%s", err.message);
  for (int v = 0; v < 2 * SECTORS; v++) assert_false(singular[v]);
  const double C = solve(&space, scene.k, u), exact = 2 * acos(-1.0) / log(2);
  print_message("ring: %.8f, exact %.8f\n", C, exact);
  assert_true(fabs(C - exact) < 2e-6 * exact);
  dg_plane_space_release(&space);
  dg_plane_release(&plane);
}

/* Corners of metal, ends of sheets, media that meet at metal, metal that meets a free rim. */
static void test_wedges(void **state)
{
  (void)state;
  static struct scene scene;
  struct dg_plane plane;
  struct dg_error err = {0};
  bool singular[25];
  grid(&scene, 4, 0.25, all_of, halves);
  add_edge(&scene, 7 * 100, 7 * 101, 0); /* from the rim at (0, 1): its end (1, 1) is the end of a sheet */
  add_edge(&scene, 7 * 3, 7 * 4, 1);     /* on the rim: at (3, 0) it meets a free rim straight on */
  add_edge(&scene, 7 * 4, 7 * 104, 1);
  add_edge(&scene, 7 * 104, 7 * 204, 1); /* to (4, 2), where the media meet */
  if (make(&plane, &scene, &err) != 0 || dg_plane_singular(&plane, singular, &err) != 0) fail_msg("%s", err.message);
  for (int v = 0; v < 25; v++) {
    const bool wanted = v == 6 || v == 3 || v == 14;
    if (singular[v] != wanted) fail_msg("vertex %d: %d", v, singular[v]);
  }
  dg_plane_release(&plane);
}

static int everything(struct dg_error *err)
{
  static struct scene scene;
  struct dg_plane plane;
  struct dg_plane_space space = {0};
  bool singular[16];
  double *value = NULL;
  square_coax(&scene);
  if (make(&plane, &scene, err) == 0 && dg_plane_singular(&plane, singular, err) == 0) {
    const int64_t count = plane.vertices;
    if (dg_plane_halve(&plane, err) == 0 && dg_plane_grade(&plane, singular, count, 2, 0.3, err) == 0 &&
        dg_plane_space_init(&space, &plane, 2, 2, err) == 0 && DG_NEW(value, space.row[space.count], err) == 0)
      (void)!dg_plane_matrix(&space, scene.k, value, err);
  }
  dg_free(value);
  dg_plane_space_release(&space);
  dg_plane_release(&plane);
  return err->code;
}

static void test_failing_allocations(void **state)
{
  (void)state;
  const size_t before = dg_memory_current();
  int n = 1;
  for (int failed = 1; failed; n++) {
    struct dg_error err = {0};
    dg_memory_fail_at(n);
    failed = everything(&err) != 0;
    dg_memory_fail_at(0);
    assert_int_equal(err.code, failed ? DG_ENVIRONMENT : DG_OK);
    assert_int_equal(dg_memory_current(), before);
  }
  assert_true(n > 30);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plates), cmocka_unit_test(test_square_coax),         cmocka_unit_test(test_curved_ring),
      cmocka_unit_test(test_wedges), cmocka_unit_test(test_failing_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
