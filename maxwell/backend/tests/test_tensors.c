/* Media whose epsilon or mu is a tensor, on all backends that have them: multiples of one against scalars, turned
 * boxes, waves of a crystal against their closed form, energy, the limit of the step, agreement, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libdg/mesh/curve.h"
#include "maxwell/model/media/tensor.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"
#include "maxwell/tests/sanitized.h"

static const double pi = 3.14159265358979323846;
static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4};
enum { INTEGRATORS = 3 };

/* xx, xy, xz, yy, yz, zz; principal values from 1.2 to 4. */
static const double bent[6] = {2, 0.6, -0.3, 3, 0.5, 1.6}, other[6] = {3, -0.5, 0.2, 1.4, 0.1, 2.2};

static bool takes_tensors(const struct mx_backend_ops *ops)
{
  struct dg_error err = {0};
  return ops->available(&err) == 0;
}

static void give_tensor(struct box *box, int material, int equation, const double tensor[6])
{
  struct mx_material_config *to = &box->material[material];
  to->tensor[equation].given = true;
  memcpy(to->tensor[equation].number, tensor, 6 * sizeof *tensor);
  (equation == 0 ? &to->epsilon_r : &to->mu_r)->value = mx_tensor_scalar(tensor);
}

/* A box of two halves, turned by rows[3][3], or NULL; its materials are the caller's to give before box_problem. */
static void make(struct box *box, const double (*rows)[3])
{
  static const int cells[3] = {2, 2, 2};
  static const double size[3] = {1, 0.9, 0.8};
  box_random_state = 3;
  box_mesh(box, cells, size, 0.1, NULL);
  if (rows != NULL) box_turn(box, rows);
  box_material(box, 1, 1, 1, 0), box_material(box, 2, 1, 1, 0);
  box_boundary(box, 0, MX_PEC, 0);
}

/* The fields after some steps from noise, which `rows` turns, or NULL. */
static void run(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                enum mx_precision precision, double step, const double (*rows)[3], double *E, double *H)
{
  box_random_state = 5;
  box_noise(box, E), box_noise(box, H);
  if (rows != NULL) box_turn_field(box, rows, E), box_turn_field(box, rows, H);
  drive_run(ops, box, integrator, precision, step, SANITIZED ? 5 : 40, E, H);
}

/* Six numbers that are c times one. */
static void multiple(double c, double tensor[6])
{
  memset(tensor, 0, 6 * sizeof *tensor);
  tensor[0] = tensor[3] = tensor[5] = c;
}

static void test_multiple_of_one_is_a_scalar(void **state)
{
  (void)state;
  for (int alpha = 0; alpha < 2; alpha++) {
    struct box scalar = {0}, tensor = {0};
    double number[6];
    make(&scalar, NULL), make(&tensor, NULL);
    scalar.material[1].epsilon_r.value = 2.7, scalar.material[1].mu_r.value = 1.3;
    multiple(2.7, number), give_tensor(&tensor, 1, 0, number);
    multiple(1.3, number), give_tensor(&tensor, 1, 1, number);
    box_problem(&scalar, 3, alpha), box_problem(&tensor, 3, alpha);
    assert_int_equal(tensor.problem.shapes, 1);
    double *E = box_field(&scalar), *H = box_field(&scalar), *u = box_field(&scalar), *v = box_field(&scalar);
    for (int b = 0; mx_backends[b] != NULL; b++)
      for (int i = 0; i < INTEGRATORS && takes_tensors(mx_backends[b]); i++)
        for (int single = 0; single < 2; single++) {
          const double bound = single ? 2e-5 : 2e-14;
          run(mx_backends[b], &scalar, integrators[i], (enum mx_precision)single, 0.01, NULL, E, H);
          run(mx_backends[b], &tensor, integrators[i], (enum mx_precision)single, 0.01, NULL, u, v);
          const double size = sqrt(box_product(&scalar, NULL, E, E) + box_product(&scalar, NULL, H, H)),
                       apart = box_distance(&scalar, E, u) + box_distance(&scalar, H, v);
          print_message("%s %s, flux %d, %s: %.3g\n", mx_backends[b]->name, mx_integrator_names[integrators[i]], alpha,
                        single ? "single" : "double", apart / size);
          assert_true(apart < bound * size);
        }
    free(E), free(H), free(u), free(v);
    box_release(&scalar), box_release(&tensor);
  }
}

