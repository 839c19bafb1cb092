/* METIS's parts: balance, one piece each, the same every time; and what is refused. */
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
#include "libdg/mesh/parts/partition.h"

static struct dg_mesh cube(int n)
{
  struct dg_mesh mesh;
  struct dg_error err = {0};
  assert_int_equal(cube_mesh(&mesh, n, &err), 0);
  return mesh;
}

static int32_t *split(const struct dg_mesh *mesh, int parts, int constraints, const int32_t *weight)
{
  struct dg_error err = {0};
  int32_t *owner = malloc(mesh->K * sizeof *owner);
  assert_non_null(owner);
  if (dg_mesh_partition(mesh, parts, constraints, weight, owner, &err) != 0) fail_msg("%s", err.message);
  for (size_t e = 0; e < mesh->K; e++) assert_true(owner[e] >= 0 && owner[e] < parts);
  return owner;
}

/* Elements of the part of element `from` that are reached from it through the part. */
static size_t reach(const struct dg_mesh *mesh, const int32_t *owner, size_t from, char *seen)
{
  size_t *queue = malloc(mesh->K * sizeof *queue), head = 0, tail = 0;
  assert_non_null(queue);
  seen[from] = 1;
  queue[tail++] = from;
  while (head < tail) {
    size_t e = queue[head++];
    for (int f = 0; f < 4; f++) {
      int32_t next = mesh->neighbour[e][f] >> 2;
      if (next < 0 || seen[next] || owner[next] != owner[e]) continue;
      seen[next] = 1;
      queue[tail++] = (size_t)next;
    }
  }
  free(queue);
  return tail;
}

static void parts_are_even_and_compact(void **state)
{
  (void)state;
  enum { CELLS = 16 };
  static const int parts[] = {2, 3, 7, 16, 48}, planes[] = {1, 2, 6, 5, 8}; /* of a cut into boxes */
  struct dg_mesh mesh = cube(CELLS);
  char *seen = malloc(mesh.K);
  assert_non_null(seen);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    int32_t *owner = split(&mesh, parts[i], 0, NULL);
    size_t *count = calloc((size_t)parts[i], sizeof *count), cut = 0, largest = 0;
    const double mean = (double)mesh.K / parts[i];
    assert_non_null(count);
    for (size_t e = 0; e < mesh.K; e++) {
      count[owner[e]]++;
      for (int f = 0; f < 4; f++) cut += mesh.neighbour[e][f] >= 0 && owner[mesh.neighbour[e][f] / 4] != owner[e];
    }
    memset(seen, 0, mesh.K);
    for (size_t e = 0; e < mesh.K; e++)
      if (!seen[e]) assert_int_equal(reach(&mesh, owner, e, seen), count[owner[e]]); /* one piece a part */
    for (int p = 0; p < parts[i]; p++) largest = count[p] > largest ? count[p] : largest;
    cut /= 2; /* every face was met from both sides */
    print_message("%2d parts of %zu: max/mean %.4f, cut %zu\n", parts[i], mesh.K, (double)largest / mean, cut);
    assert_true((double)largest < 1.03 * mean);
    /* METIS is a heuristic, and rounds differently in other builds: 1.106 of the planes' faces at worst so far */
    assert_true((double)cut < 1.2 * 2 * CELLS * CELLS * planes[i]);
    free(count);
    free(owner);
  }
  free(seen);
  dg_mesh_release(&mesh);
}

static void same_mesh_same_parts(void **state)
{
  (void)state;
  struct dg_mesh mesh = cube(8);
  int32_t *first = split(&mesh, 5, 0, NULL);
  srand(17); /* METIS draws numbers */
  int32_t *second = split(&mesh, 5, 0, NULL);
  assert_memory_equal(first, second, mesh.K * sizeof *first);
  free(first);
  free(second);
  dg_mesh_release(&mesh);
}

/* Elements of the lower half weigh five times as much, once in numbers that METIS could not add up. */
static void weights_are_balanced(void **state)
{
  (void)state;
  struct dg_mesh mesh = cube(12);
  int32_t *weight = malloc(mesh.K * sizeof *weight);
  assert_non_null(weight);
  for (int32_t unit = 1; unit <= 400000000; unit *= 400000000) {
    for (size_t e = 0; e < mesh.K; e++) {
      double z = 0;
      for (int i = 0; i < 4; i++) z += mesh.vertex[mesh.element[e][i]][2] / 4;
      weight[e] = z < 0.5 ? 5 * unit : unit;
    }
    int32_t *owner = split(&mesh, 6, 1, weight);
    double sum[6] = {0}, all = 0;
    for (size_t e = 0; e < mesh.K; e++) sum[owner[e]] += weight[e], all += weight[e];
    for (int p = 0; p < 6; p++) assert_true(sum[p] < 1.03 * all / 6);
    free(owner);
    if (unit > 1) break;
  }
  free(weight);
  dg_mesh_release(&mesh);
}

