/* What every backend must do, checked against closed forms and invariants; each test runs on all backends of the build
 * that work on this machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"
#include "maxwell/tests/sanitized.h"

static const double unit[3] = {1, 1, 1}, pi = 3.14159265358979323846;

/* Under the sanitizer one case of what differs in numbers alone is enough. */
enum { FIRST_CASE = SANITIZED ? 1 : 0, LAST_CASE = SANITIZED ? 1 : 2 };

static void for_every_backend(void (*check)(const struct mx_backend_ops *ops))
{
  int ran = 0;
  for (int i = 0; mx_backends[i] != NULL; i++) {
    struct dg_error err = {0};
    if (mx_backends[i]->available(&err) != 0) {
      print_message("skipped: %s is not available (%s)\n", mx_backends[i]->name, err.message);
      continue;
    }
    check(mx_backends[i]);
    ran++;
  }
  assert_true(ran > 0);
}

/* Mode (1,1,0) of the unit cube with conductivity: a damped oscillator in time (share/doc/design/time.md). */
static double conductivity = 0, permittivity = 1;

static void mode_E(const double x[3], double t, double value[3])
{
  double gamma = conductivity * MX_ETA0 / (2 * permittivity), w0 = pi * sqrt(2 / permittivity);
  double wd = sqrt(w0 * w0 - gamma * gamma);
  value[0] = value[1] = 0;
  value[2] = sin(pi * x[0]) * sin(pi * x[1]) * exp(-gamma * t) * (cos(wd * t) - gamma / wd * sin(wd * t));
}

static void mode_H(const double x[3], double t, double value[3])
{
  double gamma = conductivity * MX_ETA0 / (2 * permittivity), w0 = pi * sqrt(2 / permittivity);
  double wd = sqrt(w0 * w0 - gamma * gamma), b = exp(-gamma * t) * sin(wd * t) / wd;
  value[0] = -pi * sin(pi * x[0]) * cos(pi * x[1]) * b;
  value[1] = pi * cos(pi * x[0]) * sin(pi * x[1]) * b;
  value[2] = 0;
}

typedef void solution(const double x[3], double t, double value[3]);

/* L2 error of E and H against a solution after `steps` steps to time T. */
static double solution_error(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                             double T, long steps, solution *electric, solution *magnetic)
{
  double *E = box_field(box), *H = box_field(box), *e = box_field(box), *h = box_field(box);
  box_evaluate(box, electric, 0, E);
  box_evaluate(box, magnetic, 0, H);
  drive_run(ops, box, integrator, MX_DOUBLE, T / (double)steps, steps, E, H);
  box_evaluate(box, electric, T, e);
  box_evaluate(box, magnetic, T, h);
  double error = hypot(box_distance(box, E, e), box_distance(box, H, h));
  free(E), free(H), free(e), free(h);
  return error;
}

static double mode_error(const struct mx_backend_ops *ops, const struct box *box, double T, long steps)
{
  return solution_error(ops, box, MX_LEAPFROG, T, steps, mode_E, mode_H);
}

static void check_leapfrog_is_second_order(const struct mx_backend_ops *ops)
{
  static const int cells[3] = {2, 2, 1};
  static const double sigmas[] = {0, 0.01}; /* S/m: gamma T up to 1 */
  for (int i = FIRST_CASE; i < 2; i++)
    for (int upwind = 0; upwind < 2; upwind++) {
      struct box box = {0};
      conductivity = sigmas[i];
      permittivity = 2;
      box_mesh(&box, cells, unit, 0.1, NULL);
      box_material(&box, 0, permittivity, 1, conductivity);
      box_problem(&box, 7, upwind);
      double T = SANITIZED ? 0.02 : 1.1;
      long steps = (long)ceil(T / (0.95 * box_limit(&box, MX_LEAPFROG)));
      double coarse = mode_error(ops, &box, T, steps), fine = mode_error(ops, &box, T, 2 * steps);
      print_message("%s leapfrog sigma %g flux %d: error %.3g, %.3g: order %.3f\n", ops->name, conductivity, upwind,
                    coarse, fine, log2(coarse / fine));
      assert_true(SANITIZED || (log2(coarse / fine) > 1.95 && log2(coarse / fine) < 2.1));
      box_release(&box);
    }
}

