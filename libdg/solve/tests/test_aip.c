/* The factored approximate inverse against the dense matrix, on all ranks: that its rows are the best ones on their
 * pattern, and the pattern; iterations and answers of conjugate gradients; threads; memory. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/solve/tests/scene.h"

static struct dg_comm *comm;

/* ---- rows */

/* A second operator on the same space: tensors, a mass and walls. */
struct more {
  struct dg_elliptic *op;
  double (*tensor)[6], *c;
  struct dg_face_term *face;
};

static void open_more(struct more *more, const struct scene *scene)
{
  struct dg_error err = {0};
  const size_t K = scene->mesh.K;
  size_t faces = 0;
  more->tensor = array(K, sizeof *more->tensor), more->c = array(K, sizeof *more->c);
  more->face = array(4 * K, sizeof *more->face);
  for (size_t e = 0; e < K; e++) {
    const double tensor[6] = {2, 1 + 0.1 * (double)(e % 7), 3, 0.5, -0.3, 0.2};
    memcpy(more->tensor[e], tensor, sizeof tensor);
    more->c[e] = 1 + (double)(e % 3);
    for (int f = 4; f-- > 0;)
      if (scene->mesh.neighbour[e][f] == DG_BOUNDARY)
        more->face[faces++] = (struct dg_face_term){.face = (int32_t)(4 * e) + f, .h = 1 + (double)(e % 2)};
  }
  const struct dg_elliptic_medium medium = {
      .tensor = (const double(*)[6])more->tensor, .c = more->c, .faces = faces, .face = more->face};
  ok(dg_elliptic_new(&more->op, &scene->space, &medium, &err), &err);
}

static void close_more(struct more *more)
{
  dg_elliptic_free(more->op);
  dg_free(more->tensor);
  dg_free(more->c);
  dg_free(more->face);
}

static void apply_all(size_t terms, const struct dg_elliptic_term *term, struct dg_elliptic *const *op, size_t count,
                      const double *x, double *y)
{
  double *part = array(count, sizeof *part);
  memset(y, 0, sizeof *y * count);
  for (size_t t = 0; t < terms; t++) {
    dg_elliptic_apply(op[t], term[t].weights, x, part);
    for (size_t i = 0; i < count; i++) y[i] += part[i];
  }
  dg_free(part);
}

/* Column n of A, y, has what row n of G may have: its large entries above the diagonal, which are those of the row. */
static void check_pattern(const struct scene *scene, const struct dg_aip_view *G, size_t row, const double *diagonal,
                          const double *y)
{
  const size_t n = (size_t)G->unknown[G->first + row], single = scene->space.count - scene->space.bodies;
  size_t k = G->start[row];
  for (size_t i = 0; i < G->first + row; i++) {
    const size_t u = (size_t)G->unknown[i];
    const bool free = !scene->held[u] && !scene->held[n] && u < single && n < single,
               there = k < G->start[row + 1] && (size_t)G->column[k] == i;
    const double size = fabs(y[u]) / sqrt(diagonal[n] * diagonal[u]);
    if (there) k++;
    if (fabs(size - 0.05) < 1e-9) continue;
    if (there != (free && size > 0.05)) fail_msg("row %zu, column %zu of size %.3g", row, i, size);
  }
  if (k != G->start[row + 1] - 1)
    fail_msg("row %zu of rank %d: entry %zu is none of the columns %d to %d, first %zu", row, dg_comm_rank(comm),
             k - G->start[row], (int)G->column[G->start[row]], (int)G->column[G->start[row + 1] - 1], G->first);
  assert_int_equal(G->column[k], G->first + row);
}

/* Row n of G, x, and y = A x: the row makes |I - G L| least among those of its pattern where (I - d G L) L^T vanishes
 * on it, d a factor of the row, so G A vanishes there beside the diagonal. And x . A x = 1. */
static void check_row(const struct scene *scene, const struct dg_aip_view *G, size_t row, const double *diagonal,
                      const double *x, const double *y)
{
  double one = 0;
  for (size_t k = G->start[row]; k < G->start[row + 1]; k++) {
    const size_t u = (size_t)G->unknown[G->column[k]];
    one += x[u] * y[u];
    if (k == G->start[row + 1] - 1) continue;
    const double size = fabs(y[u]) / sqrt(diagonal[u]);
    if (!(size < 3e-6)) fail_msg("row %zu, column %d: %.3e", row, (int)G->column[k], size);
  }
  if (scene->held[G->unknown[G->first + row]]) assert_true(one == 0);
  else if (!(fabs(one - 1) < 3e-6)) fail_msg("row %zu: x . A x = 1 + %.3e", row, one - 1);
}

