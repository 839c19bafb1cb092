/* Conductors from poor to perfect: the half-filled cavity at 1e-2 to 1e8 S/m, on all backends that run here. What is in
 * the metal at the start is gone after a fraction of a step; whatever the conductivity, energy falls, both integrators
 * agree outside the metal, and the step limit is the true one. `test_losses long` runs a million steps (minutes). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"

static const double pi = 3.14159265358979323846;

/* Sanitizers look at memory, not at numbers, and take ten times as long. */
#ifdef __SANITIZE_ADDRESS__
#define DECADE 1e5
#else
#define DECADE 10
#endif

static void mode(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = value[1] = 0;
  value[2] = sin(2 * pi * x[0]) * sin(pi * x[1]); /* the lowest mode beside the metal, and as much in it */
}

/* Volume 2, x > 1/2, is the metal, with elements as `cells` says, smaller ones in it with `fine`. */
static double fine_in_metal(double u) { return u < 0.5 ? u : 0.5 + (u - 0.5) * (0.35 + 1.3 * (u - 0.5)); }

static void cavity(struct box *box, const int cells[3], double (*stretch)(double), int order, double alpha,
                   double sigma, double magnetic)
{
  static const double unit[3] = {1, 1, 1};
  box_random_state = 1;
  box_mesh(box, cells, unit, 0.1, stretch);
  box_material(box, 1, 1, 1, 0);
  box_material(box, 2, 1, 1, sigma);
  box->material[1].sigma_m.value = magnetic;
  box_problem(box, order, alpha);
}

/* Runs to time T, `factor` times as many steps as the automatic step takes, with energies that never grow by more than
 * rounding; E is the field at the end. */
static void run(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                enum mx_precision precision, double T, long factor, double *E)
{
  const long steps = factor * (long)ceil(T / (0.95 * box_limit(box, integrator)));
  double *H = box_field(box), rise = 0, before = INFINITY, first = 0;
  struct dg_error err = {0};
  box_evaluate(box, mode, 0, E);
  struct drive drive = drive_new(ops, box, integrator, precision, T / (double)steps, E, H);
  for (long n = 0; n <= steps; n++) {
    drive_observe(&drive);
    const double energy = drive_energy(&drive);
    if (n == 0) first = before = energy;
    rise = fmax(rise, (energy - before) / first);
    before = energy;
    if (n < steps) drive_finish(&drive);
  }
  assert_int_equal(ops->download(drive.backend, E, H, &err), 0);
  ops->destroy(drive.backend);
  free(H);
  if (fabs(first / 0.125 - 1) > 0.06) fail_msg("energy at the start: %g instead of 1/8", first); /* 1/2 eps E.E */
  if (rise > (precision == MX_DOUBLE ? 1e-14 : 1e-6))
    fail_msg("%s %s: the energy rises by %g of the first", ops->name, mx_integrator_names[integrator], rise);
}

static double largest_outside(const struct box *box, const double *u, const double *v)
{
  const size_t per_element = 3 * (size_t)box->ref.Np;
  double largest = 0;
  for (size_t e = 0; e < box->mesh.K; e++)
    for (size_t i = e * per_element; i < (e + 1) * per_element && box->problem.sigma[e] == 0; i++)
      largest = fmax(largest, fabs(u[i] - v[i]));
  return largest;
}

/* All against steps of lsrk that resolve what can be resolved; the amplitude is 1. The error of a whole step falls with
 * it: leapfrog's is that of its waves, Runge-Kutta's that of the raised permittivity. */
static void test_every_conductivity(void **state)
{
  static const int cells[3] = {4, 2, 2};
  const double T = 2;
  (void)state;
  for (double sigma = 1e-2; sigma < 2e8; sigma *= DECADE) {
    struct box box = {0};
    cavity(&box, cells, NULL, 3, 1, sigma, 0);
    double *truth = box_field(&box), *E = box_field(&box);
    run(&mx_backend_cpu, &box, MX_LSRK, MX_DOUBLE, T, 16, truth);
    for (int b = 0; mx_backends[b] != NULL; b++) {
      struct dg_error err = {0};
      double off[4];
      if (mx_backends[b]->available(&err) != 0) continue;
      if (mx_backends[b] == &mx_backend_reference && sigma != 1 && sigma < 5e7) continue; /* plain loops take long */
      for (int i = 0; i < 4; i++) {
        run(mx_backends[b], &box,
            i < 2   ? MX_LEAPFROG
            : i < 3 ? MX_LSRK
                    : MX_RK4,
            i < 3 ? MX_DOUBLE : MX_SINGLE, T, i == 1 ? 2 : 1, E);
        off[i] = largest_outside(&box, E, truth);
      }
      print_message("%g S/m, %s: leapfrog %.3g, half the step %.3g, lsrk %.3g, rk4 single %.3g\n", sigma,
                    mx_backends[b]->name, off[0], off[1], off[2], off[3]);
      assert_true(off[0] < 0.01 && off[1] < off[0] / 2 && off[2] < 0.01 && off[3] < 0.01);
    }
    free(truth), free(E);
    box_release(&box);
  }
}

/* Does noise grow at this step? */
static bool grows(const struct box *box, enum mx_integrator integrator, double step, long steps)
{
  double *E = box_field(box), *H = box_field(box);
  box_noise(box, E), box_noise(box, H);
  struct drive drive = drive_new(&mx_backend_cpu, box, integrator, MX_DOUBLE, step, E, H);
  drive_steps(&drive, steps);
  struct mx_field_check check;
  struct dg_error err = {0};
  assert_int_equal(drive.ops->check(drive.backend, &check, &err), 0);
  drive.ops->destroy(drive.backend);
  free(E), free(H);
  return !(check.finite && check.largest < 100); /* noise begins with 1 */
}

