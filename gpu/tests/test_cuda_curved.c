/* The `cuda` backend on bent boxes, of which a part is straight or nothing is: compared with the reference at every
 * order, precision and flux, with walls, sources, losses and open faces, and after 1,000 steps.
 *
 * An argument is a pattern of the tests to run. `test_cuda_curved bench ORDER UNKNOWNS [brief]` measures the time of a
 * step with no, some and only curved elements instead, and tells the bytes that such a step must move; brief: leapfrog
 * in double precision. */
#include "maxwell/backend/tests/fused_fixture.h"
#include "maxwell/backend/tests/fused_scenes.h"

#include <time.h>

#include "gpu/core/core.h"
#include "gpu/tables/tiles.h"
#include "gpu/watch/past_h.h"
#include "gpu/tests/card.h"
#include "gpu/tests/snapshots.h"
#include "libdg/mesh/curve.h"
#include "maxwell/problem/curved.h"

/* What lies behind x = from and y = beyond bends, walls too. */
struct bulge {
  double from, amount, beyond;
};

static void bulge(void *context, double x[3])
{
  const struct bulge *b = context;
  const double side = b->beyond > 0 ? fmax(0, x[1] - b->beyond) * fmax(0, x[1] - b->beyond) : 1;
  const double u = x[0] > b->from ? side * b->amount * (x[0] - b->from) * (x[0] - b->from) : 0;
  x[1] += u * (0.6 + x[2] * x[2] + 0.3 * x[1]);
  x[2] += u * (x[1] - 0.8 * x[1] * x[1]);
  x[0] += u * x[1] * x[2];
}

static const struct bulge half = {0.5, 0.8, 0}, all = {-0.2, 0.3, 0};

static void bend(struct box *box, int geometry, const struct bulge *by)
{
  struct dg_error err = {0};
  struct bulge b = *by;
  dg_geometry_release(&box->geometry);
  if (dg_mesh_bend(&box->mesh, geometry, bulge, &b, &err) != 0 ||
      dg_geometry_init(&box->geometry, &box->mesh, &err) != 0)
    fail_msg("%s", err.message);
}

/* Bends about a twentieth of a grid of n^3 cubes: layers of cubes at the wall, and of them as much as is wanted. */
static struct bulge twentieth(int n)
{
  const double layers = ceil(0.05 * n), part = 0.05 * n / layers;
  return (struct bulge){1 - (layers - 0.3) / n, 1, 1 - part};
}

static void build(struct scene *scene, const struct scene_wanted *wanted, const struct bulge *by)
{
  *scene = (struct scene){0};
  box_mesh(&scene->box, wanted->cells, scene_size, 0.2, NULL);
  bend(&scene->box, 2 + wanted->order % 3, by);
  scene_build_on(scene, wanted);
  const size_t curved = scene->box.problem.curves.count;
  assert_true(by == &all ? curved == scene->box.problem.K : curved > 0 && curved < scene->box.problem.K);
}

/* Plane waves at bent walls would not be waves of the box. */
static const char waves[] =
    "boundaries = {\n"
    "[1] = { kind = 'electric_field', profile = { 0, 0.1, 0.4 }, waveform = wave },\n"
    "[2] = { kind = 'impedance', impedance = 200 },\n"
    "[3] = { kind = 'pmc' },\n"
    "[4] = { kind = 'absorbing' },\n"
    "[5] = { kind = 'electric_field', profile = { 0.3, 0.2, 0 }, waveform = wave, delay = 1e-11 } },\n"
    "interfaces = { [7] = { kind = 'surface_current', profile = { 0, 1e-3, 1e-3 }, waveform = wave } },\n"
    "sources = { { region = 2, profile = { 1e-3, -2e-3, 1e-3 }, waveform = wave } }";

static struct scene_wanted wanted_of(int scene, int order, double alpha, enum mx_integrator integrator, long steps)
{
  return (struct scene_wanted){.text = scene == WAVES ? waves : scenes[scene].text,
                               .cells = {2, order < 5 ? 2 : 1, order < 3 ? 2 : 1},
                               .order = order,
                               .alpha = alpha,
                               .integrator = integrator,
                               .steps = steps};
}

