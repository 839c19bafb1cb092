/* Iterations of conjugate gradients with multigrid: graded meshes, media that jump by 1:1e4, masses and walls, nothing
 * held, a body; and that the preconditioner is symmetric. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/solve/amg.h"
#include "libdg/solve/tests/scene.h"

static int iterations(int cells, int order, enum what what, struct dg_elliptic_weights weights)
{
  struct scene scene;
  const struct scene_setup setup = {.cells = cells, .order = order, .what = what, .hard = true, .weights = weights};
  open_scene(&scene, &setup);
  scene_multigrid(&scene);
  const int count = scene_solve(&scene, 100);
  close_scene(&scene);
  return count;
}

static void compare(int order, enum what what, struct dg_elliptic_weights weights)
{
  const int half = order == 1   ? 6
                   : order == 2 ? 4
                                : 3,
            coarse = iterations(half, order, what, weights), fine = iterations(2 * half, order, what, weights);
  print_message("order %d, case %d, mass %g: %d iterations with %d^3 cells, %d with twice as many a side\n", order,
                (int)what, weights.mass, coarse, half, fine);
  assert_in_range(fine, 1, 20);
  assert_true(fine <= 1.3 * coarse + 1);
}

static void test_iterations(void **state)
{
  (void)state;
  for (int order = 1; order <= 4; order++) {
    compare(order, HELD, (struct dg_elliptic_weights){.stiffness = 1});
    compare(order, BODY, (struct dg_elliptic_weights){.stiffness = 1});
    compare(order, FLOATING, (struct dg_elliptic_weights){.stiffness = 1});
    compare(order, HELD, (struct dg_elliptic_weights){.stiffness = 1e-2, .mass = 1});
  }
}

/* x . P y = y . P x, which conjugate gradients need. */
static void test_symmetric(void **state)
{
  (void)state;
  for (int order = 1; order <= 4; order++) {
    struct scene scene;
    const struct scene_setup setup = {.cells = 4, .order = order, .hard = true, .weights = {.stiffness = 1}};
    open_scene(&scene, &setup);
    scene_multigrid(&scene);
    const size_t n = scene.space.count;
    double *x = array(n, sizeof *x), *y = array(n, sizeof *y), *z = array(n, sizeof *z), sums[3] = {0};
    for (size_t i = 0; i < n; i++) {
      x[i] = scene.held[i] ? 0 : rand() / (double)RAND_MAX - 0.5;
      y[i] = scene.held[i] ? 0 : rand() / (double)RAND_MAX - 0.5;
    }
    dg_multigrid_apply(scene.multigrid, y, z);
    for (size_t i = 0; i < n; i++) sums[0] += x[i] * z[i], sums[2] += y[i] * z[i];
    dg_multigrid_apply(scene.multigrid, x, z);
    for (size_t i = 0; i < n; i++) sums[1] += y[i] * z[i];
    assert_true(sums[2] > 0);
    assert_float_equal(sums[0], sums[1], 1e-12 * sums[2]);
    dg_free(x);
    dg_free(y);
    dg_free(z);
    close_scene(&scene);
  }
}

/* Memory that runs out anywhere is an error, and nothing leaks. */
static void test_memory(void **state)
{
  (void)state;
  struct scene scene;
  const struct dg_elliptic_medium vacuum = {0};
  const struct scene_setup small = {.cells = 2, .order = 3, .hard = true, .weights = {.stiffness = 1}};
  open_scene(&scene, &small);
  const struct dg_multigrid_setup setup = {.space = &scene.space, .op = scene.op, .medium = &vacuum};
  const size_t before = dg_memory_current();
  bool done = false;
  for (long n = 1; !done; n++) {
    struct dg_error err = {0};
    struct dg_multigrid *multigrid;
    dg_memory_fail_at(n);
    done = dg_multigrid_new(&multigrid, &setup, &err) == 0 &&
           dg_multigrid_set(multigrid, scene.weights, scene.held, false, &err) == 0;
    dg_memory_fail_at(0);
    if (!done) assert_int_equal(err.code, DG_ENVIRONMENT);
    dg_multigrid_free(multigrid);
    assert_int_equal(dg_memory_current(), before);
  }
  close_scene(&scene);
}

int main(void)
{
  struct dg_error err = {0};
  if (dg_amg_prepare(&err) != 0) {
    (void)printf("skipped: %s\n", err.message);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_iterations), cmocka_unit_test(test_symmetric),
                                     cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
