/* Local time steps: the filter against its closed form, backends against each other, order two in time, and noise over
 * many steps. `test_levels long` takes minutes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/levels/choose.h"
#include "maxwell/levels/filter.h"
#include "maxwell/limit/local_part.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"

static const double pi = 3.14159265358979323846;
static bool lengthy;
static const double damping = 0.05;

/* F(z) = 2/z (1 - T_m(nu - z/alpha)/T_m(nu)), by the steps of the filter for L = z, dt = 1. */
static void test_filter(void **state)
{
  (void)state;
  for (int m = 1; m <= 40; m++)
    for (double eta = 0.01; eta < 0.2; eta *= 2) {
      const struct mx_filter filter = mx_filter_of(m, eta);
      const double bound = mx_filter_bound(m, eta), nu = 1 + eta / ((double)m * m), alpha = bound / (2 * nu);
      assert_true(bound > 3.5 * m * m && bound < 4.2 * m * m);
      for (int i = 1; i <= 20; i++) {
        const double z = bound * i / 21.0, x = nu - z / alpha, top = cosh(m * acosh(nu));
        const double t = fabs(x) <= 1 ? cos(m * acos(x)) : (x > 0 || m % 2 == 0 ? 1 : -1) * cosh(m * acosh(fabs(x)));
        double G = 0, Y = filter.first;
        for (int k = 1; k < m; k++) {
          G += filter.of_E[k] * Y;
          Y += filter.share[k] - filter.of_H[k] * z * G;
        }
        const double closed = 2 / z * (1 - t / top);
        if (m == 1) assert_true(fabs(2 * Y - 1) < 1e-14); /* the plain step */
        if (!(closed > 0) || fabs(2 * Y - closed) > 1e-9 * (1 + closed))
          fail_msg("m = %d, eta = %g, z = %g: %.12g instead of %.12g", m, eta, z, 2 * Y, closed);
      }
    }
}

/* A box whose cells get smaller by 6 towards x = 1, and its levels. */
struct scene {
  struct box box;
  struct mx_levels levels;
  double global; /* the limit of one level */
  double step;
};

static double graded(double u) { return (1 - pow(0.04, u)) / (1 - 0.04); }

static void mode(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = value[1] = 0;
  value[2] = sin(pi * x[0]) * sin(pi * x[1]);
}

static bool *pick(const struct mx_problem *problem, const double *rate, double above)
{
  bool *core = calloc(problem->K, sizeof *core);
  bool *grown = calloc(problem->K, sizeof *grown);
  if (core == NULL || grown == NULL) abort();
  for (size_t e = 0; e < problem->K; e++) core[e] = grown[e] = rate[e] > above;
  for (size_t e = 0; e < problem->K; e++)
    for (int f = 0; f < 4; f++)
      if (problem->neighbour[e][f] >= 0 && core[problem->neighbour[e][f] / 4]) grown[e] = true;
  free(core);
  return grown;
}

/* m of the level around the core, whose own limit may be this fraction of the step. */
static int steps_of(const struct mx_problem *part, double step)
{
  struct mx_stability own;
  struct dg_error err = {0};
  if (mx_stability_limit(&own, part, MX_LEAPFROG, 0, &err) != 0) fail_msg("%s", err.message);
  return mx_filter_steps(step / own.limit, damping);
}

static const int fine[3] = {10, 3, 3}, coarse[3] = {6, 2, 2}; /* cells along the edges */

static void start(struct scene *scene, const int cells[3], int order, double alpha, double times)
{
  static const double unit[3] = {1, 1, 1};
  struct dg_error err = {0};
  *scene = (struct scene){0};
  box_random_state = 1;
  box_mesh(&scene->box, cells, unit, 0.1, graded);
  box_material(&scene->box, 0, 1, 1, 0);
  box_problem(&scene->box, order, alpha);
  struct mx_problem *whole = &scene->box.problem;
  scene->global = box_limit(&scene->box, MX_LEAPFROG);
  scene->step = times * scene->global;
  double *rate = calloc(whole->K, sizeof *rate), top = 0;
  mx_local_rates(whole, false, rate);
  for (size_t e = 0; e < whole->K; e++) top = fmax(top, rate[e]);
  bool *core = pick(whole, rate, top / times / 1.3);
  size_t of_core = 0;
  for (size_t e = 0; e < whole->K; e++) of_core += core[e];
  if (mx_levels_add(&scene->levels, whole, core, 1, damping, &err) != 0) fail_msg("%s", err.message);
  struct mx_level *level = &scene->levels.level[0];
  level->m = steps_of(&level->problem, scene->step);
  print_message("%zu elements, %zu in the core, %zu in the part, m = %d, %g times the step\n", whole->K, of_core,
                level->problem.K, level->m, times);
  free(core), free(rate);
}

