/* Heat against closed forms: polynomials that the scheme holds, the factor of a mode at each step, orders in space and
 * time, walls, blood, and the balance of heat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libdg/solve/amg.h"
#include "maxwell/heat/tests/heat_scene.h"
#include "maxwell/model/media/warm.h"

static const double pi = 3.14159265358979323846;

/* ---- u = 1 + x^2 + a y^2 + b t */

/* Order 2 holds it, and any theta takes a solution that is linear in time exactly. */
static void a_polynomial_is_exact(void **state)
{
  (void)state;
  for (int order = 2; order <= 4; order++)
    for (int theta = 0; theta < 3; theta++) {
      struct scene scene;
      prepare(&scene, 2, 0.2);
      scene.heat.order = order;
      scene.heat.theta = 0.5 + 0.25 * theta;
      scene.heat.stop = 1;
      scene.heat.step = 0.25;
      scene.heat.walls = 1;
      scene.wall[0] =
          (struct mx_heat_wall){.where.is_default = true, .kind = MX_HEAT_HELD, .value.function = &polynomial_function};
      scene.heat.sources = 1;
      scene.source.density.value = 1.3 - 2 - 2 * 3;
      scene.heat.start.function = &polynomial_function;
      begin(&scene);
      run(&scene);
      assert_int_equal(scene.march.n, 4);
      if (!(worst(&scene, polynomial) < 1e-10))
        fail_msg("order %d, theta %g: %.3e", order, scene.heat.theta, worst(&scene, polynomial));
      if (!(fabs(mx_heat_missing(&scene.march)) < 1e-8 * 1.3))
        fail_msg("missing %.3e J", mx_heat_missing(&scene.march));
      /* the heat that is stored: the integral of b t */
      assert_true(fabs(scene.march.stored - 1.3) < 1e-10);
      end(&scene);
    }
}

/* ---- a mode: sin(pi x) sin(pi y) sin(pi z), lambda = 3 pi^2 */

static double mode(const double x[3], double t)
{
  return exp(-3 * pi * pi * t) * sin(pi * x[0]) * sin(pi * x[1]) * sin(pi * x[2]);
}
FUNCTION(mode_function, mode);

static void start_mode(struct scene *scene, int cells, int order, double theta, long steps, double stop)
{
  prepare(scene, cells, 0);
  scene->heat.order = order;
  scene->heat.theta = theta;
  scene->heat.stop = stop;
  scene->heat.step = stop / (double)steps;
  scene->heat.walls = 1;
  scene->wall[0] = (struct mx_heat_wall){.where.is_default = true, .kind = MX_HEAT_HELD};
  scene->heat.start.function = &mode_function;
  begin(scene);
}

/* sqrt of (T - exact)^2 over the body, by the mass (rho c = 1). */
static double distance(struct scene *scene, formula *exact, double scale, double t)
{
  const size_t n = scene->problem.space.count;
  double sum = 0, *d = scene->march.lack, *m = scene->march.whole;
  for (size_t i = 0; i < n; i++) d[i] = T(scene, i) - scale * exact(scene->problem.x[i], t);
  mx_heat_apply(&scene->problem, 1, 0, d, m);
  for (size_t i = 0; i < n; i++) sum += d[i] * m[i];
  return sqrt(sum);
}

/* How much of the mode is in T: its product with the mode, by the mass, over that of the mode with itself. */
static double share_of_mode(struct scene *scene)
{
  const size_t n = scene->problem.space.count;
  double product = 0, square = 0, *u = scene->march.lack, *m = scene->march.whole;
  for (size_t i = 0; i < n; i++) u[i] = mode(scene->problem.x[i], 0);
  mx_heat_apply(&scene->problem, 1, 0, u, m);
  for (size_t i = 0; i < n; i++) {
    product += T(scene, i) * m[i];
    square += u[i] * m[i];
  }
  return product / square;
}

/* Orders in space: the exact factor of the scheme in time is taken out. Backward Euler damps what interpolation has put
 * into other modes. */
