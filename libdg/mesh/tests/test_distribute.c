/* Parts of a mesh on several ranks against the whole, which every rank makes for itself. With two numbers on the
 * command line: the n-th allocation of that rank fails while the mesh is distributed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libdg/base/vec3.h"
#include "libdg/base/memory.h"
#include "libdg/io/tests/cube.h"
#include "libdg/mesh/mesh_check.h"
#include "libdg/mesh/mesh_groups.h"
#include "libdg/mesh/parts/partition.h"
#include "libdg/mesh/find/segment.h"

enum { CELLS = 6 };

static struct dg_comm *comm;
static int rank, size;
static struct dg_mesh whole, part;
static int32_t *owner; /* [whole.K] on all ranks */

/* ---- the meshes ---- */

static unsigned long long seed;

static double random_number(void)
{
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(seed >> 11) / 9007199254740992.0;
}

static void *get(size_t count, size_t bytes)
{
  void *block = calloc(count, bytes);
  assert_non_null(block);
  return block;
}

/* The unit cube with inner points shaken; volume 1 is z < 1/2, surface 10 z = 0, surface 11 z = 1/2; vertices on them
 * stay in their planes. */
static struct dg_mesh make_mesh(void)
{
  struct dg_mesh cube, mesh;
  struct dg_error err = {0};
  seed = 7; /* the same mesh, and the same numbers behind it, on all ranks */
  assert_int_equal(cube_mesh(&cube, CELLS, &err), 0);
  int32_t(*triangle)[3] = get(4 * cube.K, sizeof *triangle), *surface = get(4 * cube.K, sizeof *surface),
  *volume = get(cube.K, sizeof *volume);
  size_t triangles = 0;
  for (size_t e = 0; e < cube.K; e++) {
    double z = 0;
    for (int i = 0; i < 4; i++) z += cube.vertex[cube.element[e][i]][2] / 4;
    volume[e] = z < 0.5 ? 1 : 2;
    for (int f = 0; f < 4 && z < 0.5; f++)
      for (int side = 0; side < 2; side++) {
        int on = 1, corner = 0;
        for (int i = 0; i < 4; i++) on = on && (i == f || cube.vertex[cube.element[e][i]][2] == 0.5 * side);
        if (!on) continue;
        for (int i = 0; i < 4; i++)
          if (i != f) triangle[triangles][corner++] = cube.element[e][i];
        surface[triangles++] = 10 + side;
      }
  }
  for (size_t v = 0; v < cube.vertices; v++)
    for (int d = 0; d < 3; d++) {
      double x = cube.vertex[v][d];
      if (x > 1e-9 && x < 1 - 1e-9 && !(d == 2 && x == 0.5))
        cube.vertex[v][d] += 0.2 / CELLS * (2 * random_number() - 1);
    }
  for (size_t e = 0; e < cube.K; e++) { /* positively oriented again */
    int32_t *n = cube.element[e], swap = n[0];
    if (dg_volume6(cube.vertex[n[0]], cube.vertex[n[1]], cube.vertex[n[2]], cube.vertex[n[3]]) > 0) continue;
    n[0] = n[1], n[1] = swap;
  }
  const struct dg_mesh_input input = {.points = cube.vertices,
                                      .K = cube.K,
                                      .triangles = triangles,
                                      .point = (const double(*)[3])cube.vertex,
                                      .tet = (const int32_t(*)[4])cube.element,
                                      .volume_tag = volume,
                                      .triangle = (const int32_t(*)[3])triangle,
                                      .surface_tag = surface};
  if (dg_mesh_build(&mesh, &input, &err) != 0) fail_msg("%s", err.message);
  const int both[] = {1, 2}, floor[] = {10}, none[] = {77};
  const struct dg_group_input group[] = {{3, 1, "all", 2, both}, {2, 4, "", 1, floor}, {2, 9, "nothing", 1, none}};
  assert_int_equal(dg_mesh_set_groups(&mesh, 3, group, &err), 0);
  free(triangle);
  free(surface);
  free(volume);
  dg_mesh_release(&cube);
  return mesh;
}

static int distribute(void **state)
{
  (void)state;
  struct dg_error err = {0};
  whole = make_mesh();
  owner = get(whole.K, sizeof *owner);
  if (rank == 0) part = make_mesh();
  if (dg_mesh_partition(&whole, size, 0, NULL, owner, &err) != 0) return -1;
  return dg_mesh_distribute(&part, rank == 0 ? owner : NULL, comm, &err);
}

