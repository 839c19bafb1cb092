/* Layers that grow from walls, on one rank and on several: volumes, surfaces, what elements continue, shapes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/io/tests/cube.h"
#include "libdg/mesh/grow/extrude.h"
#include "libdg/mesh/grow/wall_shape.h"
#include "libdg/mesh/mesh_groups.h"
#include "libdg/mesh/parts/partition.h"

enum { CELLS = 4, MIDDLE = 7, OPEN = 10 }; /* surfaces 1..6: x = 0, x = 1, y = 0, ...; 7: x = 1/2; OPEN + i is open */
static struct dg_comm *comm;

static void *get(size_t count, size_t bytes)
{
  void *block = calloc(count, bytes);
  assert_non_null(block);
  return block;
}

/* ---- meshes ---- */

typedef void map(double x[3]);

static void stay(double x[3]) { (void)x; }

/* A box of edges 1, 2 and 3, turned about two axes and moved. */
static void turn(double x[3])
{
  const double a = 0.3, b = 1.1, y[3] = {x[0], 2 * x[1], 3 * x[2]};
  const double z[3] = {cos(a) * y[0] - sin(a) * y[1], sin(a) * y[0] + cos(a) * y[1], y[2]};
  x[0] = 5 + z[0];
  x[1] = cos(b) * z[1] - sin(b) * z[2];
  x[2] = sin(b) * z[1] + cos(b) * z[2] - 1;
}

static void shear(double x[3]) { x[0] += 0.5 * x[1]; }

/* The cube becomes the ball of radius 1/2 about its centre. */
static void blow(double x[3])
{
  double most = 0, square = 0;
  for (int d = 0; d < 3; d++) {
    most = fmax(most, fabs(x[d] - 0.5));
    square += (x[d] - 0.5) * (x[d] - 0.5);
  }
  for (int d = 0; d < 3 && square > 0; d++) x[d] = 0.5 + (x[d] - 0.5) * most / sqrt(square);
}

/* The cube becomes an eighth of the ball of radius 1 about the origin. */
static void blow_eighth(double x[3])
{
  const double most = fmax(x[0], fmax(x[1], x[2])), length = sqrt(dg_dot(x, x));
  for (int d = 0; d < 3 && length > 0; d++) x[d] *= most / length;
}

/* The cube becomes a cylinder of radius 1/2 about x = y = 1/2. */
static void round_off(double x[3])
{
  const double a = x[0] - 0.5, b = x[1] - 0.5, most = fmax(fabs(a), fabs(b)), length = hypot(a, b);
  if (length > 0) x[0] = 0.5 + a * most / length, x[1] = 0.5 + b * most / length;
}

/* The surface of a face of the cube, or 0. */
static int surface_of(const struct dg_mesh *cube, size_t e, int f)
{
  for (int d = 0; d < 3; d++)
    for (int side = 0; side < 3; side++) {
      const double at = side == 2 ? 0.5 : side;
      bool on = side < 2 || d == 0;
      for (int i = 0; i < 4; i++) on = on && (i == f || cube->vertex[cube->element[e][i]][d] == at);
      if (on) return side == 2 ? MIDDLE : 1 + 2 * d + side;
    }
  return 0;
}

/* The cube with surfaces, those of the set `open` with OPEN added to their tags, mapped; without the corner x, y > 1/2
 * if it is to be concave. x < 1/2 is volume 1, the rest volume 2. Group "left" holds volume 1, "inner" surface 7. */
