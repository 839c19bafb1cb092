/* Tests of the tiles into which a mesh is cut; they need no card. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gpu/core/core.h"
#include "gpu/tables/kernel_tables.h"
#include "gpu/tables/tiles.h"
#include "maxwell/backend/frame/symmetry.h"

enum { EIGHT = 8 };

static uint64_t random_number(void)
{
  static uint64_t state = 1;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return state >> 33;
}

/* Builds elements with neighbours near by; some have a boundary, open or not, and behind `interior` some have
 * neighbours beyond the halo. */
static void build(struct mx_problem *problem, size_t K, size_t interior)
{
  *problem =
      (struct mx_problem){.K = K, .set = {mx_set_of(interior, K)}, .neighbour = calloc(K, sizeof *problem->neighbour)};
  struct mx_face_flux(*const flux)[4] = calloc(K, sizeof *flux);
  for (size_t e = 0; e < K; e++)
    for (size_t f = 0; f < 4; f++) {
      const uint64_t chance = random_number() % 10;
      size_t other = (e + random_number() % 60) % K;
      if (e >= interior && chance < 5) other = K + problem->ghosts++;
      problem->neighbour[e][f] = (int32_t)(4 * other + random_number() % 4);
      if (chance == 9) problem->neighbour[e][f] = MX_GHOST;
      if (chance == 8) problem->neighbour[e][f] = MX_GHOST - 1 - (int32_t)problem->open_faces++;
      flux[e][f] = (struct mx_face_flux){.h_jump = 0.5, .e_jump = 0.5};
    }
  problem->flux = flux;
}

static void clear(struct mx_problem *problem)
{
  free(problem->neighbour);
  free((void *)problem->flux);
}

/* Checks tile i, which begins at element `first`: its faces point to the neighbours that the problem has. Returns the
 * end of the tile. */
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
      const unsigned it = tiles->neighbour[e][f];
      const size_t row = (it & ~(unsigned)GPU_OPEN) / 4, face = it % 4;
      const size_t other = code < 0 ? e : gpu_row(problem, padded, (size_t)code / 4);
      assert_int_equal(face, code < 0 ? (int)f : code % 4);
      assert_int_equal((it & GPU_OPEN) != 0, mx_open_slot(code) >= 0);
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
  assert_int_equal(gpu_cut_tiles(&tiles, &problem, inner, shape, 3, inner < K ? 1 : 0, &err), 0);
  size_t end = 0, cut = 0;
  for (size_t i = 0; i < tiles.count; i++) {
    if (i == tiles.inner) cut = end;
    end = check_tile(&problem, &tiles, shape, i, end);
  }
  if (tiles.inner == tiles.count) cut = end;
  assert_int_equal(end, (K + EIGHT - 1) / EIGHT * EIGHT);
  assert_int_equal(cut, inner == K ? end : inner);
  gpu_release_tiles(&tiles);
  clear(&problem);
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
    assert_int_equal(gpu_cut_tiles(&tiles, &problem, K, shape, PROCESSORS, 0, &err), 0);
    for (size_t i = 0; i < tiles.count; i++) {
      const int elements = EIGHT * tiles.tile[i].y;
      if (elements < least) least = elements;
      if (elements > most) most = elements;
    }
    assert_true(most - least <= EIGHT);
    assert_int_equal(tiles.count % (PROCESSORS * BLOCKS), 0);
    gpu_release_tiles(&tiles);
    clear(&problem);
  }
}

/* Counts tiles one after the other, each the largest whose neighbours outside are not too many. */
static size_t count_large(const struct mx_problem *problem, struct gpu_tile_shape shape)
{
  size_t tiles = 0, *met = calloc(problem->K, sizeof *met), visit = 0;
  for (size_t first = 0; first < problem->K; tiles++) {
    size_t end = first + (size_t)shape.elements < problem->K ? first + (size_t)shape.elements : problem->K;
    for (size_t outside = SIZE_MAX; outside > (size_t)shape.traces;) {
      outside = 0, visit++;
      for (size_t i = 4 * first; i < 4 * end; i++) {
        const int32_t code = problem->neighbour[i / 4][i % 4];
        const size_t other = (size_t)code / 4;
        if (code < 0 || (other >= first && other < end) || met[other] == visit) continue;
        met[other] = visit;
        outside++;
      }
      if (outside > (size_t)shape.traces) end -= EIGHT;
    }
    first = end;
  }
  free(met);
  return tiles;
}

/* If many tiles cannot be as large as others, because of their needs from outside, there are no more rounds than the
 * largest tiles take. */
