/* Sheets of metal and rough metals: their fits, shielding against the closed form of a slab, the limit of the step,
 * energy, and backends against each other. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/model/media/metal_sheet.h"
#include "maxwell/operator/operator.h"
#include "maxwell/terms/skins.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/bend.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"
#include "maxwell/tests/sanitized.h"
#include "maxwell/backend/tests/skin_boxes.h"

static const double pi = 3.14159265358979323846;
static const double copper = 5.8e7;
static struct mx_interface_config sheet;

/* A sheet on the plane between the volumes. */
static void lay(struct box *box, double sigma, double thickness, double from, double to)
{
  sheet =
      (struct mx_interface_config){.where = {.tag = 7},
                                   .kind = MX_METAL_SHEET,
                                   .metal = {.sigma = sigma, .mu_r = 1, .thickness = thickness, .band = {from, to}}};
  box->config.interface = &sheet;
  box->config.interfaces = 1;
}

/* ---- the fits */

/* Between the points of the fit, too: the closed forms of self and transfer impedance, and passive term by term. */
static void test_fit(void **state)
{
  (void)state;
  static const double thickness[5] = {1e-6, 1e-5, 35e-6, 1e-4, 1e-3};
  for (int i = 0; i < 5; i++) {
    struct mx_skin skin;
    const double from = 2 * pi * 1e6, to = 2 * pi * 1e9, d = thickness[i];
    const struct mx_sheet_fit fit = mx_sheet_fit(MX_MU0, copper, d, from, to, &skin);
    double self = 0, through = 0, sum = skin.direct;
    for (int k = 0; k <= 997; k++) {
      const double w = from * pow(to / from, k / 997.0);
      const double complex s = I * w, Z = csqrt(s * MX_MU0 / copper), q = d * csqrt(s * MX_MU0 * copper);
      const double complex e = cexp(-2 * q), Zs = Z * (1 + e) / (1 - e), Zt = 2 * Z * cexp(-q) / (1 - e);
      double complex a = skin.direct, b = skin.direct;
      for (size_t p = 0; p < skin.poles; p++) {
        a += skin.resistance[p] * s / (s + skin.rate[p]);
        b += skin.transfer[p] * s / (s + skin.rate[p]);
      }
      self = fmax(self, cabs(a / Zs - 1));
      if (w <= fit.faithful) through = fmax(through, cabs(b / Zt - 1));
    }
    for (size_t p = 0; p < skin.poles; p++) {
      assert_true(skin.resistance[p] >= fabs(skin.transfer[p]) && skin.rate[p] > 0);
      sum += skin.transfer[p];
    }
    print_message("%g m: %zu poles, %zu of them coupled: surface %.2g (said %.2g), through %.2g (said %.2g) up to %.3g "
                  "Hz\n",
                  d, skin.poles, fit.coupled, self, fit.surface, through, fit.through, fit.faithful / (2 * pi));
    assert_true(fit.surface <= MX_SKIN_ERROR && self < 1.1 * fit.surface + 1e-6);
    assert_true(fit.through <= MX_SHEET_ERROR && through < 2.1 * MX_SHEET_ERROR && fit.faithful > 0);
    assert_true(fabs(sum) < 1e-14 * skin.direct * (double)skin.poles); /* nothing passes at infinite frequency */
  }
}

/* Losses against the formula of Hammerstad and Jensen, and the inductance against Kramers and Kronig, who give the
 * change against a smooth metal: X(w) = (2 w/pi) int of [R(u) - R(w)]/(u^2 - w^2) du, R the change of resistance. */
static void test_roughness(void **state)
{
  (void)state;
  const double from = 2 * pi * 1e8, to = 2 * pi * 1e11, rms = 1e-6, rough = mx_metal_rough(MX_MU0, copper, rms);
  struct mx_skin skin = {0};
  const double error = mx_skin_fit(from, to, rough, &skin);
  assert_true(error <= MX_SKIN_ERROR);
  for (int k = 0; k <= 6; k++) {
    const double w = from * pow(to / from, k / 6.0), delta = sqrt(2 / (w * MX_MU0 * copper));
    const double formula = 1 + 2 / pi * atan(1.4 * pow(rms / delta, 2));
    double complex Z = 0;
    double X = 0;
    for (size_t p = 0; p < skin.poles; p++) Z += skin.resistance[p] * I * w / (I * w + skin.rate[p]);
    for (int i = -200000; i < 200000;
         i++) { /* u = w exp(y), at midpoints, so that the pole falls between two of them */
      const double y = (i + 0.5) * 2e-4, u = w * exp(y);
      const double change = sqrt(u / 2) * 2 / pi * atan(u / rough) - sqrt(w / 2) * 2 / pi * atan(w / rough);
      X += 2 * w / pi * change / (u * u - w * w) * u * 2e-4;
    }
    X += sqrt(w / 2); /* of a smooth metal */
    print_message(
        "%.3g Hz: losses %.4f of a smooth metal's (formula %.4f), inductance %.4f (Kramers and Kronig %.4f)\n",
        w / (2 * pi), creal(Z) / sqrt(w / 2), formula, cimag(Z) / sqrt(w / 2), X / sqrt(w / 2));
    assert_true(fabs(creal(Z) / (sqrt(w / 2) * formula) - 1) < 3e-3);
    assert_true(fabs(cimag(Z) / X - 1) < 4e-3);
  }
  for (size_t p = 0; p < skin.poles; p++) assert_true(skin.resistance[p] > 0 && skin.rate[p] > 0);
}

