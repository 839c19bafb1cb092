/* Harmonic inversion against sums of decaying oscillations that are known: alone, in pairs closer than a Fourier
 * transform tells apart, with noise, beside strong lines out of the band and a constant, with Q from 10 to a million;
 * the filter that thins records; and what several records are made into. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libdg/base/memory.h"
#include "maxwell/resonance/inversion.h"
#include "maxwell/resonance/judge.h"
#include "maxwell/resonance/thinning.h"

static const double pi = 3.14159265358979323846;

struct line {
  double frequency, q, amplitude, phase;
};

struct record {
  size_t count;
  double interval, noise, constant;
  size_t lines;
  struct line line[40];
};

/* A normal deviate; the same ones in every run. */
static double deviate(uint64_t *state)
{
  double u[2];
  for (int i = 0; i < 2; i++) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    u[i] = ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
  }
  return sqrt(-2 * log(u[0])) * cos(2 * pi * u[1]);
}

static double value_of(const struct record *record, double t)
{
  double x = record->constant;
  for (size_t k = 0; k < record->lines; k++) {
    const struct line *line = &record->line[k];
    x += line->amplitude * exp(-pi * line->frequency / line->q * t) * cos(2 * pi * line->frequency * t + line->phase);
  }
  return x;
}

static struct mx_ringing *invert(const struct record *record, double from, double to, size_t *count)
{
  double *value = test_malloc(record->count * sizeof *value);
  uint64_t state = 7;
  struct dg_error err = {0};
  struct mx_ringing *mode;
  for (size_t i = 0; i < record->count; i++) {
    value[i] = value_of(record, (double)i * record->interval);
    if (record->noise > 0) value[i] += record->noise * deviate(&state);
  }
  const struct mx_signal signal = {record->count, value, record->interval};
  assert_int_equal(mx_invert(&signal, from, to, &mode, count, &err), 0);
  test_free(value);
  return mode;
}

/* All lines of the record between `from` and `to`, and no others, within relative errors of frequency and Q. */
static void expect_lines(const struct record *record, double from, double to, double frequency, double q)
{
  size_t count, k = 0;
  struct mx_ringing *mode = invert(record, from, to, &count);
  for (size_t i = 0; i < record->lines; i++) {
    const struct line *line = &record->line[i];
    if (line->frequency < from || line->frequency > to) continue;
    assert_true(k < count);
    const double off = mode[k].frequency / line->frequency - 1, off_q = mx_ringing_q(&mode[k]) / line->q - 1;
    const double turn = remainder(mode[k].phase - line->phase, 2 * pi);
    print_message("%.6g Hz Q %.4g: off %.1e, Q %.1e, A %.1e, phase %.1e, error %.1e\n", line->frequency, line->q, off,
                  off_q, mode[k].amplitude / line->amplitude - 1, turn, mode[k].error);
    assert_true(fabs(off) < frequency && fabs(off_q) < q);
    assert_true(fabs(mode[k].amplitude / line->amplitude - 1) < q + 1e-9 && fabs(turn) < q + 1e-9);
    /* it knows how well it knows: the error is of the size of what is wrong */
    assert_true(fabs(off) < 5 * mode[k].error + 1e-14 && mode[k].error < frequency);
    k++;
  }
  assert_int_equal(k, count);
  dg_free(mode);
}

static void test_exact(void **state)
{
  (void)state;
  struct record record = {.count = 800,
                          .interval = 0.1,
                          .lines = 3,
                          .line = {{1, 43.169, 1, 0.3}, {1.4, 470.86, 0.5, -1}, {1.41, 38.028, 0.7, 2}}};
  expect_lines(&record, 0.5, 2, 1e-10, 1e-8);
  record.constant = 5; /* what a static charge leaves at an electric probe */
  expect_lines(&record, 0.5, 2, 1e-10, 1e-8);
  record = (struct record){
      .count = 1000, .interval = 0.1, .lines = 3, .line = {{1, 1e6, 1, 0.3}, {1.05, 50, 1e-3, 2}, {2.3, 1e5, 50, -1}}};
  expect_lines(&record, 0.9, 1.1, 1e-9, 1e-6); /* a strong line beside the band, a weak one in it */
}

static void test_q(void **state)
{
  (void)state;
  for (double q = 10; q < 2e6; q *= 10) {
    const struct record record = {.count = 600, .interval = 0.1, .lines = 1, .line = {{1, q, 2, 1}}};
    expect_lines(&record, 0.7, 1.4, 1e-10, 1e-6);
  }
}

/* Two lines, a tenth to twice as far apart as the record's 1/T. */
static void test_pairs(void **state)
{
  (void)state;
  for (double apart = 0.15; apart < 3; apart *= 1.5) {
    const struct record record = {
        .count = 1000, .interval = 0.1, .lines = 2, .line = {{1, 2000, 1, 0.3}, {1 + apart / 100, 1500, 0.6, -1}}};
    expect_lines(&record, 0.7, 1.4, 1e-8, 1e-4);
  }
}

