/* Repair of slivers in a box of cubes whose vertices were moved: what comes out must be a mesh of the same box, with
 * all its surfaces, and faster. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/mesh.h"
#include "libdg/mesh/draft/repair.h"
#include "libdg/base/vec3.h"

enum { N = 5, SIDE = N + 1, POINTS = SIDE * SIDE * SIDE };

/* The corners of Kuhn's six tetrahedra of a cube, x + 2 y + 4 z each. */
static const int six[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

static int32_t at(int x, int y, int z) { return x + SIDE * (y + SIDE * z); }

static void make(void *pointer, size_t count, size_t size)
{
  struct dg_error err = {0};
  assert_int_equal(dg_alloc(pointer, count, size, &err), 0);
}

/* Surface 1 + 2 d + (1 at the far end) of direction d; curves 1 to 12; the half beyond x = `inner` is volume 2, behind
 * surface 7 whose rim has the curves 21 to 24. inner 0: one volume. */
static int walls(int x, int y, int z, int inner, int tag[4])
{
  const int c[3] = {x, y, z};
  int n = 0;
  for (int d = 0; d < 3; d++) {
    if (c[d] == 0) tag[n++] = 1 + 2 * d;
    if (c[d] == N) tag[n++] = 2 + 2 * d;
  }
  if (inner > 0 && x == inner) tag[n++] = 7;
  return n;
}

static void position(int32_t v, int c[3]) { c[0] = v % SIDE, c[1] = v / SIDE % SIDE, c[2] = v / SIDE / SIDE; }

/* The walls that all these vertices share. */
static int common(const int32_t *v, int count, int inner, int tag[4])
{
  int n = 0, first[4], c[3];
  position(v[0], c);
  const int most = walls(c[0], c[1], c[2], inner, first);
  for (int k = 0; k < most; k++) {
    bool all = true;
    for (int i = 1; i < count; i++) {
      int here[4], m;
      bool found = false;
      position(v[i], c);
      m = walls(c[0], c[1], c[2], inner, here);
      for (int j = 0; j < m; j++) found = found || here[j] == first[k];
      all = all && found;
    }
    if (all) tag[n++] = first[k];
  }
  return n;
}

static void add_faces(struct dg_draft *d, const int32_t v[4], int inner)
{
  for (int f = 0; f < 4; f++) {
    int32_t face[3];
    int n = 0, tag[4];
    for (int i = 0; i < 4; i++)
      if (i != f) face[n++] = v[i];
    if (common(face, 3, inner, tag) == 0) continue;
    bool twice = false;
    for (size_t t = 0; t < d->triangles && tag[0] == 7; t++) {
      int same = 0;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) same += d->triangle[t][i] == face[j];
      twice = twice || same == 3;
    }
    if (twice) continue;
    memcpy(d->triangle[d->triangles], face, sizeof face);
    d->surface_tag[d->triangles++] = tag[0];
  }
}

static void add_segments(struct dg_draft *d, int inner)
{
  for (int32_t v = 0; v < POINTS; v++) {
    int c[3], tag[4];
    position(v, c);
    if (walls(c[0], c[1], c[2], inner, tag) == 3) d->corner[d->corners++] = v;
    for (int k = 0; k < 3; k++) {
      int32_t pair[2] = {v, -1};
      int next[3] = {c[0], c[1], c[2]};
      if (++next[k] > N) continue;
      pair[1] = at(next[0], next[1], next[2]);
      if (common(pair, 2, inner, tag) < 2) continue;
      memcpy(d->segment[d->segments], pair, sizeof pair);
      d->curve_tag[d->segments++] = 10 * tag[0] + tag[1] + (inner > 0 && c[0] < inner ? 1000 : 0);
    }
  }
}

