/* Resistive sheets: reflection and transmission of a pulse against the closed form, the symmetry of the operator on
 * which the proof of the step limit rests (share/doc/design/sheets.md), the limit itself, and backends against each
 * other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/operator/operator.h"
#include "maxwell/output/powers/powers.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/bend.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"
#include "maxwell/tests/sanitized.h"

static struct mx_interface_config sheet;

/* A sheet on the plane between the volumes. */
static void lay(struct box *box, double ohm)
{
  sheet = (struct mx_interface_config){.where = {.tag = 7}, .kind = MX_RESISTIVE_SHEET, .resistance = ohm};
  box->config.interface = &sheet;
  box->config.interfaces = 1;
}

static void for_backends_with_sheets(void (*check)(const struct mx_backend_ops *ops))
{
  int ran = 0;
  for (int i = 0; mx_backends[i] != NULL; i++) {
    struct dg_error err = {0};
    if (mx_backends[i]->available(&err) != 0) continue;
    check(mx_backends[i]);
    ran++;
  }
  assert_true(ran >= 2); /* and a card, where there is one */
}

/* A pulse that runs along x from vacuum through the sheet at x = 1/2 into a medium of this index. */
static double across = 1, reflected, transmitted;

static double pulse(double u) { return exp(-(u * u) / (0.08 * 0.08)); }

static void pulse_E(const double x[3], double t, double value[3])
{
  const bool behind = x[0] > 0.5;
  value[0] = value[1] = 0;
  value[2] = behind ? transmitted * pulse((x[0] - 0.5) * across + 0.25 - t)
                    : pulse(x[0] - 0.25 - t) + reflected * pulse(0.75 - x[0] - t);
}

static void pulse_H(const double x[3], double t, double value[3])
{
  const bool behind = x[0] > 0.5;
  value[0] = value[2] = 0;
  value[1] = behind ? -across * transmitted * pulse((x[0] - 0.5) * across + 0.25 - t)
                    : -pulse(x[0] - 0.25 - t) + reflected * pulse(0.75 - x[0] - t);
}

/* As box_evaluate, but each node belongs to the side of its element's centre. */
static void evaluate(const struct box *box, void (*f)(const double x[3], double t, double value[3]), double t,
                     double *field)
{
  const size_t Np = (size_t)box->ref.Np;
  for (size_t e = 0; e < box->mesh.K; e++)
    for (size_t i = 0; i < Np; i++) {
      double x[3], centre[3], value[3];
      dg_geometry_point(&box->mesh, e, box->ref.r[i], box->ref.s[i], box->ref.t[i], x);
      dg_geometry_barycentre(&box->mesh, e, centre);
      if (fabs(x[0] - 0.5) < 1e-9) x[0] += centre[0] > 0.5 ? 2e-9 : -2e-9;
      f(x, t, value);
      for (size_t c = 0; c < 3; c++) field[(3 * e + c) * Np + i] = value[c];
    }
}

static double *pulse_at(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                        double T, long steps)
{
  double *E = box_field(box), *H = box_field(box);
  evaluate(box, pulse_E, 0, E), evaluate(box, pulse_H, 0, H);
  drive_run(ops, box, integrator, MX_DOUBLE, T / (double)steps, steps, E, H);
  free(H);
  return E;
}

/* Sheets of eta0/2 (T = 1/2, R = -1/2), of 1 ohm, of 1 kohm and on glass. */
static void check_pulses(const struct mx_backend_ops *ops)
{
  static const int cells[3] = {24, 1, 1};
  static const double bar[3] = {1, 0.05, 0.05};
  static const double cases[4][2] = {{0.5, 1}, {1 / MX_ETA0, 1}, {1000 / MX_ETA0, 1}, {0.5, 1.5}};
  for (int i = 0; i < 4; i++) {
    struct box box = {0};
    const double Y = 1 / cases[i][0];
    if ((SANITIZED || ops != &mx_backend_cpu) && i % 3 != 0) continue; /* it takes its time */
    across = cases[i][1];
    transmitted = 2 / (1 + across + Y);
    reflected = transmitted - 1;
    if (i == 0) assert_true(transmitted == 0.5 && reflected == -0.5);
    box_mesh(&box, cells, bar, 0, NULL);
    box_material(&box, 1, 1, 1, 0);
    box_material(&box, 2, across * across, 1, 0);
    box_boundary(&box, 1, MX_ABSORBING, 0);
    box_boundary(&box, 2, MX_ABSORBING, 0);
    box_boundary(&box, 3, MX_PMC, 0);
    box_boundary(&box, 4, MX_PMC, 0);
    lay(&box, cases[i][0] * MX_ETA0);
    box_problem(&box, 5, i % 2);
    const double T = SANITIZED ? 0.01 : 0.45;
    const long steps = (long)ceil(T / (0.95 * box_limit(&box, MX_LEAPFROG)));
    /* leapfrog against Runge-Kutta: the error in time alone */
    double *exact = box_field(&box), *E[3];
    evaluate(&box, pulse_E, T, exact);
    E[0] = pulse_at(ops, &box, i % 2 ? MX_LSRK : MX_RK4, T, steps);
    for (int k = 1; k < 3; k++) E[k] = pulse_at(ops, &box, MX_LEAPFROG, T, k * steps);
    const double space = box_distance(&box, E[0], exact), coarse = box_distance(&box, E[1], E[0]),
                 fine = box_distance(&box, E[2], E[0]);
    for (int k = 0; k < 3; k++) free(E[k]);
    free(exact);
    print_message("%s sheet %.4g ohm, index %g: Runge-Kutta %.3g, leapfrog %.3g, %.3g: order %.3f\n", ops->name,
                  sheet.resistance, across, space, coarse, fine, log2(coarse / fine));
    assert_true(space < 1e-6);
    assert_true(SANITIZED || (log2(coarse / fine) > 1.9 && log2(coarse / fine) < 2.1));
    box_release(&box);
  }
}