/* A pulse that runs along x towards a wall of impedance Zs at x = 1, between magnetic walls in y and electric in z. */
static double wall = 0;

static double pulse(double u) { return exp(-(u * u) / (0.12 * 0.12)); }

static void pulse_E(const double x[3], double t, double value[3])
{
  double R = (wall - 1) / (wall + 1);
  value[0] = value[1] = 0;
  value[2] = pulse(x[0] - 0.5 - t) + R * pulse(1.5 - x[0] - t);
}

static void pulse_H(const double x[3], double t, double value[3])
{
  double R = (wall - 1) / (wall + 1);
  value[0] = value[2] = 0;
  value[1] = -pulse(x[0] - 0.5 - t) + R * pulse(1.5 - x[0] - t);
}

static double pulse_error(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                          double T, long steps)
{
  return solution_error(ops, box, integrator, T, steps, pulse_E, pulse_H);
}

static void check_impedance_walls(const struct mx_backend_ops *ops)
{
  static const int cells[3] = {14, 1, 1};
  static const double bar[3] = {1, 0.12, 0.12}, walls[] = {1, 0.25, 3};
  for (int i = FIRST_CASE; i <= LAST_CASE; i++) {
    struct box box = {0};
    wall = walls[i];
    box_mesh(&box, cells, bar, 0, NULL);
    box_material(&box, 0, 1, 1, 0);
    box_boundary(&box, 1, MX_ABSORBING, 0);
    box_boundary(&box, 2, i == 0 ? MX_ABSORBING : MX_IMPEDANCE, walls[i] * MX_ETA0);
    box_boundary(&box, 3, MX_PMC, 0);
    box_boundary(&box, 4, MX_PMC, 0);
    box_problem(&box, 5, 1);
    /* the pulse is half through the absorbing wall, or on its way back from the others */
    double T = SANITIZED ? 0.02 : i == 0 ? 0.5 : 0.9;
    long steps = (long)ceil(T / (0.95 * box_limit(&box, MX_LEAPFROG)));
    /* that of the discretisation in space alone, which all backends share */
    double space = i == 1 && ops == &mx_backend_cpu ? pulse_error(ops, &box, MX_LSRK, T, steps) : 0;
    double coarse = pulse_error(ops, &box, MX_LEAPFROG, T, steps),
           fine = pulse_error(ops, &box, MX_LEAPFROG, T, 2 * steps);
    print_message("%s wall %.2f: lsrk %.3g, leapfrog %.3g, %.3g: order %.3f\n", ops->name, wall, space, coarse, fine,
                  log2(coarse / fine));
    assert_true(space < 2e-6);
    assert_true(SANITIZED || (log2(coarse / fine) > 1.9 && log2(coarse / fine) < 2.1));
    box_release(&box);
  }
}

/* Waves that meet absorbing walls at every angle: leapfrog against the exact solution in time of the same
 * semi-discrete system (rk4 with a small step); centred flux, so that nothing but the open faces dissipates. */