static void space_converges(void **state)
{
  static const int coarse[4] = {6, 4, 3, 3}, fine[4] = {12, 8, 6, 6};
  static const double lambda = 3 * 9.8696044010893586188;
  const double dt = 0.02;
  (void)state;
  for (int p = 1; p <= 4; p++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      struct scene scene;
      start_mode(&scene, k == 0 ? coarse[p - 1] : fine[p - 1], p, 1, 1, dt);
      run(&scene);
      const double factor = 1 / (1 + lambda * dt);
      error[k] = distance(&scene, mode, factor, 0);
      end(&scene);
    }
    const double order = log(error[0] / error[1]) / log((double)fine[p - 1] / coarse[p - 1]);
    print_message("order %d: errors %.3e, %.3e: %.2f\n", p, error[0], error[1], order);
    if (!(order > p + 0.8)) fail_msg("order %d converges with %.2f", p, order);
  }
}

/* Each step multiplies a mode by (1 - (1 - theta) lambda dt)/(1 + theta lambda dt); in time that converges with order 2
 * for theta = 1/2, and 1 for theta = 1. */
static void time_converges(void **state)
{
  static const double lambda = 3 * 9.8696044010893586188, stop = 0.04;
  static const double centre[3] = {0.5, 0.5, 0.5};
  (void)state;
  for (int backward = 0; backward < 2; backward++) {
    const double theta = backward ? 1 : 0.5;
    double error[2];
    for (int k = 0; k < 2; k++) {
      const long steps = k == 0 ? 4 : 8;
      const double dt = stop / (double)steps;
      struct scene scene;
      start_mode(&scene, 3, 5, theta, steps, stop);
      run(&scene);
      const double size = share_of_mode(&scene);
      const double factor = pow((1 - (1 - theta) * lambda * dt) / (1 + theta * lambda * dt), (double)steps);
      if (!(fabs(size / factor - 1) < 1e-6)) fail_msg("theta %g: %.9g, not %.9g", theta, size, factor);
      error[k] = fabs(size - mode(centre, stop));
      end(&scene);
    }
    const double order = log2(error[0] / error[1]);
    print_message("theta %g: errors %.3e, %.3e: %.2f\n", theta, error[0], error[1], order);
    if (!(order > (backward ? 0.8 : 1.8))) fail_msg("theta %g converges with %.2f", theta, order);
  }
}

/* Steps that are chosen keep their tolerance, and take fewer where little happens. */
static void steps_follow_their_error(void **state)
{
  (void)state;
  struct scene scene;
  prepare(&scene, 4, 0.1);
  scene.heat.order = 3;
  scene.heat.stop = 0.3;
  scene.heat.tolerance = 1e-4;
  scene.heat.walls = 1;
  scene.wall[0] = (struct mx_heat_wall){.where.is_default = true, .kind = MX_HEAT_HELD};
  scene.heat.start.function = &mode_function;
  begin(&scene);
  double first = 0, last = 0, most = 0;
  struct dg_error err = {0};
  while (scene.march.t < scene.heat.stop) {
    const double before = scene.march.t;
    ok(mx_heat_advance(&scene.march, scene.heat.stop, &err), &err);
    if (scene.march.n == 2) first = scene.march.t - before;
    if (scene.march.t < scene.heat.stop) last = scene.march.t - before;
    most = fmax(most, worst(&scene, mode));
  }
  print_message("%ld steps, %ld refused, from %.2e to %.2e s: %.2e\n", scene.march.n, scene.march.refused, first, last,
                most);
  assert_true(scene.march.t == 0.3);
  assert_true(last > 5 * first);
  assert_true(most < 2e-3); /* some ten steps with 1e-4 each, and the error in space */
  end(&scene);
}

/* ---- walls */

/* A slab between a held wall and convection: T is linear, k (T0 - T1) = h (T1 - T_ambient) over a unit length. Order 1
 * holds it. Sides are insulated, and a flux in place of convection gives k dT/dx = f. */