/* ---- shielding: a pulse that runs along x, with the sheet in the middle of a bar */

static double length; /* m */

static void pulse_E(const double x[3], double t, double value[3])
{
  const double u = (x[0] - 0.25 * length - t) / (length / 24);
  value[0] = value[1] = 0;
  value[2] = exp(-u * u);
}

static void pulse_H(const double x[3], double t, double value[3])
{
  pulse_E(x, t, value);
  value[1] = -value[2];
  value[2] = 0;
}

/* |integral of Ez dt| of the pulse. */
static double pulse_spectrum(double f)
{
  const double width = length / 24;
  return width * sqrt(pi) * exp(-pow(pi * f / MX_C0 * width, 2));
}

struct shield {
  double length, thickness, behind; /* m, m, relative epsilon of the medium behind */
  double from, to, duration;        /* Hz, Hz, c0 t in m */
  enum mx_integrator integrator;
  enum mx_precision precision;
};
enum { FREQUENCIES = 7 };

static double frequency_of(const struct shield *shield, int i)
{
  return shield->from * pow(shield->to / shield->from, i / (FREQUENCIES - 1.0));
}

/* The spectrum of Ez that has passed: that of its changes over j w, since a coarse mesh leaves some static field. */
static void record(const struct mx_backend_ops *ops, const struct shield *shield, double complex spectrum[FREQUENCIES])
{
  static const int cells[3] = {12, 1, 1};
  struct box box = {0};
  struct dg_error err = {0};
  length = shield->length;
  box_mesh(&box, cells, (const double[]){length, length / 12, length / 12}, 0, NULL);
  box_material(&box, 1, 1, 1, 0);
  box_material(&box, 2, shield->behind, 1, 0);
  box_boundary(&box, 1, MX_ABSORBING, 0);
  box_boundary(&box, 2, MX_ABSORBING, 0);
  box_boundary(&box, 3, MX_PMC, 0);
  box_boundary(&box, 4, MX_PMC, 0);
  lay(&box, copper, shield->thickness, shield->from, shield->to);
  box_problem(&box, 4, 1);
  const double end = shield->duration;
  const long steps = (long)ceil(end / (0.8 * box_limit(&box, shield->integrator)));
  const double dt = end / (double)steps;
  double *E = box_field(&box), *H = box_field(&box);
  const struct mx_point at = skin_near(&box, 0.5 * length + length / 24); /* in the cell behind the sheet */
  box_evaluate(&box, pulse_E, 0, E), box_evaluate(&box, pulse_H, 0, H);
  struct drive drive = drive_new(ops, &box, shield->integrator, shield->precision, dt, E, H);
  double before = 0;
  memset(spectrum, 0, FREQUENCIES * sizeof *spectrum);
  for (long n = 0; n < steps; n++) {
    double value[1][6];
    drive_observe(&drive);
    assert_int_equal(ops->sample(drive.backend, 1, &at, value, &err), 0);
    for (int i = 0; i < FREQUENCIES; i++) {
      const double complex w = 2 * pi * I * dt / MX_C0 * frequency_of(shield, i);
      spectrum[i] += dt * (value[0][2] - before) * cexp(-w * (double)n) / (1 - cexp(-w));
    }
    before = value[0][2];
    drive_finish(&drive);
  }
  ops->destroy(drive.backend);
  free(E), free(H);
  box_release(&box);
}

/* The transmission of a slab, its displacement current included. */
static double slab(double f, double thickness, double behind)
{
  const double complex s = 2 * pi * I * f, y = copper + s * MX_EPSILON0, Z = csqrt(s * MX_MU0 / y),
                       e = cexp(-thickness * csqrt(s * MX_MU0 * y));
  const double Z1 = MX_ETA0, Z2 = MX_ETA0 / sqrt(behind);
  return cabs(4 * Z * Z2 * e / ((Z1 + Z) * (Z2 + Z) - (Z1 - Z) * (Z2 - Z) * e * e));
}

