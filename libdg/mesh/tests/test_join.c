/* Parts of a mesh that Gmsh wrote to one file a part, read by as many ranks, against the same mesh in one file.
 * With two numbers on the command line the n-th allocation of that rank fails; with a word the parts have that fault.
 *
 * The data: two unit boxes that share the surface "middle", size 0.6, by Gmsh 4.8.4: gmsh boxes.msh -part 3 -part_split
 * -o thirds.msh -save, and the same without -part_split (thirds_whole.msh); halves.msh by Plugin(SimplePartition) with
 * NumSlicesX = 2, Mesh.PartitionSplitMeshFiles = 1 and Mesh.Binary = 1, so that the cut runs along "middle". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/parts/join.h"
#include "libdg/mesh/mesh_groups.h"
#include "libdg/mesh/parts/partition.h"

#define DATA TEST_SOURCE_DIR "/tests/data/"

static struct dg_comm *comm;
static int rank, size;
static struct dg_mesh whole, part;

static const char *own_name(void) { return size == 2 ? DATA "halves.msh" : DATA "thirds.msh"; }

static int load(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct dg_mesh_options options = {.file = DATA "thirds_whole.msh", .unit = 0.5};
  if (dg_mesh_load(&whole, &options, &err) != 0) return -1;
  options.file = own_name();
  if (dg_mesh_load_parts(&part, &options, comm, &err) != 0) print_error("%s\n", err.message);
  return err.code;
}

static int release(void **state)
{
  (void)state;
  dg_mesh_release(&whole);
  dg_mesh_release(&part);
  return 0;
}

static size_t with_tag(uint64_t tag)
{
  for (size_t e = 0; e < whole.K; e++)
    if (whole.tag[e] == tag) return e;
  fail_msg("no element has tag %zu", (size_t)tag);
  return 0;
}

/* The corner of an element of the whole mesh where a vertex of the part is. */
static int corner_at(size_t e, int32_t v)
{
  for (int i = 0; i < 4; i++)
    if (memcmp(whole.vertex[whole.element[e][i]], part.vertex[v], sizeof part.vertex[v]) == 0) return i;
  fail_msg("vertex %d of the part is not one of element %zu", (int)v, e);
  return -1;
}

static int entity_tag(const struct dg_mesh *mesh, int32_t entity) { return entity < 0 ? -1 : mesh->entity[entity].tag; }

static void every_element_once(void **state)
{
  (void)state;
  struct dg_error err = {0};
  int64_t *found = calloc(2 * whole.K, sizeof *found), *tag = found + whole.K;
  assert_non_null(found);
  assert_int_equal(part.whole.K, whole.K);
  for (size_t e = 0; e < part.K; e++) {
    int ghosts = 0;
    found[with_tag(part.tag[e])]++;
    tag[part.global[e]] += (int64_t)part.tag[e];
    for (int f = 0; f < 4; f++) ghosts += part.neighbour[e][f] >= 4 * (int32_t)part.K;
    assert_int_equal(ghosts > 0, e >= part.interior);
    if (e > 0 && e != part.interior) assert_true(part.global[e - 1] < part.global[e]);
  }
  assert_int_equal(dg_comm_reduce_int(comm, DG_SUM, 2 * whole.K, found, &err), 0);
  for (size_t e = 0; e < whole.K; e++) assert_int_equal(found[e], 1);
  for (size_t e = 0; e < part.K + part.ghosts; e++) { /* a ghost has the numbers that its owner gives it */
    assert_int_equal(part.tag[e], tag[part.global[e]]);
    assert_true(e < part.K || part.owner[e - part.K] != rank);
    assert_true(e <= part.K || part.owner[e - part.K - 1] <= part.owner[e - part.K]);
    assert_true(e <= part.K || part.global[e - 1] < part.global[e]);
  }
  free(found);
}