static void compare(const struct scene_wanted *wanted, const struct bulge *by, double single_tolerance)
{
  struct scene scene;
  build(&scene, wanted, by);
  struct scene_result truth = scene_run(&scene, &mx_backend_reference, MX_DOUBLE);
  double worst[2];
  for (int single = 0; single < 2; single++) {
    struct scene_result result = scene_run(&scene, &mx_backend_cuda, single ? MX_SINGLE : MX_DOUBLE);
    worst[single] = scene_difference(&scene, &truth, &result);
    scene_result_release(&result);
  }
  print_message("p = %d, flux %g, %s, %zu of %zu curved, %ld steps: differs by %.2g, in single precision %.2g\n",
                wanted->order, wanted->alpha, mx_integrator_names[wanted->integrator], scene.box.problem.curves.count,
                scene.box.problem.K, wanted->steps, worst[0], worst[1]);
  assert_true(worst[0] < 1e-12);
  assert_true(worst[1] < single_tolerance);
  scene_result_release(&truth);
  scene_release(&scene);
}

static void test_orders(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    for (int alpha = 0; alpha < 2; alpha++) {
      const struct scene_wanted leapfrog = wanted_of(WAVES, order, alpha, MX_LEAPFROG, 10);
      const struct scene_wanted lsrk = wanted_of(WAVES, order, alpha, MX_LSRK, 3);
      compare(&leapfrog, &half, 1e-5);
      compare(&lsrk, &half, 1e-5);
    }
}

/* The blocks that take many elements, which so small meshes have only on a card with one multiprocessor. */
static void test_many(void **state)
{
  static const int cells[DG_ORDER_MAX][3] = {{6, 4, 4}, {4, 4, 4}, {4, 3, 2}, {2, 3, 2},
                                             {2, 2, 2}, {2, 2, 2}, {2, 2, 1}, {2, 2, 1}};
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    for (int k = 0; k < 4; k++) {
      struct scene_wanted wanted = wanted_of(WAVES, order, k % 2, k < 2 ? MX_LEAPFROG : MX_LSRK, k < 2 ? 2 : 1);
      struct scene scene;
      struct dg_error err = {0};
      memcpy(wanted.cells, cells[order - 1], sizeof wanted.cells);
      build(&scene, &wanted, &half);
      struct scene_result truth = scene_run(&scene, &mx_backend_reference, MX_DOUBLE);
      for (int single = 0; single < 2; single++) {
        struct scene_result result = {0};
        struct drive drive = drive_new(&mx_backend_cuda, &scene.box, wanted.integrator, single ? MX_SINGLE : MX_DOUBLE,
                                       scene.step * MX_C0, scene.E, scene.H);
        drive.backend->tables.processors = 1;
        dg_free(drive.backend->tile_begin);
        drive.backend->tile_begin = NULL;
        assert_int_equal(gpu_pack_tiles(drive.backend, &err), 0);
        scene_advance(&scene, &drive);
        scene_observe(&scene, &drive, &result);
        mx_backend_cuda.destroy(drive.backend);
        const double worst = scene_difference(&scene, &truth, &result);
        if (!(worst < (single ? 1e-5 : 1e-12)))
          fail_msg("order %d, flux %g, %s, %s: differs by %g", order, wanted.alpha,
                   mx_integrator_names[wanted.integrator], single ? "single" : "double", worst);
        scene_result_release(&result);
      }
      scene_result_release(&truth);
      scene_release(&scene);
    }
}

static void test_only_curved(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++) {
    const struct scene_wanted leapfrog = wanted_of(CAVITY, order, order % 2, MX_LEAPFROG, 10);
    const struct scene_wanted lsrk = wanted_of(CAVITY, order, 1 - order % 2, MX_LSRK, 3);
    const struct scene_wanted open = wanted_of(CURRENTS, order, order % 2, MX_LEAPFROG, 5);
    compare(&leapfrog, &all, 1e-5);
    compare(&lsrk, &all, 1e-5);
    compare(&open, &all, 1e-5);
  }
}