static void test_few_rounds(void **state)
{
  enum { PROCESSORS = 5, BLOCKS = 2, ALL = PROCESSORS * BLOCKS };
  struct dg_error err = {0};
  (void)state;
  for (int traces = 40; traces <= 52; traces += 4)
    for (size_t K = 800; K < 12000; K += 88) {
      const struct gpu_tile_shape shape = {.elements = 48, .traces = traces, .whole = 1, .blocks = BLOCKS};
      struct mx_problem problem;
      struct gpu_tiles tiles;
      build(&problem, K, K);
      assert_int_equal(gpu_cut_tiles(&tiles, &problem, K, shape, PROCESSORS, 0, &err), 0);
      assert_int_equal((tiles.count + ALL - 1) / ALL, (count_large(&problem, shape) + ALL - 1) / ALL);
      gpu_release_tiles(&tiles);
      clear(&problem);
    }
}

/* Tiles `first` to `end` - 1: in every round all blocks have one of the same ones, and in all as much to do, tiles with
 * an odd face half as much again, but for one tile, or two where the last round is not full. Those of a round without
 * odd faces stay in their order. */
static void check_shares(const struct mx_problem *problem, const struct gpu_tiles *tiles, const bool *odd, size_t first,
                         size_t end, size_t blocks)
{
  const size_t like_others = 2, costly = 3;
  size_t *sum = calloc(blocks, sizeof *sum), least = SIZE_MAX, most = 0, moved = 0, odd_ones = 0;
  bool *seen = calloc(tiles->count, sizeof *seen);
  for (size_t i = first; i < end; i++) {
    size_t which = first;
    while (which < end && tiles->tile[which].x != tiles->dealt[i].x) which++;
    assert_true(which < end && !seen[which]);
    assert_int_equal((which - first) / blocks, (i - first) / blocks);
    assert_memory_equal(&tiles->tile[which], &tiles->dealt[i], sizeof *tiles->tile);
    seen[which] = true;
    bool any = false;
    for (size_t e = EIGHT * (size_t)tiles->dealt[i].x, k = 0; k < EIGHT * (size_t)tiles->dealt[i].y; k++)
      any = any || (e + k < problem->K && odd[e + k]);
    sum[(i - first) % blocks] += any ? costly : like_others;
    moved += which != i;
    odd_ones += any;
  }
  for (size_t b = 0; b < blocks && end - first >= blocks; b++) {
    if (sum[b] < least) least = sum[b];
    if (sum[b] > most) most = sum[b];
  }
  assert_true(most <= least || most - least <= ((end - first) % blocks == 0 ? 1 : 2) * costly);
  assert_true(odd_ones > 0 || moved == 0);
  free(seen);
  free(sum);
}

static void test_turns(void **state)
{
  const struct gpu_tile_shape shape = {.elements = 48, .traces = 4 * 48, .whole = 1, .blocks = 2};
  struct dg_error err = {0};
  (void)state;
  for (int penalty = 0; penalty < 2; penalty++)
    for (size_t K = 3; K < 20000; K = 3 * K + 5) {
      struct mx_problem problem;
      struct gpu_tiles tiles;
      build(&problem, K, K);
      bool *odd = calloc(K, sizeof *odd);
      struct mx_face_flux(*const flux)[4] = (struct mx_face_flux(*)[4])problem.flux;
      for (size_t e = 0; e < K; e++) /* the odd ones are few: tiles without are most */
        for (size_t f = 0; f < 4; f++) {
          const bool wall = problem.neighbour[e][f] < 0;
          if (wall && random_number() % 8 != 0) problem.neighbour[e][f] = (int32_t)(4 * e + f);
          const int32_t code = problem.neighbour[e][f];
          if (code == MX_GHOST) flux[e][f].h_penalty = 1;
          if (code >= 0 && random_number() % 400 == 0) flux[e][f].e_jump = 0.3;
          odd[e] = odd[e] || flux[e][f].e_jump != 0.5 || mx_open_slot(code) >= 0 || (code == MX_GHOST && !penalty);
        }
      const size_t inner = K / 2 / EIGHT * EIGHT;
      assert_int_equal(gpu_cut_tiles(&tiles, &problem, inner, shape, 5, 2, &err), 0);
      assert_int_equal(gpu_share_out_tiles(&tiles, &problem, penalty, 10, 6, &err), 0);
      check_shares(&problem, &tiles, odd, 0, tiles.inner, 6);
      check_shares(&problem, &tiles, odd, tiles.inner, tiles.count, 10);
      gpu_release_tiles(&tiles);
      free(odd);
      clear(&problem);
    }
}

/* Lists the nodes of the faces in the card's order (layout.h), and the node that half turn f makes of node m of face
 * 0. */