/* With noise the errors are those that the theory of estimation allows: the standard deviation of the frequency of a
 * tone of amplitude A in noise s is sqrt(24/N) s / (2 pi A T). */
static void test_noise(void **state)
{
  (void)state;
  const double s = 1e-3, N = 1000, T = 100;
  const struct record one = {.count = (size_t)N, .interval = 0.1, .noise = s, .lines = 1, .line = {{1, 1e5, 1, 0.3}}};
  size_t count;
  struct mx_ringing *mode = invert(&one, 0.5, 2, &count);
  const double bound = sqrt(24 / N) * s / (2 * pi * T);
  assert_int_equal(count, 1);
  print_message("error %.3e, Cramer and Rao %.3e\n", mode->error, bound);
  assert_true(fabs(mode->error / bound - 1) < 0.1 && fabs(mode->frequency - 1) < 4 * bound);
  dg_free(mode);
  const struct record several = {.count = 800,
                                 .interval = 0.1,
                                 .noise = 1e-4,
                                 .lines = 3,
                                 .line = {{1, 43.169, 1, 0.3}, {1.4, 470.86, 0.5, -1}, {1.45, 38.028, 0.7, 2}}};
  expect_lines(&several, 0.5, 2, 1e-5, 1e-2);
  const struct record nothing = {.count = 1000, .interval = 0.1, .noise = 1};
  assert_null(invert(&nothing, 0.5, 2, &count));
  assert_int_equal(count, 0);
  const struct record silence = {.count = 1000, .interval = 0.1};
  assert_null(invert(&silence, 0.5, 2, &count));
}

/* Twenty-five lines in a record that is long. */
static void test_many(void **state)
{
  (void)state;
  struct record record = {.count = 1500, .interval = 0.1, .noise = 1e-6, .lines = 25};
  for (size_t i = 0; i < record.lines; i++)
    record.line[i] = (struct line){0.5 + 0.05 * (double)i, 3000, 1 + (double)(i % 3), (double)(i % 5) - 2};
  expect_lines(&record, 0.45, 1.75, 1e-7, 1e-3);
}

/* A record of fine steps becomes one of few samples with the same lines; what lies above does not come down into the
 * band. */
static void test_thinning(void **state)
{
  (void)state;
  const struct record record = {.lines = 2, .line = {{1, 20, 1, 0.3}, {30, 1e5, 10, 1}}};
  const double interval = 0.002;
  const size_t samples = 15000;
  struct dg_error err = {0};
  struct mx_thinning thinning;
  assert_int_equal(mx_thinning_init(&thinning, interval, 1.5, samples, &err), 0);
  for (size_t i = 0; i < samples; i++) mx_thinning_take(&thinning, value_of(&record, (double)i * interval));
  const size_t count = mx_thinning_count(&thinning, samples);
  assert_true(thinning.factor > 20 && count > 300 && count < samples / 20);
  assert_true((double)thinning.taps * interval < 2 / 1.5); /* what it takes from the record */
  const struct mx_signal signal = {count, thinning.sum, interval * (double)thinning.factor};
  struct mx_ringing *mode;
  size_t found;
  assert_int_equal(mx_invert(&signal, 0.5, 1.5, &mode, &found, &err), 0);
  assert_int_equal(found, 1);
  const double complex gain = mx_thinning_gain(&thinning, mode->frequency, mode->decay);
  const double complex amplitude = mode->amplitude * cexp(mode->phase * I) / gain;
  print_message("off %.1e, Q %.1e, A %.1e, phase %.1e\n", mode->frequency - 1, mx_ringing_q(mode) / 20 - 1,
                cabs(amplitude) - 1, carg(amplitude) - 0.3);
  assert_true(fabs(mode->frequency - 1) < 1e-6 && fabs(mx_ringing_q(mode) / 20 - 1) < 1e-5);
  assert_true(fabs(cabs(amplitude) - 1) < 1e-4 && fabs(carg(amplitude) - 0.3) < 1e-4);
  dg_free(mode);
  mx_thinning_release(&thinning);
}

static bool doubts(const struct mx_resonance *one, const char *words) { return strstr(one->doubt, words) != NULL; }

