/* The elliptic operator and conjugate gradients on the card against those of the host: all orders, media that jump,
 * tensors, curved elements, walls, bodies, a second mass, nothing held; errors; sums that repeat bit for bit.
 *
 * `test_cuda_elliptic bench ELEMENTS ORDER` measures instead (elliptic_bench.h); one word is the name of a test. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gpu/elliptic/elliptic.h"
#include "gpu/tests/card.h"
#include "gpu/tests/elliptic_both.h"
#include "libdg/mesh/curve.h"

/* ---- the operator */

static const struct dg_device_weights some[] = {{.of = {.stiffness = 1}},
                                                {.of = {.mass = 1}},
                                                {.of = {.face = 1}},
                                                {.of = {.stiffness = 0.3, .mass = 2, .face = 5}}};

static void operator_is_that_of_the_host(void **state)
{
  (void)state;
  for (int order = 1; order <= 8; order++)
    for (int kind = 0; kind < KINDS; kind++) {
      struct scene scene;
      if (kind == CURVED && order == 1) continue;
      open_scene(&scene, order, order < 6 ? 4 : 2, kind);
      const double tolerance = order < 6 ? 1e-13 : 1e-12;
      for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (some[i].of.stiffness + some[i].of.mass > 0 || scene.terms > 0)
          apply_once(&scene, some[i], kind_names[kind], tolerance);
      struct dg_device_weights both = some[3];
      both.more = 0.7;
      apply_once(&scene, both, "with a second mass", tolerance);
      close_scene(&scene);
    }
}

/* ---- solving */

static void solutions_are_those_of_the_host(void **state)
{
  (void)state;
  for (int order = 1; order <= 5; order++)
    for (int kind = 0; kind < KINDS; kind++) {
      struct scene scene;
      if (kind == CURVED && order == 1) continue;
      open_scene(&scene, order, 4, kind);
      solve_both(&scene, (struct dg_device_weights){.of = {.stiffness = 1}}, kind == FREE, false, kind_names[kind]);
      if (kind == WALLS)
        solve_both(&scene, (struct dg_device_weights){.of = {.stiffness = 0.01, .mass = 1, .face = 0.01}}, false, false,
                   "a step of heat");
      close_scene(&scene);
    }
}

static void solutions_with_multigrid(void **state)
{
  (void)state;
  for (int order = 2; order <= 5; order++)
    for (int kind = 0; kind < KINDS; kind++) {
      struct scene scene;
      open_scene(&scene, order, order < 6 ? 4 : 2, kind);
      use_multigrid(&scene);
      solve_both(&scene, (struct dg_device_weights){.of = {.stiffness = 1}}, kind == FREE, false, kind_names[kind]);
      close_scene(&scene);
    }
}

/* Steps of heat of any length, with blood: what depends on the step is a few numbers, and the second time nothing is
 * allocated. */
static void steps_with_multigrid(void **state)
{
  static const double ratios[] = {1e-4, 1e-2, 1, 100, 0.5, 30};
  static const enum kind kinds[] = {WALLS, FREE, CURVED};
  (void)state;
  for (int order = 2; order <= 4; order++)
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      struct scene scene;
      open_scene(&scene, order, 4, kinds[k]);
      use_multigrid(&scene);
      for (size_t i = 0; i < 2 * sizeof ratios / sizeof *ratios; i++) {
        const size_t n = sizeof ratios / sizeof *ratios;
        const double rest = 2 * ratios[i % n];
        const struct dg_device_weights w = {.of = {.stiffness = rest, .mass = 2, .face = rest}, .more = rest};
        char what[80];
        snprintf(what, sizeof what, "%s, rest/mass %g", kind_names[kinds[k]], ratios[i % n]);
        solve_both(&scene, w, false, i >= n, what);
      }
      close_scene(&scene);
    }
}

/* Somebody stops at an iteration: x is as far as it came, and multigrid goes on from there. */
static bool stop_late(void *context)
{
  int *left = context;
  return (*left)-- == 0;
}

