/* The elliptic operator and conjugate gradients on the card against those of the host: all orders, media that jump,
 * tensors, curved elements, walls, bodies, a second mass, nothing held; errors; sums that repeat bit for bit.
 *
 * `test_cuda_elliptic bench ELEMENTS ORDER` measures instead (elliptic_bench.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gpu/elliptic/elliptic.h"
#include "gpu/tests/card.h"
#include "gpu/tests/elliptic_scene.h"
#include "libdg/mesh/curve.h"

static const struct dg_device_ops *const ops = &gpu_elliptic_solver;

static double largest(const double *x, size_t n)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void compare(const char *what, const struct scene *scene, const double *found, const double *truth,
                    double tolerance)
{
  const size_t n = scene->space.count;
  double off = 0;
  for (size_t i = 0; i < n; i++)
    off = !(fabs(found[i] - truth[i]) <= off) ? fabs(found[i] - truth[i]) : off; /* NaN stays */
  assert_true(largest(truth, n) > 0);
  if (!(off <= tolerance * largest(truth, n)))
    fail_msg("order %d, %s: differs by %g of %g", scene->space.ref.order, what, off, largest(truth, n));
}

/* ---- the operator */

static const struct dg_device_weights some[] = {{.of = {.stiffness = 1}},
                                                {.of = {.mass = 1}},
                                                {.of = {.face = 1}},
                                                {.of = {.stiffness = 0.3, .mass = 2, .face = 5}}};

static void apply_host(const struct scene *scene, struct dg_device_weights w, const double *x, double *y)
{
  dg_elliptic_apply(scene->op, w.of, x, y);
  if (w.more == 0) return;
  double *z = room(scene->space.count);
  dg_elliptic_apply(scene->more, (struct dg_elliptic_weights){.mass = w.more}, x, z);
  for (size_t i = 0; i < scene->space.count; i++) y[i] += z[i];
  dg_free(z);
}

static void apply_once(const struct scene *scene, struct dg_device_weights w, const char *what, double tolerance)
{
  struct dg_error err = {0};
  const size_t n = scene->space.count;
  double *x = room(n), *truth = room(n), *found = room(n), *again = room(n);
  for (size_t i = 0; i < n; i++) x[i] = box_random() - 0.5;
  apply_host(scene, w, x, truth);
  if (ops->apply(scene->solver, w, x, found, &err) != 0 || ops->apply(scene->solver, w, x, again, &err) != 0)
    fail_msg("%s", err.message);
  compare(what, scene, found, truth, tolerance);
  assert_memory_equal(found, again, n * sizeof *found);
  dg_free(x), dg_free(truth), dg_free(found), dg_free(again);
}

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

struct host {
  const struct scene *scene;
  struct dg_device_weights weights;
  const double *diagonal;
};

static void apply_pcg(void *context, const double *x, double *y)
{
  const struct host *host = context;
  apply_host(host->scene, host->weights, x, y);
}

static void improve_pcg(void *context, const double *r, double *z)
{
  const struct host *host = context;
  for (size_t i = 0; i < host->scene->space.count; i++) z[i] = r[i] / host->diagonal[i];
}

static void solve_both(const struct scene *scene, struct dg_device_weights w, bool floating, const char *what)
{
  struct dg_error err = {0};
  struct dg_pcg_report here, there;
  const size_t n = scene->space.count;
  double *truth = room(n), *found = room(n), *diagonal = room(n), *b = room(n);
  dg_elliptic_diagonal(scene->op, w.of, diagonal);
  make_load(scene, floating, b);
  for (size_t i = 0; i < n; i++) truth[i] = found[i] = scene->held[i] ? scene->value[i] : 0;
  struct host host = {scene, w, diagonal};
  const struct dg_pcg pcg = {.count = n,
                             .apply = apply_pcg,
                             .improve = improve_pcg,
                             .context = &host,
                             .held = scene->held,
                             .floating = floating,
                             .tolerance = 1e-13,
                             .most = 5000};
  const struct dg_device_system system = {.weights = w,
                                          .multigrid = scene->multigrid != NULL,
                                          .diagonal = diagonal,
                                          .held = scene->held,
                                          .floating = floating,
                                          .tolerance = pcg.tolerance,
                                          .most = pcg.most};
  if (dg_pcg_solve(&pcg, b, truth, &here, &err) != 0) fail_msg("host, %s: %s", what, err.message);
  if (ops->ready(scene->solver, &system, &err) != 0 || ops->solve(scene->solver, &system, b, found, &there, &err) != 0)
    fail_msg("card, %s: %s", what, err.message);
  print_message("order %d, %s: %d iterations, %d on the host; residual %.1e\n", scene->space.ref.order, what,
                there.iterations, here.iterations, there.residual);
  assert_true(there.residual <= 2 * pcg.tolerance);
  if (scene->multigrid != NULL) assert_in_range(there.iterations, 1, 32);
  else assert_true(abs(there.iterations - here.iterations) <= 2 + here.iterations / 20);
  for (size_t i = 0; i < n; i++)
    if (scene->held[i]) assert_true(found[i] == scene->value[i]);
  compare(what, scene, found, truth, 1e-10);
  dg_free(truth), dg_free(found), dg_free(diagonal), dg_free(b);
}

static void solutions_are_those_of_the_host(void **state)
{
  (void)state;
  for (int order = 1; order <= 5; order++)
    for (int kind = 0; kind < KINDS; kind++) {
      struct scene scene;
      if (kind == CURVED && order == 1) continue;
      open_scene(&scene, order, 4, kind);
      solve_both(&scene, (struct dg_device_weights){.of = {.stiffness = 1}}, kind == FREE, kind_names[kind]);
      if (kind == WALLS)
        solve_both(&scene, (struct dg_device_weights){.of = {.stiffness = 0.01, .mass = 1, .face = 0.01}}, false,
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
      solve_both(&scene, (struct dg_device_weights){.of = {.stiffness = 1}}, kind == FREE, kind_names[kind]);
      close_scene(&scene);
    }
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
      cmocka_unit_test(solutions_with_multigrid),     cmocka_unit_test(errors_are_those_of_the_host),
      cmocka_unit_test(memory_that_is_short),
  };
  if (no_card()) return 77;
  if (count == 4 && strcmp(argument[1], "bench") == 0) return bench(atol(argument[2]), atoi(argument[3]));
  return cmocka_run_group_tests_name("the elliptic operator on the card", tests, NULL, NULL);
}
