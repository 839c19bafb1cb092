/* Responses: a Debye medium in a box without and with a conductivity, on all backends that run here. Closed forms of a
 * uniform field, orders in time, energies and losses, poles faster than any step, the limit of the step, and states
 * that are saved and loaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"
#include "maxwell/tests/sanitized.h"

static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4};
enum { INTEGRATORS = 3 };

struct medium {
  double epsilon, sigma, delta, tau; /* 1/m and m */
};

/* Both halves of a box of this size; with `only`, the second one alone is the medium, beside vacuum. */
static void fill(struct box *box, double size, int order, double alpha, enum mx_boundary_kind walls,
                 const struct medium *medium, bool only)
{
  static const int cells[3] = {2, 2, 2};
  const double sizes[3] = {size, size, size};
  box_random_state = 1;
  box_mesh(box, cells, sizes, 0.1, NULL);
  for (int i = 1; i <= 2; i++) {
    const bool here = i == 2 || !only;
    box_material(box, i, here ? medium->epsilon : 1, 1, here ? medium->sigma / MX_ETA0 : 0);
    if (here) box_debye(&box->material[i - 1], medium->delta, medium->tau / MX_C0);
  }
  box_boundary(box, 0, walls, 0);
  box_problem(box, order, alpha);
}

/* E of eps dE/dt = -sigma E - dP/dt, tau dP/dt = delta E - P from E = 1, P = 0. */
static double decayed(const struct medium *m, double t)
{
  const double a = -(m->sigma + m->delta / m->tau) / m->epsilon, b = 1 / (m->tau * m->epsilon), c = m->delta / m->tau,
               d = -1 / m->tau; /* (E, P)' = (a, b; c, d)(E, P) */
  const double middle = (a + d) / 2, root = sqrt((a - d) * (a - d) / 4 + b * c);
  const double fast = middle - root, slow = middle + root;
  return ((a - fast) * exp(slow * t) - (a - slow) * exp(fast * t)) / (slow - fast);
}

static void uniform(const double x[3], double t, double value[3])
{
  (void)x, (void)t;
  value[0] = 1, value[1] = -2, value[2] = 0.5;
}

/* Between magnetic walls a uniform field only relaxes. The largest error of E over its size. */
static double relax(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                    const struct medium *medium, double T, long steps)
{
  double *E = box_field(box), *H = box_field(box), error = 0;
  struct dg_error err = {0};
  box_evaluate(box, uniform, 0, E);
  struct drive drive = drive_new(ops, box, integrator, MX_DOUBLE, T / (double)steps, E, H);
  drive_steps(&drive, steps);
  drive_observe(&drive);
  assert_int_equal(ops->download(drive.backend, E, H, &err), 0);
  for (size_t e = 0; e < box->mesh.K; e++)
    for (size_t i = 0; i < (size_t)box->ref.Np; i++)
      error = fmax(error, fabs(E[(3 * e + 1) * (size_t)box->ref.Np + i] / -2 - decayed(medium, T)));
  ops->destroy(drive.backend);
  free(E), free(H);
  return error;
}

static void test_order_in_time(void **state)
{
  static const struct medium media[] = {{1.8, 0, 79.2, 20}, {2, 0.05, 3, 4}};
  static const double expected[INTEGRATORS] = {2, 4, 4}, T = SANITIZED ? 0.375 : 3;
  const long steps = SANITIZED ? 4 : 32;
  (void)state;
  for (size_t m = 0; m < 2; m++) {
    struct box box = {0};
    fill(&box, 1000, 2, 1, MX_PMC, &media[m], false); /* waves are slow there */
    for (int b = 0; mx_backends[b] != NULL; b++) {
      struct dg_error err = {0};
      if (mx_backends[b]->available(&err) != 0) continue;
      for (int i = 0; i < INTEGRATORS; i++) {
        const double coarse = relax(mx_backends[b], &box, integrators[i], &media[m], T, steps),
                     fine = relax(mx_backends[b], &box, integrators[i], &media[m], T, 2 * steps);
        const double order = log2(coarse / fine);
        print_message("%s %s: error %.3g, then %.3g: order %.2f\n", mx_backends[b]->name,
                      mx_integrator_names[integrators[i]], coarse, fine, order);
        assert_true(SANITIZED || (fabs(order - expected[i]) < 0.35 && fine < 0.01));
      }
    }
    box_release(&box);
  }
}