static void neighbours_are_those_of_the_whole(void **state)
{
  (void)state;
  struct dg_error err = {0};
  int64_t marked = 0;
  int middle = 0;
  while (!dg_mesh_entity_in_group(&whole, middle, "middle")) middle++;
  for (size_t e = 0; e < part.K + part.ghosts; e++) {
    size_t w = with_tag(part.tag[e]);
    assert_int_equal(entity_tag(&part, part.volume[e]), entity_tag(&whole, whole.volume[w]));
    for (int f = 0; f < 4; f++) {
      int face = corner_at(w, part.element[e][f]);
      if (f > 0) assert_true(part.element[e][f - 1] < part.element[e][f]);
      if (e >= part.K) continue;
      int32_t here = part.neighbour[e][f], there = whole.neighbour[w][face];
      assert_int_equal(entity_tag(&part, part.surface[e][f]), entity_tag(&whole, whole.surface[w][face]));
      marked += part.surface[e][f] >= 0 && here >= 4 * (int32_t)part.K;
      assert_int_equal(here == DG_BOUNDARY, there == DG_BOUNDARY);
      if (here == DG_BOUNDARY) continue;
      assert_int_equal(part.tag[here / 4], whole.tag[there / 4]);
      for (int i = 0, a = 0, b = 0; i < 3; i++, a++, b++) { /* the same vertices in the same order on both sides */
        a += a == f;
        b += b == here % 4;
        assert_int_equal(part.element[e][a], part.element[here / 4][b]);
      }
    }
  }
  assert_int_equal(dg_comm_reduce_int(comm, DG_SUM, 1, &marked, &err), 0);
  if (size == 2) assert_int_equal(marked, 2 * whole.entity[middle].count);
}

static void vertices_have_one_number(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct named {
    int64_t number;
    double x[3];
  } * own, *all;
  size_t *bytes = calloc((size_t)size, sizeof *bytes), total = 0;
  assert_int_equal(part.whole.vertices, whole.vertices);
  assert_int_equal(DG_NEW(own, part.vertices, &err), 0);
  for (size_t v = 0; v < part.vertices; v++) {
    own[v].number = part.global_vertex[v];
    memcpy(own[v].x, part.vertex[v], sizeof own[v].x);
    assert_true(v == 0 || part.global_vertex[v - 1] < part.global_vertex[v]);
  }
  assert_int_equal(dg_comm_share(comm, part.vertices * sizeof *own, own, &all, bytes, &err), 0);
  for (int r = 0; r < size; r++) total += bytes[r] / sizeof *all;
  for (size_t i = 0; i < total; i++) {
    assert_true(all[i].number >= 0 && all[i].number < (int64_t)whole.vertices);
    for (size_t k = 0; k < part.vertices; k++)
      assert_int_equal(all[i].number == own[k].number, memcmp(all[i].x, own[k].x, sizeof own[k].x) == 0);
  }
  free(bytes);
  dg_free(own);
  dg_free(all);
}

static void tables_and_sizes(void **state)
{
  (void)state;
  struct dg_error err = {0};
  int64_t sum[2] = {(int64_t)part.boundary_faces, (int64_t)part.interior_faces};
  assert_int_equal(dg_comm_reduce_int(comm, DG_SUM, 2, sum, &err), 0);
  assert_int_equal(sum[0], whole.boundary_faces);
  assert_int_equal(sum[1], whole.interior_faces);
  assert_memory_equal(&part.whole, &whole.whole, sizeof whole.whole);
  assert_int_equal(part.groups, whole.groups);
  assert_int_equal(part.groups, 4);
  for (size_t i = 0; i < whole.entities; i++) {
    int k = dg_mesh_find_entity(&part, whole.entity[i].dim, whole.entity[i].tag);
    assert_true(k >= 0);
    assert_int_equal(part.entity[k].count, whole.entity[i].count);
    for (size_t g = 0; g < whole.groups; g++)
      assert_int_equal(dg_mesh_entity_in_group(&part, k, whole.group[g].name),
                       dg_mesh_entity_in_group(&whole, (int)i, whole.group[g].name));
  }
}