static void test_pulses(void **state)
{
  (void)state;
  for_backends_with_sheets(check_pulses);
}

static double random_ohm(void) { return MX_ETA0 * pow(10, 4 * box_random() - 2); }

static void random_box(struct box *box, int order, bool bent, double alpha)
{
  *box = (struct box){0};
  box_mesh(box, (const int[]){2, 2, 2}, (const double[]){1, 0.8, 0.7}, 0.2, NULL);
  if (bent) box_bend(box, 2, 0.5, 0.5);
  box_material(box, 1, 1 + 3 * box_random(), 1 + box_random(), 0);
  box_material(box, 2, 1 + 3 * box_random(), 1 + box_random(), 0.01);
  box_boundary(box, 1, MX_ABSORBING, 0);
  box_boundary(box, 3, MX_IMPEDANCE, random_ohm());
  lay(box, random_ohm());
  box_problem(box, order, alpha);
}

/* The work of the rates dE, dH in the energy's inner product with E, H. */
static double work(const struct mx_powers *powers, const double *E, const double *dE, const double *H, const double *dH)
{
  return mx_powers_work(powers, MX_AMPERE, E, dE) + mx_powers_work(powers, MX_FARADAY, H, dH);
}

/* dE/dt = C H - D E, dH/dt = -C^T E - D H with any strengths of the two sorts of penalties: C is skew, D symmetric and
 * not negative, and energy falls by exactly what mx_powers_penalty says. */
static void test_symmetry(void **state)
{
  (void)state;
  static const struct mx_penalty none = {0, 0}, twice = {.inner = 1, .open = 2};
  for (int order = 1; order <= 8; order += !SANITIZED ? 1 : order == 1 ? 3 : 4)
    for (int bent = 0; bent < (order <= 4 ? 2 : 1); bent++) {
      struct box box;
      struct mx_powers powers;
      struct dg_error err = {0};
      const struct mx_backend_options options = {.integrator = MX_LEAPFROG, .step = 1e-3};
      random_box(&box, order, bent != 0, 0.5);
      assert_true(box.problem.sheet_faces == 16);
      if (mx_powers_init(&powers, &box.problem, &options, &err) != 0) fail_msg("%s", err.message);
      double *u[4], *rate[2] = {box_field(&box), box_field(&box)}, cross[2] = {0, 0};
      for (int i = 0; i < 4; i++) box_noise(&box, u[i] = box_field(&box));
      for (int i = 0; i < 2; i++) {
        const enum mx_equation equation = (enum mx_equation)i;
        mx_rate_double(&box.problem, powers.matrices, equation, none, u[i], u[1 - i], NULL, rate[i]);
      }
      const double size = fabs(mx_powers_work(&powers, MX_AMPERE, u[0], rate[0])),
                   skew = work(&powers, u[0], rate[0], u[1], rate[1]);
      double taken = 0, power = 0;
      for (int i = 0; i < 2; i++) {
        const enum mx_equation equation = (enum mx_equation)i;
        const struct mx_penalty_powers part = mx_powers_penalty(&powers, equation, u[i]);
        assert_true(part.sheets > 0);
        taken += part.closed + part.open + part.sheets;
        mx_powers_rate(&powers, equation, u[i], u[1 - i], rate[i]);
        power += mx_powers_work(&powers, equation, u[i], rate[i]);
        /* D alone, as the other field is zero */
        memset(rate[i], 0, 3 * (size_t)box.ref.Np * box.mesh.K * sizeof *rate[i]);
        double *zero = box_field(&box), *D = box_field(&box);
        for (int k = 0; k < 2; k++) {
          mx_rate_double(&box.problem, powers.matrices, equation, twice, u[i + 2 * k], zero, NULL, D);
          cross[k] += mx_powers_work(&powers, equation, u[i + 2 * (1 - k)], D);
        }
        free(zero), free(D);
      }
      print_message("order %d%s: skew to %.2g, symmetric to %.2g, power to %.2g\n", order, bent ? ", curved" : "",
                    fabs(skew) / size, fabs(cross[1] / cross[0] - 1), fabs(power / taken + 1));
      assert_true(fabs(skew) < 1e-11 * size);
      assert_true(fabs(cross[1] / cross[0] - 1) < 1e-10);
      assert_true(fabs(power / taken + 1) < 1e-10);
      for (int i = 0; i < 4; i++) free(u[i]);
      free(rate[0]), free(rate[1]);
      mx_powers_release(&powers);
      box_release(&box);
    }
}

