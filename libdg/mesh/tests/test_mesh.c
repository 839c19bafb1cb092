/* dg_mesh_build, groups and queries, with meshes made here. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libdg/base/memory.h"
#include "libdg/geometry/geometry.h"
#include "libdg/mesh/hilbert.h"
#include "libdg/mesh/mesh_groups.h"

/* ---- meshes to build from ---- */

/* A box of n^3 unit cells in six tetrahedra each; cells with x < n/2 are volume 1, the others volume 2. Surface 10 is
 * x = 0, surface 11 the interface at x = n/2. Elements are given in a random order. */
struct grid {
  size_t points, K, triangles;
  double (*point)[3];
  int32_t (*tet)[4], *volume_tag, (*triangle)[3], *surface_tag;
};

static void *get(size_t count, size_t size)
{
  void *block = calloc(count, size);
  assert_non_null(block);
  return block;
}

static void add_cell(struct grid *grid, int n, const int index[3])
{
  static const int path[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  const int step[3] = {1, n + 1, (n + 1) * (n + 1)};
  int p = index[0] * step[0] + index[1] * step[1] + index[2] * step[2];
  for (int i = 0; i < 6; i++) {
    int32_t v[4] = {p};
    for (int j = 0; j < 3; j++) v[j + 1] = v[j] + step[path[i][j]];
    int odd = i >= 3;
    const int32_t tet[4] = {v[0], v[odd ? 2 : 1], v[odd ? 1 : 2], v[3]};
    memcpy(grid->tet[grid->K], tet, sizeof tet);
    grid->volume_tag[grid->K++] = index[0] < n / 2 ? 1 : 2;
  }
  if (index[0] != 0 && index[0] != n / 2) return;
  const int32_t lower[3] = {p + step[1] + step[2], p, p + step[1]}, upper[3] = {p, p + step[1] + step[2], p + step[2]};
  for (int i = 0; i < 2; i++) {
    memcpy(grid->triangle[grid->triangles], i == 0 ? lower : upper, sizeof lower);
    grid->surface_tag[grid->triangles++] = index[0] == 0 ? 10 : 11;
  }
}

static struct grid make_grid(int n)
{
  size_t side = (size_t)n + 1, cells = (size_t)n * (size_t)n * (size_t)n;
  struct grid grid = {.points = side * side * side,
                      .point = get(side * side * side, sizeof *grid.point),
                      .tet = get(6 * cells, sizeof *grid.tet),
                      .volume_tag = get(6 * cells, sizeof *grid.volume_tag),
                      .triangle = get(4 * cells, sizeof *grid.triangle),
                      .surface_tag = get(4 * cells, sizeof *grid.surface_tag)};
  for (size_t p = 0; p < grid.points; p++) {
    const size_t index[3] = {p % side, p / side % side, p / side / side};
    for (int b = 0; b < 3; b++) grid.point[p][b] = (double)index[b];
  }
  for (int z = 0; z < n; z++)
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++) {
        const int index[3] = {x, y, z};
        add_cell(&grid, n, index);
      }
  srand(2);
  for (size_t i = grid.K - 1; i > 0; i--) {
    size_t j = (size_t)rand() % (i + 1);
    int32_t tet[4], tag = grid.volume_tag[i];
    memcpy(tet, grid.tet[i], sizeof tet);
    memcpy(grid.tet[i], grid.tet[j], sizeof tet);
    memcpy(grid.tet[j], tet, sizeof tet);
    grid.volume_tag[i] = grid.volume_tag[j];
    grid.volume_tag[j] = tag;
  }
  return grid;
}

static struct dg_mesh_input input_of(const struct grid *grid)
{
  return (struct dg_mesh_input){.points = grid->points,
                                .K = grid->K,
                                .triangles = grid->triangles,
                                .point = (const double(*)[3])grid->point,
                                .tet = (const int32_t(*)[4])grid->tet,
                                .volume_tag = grid->volume_tag,
                                .triangle = (const int32_t(*)[3])grid->triangle,
                                .surface_tag = grid->surface_tag};
}

static void free_grid(struct grid *grid)
{
  free(grid->point);
  free(grid->tet);
  free(grid->volume_tag);
  free(grid->triangle);
  free(grid->surface_tag);
}