static void check_oblique_absorption_is_second_order(const struct mx_backend_ops *ops)
{
  static const int cells[3] = {2, 2, 2};
  struct box box = {0};
  conductivity = 0, permittivity = 1;
  box_mesh(&box, cells, unit, 0.2, NULL);
  box_material(&box, 0, 1, 1, 0);
  box_boundary(&box, 0, MX_ABSORBING, 0);
  box_boundary(&box, 2, MX_IMPEDANCE, 100);
  box_problem(&box, 3, 0);
  double T = SANITIZED ? 0.05 : 0.8, error[3];
  long steps = (long)ceil(T / (0.5 * box_limit(&box, MX_LEAPFROG)));
  double *E = box_field(&box), *H = box_field(&box), *exact = box_field(&box);
  for (int i = -1; i < 3; i++) {
    box_evaluate(&box, mode_E, 0, E);
    box_evaluate(&box, mode_H, 0, H);
    drive_run(ops, &box, i < 0 ? MX_RK4 : MX_LEAPFROG, MX_DOUBLE, T / (double)(steps << (i < 0 ? 2 : i)),
              steps << (i < 0 ? 2 : i), E, H);
    if (i < 0) memcpy(exact, E, 3 * (size_t)box.ref.Np * box.mesh.K * sizeof *E);
    else error[i] = box_distance(&box, E, exact);
  }
  print_message("%s oblique: %.3g %.3g %.3g: orders %.2f %.2f\n", ops->name, error[0], error[1], error[2],
                log2(error[0] / error[1]), log2(error[1] / error[2]));
  assert_true(SANITIZED || (log2(error[1] / error[2]) > 1.9 && log2(error[1] / error[2]) < 2.2));
  free(E), free(H), free(exact);
  box_release(&box);
}

static void check_runge_kutta_orders(const struct mx_backend_ops *ops)
{
  static const int cells[3] = {2, 2, 1};
  static const struct {
    enum mx_integrator integrator;
    double order;
  } cases[] = {{MX_RK4, 4}, {MX_LSRK, 4}, {MX_EULER, 1}};
  for (int i = 0; i < 3; i++) {
    struct box box = {0};
    conductivity = 0.01, permittivity = 2;
    box_mesh(&box, cells, unit, 0.1, NULL);
    box_material(&box, 0, permittivity, 1, conductivity);
    box_problem(&box, 3, 1);
    double T = SANITIZED ? 0.05 : 1, error[3];
    long steps = cases[i].integrator == MX_EULER ? (SANITIZED ? 5 : 500)
                                                 : (long)ceil(T / (0.9 * box_limit(&box, cases[i].integrator)));
    double *E[4], *H = box_field(&box);
    for (int k = 0; k < 4; k++) { /* differences of successive refinements: the error in time alone */
      E[k] = box_field(&box);
      box_evaluate(&box, mode_E, 0, E[k]);
      box_evaluate(&box, mode_H, 0, H);
      drive_run(ops, &box, cases[i].integrator, MX_DOUBLE, T / (double)(steps << k), steps << k, E[k], H);
      if (k > 0) error[k - 1] = box_distance(&box, E[k], E[k - 1]);
    }
    double order = log2(error[1] / error[2]);
    print_message("%s %s: %.3g %.3g %.3g: order %.3f\n", ops->name, mx_integrator_names[cases[i].integrator], error[0],
                  error[1], error[2], order);
    assert_true(SANITIZED || (order > cases[i].order - 0.15 && order < cases[i].order + 0.4));
    for (int k = 0; k < 4; k++) free(E[k]);
    free(H);
    box_release(&box);
  }
}

/* Leapfrog: with the centred flux its energy is an invariant, with any penalty it falls. */
static void check_leapfrog_energy(const struct mx_backend_ops *ops)
{
  static const int cells[3] = {2, 2, 2};
  for (int i = 0; i < 3; i++) {
    struct box box = {0};
    box_mesh(&box, cells, unit, 0.25, NULL);
    box_material(&box, 1, 1, 1, 0);
    box_material(&box, 2, 3, 2, 0);
    box_boundary(&box, 1, MX_PMC, 0);
    box_problem(&box, 2, 0.5 * i);
    double *E = box_field(&box), *H = box_field(&box), first = 0, last = 0, worst = 0;
    box_noise(&box, E);
    box_noise(&box, H);
    struct drive drive = drive_new(ops, &box, MX_LEAPFROG, MX_DOUBLE, 0.95 * box_limit(&box, MX_LEAPFROG), E, H);
    for (int n = 0; n <= (SANITIZED ? 20 : 2000); n++) {
      drive_observe(&drive);
      double energy = drive_energy(&drive);
      if (n == 0) first = last = energy;
      worst = fmax(worst, i == 0 ? fabs(energy / first - 1) : (energy - last) / first);
      last = energy;
      drive_finish(&drive);
    }
    print_message("%s flux %g: energy %.6g of the first, worst change %.3g\n", ops->name, 0.5 * i, last / first, worst);
    assert_true(worst < 1e-11);
    assert_true(SANITIZED || i == 0 || last < 0.9 * first);
    ops->destroy(drive.backend);
    free(E), free(H);
    box_release(&box);
  }
}