static void check_rows(const struct scene *scene, size_t terms, const struct dg_elliptic_term *term,
                       struct dg_elliptic *const *op)
{
  struct dg_error err = {0};
  struct dg_aip *aip;
  const size_t count = scene->space.count;
  size_t total;
  int64_t *global = array(count, sizeof *global), first, own;
  double *x = array(count, sizeof *x), *y = array(count, sizeof *y), *diagonal = array(count, sizeof *diagonal);
  ok(dg_space_total(&scene->space, &total, &err), &err);
  ok(dg_space_global(&scene->space, global, &first, &own, &err), &err);
  ok(dg_aip_new(&aip, &scene->space, terms, term, scene->held, &err), &err);
  const struct dg_aip_view G = dg_aip_look(aip);
  assert_int_equal(G.rows, own);
  for (size_t t = 0; t < terms; t++) {
    dg_elliptic_diagonal(op[t], term[t].weights, x);
    for (size_t i = 0; i < count; i++) diagonal[i] += x[i];
  }
  for (int64_t n = 0; n < (int64_t)total; n++) {
    const bool mine = n >= first && n < first + own;
    const size_t row = mine ? (size_t)(n - first) : 0;
    for (int turn = 0; turn < 2; turn++) {
      memset(x, 0, sizeof *x * count);
      if (mine && turn == 0) x[G.unknown[G.first + row]] = 1;
      for (size_t k = G.start[row]; mine && turn == 1 && k < G.start[row + 1]; k++)
        x[G.unknown[G.column[k]]] = (double)G.value[k];
      dg_space_sum(&scene->space, x);
      apply_all(terms, term, op, count, x, y);
      if (mine && turn == 0) check_pattern(scene, &G, row, diagonal, y);
      if (mine && turn == 1) check_row(scene, &G, row, diagonal, x, y);
    }
  }
  ok(dg_space_error(&scene->space, &err), &err);
  dg_aip_free(aip);
  dg_free(global);
  dg_free(x);
  dg_free(y);
  dg_free(diagonal);
}

static void test_rows(void **state)
{
  (void)state;
  const bool alone = dg_comm_size(comm) == 1; /* ranks wait for each other in every product */
  for (int order = 1; order <= (alone ? 3 : 2); order++)
    for (int what = HELD; what <= BODY; what++) {
      const struct scene_setup setup = {.comm = comm,
                                        .cells = order == 1   ? 4
                                                 : order == 2 ? 3
                                                              : 2,
                                        .order = order,
                                        .what = (enum what)what,
                                        .hard = what != HELD,
                                        .bent = what == HELD && order > 1,
                                        .weights = {.stiffness = 1, .mass = what == BODY ? 3 : 0}};
      struct scene scene;
      struct more more;
      open_scene(&scene, &setup);
      open_more(&more, &scene);
      struct dg_elliptic *const op[] = {scene.op, more.op};
      const struct dg_elliptic_term term[] = {{scene.op, scene.weights},
                                              {more.op, {.stiffness = 0.5, .mass = 2, .face = 30}}};
      if (alone || what == BODY) check_rows(&scene, 1, term, op);
      check_rows(&scene, 2, term, op);
      close_more(&more);
      close_scene(&scene);
    }
}

/* A row with all unknowns where constants are in the kernel has a pivot of rounding. */
static void test_singular_row(void **state)
{
  (void)state;
  if (dg_comm_size(comm) > 1) skip();
  struct scene scene;
  const struct scene_setup setup = {.cells = 2, .order = 1, .what = FLOATING, .weights = {.stiffness = 1}};
  open_scene(&scene, &setup);
  scene_aip(&scene);
  assert_in_range(scene_solve(&scene, 30), 1, 15);
  close_scene(&scene);
}

/* ---- conjugate gradients */

/* Iterations are at most 0.55 of those with the diagonal, and the answer is the one that the right-hand side is made
 * of. */