static void walls_of_a_slab(void **state)
{
  (void)state;
  for (int flux = 0; flux < 2; flux++) {
    struct scene scene;
    const double h = 3, ambient = 10, k = 2, held = 50, f = 7;
    prepare(&scene, 2, 0.2);
    scene.box.material[0].thermal.conductivity = k;
    scene.heat.order = 1;
    scene.heat.steady = true;
    scene.heat.walls = 2;
    scene.wall[0] = (struct mx_heat_wall){.where.tag = 1, .kind = MX_HEAT_HELD, .value.value = held};
    scene.wall[1] = (struct mx_heat_wall){.where.tag = 2,
                                          .kind = flux ? MX_HEAT_FLUX : MX_HEAT_CONVECTION,
                                          .coefficient = flux ? 0 : h,
                                          .value.value = flux ? f : ambient};
    begin(&scene);
    struct dg_error err = {0};
    ok(mx_heat_settle(&scene.march, &err), &err);
    const double slope = flux ? f / k : (ambient - held) * h / (k + h);
    for (size_t i = 0; i < scene.problem.space.count; i++)
      assert_true(fabs(T(&scene, i) - held - slope * scene.problem.x[i][0]) < 1e-9);
    assert_true(fabs(scene.march.given.wall[1] - k * slope) < 1e-9);
    assert_true(fabs(scene.march.given.wall[0] + k * slope) < 1e-9);
    assert_true(fabs(mx_heat_missing(&scene.march)) < 1e-9);
    end(&scene);
  }
}

/* With blood alone, T = T_blood + q/W (1 - exp(-W t)); in the steady state T_blood + q/W. Insulated, T rises as q t. */
static void blood_carries_heat_away(void **state)
{
  (void)state;
  const double W = 4, q = 3, blood = 37;
  struct scene scene;
  struct dg_error err = {0};
  prepare(&scene, 2, 0.2);
  scene.box.material[0].thermal.perfusion = W;
  scene.heat.blood = scene.heat.start.value = blood;
  scene.heat.sources = 1;
  scene.source.density.value = q;
  scene.heat.stop = 1;
  scene.heat.step = 0.01;
  begin(&scene);
  run(&scene);
  const double wanted = q / W * (1 - exp(-W));
  for (size_t i = 0; i < scene.problem.space.count; i++)
    assert_true(fabs(T(&scene, i) - blood - wanted) < 1e-4 * wanted);
  assert_true(fabs(scene.march.given.sources - q) < 1e-10);
  assert_true(fabs(scene.march.stored - (T(&scene, 0) - blood)) < 1e-9);
  assert_true(fabs(mx_heat_missing(&scene.march)) < 1e-8 * q);
  ok(mx_heat_settle(&scene.march, &err), &err);
  for (size_t i = 0; i < scene.problem.space.count; i++) assert_true(fabs(T(&scene, i) - blood - q / W) < 1e-9);
  end(&scene);
}

/* ---- refusals */

static void a_state_that_is_not_steady_is_refused(void **state)
{
  (void)state;
  struct scene scene;
  struct dg_error err = {0};
  prepare(&scene, 2, 0.2);
  scene.heat.steady = true;
  scene.heat.walls = 2;
  scene.wall[0] = (struct mx_heat_wall){.where.tag = 1, .kind = MX_HEAT_FLUX, .value.value = 5};
  scene.wall[1] = (struct mx_heat_wall){.where.tag = 2, .kind = MX_HEAT_FLUX, .value.value = -4};
  scene.heat.start.value = 20;
  begin(&scene);
  assert_int_equal(mx_heat_settle(&scene.march, &err), DG_INPUT);
  assert_non_null(strstr(err.message, "1 W go in"));
  err = (struct dg_error){0};
  forget(&scene);
  scene.wall[1].value.value = -5; /* balanced: the mean stays that of the start */
  begin(&scene);
  ok(mx_heat_settle(&scene.march, &err), &err);
  for (size_t i = 0; i < scene.problem.space.count; i++)
    assert_true(fabs(T(&scene, i) - 20 + 5 * (scene.problem.x[i][0] - 0.5)) < 1e-9);
  end(&scene);
}

/* ---- losses that change */

static double rising(const double x[3], double t)
{
  (void)x;
  return 20 + t + 0.5 * t * t;
}

/* Losses 1 + t, on a line from 1 to 3 in two seconds: T = 20 + t + t^2/2 without walls, which Crank-Nicolson has
 * exactly. A mark leads back to the same bits, and what was known of other losses is forgotten. */