/* R T R^T in six numbers. */
static void turn_tensor(const double rows[3][3], const double tensor[6], double turned[6])
{
  static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int a = 0, k = 0; a < 3; a++)
    for (int b = a; b < 3; b++, k++) {
      turned[k] = 0;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) turned[k] += rows[a][i] * tensor[place[i][j]] * rows[b][j];
    }
}

static void test_a_turned_box_gives_turned_fields(void **state)
{
  const double c = cos(0.7), s = sin(0.7), d = cos(-1.1), t = sin(-1.1);
  const double rows[3][3] = {{c, -s * d, s * t}, {s, c * d, -c * t}, {0, t, d}};
  (void)state;
  for (int alpha = 0; alpha < 2; alpha++) {
    struct box box[2] = {{.problem = {0}}, {.problem = {0}}};
    double *E[2], *H[2];
    for (int n = 0; n < 2; n++) {
      double of_E[6], of_H[6], beside[6];
      memcpy(of_E, bent, sizeof of_E), memcpy(of_H, other, sizeof of_H), memcpy(beside, other, sizeof beside);
      if (n == 1) turn_tensor(rows, bent, of_E), turn_tensor(rows, other, of_H), turn_tensor(rows, other, beside);
      make(&box[n], n == 1 ? rows : NULL);
      give_tensor(&box[n], 0, 0, beside);
      give_tensor(&box[n], 1, 0, of_E), give_tensor(&box[n], 1, 1, of_H);
      box_problem(&box[n], 3, alpha);
      E[n] = box_field(&box[n]), H[n] = box_field(&box[n]);
    }
    for (int b = 0; mx_backends[b] != NULL; b++)
      for (int i = 0; i < INTEGRATORS && takes_tensors(mx_backends[b]); i++) {
        const size_t Np = (size_t)box[0].ref.Np;
        double worst = 0, largest = 0;
        run(mx_backends[b], &box[0], integrators[i], MX_DOUBLE, 0.01, NULL, E[0], H[0]);
        run(mx_backends[b], &box[1], integrators[i], MX_DOUBLE, 0.01, rows, E[1], H[1]);
        for (size_t at = 0; at < 3 * Np * box[0].mesh.K; at++) {
          const size_t k = at / Np % 3, first = at - k * Np;
          double turned = 0;
          for (size_t j = 0; j < 3; j++) turned += rows[k][j] * E[0][first + j * Np];
          worst = fmax(worst, fabs(turned - E[1][at]));
          largest = fmax(largest, fabs(E[1][at]));
        }
        print_message("%s %s, flux %d: turned fields differ by %.3g\n", mx_backends[b]->name,
                      mx_integrator_names[integrators[i]], alpha, worst / largest);
        assert_true(worst < 1e-12 * largest);
      }
    for (int i = 0; i < INTEGRATORS; i++) {
      /* the search begins with noise along the axes of the mesh, and is as exact as it says (stability.c) */
      const double ratio = box_limit(&box[1], integrators[i]) / box_limit(&box[0], integrators[i]);
      print_message("%s, flux %d: limits differ by %.3g\n", mx_integrator_names[integrators[i]], alpha, ratio - 1);
      assert_true(fabs(ratio - 1) < (integrators[i] == MX_LEAPFROG ? 0.01 : 0.02));
    }
    for (int n = 0; n < 2; n++) free(E[n]), free(H[n]), box_release(&box[n]);
  }
}