static struct dg_mesh make_mesh(unsigned open, map *to, bool corner)
{
  struct dg_mesh cube, mesh;
  struct dg_error err = {0};
  assert_int_equal(cube_mesh(&cube, CELLS, &err), 0);
  int32_t(*triangle)[3] = get(4 * cube.K, sizeof *triangle), *surface = get(4 * cube.K, sizeof *surface),
  *volume = get(cube.K, sizeof *volume), (*tet)[4] = get(cube.K, sizeof *tet);
  size_t triangles = 0, K = 0;
  for (size_t e = 0; e < cube.K; e++) {
    double x = 0, y = 0;
    for (int i = 0; i < 4; i++)
      x += cube.vertex[cube.element[e][i]][0] / 4, y += cube.vertex[cube.element[e][i]][1] / 4;
    if (!corner && x > 0.5 && y > 0.5) continue;
    volume[K] = x < 0.5 ? 1 : 2;
    memcpy(tet[K++], cube.element[e], sizeof *tet);
    for (int f = 0; f < 4; f++) {
      int tag = surface_of(&cube, e, f), n = 0;
      if (tag == 0 || (tag == MIDDLE && x > 0.5)) continue;
      for (int i = 0; i < 4; i++)
        if (i != f) triangle[triangles][n++] = cube.element[e][i];
      surface[triangles++] = open >> tag & 1 ? OPEN + tag : tag;
    }
  }
  for (size_t v = 0; v < cube.vertices; v++) to(cube.vertex[v]);
  for (size_t e = 0; e < K; e++) {
    int32_t *n = tet[e], swap = n[0];
    if (dg_volume6(cube.vertex[n[0]], cube.vertex[n[1]], cube.vertex[n[2]], cube.vertex[n[3]]) > 0) continue;
    n[0] = n[1], n[1] = swap;
  }
  const struct dg_mesh_input input = {.points = cube.vertices,
                                      .K = K,
                                      .triangles = triangles,
                                      .point = (const double(*)[3])cube.vertex,
                                      .tet = (const int32_t(*)[4])tet,
                                      .volume_tag = volume,
                                      .triangle = (const int32_t(*)[3])triangle,
                                      .surface_tag = surface};
  const int left[] = {1}, inner[] = {MIDDLE, 99};
  const struct dg_group_input group[] = {{.dim = 3, .tag = 1, .name = "left", .entities = 1, .entity_tag = left},
                                         {.dim = 2, .tag = 2, .name = "inner", .entities = 2, .entity_tag = inner}};
  if (dg_mesh_build(&mesh, &input, &err) != 0) fail_msg("%s", err.message);
  assert_int_equal(dg_mesh_set_groups(&mesh, 2, group, &err), 0);
  dg_mesh_release(&cube);
  free(triangle);
  free(surface);
  free(volume);
  free(tet);
  return mesh;
}

static struct dg_walls find_walls(const struct dg_mesh *mesh)
{
  struct dg_walls walls;
  struct dg_error err = {0};
  int32_t *face = get(4 * mesh->K, sizeof *face);
  size_t faces = 0;
  for (size_t i = 0; i < 4 * mesh->K; i++)
    if (mesh->neighbour[i / 4][i % 4] == DG_BOUNDARY && mesh->surface[i / 4][i % 4] >= 0 &&
        mesh->entity[mesh->surface[i / 4][i % 4]].tag > OPEN)
      face[faces++] = (int32_t)i;
  if (dg_walls_find(&walls, mesh, faces, face, &err) != 0) fail_msg("%s", err.message);
  free(face);
  return walls;
}

/* Grows a layer of two sheets, `depth` thick together, from the one wall of the mesh. */
static struct dg_wall_shape grow(struct dg_mesh *mesh, double depth)
{
  struct dg_walls walls = find_walls(mesh);
  struct dg_wall_shape shape;
  struct dg_error err = {0};
  assert_int_equal(walls.count, 1);
  int *stage = get(walls.wall[0].faces, sizeof *stage);
  const double sheet[] = {0.4 * depth, depth};
  if (dg_wall_shape_find(&shape, stage, mesh, &walls.wall[0], &err) != 0) fail_msg("%s", err.message);
  for (size_t i = 0; i < walls.wall[0].sides; i++)
    if (!walls.wall[0].side[i].inside)
      assert_true(dg_wall_side_slope(mesh, &walls.wall[0], &shape, stage, &walls.wall[0].side[i]) < 1e-12);
  const struct dg_growth growth = {.wall = &walls.wall[0],
                                   .name = "layer",
                                   .stages = DG_WALL_STAGES,
                                   .stage = stage,
                                   .way = dg_wall_shape_way,
                                   .shape = &shape,
                                   .sheets = 2,
                                   .depth = sheet};
  if (dg_mesh_grow(mesh, 1, &growth, &err) != 0) fail_msg("%s", err.message);
  dg_walls_release(&walls);
  free(stage);
  return shape;
}

/* ---- sums ---- */

static double volume_of(const struct dg_mesh *mesh, size_t e)
{
  const double(*x)[3] = (const double(*)[3])mesh->vertex;
  const int32_t *v = mesh->element[e];
  return fabs(dg_volume6(x[v[0]], x[v[1]], x[v[2]], x[v[3]])) / 6;
}