static void losses_go_on_a_line(void **state)
{
  struct scene scene;
  struct mx_heat_mark mark = {0};
  struct dg_error err = {0};
  (void)state;
  prepare(&scene, 2, 0.2);
  scene.heat.start.value = 20;
  scene.heat.stop = 3; /* beyond the end of the line */
  scene.heat.step = 0.25;
  begin(&scene);
  const size_t count = scene.problem.space.count, all = scene.box.mesh.K * (size_t)scene.problem.space.ref.Np;
  double *one = calloc(count, sizeof *one), *three = calloc(count, sizeof *three), *nodal = calloc(all, sizeof *nodal);
  for (size_t i = 0; i < all; i++) nodal[i] = 1;
  dg_elliptic_load(scene.problem.op, nodal, one);
  for (size_t i = 0; i < count; i++) three[i] = 3 * one[i];
  ok(mx_heat_mark_init(&mark, &scene.march, &err), &err);
  ok(mx_heat_set_losses(&scene.problem, one, NULL, 0, 1, &err), &err);
  for (int i = 0; i < 2; i++) ok(mx_heat_advance(&scene.march, 3, &err), &err);
  assert_true(fabs(T(&scene, 0) - 20.5) < 1e-10);
  assert_true(fabs(scene.march.given.sources - 0.5) < 1e-10);
  for (int again = 0; again < 2; again++) {
    if (again) mx_heat_mark_back(&mark, &scene.march);
    else mx_heat_mark_set(&mark, &scene.march);
    const double before = T(&scene, 0);
    ok(mx_heat_set_losses(&scene.problem, one, three, 0, 2, &err), &err);
    while (scene.march.n < 12) ok(mx_heat_advance(&scene.march, 3, &err), &err);
    assert_true(scene.march.t == 3);
    /* from 0.5 s on: 20.5 + 2.5 + (9 - 0.25)/2 */
    assert_true(fabs(before - 20.5) < 1e-10 && fabs(T(&scene, 0) - 27.375) < 1e-9);
    assert_true(fabs(scene.march.given.sources - 7.375) < 1e-9 && fabs(mx_heat_missing(&scene.march)) < 1e-9);
  }
  forget(&scene);
  begin(&scene);
  ok(mx_heat_set_losses(&scene.problem, one, three, 0, 2, &err), &err);
  run(&scene);
  assert_true(worst(&scene, rising) < 1e-9);
  mx_heat_mark_release(&mark);
  free(one);
  free(three);
  free(nodal);
  end(&scene);
}

/* Numbers count from the reference, functions give the value, and what is out of range is refused. */
static int falls(void *self, const struct mx_places *at, double *value, struct dg_error *err)
{
  (void)self;
  (void)err;
  assert_null(at->x);
  for (size_t i = 0; i < at->count; i++) value[i] = 5 - at->t[i] / 10;
  return 0;
}

static void materials_have_values_at_temperatures(void **state)
{
  static const struct mx_function law = {.values = falls};
  const double at[3] = {20, 30, 70};
  double value[3];
  struct dg_error err = {0};
  struct mx_material_config material = {
      .where.is_default = true,
      .sigma.value = 2,
      .warm = {.where = "case.lua:3", .reference = 20, .key = {{true, 0, &law}, {true, -0.02, NULL}}}};
  (void)state;
  ok(mx_warm_values(&material, MX_WARM_SIGMA, 3, at, value, &err), &err);
  assert_true(value[0] == 2 && fabs(value[1] - 1.6) < 1e-15 && value[2] == 0);
  assert_int_equal(mx_warm_values(&material, MX_WARM_SIGMA, 1, (const double[]){71}, value, &err), DG_INPUT);
  assert_non_null(strstr(err.message, "case.lua:3: materials.default.with_temperature.sigma gives -0.04 S/m"));
  err = (struct dg_error){0};
  ok(mx_warm_values(&material, MX_WARM_EPSILON, 2, at, value, &err), &err);
  assert_true(value[0] == 3 && value[1] == 2);
  assert_int_equal(mx_warm_values(&material, MX_WARM_EPSILON, 1, (const double[]){50}, value, &err), DG_INPUT);
  assert_non_null(strstr(err.message, "must be greater than 0"));
}

/* ---- multigrid */