static void check_single_precision(const struct mx_backend_ops *ops)
{
  static const int cells[3] = {2, 2, 2};
  for (int integrator = MX_LEAPFROG; integrator <= MX_LSRK; integrator++) {
    struct box box = {0};
    conductivity = 0, permittivity = 1;
    box_mesh(&box, cells, unit, 0.2, NULL);
    box_material(&box, 1, 1, 1, 0);
    box_material(&box, 2, 2, 1, 0.001);
    box_boundary(&box, 2, MX_ABSORBING, 0);
    box_problem(&box, 3, 1);
    double *E = box_field(&box), *H = box_field(&box), *e = box_field(&box), *h = box_field(&box);
    box_evaluate(&box, mode_E, 0, E), box_evaluate(&box, mode_E, 0, e);
    box_evaluate(&box, mode_H, 0, H), box_evaluate(&box, mode_H, 0, h);
    double step = 0.95 * box_limit(&box, (enum mx_integrator)integrator);
    drive_run(ops, &box, (enum mx_integrator)integrator, MX_DOUBLE, step, 200, E, H);
    drive_run(ops, &box, (enum mx_integrator)integrator, MX_SINGLE, step, 200, e, h);
    double norm = sqrt(box_product(&box, NULL, E, E)), difference = box_distance(&box, E, e) / norm;
    assert_true(difference < 1e-4 && difference > 1e-9);
    free(E), free(H), free(e), free(h);
    box_release(&box);
  }
}

/* sample and download see the same fields, and the watchdog's check finds a value that is not finite. */
static void check_access(const struct mx_backend_ops *ops)
{
  static const int cells[3] = {1, 2, 1};
  struct box box = {0};
  struct dg_error err = {0};
  conductivity = 0, permittivity = 1;
  box_mesh(&box, cells, unit, 0.2, NULL);
  box_material(&box, 0, 1, 1, 0);
  box_problem(&box, 4, 1);
  double *E = box_field(&box), *H = box_field(&box), weight[DG_NP_MAX], value[1][6];
  box_evaluate(&box, mode_E, 0.1, E);
  box_evaluate(&box, mode_H, 0.1, H);
  struct drive drive = drive_new(ops, &box, MX_LEAPFROG, MX_DOUBLE, 1e-3, E, H);
  drive_steps(&drive, 3);
  drive_observe(&drive);
  size_t e = 5, Np = (size_t)box.ref.Np;
  dg_reference_interpolate(&box.ref, -0.4, -0.3, -0.6, weight);
  const struct mx_point point = {.element = e, .weight = weight};
  assert_int_equal(ops->sample(drive.backend, 1, &point, value, &err), 0);
  assert_int_equal(ops->download(drive.backend, E, H, &err), 0);
  for (size_t c = 0; c < 3; c++) {
    double at[2] = {0, 0};
    for (size_t i = 0; i < Np; i++) {
      at[0] += weight[i] * E[(3 * e + c) * Np + i];
      at[1] += weight[i] * H[(3 * e + c) * Np + i];
    }
    assert_true(fabs(at[0] - value[0][c]) < 1e-13 && fabs(at[1] - value[0][3 + c]) < 1e-13);
  }
  struct mx_field_check check;
  assert_int_equal(ops->check(drive.backend, &check, &err), 0);
  assert_true(check.finite && check.largest > 0.1);
  ops->destroy(drive.backend);

  E[3 * Np * 7 + 2] = NAN;
  drive = drive_new(ops, &box, MX_LEAPFROG, MX_DOUBLE, 1e-3, E, H);
  assert_int_equal(ops->check(drive.backend, &check, &err), 0);
  assert_false(check.finite);
  ops->destroy(drive.backend);
  free(E), free(H);
  box_release(&box);
}

