/* What the watchdog makes of energies: a backend of this test's own gives them, one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "maxwell/backend/backend.h"
#include "maxwell/output/watchdog.h"

static double joules; /* the next energy */

static int energy(struct mx_backend *backend, double *electric, double *magnetic, struct dg_error *err)
{
  (void)backend, (void)err;
  *electric = joules / MX_EPSILON0;
  *magnetic = 0;
  return 0;
}

static const struct mx_backend_ops ops = {.name = "energies", .energy = energy};

/* Looks at the energies, one a nanosecond, of a run whose sources are silent from `silent` nanoseconds on and that
 * has lumped elements. Returns how many there were when the alarm came; its text is in `alarm`. */
static size_t look(double silent, size_t elements, size_t count, const double *of, struct mx_watchdog *watchdog)
{
  static struct mx_config config;
  static struct mx_sources sources;
  static struct mx_quiet quiet;
  static struct mx_scene scene; /* the watchdog keeps it */
  struct dg_error err = {0};
  config = (struct mx_config){.watchdog.growth = 1e3};
  scene = (struct mx_scene){.config = &config, .ops = &ops, .sources = &sources, .quiet = &quiet};
  sources.list.count = 1;
  sources.ports.elements = elements;
  quiet = (struct mx_quiet){.silent = silent * 1e-9, .what = "sources[1]"};
  mx_watchdog_init(watchdog, &scene);
  for (size_t i = 0; i < count; i++) {
    joules = of[i];
    assert_int_equal(mx_watchdog_look(watchdog, NULL, 1e-9 * (double)i, &err), 0);
    if (watchdog->alarm[0] != '\0') return i + 1;
  }
  return count + 1;
}

static void test_behind_sources(void **state)
{
  (void)state;
  struct mx_watchdog watchdog;
  /* a pulse comes and goes: it may do as it likes until the sources are silent */
  const double decays[] = {0, 1e-9, 1, 1e-3, 0.5, 0.4, 1e-4, 2e-4, 1e-6};
  assert_int_equal(look(4, 0, 9, decays, &watchdog), 10);
  assert_false(watchdog.warned);
  assert_true(watchdog.least == 1e-6);
  /* a rise by more than 10 is a warning, by more than 1000 the end */
  const double grows[] = {0, 1, 1e-5, 1e-6, 5e-6, 2e-5, 5e-4, 2e-3, 1e-2};
  assert_int_equal(look(3, 0, 6, grows, &watchdog), 7);
  assert_true(watchdog.warned);
  assert_int_equal(look(3, 0, 9, grows, &watchdog), 8);
  assert_string_equal(watchdog.alarm, "behind the sources the energy grew from 1e-06 J to 0.002 J");
  /* before they are silent nothing is said, */
  assert_int_equal(look(20, 0, 9, grows, &watchdog), 10);
  assert_false(watchdog.warned);
  /* where a lumped element may give back what it has stored, */
  assert_int_equal(look(3, 1, 9, grows, &watchdog), 10);
  assert_false(watchdog.warned);
  /* nor of rounding's share, far below the peak */
  const double small[] = {0, 1, 1e-30, 1e-26, 1e-22, 1e-12, 1e-20};
  assert_int_equal(look(2, 0, 7, small, &watchdog), 8);
  assert_false(watchdog.warned);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_behind_sources)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
