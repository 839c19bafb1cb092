/* Fits of poles: exact sums of poles found again, passivity far beyond the band, noise, gain, and materials that others
 * have published: gold, silicon, silica, water and a tissue. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libdg/base/memory.h"
#include "maxwell/fit/fit.h"

enum { MOST = 400 };
static const double PI = 3.14159265358979323846, C0 = 299792458, EPS0 = 8.8541878128e-12;

static double draw(uint64_t *state) /* 0 to 1 */
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) / 9007199254740992.0;
}

struct data {
  size_t count;
  double w[MOST];
  double complex eps[MOST];
};

static void band(struct data *data, size_t count, double from, double to)
{
  data->count = count;
  for (size_t i = 0; i < count; i++) data->w[i] = 2 * PI * from * pow(to / from, (double)i / (double)(count - 1));
}

static struct mx_fit_result fit(const struct data *data, int poles, double tolerance)
{
  const struct mx_fit_table table = {data->count, data->w, data->eps};
  const struct mx_fit_options options = {.poles = poles, .tolerance = tolerance, .least_epsilon = 1};
  struct mx_fit_result result;
  struct dg_error err = {0};
  if (mx_fit(&table, &options, &result, &err) != 0) fail_msg("%s", err.message);
  return result;
}

/* The errors that the result tells, from its model alone. */
static void check_errors(const struct data *data, const struct mx_fit_result *result)
{
  double max = 0;
  for (size_t i = 0; i < data->count; i++)
    max = fmax(max, fabs(creal(mx_fit_evaluate(&result->model, data->w[i]) - data->eps[i])) / cabs(data->eps[i]));
  assert_true(fabs(max - result->real_error) <= 1e-6 * max + 1e-13);
  assert_true(result->max_error == fmax(result->real_error, result->loss_error));
}

/* Im eps, as a part of the sum of the sizes of its terms: rounding is 1e-16 of that. */
static double gain(const struct mx_fit_model *model, double w)
{
  double size = model->sigma / (w * EPS0);
  for (size_t p = 0; p < model->poles; p++) {
    const struct mx_fit_pole *pole = &model->pole[p];
    size += cabs(pole->c / (I * w - pole->a)) + (cimag(pole->a) > 0 ? cabs(pole->c / (I * w - conj(pole->a))) : 0);
  }
  return size > 0 ? cimag(mx_fit_evaluate(model, w)) / size : 0;
}

/* Im eps <= 0 at frequencies that the fit has not looked at, from a millionth of the lowest to a million times the
 * highest of band and poles, and densely around each resonance. */
static void check_passive(const struct data *data, const struct mx_fit_result *result)
{
  static const double rounding = 1e-14;
  const struct mx_fit_model *model = &result->model;
  double low = data->w[0], high = data->w[data->count - 1], worst = -1;
  for (size_t p = 0; p < model->poles; p++) {
    const double complex a = model->pole[p].a;
    assert_true(creal(a) < 0 && cimag(a) >= 0);
    low = fmin(low, cabs(a));
    high = fmax(high, cabs(a));
    for (int i = -2000; i <= 2000 && cimag(a) > 0; i++) {
      const double w = cimag(a) + sinh(i * 0.005) * fabs(creal(a));
      if (w > 0) worst = fmax(worst, gain(model, w));
    }
  }
  for (int i = 0; i <= 30011; i++) worst = fmax(worst, gain(model, low * 1e-6 * pow(high / low * 1e12, i / 30011.0)));
  if (worst > rounding) fail_msg("gain: %g of the sum of the terms", worst);
  assert_true(model->epsilon_r >= 1 && model->sigma >= 0);
}

static void report(const char *name, const struct mx_fit_result *r)
{
  print_message("%s: %zu poles (%d states), largest error %.4f, rms %.4f; free %.4f %.4f; epsilon_r %.4f sigma %.4g\n",
                name, r->model.poles, r->states, r->max_error, r->rms_error, r->free_max, r->free_rms,
                r->model.epsilon_r, r->model.sigma);
}