static int release(void **state)
{
  (void)state;
  dg_mesh_release(&whole);
  dg_mesh_release(&part);
  free(owner);
  return 0;
}

static size_t global_of(size_t e) { return (size_t)dg_mesh_global(&part, e); }

/* ---- the part ---- */

static void every_element_once(void **state)
{
  (void)state;
  struct dg_error err = {0};
  int64_t *holders = get(whole.K, sizeof *holders);
  for (size_t e = 0; e < part.K; e++) {
    holders[global_of(e)]++;
    assert_int_equal(owner[global_of(e)], rank);
    int ghosts = 0;
    for (int f = 0; f < 4; f++) ghosts += part.neighbour[e][f] >= 4 * (int32_t)part.K;
    assert_int_equal(ghosts > 0, e >= part.interior);
    if (e > 0 && e != part.interior) assert_true(global_of(e - 1) < global_of(e));
  }
  assert_int_equal(dg_comm_reduce_int(comm, DG_SUM, whole.K, holders, &err), 0);
  for (size_t e = 0; e < whole.K; e++) assert_int_equal(holders[e], 1);
  free(holders);
}

static void elements_are_those_of_the_whole(void **state)
{
  (void)state;
  for (size_t v = 0; v < part.vertices; v++) {
    int64_t g = dg_mesh_global_vertex(&part, v);
    assert_memory_equal(part.vertex[v], whole.vertex[g], sizeof whole.vertex[g]);
    if (v > 0) assert_true(dg_mesh_global_vertex(&part, v - 1) < g);
  }
  char *used = get(part.vertices, 1);
  for (size_t e = 0; e < part.K + part.ghosts; e++) {
    size_t g = global_of(e);
    for (int i = 0; i < 4; i++) {
      int32_t v = part.element[e][i];
      assert_int_equal(dg_mesh_global_vertex(&part, (size_t)v), whole.element[g][i]);
      used[v] = 1;
    }
    assert_int_equal(part.volume[e], whole.volume[g]);
    assert_int_equal(part.tag[e], whole.tag[g]);
    if (e < part.K) assert_memory_equal(part.surface[e], whole.surface[g], sizeof whole.surface[g]);
  }
  for (size_t v = 0; v < part.vertices; v++) assert_int_equal(used[v], 1);
  free(used);
}

static void neighbours_are_those_of_the_whole(void **state)
{
  (void)state;
  char *needed = get(part.ghosts + 1, 1);
  for (size_t e = 0; e < part.K; e++)
    for (int f = 0; f < 4; f++) {
      int32_t here = part.neighbour[e][f], there = whole.neighbour[global_of(e)][f];
      if (here == DG_BOUNDARY || there == DG_BOUNDARY) {
        assert_int_equal(here, there);
        continue;
      }
      size_t n = (size_t)here / 4;
      assert_true(n < part.K + part.ghosts);
      assert_int_equal(global_of(n), there / 4);
      assert_int_equal(here % 4, there % 4);
      if (n >= part.K) needed[n - part.K] = 1;
    }
  for (size_t g = 0; g < part.ghosts; g++) {
    size_t e = global_of(part.K + g);
    assert_int_equal(needed[g], 1);
    assert_int_equal(part.owner[g], owner[e]);
    assert_int_not_equal(part.owner[g], rank);
    if (g == 0 || part.owner[g - 1] < part.owner[g]) continue;
    assert_int_equal(part.owner[g - 1], part.owner[g]);
    assert_true(global_of(part.K + g - 1) < e);
  }
  free(needed);
}

struct relation {
  size_t element, face, beyond, beyond_face; /* in the whole */
  int from, to;
};