static struct dg_mesh build(const struct dg_mesh_input *input)
{
  struct dg_mesh mesh;
  struct dg_error err = {0};
  if (dg_mesh_build(&mesh, input, &err) != 0) fail_msg("%s", err.message);
  return mesh;
}

static struct dg_mesh build_grid(int n)
{
  struct grid grid = make_grid(n);
  const struct dg_mesh_input input = input_of(&grid);
  struct dg_mesh mesh = build(&input);
  free_grid(&grid);
  return mesh;
}

static void refuse(const struct dg_mesh_input *input, const char *message)
{
  struct dg_mesh mesh;
  struct dg_error err = {0};
  assert_int_equal(dg_mesh_build(&mesh, input, &err), DG_INPUT);
  if (strstr(err.message, message) == NULL) fail_msg("'%s' is not in: %s", message, err.message);
  assert_null(mesh.element);
  assert_int_equal(dg_memory_current(), 0);
}

/* ---- what every mesh keeps ---- */

static void test_neighbours(void **state)
{
  (void)state;
  enum { N = 4 };
  struct dg_mesh mesh = build_grid(N);
  assert_int_equal(mesh.K, 6 * N * N * N);
  assert_int_equal(mesh.vertices, (N + 1) * (N + 1) * (N + 1));
  assert_int_equal(mesh.boundary_faces, 12 * N * N);
  assert_int_equal(mesh.interior_faces, (4 * mesh.K - 12 * N * N) / 2);
  size_t boundary = 0;
  for (size_t e = 0; e < mesh.K; e++) {
    const int32_t *v = mesh.element[e];
    assert_true(v[0] < v[1] && v[1] < v[2] && v[2] < v[3]);
    for (int f = 0; f < 4; f++) {
      int32_t n = mesh.neighbour[e][f];
      if (n == DG_BOUNDARY) {
        boundary++;
        continue;
      }
      assert_int_equal(mesh.neighbour[n >> 2][n & 3], 4 * (int32_t)e + f);
      int32_t here[3], there[3]; /* in the same order on both sides */
      for (int i = 0, a = 0, b = 0; i < 4; i++) {
        if (i != f) here[a++] = v[i];
        if (i != (n & 3)) there[b++] = mesh.element[n >> 2][i];
      }
      assert_memory_equal(here, there, sizeof here);
      assert_int_not_equal(v[f], mesh.element[n >> 2][n & 3]);
    }
  }
  assert_int_equal(boundary, mesh.boundary_faces);
  dg_mesh_release(&mesh);
}

static void test_surfaces(void **state)
{
  (void)state;
  enum { N = 4 };
  struct dg_mesh mesh = build_grid(N);
  int side = dg_mesh_find_entity(&mesh, 2, 10), interface = dg_mesh_find_entity(&mesh, 2, 11);
  assert_int_equal(mesh.entities, 4);
  assert_int_equal(mesh.entity[side].count, 2 * N * N);
  assert_int_equal(mesh.entity[interface].count, 2 * N * N);
  assert_int_equal(mesh.entity[dg_mesh_find_entity(&mesh, 3, 1)].count, mesh.K / 2);
  assert_int_equal(dg_mesh_find_entity(&mesh, 3, 10), -1);
  assert_int_equal(dg_mesh_find_entity(&mesh, 2, 12), -1);
  for (size_t e = 0; e < mesh.K; e++) {
    double x[3];
    dg_geometry_barycentre(&mesh, e, x);
    assert_int_equal(mesh.entity[mesh.volume[e]].tag, x[0] < N / 2.0 ? 1 : 2);
    for (int f = 0; f < 4; f++) {
      int on_side = 1, on_interface = 1;
      for (int i = 0; i < 4; i++) {
        if (i == f) continue;
        on_side = on_side && mesh.vertex[mesh.element[e][i]][0] == 0;
        on_interface = on_interface && mesh.vertex[mesh.element[e][i]][0] == N / 2.0;
      }
      assert_int_equal(mesh.surface[e][f], on_side ? side : on_interface ? interface : -1);
    }
  }
  dg_mesh_release(&mesh);
}

/* Distance in the list between elements that are neighbours. In a random order it is K/3 in the mean, and 1 in 100 is
 * below K/200; along the curve it is of the order of K^(2/3) in the mean and short for most. */
