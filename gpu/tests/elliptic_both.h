/* The card against the host on a scene (elliptic_scene.h), of one rank or of several: products and solutions. */
#pragma once

#include <math.h>
#include <stdio.h>

#include "gpu/tests/elliptic_scene.h"

static const struct dg_device_ops *const ops = &gpu_elliptic_solver;

static double largest(const double *x, size_t n)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* All ranks fail together, or none. */
static void compare(const char *what, const struct scene *scene, const double *found, const double *truth,
                    double tolerance)
{
  struct dg_error err = {0};
  const size_t n = scene->space.count;
  double worst[2] = {0, largest(truth, n)}; /* difference, size */
  for (size_t i = 0; i < n; i++) {
    const double off = fabs(found[i] - truth[i]);
    worst[0] = isfinite(off) ? fmax(worst[0], off) : INFINITY;
  }
  if (dg_comm_reduce(scene_comm, DG_MAX, 2, worst, &err) != 0) fail_msg("%s", err.message);
  assert_true(worst[1] > 0);
  if (!(worst[0] <= tolerance * worst[1]))
    fail_msg("order %d, %s: differs by %g of %g", scene->space.ref.order, what, worst[0], worst[1]);
}

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
  for (size_t i = 0; i < n; i++) x[i] = scene_noise(scene, i) - 0.5;
  apply_host(scene, w, x, truth);
  if (ops->apply(scene->solver, w, x, found, &err) != 0 || ops->apply(scene->solver, w, x, again, &err) != 0)
    fail_msg("%s", err.message);
  compare(what, scene, found, truth, tolerance);
  assert_memory_equal(found, again, n * sizeof *found);
  dg_free(x), dg_free(truth), dg_free(found), dg_free(again);
}

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

static int sum_pcg(void *context, size_t count, double *value, struct dg_error *err)
{
  const struct host *host = context;
  return dg_space_reduce(&host->scene->space, count, value, err);
}

/* Readies the card and solves there. no_memory: nothing may be allocated on the way. */
static void solve_there(const struct scene *scene, const struct dg_device_system *system, const double *b, double *x,
                        bool no_memory, struct dg_pcg_report *report)
{
  struct dg_error err = {0};
  const size_t bytes = ops->bytes(scene->solver);
  if (no_memory) dg_memory_fail_at(1);
  (void)(ops->ready(scene->solver, system, &err) == 0 && ops->solve(scene->solver, system, b, x, report, &err) == 0);
  dg_memory_fail_at(0);
  if (err.code != 0) fail_msg("card: %s", err.message);
  if (no_memory) assert_int_equal(ops->bytes(scene->solver), bytes);
}

/* The diagonal of the operator with these weights. */
static void find_diagonal(const struct scene *scene, struct dg_device_weights w, double *diagonal)
{
  double *more = room(scene->space.count);
  dg_elliptic_diagonal(scene->op, w.of, diagonal);
  dg_elliptic_diagonal(scene->more, (struct dg_elliptic_weights){.mass = w.more}, more);
  for (size_t i = 0; w.more != 0 && i < scene->space.count; i++) diagonal[i] += more[i];
  dg_free(more);
}

static void solve_both(const struct scene *scene, struct dg_device_weights w, bool floating, bool no_memory,
                       const char *what)
{
  struct dg_error err = {0};
  struct dg_pcg_report here, there;
  const size_t n = scene->space.count;
  double *truth = room(n), *found = room(n), *diagonal = room(n), *b = room(n);
  find_diagonal(scene, w, diagonal);
  make_load(scene, scene->loose, b); /* with next to no mass, a sum of b would leave rounding above the tolerance */
  for (size_t i = 0; i < n; i++) truth[i] = found[i] = scene->held[i] ? scene->value[i] : 0;
  struct host host = {scene, w, diagonal};
  const struct dg_pcg pcg = {.count = n,
                             .apply = apply_pcg,
                             .improve = improve_pcg,
                             .context = &host,
                             .foreign = dg_space_foreign(&scene->space),
                             .sum = sum_pcg,
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
  solve_there(scene, &system, b, found, no_memory, &there);
  if (dg_comm_rank(scene_comm) == 0)
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