static void finish(struct scene *scene)
{
  mx_levels_release(&scene->levels);
  box_release(&scene->box);
}

static struct drive start_drive(const struct scene *scene, const struct mx_backend_ops *ops,
                                enum mx_precision precision, double step, const double *E, const double *H)
{
  struct drive drive = {
      .ops = ops,
      .options = {
          .integrator = MX_LEAPFROG, .precision = precision, .step = step, .filtered = scene->levels.count > 0}};
  struct dg_error err = {0};
  if (ops->create(&drive.backend, &scene->box.problem, &drive.options, &err) != 0 ||
      ops->upload(drive.backend, E, H, &err) != 0)
    fail_msg("%s", err.message);
  return drive;
}

/* Makes steps from E and H, and gives the fields at the end, and the least, the largest, the first and the last energy.
 */
static void run(const struct scene *scene, const struct mx_backend_ops *ops, enum mx_precision precision, double step,
                long steps, double *E, double *H, double energy[4])
{
  struct dg_error err = {0};
  struct mx_levels_run levels = {0};
  struct drive drive = start_drive(scene, ops, precision, step, E, H);
  if (mx_levels_begin(&levels, &scene->levels, ops, drive.backend, &drive.options, &err) != 0)
    fail_msg("%s", err.message);
  energy[0] = INFINITY, energy[1] = 0;
  for (long n = 0; n <= steps; n++) {
    if (mx_levels_before(&levels, &err) != 0) fail_msg("%s", err.message);
    drive_observe(&drive);
    if (mx_levels_after(&levels, &err) != 0) fail_msg("%s", err.message);
    if (n % 10 == 0 || n == steps) {
      const double now = drive_energy(&drive);
      energy[0] = fmin(energy[0], now);
      energy[1] = fmax(energy[1], now);
      if (n == 0) energy[2] = now;
      energy[3] = now;
    }
    if (n < steps) drive_finish(&drive);
  }
  assert_int_equal(ops->download(drive.backend, E, H, &err), 0);
  mx_levels_end(&levels);
  ops->destroy(drive.backend);
}

static double difference(const struct box *box, const double *a, const double *b)
{
  const size_t numbers = 3 * (size_t)box->ref.Np * box->mesh.K;
  double most = 0, scale = 0;
  for (size_t i = 0; i < numbers; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    scale = fmax(scale, fabs(b[i]));
  }
  return most / scale;
}

/* Twenty steps of noise on every backend of the build, with levels and without. */
static void test_backends_agree(void **state)
{
  (void)state;
  for (int order = 1; order <= 5; order++)
    for (int upwind = 0; upwind < 2; upwind++) {
      struct scene scene;
      double energy[4], off[2] = {0};
      start(&scene, order < 3 ? fine : coarse, order, upwind, 4);
      double *E[2] = {box_field(&scene.box), box_field(&scene.box)},
             *H[2] = {box_field(&scene.box), box_field(&scene.box)};
      for (int plain = 0; plain < 2; plain++) {
        if (plain) mx_levels_undo(&scene.levels, &scene.box.problem);
        for (size_t i = 0, k = 0; mx_backends[i] != NULL; i++) {
          const struct mx_backend_ops *ops = mx_backends[i];
          struct dg_error err = {0};
          if (ops->available(&err) != 0) continue;
          box_random_state = 3;
          box_noise(&scene.box, E[k]), box_noise(&scene.box, H[k]);
          run(&scene, ops, MX_DOUBLE, 0.8 * (plain ? scene.global : scene.step), 20, E[k], H[k], energy);
          if (k == 1) {
            const double now = fmax(difference(&scene.box, E[1], E[0]), difference(&scene.box, H[1], H[0]));
            print_message("order %d, alpha %d, %s%s: %.3g\n", order, upwind, ops->name, plain ? ", one level" : "",
                          now);
            off[plain] = fmax(off[plain], now);
          }
          k = 1;
        }
      }
      assert_true(off[0] < 2e-12);
      for (int i = 0; i < 2; i++) free(E[i]), free(H[i]);
      finish(&scene);
    }
}

