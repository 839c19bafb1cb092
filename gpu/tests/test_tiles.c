/* How a mesh is cut into tiles; needs no card. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gpu/state.h"

enum { EIGHT = 8 };

static uint64_t random_number(void)
{
  static uint64_t state = 1;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return state >> 33;
}

/* Elements with neighbours near by, some with none, and behind `interior` some beyond the halo. */
static void build(struct mx_problem *problem, size_t K, size_t interior)
{
  *problem = (struct mx_problem){.K = K, .interior = interior, .neighbour = calloc(K, sizeof *problem->neighbour)};
  for (size_t e = 0; e < K; e++)
    for (size_t f = 0; f < 4; f++) {
      const uint64_t chance = random_number() % 10;
      size_t other = (e + random_number() % 60) % K;
      if (e >= interior && chance < 5) other = K + problem->ghosts++;
      problem->neighbour[e][f] = chance == 9 ? MX_GHOST : (int32_t)(4 * other + random_number() % 4);
    }
}

/* Tile i, beginning at element first: what its faces point to is what the problem says. Returns where it ends. */
static size_t check_tile(const struct mx_problem *problem, const struct gpu_tiles *tiles, struct gpu_tile_shape shape,
                         size_t i, size_t first)
{
  const size_t padded = (problem->K + EIGHT - 1) / EIGHT * EIGHT;
  const int4 tile = tiles->tile[i];
  assert_int_equal(EIGHT * (size_t)tile.x, first);
  assert_true(tile.y > 0 && EIGHT * tile.y <= shape.elements && tile.w <= shape.traces && tile.z % 4 == 0);
  const size_t end = first + EIGHT * (size_t)tile.y;
  for (size_t e = first; e < end; e++)
    for (size_t f = 0; f < 4; f++) {
      const int32_t code = e < problem->K ? problem->neighbour[e][f] : MX_GHOST;
      const size_t row = tiles->neighbour[e][f] / 4, face = tiles->neighbour[e][f] % 4;
      const size_t other = code < 0 ? e : gpu_row(problem, padded, (size_t)code / 4);
      assert_int_equal(face, code < 0 ? (int)f : code % 4);
      if (row < (size_t)shape.elements) {
        assert_int_equal(first + row, other);
        assert_true(other < end);
        continue;
      }
      assert_true(row - (size_t)shape.elements < (size_t)tile.w);
      const uint32_t trace = tiles->trace[(size_t)tile.z + row - (size_t)shape.elements];
      assert_int_equal(trace / 16, other);
      if (!shape.whole) assert_int_equal(trace % 16, 4 * f + face);
    }
  return end;
}

static void check_cut(size_t K, size_t interior, size_t inner, struct gpu_tile_shape shape)
{
  struct mx_problem problem;
  struct gpu_tiles tiles;
  struct dg_error err = {0};
  build(&problem, K, interior);
  assert_int_equal(gpu_cut_tiles(&tiles, &problem, inner, shape, 3, &err), 0);
  size_t end = 0, cut = 0;
  for (size_t i = 0; i < tiles.count; i++) {
    if (i == tiles.inner) cut = end;
    end = check_tile(&problem, &tiles, shape, i, end);
  }
  if (tiles.inner == tiles.count) cut = end;
  assert_int_equal(end, (K + EIGHT - 1) / EIGHT * EIGHT);
  assert_int_equal(cut, inner == K ? end : inner);
  gpu_release_tiles(&tiles);
  free(problem.neighbour);
}

static void test_cut(void **state)
{
  (void)state;
  for (int whole = 0; whole < 2; whole++) {
    const struct gpu_tile_shape shape = {.elements = 48, .traces = 64, .whole = whole, .blocks = 2};
    check_cut(1000, 1000, 1000, shape); /* alone */
    check_cut(1001, 1001, 1001, shape);
    check_cut(1001, 700, 696, shape);
    check_cut(1000, 96, 96, shape); /* where a tile would end anyway */
    check_cut(123, 5, 0, shape);    /* none is inner */
    check_cut(123, 122, 120, shape);
    check_cut(3, 3, 3, shape);
  }
}

/* All blocks of a card of PROCESSORS multiprocessors have equally many tiles of nearly one size. */
static void test_shared_out(void **state)
{
  enum { PROCESSORS = 5, BLOCKS = 2 };
  const struct gpu_tile_shape shape = {.elements = 48, .traces = 4 * 48, .whole = 1, .blocks = BLOCKS};
  struct dg_error err = {0};
  (void)state;
  for (size_t K = 100; K < 20000; K = 2 * K + 17) {
    struct mx_problem problem;
    struct gpu_tiles tiles;
    int least = 48, most = 0;
    build(&problem, K, K);
    assert_int_equal(gpu_cut_tiles(&tiles, &problem, K, shape, PROCESSORS, &err), 0);
    for (size_t i = 0; i < tiles.count; i++) {
      const int elements = EIGHT * tiles.tile[i].y;
      if (elements < least) least = elements;
      if (elements > most) most = elements;
    }
    assert_true(most - least <= EIGHT);
    assert_int_equal(tiles.count % (PROCESSORS * BLOCKS), 0);
    gpu_release_tiles(&tiles);
    free(problem.neighbour);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cut), cmocka_unit_test(test_shared_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