static void make_box(struct dg_draft *d, int inner)
{
  const size_t K = 6 * N * N * N;
  *d = (struct dg_draft){.points = POINTS};
  make(&d->point, POINTS, sizeof *d->point);
  make(&d->tet, K, sizeof *d->tet);
  make(&d->volume_tag, K, sizeof *d->volume_tag);
  make(&d->tag, K, sizeof *d->tag);
  make(&d->triangle, 4 * K, sizeof *d->triangle);
  make(&d->surface_tag, 4 * K, sizeof *d->surface_tag);
  make(&d->segment, 100 * N, sizeof *d->segment);
  make(&d->curve_tag, 100 * N, sizeof *d->curve_tag);
  make(&d->corner, 100, sizeof *d->corner);
  for (int32_t v = 0; v < POINTS; v++) {
    int c[3];
    position(v, c);
    for (int b = 0; b < 3; b++) d->point[v][b] = c[b];
  }
  for (int z = 0; z < N; z++)
    for (int y = 0; y < N; y++)
      for (int x = 0; x < N; x++)
        for (int t = 0; t < 6; t++) {
          for (int i = 0; i < 4; i++)
            d->tet[d->K][i] = at(x + (six[t][i] & 1), y + (six[t][i] >> 1 & 1), z + (six[t][i] >> 2));
          d->volume_tag[d->K] = inner > 0 && x >= inner ? 2 : 1;
          d->tag[d->K] = d->K + 1;
          add_faces(d, d->tet[d->K], inner);
          d->K++;
        }
  add_segments(d, inner);
}

static void release(struct dg_draft *d)
{
  dg_draft_release(d);
  dg_free(d->point);
  dg_free(d->tet);
  dg_free(d->volume_tag);
  dg_free(d->tag);
  dg_free(d->triangle);
  dg_free(d->surface_tag);
  dg_free(d->segment);
  dg_free(d->curve_tag);
  dg_free(d->corner);
}

/* Vertices go anywhere on their wall, as long as no element is inverted. */
static void shake(struct dg_draft *d, uint32_t seed, double size, int inner)
{
  for (int32_t v = 0; v < POINTS; v++) {
    int c[3], tag[4];
    position(v, c);
    const int n = walls(c[0], c[1], c[2], inner, tag);
    double before[3];
    memcpy(before, d->point[v], sizeof before);
    for (int b = 0; b < 3; b++) {
      bool fixed = c[b] == 0 || c[b] == N || (b == 0 && inner > 0 && c[0] == inner);
      seed = seed * 1664525u + 1013904223u;
      if (!fixed && n < 3) d->point[v][b] += size * ((double)(seed >> 8) / 8388608.0 - 1);
    }
    for (size_t e = 0; e < d->K; e++)
      for (int i = 0; i < 4; i++)
        if (d->tet[e][i] == v && dg_draft_volume(d, (int32_t)e) < 1e-3) memcpy(d->point[v], before, sizeof before);
  }
}

