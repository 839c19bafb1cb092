/* Periodic meshes: both sides of a pair list the same vertices in the same order, whatever the number of pairs; maps of
 * curved elements go along; sides that do not fit are refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/vec3.h"
#include "libdg/halo/halo.h"
#include "libdg/mesh/curve.h"
#include "libdg/mesh/period.h"
#include "libdg/mesh/sets.h"

static const double size[3] = {1.2, 0.9, 0.7};

/* A number in [-0.5, 0.5] that belongs to a vertex of the grid and a direction, the same for its images. */
static double noise(int i, int j, int k, int d)
{
  uint32_t h = (uint32_t)(i + 31 * j + 1009 * k + 7919 * d) * 2654435761u;
  h ^= h >> 15;
  h *= 2246822519u;
  return (double)((h ^ h >> 13) & 0xffff) / 65535 - 0.5;
}

/* A grid of cells[3] bricks of six tetrahedra each, whose vertices are moved. Surfaces 1 to 6: x low and high, y, z.
 * `shift` is added to x of one vertex in the middle of surface 2. */
static int make(struct dg_mesh *mesh, const int cells[3], double shift, struct dg_error *err)
{
  static const int path[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}}, odd[6] = {0, 1, 1, 0, 0, 1};
  const int n[3] = {cells[0] + 1, cells[1] + 1, cells[2] + 1}, points = n[0] * n[1] * n[2];
  const size_t K = 6 * (size_t)cells[0] * (size_t)cells[1] * (size_t)cells[2];
  double(*x)[3] = calloc((size_t)points, sizeof *x);
  int32_t(*tet)[4] = calloc(K, sizeof *tet), *volume = calloc(K, sizeof *volume),
  (*tri)[3] = calloc(4 * K, sizeof *tri);
  int32_t *surface = calloc(4 * K, sizeof *surface);
  size_t triangles = 0;
  for (int m = 0; m < points; m++) {
    const int at[3] = {m % n[0], m / n[0] % n[1], m / n[0] / n[1]};
    for (int d = 0; d < 3; d++) {
      const bool outside = at[d] == 0 || at[d] == cells[d];
      const double move = outside ? 0 : 0.3 * noise(at[0] % cells[0], at[1] % cells[1], at[2] % cells[2], d);
      x[m][d] = size[d] * (at[d] + move) / cells[d];
    }
    if (at[0] == cells[0] && at[1] == cells[1] / 2 && at[2] == cells[2] / 2) x[m][1] += shift;
  }
  for (size_t t = 0; t < K; t++) {
    const int brick = (int)(t / 6), q = (int)(t % 6);
    int at[3] = {brick % cells[0], brick / cells[0] % cells[1], brick / cells[0] / cells[1]};
    for (int s = 0; s < 4; s++) {
      tet[t][s] = at[0] + n[0] * (at[1] + n[1] * at[2]);
      if (s < 2) at[path[q][s]]++;
      if (s == 2) at[3 - path[q][0] - path[q][1]]++;
    }
    if (odd[q]) {
      const int32_t swap = tet[t][2];
      tet[t][2] = tet[t][3], tet[t][3] = swap;
    }
    volume[t] = 1;
    for (int f = 0; f < 4; f++)
      for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
          const int stride = d == 0 ? 1 : d == 1 ? n[0] : n[0] * n[1];
          int on = 0, c = 0;
          for (int s = 0; s < 4; s++) on += s != f && tet[t][s] / stride % n[d] == (side ? cells[d] : 0);
          if (on < 3) continue;
          for (int s = 0; s < 4; s++)
            if (s != f) tri[triangles][c++] = tet[t][s];
          surface[triangles++] = 2 * d + side + 1;
        }
  }
  const struct dg_mesh_input input = {.points = (size_t)points,
                                      .K = K,
                                      .triangles = triangles,
                                      .point = (const double(*)[3])x,
                                      .tet = (const int32_t(*)[4])tet,
                                      .volume_tag = volume,
                                      .triangle = (const int32_t(*)[3])tri,
                                      .surface_tag = surface};
  (void)!dg_mesh_build(mesh, &input, err);
  free(x), free(tet), free(volume), free(tri), free(surface);
  return err->code;
}

/* Joins the pairs of the first so many directions. */
static int join(struct dg_mesh *mesh, size_t pairs, struct dg_error *err)
{
  static const char *const names[3][2] = {{"left", "right"}, {"front", "back"}, {"bottom", "top"}};
  static bool chosen[6][16];
  struct dg_mesh_sides sides[3];
  for (size_t i = 0; i < 2 * pairs; i++) {
    memset(chosen[i], 0, sizeof chosen[i]);
    const int entity = dg_mesh_find_entity(mesh, 2, (int)i + 1);
    if (entity >= 0) chosen[i][entity] = true;
  }
  for (size_t i = 0; i < pairs; i++) {
    sides[i] = (struct dg_mesh_sides){.from = chosen[2 * i], .to = chosen[2 * i + 1]};
    for (int j = 0; j < 2; j++) snprintf(sides[i].name[j], sizeof sides[i].name[j], "%s", names[i][j]);
  }
  return dg_mesh_join_sides(mesh, pairs, sides, err);
}