/* The error after steps that begin at this share of the scene's and are halved, against the semi-discrete solution: of
 * centred fluxes, since upwind reaches it with the first order of its lagged penalty alone. */
static void expect_order_two(const struct scene *scene, double share)
{
  const struct scene plain = {.box = scene->box};
  const double T = 0.3;
  const long most = (long)ceil(T / (scene->step * share));
  const size_t bytes = 3 * (size_t)scene->box.ref.Np * scene->box.mesh.K * sizeof(double);
  double *truth = box_field(&scene->box), *E = box_field(&scene->box), *H = box_field(&scene->box);
  double energy[4], off[3];
  box_evaluate(&scene->box, mode, 0, truth);
  run(&plain, &mx_backend_cpu, MX_DOUBLE, T / (double)(64 * most), 64 * most, truth, H, energy);
  for (int i = 0; i < 3; i++) {
    box_evaluate(&scene->box, mode, 0, E);
    memset(H, 0, bytes);
    run(scene, &mx_backend_cpu, MX_DOUBLE, T / (double)(most << i), most << i, E, H, energy);
    off[i] = difference(&scene->box, E, truth);
  }
  print_message("errors %.3g %.3g %.3g\n", off[0], off[1], off[2]);
  assert_true(off[1] < 0.3 * off[0] && off[2] < 0.3 * off[1]);
  free(truth), free(E), free(H);
}

static void test_order_two(void **state)
{
  (void)state;
  struct scene scene;
  start(&scene, coarse, 3, 0, 4);
  expect_order_two(&scene, 0.9);
  finish(&scene);
}

/* Half of the elements of a cavity, chosen at random, take shorter steps that none of them needs: the error of a mode
 * against its closed form is about that with one level. */
static void test_random_half(void **state)
{
  (void)state;
  static const double unit[3] = {1, 1, 1}, T = 1.9, eta[2] = {0.05, 0.4};
  static const int cells[3] = {4, 4, 3};
  for (int order = 1; order <= (lengthy ? 5 : 3); order++)
    for (int upwind = 0; upwind < 2; upwind++) {
      struct scene scene = {.step = 0};
      struct dg_error err = {0};
      struct mx_stability stability;
      double off[2], energy[4];
      box_random_state = 5;
      box_mesh(&scene.box, cells, unit, 0.2, NULL);
      box_material(&scene.box, 0, 1, 1, 0);
      box_problem(&scene.box, order, upwind);
      struct mx_problem *whole = &scene.box.problem;
      const long steps = (long)ceil(T / (0.9 * box_limit(&scene.box, MX_LEAPFROG)));
      const double step = T / (double)steps;
      double *truth = box_field(&scene.box), *E = box_field(&scene.box), *H = box_field(&scene.box);
      box_evaluate(&scene.box, mode, 0, truth);
      for (size_t i = 0; i < 3 * (size_t)scene.box.ref.Np * whole->K; i++) truth[i] *= cos(pi * sqrt(2) * T);
      bool *core = calloc(whole->K, sizeof *core);
      double *share = calloc(whole->K, sizeof *share);
      for (size_t e = 0; e < whole->K; e++) core[e] = box_random() < 0.5, share[e] = 0.3;
      for (int levels = 0; levels < 2; levels++) {
        if (levels) {
          if (mx_levels_add(&scene.levels, whole, core, 3, eta[upwind], &err) != 0 ||
              mx_levels_leave(&scene.levels, whole, share, &err) != 0 ||
              mx_levels_limit(&stability, whole, &scene.levels, step, 0, &err) != 0)
            fail_msg("%s", err.message);
          assert_true(step < stability.limit);
        }
        box_evaluate(&scene.box, mode, 0, E);
        memset(H, 0, 3 * (size_t)scene.box.ref.Np * whole->K * sizeof *H);
        run(&scene, &mx_backend_cpu, MX_DOUBLE, step, steps, E, H, energy);
        off[levels] = box_distance(&scene.box, E, truth);
      }
      print_message(
          "order %d, alpha %d: error %.3g with one level, %.3f times that with half of %zu elements in a core\n", order,
          upwind, off[0], off[1] / off[0], whole->K);
      assert_true(off[1] < 1.2 * off[0]);
      free(truth), free(E), free(H), free(core), free(share);
      finish(&scene);
    }
}