/* Whoever has a ghost behind a face is a ghost to its owner, behind the same face. */
static void halo_is_symmetric(void **state)
{
  (void)state;
  struct dg_error err = {0};
  size_t count = 0, total = 0, *bytes = get((size_t)size, sizeof *bytes);
  struct relation *own = get(4 * part.K, sizeof *own), *all;
  for (size_t e = 0; e < part.K; e++)
    for (size_t f = 0; f < 4; f++) {
      int32_t code = part.neighbour[e][f];
      if (code < 4 * (int32_t)part.K) continue;
      size_t ghost = (size_t)code / 4;
      own[count++] =
          (struct relation){global_of(e), f, global_of(ghost), (size_t)code % 4, rank, part.owner[ghost - part.K]};
    }
  assert_int_equal(dg_comm_share(comm, count * sizeof *own, own, &all, bytes, &err), 0);
  for (int r = 0; r < size; r++) total += bytes[r] / sizeof *all;
  for (size_t i = 0; i < count; i++) {
    int found = 0;
    for (size_t k = 0; k < total; k++)
      found += all[k].element == own[i].beyond && all[k].face == own[i].beyond_face &&
               all[k].beyond == own[i].element && all[k].beyond_face == own[i].face && all[k].from == own[i].to &&
               all[k].to == rank;
    assert_int_equal(found, 1);
  }
  assert_int_equal(total > 0, size > 1);
  free(own);
  free(bytes);
  dg_free(all);
}

static void tables_and_sizes(void **state)
{
  (void)state;
  struct dg_error err = {0};
  int64_t sum[3] = {(int64_t)part.K, (int64_t)part.boundary_faces, (int64_t)part.interior_faces};
  assert_int_equal(dg_comm_reduce_int(comm, DG_SUM, 3, sum, &err), 0);
  assert_int_equal(sum[0], whole.K);
  assert_int_equal(sum[1], whole.boundary_faces);
  assert_int_equal(sum[2], whole.interior_faces);
  assert_memory_equal(&part.whole, &whole.whole, sizeof whole.whole);
  assert_int_equal(part.whole.vertices, whole.vertices);
  assert_int_equal(part.entities, whole.entities);
  assert_int_equal(part.entities, 5);
  for (size_t i = 0; i < whole.entities; i++) {
    const struct dg_entity *a = &part.entity[i], *b = &whole.entity[i];
    assert_true(a->dim == b->dim && a->tag == b->tag && a->count == b->count && a->groups == b->groups);
    for (int g = 0; g < a->groups; g++) assert_int_equal(a->group[g], b->group[g]);
  }
  assert_int_equal(part.groups, 3);
  for (size_t i = 0; i < whole.groups; i++) {
    const struct dg_group *a = &part.group[i], *b = &whole.group[i];
    assert_true(a->dim == b->dim && a->tag == b->tag);
    assert_string_equal(a->name, b->name);
  }
}

/* ---- points and paths ---- */

static void check_point(const double x[3], int64_t element, const double bary[4])
{
  double expected[4];
  int64_t e = dg_mesh_locate(&whole, x, expected);
  if (e < 0) assert_int_equal(element, DG_NOWHERE);
  else if (owner[e] != rank) assert_int_equal(element, DG_ELSEWHERE);
  else {
    assert_true(element >= 0);
    assert_int_equal(global_of((size_t)element), e);
    assert_memory_equal(bary, expected, sizeof expected);
  }
}

/* At random, some of them outside; at vertices, and in the middle of edges and faces. */
static void points_have_one_rank(void **state)
{
  (void)state;
  enum { COUNT = 2000 };
  static double point[COUNT][3], bary[COUNT][4];
  static int64_t element[COUNT];
  struct dg_error err = {0};
  for (size_t i = 0; i < COUNT; i++) {
    const int32_t *v = whole.element[i * 7 % whole.K];
    size_t corners = i % 4;
    for (int d = 0; d < 3; d++) {
      double u = 1.4 * random_number() - 0.2;
      for (size_t k = 0; k < corners; k++) point[i][d] += whole.vertex[v[k]][d] / (double)corners;
      if (corners == 0) point[i][d] = u;
    }
  }
  assert_int_equal(dg_mesh_locate_shared(&part, comm, COUNT, (const double(*)[3])point, element, bary, &err), 0);
  for (size_t i = 0; i < COUNT; i++) {
    check_point(point[i], element[i], bary[i]);
    double here[4], best[4] = {0}; /* one rank alone: the lowest global number of its own elements */
    int64_t lowest = -1, found = dg_mesh_locate(&part, point[i], here);
    for (size_t e = 0; e < part.K; e++) {
      double b[4];
      dg_mesh_barycentric(&part, e, point[i], b);
      if (fmin(fmin(b[0], b[1]), fmin(b[2], b[3])) < -1e-9) continue;
      if (lowest >= 0 && global_of(e) > global_of((size_t)lowest)) continue;
      lowest = (int64_t)e;
      memcpy(best, b, sizeof best);
    }
    assert_int_equal(found, lowest);
    if (found >= 0) assert_memory_equal(here, best, sizeof best);
  }
  assert_int_equal(dg_mesh_locate_shared(&part, comm, 0, NULL, NULL, NULL, &err), 0);
}