static void refuse(const char *file, const char *message, const char *and)
{
  struct dg_error err = {0};
  struct dg_mesh mesh;
  const struct dg_mesh_options options = {.file = file, .unit = 1};
  assert_int_equal(dg_mesh_load_parts(&mesh, &options, comm, &err), DG_INPUT);
  if (strstr(err.message, message) == NULL || strstr(err.message, and) == NULL) fail_msg("%s", err.message);
  assert_null(mesh.element);
}

static void names_and_numbers(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct dg_mesh mesh;
  const struct dg_mesh_options alone = {.file = DATA "thirds_2.msh", .unit = 1};
  assert_true(dg_mesh_in_parts(DATA "halves.msh") && dg_mesh_in_parts(DATA "thirds.msh"));
  assert_false(dg_mesh_in_parts(DATA "thirds_whole.msh") || dg_mesh_in_parts(DATA "thirds_1.msh") ||
               dg_mesh_in_parts(DATA "nothing.msh") || dg_mesh_in_parts(DATA "boxes.geo"));
  if (size == 2) refuse(DATA "thirds.msh", "in 3 parts", "2 ranks");
  else refuse(DATA "halves.msh", "in 2 parts", "3 ranks");
  assert_int_equal(dg_mesh_load(&mesh, &alone, &err), DG_INPUT);
  assert_non_null(strstr(err.message, "only part 2 of 3"));
}

/* Gmsh's own partition is taken where it has as many parts as are asked for. */
static void partition_of_one_file(void **state)
{
  (void)state;
  struct dg_error err = {0};
  size_t first = 0;
  int32_t *owner = calloc(whole.K, sizeof *owner);
  assert_non_null(owner);
  assert_int_equal(whole.partitions, 3);
  assert_int_equal(dg_mesh_partition(&whole, 3, 0, NULL, owner, &err), 0);
  assert_memory_equal(owner, whole.partition, whole.K * sizeof *owner);
  if (size == 3)
    for (size_t e = 0; e < part.K; e++) assert_int_equal(owner[with_tag(part.tag[e])], rank);
  assert_int_equal(dg_mesh_partition(&whole, 4, 0, NULL, owner, &err), 0);
  for (size_t e = 0; e < whole.K; e++) first += owner[e] == 0;
  assert_int_equal(first, whole.K / 4);
  free(owner);
}

/* ---- parts made here ---- */

/* Ranks 0 and 1 have one tetrahedron each on either side of a triangle, others one far away. The triangle lies on
 * surface[rank] (0: on none, there); the apex of rank 1 is at (0, 0, z), rank 2's too if it has number 5. */
static int join(struct dg_mesh *mesh, const int surface[2], double z, double shift, int third, struct dg_error *err)
{
  const int near = rank < 2 || third;
  const double x = near ? 0 : 10 * rank, down = rank == 0 ? -1 : rank == 1 ? z : 2, right = rank == 1 ? shift : 0;
  const double point[4][3] = {{x + right, 0, 0}, {x + right + 1, 0, 0}, {x + right, 1, 0}, {x + right, 0, down}};
  const int64_t base = near && !(shift > 0 && rank == 1) ? 0 : 100 * rank;
  const int64_t number[4] = {base, base + 1, base + 2, 1000 + rank};
  const int32_t tet[1][4] = {{0, down < 0 ? 2 : 1, down < 0 ? 1 : 2, 3}}, triangle[1][3] = {{0, 1, 2}}, volume[1] = {1};
  const int32_t tag[1] = {rank < 2 ? surface[rank] : 0};
  const uint64_t element[1] = {71 + (uint64_t)rank};
  const struct dg_mesh_input input = {.points = 4,
                                      .K = 1,
                                      .triangles = tag[0] > 0,
                                      .point = point,
                                      .tet = tet,
                                      .volume_tag = volume,
                                      .tag = element,
                                      .triangle = triangle,
                                      .surface_tag = tag,
                                      .number = number};
  const int surfaces[2] = {10, 11};
  const struct dg_group_input all = {.dim = 2, .entities = 2, .entity_tag = surfaces};
  if (dg_mesh_build(mesh, &input, err) != 0 || dg_mesh_add_empty(mesh, 1, &all, err) != 0) return err->code;
  return dg_mesh_join(mesh, comm, err);
}