/* Every allocation of create may fail: an error, and nothing is left behind. */
static void check_memory_failure(const struct mx_backend_ops *ops)
{
  static const int cells[3] = {1, 1, 1};
  struct box box = {0};
  box_mesh(&box, cells, unit, 0, NULL);
  box_material(&box, 0, 1, 1, 0);
  box_boundary(&box, 0, MX_ABSORBING, 0);
  box_problem(&box, 2, 1);
  for (int integrator = MX_LEAPFROG; integrator <= MX_EULER; integrator++) {
    const struct mx_backend_options options = {.integrator = (enum mx_integrator)integrator, .step = 1e-3};
    size_t before = dg_memory_current();
    for (int n = 1; n < 100; n++) {
      struct mx_backend *backend;
      struct dg_error err = {0};
      dg_memory_fail_at(n);
      int status = ops->create(&backend, &box.problem, &options, &err);
      dg_memory_fail_at(0);
      if (status == 0) {
        assert_true(n > 2);
        ops->destroy(backend);
        break;
      }
      assert_int_equal(status, DG_ENVIRONMENT);
      assert_int_equal(dg_memory_current(), before);
    }
    assert_int_equal(dg_memory_current(), before);
  }
  box_release(&box);
}

/* What only cards can do may be asked of every backend: without a card there is nothing to take, to wait for or to be
 * had; with one all of it is there. */
static void check_card(const struct mx_backend_ops *ops)
{
  const struct mx_card_ops *card = ops->card;
  struct dg_error err = {0};
  struct box box = {0};
  size_t got = 7, rows = 7, monitor = 7;
  if (card->present) {
    assert_true(card->unknowns > 0 && card->stage_sources != NULL && card->functionals_begin != NULL &&
                card->functionals_end != NULL && card->snapshot_begin != NULL && card->snapshot_fetch != NULL &&
                card->monitor_take != NULL && card->monitor_fetch != NULL && card->time_exchange != NULL &&
                card->ceilings != NULL && card->face_sums_new != NULL && card->point_sums_new != NULL);
  }
  assert_true(ops->instructions != NULL && ops->profile != NULL);
  static const int cells[3] = {1, 1, 1};
  box_mesh(&box, cells, unit, 0, NULL);
  box_material(&box, 0, 1, 1, 0);
  box_problem(&box, 2, 1);
  struct drive drive = drive_new(ops, &box, MX_LEAPFROG, MX_DOUBLE, 1e-3, NULL, NULL);
  assert_int_equal(card->take(NULL, false, &err), 0);
  assert_int_equal(card->wait(drive.backend, &err), 0);
  assert_true((card->allocated(drive.backend) > 0) == card->present);
  if (!card->present) {
    assert_int_equal(card->snapshot_buffers(drive.backend, 2, true, true, &got, &err), 0);
    assert_int_equal(card->monitor_new(drive.backend, &(struct mx_monitor){0}, &rows, &monitor, &err), 0);
    assert_true(got == 0 && rows == 0);
  }
  ops->destroy(drive.backend);
  box_release(&box);
}

#define TEST(name)                                                                                                     \
  static void test_##name(void **state)                                                                                \
  {                                                                                                                    \
    (void)state;                                                                                                       \
    for_every_backend(check_##name);                                                                                   \
  }
TEST(leapfrog_is_second_order)
TEST(impedance_walls)
TEST(oblique_absorption_is_second_order)
TEST(runge_kutta_orders)
TEST(leapfrog_energy)
TEST(single_precision)
TEST(access)
TEST(memory_failure)
TEST(card)

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_leapfrog_is_second_order),
      cmocka_unit_test(test_impedance_walls),
      cmocka_unit_test(test_oblique_absorption_is_second_order),
      cmocka_unit_test(test_runge_kutta_orders),
      cmocka_unit_test(test_leapfrog_energy),
      cmocka_unit_test(test_single_precision),
      cmocka_unit_test(test_access),
      cmocka_unit_test(test_memory_failure),
      cmocka_unit_test(test_card),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