/* Leaves so much of the penalties that the elements of the core could take at this step. */
static void leave(struct scene *scene, double most, double step)
{
  struct mx_problem *whole = &scene->box.problem;
  double *rate = calloc(whole->K, sizeof *rate), top = 0;
  mx_local_rates(whole, false, rate);
  for (size_t e = 0; e < whole->K; e++) top = fmax(top, rate[e]);
  for (size_t e = 0; e < whole->K; e++) rate[e] = fmin(1, most * scene->global * top / rate[e] / step);
  struct dg_error err = {0};
  if (mx_levels_leave(&scene->levels, whole, rate, &err) != 0) fail_msg("%s", err.message);
  free(rate);
}

static void test_noise_stays(void **state)
{
  const long steps = lengthy ? 200000 : 300;
  (void)state;
  for (int order = 1; order <= (lengthy ? 3 : 2); order++)
    for (int upwind = 0; upwind < 2; upwind++) {
      struct scene scene;
      double energy[4];
      start(&scene, order == 1 || lengthy ? fine : coarse, order, upwind, 4);
      double *E = box_field(&scene.box), *H = box_field(&scene.box);
      for (int i = 60; i <= 120; i += lengthy ? 5 : 12) {
        const double step = 0.01 * i * scene.step;
        struct mx_stability stability;
        struct dg_error err = {0};
        scene.levels.level[0].m = steps_of(&scene.levels.level[0].problem, step);
        if (upwind) leave(&scene, 0.1 * (i / 12 % 4), step);
        if (mx_levels_limit(&stability, &scene.box.problem, &scene.levels, step, 0, &err) != 0)
          fail_msg("%s", err.message);
        const bool holds = stability.limit > step;
        box_random_state = 3;
        box_noise(&scene.box, E), box_noise(&scene.box, H);
        run(&scene, &mx_backend_cpu, MX_DOUBLE, step, steps, E, H, energy);
        const bool held = energy[1] < 100 * energy[2] && energy[3] < 100 * energy[2];
        print_message("order %d, alpha %d, m = %d, %.2f of the limit: energy %.3g, %.3g at the end\n", order, upwind,
                      scene.levels.level[0].m, step / stability.limit, energy[1] / energy[2], energy[3] / energy[2]);
        if (holds != held && fabs(step / stability.limit - 1) > 0.01) fail_msg("holds %d, held %d", holds, held);
      }
      free(E), free(H);
      finish(&scene);
    }
}

/* Parts of the problem give the limit of the whole. */
static void test_limit_of_parts(void **state)
{
  (void)state;
  for (int upwind = 0; upwind < 2; upwind++) {
    struct scene scene;
    struct mx_stability whole, part;
    struct dg_error err = {0};
    start(&scene, fine, 2, upwind, 4);
    const struct mx_problem *problem = &scene.box.problem;
    const size_t unknowns = 6 * (size_t)problem->ref->Np * problem->K;
    int found = 0;
    for (int i = 60; i <= 90; i += 10) {
      const double step = 0.01 * i * scene.step;
      if (upwind) leave(&scene, 0.05, step);
      if (mx_levels_limit(&whole, problem, &scene.levels, step, 0, &err) != 0 ||
          mx_levels_limit(&part, problem, &scene.levels, step, unknowns / 2, &err) != 0)
        fail_msg("%s", err.message);
      print_message("%.2f of the limit of the whole, of the parts %.2f\n", step / whole.limit, step / part.limit);
      /* A search ends as soon as the step is known to be unstable. */
      const bool holds = step < whole.limit, trusted = step < (1 - part.error) * part.limit;
      if (trusted && !holds) fail_msg("the parts hold");
      if (trusted && fabs(part.limit / whole.limit - 1) > 0.01) fail_msg("%g and %g", part.limit, whole.limit);
      found += trusted;
    }
    assert_true(found >= (upwind ? 1 : 2));
    finish(&scene);
  }
}