static void list_nodes(int order, int32_t *face_node, int32_t *face_place)
{
  struct dg_reference ref;
  struct mx_symmetry symmetry;
  struct dg_error err = {0};
  assert_int_equal(dg_reference_init(&ref, order, &err), 0);
  assert_int_equal(mx_symmetry_init(&symmetry, &ref, &err), 0);
  const int quads = MX_QUADS(order), Nf = ref.Nf;
  for (int i = 0; i < 4 * Nf; i++) {
    int at = 0;
    while (symmetry.node[at] != ref.face_node[i]) at++;
    face_node[i] = at < 4 * quads ? at % 4 * quads + at / 4 : at;
    face_place[i / Nf * Nf + symmetry.place[i]] = i % Nf;
  }
  mx_symmetry_release(&symmetry);
  dg_reference_release(&ref);
}

/* Checks that a tile with packed traces, read as tile.cuh does it, gets the right numbers from outside at its faces'
 * nodes. */
static void check_packed(int order)
{
  enum { K = 300, NODES = 4 * DG_NF_MAX };
  const struct gpu_tile_shape shape = {.elements = 32, .traces = 64, .whole = 0, .blocks = 1};
  const size_t Nf = (size_t)DG_NF(order), pieces = (size_t)gpu_face_pieces(order);
  struct mx_problem problem;
  struct gpu_tiles tiles;
  struct dg_error err = {0};
  int32_t face_node[NODES], face_place[NODES], packed[NODES];
  uint8_t piece[4 * DG_NP_MAX];
  list_nodes(order, face_node, face_place);
  assert_int_equal(gpu_list_pieces(order, face_node, piece, packed), pieces);
  assert_true(4 * pieces <= (size_t)DG_NP(order) && gpu_component(order) % 2 == 0 && gpu_stride(order) % 2 == 0);
  build(&problem, K, K);
  assert_int_equal(gpu_cut_tiles(&tiles, &problem, K, shape, 3, 0, &err), 0);
  for (size_t i = 0; i < tiles.count; i++) {
    const int4 tile = tiles.tile[i];
    const uint32_t *list = tiles.trace + tile.z;
    size_t trace[64][3][DG_NP_MAX]; /* the places that numbers come from */
    for (size_t h = 0; h < (size_t)tile.w; h++)
      for (size_t c = 0; c < 3; c++)
        for (size_t k = 0; k < 2 * pieces; k++)
          trace[h][c][k] = gpu_at(order, list[h] / 16, c, 2u * piece[list[h] % 4 * pieces + k / 2] + k % 2);
    for (size_t k = 8 * (size_t)tile.x; k < 8 * (size_t)(tile.x + tile.y) && k < K; k++)
      for (size_t f = 0; f < 4; f++) {
        const unsigned it = tiles.neighbour[k][f] & ~(unsigned)GPU_OPEN;
        const size_t row = it / 4, nf = it % 4;
        if (row < (size_t)shape.elements) continue;
        for (size_t m = 0; m < Nf; m++)
          for (size_t c = 0; c < 3; c++) {
            const size_t there = nf * Nf + (size_t)face_place[f * Nf + m];
            assert_int_equal(trace[row - (size_t)shape.elements][c][packed[there]],
                             gpu_at(order, (size_t)problem.neighbour[k][f] / 4, c, (size_t)face_node[there]));
          }
      }
  }
  gpu_release_tiles(&tiles);
  clear(&problem);
}

static void test_packed(void **state)
{
  (void)state;
  for (int order = 1; order <= DG_ORDER_MAX; order++)
    if (gpu_face_pieces(order) > 0) check_packed(order);
}

/* A Runge-Kutta register has one place for each number of a field. Eight elements stand side by side, and the numbers
 * of a tile are in one piece. */
static void test_registers(void **state)
{
  enum { ELEMENTS = 40 };
  (void)state;
  for (int order = 1; order <= GPU_TILE_ORDERS; order++) {
    const size_t stride = gpu_stride(order), count = ELEMENTS * stride;
    bool *const taken = calloc(count, sizeof *taken);
    for (size_t e = 0; e < ELEMENTS; e++)
      for (size_t i = 0; i < stride; i++) {
        const size_t at = gpu_register_at(order, e, i), first = e / EIGHT * EIGHT;
        assert_true(at >= first * stride && at < (first + EIGHT) * stride && !taken[at]);
        assert_int_equal(at, gpu_register_at(order, first, i) + e % EIGHT);
        taken[at] = true;
      }
    free(taken);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cut),        cmocka_unit_test(test_shared_out),
                                     cmocka_unit_test(test_few_rounds), cmocka_unit_test(test_turns),
                                     cmocka_unit_test(test_packed),     cmocka_unit_test(test_registers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