static void test_locality(void **state)
{
  (void)state;
  struct dg_mesh mesh = build_grid(16);
  double sum = 0, count = 0, near = 0, K = (double)mesh.K;
  for (size_t e = 0; e < mesh.K; e++)
    for (int f = 0; f < 4; f++) {
      if (mesh.neighbour[e][f] == DG_BOUNDARY) continue;
      double distance = fabs((double)e - (mesh.neighbour[e][f] >> 2));
      sum += distance;
      near += distance < K / 200;
      count++;
    }
  print_message("mean distance %.4f K, near %.3f\n", sum / count / K, near / count);
  assert_true(sum / count < 0.05 * K);
  assert_true(near / count > 0.75);
  dg_mesh_release(&mesh);
}

/* The curve visits every cell of a small grid once, and each step goes to a face neighbour. */
static void test_hilbert_curve(void **state)
{
  (void)state;
  enum { SIDE = 8 };
  const uint32_t width = (UINT32_C(1) << DG_HILBERT_BITS) / SIDE;
  int at[SIDE * SIDE * SIDE];
  memset(at, -1, sizeof at);
  for (uint32_t c = 0; c < SIDE * SIDE * SIDE; c++) {
    const uint32_t x[3] = {c % SIDE * width, c / SIDE % SIDE * width, c / SIDE / SIDE * width};
    uint64_t position = dg_hilbert_key(x) / ((uint64_t)width * width * width);
    assert_true(position < SIDE * SIDE * SIDE);
    assert_int_equal(at[position], -1);
    at[position] = (int)c;
  }
  for (int i = 1; i < SIDE * SIDE * SIDE; i++) {
    int a = at[i - 1], b = at[i];
    int step =
        abs(a % SIDE - b % SIDE) + abs(a / SIDE % SIDE - b / SIDE % SIDE) + abs(a / SIDE / SIDE - b / SIDE / SIDE);
    assert_int_equal(step, 1);
  }
}

static void test_locate(void **state)
{
  (void)state;
  struct dg_mesh mesh = build_grid(4);
  srand(3);
  for (int k = 0; k < 500; k++) {
    double x[3], bary[4], back[3] = {0};
    for (int b = 0; b < 3; b++) x[b] = 4.0 * rand() / RAND_MAX;
    if (k % 2 == 0) x[k / 2 % 3] = k % 5; /* on faces, half of them on the boundary or near it */
    if (k % 7 == 0) x[1] = x[0];          /* on the diagonals too */
    int64_t e = dg_mesh_locate(&mesh, x, bary);
    assert_true(e >= 0);
    for (int i = 0; i < 4; i++)
      for (int b = 0; b < 3; b++) back[b] += bary[i] * mesh.vertex[mesh.element[e][i]][b];
    for (int b = 0; b < 3; b++) assert_true(fabs(back[b] - x[b]) < 1e-12);
    for (int i = 0; i < 4; i++) assert_true(bary[i] >= -1e-9);
  }
  /* a vertex: the lowest of all elements that have it */
  const double inner[3] = {2, 2, 2}, outside[3] = {4.001, 2, 2}, just[3] = {4 + 1e-11, 2.2, 2.1};
  double bary[4];
  int64_t lowest = -1;
  for (size_t e = 0; e < mesh.K && lowest < 0; e++)
    for (int i = 0; i < 4; i++) {
      const double *v = mesh.vertex[mesh.element[e][i]];
      if (v[0] == 2 && v[1] == 2 && v[2] == 2) lowest = (int64_t)e;
    }
  assert_int_equal(dg_mesh_locate(&mesh, inner, bary), lowest);
  assert_int_equal(dg_mesh_locate(&mesh, outside, bary), -1);
  assert_true(dg_mesh_locate(&mesh, just, bary) >= 0);
  dg_mesh_release(&mesh);
}