/* The volume of the elements in a layer, or of those that were drawn. */
static double volume(const struct dg_mesh *mesh, bool layer)
{
  double sum = 0;
  for (size_t e = 0; e < mesh->K; e++)
    if (dg_mesh_in_layer(mesh, e) == layer) sum += volume_of(mesh, e);
  return sum;
}

/* The area of the faces whose surface continues the surface `from`; *outer: how many lie on the outside. Faces inside
 * count once. */
static double area(const struct dg_mesh *mesh, int from, size_t *outer)
{
  double sum = 0, normal[3];
  *outer = 0;
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    const int32_t surface = mesh->surface[i / 4][i % 4], beyond = mesh->neighbour[i / 4][i % 4];
    if (surface < 0 || mesh->entity[surface].grown_from != from) continue;
    sum += dg_face_normal(mesh, (int32_t)i, normal) / (beyond == DG_BOUNDARY ? 1 : 2);
    *outer += beyond == DG_BOUNDARY;
  }
  return sum;
}

static void assert_close(double found, double expected)
{
  if (fabs(found - expected) > 1e-12 * fabs(expected)) fail_msg("%.17g instead of %.17g", found, expected);
}

/* ---- tests ---- */

enum { SIX = 0x7e, WITHOUT_LOWER_Z = SIX & ~(1 << 5) };

/* A layer around a whole box: a larger box, whose outside continues the six walls, face by face. */
static void around_a_box(void **state)
{
  (void)state;
  struct dg_mesh mesh = make_mesh(SIX, stay, true);
  const size_t K = mesh.K, vertices = mesh.vertices, faces = mesh.boundary_faces;
  size_t outer;
  const struct dg_wall_shape shape = grow(&mesh, 0.3);
  /* slabs of 2 sheets, 12 bars of 2 x 2 cells of six tetrahedra along each edge of an element, 8 corners of 2^3 */
  assert_int_equal(mesh.K, K + 6 * faces + 12 * CELLS * 4 * 6 + 8 * 8 * 6);
  assert_int_equal(mesh.vertices, vertices - 125 + 9 * 9 * 9);
  assert_int_equal(mesh.boundary_faces, 6 * 2 * 8 * 8);
  assert_close(volume(&mesh, false), 1);
  assert_close(volume(&mesh, true), pow(1.6, 3) - 1);
  for (int s = 1; s <= 6; s++) {
    assert_close(area(&mesh, OPEN + s, &outer), 1.6 * 1.6);
    assert_int_equal(outer, 2 * 8 * 8);
  }
  assert_int_equal(shape.kind, DG_WALL_BOX);
  for (int d = 0; d < 3; d++) {
    assert_close(shape.centre[d] + shape.low[d] + 1, 1);
    assert_close(shape.centre[d] + shape.high[d], 1);
    for (int i = 0; i < 3; i++) assert_close(shape.axis[d][i] + 1, 1 + (i == d));
  }
  assert_close(area(&mesh, MIDDLE, &outer), 1.6 * 1.6 - 1); /* a surface inside goes on as well */
  assert_int_equal(outer, 0);
  dg_mesh_release(&mesh);
}