static void compare(int cells, int order, enum what what, double mass)
{
  const struct scene_setup setup = {.comm = comm,
                                    .cells = cells,
                                    .order = order,
                                    .what = what,
                                    .hard = true,
                                    .weights = {.stiffness = mass > 0 ? 1e-2 : 1, .mass = mass}};
  struct scene scene;
  struct dg_error err = {0};
  int64_t first, own;
  open_scene(&scene, &setup);
  const size_t n = scene.space.count;
  int64_t *global = array(n, sizeof *global);
  double *wanted = array(n, sizeof *wanted), sums[2] = {0};
  ok(dg_space_global(&scene.space, global, &first, &own, &err), &err);
  for (size_t i = 0; i < n; i++) wanted[i] = sin((double)global[i]);
  dg_elliptic_apply(scene.op, scene.weights, wanted, scene.b);
  for (size_t i = 0; i < n; i++)
    if (scene.held[i]) scene.x[i] = wanted[i];
  const int plain = scene_solve(&scene, 2000);
  scene_aip(&scene);
  const int better = scene_solve(&scene, 2000);
  if (dg_comm_rank(comm) == 0)
    print_message("order %d, case %d, mass %g: %d iterations with the diagonal, %d with the approximate inverse\n",
                  order, (int)what, mass, plain, better);
  assert_true(better <= 0.55 * plain);
  /* In the norm of A, in which conjugate gradients are best, and which does not know constants. */
  for (size_t i = 0; i < n; i++) scene.x[i] -= wanted[i];
  dg_elliptic_apply(scene.op, scene.weights, scene.x, scene.diagonal);
  for (size_t i = 0; i < n; i++)
    if (dg_space_foreign(&scene.space) == NULL || !dg_space_foreign(&scene.space)[i])
      sums[0] += scene.x[i] * scene.diagonal[i], sums[1] += wanted[i] * scene.b[i];
  ok(dg_space_reduce(&scene.space, 2, sums, &err), &err);
  assert_true(sums[0] < 1e-16 * sums[1]);
  dg_free(global);
  dg_free(wanted);
  close_scene(&scene);
}

static void test_iterations(void **state)
{
  (void)state;
  for (int order = 1; order <= (dg_comm_size(comm) > 1 ? 2 : 4); order++) {
    const int cells = dg_comm_size(comm) > 1 ? 10 - 2 * order : order == 1 ? 12 : order == 2 ? 8 : order == 3 ? 6 : 4;
    compare(cells, order, HELD, 0);
    compare(cells, order, BODY, 0);
    compare(cells, order, FLOATING, 0);
    compare(cells, order, HELD, 1);
  }
}

/* ---- threads, and memory */

/* z = G^T G r is what G has, on any number of threads with the same bits. */
static void test_threads(void **state)
{
  (void)state;
  if (dg_comm_size(comm) > 1) skip();
  const struct scene_setup setup = {.cells = 5, .order = 2, .what = BODY, .hard = true, .weights = {.stiffness = 1}};
  const int before = omp_get_max_threads();
  struct scene scene;
  open_scene(&scene, &setup);
  const size_t n = scene.space.count;
  double *one = array(n, sizeof *one), *many = array(n, sizeof *many), *middle = array(n, sizeof *middle);
  for (int threads = 1; threads <= 3; threads += 2) {
    omp_set_num_threads(threads);
    scene_aip(&scene);
    dg_aip_apply(scene.aip, scene.b, threads == 1 ? one : many);
    if (threads == 1) scene_plain(&scene);
  }
  omp_set_num_threads(before);
  assert_memory_equal(one, many, n * sizeof *one);
  const struct dg_aip_view G = dg_aip_look(scene.aip);
  assert_int_equal(G.rows, n);
  memset(many, 0, sizeof *many * n);
  for (size_t i = 0; i < n; i++)
    for (size_t k = G.start[i]; k < G.start[i + 1]; k++) middle[i] += (double)G.value[k] * scene.b[G.column[k]];
  for (size_t i = 0; i < n; i++)
    for (size_t k = G.start[i]; k < G.start[i + 1]; k++) many[G.column[k]] += (double)G.value[k] * middle[i];
  for (size_t i = 0; i < n; i++) assert_float_equal(one[i], many[i], 1e-13 * fabs(one[i]) + 1e-20);
  dg_free(one);
  dg_free(many);
  dg_free(middle);
  close_scene(&scene);
}

/* Memory that runs out anywhere is an error, and nothing leaks. */
static void test_memory(void **state)
{
  (void)state;
  if (dg_comm_size(comm) > 1) skip();
  const struct scene_setup setup = {.cells = 2, .order = 2, .hard = true, .weights = {.stiffness = 1}};
  struct scene scene;
  open_scene(&scene, &setup);
  const struct dg_elliptic_term term = {.op = scene.op, .weights = scene.weights};
  const size_t before = dg_memory_current();
  bool done = false;
  for (long n = 1; !done; n++) {
    struct dg_error err = {0};
    struct dg_aip *aip;
    dg_memory_fail_at(n);
    done = dg_aip_new(&aip, &scene.space, 1, &term, scene.held, &err) == 0;
    dg_memory_fail_at(0);
    if (!done) assert_int_equal(err.code, DG_ENVIRONMENT);
    dg_aip_free(aip);
    assert_int_equal(dg_memory_current(), before);
  }
  close_scene(&scene);
}

int main(void)
{
  struct dg_error err = {0};
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_singular_row),
                                     cmocka_unit_test(test_iterations), cmocka_unit_test(test_threads),
                                     cmocka_unit_test(test_memory)};
  if (dg_comm_start(&comm, &err) != 0) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  dg_comm_settle(comm, &err);
  dg_comm_finish(comm, failed);
  return failed;
}