/* All elements, and for themselves those of a corner: each part has its share of both. */
static void constraints_are_balanced(void **state)
{
  enum { PARTS = 4 };
  (void)state;
  struct dg_mesh mesh = cube(12);
  int32_t(*weight)[2] = calloc(mesh.K, sizeof *weight);
  assert_non_null(weight);
  for (size_t e = 0; e < mesh.K; e++) {
    bool corner = true;
    for (int i = 0; i < 4; i++)
      for (int c = 0; c < 3; c++) corner = corner && mesh.vertex[mesh.element[e][i]][c] < 0.51;
    weight[e][0] = 1;
    weight[e][1] = corner;
  }
  int32_t *owner = split(&mesh, PARTS, 2, &weight[0][0]);
  double sum[PARTS][2] = {0}, all[2] = {0};
  for (size_t e = 0; e < mesh.K; e++)
    for (int i = 0; i < 2; i++) sum[owner[e]][i] += weight[e][i], all[i] += weight[e][i];
  for (int p = 0; p < PARTS; p++)
    for (int i = 0; i < 2; i++) assert_true(sum[p][i] < 1.05 * all[i] / PARTS);
  free(owner);
  free(weight);
  dg_mesh_release(&mesh);
}

/* The heaviest part over the mean, of a constraint. */
static double heaviest(const struct dg_mesh *mesh, const int32_t *owner, int parts, int constraints,
                       const int32_t *weight, int constraint)
{
  double *sum = calloc((size_t)parts, sizeof *sum), all = 0, most = 0;
  assert_non_null(sum);
  for (size_t e = 0; e < mesh->K; e++) {
    const double one = weight[e * (size_t)constraints + (size_t)constraint];
    sum[owner[e]] += one, all += one;
  }
  for (int p = 0; p < parts; p++) most = sum[p] > most ? sum[p] : most;
  free(sum);
  return most * parts / all;
}

/* weight[K][4] of balls in each other, as levels of local time steps: an element of the core weighs two, one of its rim
 * one. The innermost ball has this radius. */
static int32_t *balls(const struct dg_mesh *mesh, double innermost)
{
  const double radius[] = {0.4, 0.28, innermost}, rim = 0.04;
  int32_t *weight = calloc(4 * mesh->K, sizeof *weight);
  assert_non_null(weight);
  for (size_t e = 0; e < mesh->K; e++) {
    double square = 0;
    for (int c = 0; c < 3; c++) {
      double x = -0.5;
      for (int i = 0; i < 4; i++) x += mesh->vertex[mesh->element[e][i]][c] / 4;
      square += x * x;
    }
    weight[4 * e] = 100;
    for (int i = 0; i < 3; i++) {
      const double r = sqrt(square);
      weight[4 * e + 1 + (size_t)i] = r < radius[i] ? 200 : r < radius[i] + rim ? 100 : 0;
    }
  }
  return weight;
}

static void levels_are_balanced(void **state)
{
  (void)state;
  struct dg_mesh mesh = cube(24);
  int32_t *weight = balls(&mesh, 0.2);
  for (int parts = 2; parts <= 16; parts *= 2) {
    int32_t *owner = split(&mesh, parts, 4, weight);
    for (int i = 0; i < 4; i++) {
      const double most = heaviest(&mesh, owner, parts, 4, weight, i);
      print_message("%2d parts, constraint %d: max/mean %.4f\n", parts, i, most);
      assert_true(most < (i == 0 ? 1.01 : 1.05));
    }
    free(owner);
  }
  free(weight);
  dg_mesh_release(&mesh);
}

/* A constraint of fewer elements than parts does not spoil the others, and counts to the first one. */
static void tiny_level(void **state)
{
  enum { PARTS = 16 };
  (void)state;
  struct dg_mesh mesh = cube(16);
  int32_t *weight = balls(&mesh, -1);
  for (size_t e = 0; e < mesh.K; e++) weight[4 * e + 3] = e % (mesh.K / 5) == 7 ? 1000 : 0;
  int32_t *owner = split(&mesh, PARTS, 4, weight);
  for (int i = 0; i < 4; i++) {
    for (size_t e = 0; e < mesh.K && i == 0; e++) weight[4 * e] += weight[4 * e + 3];
    const double most = heaviest(&mesh, owner, PARTS, 4, weight, i);
    print_message("%2d parts, constraint %d: max/mean %.4f\n", PARTS, i, most);
    if (i < 3) assert_true(most < (i == 0 ? 1.01 : 1.05));
  }
  free(owner);
  free(weight);
  dg_mesh_release(&mesh);
}