/* Noise never grows at 0.995 of the limit and does beyond 1.02 of it. */
static void test_limit(void **state)
{
  (void)state;
  for (int i = 0; i < 6; i += SANITIZED ? 5 : 1) {
    struct box box;
    double rise;
    box_random_state = 100 + (unsigned)i;
    random_box(&box, 2, i == 5, 0.5 * (i % 3));
    const double limit = box_limit(&box, MX_LEAPFROG),
                 below = drive_grown(&mx_backend_cpu, &box, MX_LEAPFROG, 0.995 * limit, SANITIZED ? 5 : 2000, &rise),
                 above = drive_grown(&mx_backend_cpu, &box, MX_LEAPFROG, 1.02 * limit, SANITIZED ? 5 : 1000, &rise);
    print_message("sheet %.4g ohm, flux %g: energy %.3g below, %.3g above the limit\n", sheet.resistance, 0.5 * (i % 3),
                  below, above);
    assert_true(SANITIZED || below < 0.5);
    assert_true(SANITIZED || !(above < 1e3));
    box_release(&box);
  }
}

/* cpu against reference after 1000 steps, all integrators, straight and curved. */
static void test_backends_agree(void **state)
{
  (void)state;
  for (int i = 0; i < 6; i++) {
    const enum mx_integrator integrator = (enum mx_integrator)(i % 3);
    struct box box;
    random_box(&box, i < 3 ? 3 : 2, i >= 3, i % 2);
    const double step = 0.9 * box_limit(&box, integrator);
    double *E[2], *H[2], norm = 0;
    static const struct mx_backend_ops *const ops[2] = {&mx_backend_reference, &mx_backend_cpu};
    for (int k = 0; k < 2; k++) {
      E[k] = box_field(&box), H[k] = box_field(&box);
      evaluate(&box, pulse_E, 0.2, E[k]), evaluate(&box, pulse_H, 0.2, H[k]);
      norm = sqrt(box_product(&box, NULL, E[k], E[k]));
      drive_run(ops[k], &box, integrator, MX_DOUBLE, step, SANITIZED ? 5 : 1000, E[k], H[k]);
    }
    const double off = box_distance(&box, E[0], E[1]) / norm;
    print_message("%s%s: differ by %.2g\n", mx_integrator_names[integrator], i >= 3 ? ", curved" : "", off);
    assert_true(off < 1e-12);
    for (int k = 0; k < 2; k++) free(E[k]), free(H[k]);
    box_release(&box);
  }
}

/* A sheet of very many ohms is none, and one of almost none is a conductor. */
static void test_extremes(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    double *E[2];
    double norm = 0;
    for (int k = 0; k < 2; k++) {
      struct box box = {0};
      box_mesh(&box, (const int[]){2, 1, 1}, (const double[]){1, 0.5, 0.5}, 0, NULL);
      box_material(&box, 0, 1, 1, 0);
      lay(&box, i == 0 ? 1e12 : 1e-9);
      if (k == 1 && i == 0) box.config.interfaces = 0;
      if (k == 1 && i == 1) sheet.kind = MX_CONDUCTING_SHEET;
      box_problem(&box, 3, 1);
      double *H = box_field(&box);
      E[k] = box_field(&box);
      evaluate(&box, pulse_E, 0.1, E[k]), evaluate(&box, pulse_H, 0.1, H);
      drive_run(&mx_backend_cpu, &box, MX_LSRK, MX_DOUBLE, 0.005, SANITIZED ? 10 : 100, E[k], H);
      if (k == 1) norm = box_distance(&box, E[0], E[1]) / sqrt(box_product(&box, NULL, E[1], E[1]));
      free(H);
      box_release(&box);
    }
    print_message("%s: differ by %.2g\n", i == 0 ? "none" : "a conductor", norm);
    assert_true(norm < 1e-7);
    free(E[0]), free(E[1]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pulses),         cmocka_unit_test(test_symmetry), cmocka_unit_test(test_limit),
      cmocka_unit_test(test_backends_agree), cmocka_unit_test(test_extremes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
