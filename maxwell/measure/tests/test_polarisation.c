/* Polarisations of uniform fields in media with poles, against Ampere's law, on all backends that run here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/measure/kinds.h"
#include "maxwell/measure/points.h"

static const double epsilon = 1.5;

static void uniform(const double x[3], double t, double value[3])
{
  (void)x, (void)t;
  value[0] = 1, value[1] = -2, value[2] = 0.5;
}

/* Between magnetic walls a uniform field stays uniform. The medium has bound poles, and with `free` a Drude pole
 * besides.
 */
static void fill(struct box *box, struct mx_measure_config *measure, bool free_charges)
{
  static const int cells[3] = {2, 1, 1};
  static const double size[3] = {20, 10, 10}, c = MX_C0;
  const struct mx_pole_config pole[] = {{MX_POLE_IS_PAIR, {0.5 * c, 9 * c * c, 0.8 * c, 4 * c * c}},
                                        {MX_POLE_IS_REAL, {2 * c, -1 * c}},
                                        {MX_POLE_IS_DRUDE, {4 * c * c, 0.3 * c}}};
  *box = (struct box){0};
  box_random_state = 1;
  box_mesh(box, cells, size, 0, NULL);
  for (int i = 0; i < 2; i++) {
    box_material(box, i + 1, epsilon, 1, 0);
    box->material[i].poles[0].count = free_charges ? 3 : 2;
    memcpy(box->material[i].poles[0].pole, pole, sizeof pole);
  }
  box_boundary(box, 0, MX_PMC, 0);
  box->config.output.measures = 1;
  box->config.output.measure = measure;
  box_problem(box, 2, 1);
}

/* The fields of a run that the test keeps: P, J and E of the last look, natural units. */
struct look {
  double P[3], J[3], E[3];
};

static struct look look_at(const struct mx_measures *measures, const struct drive *drive)
{
  struct look look;
  double value[6], field[6];
  struct dg_error err = {0};
  if (mx_measure_evaluate(measures, 0, drive->ops, drive->backend, value, &err) != 0) fail_msg("%s", err.message);
  const struct mx_measured_points *points = measures->measure[0].own;
  double E[1][6];
  if (drive->ops->sample(drive->backend, 1, points->point, E, &err) != 0) fail_msg("%s", err.message);
  memcpy(field, E[0], sizeof field);
  for (int i = 0; i < 3; i++) {
    look.P[i] = value[i] / MX_EPSILON0;
    look.J[i] = value[3 + i] * MX_ETA0;
    look.E[i] = field[i];
  }
  return look;
}

/* Without a curl, eps (E' - E) is -(P' - P), and so is h times the mean of both currents: exactly with leapfrog. */
static void follow(const struct mx_backend_ops *ops, struct box *box, enum mx_integrator integrator, bool free_charges)
{
  static const double step = 0.02;
  const double rounding = integrator == MX_LEAPFROG ? 1e-13 : 1e-4; /* the trapezoidal rule, for the others */
  double *E = box_field(box), *H = box_field(box), largest = 0;
  struct mx_measures measures;
  struct look before = {{0}, {0}, {0}}, now;
  struct dg_error err = {0};
  box_evaluate(box, uniform, 0, E);
  if (mx_measures_init(&measures, &box->problem, &box->config, &box->mesh, NULL, &err) != 0)
    fail_msg("%s", err.message);
  struct drive drive = drive_new(ops, box, integrator, MX_DOUBLE, step, E, H);
  if (mx_measures_set_options(&measures, &drive.options, &err) != 0) fail_msg("%s", err.message);
  for (int n = 0; n <= 100; n++) {
    drive_observe(&drive);
    now = look_at(&measures, &drive);
    for (size_t c = 0; c < 3; c++) {
      const double change = n == 0 ? 0 : epsilon * (now.E[c] - before.E[c]),
                   current = n == 0 ? 0 : step * (now.J[c] + before.J[c]) / 2, start = E[c * (size_t)box->ref.Np];
      assert_true(fabs(change + current) < rounding);
      if (!free_charges) assert_true(fabs(now.P[c] + epsilon * (now.E[c] - start)) < (rounding < 1e-9 ? 1e-12 : 1e-6));
      if (n == 0) assert_true(fabs(now.P[c]) < 1e-14);
      largest = fmax(largest, fabs(now.P[c]));
    }
    before = now;
    drive_finish(&drive);
  }
  assert_true(largest > 1);
  ops->destroy(drive.backend);
  mx_measures_release(&measures);
  free(E), free(H);
}

static void test_ampere(void **state)
{
  static double where[1][3] = {{3.1, 4.2, 2.3}};
  static struct mx_measure_config measure[] = {
      {.kind = &mx_polarisations.reads, .name = "core", .points = 1, .point = where, .samples = {1, 1}, .every = 1}};
  static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4};
  (void)state;
  for (int free_charges = 0; free_charges < 2; free_charges++) {
    struct box box;
    fill(&box, measure, free_charges > 0);
    for (int b = 0; mx_backends[b] != NULL; b++) {
      struct dg_error err = {0};
      if (mx_backends[b]->available(&err) != 0) continue;
      for (int i = 0; i < 3; i++) follow(mx_backends[b], &box, integrators[i], free_charges > 0);
    }
    box_release(&box);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ampere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