/* The metal has the smallest elements: good conductors make the step longer than it is without losses. Then magnetic
 * losses, alone and with others; 1 S/m of them is what has the same relaxation. */
static void test_step_limit(void **state)
{
  static const int cells[3] = {6, 2, 2};
  static const double sigmas[] = {0, 1e-2, 0.3, 10, 1e4, 1e8, 0, 0.3, 1e4},
                      magnetic[] = {0, 0, 0, 0, 0, 0, 10, 0.3, 1e6};
  (void)state;
  for (int i = MX_LEAPFROG; i <= MX_LSRK; i++) {
    double lossless = 0;
    for (int k = 0; k < (DECADE > 10 ? 1 : 9); k++) {
      const enum mx_integrator integrator = (enum mx_integrator)i;
      struct box box = {0};
      cavity(&box, cells, fine_in_metal, 1, 1, sigmas[k], magnetic[k] * MX_ETA0 * MX_ETA0);
      const double limit = box_limit(&box, integrator);
      const bool below = grows(&box, integrator, 0.995 * limit, 4000),
                 above = grows(&box, integrator, 1.05 * limit, 4000);
      print_message("%s %g S/m, magnetic %g: limit %.5g\n", mx_integrator_names[i], sigmas[k], magnetic[k], limit);
      if (k == 0) lossless = limit;
      assert_true(!below && above);
      assert_true(i != MX_LEAPFROG || limit > (sigmas[k] < 1e3 ? 0.85 : 1.1) * lossless);
      box_release(&box);
    }
  }
}

/* The formulas themselves, and that Runge-Kutta's bound is the schemes'. */
static void test_medium(void **state)
{
  (void)state;
  for (double x = 1e-12; x < 1e13; x *= 7) {
    const double epsilon = 3, step = 0.01;
    const struct mx_medium_update ampere =
        mx_medium_update(MX_LEAPFROG, MX_AMPERE, (struct mx_medium){epsilon, x * epsilon / step}, step);
    /* the same update as the mean of old and new with the inertia: (1 - b)/(1 + b), b = sigma dt/(2 eps') */
    const double b = x * epsilon / (2 * ampere.inertia);
    assert_true(fabs((1 - ampere.loss) - (1 - b) / (1 + b)) < 1e-14);
    assert_true(fabs(ampere.gain / (step * epsilon / ampere.inertia / (1 + b)) - 1) < 1e-14);
    assert_true(ampere.inertia >= epsilon * (1 - 1e-15) && ampere.inertia <= epsilon * (1 + x * x / 12 + 1e-15));
    assert_true(fabs(ampere.start * ampere.start * ampere.inertia / epsilon - 1) < 1e-14);
  }
  for (int i = MX_RK4; i <= MX_LSRK; i++) {
    const double bound = 0.7 * mx_scalar_limit((enum mx_integrator)i, -1);
    const struct mx_medium medium = {2, 2}, metal = {2, 2e6};
    assert_true(mx_step_resolves((enum mx_integrator)i, medium, bound * (1 - 1e-6)));
    assert_false(mx_step_resolves((enum mx_integrator)i, medium, bound * (1 + 1e-6)));
    assert_true(mx_medium_update((enum mx_integrator)i, MX_AMPERE, medium, 1).inertia == 2);
    const struct mx_medium_update stiff = mx_medium_update((enum mx_integrator)i, MX_FARADAY, metal, 1);
    assert_true(fabs(stiff.loss / bound - 1) < 1e-6 && fabs(stiff.gain * stiff.inertia / 2 - 1) < 1e-12);
  }
}

/* A million steps of noise, on all backends: nothing grows. */
static void run_for_long(const struct mx_backend_ops *ops)
{
  static const int cells[3] = {2, 1, 1};
  static const double sigmas[] = {1e-2, 1, 1e2, 1e4, 1e6, 1e8};
  for (int i = MX_LEAPFROG; i <= MX_LSRK; i++)
    for (int k = 0; k < 6; k++) {
      const enum mx_integrator integrator = (enum mx_integrator)i;
      struct box box = {0};
      cavity(&box, cells, NULL, 2, k % 2, sigmas[k], 0);
      double *E = box_field(&box), *H = box_field(&box);
      box_noise(&box, E), box_noise(&box, H);
      struct drive drive = drive_new(ops, &box, integrator, MX_DOUBLE, 0.95 * box_limit(&box, integrator), E, H);
      drive_observe(&drive);
      const double first = drive_energy(&drive);
      double before = first;
      drive_finish(&drive);
      for (int part = 1; part <= 10; part++) {
        drive_steps(&drive, 99999);
        drive_observe(&drive);
        const double energy = drive_energy(&drive);
        if (energy > before + 1e-12 * first) fail_msg("%s: the energy rises behind %d00000 steps", ops->name, part);
        before = energy;
        drive_finish(&drive);
      }
      print_message("%s %s %g S/m flux %d: 1e6 steps, %.3g of the energy left\n", ops->name, mx_integrator_names[i],
                    sigmas[k], k % 2, before / first);
      ops->destroy(drive.backend);
      free(E), free(H);
      box_release(&box);
    }
}

static void test_a_million_steps(void **state)
{
  (void)state;
  for (int b = 0; mx_backends[b] != NULL; b++) {
    struct dg_error err = {0};
    if (mx_backends[b]->available(&err) == 0) run_for_long(mx_backends[b]);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest slow[] = {cmocka_unit_test(test_a_million_steps)};
  if (argc == 2 && strcmp(argv[1], "long") == 0) return cmocka_run_group_tests(slow, NULL, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_medium),
      cmocka_unit_test(test_every_conductivity),
      cmocka_unit_test(test_step_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