/* Sums of Debye, Lorentz and Drude terms and a conductivity are found again. */
static void test_exact(void **unused)
{
  (void)unused;
  uint64_t seed = 7;
  for (int round = 0; round < 20; round++) {
    struct mx_fit_model model = {.epsilon_r = 1 + 4 * draw(&seed)};
    struct data data;
    band(&data, 60, 1e9, 1e11);
    const int pairs = round % 3, reals = (round / 3) % 3;
    for (int p = 0; p < pairs + reals; p++) {
      const double w = data.w[0] * pow(100, (p + 0.2 + 0.6 * draw(&seed)) / (pairs + reals)),
                   size = 1 + 3 * draw(&seed);
      struct mx_fit_pole *pole = &model.pole[model.poles++];
      pole->a = p < reals ? -w : (-0.02 - 0.3 * draw(&seed)) * w + w * I;
      pole->c = p < reals ? size * w : -I * size * w;
    }
    if (round % 2 == 1) model.sigma = 0.5 + draw(&seed);
    for (size_t i = 0; i < data.count; i++) data.eps[i] = mx_fit_evaluate(&model, data.w[i]);
    const struct mx_fit_result result = fit(&data, 8, 1e-10);
    assert_true(result.max_error <= 1e-10);
    assert_int_equal(result.states, 2 * pairs + reals);
    check_errors(&data, &result);
    check_passive(&data, &result);
    for (int i = 0; i < 130; i++) { /* between the points */
      const double w = data.w[0] * pow(100, i / 130.0);
      assert_true(cabs(mx_fit_evaluate(&result.model, w) / mx_fit_evaluate(&model, w) - 1) < 1e-9);
    }
  }
}

/* A laminate: eps 4.4 with a loss tangent that is the same from 1 to 10 GHz, or rises. The loss is one per cent of eps
 * or less, and must be right by itself. */
static void test_laminates(void **unused)
{
  static const double tangent[] = {2e-2, 4e-3, 1e-3, 1e-4};
  (void)unused;
  for (int n = 0; n < 8; n++)
    for (int points = 5; points <= 41; points += 36) {
      struct data data;
      band(&data, (size_t)points, 1e9, 1e10);
      for (size_t i = 0; i < data.count; i++)
        data.eps[i] = 4.4 * (1 - I * tangent[n / 2] * (1 + n % 2 * 0.3 * log10(data.w[i] / data.w[0])));
      const struct mx_fit_result result = fit(&data, 8, 0.01);
      check_errors(&data, &result);
      check_passive(&data, &result);
      assert_true(result.max_error <= 0.01);
      for (size_t i = 0; i < data.count; i++) {
        const double complex eps = mx_fit_evaluate(&result.model, data.w[i]);
        const double ratio = cimag(eps) / creal(eps) / (cimag(data.eps[i]) / creal(data.eps[i]));
        if (!(fabs(ratio - 1) < 0.021)) fail_msg("tan %g, %d points: off by %g", tangent[n / 2], points, ratio - 1);
      }
    }
}

/* A Drude metal is a conductivity and a negative Debye term: passive only together, and on the edge of it at high
 * frequencies. */
static void test_drude(void **unused)
{
  (void)unused;
  const double wp = 1.39e16, gamma = 3.23e13;
  struct data data;
  band(&data, 80, 1e14, 1e15);
  for (size_t i = 0; i < data.count; i++) data.eps[i] = 1 - wp * wp / (data.w[i] * (data.w[i] - I * gamma));
  const struct mx_fit_result result = fit(&data, 8, 1e-7); /* of the loss by itself, some hundredth of eps */
  assert_int_equal(result.states, 1);
  assert_true(fabs(result.model.sigma / (EPS0 * wp * wp / gamma) - 1) < 1e-5);
  assert_true(fabs(-creal(result.model.pole[0].a) / gamma - 1) < 1e-5);
  check_passive(&data, &result);
}