/* The cheapest ladder of `levels` levels inside one of lattice step i, by trying all. */
static double try_all(const struct mx_level_lattice *lattice, int i, int levels, double eta)
{
  if (i == 0) return 0;
  double least = INFINITY;
  for (int m = 2; m <= MX_SUBSTEPS_MAX && levels > 0; m++) {
    const int to = mx_level_lattice_index(lattice, lattice->step[i] / mx_filter_ratio(m, eta));
    const double inner = try_all(lattice, to, levels - 1, eta);
    least = fmin(least, mx_level_filter_cost(lattice, i, m, inner, 0));
  }
  return least;
}

/* The shortest path is the best of all ladders of up to three levels, and says what it is. */
static void test_shortest(void **state)
{
  (void)state;
  static struct mx_level_lattice lattice;
  lattice.all = 100000;
  for (int kind = 0; kind < 3; kind++) {
    for (int i = 0; i < MX_LATTICE; i++) {
      const double bulk = 1e5 * exp(-8 * (double)(MX_LATTICE - i) / MX_LATTICE);
      const double some = kind == 0 ? 10 : kind == 1 ? bulk : 30 + (i > 80) * 2000.0 + (i > 160) * 9000.0;
      lattice.step[i] = pow(1.02, i);
      lattice.core[i] = i == 0 ? 0 : (int64_t)some;
      lattice.part[i] = (int64_t)(1.5 * (double)lattice.core[i]);
    }
    for (int levels = 1; levels <= 3; levels++) {
      struct mx_level_plan plan;
      const struct mx_level_costs costs = {.limit = 1, .calm = 1, .eta = {0.1, 0.1}, .most = levels};
      const int top = levels < 3 ? 240 : 200; /* all of three levels are many */
      mx_level_shortest(&plan, &lattice, lattice.step[top], &costs);
      double best = 1;
      for (int l = 1; l <= levels; l++)
        for (int i = 1; i <= top; i++) best = fmax(best, 2e5 * lattice.step[i] / (2e5 + try_all(&lattice, i, l, 0.1)));
      print_message("ladder %d of %d levels: step %.3g, %d levels, gain %.4g of %.4g\n", kind, levels, plan.step,
                    plan.count, plan.gain, best);
      assert_true(plan.gain <= best * (1 + 1e-12) && plan.count <= levels);
      if (levels == 1) assert_true(plan.gain > best * (1 - 1e-12));
      assert_true(plan.gain >= best * pow(1 - MX_LEAST_OF_LEVEL, levels - 1) * (1 - 1e-12));
      double cost = 0, times = 1;
      for (int l = 0; l < plan.count; l++) {
        const struct mx_level_rung *rung = &plan.rung[l];
        assert_true(l == 0 || rung->bound < rung[-1].bound);
        cost += times * ((rung->m - 1) * (double)(rung->core + rung->part) + 0.5 * (double)rung->part);
        times *= rung->m;
      }
      if (plan.count > 0) assert_true(fabs(2e5 * plan.step / (2e5 + cost) / plan.gain - 1) < 1e-9);
    }
  }
}

/* A second level in the first: m = 4, and in it 4 more where elements are the smallest. */
static void nest(struct scene *scene, double times)
{
  struct mx_levels *levels = &scene->levels;
  struct mx_level *outer = &levels->level[0];
  struct dg_error err = {0};
  double *rate = calloc(outer->problem.K, sizeof *rate), top = 0;
  mx_local_rates(&outer->problem, false, rate);
  for (size_t e = 0; e < outer->problem.K; e++) top = fmax(top, rate[e]);
  outer->eta = 0.05, outer->m = (int)ceil(sqrt(times)) + 1;
  bool *core = pick(&outer->problem, rate, top * mx_filter_ratio(outer->m, outer->eta) / times / 1.2);
  for (size_t e = 0; e < outer->problem.K; e++) core[e] = core[e] && !mx_rests(&outer->problem, e);
  if (mx_levels_add(levels, &scene->box.problem, core, 2, 0.2, &err) != 0) fail_msg("%s", err.message);
  struct mx_stability own;
  if (mx_stability_limit(&own, &levels->level[1].problem, MX_OF_LEVELS, 0, &err) != 0) fail_msg("%s", err.message);
  levels->level[1].m = mx_filter_steps(scene->step / mx_filter_ratio(outer->m, outer->eta) / own.limit, 0.2);
  print_message("nested: %zu elements in the part, %zu in that in it, m = %d x %d\n", outer->problem.K,
                levels->level[1].problem.K, outer->m, levels->level[1].m);
  assert_true(levels->level[1].m > 1);
  free(core), free(rate);
}