/* The mesh is one: dg_mesh_build finds every boundary face on its surface, and no fault. */
static void check_mesh(const struct dg_draft *d, int inner)
{
  const struct dg_mesh_input input = {.points = d->points,
                                      .K = d->K,
                                      .triangles = d->triangles,
                                      .point = (const double(*)[3])d->point,
                                      .tet = (const int32_t(*)[4])d->tet,
                                      .volume_tag = d->volume_tag,
                                      .tag = d->tag,
                                      .triangle = (const int32_t(*)[3])d->triangle,
                                      .surface_tag = d->surface_tag};
  struct dg_mesh mesh;
  struct dg_error err = {0};
  double volume[2] = {0}, area[8] = {0};
  if (dg_mesh_build(&mesh, &input, &err) != 0) fail_msg("%s", err.message);
  for (size_t e = 0; e < mesh.K; e++)
    for (int f = 0; f < 4; f++) {
      const int32_t beyond = mesh.neighbour[e][f];
      if (beyond == DG_BOUNDARY) assert_true(mesh.surface[e][f] >= 0);
      else assert_int_equal(mesh.volume[e] != mesh.volume[beyond >> 2], mesh.surface[e][f] >= 0);
    }
  for (size_t i = 0; i < mesh.entities; i++) assert_int_equal(mesh.entity[i].loose, 0);
  dg_mesh_release(&mesh);
  for (size_t e = 0; e < d->K; e++) volume[d->volume_tag[e] - 1] += dg_draft_volume(d, (int32_t)e) / 6;
  assert_true(fabs(volume[0] - (inner > 0 ? inner : N) * N * N) < 1e-9);
  assert_true(fabs(volume[1] - (inner > 0 ? N - inner : 0) * N * N) < 1e-9);
  for (size_t t = 0; t < d->triangles; t++) {
    double u[3], w[3], n[3];
    dg_subtract(d->point[d->triangle[t][1]], d->point[d->triangle[t][0]], u);
    dg_subtract(d->point[d->triangle[t][2]], d->point[d->triangle[t][0]], w);
    dg_cross(u, w, n);
    area[d->surface_tag[t]] += sqrt(dg_dot(n, n)) / 2;
  }
  for (int s = 1; s < (inner > 0 ? 8 : 7); s++) assert_true(fabs(area[s] - N * N) < 1e-9);
}

static void test_good_mesh_is_not_touched(void **state)
{
  (void)state;
  struct dg_draft d;
  struct dg_repair repair;
  struct dg_error err = {0};
  make_box(&d, 2);
  check_mesh(&d, 2);
  const size_t K = d.K;
  double(*before)[3] = NULL;
  make(&before, POINTS, sizeof *before);
  memcpy(before, d.point, POINTS * sizeof *before);
  assert_int_equal(dg_repair(&d, &repair, &err), 0);
  assert_int_equal(repair.moves + repair.flips + repair.merges, 0);
  assert_int_equal(d.K, K);
  assert_memory_equal(before, d.point, POINTS * sizeof *before);
  dg_free(before);
  release(&d);
}

static void test_shaken_meshes(void **state)
{
  (void)state;
  for (uint32_t seed = 1; seed <= 24; seed++) {
    const int inner = seed % 2 ? 2 : 0;
    struct dg_draft d;
    struct dg_repair repair;
    struct dg_error err = {0};
    make_box(&d, inner);
    shake(&d, seed, seed % 3 == 0 ? 0.45 : 0.6, inner);
    check_mesh(&d, inner);
    assert_int_equal(dg_repair(&d, &repair, &err), 0);
    check_mesh(&d, inner);
    assert_true(repair.before.worst < 0.3 * repair.before.median);
    if (repair.after.worst < 0.5 * repair.after.median)
      fail_msg("seed %u: %g of the median, from %g", (unsigned)seed, repair.after.worst / repair.after.median,
               repair.before.worst / repair.before.median);
    assert_int_equal(repair.after.slow, 0);
    release(&d);
  }
}

/* A thin layer is what the geometry wants: named, and left. */
static void test_thin_layer_is_named(void **state)
{
  (void)state;
  struct dg_draft d;
  struct dg_repair repair;
  struct dg_error err = {0};
  char text[200];
  make_box(&d, 1);
  for (int32_t v = 0; v < POINTS; v++)
    if (v % SIDE == 1) d.point[v][0] = 0.02;
  assert_int_equal(dg_repair(&d, &repair, &err), 0);
  assert_true(repair.after.worst < 0.05 * repair.after.median);
  assert_true(repair.slowest > 0 && !repair.unlucky);
  dg_demand_text(&repair.slow[0].demand, text, sizeof text);
  assert_non_null(strstr(text, "0.02 m"));
  assert_true(isinf(repair.avoidable));
  release(&d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_good_mesh_is_not_touched),
      cmocka_unit_test(test_shaken_meshes),
      cmocka_unit_test(test_thin_layer_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