static void test_groups(void **state)
{
  (void)state;
  struct dg_mesh mesh = build_grid(2);
  struct dg_error err = {0};
  const int one[] = {1}, both[] = {2, 1}, surfaces[] = {11, 7};
  const struct dg_group_input group[] = {{3, 5, "all", 2, both}, {3, 2, "left", 1, one}, {2, 9, "", 2, surfaces}};
  size_t left = mesh.entity[dg_mesh_find_entity(&mesh, 3, 1)].count;
  assert_int_equal(dg_mesh_set_groups(&mesh, 3, group, &err), 0);
  assert_int_equal(mesh.groups, 3);
  assert_int_equal(mesh.group[0].tag, 9);
  assert_string_equal(mesh.group[1].name, "left");
  assert_string_equal(mesh.group[2].name, "all");
  assert_int_equal(mesh.entities, 5); /* surface 7 carries nothing */
  assert_int_equal(mesh.entity[dg_mesh_find_entity(&mesh, 2, 7)].count, 0);
  int v1 = dg_mesh_find_entity(&mesh, 3, 1), v2 = dg_mesh_find_entity(&mesh, 3, 2);
  assert_true(dg_mesh_entity_in_group(&mesh, v1, "left") && dg_mesh_entity_in_group(&mesh, v1, "all"));
  assert_true(!dg_mesh_entity_in_group(&mesh, v2, "left") && dg_mesh_entity_in_group(&mesh, v2, "all"));
  assert_true(!dg_mesh_entity_in_group(&mesh, -1, "all"));
  size_t count = 0;
  for (size_t e = 0; e < mesh.K; e++) {
    double x[3];
    dg_geometry_barycentre(&mesh, e, x);
    assert_int_equal(mesh.volume[e], x[0] < 1 ? v1 : v2); /* the indices moved along */
    count += mesh.volume[e] == v1;
    for (int f = 0; f < 4; f++)
      if (mesh.surface[e][f] >= 0)
        assert_true(mesh.entity[mesh.surface[e][f]].tag == 10 || mesh.entity[mesh.surface[e][f]].tag == 11);
  }
  assert_int_equal(count, left);
  dg_mesh_release(&mesh);
}

/* ---- input that is refused ---- */

static const double corner[][3] = {{0, 0, 0},  {1, 0, 0},      {0, 1, 0},    {0, 0, 1},
                                   {0, 0, -1}, {0.3, 0.3, -1}, {0.2, 0.2, 2}};
static const int32_t ones[4] = {1, 1, 1, 1};

static struct dg_mesh_input few(const int32_t (*tet)[4], size_t K)
{
  return (struct dg_mesh_input){
      .points = sizeof corner / sizeof *corner, .K = K, .point = corner, .tet = tet, .volume_tag = ones};
}

static void test_bad_elements(void **state)
{
  (void)state;
  const int32_t right[][4] = {{0, 1, 2, 3}}, inverted[][4] = {{0, 1, 2, 3}, {1, 0, 2, 4}, {0, 1, 2, 4}};
  const int32_t flat[][4] = {{0, 1, 2, 2}}, beyond[][4] = {{0, 1, 2, 70}};
  const uint64_t tag[] = {101, 102, 103};
  struct dg_mesh_input input = few(right, 1);
  struct dg_mesh mesh = build(&input);
  assert_int_equal(mesh.tag[0], 1);
  dg_mesh_release(&mesh);
  input.K = 0;
  refuse(&input, "the mesh has no tetrahedra");
  input.K = (size_t)1 << 29;
  refuse(&input, "the mesh has 536870912 tetrahedra, one process can hold 536870911");
  input = few(inverted, 3);
  input.tag = tag;
  refuse(&input, "element 103 at (0.25, 0.25, -0.25) m is inverted: its volume is -0.167 m^3 (1 of 3 elements are)");
  input = few(flat, 1);
  refuse(&input, "element 1 at (0.25, 0.5, 0) m is degenerate: its volume is 0 m^3, its longest edge 1.41 m");
  input = few(beyond, 1);
  refuse(&input, "element 1 refers to point 70, which does not exist");
  double broken[7][3];
  memcpy(broken, corner, sizeof broken);
  broken[3][1] = NAN;
  input = few(right, 1);
  input.point = (const double(*)[3])broken;
  refuse(&input, "element 1 has a vertex at (0, nan, 1) m");
  broken[3][1] = 0;
  broken[6][0] = INFINITY; /* not used by the element */
  mesh = build(&input);
  assert_int_equal(mesh.vertices, 4);
  dg_mesh_release(&mesh);
}