/* Every element of the layer has the medium, and is in the volume, that the element at its wall has. */
static void media_go_on(void **state)
{
  (void)state;
  struct dg_mesh mesh = make_mesh(SIX, stay, true);
  double x[3], bary[4];
  const int left = dg_mesh_find_entity(&mesh, 3, 1);
  assert_true(dg_mesh_entity_in_group(&mesh, left, "left"));
  (void)grow(&mesh, 0.3);
  assert_int_equal(mesh.groups, 3);
  assert_true(dg_mesh_entity_in_group(&mesh, dg_mesh_find_entity(&mesh, 2, MIDDLE), "inner"));
  assert_true(dg_mesh_find_entity(&mesh, 2, 99) >= 0); /* an entity without elements stays */
  for (size_t e = 0; e < mesh.K; e++) {
    const struct dg_entity *own = &mesh.entity[mesh.volume[e]];
    for (int d = 0; d < 3; d++) {
      x[d] = 0;
      for (int i = 0; i < 4; i++) x[d] += mesh.vertex[mesh.element[e][i]][d] / 4;
    }
    const double *origin = mesh.origin[e];
    const bool inside = fmin(fmin(x[0], x[1]), x[2]) > 0 && fmax(fmax(x[0], x[1]), x[2]) < 1;
    assert_int_equal(own->layer, !inside);
    assert_int_equal(own->grown_from, inside ? 0 : origin[0] < 0.5 ? 1 : 2);
    assert_int_equal(dg_mesh_entity_in_group(&mesh, mesh.volume[e], "layer"), !inside);
    assert_int_equal(dg_mesh_entity_in_group(&mesh, mesh.volume[e], "left"), inside && x[0] < 0.5);
    if (inside) assert_true(dg_distance(origin, x) < 1e-14);
    else assert_true(fmax(fabs(x[0] - origin[0]), fmax(fabs(x[1] - origin[1]), fabs(x[2] - origin[2]))) < 0.5);
    const int64_t at = dg_mesh_locate(&mesh, x, bary); /* a point in the layer is outside */
    assert_int_equal(at, inside ? (int64_t)e : -1);
  }
  dg_mesh_release(&mesh);
}

/* A wall that the layer leaves out goes on beside it. */
static void beside_a_wall(void **state)
{
  (void)state;
  struct dg_mesh mesh = make_mesh(WITHOUT_LOWER_Z, turn, true);
  size_t outer;
  const struct dg_wall_shape shape = grow(&mesh, 0.2);
  assert_close(volume(&mesh, false), 6);
  assert_close(volume(&mesh, true), 1.4 * 2.4 * 3.2 - 6);
  assert_close(area(&mesh, 5, &outer), 1.4 * 2.4 - 2);
  assert_int_equal(outer, 2 * (8 * 8 - 4 * 4)); /* two triangles for each square beside those that were drawn */
  assert_close(area(&mesh, MIDDLE, &outer), 2.4 * 3.2 - 6);
  int missing = 0;
  for (int d = 0; d < 3; d++) {
    missing += (isinf(shape.low[d]) != 0) + (isinf(shape.high[d]) != 0);
    for (int i = 0; i < 3; i++) assert_close(dg_dot(shape.axis[d], shape.axis[i]) + 1, 1 + (i == d));
  }
  assert_int_equal(missing, 1);
  dg_mesh_release(&mesh);
}

/* The outside of a layer on a sphere is the sphere of triangles, enlarged. */
static void on_spheres(void **state)
{
  (void)state;
  for (int eighth = 0; eighth < 2; eighth++) {
    const unsigned open = eighth ? 1 << 2 | 1 << 4 | 1 << 6 : SIX;
    const double radius = eighth ? 1 : 0.5, t = 0.2, growth = pow(1 + t / radius, 3);
    struct dg_mesh mesh = make_mesh(open, eighth ? blow_eighth : blow, true);
    const double ball = volume(&mesh, false);
    size_t outer;
    const struct dg_wall_shape shape = grow(&mesh, t);
    assert_int_equal(shape.kind, DG_WALL_SPHERE);
    assert_close(shape.high[0], radius);
    for (int d = 0; d < 3; d++) assert_close(1 + shape.centre[d], eighth ? 1 : 1.5);
    assert_close(volume(&mesh, false), ball);
    assert_close(volume(&mesh, true), ball * (growth - 1));
    assert_int_equal(area(&mesh, 1, &outer) > 0, eighth);
    dg_mesh_release(&mesh);
  }
}

/* On a cylinder: with no, one and two open ends. */
static void on_cylinders(void **state)
{
  (void)state;
  for (int ends = 0; ends <= 2; ends++) {
    struct dg_mesh mesh = make_mesh(0x1e | (ends > 0) << 6 | (ends > 1) << 5, round_off, true);
    const double full = volume(&mesh, false), t = 0.25, growth = pow(1 + t / 0.5, 2);
    const struct dg_wall_shape shape = grow(&mesh, t);
    assert_int_equal(shape.kind, DG_WALL_CYLINDER);
    assert_close(shape.high[0], 0.5);
    assert_close(fabs(shape.axis[2][2]), 1);
    assert_int_equal((isinf(shape.low[2]) != 0) + (isinf(shape.high[2]) != 0), 2 - ends);
    assert_close(volume(&mesh, true), full * (growth * (1 + ends * t) - 1));
    dg_mesh_release(&mesh);
  }
}