/* Sources, walls and open faces with every integrator. */
static void test_scenes(void **state)
{
  static const int chosen[] = {FIELDS, WAVES, CURRENTS, CAVITY};
  static const double fluxes[] = {0, 0.3, 1};
  static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4, MX_EULER};
  (void)state;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) {
      const struct scene_wanted wanted =
          wanted_of(chosen[i], 1 + (i + k) % 4, fluxes[(i + 2 * k) % 3], integrators[k], 20);
      compare(&wanted, &half, 2e-5);
    }
}

static void test_long(void **state)
{
  static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LEAPFROG, MX_LSRK, MX_RK4};
  (void)state;
  for (int order = 1; order <= 6; order++)
    for (int k = 0; k < (order < 5 ? 4 : 2); k++) {
      struct scene_wanted wanted = wanted_of(k % 2 ? WAVES : CAVITY, order, k % 2 ? 0.7 : 0, integrators[k], 1000);
      memcpy(wanted.cells, (const int[3]){2, 1, 1}, sizeof wanted.cells);
      compare(&wanted, &half, 1e-4);
    }
}

/* Curved elements beside straight ones, on a mesh that keeps the card busy: twice the same bits, and the fields of the
 * `cpu` backend. */
static void test_beside(void **state)
{
  (void)state;
  for (int order = 1; order <= 6; order++)
    for (int alpha = 0; alpha < 2; alpha++) {
      const int n = order < 4 ? 14 : 8;
      const struct bulge by = twentieth(n);
      struct box box = {0};
      box_mesh(&box, (const int[3]){n, n, n}, (const double[3]){1, 1, 1}, 0.1, NULL);
      bend(&box, 2, &by);
      box_material(&box, 0, 1, 1, 0);
      box_problem(&box, order, alpha);
      const size_t numbers = 3 * (size_t)box.ref.Np * box.mesh.K;
      double *field[3][2], worst = 0, most = 0;
      for (int run = 0; run < 3; run++)
        for (int i = 0; i < 2; i++) {
          field[run][i] = box_field(&box);
          if (run == 0) box_noise(&box, field[run][i]);
          else memcpy(field[run][i], field[0][i], numbers * sizeof(double));
        }
      for (int run = 0; run < 3; run++)
        drive_run(run < 2 ? &mx_backend_cuda : &mx_backend_cpu, &box, MX_LEAPFROG, MX_DOUBLE, 2e-4, 40, field[run][0],
                  field[run][1]);
      for (int i = 0; i < 2; i++) {
        assert_memory_equal(field[0][i], field[1][i], numbers * sizeof(double));
        for (size_t k = 0; k < numbers; k++) {
          worst = fmax(worst, fabs(field[0][i][k] - field[2][i][k]));
          most = fmax(most, fabs(field[2][i][k]));
        }
      }
      print_message("p = %d, flux %d, %zu of %zu curved, 40 steps: differs from `cpu` by %.2g\n", order, alpha,
                    box.problem.curves.count, box.problem.K, worst / most);
      assert_true(box.problem.curves.count > 0 && worst < 1e-12 * most);
      for (int i = 0; i < 6; i++) free(field[i / 2][i % 2]);
      box_release(&box);
    }
}