/* The diagonal would take too long for long steps and for the steady state, and multigrid finds the same. */
static void stiff_equations_take_multigrid(void **state)
{
  struct scene scene;
  struct dg_error err = {0};
  (void)state;
  if (dg_amg_prepare(&err) != 0) skip();
  prepare_stiff(&scene);
  scene.heat.steady = true;
  scene.heat.start = (struct mx_heat_value){.value = 30};
  begin(&scene);
  ok(mx_heat_settle(&scene.march, &err), &err);
  print_message("steady: %ld iterations, %ld cycles\n", scene.march.solver.iterations, scene.march.solver.cycles);
  assert_true(scene.march.solver.cycles > 0 && scene.march.solver.cycles < 25);
  assert_int_equal(scene.march.solver.iterations, MX_HEAT_PATIENCE);
  if (!(worst(&scene, warm) < 1e-9)) fail_msg("steady: %.3e", worst(&scene, warm));
  end(&scene);
  prepare_stiff(&scene);
  scene.heat.theta = 1; /* the source jumps behind t = 0 */
  scene.heat.stop = 60;
  scene.heat.step = 10;
  begin(&scene);
  run(&scene);
  print_message("steps: %ld iterations, %ld cycles\n", scene.march.solver.iterations, scene.march.solver.cycles);
  assert_true(scene.march.solver.cycles > 0 && scene.march.solver.cycles < 6 * 25);
  assert_int_equal(scene.march.solver.iterations, MX_HEAT_PATIENCE); /* in the first step alone */
  if (!(worst(&scene, warm) < 1e-9 * 37)) fail_msg("steps: %.3e", worst(&scene, warm));
  end(&scene);
  prepare_stiff(&scene); /* short steps do without */
  scene.heat.theta = 1;
  scene.heat.stop = 1e-3;
  scene.heat.step = 5e-4;
  begin(&scene);
  run(&scene);
  assert_int_equal(scene.march.solver.cycles, 0);
  if (!(worst(&scene, warm) < 1e-9 * 37)) fail_msg("short steps: %.3e", worst(&scene, warm));
  end(&scene);
}

/* The script may choose: with the approximate inverse the answers are the same, and iterations less than half of those
 * with the diagonal. It is made for the mass, the blood and the walls of a step, and again for other steps. */
static void the_script_chooses(void **state)
{
  long iterations[2][3];
  (void)state;
  for (int inverse = 0; inverse < 2; inverse++)
    for (int n = 0; n < 3; n++) { /* the steady state, long steps, short ones */
      struct scene scene;
      struct dg_error err = {0};
      prepare_stiff(&scene);
      scene.heat.solver = inverse ? MX_SOLVER_AIP : MX_SOLVER_DIAGONAL;
      scene.heat.theta = 1;
      scene.heat.step = n == 1 ? 10 : 1e-2;
      scene.heat.stop = 3 * scene.heat.step;
      scene.heat.steady = n == 0;
      if (n == 0) scene.heat.start = (struct mx_heat_value){.value = 30};
      begin(&scene);
      if (n == 0) ok(mx_heat_settle(&scene.march, &err), &err);
      else run(&scene);
      iterations[inverse][n] = scene.march.solver.iterations;
      assert_int_equal(scene.march.solver.cycles, 0);
      if (!(worst(&scene, warm) < 1e-9 * 37)) fail_msg("case %d, %d: %.3e", inverse, n, worst(&scene, warm));
      end(&scene);
    }
  for (int n = 0; n < 3; n++) {
    print_message("%ld iterations with the diagonal, %ld with the approximate inverse\n", iterations[0][n],
                  iterations[1][n]);
    assert_true(2 * iterations[1][n] < iterations[0][n]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_polynomial_is_exact),
      cmocka_unit_test(space_converges),
      cmocka_unit_test(time_converges),
      cmocka_unit_test(steps_follow_their_error),
      cmocka_unit_test(walls_of_a_slab),
      cmocka_unit_test(blood_carries_heat_away),
      cmocka_unit_test(a_state_that_is_not_steady_is_refused),
      cmocka_unit_test(losses_go_on_a_line),
      cmocka_unit_test(materials_have_values_at_temperatures),
      cmocka_unit_test(stiff_equations_take_multigrid),
      cmocka_unit_test(the_script_chooses),
  };
  return cmocka_run_group_tests_name("heat", tests, NULL, NULL);
}