static void expect_refusal(unsigned open, map *to, bool corner, const char *words)
{
  struct dg_mesh mesh = make_mesh(open, to, corner);
  struct dg_walls walls = find_walls(&mesh);
  struct dg_wall_shape shape;
  struct dg_error err = {0};
  int *stage = get(walls.wall[0].faces, sizeof *stage);
  assert_int_equal(dg_wall_shape_find(&shape, stage, &mesh, &walls.wall[0], &err), DG_INPUT);
  if (strstr(err.message, words) == NULL) fail_msg("'%s' is not in '%s'", words, err.message);
  dg_walls_release(&walls);
  dg_mesh_release(&mesh);
  free(stage);
}

static void wave(double x[3]) { x[0] += x[0] == 1 ? 0.1 * sin(6 * x[1]) * cos(6 * x[2]) : 0; }
static void bulge(double x[3]) { x[0] += x[0] == 1 ? 0.2 * x[1] * (1 - x[1]) : 0; }

static void shapes_that_are_none(void **state)
{
  (void)state;
  expect_refusal(SIX, shear, true, "degrees");
  expect_refusal(SIX, bulge, true, "is no box, sphere or cylinder");
  expect_refusal(SIX, wave, true, "is concave");
  expect_refusal(0xfe, stay, false, "has a step");
}

/* A wall that a layer would leave behind, here in its own plane, has a slope. */
static void slopes_are_seen(void **state)
{
  (void)state;
  struct dg_mesh mesh = make_mesh(1 << 6, blow, true);
  struct dg_walls walls = find_walls(&mesh);
  struct dg_error err = {0};
  struct dg_wall_shape shape;
  int *stage = get(walls.wall[0].faces, sizeof *stage);
  double most = 0;
  assert_int_equal(dg_wall_shape_find(&shape, stage, &mesh, &walls.wall[0], &err), 0);
  for (size_t i = 0; i < walls.wall[0].sides; i++)
    most = fmax(most, dg_wall_side_slope(&mesh, &walls.wall[0], &shape, stage, &walls.wall[0].side[i]));
  assert_true(most > 0.9);
  dg_walls_release(&walls);
  dg_mesh_release(&mesh);
  free(stage);
}

/* Two walls that do not touch grow two layers; a name that the mesh has is refused. */
static void two_walls(void **state)
{
  (void)state;
  for (int taken = 0; taken < 2; taken++) {
    struct dg_mesh mesh = make_mesh(1 << 1 | 1 << 2, stay, true);
    struct dg_walls walls = find_walls(&mesh);
    struct dg_error err = {0};
    struct dg_wall_shape shape[2];
    struct dg_growth growth[2];
    int *stage[2];
    const double depth[] = {0.1, 0.3};
    assert_int_equal(walls.count, 2);
    for (int i = 0; i < 2; i++) {
      stage[i] = get(walls.wall[i].faces, sizeof **stage);
      assert_int_equal(dg_wall_shape_find(&shape[i], stage[i], &mesh, &walls.wall[i], &err), 0);
      growth[i] = (struct dg_growth){.wall = &walls.wall[i],
                                     .name = i == 0  ? "first"
                                             : taken ? "left"
                                                     : "second",
                                     .stages = DG_WALL_STAGES,
                                     .stage = stage[i],
                                     .way = dg_wall_shape_way,
                                     .shape = &shape[i],
                                     .sheets = (size_t)i + 1,
                                     .depth = depth};
    }
    assert_int_equal(dg_mesh_grow(&mesh, 2, growth, &err), taken ? DG_INPUT : 0);
    for (size_t e = 0; e < mesh.K; e++) {
      const struct dg_entity *own = &mesh.entity[mesh.volume[e]];
      if (own->layer > 0)
        assert_true(dg_mesh_entity_in_group(&mesh, mesh.volume[e], own->layer == 1 ? "first" : "second"));
    }
    if (!taken) assert_close(volume(&mesh, true), 0.1 + 0.3);
    dg_mesh_release(&mesh);
    dg_walls_release(&walls);
    free(stage[0]);
    free(stage[1]);
  }
}