/* A triangle that both parts list, or one of them, is one triangle. */
static void triangles_count_once(void **state)
{
  (void)state;
  static const int surface[3][2] = {{10, 10}, {11, 0}, {0, 11}};
  for (int i = 0; i < 3; i++) {
    struct dg_error err = {0};
    struct dg_mesh mesh;
    if (join(&mesh, surface[i], 1, 0, 0, &err) != 0) fail_msg("%s", err.message);
    int at = dg_mesh_find_entity(&mesh, 2, i == 0 ? 10 : 11);
    assert_int_equal(mesh.entity[at].count, 1);
    assert_int_equal(mesh.whole.interior_faces, 1);
    assert_int_equal(mesh.whole.boundary_faces, 4 * size - 2);
    assert_int_equal(mesh.ghosts, rank < 2);
    if (rank < 2) assert_int_equal(mesh.surface[0][3], at);
    dg_mesh_release(&mesh);
  }
}

static void refuse_join(const int surface[2], double z, double shift, int third, const char *message)
{
  struct dg_error err = {0};
  struct dg_mesh mesh;
  int code = join(&mesh, surface, z, shift, third, &err);
  if (code == 0) dg_mesh_release(&mesh);
  assert_null(mesh.element);
  if (code != 0) dg_comm_stop(comm, &err);
  dg_comm_settle(comm, &err);
  assert_int_equal(err.code, DG_INPUT);
  if (strstr(err.message, message) == NULL) fail_msg("'%s' is not in: %s", message, err.message);
}

static const char *wrong = "";

/* Faults that lie between parts; the ranks do not speak to each other after one of them. */
static void faults_between_parts(void **state)
{
  (void)state;
  const int same[2] = {10, 10}, two[2] = {10, 11};
  if (strcmp(wrong, "surfaces") == 0) refuse_join(two, 1, 0, 0, "lies on two surfaces");
  else if (strcmp(wrong, "side") == 0) refuse_join(same, -2, 0, 0, "on the same side of the face");
  else if (strcmp(wrong, "touch") == 0) refuse_join(same, 1, 0.25, 0, "overlap");
  else refuse_join(same, 1, 0, 1, "share a face");
}

/* All ranks return, with the same error, whatever they were waiting for. */
static int fail_on(int victim, long n)
{
  struct dg_error err = {0};
  struct dg_mesh mesh;
  const struct dg_mesh_options options = {.file = own_name(), .unit = 1};
  if (rank == victim) dg_memory_fail_at(n);
  int code = dg_mesh_load_parts(&mesh, &options, comm, &err);
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
      cmocka_unit_test(every_element_once),       cmocka_unit_test(neighbours_are_those_of_the_whole),
      cmocka_unit_test(vertices_have_one_number), cmocka_unit_test(tables_and_sizes),
      cmocka_unit_test(names_and_numbers),        cmocka_unit_test(partition_of_one_file),
      cmocka_unit_test(triangles_count_once),
  };
  const struct CMUnitTest faults[] = {cmocka_unit_test(faults_between_parts)};
  if (dg_comm_start(&comm, &err) != 0) return 1;
  rank = dg_comm_rank(comm);
  size = dg_comm_size(comm);
  if (argc == 3) return fail_on(atoi(argv[1]), atol(argv[2]));
  if (argc == 2) wrong = argv[1];
  int failed = argc > 1 ? cmocka_run_group_tests(faults, NULL, NULL) : cmocka_run_group_tests(tests, load, release);
  if (argc == 1) dg_comm_settle(comm, &err);
  dg_comm_finish(comm, failed);
  return failed;
}