/* ---- waves of a crystal whose axis is z, in a box of metal: M. Born, E. Wolf, Principles of Optics, 15.2 */

static const double along_axis = 2.4, across = 1.5, of_mu = 1.2;

/* The ordinary wave: E is across the axis, w^2 = k^2/(epsilon_across mu). */
static void ordinary(const double x[3], double t, double value[3])
{
  const double k[2] = {pi / 0.9, pi / 0.8}, w = sqrt((k[0] * k[0] + k[1] * k[1]) / (across * of_mu));
  value[0] = sin(k[0] * x[1]) * sin(k[1] * x[2]) * cos(w * t);
  value[1] = value[2] = 0;
}

/* The extraordinary wave, oblique to the axis: w^2 = (kx^2/epsilon_along + kz^2/epsilon_across)/mu, from
 * H_y = cos kx x cos kz z sin w t. */
static void extraordinary(const double x[3], double t, double value[3])
{
  const double k[2] = {pi / 1, pi / 0.8}, w = sqrt((k[0] * k[0] / along_axis + k[1] * k[1] / across) / of_mu);
  value[0] = -k[1] / (w * across) * cos(k[0] * x[0]) * sin(k[1] * x[2]) * cos(w * t);
  value[1] = 0;
  value[2] = k[0] / (w * along_axis) * sin(k[0] * x[0]) * cos(k[1] * x[2]) * cos(w * t);
}

static double crystal_error(const struct mx_backend_ops *ops, int order, int alpha,
                            void (*wave)(const double[3], double, double[3]), enum mx_integrator integrator)
{
  static const double T = SANITIZED ? 0.025 : 3;
  const double axis[6] = {across, 0, 0, across, 0, along_axis};
  struct box box = {0};
  make(&box, NULL);
  for (int m = 0; m < 2; m++) give_tensor(&box, m, 0, axis), box.material[m].mu_r.value = of_mu;
  for (int side = 3; side < 5 && wave == extraordinary; side++) box_boundary(&box, side, MX_PMC, 0);
  box_problem(&box, order, alpha);
  double *E = box_field(&box), *H = box_field(&box), *truth = box_field(&box);
  box_evaluate(&box, wave, 0, E), box_evaluate(&box, wave, T, truth);
  const double size = sqrt(box_product(&box, NULL, E, E));
  const long steps = SANITIZED ? 10 : integrator == MX_LEAPFROG ? 1200 : 400;
  drive_run(ops, &box, integrator, MX_DOUBLE, T / (double)steps, steps, E, H);
  const double error = box_distance(&box, E, truth) / size;
  free(E), free(H), free(truth);
  box_release(&box);
  return error;
}

static void test_waves_of_a_crystal(void **state)
{
  void (*const waves[2])(const double[3], double, double[3]) = {ordinary, extraordinary};
  (void)state;
  for (int w = 0; w < 2; w++)
    for (int alpha = 0; alpha < 2; alpha++)
      for (int i = 0; i < 2; i++) {
        const double coarse = crystal_error(&mx_backend_cpu, 3, alpha, waves[w], integrators[i]),
                     fine = crystal_error(&mx_backend_cpu, 5, alpha, waves[w], integrators[i]);
        print_message("wave %d, flux %d, %s: error %.3g at order 3, %.3g at order 5\n", w, alpha,
                      mx_integrator_names[integrators[i]], coarse, fine);
        assert_true(coarse < 3e-2 && fine < 1.5e-3);
      }
}

/* ---- energy and the limit of the step */

/* 1/2 integral of E . tensor E */
static double energy_of(const struct box *box, const double *E, const double tensor[6])
{
  const size_t Np = (size_t)box->ref.Np;
  double *D = box_field(box);
  for (size_t e = 0; e < box->mesh.K; e++)
    for (size_t i = 0; i < Np; i++) {
      const double *u = E + 3 * Np * e + i, v[3] = {u[0], u[Np], u[2 * Np]};
      double to[3];
      mx_tensor_apply(tensor, v, to);
      for (size_t c = 0; c < 3; c++) D[(3 * e + c) * Np + i] = to[c];
    }
  const double sum = 0.5 * box_product(box, NULL, E, D);
  free(D);
  return sum;
}

