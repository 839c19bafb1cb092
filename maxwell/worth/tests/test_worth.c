/* What written numbers are worth: indices of media against closed forms, and the ends of records whose tails are known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <string.h>

#include "maxwell/response/ferrite.h"
#include "maxwell/response/gyrotropic.h"
#include "maxwell/worth/doubts.h"
#include "maxwell/worth/medium_index.h"
#include "maxwell/worth/tail.h"

static void near(double value, double expected, double part)
{
  if (!(fabs(value - expected) <= part * fabs(expected))) fail_msg("%.17g is not %.17g", value, expected);
}

/* ---- indices */

static struct mx_medium_numbers vacuum(void)
{
  return (struct mx_medium_numbers){{1, 1}, {0, 0}, {1, 1}, {0, 0}, {{0}}};
}

static void add_pole(struct mx_medium_numbers *medium, int field, enum mx_pole_form form, const double number[4])
{
  double *p = medium->parameter[field];
  medium->kind[field] = 1 + (double)MX_POLES_2;
  p[MX_POLES_COUNT] = 1;
  p[MX_POLES_FIRST] = form;
  memcpy(p + MX_POLES_FIRST + 1, number, 4 * sizeof *number);
}

static void poles_count_at_the_frequency(void **state)
{
  (void)state;
  const double k = 80, wp = 300, gamma = 7, k0 = 120, delta = 3, g = 2;
  struct mx_medium_numbers medium = vacuum();
  add_pole(&medium, 0, MX_POLE_DRUDE, (const double[4]){wp * wp, gamma});
  near(mx_medium_index(&medium, k, false), sqrt(cabs(1 - wp * wp / (k * k - I * k * gamma))), 1e-12);
  medium = vacuum();
  add_pole(&medium, 1, MX_POLE_PAIR, (const double[4]){0, delta * k0 * k0, g, k0 * k0}); /* of mu */
  near(mx_medium_index(&medium, k, false), sqrt(cabs(1 + delta * k0 * k0 / (k0 * k0 - k * k + I * k * g))), 1e-12);
  medium = vacuum();
  add_pole(&medium, 0, MX_POLE_REAL, (const double[4]){20 * 50, -50}); /* Debye's, 20/(1 + j k/50) */
  medium.storage[0] = 4;
  near(mx_medium_index(&medium, k, false), sqrt(cabs(4 + 20 / (1 + I * k / 50))), 1e-12);
}

static void losses_and_tensors_count(void **state)
{
  (void)state;
  struct mx_medium_numbers medium = vacuum();
  medium.storage[0] = 9, medium.loss[0] = 500, medium.largest[1] = 4;
  near(mx_medium_index(&medium, 100, false), sqrt(4 * cabs(9 - 5 * I)), 1e-12);
  medium.loss[0] = 1e9; /* a mirror: only its inside has waves */
  near(mx_medium_index(&medium, 100, true), sqrt(4 * cabs(9 - 1e7 * I)), 1e-12);
  assert_true(mx_medium_index(&medium, 100, false) == 0);
}

static void vector_media_have_several_waves(void **state)
{
  (void)state;
  const double k = 90, w0 = 60, wm = 100, wp = 150, wc = 70;
  struct mx_medium_numbers medium = vacuum();
  medium.storage[0] = 13;
  medium.kind[1] = 1 + (double)MX_FERRITE;
  medium.parameter[1][MX_FERRITE_W0] = w0;
  medium.parameter[1][MX_FERRITE_WM] = wm;
  const double plus = 1 + wm / (w0 - k), minus = 1 + wm / (w0 + k), across = 2 * plus * minus / (plus + minus);
  near(mx_medium_index(&medium, k, false), sqrt(13 * fmax(fabs(across), fmax(fabs(plus), fabs(minus)))), 1e-12);
  medium = vacuum();
  medium.kind[0] = 1 + (double)MX_GYROTROPIC;
  medium.parameter[0][MX_GYRO_WP2] = wp * wp;
  medium.parameter[0][MX_GYRO_WC + 2] = wc;
  double most = 1 - wp * wp / (k * k), right = 1 + wp * wp / (-k * k - k * wc), left = 1 + wp * wp / (-k * k + k * wc);
  most = fmax(fabs(most), fmax(fabs(right), fmax(fabs(left), fabs(2 * right * left / (right + left)))));
  near(mx_medium_index(&medium, k, false), sqrt(most), 1e-12);
}

/* ---- ends of records */

enum { SAMPLES = 3000, NUMBERS = 3 };
static const double dt = 1e-11, f0 = 2e9;

/* A pulse at sample 200 and, from then on, an oscillation of f0 that has fallen to `left` at the end. */
static double record_at(int n, double ring, double left)
{
  const double pi = acos(-1.0), t = (n - 200) * dt, decay = -log(left) / ((SAMPLES - 200) * dt);
  return exp(-t * t / (40 * 40 * dt * dt)) * cos(2 * pi * 1.5 * f0 * t) +
         (n > 200 ? ring * exp(-decay * t) * sin(2 * pi * f0 * t) : 0);
}