static void test_bad_faces(void **state)
{
  (void)state;
  const int32_t three[][4] = {{0, 1, 2, 3}, {1, 0, 2, 4}, {1, 0, 2, 5}}, twice[][4] = {{0, 1, 2, 3}, {1, 2, 0, 3}};
  const int32_t folded[][4] = {{0, 1, 2, 3}, {0, 1, 2, 6}}, surface_tag[] = {5, 6};
  const int32_t triangle[][3] = {{0, 1, 2}, {2, 1, 0}}, outside[][3] = {{0, 1, 99}};
  struct dg_mesh_input input = few(three, 3);
  refuse(&input, "the face at (0.333333, 0.333333, 0) m is shared by three elements: 1, 2 and 3");
  input = few(twice, 2);
  refuse(&input, "have the same four vertices");
  input = few(folded, 2);
  refuse(&input, "lie on the same side of the face at (0.333333, 0.333333, 0) m");
  input = few(three, 2);
  input.triangles = 2;
  input.triangle = triangle;
  input.surface_tag = surface_tag;
  refuse(&input, "lies on two surfaces, 5 and 6");
  input.triangles = 1;
  input.triangle = outside;
  refuse(&input, "triangle 1 of surface 5 refers to point 99");
}

/* Two copies of a tetrahedron's face with their own nodes: one behind the other, or overlapping. */
static void test_volumes_that_are_not_joined(void **state)
{
  (void)state;
  double point[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
  const int32_t tet[][4] = {{0, 1, 2, 3}, {5, 4, 6, 7}}, volume[] = {3, 8};
  struct dg_mesh_input input = {.points = 8, .K = 2, .tet = tet, .volume_tag = volume};
  input.point = (const double(*)[3])point;
  refuse(&input, "touch or overlap at (0.333333, 0.333333, ");
  for (int i = 4; i < 8; i++) point[i][2] += 1e-9; /* still, at this distance */
  refuse(&input, "touch or overlap");
  for (int i = 4; i < 8; i++) point[i][2] += 0.1; /* volume 8 reaches into volume 3 */
  refuse(&input, "touch or overlap");
  for (int i = 4; i < 8; i++) point[i][2] -= 0.101; /* a gap of a thousandth of the faces, which are the same */
  refuse(&input, "lie on each other at (0.333333, 0.333333, ");
  for (int i = 4; i < 8; i++) point[i][0] += 0.1; /* the same gap between faces that differ may be meant */
  struct dg_mesh mesh = build(&input);
  dg_mesh_release(&mesh);
  for (int i = 4; i < 8; i++) point[i][0] -= 0.1, point[i][2] -= 0.09;
  mesh = build(&input);
  assert_int_equal(mesh.boundary_faces, 8);
  dg_mesh_release(&mesh);
}

/* Large elements: no face has its middle in the other volume. */
static void test_volumes_that_cross(void **state)
{
  (void)state;
  static const double point[8][3] = {{0, 0, 0},      {1, 0, 0},     {0, 1, 0},   {0, 0, 1},
                                     {0.2, 0.2, -2}, {0.2, 0.2, 3}, {5, 1, 0.5}, {5, 2, 0.6}};
  const int32_t tet[][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}}, volume[] = {3, 8};
  const struct dg_mesh_input input = {.points = 8, .K = 2, .point = point, .tet = tet, .volume_tag = volume};
  refuse(&input, "of volume 8 overlap: their outer faces cross at (");
}

/* A step of the geometry that is a thousandth of its length: its two thin faces have all their vertices near to each
 * other, and are no doubled ones. */
static void test_step_of_the_geometry(void **state)
{
  (void)state;
  static const double point[7][3] = {{0, 0, 0},     {1, 0, 0},     {0.5, 1, 0.2},  {0.5, 0, 1},
                                     {0, 0, -5e-4}, {1, 0, -5e-4}, {0.5, -1, -0.2}};
  const int32_t tet[][4] = {{0, 1, 2, 3}, {4, 6, 5, 0}}, volume[] = {1, 1};
  struct dg_mesh_input input = {.points = 7, .K = 2, .point = point, .tet = tet, .volume_tag = volume};
  struct dg_mesh mesh;
  struct dg_error err = {0};
  if (dg_mesh_build(&mesh, &input, &err) != 0) fail_msg("%s", err.message);
  dg_mesh_release(&mesh);
}