static void test_energy(void **state)
{
  (void)state;
  for (int alpha = 0; alpha < 2; alpha++) {
    struct box box = {0};
    make(&box, NULL);
    for (int m = 0; m < 2; m++) give_tensor(&box, m, 0, bent), give_tensor(&box, m, 1, other);
    box_problem(&box, 2, alpha);
    double *E = box_field(&box), *H = box_field(&box);
    box_noise(&box, E);
    const double truth = energy_of(&box, E, bent);
    for (int b = 0; mx_backends[b] != NULL; b++) {
      if (!takes_tensors(mx_backends[b])) continue;
      struct drive drive = drive_new(mx_backends[b], &box, MX_LSRK, MX_DOUBLE, 0.01, E, H);
      drive_observe(&drive);
      assert_true(fabs(drive_energy(&drive) / truth - 1) < 1e-13);
      mx_backends[b]->destroy(drive.backend);
      double rise = 0;
      const double step = 0.95 * box_limit(&box, MX_LEAPFROG),
                   kept = drive_grown(mx_backends[b], &box, MX_LEAPFROG, step, SANITIZED ? 10 : 500, &rise);
      print_message("%s, flux %d: energy %.15g, largest rise %.3g\n", mx_backends[b]->name, alpha, kept, rise);
      if (alpha == 0) assert_true(fabs(kept - 1) < 1e-12 && rise < 1e-13);
      else assert_true(SANITIZED || kept < 0.5);
    }
    free(E), free(H);
    box_release(&box);
  }
}

static void test_limit(void **state)
{
  static const double flat[6] = {1, 0, 0, 1, 0, 30}; /* a medium that is far from a scalar */
  (void)state;
  for (int i = 0; i < INTEGRATORS; i++)
    for (int alpha = 0; alpha < 2; alpha++) {
      struct box box = {0};
      double rise;
      make(&box, NULL);
      give_tensor(&box, 0, 0, flat), give_tensor(&box, 1, 0, bent), give_tensor(&box, 1, 1, other);
      box_problem(&box, 2, alpha);
      const double limit = box_limit(&box, integrators[i]),
                   kept = drive_grown(&mx_backend_cpu, &box, integrators[i], 0.95 * limit, SANITIZED ? 10 : 400, &rise),
                   beyond = drive_grown(&mx_backend_cpu, &box, integrators[i], 0.95 * limit / 0.90,
                                        SANITIZED ? 10 : 800, &rise);
      print_message("%s, flux %d: limit %.4g, energy %.4g, beyond %.3g\n", mx_integrator_names[integrators[i]], alpha,
                    limit, kept, beyond);
      assert_true(kept < 1 + 1e-10 && (SANITIZED || !(beyond < 1e4)));
      box_release(&box);
    }
}

/* ---- backends */

static void many_steps(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                       enum mx_precision precision, double step, double *E, double *H, double sums[2])
{
  const long steps = SANITIZED ? 10 : box->ref.order == 2 ? 1000 : 100;
  int32_t element[3] = {1, 20, (int32_t)box->mesh.K - 1};
  struct dg_error err = {0};
  box_random_state = 5;
  box_noise(box, E), box_noise(box, H);
  struct drive drive = drive_new(ops, box, integrator, precision, step, E, H);
  drive_steps(&drive, steps);
  drive_observe(&drive);
  sums[0] = drive_energy(&drive);
  assert_int_equal(ops->loss(drive.backend, 3, element, &sums[1], &err), 0);
  assert_int_equal(ops->download(drive.backend, E, H, &err), 0);
  ops->destroy(drive.backend);
}