/* Energy of the centred flux stays to rounding; with a penalty it falls. */
static void test_energy(void **state)
{
  (void)state;
  for (int order = 1; order <= 4; order++)
    for (int alpha = 0; alpha < 2; alpha++) {
      struct box box = {0};
      struct mx_stability stability;
      struct dg_error err = {0};
      box_mesh(&box, (const int[3]){4, 3, 2}, scene_size, 0.2, NULL);
      bend(&box, 3, &half);
      box_material(&box, 1, 1, 1, 0);
      box_material(&box, 2, 4, 2.5, 0);
      box_problem(&box, order, alpha);
      if (mx_stability_limit(&stability, &box.problem, MX_LEAPFROG, 0, &err) != 0) fail_msg("%s", err.message);
      double *E = box_field(&box), *H = box_field(&box);
      box_noise(&box, E);
      box_noise(&box, H);
      struct drive drive = drive_new(&mx_backend_cuda, &box, MX_LEAPFROG, MX_DOUBLE, 0.8 * stability.limit, E, H);
      drive_observe(&drive);
      const double first = drive_energy(&drive);
      double before = first, drift = 0, gain = 0;
      drive_finish(&drive);
      for (int round = 0; round < 10; round++) {
        drive_steps(&drive, 999);
        drive_observe(&drive);
        const double now = drive_energy(&drive);
        drive_finish(&drive);
        drift = fmax(drift, fabs(now / first - 1));
        gain = fmax(gain, (now - before) / first);
        before = now;
      }
      print_message("p = %d, flux %d, 10,000 steps: energy drifts by %.2g, %.3g is left\n", order, alpha, drift,
                    before / first);
      assert_true(alpha == 0 ? drift < 1e-11 : gain < 1e-13 && before < 0.9 * first);
      mx_backend_cuda.destroy(drive.backend);
      free(E), free(H);
      box_release(&box);
    }
}

/* H of half a step ago is the same whatever part of it is worked out at a time. */
static void test_parts(void **state)
{
  (void)state;
  for (int order = 1; order <= 7; order += 3) {
    const struct scene_wanted wanted = wanted_of(CAVITY, order, 0, MX_LEAPFROG, 7);
    struct scene scene;
    build(&scene, &wanted, &half);
    memset(scene.box.problem.sigma_m, 0, scene.box.problem.K * sizeof *scene.box.problem.sigma_m);
    struct scene_result truth = scene_run(&scene, &mx_backend_reference, MX_DOUBLE);
    for (size_t rows = 1; rows < 1000; rows = 7 * rows + 4) {
      struct drive drive =
          drive_new(&mx_backend_cuda, &scene.box, MX_LEAPFROG, MX_DOUBLE, scene.step * MX_C0, scene.E, scene.H);
      struct scene_result result = {0};
      assert_true(drive.backend->in_place);
      drive.backend->recall->rows = rows;
      scene_advance(&scene, &drive);
      scene_observe(&scene, &drive, &result);
      mx_backend_cuda.destroy(drive.backend);
      const double worst = scene_difference(&scene, &truth, &result);
      if (!(worst < 1e-12)) fail_msg("order %d, in parts of %zu: differs by %g", order, rows, worst);
      scene_result_release(&result);
    }
    scene_result_release(&truth);
    scene_release(&scene);
  }
}

/* Saves all arrays of one backend and loads them into another. */
static void carry_over(const struct scene *scene, const struct drive *from, const struct drive *to)
{
  struct dg_error err = {0};
  for (size_t i = 0; i < mx_state_arrays(&scene->box.problem); i++) {
    const struct mx_state_array array = mx_state_array(&scene->box.problem, scene->integrator, i);
    double *value = calloc(array.items * mx_state_width(&array) + 1, sizeof *value);
    if (array.items > 0 && (from->ops->save(from->backend, (int)i, 0, array.items, value, &err) != 0 ||
                            to->ops->load(to->backend, (int)i, 0, array.items, value, &err) != 0))
      fail_msg("%s", err.message);
    free(value);
  }
  assert_int_equal(to->ops->loaded(to->backend, &err), 0);
}

/* A run that was saved goes on with the same bits. Monitors and downloads agree on it. */
static void test_saved(void **state)
{
  static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4};
  (void)state;
  for (int k = 0; k < 3; k++)
    for (int alpha = 0; alpha < 2; alpha++) {
      const struct scene_wanted wanted = wanted_of(WAVES, 2, alpha, integrators[k], 0);
      struct scene scene;
      build(&scene, &wanted, &half);
      const size_t bytes = 3 * (size_t)scene.box.ref.Np * scene.box.mesh.K * sizeof(double);
      struct drive drive[2];
      struct scene_result result[2] = {{0}};
      for (int i = 0; i < 2; i++)
        drive[i] =
            drive_new(&mx_backend_cuda, &scene.box, integrators[k], MX_DOUBLE, scene.step * MX_C0, scene.E, scene.H);
      drive_steps(&drive[0], 5);
      carry_over(&scene, &drive[0], &drive[1]);
      for (int i = 0; i < 2; i++) {
        drive_steps(&drive[i], 5);
        drive_observe(&drive[i]);
        scene_observe(&scene, &drive[i], &result[i]);
        mx_backend_cuda.destroy(drive[i].backend);
      }
      assert_memory_equal(result[0].E, result[1].E, bytes);
      assert_memory_equal(result[0].H, result[1].H, bytes);
      assert_true(result[0].energy[0] == result[1].energy[0] && result[0].energy[1] == result[1].energy[1]);
      scene_result_release(&result[0]);
      scene_result_release(&result[1]);
      scene_release(&scene);
    }
}