/* Noise of 1 %: the fit is better than the data, does not take the noise for poles, and stays passive. */
static void test_noise(void **unused)
{
  (void)unused;
  uint64_t seed = 3;
  struct data data;
  double complex truth[MOST];
  band(&data, 200, 1e9, 1e11);
  for (size_t i = 0; i < data.count; i++) {
    truth[i] = 5.2 + 73.2 / (1 + I * data.w[i] * 8.27e-12);
    data.eps[i] = truth[i] * (1 + 0.02 * (draw(&seed) - 0.5) + 0.02 * (draw(&seed) - 0.5) * I);
  }
  const struct mx_fit_result result = fit(&data, 8, 0.015);
  double worst = 0;
  for (size_t i = 0; i < data.count; i++)
    worst = fmax(worst, cabs(mx_fit_evaluate(&result.model, data.w[i]) / truth[i] - 1));
  assert_true(result.states <= 2);
  assert_true(worst < 0.005);
  check_errors(&data, &result);
  check_passive(&data, &result);
}

/* Lossless data with 1 % of noise in the losses, half of it gain. */
static void test_no_losses(void **unused)
{
  (void)unused;
  uint64_t seed = 5;
  struct data data;
  band(&data, 100, 1e14, 1e15);
  for (size_t i = 0; i < data.count; i++) {
    const double w = data.w[i] / (2 * PI * 2e15);
    data.eps[i] = 2 + 1 / (1 - w * w) + 0.02 * (draw(&seed) - 0.5) * I;
  }
  const struct mx_fit_result result = fit(&data, 8, 0.01);
  assert_true(result.max_error <= 0.01);
  check_passive(&data, &result);
}

/* A line with gain: the fit is passive, and says what that costs. */
static void test_gain(void **unused)
{
  (void)unused;
  struct data data;
  band(&data, 100, 1e9, 1e10);
  for (size_t i = 0; i < data.count; i++) {
    const double w = data.w[i] / (2 * PI * 3e9);
    data.eps[i] = 4 + 3 / (1 + I * w) - 0.2 / (1 - w * w + 0.1 * I * w);
  }
  const struct mx_fit_result result = fit(&data, 4, 0.01);
  report("gain", &result);
  assert_true(result.free_max < 0.9 * result.max_error);
  assert_true(result.max_error > 0.05);
  check_errors(&data, &result);
  check_passive(&data, &result);
}

/* Each allocation fails once: an error, and nothing is left behind. */
static void test_no_memory(void **unused)
{
  (void)unused;
  struct data data;
  band(&data, 6, 1e9, 1e10);
  for (size_t i = 0; i < data.count; i++) data.eps[i] = 5.2 + 73.2 / (1 + I * data.w[i] * 8.27e-12);
  const struct mx_fit_table table = {data.count, data.w, data.eps};
  const struct mx_fit_options options = {.poles = 1, .tolerance = 1e-6, .least_epsilon = 1};
  const size_t before = dg_memory_current();
  struct mx_fit_result result;
  long failures = 0;
  for (long n = 1;; n += 1 + n / 8) {
    struct dg_error err = {0};
    dg_memory_fail_at(n);
    const int status = mx_fit(&table, &options, &result, &err);
    dg_memory_fail_at(0);
    assert_int_equal(dg_memory_current(), before);
    if (status == 0) break;
    assert_int_equal(err.code, DG_ENVIRONMENT);
    failures++;
  }
  assert_true(failures > 20 && result.states == 1 && result.max_error <= 1e-6);
}

/* ---- what others have published ---- */

/* Reads wavelength in um, n, k. */
static void read_table(struct data *data, const char *name)
{
  char path[4096], line[256];
  double um, n, k;
  snprintf(path, sizeof path, "%s/%s", CURLEW_FIT_TABLES, name);
  FILE *file = fopen(path, "r");
  if (file == NULL) fail_msg("cannot read %s", path);
  data->count = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "%lf,%lf,%lf", &um, &n, &k) != 3) continue;
    memmove(data->w + 1, data->w, data->count * sizeof *data->w);
    memmove(data->eps + 1, data->eps, data->count * sizeof *data->eps);
    data->w[0] = 2 * PI * C0 / (um * 1e-6);
    data->eps[0] = (n - I * k) * (n - I * k);
    data->count++;
  }
  fclose(file);
  assert_true(data->count > 40);
}