/* Parts on several ranks are those of the whole. */
static void on_ranks(void **state)
{
  (void)state;
  const int rank = dg_comm_rank(comm), size = dg_comm_size(comm);
  struct dg_mesh whole = make_mesh(WITHOUT_LOWER_Z, stay, true), part = {0};
  struct dg_error err = {0};
  int32_t *owner = NULL;
  (void)grow(&whole, 0.3);
  if (rank == 0) {
    part = make_mesh(WITHOUT_LOWER_Z, stay, true); /* the same again, from the start */
    (void)grow(&part, 0.3);
    owner = get(part.K, sizeof *owner);
    assert_int_equal(dg_mesh_partition(&part, size, 0, NULL, owner, &err), 0);
  }
  if (dg_mesh_distribute(&part, owner, comm, &err) != 0) fail_msg("%s", err.message);
  double sum = volume(&part, true);
  assert_int_equal(dg_comm_reduce(comm, DG_SUM, 1, &sum, &err), 0);
  assert_close(sum, 1.6 * 1.6 * 1.3 - 1);
  for (size_t e = 0; e < part.K; e++) {
    const size_t all = (size_t)dg_mesh_global(&part, e);
    assert_memory_equal(part.origin[e], whole.origin[all], sizeof part.origin[e]);
    assert_int_equal(part.volume[e], whole.volume[all]);
    assert_memory_equal(part.surface[e], whole.surface[all], sizeof part.surface[e]);
    for (int i = 0; i < 4; i++)
      assert_memory_equal(part.vertex[part.element[e][i]], whole.vertex[whole.element[all][i]], sizeof *part.vertex);
  }
  for (size_t i = 0; i < whole.entities; i++) {
    assert_int_equal(part.entity[i].layer, whole.entity[i].layer);
    assert_int_equal(part.entity[i].grown_from, whole.entity[i].grown_from);
  }
  free(owner);
  dg_mesh_release(&whole);
  dg_mesh_release(&part);
}

/* Whatever allocation fails, the error comes out and nothing is left. */
static void memory_ends(void **state)
{
  (void)state;
  for (long n = 1; n < 200; n += 3) {
    struct dg_mesh mesh = make_mesh(SIX, blow, true);
    struct dg_walls walls = {0};
    struct dg_error err = {0};
    struct dg_wall_shape shape;
    int32_t *face = get(4 * mesh.K, sizeof *face);
    int *stage = get(4 * mesh.K, sizeof *stage);
    size_t faces = 0;
    const double depth[] = {0.1};
    for (size_t i = 0; i < 4 * mesh.K; i++)
      if (mesh.neighbour[i / 4][i % 4] == DG_BOUNDARY) face[faces++] = (int32_t)i;
    dg_memory_fail_at(n);
    if (dg_walls_find(&walls, &mesh, faces, face, &err) == 0 &&
        dg_wall_shape_find(&shape, stage, &mesh, &walls.wall[0], &err) == 0) {
      const struct dg_growth growth = {.wall = &walls.wall[0],
                                       .name = "layer",
                                       .stages = DG_WALL_STAGES,
                                       .stage = stage,
                                       .way = dg_wall_shape_way,
                                       .shape = &shape,
                                       .sheets = 1,
                                       .depth = depth};
      (void)!dg_mesh_grow(&mesh, 1, &growth, &err);
    }
    dg_memory_fail_at(0);
    assert_int_equal(err.code, err.code == DG_OK ? DG_OK : DG_ENVIRONMENT);
    const bool done = err.code == DG_OK;
    dg_walls_release(&walls);
    dg_mesh_release(&mesh);
    free(face);
    free(stage);
    if (done) return;
  }
  fail_msg("it never succeeds");
}

int main(void)
{
  struct dg_error err = {0};
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(around_a_box),    cmocka_unit_test(media_go_on),  cmocka_unit_test(beside_a_wall),
      cmocka_unit_test(on_spheres),      cmocka_unit_test(on_cylinders), cmocka_unit_test(shapes_that_are_none),
      cmocka_unit_test(slopes_are_seen), cmocka_unit_test(two_walls),    cmocka_unit_test(memory_ends),
      cmocka_unit_test(on_ranks),
  };
  if (dg_comm_start(&comm, &err) != 0) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  dg_comm_settle(comm, &err);
  dg_comm_finish(comm, failed);
  return failed;
}