static void test_monitors(void **state)
{
  (void)state;
  for (int alpha = 0; alpha < 2; alpha++) { /* leapfrog in its place, and not */
    const struct scene_wanted wanted = wanted_of(WAVES, 2, alpha, MX_LEAPFROG, 0);
    struct scene scene;
    struct dg_error err = {0};
    double weight[DG_NP_MAX], metric[9], expected[2][6], value[12];
    build(&scene, &wanted, &half);
    for (int i = 0; i < scene.box.ref.Np; i++) weight[i] = sin(i + 1.0);
    const size_t e = (size_t)scene.box.problem.curves.where[0];
    (void)mx_element_metric(&scene.box.problem, e, (const double[3]){-0.4, -0.6, -0.7}, metric);
    const struct mx_point point[2] = {{.element = e, .weight = weight, .metric = metric}, {.element = e, .node = 1}};
    const struct mx_monitor what = {.points = 2, .point = point};
    size_t rows = 1, number;
    struct drive drive =
        drive_new(&mx_backend_cuda, &scene.box, MX_LEAPFROG, MX_DOUBLE, scene.step * MX_C0, scene.E, scene.H);
    assert_int_equal(mx_backend_cuda.card->monitor_new(drive.backend, &what, &rows, &number, &err), 0);
    drive_steps(&drive, 3);
    drive_observe(&drive);
    assert_int_equal(mx_backend_cuda.card->monitor_take(drive.backend, number, 0, &err), 0);
    assert_int_equal(mx_backend_cuda.sample(drive.backend, 2, point, expected, &err), 0);
    drive_finish(&drive);
    assert_int_equal(mx_backend_cuda.card->monitor_fetch(drive.backend, number, 1, value, &err), 0);
    for (int i = 0; i < 12; i++) assert_true(fabs(value[i] - expected[i / 6][i % 6]) < 1e-11 && value[i] != 0);
    mx_backend_cuda.destroy(drive.backend);
    scene_release(&scene);
  }
}

/* Snapshots of meshes with some and only curved elements, whose fields are turned where they leave. */
static void test_snapshots(void **state)
{
  static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK};
  (void)state;
  for (int k = 0; k < 8; k++) { /* leapfrog in its place, and not */
    const enum mx_integrator integrator = integrators[k / 2 % 2];
    const struct scene_wanted wanted = wanted_of(k < 4 ? WAVES : CAVITY, 2 + k % 3, k % 2, integrator, 0);
    struct scene scene;
    build(&scene, &wanted, k < 4 ? &half : &all);
    for (int single = 0; single < 2; single++) compare_snapshots(&scene, integrator, single ? MX_SINGLE : MX_DOUBLE);
    scene_release(&scene);
  }
}

/* What is not finite in a curved element is found, and so is the largest component. */
static void test_check(void **state)
{
  (void)state;
  const struct scene_wanted wanted = wanted_of(CAVITY, 2, 1, MX_LSRK, 0);
  struct scene scene;
  build(&scene, &wanted, &half);
  const size_t per_element = 3 * (size_t)scene.box.ref.Np;
  const size_t e = (size_t)scene.box.problem.curves.where[3];
  for (int bad = 0; bad < 2; bad++) {
    scene.H[per_element * e + 7] = bad ? NAN : -5;
    struct scene_result result = scene_run(&scene, &mx_backend_cuda, MX_DOUBLE);
    assert_int_equal(result.check.finite, !bad);
    assert_int_equal(result.check.element, e);
    assert_true(bad ? isinf(result.check.largest) : fabs(result.check.largest - 5) < 1e-12);
    scene_result_release(&result);
  }
  scene_release(&scene);
}