static void at_vertex(const struct dg_mesh *mesh, int32_t code, int i, double x[3])
{
  memcpy(x, mesh->vertex[mesh->element[code >> 2][i + (i >= (code & 3))]], 3 * sizeof *x);
}

/* Checks all faces of a mesh with that many pairs; returns how many have an image. */
static size_t check(const struct dg_mesh *mesh, size_t pairs)
{
  size_t images = 0, outside = 0;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      const int32_t code = mesh->neighbour[e][f];
      int period = -1;
      double off[3];
      assert_true(f == 0 || mesh->element[e][f - 1] < mesh->element[e][f]);
      outside += code == DG_BOUNDARY;
      if (code == DG_BOUNDARY) continue;
      assert_int_equal(mesh->neighbour[code >> 2][code & 3], 4 * (int32_t)e + f);
      for (int i = 0; i < 3; i++) {
        double a[3], b[3];
        at_vertex(mesh, 4 * (int32_t)e + f, i, a);
        at_vertex(mesh, code, i, b);
        dg_subtract(b, a, off);
        for (int d = 0; d < 3; d++)
          if (fabs(off[d]) > 1e-12 && i == 0) period = d;
        for (int d = 0; d < 3; d++) assert_true(fabs(fabs(off[d]) - (d == period ? size[d] : 0)) < 1e-12);
      }
      assert_true(dg_mesh_is_image(mesh, e, f) == (period >= 0));
      if (period < 0) continue;
      assert_true((size_t)period < pairs);
      assert_int_equal(mesh->surface[e][f], -1);
      images++;
    }
  assert_int_equal(outside, mesh->boundary_faces);
  assert_int_equal(2 * mesh->interior_faces + outside, 4 * mesh->K);
  return images;
}

static void join_pairs(const int cells[3])
{
  const size_t n[3] = {(size_t)cells[0], (size_t)cells[1], (size_t)cells[2]};
  const size_t faces[3] = {2 * n[1] * n[2], 2 * n[0] * n[2], 2 * n[0] * n[1]};
  for (size_t pairs = 1, all = 0; pairs <= 3; pairs++) {
    struct dg_mesh mesh;
    struct dg_error err = {0};
    all += 2 * faces[pairs - 1];
    assert_int_equal(make(&mesh, cells, 0, &err), 0);
    if (join(&mesh, pairs, &err) != 0) fail_msg("%s", err.message);
    assert_int_equal(check(&mesh, pairs), all);
    assert_int_equal(mesh.periods, pairs);
    for (size_t i = 0; i < pairs; i++)
      for (size_t d = 0; d < 3; d++) assert_true(fabs(mesh.period[i][d] - (d == i ? size[d] : 0)) < 1e-12);
    for (int tag = 1; tag <= 6; tag++) {
      const struct dg_entity *entity = &mesh.entity[dg_mesh_find_entity(&mesh, 2, tag)];
      const bool joined = (size_t)tag <= 2 * pairs;
      assert_int_equal(entity->count, joined ? 0 : faces[(tag - 1) / 2]);
      assert_int_equal(entity->joined, joined ? faces[(tag - 1) / 2] : 0);
    }
    dg_mesh_release(&mesh);
  }
}

/* With two cells a period, several faces have the same classes of vertices. */
static void joins_one_two_and_three_pairs(void **state)
{
  (void)state;
  join_pairs((const int[]){3, 4, 5});
  join_pairs((const int[]){2, 2, 2});
}

static void wave(void *context, double x[3])
{
  (void)context;
  const double turn = 2 * acos(-1.0);
  const double s = sin(turn * x[0] / size[0]), c = cos(turn * x[1] / size[1]);
  x[2] += 0.04 * s + 0.03 * c;
  x[0] += 0.02 * c;
}