static void test_triangles_that_match_nothing(void **state)
{
  (void)state;
  const int32_t tet[][4] = {{0, 1, 2, 3}}, triangle[][3] = {{4, 5, 6}, {0, 1, 4}, {2, 1, 0}, {0, 2, 1}};
  const int32_t surface_tag[] = {7, 7, 8, 8};
  struct dg_mesh_input input = few(tet, 1);
  input.triangles = 4;
  input.triangle = triangle;
  input.surface_tag = surface_tag;
  struct dg_mesh mesh = build(&input);
  assert_int_equal(mesh.entity[dg_mesh_find_entity(&mesh, 2, 7)].count, 0);
  assert_int_equal(mesh.entity[dg_mesh_find_entity(&mesh, 2, 8)].count, 1); /* listed twice, counted once */
  dg_mesh_release(&mesh);
}

static void test_out_of_memory(void **state)
{
  (void)state;
  struct grid grid = make_grid(2);
  const struct dg_mesh_input input = input_of(&grid);
  const int one[] = {1, 77};
  const struct dg_group_input group[] = {{3, 2, "left", 2, one}};
  int n = 1;
  for (;; n++) {
    struct dg_mesh mesh;
    struct dg_error err = {0};
    dg_memory_fail_at(n);
    int code = dg_mesh_build(&mesh, &input, &err);
    if (code == 0) code = dg_mesh_set_groups(&mesh, 1, group, &err);
    dg_memory_fail_at(0);
    dg_mesh_release(&mesh);
    assert_int_equal(dg_memory_current(), 0);
    if (code == 0) break;
    assert_int_equal(code, DG_ENVIRONMENT);
    assert_non_null(strstr(err.message, "out of memory"));
  }
  assert_true(n > 18); /* 13 for arrays, 2 for entities twice, groups */
  free_grid(&grid);
}

/* The number of threads changes nothing, not even where elements have the same place on the curve. */
static void test_threads(void **state)
{
  (void)state;
  struct grid grid = make_grid(9);
  const struct dg_mesh_input input = input_of(&grid);
  for (size_t p = 0; p < grid.points; p++) grid.point[p][2] *= 1e-9;
  int before = omp_get_max_threads();
  omp_set_num_threads(1);
  struct dg_mesh one = build(&input);
  omp_set_num_threads(3);
  struct dg_mesh three = build(&input);
  omp_set_num_threads(before);
  assert_int_equal(one.vertices, three.vertices);
  assert_memory_equal(one.vertex, three.vertex, one.vertices * sizeof *one.vertex);
  assert_memory_equal(one.element, three.element, one.K * sizeof *one.element);
  assert_memory_equal(one.neighbour, three.neighbour, one.K * sizeof *one.neighbour);
  assert_memory_equal(one.surface, three.surface, one.K * sizeof *one.surface);
  assert_memory_equal(one.volume, three.volume, one.K * sizeof *one.volume);
  assert_memory_equal(one.tag, three.tag, one.K * sizeof *one.tag);
  dg_mesh_release(&one);
  dg_mesh_release(&three);
  free_grid(&grid);
}

/* Time per element must not grow: 1e6 elements in a second or two. */
static void test_linear_time(void **state)
{
  (void)state;
  double seconds[2];
  const int cells[2] = {20, 40};
  for (int i = 0; i < 2; i++) {
    struct grid grid = make_grid(cells[i]);
    const struct dg_mesh_input input = input_of(&grid);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    struct dg_mesh mesh = build(&input);
    clock_gettime(CLOCK_MONOTONIC, &to);
    seconds[i] = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    print_message("%zu elements: %.3f s\n", mesh.K, seconds[i]);
    dg_mesh_release(&mesh);
    free_grid(&grid);
  }
  assert_true(seconds[1] < 30 * seconds[0]); /* 8 times the elements; 64 if it were quadratic */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_neighbours),
      cmocka_unit_test(test_surfaces),
      cmocka_unit_test(test_locality),
      cmocka_unit_test(test_hilbert_curve),
      cmocka_unit_test(test_locate),
      cmocka_unit_test(test_groups),
      cmocka_unit_test(test_bad_elements),
      cmocka_unit_test(test_bad_faces),
      cmocka_unit_test(test_volumes_that_are_not_joined),
      cmocka_unit_test(test_volumes_that_cross),
      cmocka_unit_test(test_step_of_the_geometry),
      cmocka_unit_test(test_triangles_that_match_nothing),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_linear_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