/* ---- times */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of a step, the best of a few batches. */
static double seconds_of(const struct box *box, enum mx_integrator integrator, enum mx_precision precision)
{
  enum { BATCHES = 6, STEPS = 100 };
  struct dg_error err = {0};
  double best = INFINITY;
  struct drive drive = drive_new(&mx_backend_cuda, box, integrator, precision, 1e-4, NULL, NULL);
  for (int i = 0; i < BATCHES; i++) {
    const double start = now();
    drive_steps(&drive, STEPS);
    assert_int_equal(mx_backend_cuda.card->wait(drive.backend, &err), 0);
    if (i > 0) best = fmin(best, (now() - start) / STEPS);
  }
  mx_backend_cuda.destroy(drive.backend);
  return best;
}

/* The bytes of a step: rows of fields and registers that a pass reads or writes, the tables of straight elements, and
 * again the rows of curved ones, with their geometry. */
static double bytes_of(const struct box *box, bool lsrk, bool single)
{
  const double passes = lsrk ? 5 : 2, rows = lsrk ? 8 : 3, Np = box->ref.Np, real = single ? 4 : 8;
  const double curved = (double)box->problem.curves.count, K = (double)box->problem.K;
  const double geometry = 6 * gpu_points(box->ref.order) * (lsrk ? 2 : 1);
  return passes * (K * (real * (3 * rows * Np + 6) + 18) + curved * (real * (3 * rows * Np + geometry) + 48));
}

static int bench(int order, double unknowns, bool brief)
{
  const int n = (int)lround(cbrt(unknowns / (36.0 * DG_NP(order))));
  const struct bulge by[] = {{0}, twentieth(n), {0.95, 1, 0}, {0.75, 0.5, 0}, {-0.2, 0.05, 0}};
  double straight[2][2][2] = {{{0}}};
  for (int i = 0; i < 5; i++)
    for (int alpha = 0; alpha < 2; alpha++) {
      struct box box = {0};
      box_mesh(&box, (const int[3]){n, n, n}, (const double[3]){1, 1, 1}, 0.1, NULL);
      if (i > 0) bend(&box, 2, &by[i]);
      box_material(&box, 0, 1, 1, 0);
      box_problem(&box, order, alpha);
      for (int lsrk = 0; lsrk < (brief ? 1 : 2); lsrk++)
        for (int single = 0; single < (brief ? 1 : 2); single++) {
          const double t = seconds_of(&box, lsrk ? MX_LSRK : MX_LEAPFROG, single ? MX_SINGLE : MX_DOUBLE);
          const double bytes = bytes_of(&box, lsrk, single);
          if (i == 0) straight[alpha][lsrk][single] = t;
          printf(
              "p = %d, %.3g unknowns, %s, flux %d, %s: %5.1f %% curved, %.1f us a step, %.3f of straight, %.1f MB at "
              "%.0f GB/s\n",
              order, 6.0 * box.ref.Np * (double)box.problem.K, lsrk ? "lsrk" : "leapfrog", alpha,
              single ? "single" : "double", 100.0 * (double)box.problem.curves.count / (double)box.problem.K, 1e6 * t,
              t / straight[alpha][lsrk][single], 1e-6 * bytes, 1e-9 * bytes / t);
        }
      box_release(&box);
    }
  return 0;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders), cmocka_unit_test(test_many),      cmocka_unit_test(test_only_curved),
      cmocka_unit_test(test_scenes), cmocka_unit_test(test_long),      cmocka_unit_test(test_energy),
      cmocka_unit_test(test_parts),  cmocka_unit_test(test_saved),     cmocka_unit_test(test_monitors),
      cmocka_unit_test(test_check),  cmocka_unit_test(test_snapshots), cmocka_unit_test(test_beside),
  };
  if (no_card()) return 77;
  if (argc > 3 && strcmp(argv[1], "bench") == 0) return bench(atoi(argv[2]), atof(argv[3]), argc > 4);
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