/* With the losses of a loss tangent, which have the axes of epsilon, and an impedance wall. */
static void test_backends_agree(void **state)
{
  (void)state;
  for (int order = 1; order < 4; order++) {
    struct box box = {0};
    make(&box, NULL);
    give_tensor(&box, 0, 0, other), give_tensor(&box, 1, 0, bent), give_tensor(&box, 1, 1, other);
    box.material[1].loss_tangent = 0.01, box.material[1].loss_at = 1e8;
    box_boundary(&box, 1, MX_IMPEDANCE, 5);
    box_problem(&box, order, order % 2);
    double *E = box_field(&box), *H = box_field(&box), *u = box_field(&box), *v = box_field(&box), sums[2][2];
    for (int i = 0; i < INTEGRATORS; i++) {
      const double step = 0.2 * box_limit(&box, MX_LEAPFROG);
      many_steps(&mx_backend_reference, &box, integrators[i], MX_DOUBLE, step, E, H, sums[0]);
      const double size = sqrt(box_product(&box, NULL, E, E) + box_product(&box, NULL, H, H));
      for (int b = 0; mx_backends[b] != NULL; b++)
        for (int single = 0; single < 2 && takes_tensors(mx_backends[b]); single++) {
          const double bound = single ? 2e-4 : 1e-12;
          many_steps(mx_backends[b], &box, integrators[i], (enum mx_precision)single, step, u, v, sums[1]);
          const double apart = box_distance(&box, E, u) + box_distance(&box, H, v);
          assert_true(apart < bound * size);
          for (int k = 0; k < 2; k++) assert_true(sums[0][k] > 0 && fabs(sums[1][k] / sums[0][k] - 1) < bound);
        }
    }
    free(E), free(H), free(u), free(v);
    box_release(&box);
  }
}

/* What an element is shown as where it is said that a medium is a tensor. */
static void refuse(struct box *box, const char *message)
{
  struct dg_error err = {0};
  box->config.alpha = 1;
  assert_int_equal(dg_reference_init(&box->ref, 2, &err), 0);
  assert_int_equal(
      mx_problem_init(&box->problem, &box->assignment, &box->config, &box->mesh, &box->geometry, &box->ref, NULL, &err),
      DG_INPUT);
  if (strstr(err.message, message) == NULL) fail_msg("'%s' is not in '%s'", message, err.message);
  box_release(box);
}

static void bend(void *context, double x[3])
{
  (void)context;
  x[2] += 0.05 * x[0] * x[0];
}

static void test_what_is_refused(void **state)
{
  struct box absorbing = {0}, port = {0}, curved = {0};
  struct dg_error err = {0};
  (void)state;
  make(&absorbing, NULL), give_tensor(&absorbing, 1, 0, bent);
  box_boundary(&absorbing, 2, MX_ABSORBING, 0);
  refuse(&absorbing, "m, where absorbing walls, waves through walls and ports are not there yet, since the medium has "
                     "no single impedance: end the medium before the wall");
  make(&port, NULL), give_tensor(&port, 1, 1, bent);
  box_boundary(&port, 2, MX_LUMPED_PORT, 0);
  refuse(&port, "materials.[2] is a tensor near (");
  make(&curved, NULL), give_tensor(&curved, 1, 0, bent);
  assert_int_equal(dg_mesh_bend(&curved.mesh, 2, bend, NULL, &err), 0);
  refuse(&curved, "m, where curved elements are not there yet (mesh.geometry = 1 makes them straight)");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_multiple_of_one_is_a_scalar),
      cmocka_unit_test(test_a_turned_box_gives_turned_fields),
      cmocka_unit_test(test_waves_of_a_crystal),
      cmocka_unit_test(test_energy),
      cmocka_unit_test(test_limit),
      cmocka_unit_test(test_backends_agree),
      cmocka_unit_test(test_what_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