/* Two cubes that are not joined: parts of one piece are not asked for, and balance stays. */
static void mesh_of_two_pieces(void **state)
{
  (void)state;
  struct dg_mesh mesh = cube(8);
  for (size_t e = 0; e < mesh.K; e++)
    for (int f = 0; f < 4; f++) {
      int32_t next = mesh.neighbour[e][f] >> 2;
      if (next < 0) continue;
      double x[2] = {0};
      for (int i = 0; i < 4; i++) {
        x[0] += mesh.vertex[mesh.element[e][i]][0] / 4;
        x[1] += mesh.vertex[mesh.element[next][i]][0] / 4;
      }
      if ((x[0] < 0.25) == (x[1] < 0.25)) continue;
      mesh.neighbour[mesh.neighbour[e][f] >> 2][mesh.neighbour[e][f] & 3] = DG_BOUNDARY;
      mesh.neighbour[e][f] = DG_BOUNDARY;
      mesh.boundary_faces += 2, mesh.interior_faces--;
    }
  int32_t *owner = split(&mesh, 2, 0, NULL);
  size_t count[2] = {0};
  for (size_t e = 0; e < mesh.K; e++) count[owner[e]]++;
  assert_true((double)count[0] < 0.515 * (double)mesh.K && (double)count[1] < 0.515 * (double)mesh.K);
  free(owner);
  dg_mesh_release(&mesh);
}

static void few_elements(void **state)
{
  (void)state;
  struct dg_mesh mesh = cube(2); /* 48 elements */
  struct dg_error err = {0};
  int32_t *owner = split(&mesh, 1, 0, NULL), most;
  for (size_t e = 0; e < mesh.K; e++) assert_int_equal(owner[e], 0);
  assert_int_equal(dg_mesh_partition(&mesh, 49, 0, NULL, owner, &err), DG_INPUT);
  assert_non_null(strstr(err.message, "at most 48"));
  for (int parts = 2; parts <= 48; parts++) { /* it works, or the number in the message does */
    char seen[48] = {0};
    const char *text = NULL;
    err = (struct dg_error){0};
    int code = dg_mesh_partition(&mesh, parts, 0, NULL, owner, &err);
    if (code != 0) {
      assert_int_equal(code, DG_INPUT);
      text = strstr(err.message, "at most ");
      assert_non_null(text);
      most = atoi(text + strlen("at most "));
      assert_true(most > 10 && most < parts);
      free(owner);
      owner = split(&mesh, most, 0, NULL);
    }
    int filled = 0;
    for (size_t e = 0; e < mesh.K; e++) filled += !seen[owner[e]], seen[owner[e]] = 1;
    assert_int_equal(filled, code == 0 ? parts : most);
  }
  free(owner);
  dg_mesh_release(&mesh);
}

static void survives_every_failing_allocation(void **state)
{
  (void)state;
  struct dg_mesh mesh = cube(3);
  int32_t owner[162], weight[324];
  size_t before = dg_memory_current();
  int failed = 1;
  long n = 0;
  for (size_t i = 0; i < 2 * mesh.K; i++) weight[i] = 1;
  for (; failed; n++) {
    struct dg_error err = {0};
    dg_memory_fail_at(n + 1);
    failed = dg_mesh_partition(&mesh, 3, 2, weight, owner, &err) != 0;
    dg_memory_fail_at(0);
    assert_int_equal(err.code, failed ? DG_ENVIRONMENT : DG_OK);
    assert_int_equal(dg_memory_current(), before);
  }
  assert_true(n > 6);
  dg_mesh_release(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_are_even_and_compact),
      cmocka_unit_test(same_mesh_same_parts),
      cmocka_unit_test(weights_are_balanced),
      cmocka_unit_test(constraints_are_balanced),
      cmocka_unit_test(levels_are_balanced),
      cmocka_unit_test(tiny_level),
      cmocka_unit_test(mesh_of_two_pieces),
      cmocka_unit_test(few_elements),
      cmocka_unit_test(survives_every_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