static void maps_of_curved_elements_go_along(void **state)
{
  (void)state;
  static const int cells[3] = {4, 3, 3};
  struct dg_mesh mesh;
  struct dg_error err = {0};
  assert_int_equal(make(&mesh, cells, 0, &err), 0);
  assert_int_equal(dg_mesh_bend(&mesh, 3, wave, NULL, &err), 0);
  assert_true(mesh.curved > mesh.K / 2);
  if (join(&mesh, 3, &err) != 0) fail_msg("%s", err.message);
  for (size_t e = 0; e < mesh.K; e++) {
    static const double corner[4][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    double x[3], y[3];
    for (int i = 0; i < 4; i++) {
      dg_mesh_map(&mesh, e, corner[i], x, NULL);
      assert_true(dg_distance(x, mesh.vertex[mesh.element[e][i]]) < 1e-12);
    }
    for (int f = 0; f < 4; f++) { /* a point of the face, from both sides */
      const int32_t code = mesh.neighbour[e][f];
      const double weight[3] = {0.5, 0.3, 0.2};
      double here[3] = {0}, there[3] = {0};
      for (int i = 0; i < 3; i++)
        for (int d = 0; d < 3; d++) {
          here[d] += weight[i] * corner[i + (i >= f)][d];
          there[d] += weight[i] * corner[i + (i >= (code & 3))][d];
        }
      dg_mesh_map(&mesh, e, here, x, NULL);
      dg_mesh_map(&mesh, (size_t)code >> 2, there, y, NULL);
      for (int d = 0; d < 3; d++) {
        const double off = fabs(y[d] - x[d]);
        assert_true(off < 1e-12 || fabs(off - size[d]) < 1e-12);
      }
    }
  }
  dg_mesh_release(&mesh);
}

static void refuses_sides_that_do_not_fit(void **state)
{
  (void)state;
  static const struct {
    int cells[3];
    double shift;
    size_t pairs;
    const char *message;
  } bad[] = {
      {{3, 3, 3}, 0.01, 1, "left and right do not have the same triangles: no vertex of right is at ("},
      {{1, 3, 3}, 0, 1, " to its image at ("},
      {{3, 3, 1}, 0, 3, ": a period takes two elements at least"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct dg_mesh mesh;
    struct dg_error err = {0};
    assert_int_equal(make(&mesh, bad[i].cells, bad[i].shift, &err), 0);
    assert_int_equal(join(&mesh, bad[i].pairs, &err), DG_INPUT);
    if (strstr(err.message, bad[i].message) == NULL) fail_msg("%s", err.message);
    assert_int_equal(mesh.periods, 0);
    dg_mesh_release(&mesh);
  }
}

static void refuses_sides_without_faces(void **state)
{
  (void)state;
  static const int cells[3] = {3, 3, 3};
  struct dg_mesh mesh;
  struct dg_error err = {0};
  assert_int_equal(make(&mesh, cells, 0, &err), 0);
  assert_int_equal(join(&mesh, 1, &err), 0);
  assert_int_equal(join(&mesh, 1, &err), DG_INPUT); /* they are inside now */
  assert_string_equal(err.message, "left has no faces on the outside of the mesh");
  dg_mesh_release(&mesh);
}

/* What the far side of a shared face sends is the wave exp(-j k.x) as this side has it, once it has turned. */
static void two_sets_turn_a_wave_into_its_image(void **state)
{
  (void)state;
  const int cells[3] = {3, 2, 4};
  const double k[3] = {0.7, -1.9, 2.3};
  struct dg_error err = {0};
  struct dg_mesh mesh = {0};
  struct dg_halo halo = {0};
  assert_int_equal(make(&mesh, cells, 0, &err), 0);
  assert_int_equal(join(&mesh, 3, &err), 0);
  const size_t K = mesh.K;
  assert_int_equal(dg_mesh_make_sets(&mesh, &err), 0);
  assert_int_equal(dg_halo_init(&halo, &mesh, &err), 0);
  assert_int_equal(dg_halo_set_turns(&halo, &mesh, k, &err), 0);
  assert_int_equal(mesh.K, 2 * K);
  assert_int_equal(halo.faces, 2 * 2 * 2 * (3 * 2 + 2 * 4 + 4 * 3)); /* sets, sides, triangles of a square */
  assert_int_equal(halo.turns, halo.faces / 2);
  for (size_t e = 0; e < mesh.K; e++) {
    assert_int_equal(mesh.global[e] % 2, e % 2);
    assert_memory_equal(mesh.element[e], mesh.element[e ^ 1], sizeof *mesh.element);
    for (int f = 0; f < 4; f++) {
      const int32_t code = mesh.neighbour[e][f], far = code / 4;
      assert_true(code >= 0 && (size_t)far < mesh.K + mesh.ghosts && mesh.global[far] % 2 == (int64_t)e % 2);
      if ((size_t)far < mesh.K) assert_int_equal(mesh.neighbour[far][code % 4], 4 * (int32_t)e + f);
      else
        assert_true(e >= mesh.interior && mesh.owner[(size_t)far - mesh.K] == DG_SELF && dg_mesh_is_image(&mesh, e, f));
    }
  }
  double *own = calloc(halo.faces, sizeof *own), *sent = calloc(halo.faces, sizeof *own),
         *there = calloc(halo.faces, sizeof *own);
  for (size_t i = 0; i < halo.faces; i++) {
    double x[3];
    at_vertex(&mesh, halo.send[i], 0, x);
    own[i] = sent[i] = halo.send[i] / 4 % 2 == 0 ? cos(dg_dot(k, x)) : -sin(dg_dot(k, x));
  }
  dg_halo_turn_double(&halo, 1, sent);
  assert_int_equal(dg_halo_swap(&halo, NULL, sizeof *sent, sent, there, &err), 0);
  for (size_t i = 0; i < halo.faces; i++) assert_true(fabs(there[i] - own[i]) < 1e-13);
  free(own), free(sent), free(there);
  dg_halo_release(&halo);
  dg_mesh_release(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joins_one_two_and_three_pairs),    cmocka_unit_test(two_sets_turn_a_wave_into_its_image),
      cmocka_unit_test(maps_of_curved_elements_go_along), cmocka_unit_test(refuses_sides_that_do_not_fit),
      cmocka_unit_test(refuses_sides_without_faces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