static void check_shield(const struct mx_backend_ops *ops, const struct shield *shield)
{
  double complex passes[FREQUENCIES];
  record(ops, shield, passes);
  for (int k = 0; k < FREQUENCIES; k++) {
    const double f = frequency_of(shield, k);
    const double found = 20 * log10(cabs(passes[k]) / pulse_spectrum(f)),
                 exact = 20 * log10(slab(f, shield->thickness, shield->behind));
    print_message("%s, %s%s, %g m, %.3g Hz: %.3f dB (closed form %.3f)\n", ops->name,
                  mx_integrator_names[shield->integrator], shield->precision == MX_SINGLE ? ", single" : "",
                  shield->thickness, f, found, exact);
    assert_true(fabs(found - exact) < 0.1);
  }
}

/* On all backends but the reference, which takes its time. */
static void test_shielding(void **state)
{
  (void)state;
  static const struct shield shields[] = {
      {1, 10e-6, 1, 1e6, 1e9, 3, MX_LEAPFROG, MX_DOUBLE},       {1, 10e-6, 4, 1e6, 1e9, 3, MX_RK4, MX_DOUBLE},
      {1, 10e-6, 1, 1e6, 1e9, 3, MX_LSRK, MX_SINGLE},           {2, 35e-6, 1, 1e6, 2e8, 22, MX_LEAPFROG, MX_SINGLE},
      {2400, 1e-3, 1, 1e4, 7e5, 25000, MX_LEAPFROG, MX_DOUBLE},
  };
  for (int b = 0; mx_backends[b] != NULL && !SANITIZED; b++) { /* test_backends_agree runs the same code */
    struct dg_error err = {0};
    if (mx_backends[b] == &mx_backend_reference || mx_backends[b]->available(&err) != 0) continue;
    for (size_t i = 0; i < sizeof shields / sizeof *shields; i++) check_shield(mx_backends[b], &shields[i]);
  }
}

/* ---- random boxes of 1 m, with sheets that matter */

static void random_box(struct box *box, int order, bool bent, double alpha)
{
  skin_box(box, bent);
  box_boundary(box, 3, MX_IMPEDANCE, 100);
  const double sigma = pow(10, 1 + 3 * box_random()), depth = 1 / sqrt(pi * MX_C0 / 2 * MX_MU0 * sigma);
  lay(box, sigma, depth * pow(10, box_random() - 0.5), MX_C0 / 20, MX_C0 * 5);
  box_problem(box, order, alpha);
  assert_true(box->problem.skin_faces == 16);
}

/* Currents of both faces have components along the same edges at the same nodes, so that they add up as they are, as a
 * card has them. */
static void test_same_edges(void **state)
{
  (void)state;
  for (int bent = 0; bent < 2; bent++) {
    struct box box;
    double worst = 0;
    box_random_state = 7;
    random_box(&box, 3, bent != 0, 1);
    for (size_t k = 0; k < box.problem.skin_faces; k++) {
      const int32_t own = box.problem.skin_face[k], far = box.problem.far[own / 4][own % 4] - 1;
      double v[3 * DG_NF_MAX], along[2][2 * DG_NF_MAX];
      for (size_t i = 0; i < 3 * (size_t)box.ref.Nf; i++) v[i] = box_random() - 0.5;
      assert_true(far >= 0);
      skin_along(&box, (size_t)own / 4, (size_t)own % 4, v, along[0]);
      skin_along(&box, (size_t)far / 4, (size_t)far % 4, v, along[1]);
      for (size_t i = 0; i < 2 * (size_t)box.ref.Nf; i++) worst = fmax(worst, fabs(along[0][i] - along[1][i]));
    }
    print_message("%s: they differ by %.2g\n", bent ? "curved" : "straight", worst);
    assert_true(worst < 1e-14);
    box_release(&box);
  }
}

static void test_limit(void **state)
{
  (void)state;
  for (int i = 0; i < 8; i += SANITIZED ? 7 : 1) {
    struct box box;
    char what[80];
    box_random_state = 200 + (unsigned)i;
    random_box(&box, 2, i >= 6, 0.5 * (i % 3));
    (void)snprintf(what, sizeof what, "%.3g S/m, %.3g m, flux %g%s", sheet.metal.sigma, sheet.metal.thickness,
                   0.5 * (i % 3), i >= 6 ? ", curved" : "");
    skin_limit(&box, i % 2 ? MX_LSRK : MX_LEAPFROG, 1.05, 0, what);
    box_release(&box);
  }
}

static void half_wave(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = value[1] = 0;
  value[2] = sin(pi * x[0]) + (x[0] < 0.5);
}

/* cpu against reference after 300 steps, all integrators, straight and curved. */
static void test_backends_agree(void **state)
{
  (void)state;
  for (int i = 0; i < 6; i++) {
    struct box box;
    random_box(&box, i < 3 ? 3 : 2, i >= 3, i % 2);
    skin_backends_agree(&box, (enum mx_integrator)(i % 3), i >= 3 ? ", curved" : "", half_wave);
    box_release(&box);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fit),        cmocka_unit_test(test_roughness), cmocka_unit_test(test_shielding),
      cmocka_unit_test(test_same_edges), cmocka_unit_test(test_limit),     cmocka_unit_test(test_backends_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