/* Three records, of which the third has noise: one list, and what is to be doubted is. */
static void test_reconcile(void **state)
{
  (void)state;
  const struct mx_resonance_config config = {.name = "modes", .error = 1e-3};
  const struct mx_grid_loss fine = {.alpha = 1, .power = 7, .one = 1e12};
  struct mx_ringing a[] = {{1e9, 1e6, 2, 0, 1e-8}, {1.2e9, 1.2e8, 1, 0, 1e-6}, {1.3e9, 1e-3, 1, 0, 1e-7}},
                    b[] = {{1.00000002e9, 1e6, 1, 0, 2e-8}, {1.5e9, 1e6, 1e-5, 0, 5e-3}, {1.6e9, -1e7, 1, 0, 1e-6}},
                    c[] = {{1.0000001e9, 1.1e6, 3, 0, 1e-7}};
  const struct mx_heard heard[] = {
      {"one.Ez", 1e-7, 3, a}, {"two.Ez", 1e-7, 3, b}, {"three.Ez", 8e-9, 1, c}, {"four.Ez", 1e-7, 0, NULL}};
  struct mx_resonance *found;
  struct dg_error err = {0};
  size_t count;
  assert_int_equal(mx_reconcile(&config, &fine, heard, 4, &found, &count, &err), 0);
  assert_int_equal(count, 5);
  for (size_t i = 0; i < count; i++)
    print_message("%g: %zu of %zu, %s\n", found[i].mode.frequency, found[i].seen, found[i].of, found[i].doubt);
  assert_int_equal(found[0].seen, 3);
  assert_int_equal(found[0].of, 3); /* the fourth record has nothing */
  assert_string_equal(found[0].label, "one.Ez");
  assert_string_equal(found[0].doubt, "");
  assert_true(fabs(found[0].mode.frequency / 1e9 - 1) < 1e-8 && fabs(found[0].spread - 1e-7) < 1e-9);
  assert_true(found[0].mode.error > 8.9e-9); /* the records differ by more than their errors say */
  assert_true(doubts(&found[1], "Q is below 50 and only one record has it"));
  assert_true(doubts(&found[2], "hardly decays") && doubts(&found[2], "Q is above"));
  assert_true(doubts(&found[3], "the error 0.005 is above 0.001") && doubts(&found[3], "1e-05 of the strongest"));
  assert_true(doubts(&found[4], "it grows"));
  dg_free(found);
}

/* Seven records. Most have the first line, one alone has the second; flux and mesh decide about the rest. */
static void test_flux_doubts(void **state)
{
  (void)state;
  const struct mx_resonance_config config = {.name = "modes", .error = 1e-3};
  struct mx_ringing both[] = {{1e9, 3e5, 2, 0, 1e-8}, {1.2e9, 1e7, 1, 0, 1e-6}}, one[7];
  struct mx_heard heard[7] = {{"a.Ez", 1e-6, 2, both}};
  for (size_t k = 1; k < 7; k++) {
    one[k] = both[0];
    heard[k] = (struct mx_heard){"b.Ez", 1e-6, 1, &one[k]};
  }
  /* Q of the lines is 10,472 and 377; of the flux alone 1e7, 1e5, and 5e4 without damping, and 50 */
  const struct mx_grid_loss loss[] = {{1, 7, 1e10}, {1, 5, 1e10}, {0, 7, 4.7e9}, {1, 5, 2.2e9}};
  const char *const doubt[] = {NULL, "alone it leaves a Q of about 1e+05", NULL, "too coarse"};
  for (size_t i = 0; i < 4; i++) {
    struct mx_resonance *found;
    struct dg_error err = {0};
    size_t count;
    assert_int_equal(mx_reconcile(&config, &loss[i], heard, 7, &found, &count, &err), 0);
    assert_int_equal(count, 2);
    print_message("%s | %s\n", found[0].doubt, found[1].doubt);
    if (doubt[i] == NULL) assert_string_equal(found[0].doubt, "");
    else assert_true(doubts(&found[0], doubt[i]));
    assert_true(doubts(&found[1], "only one of 7 records has it"));
    assert_true(doubts(&found[1], "flux = 0") == (loss[i].alpha == 0));
    dg_free(found);
  }
  /* without damping a line that is not clear may be anything */
  both[0].error = 1e-4;
  for (size_t k = 1; k < 7; k++) one[k].error = 1e-4;
  for (size_t i = 0; i < 3; i += 2) {
    struct mx_resonance *found;
    struct dg_error err = {0};
    size_t count;
    assert_int_equal(mx_reconcile(&config, &loss[i], heard, 7, &found, &count, &err), 0);
    assert_true(doubts(&found[0], "ring on") == (loss[i].alpha == 0));
    dg_free(found);
  }
}

int main(void)
{
  struct dg_error err = {0};
  if (mx_inversion_prepare(&err) != 0) {
    fprintf(stderr, "skipped: %s\n", err.message);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact),     cmocka_unit_test(test_q),
                                     cmocka_unit_test(test_pairs),     cmocka_unit_test(test_noise),
                                     cmocka_unit_test(test_many),      cmocka_unit_test(test_thinning),
                                     cmocka_unit_test(test_reconcile), cmocka_unit_test(test_flux_doubts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