/* Energy at the start is 1/2 eps E.E; what is gone is what was lost. */
static void test_energy_and_loss(void **state)
{
  static const struct medium medium = {2, 0.05, 30, 4};
  struct box box = {0};
  (void)state;
  fill(&box, 100, 2, 1, MX_PMC, &medium, false);
  int32_t *element = calloc(box.mesh.K, sizeof *element);
  double *E = box_field(&box), *H = box_field(&box);
  for (size_t e = 0; e < box.mesh.K; e++) element[e] = (int32_t)e;
  box_evaluate(&box, uniform, 0, E);
  const double first = 0.5 * 2 * 5.25 * 1e6;
  for (int b = 0; mx_backends[b] != NULL; b++) {
    struct dg_error err = {0};
    if (mx_backends[b]->available(&err) != 0) continue;
    for (int i = 0; i < INTEGRATORS; i++) {
      const double step = 0.01;
      const int last = SANITIZED ? 10 : 600;
      struct drive drive = drive_new(mx_backends[b], &box, integrators[i], MX_DOUBLE, step, E, H);
      double lost = 0, power = 0, energy = 0;
      for (int n = 0; n <= last; n++) {
        drive_observe(&drive);
        energy = drive_energy(&drive);
        assert_int_equal(mx_backends[b]->loss(drive.backend, box.mesh.K, element, &power, &err), 0);
        lost += step * power * (n == 0 || n == last ? 0.5 : 1);
        if (n == 0) assert_true(fabs(energy / first - 1) < 1e-3);
        drive_finish(&drive);
      }
      print_message("%s %s: energy %.6g of %.6g, lost %.6g\n", mx_backends[b]->name,
                    mx_integrator_names[integrators[i]], energy / first, 1.0, lost / first);
      assert_true((SANITIZED || energy < 0.2 * first) && fabs((energy + lost) / first - 1) < 2e-3);
      mx_backends[b]->destroy(drive.backend);
    }
  }
  free(element), free(E), free(H);
  box_release(&box);
}

/* From slow poles to poles that no step resolves. The automatic step is 0.95 of the limit: fields stay, and their
 * energy falls. It is also at least 0.90 of the step from which on they grow. */
static void test_limit(void **state)
{
  static const struct medium media[] = {{1.8, 0, 79.2, 3}, {1.8, 0, 79.2, 0.05}, {3, 2, 5, 1e-4}, {1, 0, 0.5, 1e-9}};
  (void)state;
  for (size_t m = 0; m < sizeof media / sizeof *media; m++)
    for (int i = 0; i < INTEGRATORS; i++)
      for (int alpha = 0; alpha < 2; alpha++) {
        struct box box = {0};
        double rise, unused;
        fill(&box, 1, 2, alpha, MX_PEC, &media[m], true);
        const double step = 0.95 * box_limit(&box, integrators[i]);
        const double kept = drive_grown(&mx_backend_cpu, &box, integrators[i], step, SANITIZED ? 10 : 300, &rise),
                     beyond =
                         drive_grown(&mx_backend_cpu, &box, integrators[i], step / 0.90, SANITIZED ? 10 : 300, &unused);
        print_message("tau %g, %s, flux %d: step %.4g, energy %.3g (largest rise %.3g), beyond %.3g\n", media[m].tau,
                      mx_integrator_names[integrators[i]], alpha, step, kept, rise, beyond);
        assert_true(kept <= 1 && rise < 1e-12);
        assert_true(SANITIZED || !(beyond < 1e4));
        box_release(&box);
      }
}

static void mode(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = value[1] = 0;
  value[2] = sin(3.14159265358979323846 * x[0]) * sin(3.14159265358979323846 * x[1]);
}

/* A pole that is faster than the step acts as a permittivity. */
static void test_fast_pole(void **state)
{
  const double T = SANITIZED ? 0.1 : 3;
  (void)state;
  for (int i = 0; i < INTEGRATORS; i++) {
    double *E[2], *H[2];
    struct box box[2];
    memset(box, 0, sizeof box);
    const struct medium media[2] = {{2, 0, 6, 1e-6}, {8, 0, 0, 1}};
    for (int k = 0; k < 2; k++) {
      fill(&box[k], 1, 4, 1, MX_PEC, &media[k], false);
      E[k] = box_field(&box[k]), H[k] = box_field(&box[k]);
    }
    const double limit = box_limit(&box[0], integrators[i]);
    double off[2];
    for (int half = 0; half < 2; half++) {
      const long steps = (half + 1) * (long)ceil(T / (0.95 * limit));
      for (int k = 0; k < 2; k++) {
        box_evaluate(&box[k], mode, 0, E[k]);
        if (k == 0) /* without a polarisation most of E is spent on it at once */
          for (size_t n = 0; n < 3 * (size_t)box[k].ref.Np * box[k].mesh.K; n++) E[k][n] *= 4;
        memset(H[k], 0, 3 * (size_t)box[k].ref.Np * box[k].mesh.K * sizeof *H[k]);
        drive_run(&mx_backend_cpu, &box[k], integrators[i], MX_DOUBLE, T / (double)steps, steps, E[k], H[k]);
      }
      off[half] = box_distance(&box[0], E[0], E[1]) / box_distance(&box[0], E[1], H[1]);
    }
    print_message("%s: a fast pole differs from a permittivity by %.3g, with half the step by %.3g\n",
                  mx_integrator_names[integrators[i]], off[0], off[1]);
    assert_true(SANITIZED || (off[0] < 0.05 && off[1] < 0.7 * off[0]));
    for (int k = 0; k < 2; k++) {
      free(E[k]), free(H[k]);
      box_release(&box[k]);
    }
  }
}