/* Malitson 1965, 0.21 to 3.71 um (25 to 3.71 um of the infrared pole are out of the band). */
static double complex silica(double w)
{
  const double um2 = pow(2 * PI * C0 / w * 1e6, 2);
  return 1 + 0.6961663 * um2 / (um2 - pow(0.0684043, 2)) + 0.4079426 * um2 / (um2 - pow(0.1162414, 2)) +
         0.8974794 * um2 / (um2 - pow(9.896161, 2));
}

/* Liebe, Hufford & Manabe 1991: a double Debye model up to 1 THz, here at 20 degrees Celsius. */
static double complex water(double w)
{
  const double f = w / (2 * PI * 1e9), theta = 1 - 300 / 293.15;
  const double e0 = 77.66 - 103.3 * theta, e1 = 0.0671 * e0, e2 = 3.52 + 7.52 * theta;
  const double g1 = 20.20 + 146.4 * theta + 316 * theta * theta, g2 = 39.8 * g1;
  return e2 + (e0 - e1) / (1 + I * f / g1) + (e1 - e2) / (1 + I * f / g2);
}

/* Gabriel, Lau & Gabriel 1996, muscle: four Cole-Cole terms. */
static double complex muscle(double w)
{
  static const double term[4][3] = {
      {50, 7.234e-12, 0.1}, {7000, 353.678e-9, 0.1}, {1.2e6, 318.310e-6, 0.1}, {2.5e7, 2.274e-3, 0}};
  double complex eps = 4 + 0.2 / (I * w * EPS0);
  for (int i = 0; i < 4; i++) eps += term[i][0] / (1 + cpow(I * w * term[i][1], 1 - term[i][2]));
  return eps;
}

/* Rakic, Djurisic, Elazar & Majewski 1998, gold: Drude and five Lorentz terms, electron volts. */
static double complex gold(double w)
{
  static const double term[5][3] = {{0.024, 0.241, 0.415},
                                    {0.010, 0.345, 0.830},
                                    {0.071, 0.870, 2.969},
                                    {0.601, 2.494, 4.304},
                                    {4.384, 2.214, 13.32}};
  const double eV = w * 6.582119569e-16, wp2 = 9.03 * 9.03;
  double complex eps = 1 - 0.760 * wp2 / (eV * (eV - 0.053 * I));
  for (int i = 0; i < 5; i++) eps += term[i][0] * wp2 / (term[i][2] * term[i][2] - eV * eV + I * eV * term[i][1]);
  return eps;
}

static void check_published(const char *name, struct data *data, double complex (*formula)(double), int poles)
{
  if (formula != NULL)
    for (size_t i = 0; i < data->count; i++) data->eps[i] = formula(data->w[i]);
  const struct mx_fit_result result = fit(data, poles, 0.01);
  report(name, &result);
  assert_true(result.max_error <= 0.01);
  check_errors(data, &result);
  check_passive(data, &result);
}

static void test_published(void **unused)
{
  (void)unused;
  struct data data;
  band(&data, 120, 8.1e13, 1.42e15); /* 3.7 to 0.21 um */
  check_published("silica", &data, silica, 8);
  band(&data, 100, 1e9, 1e12);
  check_published("water", &data, water, 8);
  band(&data, 120, 1e7, 1e10);
  check_published("muscle", &data, muscle, 8);
  band(&data, 120, 6e13, 1.2e15); /* 5 to 0.25 um */
  check_published("gold", &data, gold, 8);
  read_table(&data, "silicon.csv");
  check_published("silicon", &data, NULL, 8);
}

/* The measured table of Johnson & Christy has errors of 0.02 in n and k, some 2 % of eps: no fit follows it to 1 %. */
static void test_measured_gold(void **unused)
{
  (void)unused;
  struct data data;
  read_table(&data, "gold.csv");
  const struct mx_fit_result result = fit(&data, 8, 0.01);
  report("gold, measured", &result);
  assert_true(result.rms_error < 0.06);
  check_errors(&data, &result);
  check_passive(&data, &result);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact),     cmocka_unit_test(test_drude),     cmocka_unit_test(test_laminates),
      cmocka_unit_test(test_noise),     cmocka_unit_test(test_no_losses), cmocka_unit_test(test_gain),
      cmocka_unit_test(test_no_memory), cmocka_unit_test(test_published), cmocka_unit_test(test_measured_gold)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
