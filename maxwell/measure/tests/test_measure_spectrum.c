/* Fourier transforms of series whose sums are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>
#include <math.h>

#include "maxwell/measure/measure_spectrum.h"

static void near(double value, double expected, double scale)
{
  if (!(fabs(value - expected) <= 2e-13 * scale)) fail_msg("%.17g is not %.17g", value, expected);
}

static void transforms_of_known_series(void **state)
{
  (void)state;
  enum { N = 400 };
  const double pi = acos(-1.0), dt = 1e-11, f0 = 8 / (N * dt); /* eight periods */
  const double hertz[4] = {0, f0, 2 * f0, 1.37 * f0};
  struct mx_spectrum spectrum;
  struct dg_error err = {0};
  assert_int_equal(mx_spectrum_init(&spectrum, 4, hertz, 3, 1, 3, dt, &err), 0);
  const double q = 0.99;
  for (int n = 0; n <= N; n++) {
    const double value[3] = {sin(2 * pi * f0 * n * dt), 1, pow(q, n)};
    mx_spectrum_add(&spectrum, n * dt, value);
  }
  mx_spectrum_finish(&spectrum);
  const double T = N * dt;
  for (size_t k = 0; k < 4; k++) {
    const double(*sum)[2] = (const double(*)[2])spectrum.sum + 3 * k;
    if (k < 3) { /* whole periods: the trapezoidal rule is exact */
      near(sum[0][0], 0, T);
      near(sum[0][1], k == 1 ? -T / 2 : 0, T);
      near(sum[1][0], k == 0 ? T : 0, T);
      near(sum[1][1], 0, T);
    }
    double complex z = q * cexp(-2 * pi * I * hertz[k] * dt);
    double complex geometric = dt * ((1 - cpow(z, N + 1)) / (1 - z) - (1 + cpow(z, N)) / 2);
    near(sum[2][0], creal(geometric), T);
    near(sum[2][1], cimag(geometric), T);
  }
  mx_spectrum_release(&spectrum);
  assert_int_equal(mx_spectrum_init(&spectrum, 4, hertz, 1, 1, 1, dt, &err), 0);
  mx_spectrum_finish(&spectrum); /* no sample, and one: no time */
  mx_spectrum_add(&spectrum, 3 * dt, &(const double){7});
  mx_spectrum_finish(&spectrum);
  for (size_t k = 0; k < 4; k++) assert_true(fabs(spectrum.sum[k][0]) < 1e-25 && fabs(spectrum.sum[k][1]) < 1e-25);
  mx_spectrum_release(&spectrum);
}

/* A late time costs no digits: exp(-2 pi i f t) of each sample, not a product of many. */
static void transforms_of_late_samples(void **state)
{
  (void)state;
  const double f = 1e9, dt = 0.25e-9;
  struct mx_spectrum spectrum;
  struct dg_error err = {0};
  assert_int_equal(mx_spectrum_init(&spectrum, 1, &f, 1, 1, 1, dt, &err), 0);
  for (long n = 0; n <= 4000000; n++) mx_spectrum_add(&spectrum, (double)n * dt, &(const double){n % 4 == 0});
  mx_spectrum_finish(&spectrum);
  /* f t has 1e6 turns, whose rounding is a phase of 1e-9 at most */
  const double T = 1000000 * dt;
  assert_true(fabs(spectrum.sum[0][0] - T) < 1e-9 * T && fabs(spectrum.sum[0][1]) < 1e-9 * T);
  mx_spectrum_release(&spectrum);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transforms_of_known_series),
      cmocka_unit_test(transforms_of_late_samples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