static struct mx_tail_worth judge(const double *hertz, size_t frequencies, double (*value)(int n, double, double),
                                  double ring, double left, int samples)
{
  struct mx_tail tail;
  struct mx_tail_worth worth;
  struct dg_error err = {0};
  assert_int_equal(mx_tail_init(&tail, frequencies, hertz, NUMBERS, &err), 0);
  for (int n = 0; n < samples; n++) {
    const double x = value(n, ring, left), numbers[NUMBERS] = {x, 0, -0.3 * x};
    mx_tail_add(&tail, n * dt, numbers, NUMBERS);
  }
  assert_int_equal(mx_tail_judge(&tail, NULL, &worth, &err), 0);
  mx_tail_release(&tail);
  return worth;
}

static double complex sum_of(double hertz, double ring, double left, int from, int to)
{
  double complex sum = 0;
  for (int n = from; n < to; n++) sum += record_at(n, ring, left) * cexp(-2 * acos(-1.0) * I * hertz * n * dt);
  return sum;
}

static void a_tail_is_estimated(void **state)
{
  (void)state;
  const double left[] = {0.7, 0.3, 0.1, 0.01}, hertz[] = {f0, 1.003 * f0, 1.05 * f0};
  for (size_t k = 0; k < sizeof left / sizeof *left; k++)
    for (size_t f = 0; f < 3; f++)
      for (int samples = SAMPLES; samples > SAMPLES - 700; samples -= 77) { /* the last block is whole or not */
        const struct mx_tail_worth worth = judge(&hertz[f], 1, record_at, 0.4, left[k], samples);
        const double here = cabs(sum_of(hertz[f], 0.4, left[k], 0, samples));
        const double missing = cabs(sum_of(hertz[f], 0.4, left[k], samples, 200 * SAMPLES)) / here;
        assert_true(worth.known);
        if (!(worth.error > 0.6 * missing && worth.error < 2 * missing))
          fail_msg("left %g, %g Hz, %d samples: %g is said to be missing, and it is %g", left[k], hertz[f], samples,
                   worth.error, missing);
      }
}

static void decibels_of_energy_are_no_accuracy(void **state)
{
  (void)state;
  /* The pulse brings 40 dB more than what rings: at the end all is 46 dB below the largest, and a quarter is missing.
   */
  const struct mx_tail_worth worth = judge(&f0, 1, record_at, 0.02, 0.25, SAMPLES);
  assert_true(worth.error > 0.2 && worth.error < 0.6);
}

static double late_pulse(int n, double at, double rest)
{
  const double t = (n - at) * dt;
  return exp(-t * t / (25 * 25 * dt * dt)) * cos(2 * acos(-1.0) * f0 * t) + rest * cos(0.9 * n);
}

static void a_pulse_that_has_passed_leaves_nothing(void **state)
{
  (void)state;
  const double hertz[] = {0, 0.5 * f0, f0, 1.5 * f0};
  for (int at = 200; at < SAMPLES - 120; at += 97)
    for (double rest = 0; rest < 2e-4; rest += 1e-4) {
      const struct mx_tail_worth worth = judge(hertz, 4, late_pulse, at, rest, SAMPLES);
      if (!(worth.known && worth.error < MX_TAIL_DOUBT)) fail_msg("pulse at %d, rest %g: %g", at, rest, worth.error);
    }
  assert_true(judge(hertz, 4, late_pulse, SAMPLES - 10, 0, SAMPLES).error > MX_TAIL_DOUBT); /* cut in two */
}

static void doubts_are_kept_once(void **state)
{
  (void)state;
  static struct mx_doubts doubts;
  mx_doubt(&doubts, NULL, MX_DOUBT_RECORD, "output.probes", "p", "first %d", 1);
  mx_doubt(&doubts, NULL, MX_DOUBT_MESH, "output.probes", "p", "second");
  mx_doubt(&doubts, NULL, MX_DOUBT_RECORD, "output.probes", "p", "third");
  assert_int_equal(doubts.count, 2);
  assert_string_equal(mx_doubt_find(&doubts, MX_DOUBT_RECORD, "output.probes", "p")->text, "third");
  assert_null(mx_doubt_find(&doubts, MX_DOUBT_RECORD, "output.probes", "q"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poles_count_at_the_frequency),
      cmocka_unit_test(losses_and_tensors_count),
      cmocka_unit_test(vector_media_have_several_waves),
      cmocka_unit_test(a_tail_is_estimated),
      cmocka_unit_test(decibels_of_energy_are_no_accuracy),
      cmocka_unit_test(a_pulse_that_has_passed_leaves_nothing),
      cmocka_unit_test(doubts_are_kept_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
