/* Where waveforms have their energy, against what is known of their spectra, and when they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "maxwell/model/waveform_energy.h"

static const double pi = 3.14159265358979323846, tau = 1e-9, f0 = 2e9;

static struct mx_waveform_energy energy_of(const struct mx_waveform *w, double shift, double end, double step)
{
  struct dg_error err = {0};
  struct mx_waveform_energy energy;
  const struct mx_waveform_use use = {.shift = shift, .end = end, .step = step};
  assert_int_equal(mx_waveform_energy_init(&energy, w, &use, &err), 0);
  return energy;
}

static double above(const struct mx_waveform *w, double end, double step, double hertz)
{
  struct mx_waveform_energy energy = energy_of(w, 0, end, step);
  const double part = mx_waveform_energy_above(&energy, hertz);
  mx_waveform_energy_release(&energy);
  return part;
}

/* |W|^2 = exp(-2 (pi tau f)^2), whatever the step of the run. */
static void test_gaussians(void **state)
{
  (void)state;
  const struct mx_waveform w = {.kind = MX_GAUSSIAN, .amplitude = -3, .tau = tau, .t0 = 5 * tau};
  const struct mx_waveform modulated = {
      .kind = MX_MODULATED_GAUSSIAN, .amplitude = 2, .tau = tau, .t0 = 5 * tau, .f0 = f0};
  for (int i = 0; i < 5; i++) {
    const double f = 0.1e9 * (i + 1), x = sqrt(2) * pi * tau * f;
    for (double step = 1e-12; step < 1e-8; step *= 20) {
      assert_true(fabs(above(&w, 1e-7, step, f) - erfc(x)) < 0.02);
      assert_true(fabs(above(&modulated, 1e-7, step, f0 + f) - 0.5 * erfc(x)) < 0.02);
    }
  }
}

static void test_others(void **state)
{
  (void)state;
  const struct mx_waveform sine = {.kind = MX_SINE, .amplitude = 1, .f0 = 1e12, .rise = 3e-12};
  assert_true(above(&sine, 1e-6, 6.4e-11, 0.5 / 6.4e-11) > 0.99); /* the step cannot see that */
  assert_true(above(&sine, 1e-6, 6.4e-11, 1.2e12) < 0.02);
  const struct mx_waveform step = {.kind = MX_SMOOTH_STEP, .amplitude = 5, .rise = 1e-9};
  assert_true(above(&step, 1e-6, 1e-11, 2e9) < 0.01 && above(&step, 1e-6, 1e-11, 0.1e9) > 0.5);
  /* by its points, as functions of a script are: a sine of 64 points a period that is cut in the middle of one */
  enum { POINTS = 2000 };
  static double time[POINTS], value[POINTS];
  for (int i = 0; i < POINTS; i++) {
    time[i] = 1e-11 * i;
    value[i] = sin(2 * pi * i / 64.0);
  }
  const struct mx_waveform table = {
      .kind = MX_TABULATED, .amplitude = 1, .points = POINTS, .time = time, .value = value};
  const double f = 1 / 64e-11;
  assert_true(above(&table, 1, 8e-11, 0.9 * f) > 0.98 && above(&table, 1, 8e-11, 1.1 * f) < 0.02);
}

static void test_when(void **state)
{
  (void)state;
  const struct mx_waveform w = {.kind = MX_GAUSSIAN, .amplitude = 2, .tau = tau, .t0 = 5 * tau};
  struct mx_waveform_energy energy = energy_of(&w, 3e-9, 100e-9, 1e-11);
  assert_true(fabs(energy.peak - 2) < 1e-6 && energy.jump < 1e-9);
  assert_true(fabs(energy.begin - (8e-9 - sqrt(log(1000)) * tau)) < 0.1e-9);
  mx_waveform_energy_release(&energy);
  energy = energy_of(&w, 99e-9, 100e-9, 1e-11); /* it has just begun */
  assert_true(energy.peak < 1e-6 && energy.largest == 2);
  mx_waveform_energy_release(&energy);
  energy = energy_of(&w, 200e-9, 100e-9, 1e-11);
  assert_true(energy.peak == 0 && energy.total == 0 && mx_waveform_energy_above(&energy, 0) == 0);
  mx_waveform_energy_release(&energy);
  energy = energy_of(&w, -5e-9, 100e-9, 1e-11); /* at its peak when the run begins */
  assert_true(fabs(energy.jump - 2) < 1e-12);
  mx_waveform_energy_release(&energy);
}

/* Behind its end a waveform stays below the share, and just before it does not. */
static void test_end(void **state)
{
  (void)state;
  static const double time[] = {0, 1e-9, 2e-9, 3e-9, 9e-9}, value[] = {0, -4, 1e-3, 2, 0};
  const struct mx_waveform all[] = {
      {.kind = MX_GAUSSIAN, .amplitude = 1, .tau = tau, .t0 = 5 * tau},
      {.kind = MX_MODULATED_GAUSSIAN, .amplitude = 1, .tau = tau, .t0 = 5 * tau, .f0 = 20 * f0},
      {.kind = MX_DIFFERENTIATED_GAUSSIAN, .amplitude = 1, .tau = tau, .t0 = 5 * tau},
      {.kind = MX_RICKER, .amplitude = 1, .tau = tau, .t0 = 5 * tau},
      {.kind = MX_DOUBLE_EXPONENTIAL, .amplitude = 1, .rise = 1e-9, .fall = 7e-9},
      {.kind = MX_TABULATED, .amplitude = 0.25, .points = 5, .time = time, .value = value}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (double share = 1e-2; share > 1e-7; share /= 10) {
      const double end = mx_waveform_end(&all[i], share), fine = 1e-12, before = 0.2e-9;
      double inside = 0;
      for (double t = end - before; t < end; t += fine) inside = fmax(inside, fabs(mx_waveform_at(&all[i], t)));
      for (double t = end + 2 * fine; t < end + 50e-9; t += 10 * fine)
        assert_true(fabs(mx_waveform_at(&all[i], t)) <= share);
      assert_true(inside > share * 0.99);
    }
  const struct mx_waveform step = {.kind = MX_SMOOTH_STEP, .amplitude = 5, .rise = 1e-9},
                           sine = {.kind = MX_SINE, .amplitude = 1, .f0 = f0, .rise = 1e-9},
                           nothing = {.kind = MX_SINE, .f0 = f0, .rise = 1e-9};
  assert_true(mx_waveform_end(&step, 1e-3) == 1e-9 && isinf(mx_waveform_end(&sine, 1e-3)));
  assert_true(mx_waveform_end(&nothing, 1e-3) == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gaussians),
      cmocka_unit_test(test_others),
      cmocka_unit_test(test_end),
      cmocka_unit_test(test_when),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