static void compare_paths(size_t points, const double (*point)[3], int closed)
{
  struct dg_error err = {0};
  struct dg_path one, here;
  assert_int_equal(dg_path_cut(&one, &whole, NULL, points, point, closed, &err), 0);
  assert_int_equal(dg_path_cut(&here, &part, comm, points, point, closed, &err), 0);
  assert_true(here.length == one.length && here.outside == one.outside);
  size_t n = 0;
  for (size_t i = 0; i < one.pieces; i++) {
    const struct dg_path_piece *a = &one.piece[i];
    if (owner[a->element] != rank) continue;
    assert_true(n < here.pieces);
    const struct dg_path_piece *b = &here.piece[n++];
    assert_int_equal(global_of(b->element), a->element);
    assert_true(a->segment == b->segment && a->begin == b->begin && a->end == b->end);
  }
  assert_int_equal(n, here.pieces);
  dg_path_release(&one);
  dg_path_release(&here);
}

static void paths_are_cut_once(void **state)
{
  (void)state;
  for (int i = 0; i < 60; i++) {
    double point[3][3];
    for (int k = 0; k < 9; k++) point[k / 3][k % 3] = 1.2 * random_number() - 0.1;
    compare_paths(3, (const double(*)[3])point, i % 2);
  }
  for (size_t e = 0; e < whole.K; e += 29) /* along edges and within faces, which several elements hold */
    for (int a = 0; a < 4; a++) {
      const double *p = whole.vertex[whole.element[e][a]], *q = whole.vertex[whole.element[e][(a + 1) % 4]],
                   *r = whole.vertex[whole.element[e][(a + 2) % 4]];
      double point[3][3];
      for (int d = 0; d < 3; d++) {
        point[0][d] = p[d], point[1][d] = q[d];
        point[2][d] = 0.2 * p[d] + 0.3 * q[d] + 0.5 * r[d];
      }
      compare_paths(3, (const double(*)[3])point, 0);
    }
}

/* ---- failure ---- */

/* All ranks return, with the same error, whatever they were waiting for. */
static int fail_on(int victim, long n)
{
  struct dg_error err = {0};
  int32_t *give = NULL;
  struct dg_mesh mesh = {0};
  if (rank == 0) {
    mesh = make_mesh();
    give = get(mesh.K, sizeof *give);
    for (size_t e = 0; e < mesh.K; e++) give[e] = (int32_t)(e % (size_t)size);
  }
  if (rank == victim) dg_memory_fail_at(n);
  int code = dg_mesh_distribute(&mesh, give, comm, &err);
  dg_memory_fail_at(0);
  if (code != 0 && (mesh.element != NULL || mesh.entity != NULL)) return 1;
  if (code != 0) dg_comm_stop(comm, &err);
  dg_comm_settle(comm, &err);
  dg_comm_finish(comm, err.code);
  if (err.code == DG_ENVIRONMENT && strstr(err.message, "out of memory") != NULL) return 0;
  return err.code == DG_OK ? 2 : 1;
}

int main(int argc, char **argv)
{
  struct dg_error err = {0};
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_element_once), cmocka_unit_test(elements_are_those_of_the_whole),
      cmocka_unit_test(tables_and_sizes),   cmocka_unit_test(neighbours_are_those_of_the_whole),
      cmocka_unit_test(halo_is_symmetric),  cmocka_unit_test(points_have_one_rank),
      cmocka_unit_test(paths_are_cut_once),
  };
  if (dg_comm_start(&comm, &err) != 0) return 1;
  rank = dg_comm_rank(comm);
  size = dg_comm_size(comm);
  if (argc == 3) return fail_on(atoi(argv[1]), atol(argv[2]));
  int failed = cmocka_run_group_tests(tests, distribute, release);
  dg_comm_settle(comm, &err);
  dg_comm_finish(comm, failed);
  return failed;
}