static void goes_on_with_multigrid(void **state)
{
  (void)state;
  struct scene scene;
  struct dg_error err = {0};
  struct dg_pcg_report report;
  int left = 30;
  open_scene(&scene, 3, 4, WALLS);
  use_multigrid(&scene);
  const size_t n = scene.space.count;
  const struct dg_device_weights w = {.of = {.stiffness = 1, .face = 1}};
  double *x = room(n), *b = room(n), *diagonal = room(n), *truth = room(n);
  find_diagonal(&scene, w, diagonal);
  make_load(&scene, false, b);
  struct dg_device_system system = {.weights = w,
                                    .diagonal = diagonal,
                                    .held = scene.held,
                                    .tolerance = 1e-13,
                                    .most = 5000,
                                    .stop = stop_late,
                                    .context = &left};
  for (size_t i = 0; i < n; i++) truth[i] = x[i] = scene.held[i] ? scene.value[i] : 0;
  assert_int_equal(ops->ready(scene.solver, &system, &err), 0);
  assert_int_equal(ops->solve(scene.solver, &system, b, x, &report, &err), DG_INTERRUPTED);
  assert_int_equal(report.iterations, 30);
  err = (struct dg_error){0};
  system.stop = NULL;
  system.multigrid = true;
  assert_int_equal(ops->ready(scene.solver, &system, &err), 0);
  if (ops->solve(scene.solver, &system, b, x, &report, &err) != 0) fail_msg("%s", err.message);
  assert_in_range(report.iterations, 1, 25);
  if (ops->solve(scene.solver, &system, b, truth, &report, &err) != 0) fail_msg("%s", err.message);
  compare("behind a stop", &scene, x, truth, 1e-10);
  dg_free(x), dg_free(b), dg_free(diagonal), dg_free(truth);
  close_scene(&scene);
}

/* ---- errors */

static void errors_are_those_of_the_host(void **state)
{
  (void)state;
  struct scene scene;
  struct dg_error err = {0};
  struct dg_pcg_report report;
  open_scene(&scene, 3, 4, HELD);
  const size_t n = scene.space.count;
  double *x = room(n), *b = room(n), *diagonal = room(n);
  make_load(&scene, false, b);
  for (size_t i = 0; i < n; i++) diagonal[i] = 1;
  struct dg_device_system system = {
      .weights = {.of = {.stiffness = 1}}, .diagonal = diagonal, .held = scene.held, .tolerance = 1e-13, .most = 7};
  assert_int_equal(ops->ready(scene.solver, &system, &err), 0);
  assert_int_equal(ops->solve(scene.solver, &system, b, x, &report, &err), DG_INPUT);
  assert_non_null(strstr(err.message, "7 iterations left a residual"));
  err = (struct dg_error){0};
  system.weights.of.stiffness = -1;
  assert_int_equal(ops->ready(scene.solver, &system, &err), 0);
  assert_int_equal(ops->solve(scene.solver, &system, b, x, &report, &err), DG_INPUT);
  assert_non_null(strstr(err.message, "not positive definite"));
  err = (struct dg_error){0}; /* and goes on as if nothing had been */
  system.weights.of.stiffness = 1;
  system.most = 5000;
  assert_int_equal(ops->ready(scene.solver, &system, &err), 0);
  for (size_t i = 0; i < n; i++) x[i] = 0;
  if (ops->solve(scene.solver, &system, b, x, &report, &err) != 0) fail_msg("%s", err.message);
  for (size_t i = 0; i < n; i++) b[i] = 0; /* nothing to do */
  for (size_t i = 0; i < n; i++) x[i] = 0;
  if (ops->solve(scene.solver, &system, b, x, &report, &err) != 0) fail_msg("%s", err.message);
  assert_int_equal(report.iterations, 0);
  dg_free(x), dg_free(b), dg_free(diagonal);
  close_scene(&scene);
}

/* Memory of the host that runs out while tables are made. */
static void memory_that_is_short(void **state)
{
  (void)state;
  struct scene scene;
  open_scene(&scene, 2, 2, WALLS);
  const size_t before = dg_memory_current();
  bool done = false;
  for (long n = 1; !done; n++) {
    struct dg_error err = {0};
    struct dg_device_solver *solver;
    dg_memory_fail_at(n);
    const struct dg_device_setup setup = {.op = scene.op, .more = scene.more, .multigrid = scene.levels};
    done = ops->create(&solver, &setup, &err) == 0;
    dg_memory_fail_at(0);
    if (!done) assert_int_equal(err.code, DG_ENVIRONMENT);
    ops->destroy(solver);
    assert_int_equal(dg_memory_current(), before);
  }
  close_scene(&scene);
}

#include "gpu/tests/elliptic_bench.h"

int main(int count, char **argument)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operator_is_that_of_the_host), cmocka_unit_test(solutions_are_those_of_the_host),
      cmocka_unit_test(solutions_with_multigrid),     cmocka_unit_test(steps_with_multigrid),
      cmocka_unit_test(goes_on_with_multigrid),       cmocka_unit_test(errors_are_those_of_the_host),
      cmocka_unit_test(memory_that_is_short),
  };
  if (no_card()) return 77;
  if (count == 4 && strcmp(argument[1], "bench") == 0) return bench(atol(argument[2]), atoi(argument[3]));
  if (count == 2) cmocka_set_test_filter(argument[1]);
  return cmocka_run_group_tests_name("the elliptic operator on the card", tests, NULL, NULL);
}