/* Two levels in the whole: noise stays where the criterion says so, and the order is two. */
static void test_nested(void **state)
{
  (void)state;
  const long steps = lengthy ? 20000 : 200;
  for (int upwind = 0; upwind < 2; upwind++) {
    struct scene scene;
    double energy[4];
    start(&scene, fine, 1, upwind, upwind ? 14 : 8);
    nest(&scene, 8);
    double *E = box_field(&scene.box), *H = box_field(&scene.box);
    int held = 0;
    for (int i = 60; i <= (lengthy ? 100 : 60); i += 20) {
      const double step = 0.01 * i * scene.step;
      struct mx_stability whole, part;
      struct dg_error err = {0};
      struct mx_levels inside = {.count = 1, .level = {scene.levels.level[1]}};
      const double inner = step / mx_filter_ratio(scene.levels.level[0].m, scene.levels.level[0].eta);
      if (mx_levels_limit(&part, &scene.levels.level[0].problem, &inside, inner, 0, &err) != 0 ||
          mx_levels_limit(&whole, &scene.box.problem, &scene.levels, step, 0, &err) != 0)
        fail_msg("%s", err.message);
      const bool holds = inner < 0.99 * part.limit && step < 0.99 * whole.limit;
      print_message("alpha %d: %.2f of the limit of the part, %.2f of that of the whole\n", upwind, inner / part.limit,
                    step / whole.limit);
      if (!holds) continue;
      box_random_state = 3;
      box_noise(&scene.box, E), box_noise(&scene.box, H);
      run(&scene, &mx_backend_cpu, MX_DOUBLE, step, steps, E, H, energy);
      print_message("  energy %.3g, %.3g at the end\n", energy[1] / energy[2], energy[3] / energy[2]);
      assert_true(energy[1] < 100 * energy[2]);
      held++;
    }
    assert_true(held > 0);
    if (!upwind) expect_order_two(&scene, 0.6);
    free(E), free(H);
    finish(&scene);
  }
}

/* Bytes of the tables of a level are foretold, and of the backend of its part about as well as of that of the whole. */
static void test_memory(void **state)
{
  (void)state;
  const struct mx_backend_ops *const host[] = {&mx_backend_cpu, &mx_backend_reference};
  for (int i = 0; i < 2; i++) {
    struct scene scene;
    struct dg_error err = {0};
    start(&scene, fine, 3, 0, 4);
    const double tables = (double)mx_levels_bytes(&scene.levels, &scene.box.problem);
    size_t before = dg_memory_current();
    struct drive drive = start_drive(&scene, host[i], MX_DOUBLE, scene.step, NULL, NULL);
    const double whole = (double)(dg_memory_current() - before);
    const double of_whole = (double)drive.ops->memory(&scene.box.problem, &drive.options);
    struct mx_levels_run levels = {0};
    before = dg_memory_current();
    if (mx_levels_begin(&levels, &scene.levels, drive.ops, drive.backend, &drive.options, &err) != 0)
      fail_msg("%s", err.message);
    const double part = (double)(dg_memory_current() - before);
    const double of_part = (double)mx_levels_run_bytes(&scene.levels, drive.ops, &drive.options);
    mx_levels_end(&levels);
    drive.ops->destroy(drive.backend);
    before = dg_memory_current();
    mx_levels_release(&scene.levels);
    const double of_tables = tables / (double)(before - dg_memory_current());
    print_message("%s: foretold of the whole %.3f, of the part %.3f, of tables %.3f\n", drive.ops->name,
                  of_whole / whole, of_part / part, of_tables);
    assert_true(fabs(of_tables - 1) < 0.01);
    assert_true(of_part / part > 0.9 * of_whole / whole && of_part < part);
    finish(&scene);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_filter),         cmocka_unit_test(test_shortest),       cmocka_unit_test(test_nested),
      cmocka_unit_test(test_backends_agree), cmocka_unit_test(test_order_two),      cmocka_unit_test(test_random_half),
      cmocka_unit_test(test_noise_stays),    cmocka_unit_test(test_limit_of_parts), cmocka_unit_test(test_memory)};
  lengthy = argc > 1 && strcmp(argv[1], "long") == 0;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