/* The state of every array, saved after some steps and loaded into another backend, goes on with the same bits. */
static void continue_from(const struct mx_backend_ops *ops, const struct box *box, struct drive *drive)
{
  const struct mx_problem *problem = &box->problem;
  struct drive other = *drive;
  struct dg_error err = {0};
  double *value = calloc(3 * (size_t)box->ref.Np * problem->K, sizeof *value);
  assert_int_equal(ops->create(&other.backend, problem, &drive->options, &err), 0);
  assert_int_equal(ops->upload(other.backend, NULL, NULL, &err), 0);
  for (int array = 0; array < (int)mx_state_arrays(problem); array++) {
    const struct mx_state_array of = mx_state_array(problem, MX_LEAPFROG, (size_t)array);
    const size_t count = of.items;
    if (of.list == MX_STATE_OF_FACES) continue;
    assert_int_equal(ops->save(drive->backend, array, 0, count, value, &err), 0);
    assert_int_equal(ops->load(other.backend, array, 0, count, value, &err), 0);
  }
  assert_int_equal(ops->loaded(other.backend, &err), 0);
  free(value);
  ops->destroy(drive->backend);
  *drive = other;
}

/* What ten steps end in; `stops`: in the middle all goes to another backend. */
struct outcome {
  double *E, *H, energy, loss;
};

static void ten_steps(struct outcome *outcome, const struct mx_backend_ops *ops, const struct box *box,
                      enum mx_integrator integrator, enum mx_precision precision, double step, bool stops)
{
  const int32_t element[2] = {box->problem.response[0].where[3], 0};
  struct dg_error err = {0};
  outcome->E = box_field(box), outcome->H = box_field(box);
  box_random_state = 5;
  box_noise(box, outcome->E), box_noise(box, outcome->H);
  struct drive drive = drive_new(ops, box, integrator, precision, step, outcome->E, outcome->H);
  drive_steps(&drive, 5);
  if (stops) continue_from(ops, box, &drive);
  drive_steps(&drive, 5);
  drive_observe(&drive);
  outcome->energy = drive_energy(&drive);
  assert_int_equal(ops->loss(drive.backend, 2, element, &outcome->loss, &err), 0);
  assert_int_equal(ops->download(drive.backend, outcome->E, outcome->H, &err), 0);
  ops->destroy(drive.backend);
}

static void test_backends_agree(void **state)
{
  static const struct medium medium = {1.8, 0.3, 20, 0.2};
  (void)state;
  for (int order = 1; order <= 4; order++) {
    struct box box = {0};
    fill(&box, 1, order, 1, MX_PEC, &medium, true);
    const size_t bytes = 3 * (size_t)box.ref.Np * box.mesh.K * sizeof(double);
    for (int i = 0; i < INTEGRATORS; i++) {
      const double step = 0.9 * box_limit(&box, integrators[i]);
      struct outcome truth, whole, parts;
      ten_steps(&truth, &mx_backend_reference, &box, integrators[i], MX_DOUBLE, step, false);
      const double size = sqrt(box_product(&box, NULL, truth.E, truth.E) + box_product(&box, NULL, truth.H, truth.H));
      for (int b = 0; mx_backends[b] != NULL; b++)
        for (int single = 0; single < 2; single++) {
          struct dg_error err = {0};
          const double bound = single ? 1e-4 : 1e-12;
          if (mx_backends[b]->available(&err) != 0) continue;
          ten_steps(&whole, mx_backends[b], &box, integrators[i], (enum mx_precision)single, step, false);
          ten_steps(&parts, mx_backends[b], &box, integrators[i], (enum mx_precision)single, step, true);
          assert_memory_equal(whole.E, parts.E, bytes);
          assert_memory_equal(whole.H, parts.H, bytes);
          assert_true(box_distance(&box, whole.E, truth.E) + box_distance(&box, whole.H, truth.H) < bound * size);
          assert_true(fabs(whole.energy / truth.energy - 1) < bound && fabs(whole.loss / truth.loss - 1) < bound);
          free(whole.E), free(whole.H), free(parts.E), free(parts.H);
        }
      free(truth.E), free(truth.H);
    }
    box_release(&box);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_in_time), cmocka_unit_test(test_energy_and_loss), cmocka_unit_test(test_limit),
      cmocka_unit_test(test_fast_pole),     cmocka_unit_test(test_backends_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
