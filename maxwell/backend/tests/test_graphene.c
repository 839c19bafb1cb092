/* Films of graphene: reflection and transmission against the closed form, the limit of the step, energy, and backends
 * against each other. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/operator/operator.h"
#include "maxwell/terms/face_terms.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/bend.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"
#include "maxwell/tests/sanitized.h"
#include "maxwell/backend/tests/skin_boxes.h"

static const double pi = 3.14159265358979323846;
static struct mx_interface_config film;

/* Graphene on the plane between the volumes. */
static void lay(struct box *box, double potential, double relaxation)
{
  film =
      (struct mx_interface_config){.where = {.tag = 7}, .kind = MX_GRAPHENE, .graphene = {potential, relaxation, 300}};
  box->config.interface = &film;
  box->config.interfaces = 1;
}

/* ---- a pulse that runs along x, with the film in the middle; lengths in m */

static const double length = 600e-6;

static void pulse_E(const double x[3], double t, double value[3])
{
  const double u = (x[0] - 0.25 * length - t) / 25e-6;
  value[0] = value[1] = 0;
  value[2] = exp(-u * u);
}

static void pulse_H(const double x[3], double t, double value[3])
{
  pulse_E(x, t, value);
  value[1] = -value[2];
  value[2] = 0;
}

enum { FREQUENCIES = 2 };
static const double frequency[FREQUENCIES] = {1e12, 3e12};

/* spectrum[in front of the film, behind it][frequency] of Ez. */
static void record(const struct mx_backend_ops *ops, enum mx_integrator integrator, bool filmed,
                   double complex spectrum[2][FREQUENCIES])
{
  static const int cells[3] = {16, 1, 1};
  const double size[3] = {length, length / 16, length / 16};
  struct box box = {0};
  struct dg_error err = {0};
  box_mesh(&box, cells, size, 0, NULL);
  box_material(&box, 0, 1, 1, 0);
  box_boundary(&box, 1, MX_ABSORBING, 0);
  box_boundary(&box, 2, MX_ABSORBING, 0);
  box_boundary(&box, 3, MX_PMC, 0);
  box_boundary(&box, 4, MX_PMC, 0);
  lay(&box, 0.3, 0.5e-12);
  if (!filmed) box.config.interfaces = 0;
  box_problem(&box, 4, 1);
  const double limit = box_limit(&box, integrator), end = 1.6 * length;
  const long steps = (long)ceil(end / (0.6 * limit));
  const double dt = end / (double)steps;
  double *E = box_field(&box), *H = box_field(&box);
  const struct mx_point at[2] = {skin_near(&box, 0.3 * length), skin_near(&box, 0.7 * length)};
  box_evaluate(&box, pulse_E, 0, E), box_evaluate(&box, pulse_H, 0, H);
  struct drive drive = drive_new(ops, &box, integrator, MX_DOUBLE, dt, E, H);
  memset(spectrum, 0, 2 * sizeof *spectrum);
  for (long n = 0; n < steps; n++) {
    double value[2][6];
    drive_observe(&drive);
    assert_int_equal(ops->sample(drive.backend, 2, at, value, &err), 0);
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < FREQUENCIES; i++)
        spectrum[k][i] += dt * value[k][2] * cexp(-2 * pi * I * frequency[i] / MX_C0 * dt * (double)n);
    drive_finish(&drive);
  }
  ops->destroy(drive.backend);
  free(E), free(H);
  box_release(&box);
}

/* |t|^2 and |r|^2 of 0.3 eV, 0.5 ps and 300 K at 1 and 3 THz; [calc] of the project: 0.380271 0.387010, 0.835279
 * 0.102866. */
static void test_film(void **state)
{
  (void)state;
  static const double table[2][FREQUENCIES] = {{0.380271, 0.835279}, {0.387010, 0.102866}};
  const double D = mx_graphene_drude(0.3, 300);
  for (int k = 0; k < 3; k++) {
    if (SANITIZED) continue; /* test_backends_agree runs the same code */
    double complex without[2][FREQUENCIES], with[2][FREQUENCIES];
    const struct mx_backend_ops *ops = k == 1 ? &mx_backend_reference : &mx_backend_cpu;
    record(ops, (enum mx_integrator)k, false, without);
    record(ops, (enum mx_integrator)k, true, with);
    for (int i = 0; i < FREQUENCIES; i++) {
      const double complex Y = D / (1 / 0.5e-12 + 2 * pi * I * frequency[i]) * MX_ETA0;
      const double t = pow(cabs(with[1][i] / without[1][i]), 2),
                   r = pow(cabs((with[0][i] - without[0][i]) / without[1][i]), 2); /* [1] has all of the pulse */
      print_message("%s, %g THz: |t|^2 %.6f, |r|^2 %.6f (closed form %.6f, %.6f)\n", mx_integrator_names[k],
                    frequency[i] / 1e12, t, r, pow(cabs(2 / (2 + Y)), 2), pow(cabs(Y / (2 + Y)), 2));
      assert_true(fabs(pow(cabs(2 / (2 + Y)), 2) / table[0][i] - 1) < 5e-6);
      assert_true(fabs(t / table[0][i] - 1) < 5e-3 && fabs(r / table[1][i] - 1) < 5e-3);
    }
  }
}

/* ---- random boxes of 1 m: the film is as strong as `D` 1/m */

static void random_box(struct box *box, int order, bool bent, double alpha, double D)
{
  skin_box(box, bent);
  box_boundary(box, 3, MX_IMPEDANCE, 100);
  lay(box, 0.3, 1 / MX_C0);
  box_problem(box, order, alpha);
  assert_true(box->problem.skin_faces == 16);
  box->problem.metal[box->config.boundaries].drude = D;
}

static void test_limit(void **state)
{
  (void)state;
  for (int i = 0; i < 8; i += SANITIZED ? 7 : 1) {
    struct box box;
    char what[80];
    const double strength = pow(10, (i * 2) % 5 + 1); /* D h up to 10^5 */
    box_random_state = 100 + (unsigned)i;
    random_box(&box, 2, i >= 6, 0.5 * (i % 3), strength);
    (void)snprintf(what, sizeof what, "D %g, flux %g%s", strength, 0.5 * (i % 3), i >= 6 ? ", curved" : "");
    skin_limit(&box, i % 2 ? MX_LSRK : MX_LEAPFROG, i % 2 ? 1.1 : 1.03, 1e-12, what);
    box_release(&box);
  }
}

static void half_wave(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = value[1] = 0;
  value[2] = sin(pi * x[0]);
}

/* cpu against reference after 300 steps, all integrators, straight and curved. */
static void test_backends_agree(void **state)
{
  (void)state;
  for (int i = 0; i < 6; i++) {
    struct box box;
    random_box(&box, i < 3 ? 3 : 2, i >= 3, i % 2, 3);
    skin_backends_agree(&box, (enum mx_integrator)(i % 3), i >= 3 ? ", curved" : "", half_wave);
    box_release(&box);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_film),
      cmocka_unit_test(test_limit),
      cmocka_unit_test(test_backends_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
