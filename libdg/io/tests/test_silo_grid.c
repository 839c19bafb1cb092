/* Grids of points as Silo files: whole or absent, whatever the disk and the memory do. What is in them is read back by
 * maxwell/tests/program/measure_contract.py. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "libdg/base/memory.h"
#include "libdg/io/silo/silo_grid.h"

enum { NX = 30, NY = 20 };

static double point[NX * NY][3], value[NX * NY][4];
static const struct dg_grid_field field[] = {{"E", "_re", "V/m", 3, value[0], 4},
                                             {"inside", "", "1", 1, value[0] + 3, 4}};
static const struct dg_grid grid = {{NX, NY}, (const double (*)[3])point, 1e-9, 7, 2, field, NULL};

static int exists(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0;
}

static int fill(void **state)
{
  (void)state;
  for (int j = 0, i = 0; j < NY; j++)
    for (int k = 0; k < NX; k++, i++) {
      point[i][0] = k, point[i][1] = j, point[i][2] = 0.1 * j;
      for (int c = 0; c < 4; c++) value[i][c] = c == 1 ? NAN : k * c + j;
    }
  return 0;
}

static void writes_and_replaces(void **state)
{
  (void)state;
  struct dg_error err = {0};
  for (int i = 0; i < 2; i++) {
    if (dg_silo_write_grid("silo_grid.silo", &grid, &err) != 0) fail_msg("%s", err.message);
    assert_true(exists("silo_grid.silo") && !exists("silo_grid.silo.part"));
  }
  unlink("silo_grid.silo");
}

static void refuses(const char *path, enum dg_code code, const char *message, const struct dg_grid *what)
{
  struct dg_error err = {0};
  char part[200];
  size_t before = dg_memory_current();
  assert_int_equal(dg_silo_write_grid(path, what, &err), code);
  if (strstr(err.message, message) != err.message) fail_msg("'%s' does not begin with '%s'", err.message, message);
  snprintf(part, sizeof part, "%s.part", path);
  assert_true(!exists(path) && !exists(part));
  assert_int_equal(dg_memory_current(), before);
}

static void refuses_bad_places(void **state)
{
  (void)state;
  const struct dg_grid big = {{100000, 100000}, NULL, 0, 0, 0, NULL, NULL};
  refuses("no_such_folder/a.silo", DG_ENVIRONMENT, "cannot write 'no_such_folder/a.silo': No such file or directory",
          &grid);
  refuses("a.silo", DG_INPUT, "cannot write 'a.silo': 100000 x 100000 points are too many for a Silo file", &big);
}

static void is_whole_or_absent(void **state)
{
  (void)state;
  struct rlimit saved;
  struct stat whole;
  struct dg_error err = {0};
  assert_int_equal(dg_silo_write_grid("silo_grid_limit.silo", &grid, &err), 0);
  assert_int_equal(stat("silo_grid_limit.silo", &whole), 0);
  unlink("silo_grid_limit.silo");
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &saved), 0);
  signal(SIGXFSZ, SIG_IGN);
  const off_t limits[] = {0, 4096, whole.st_size / 2, whole.st_size};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const struct rlimit limit = {.rlim_cur = (rlim_t)limits[i], .rlim_max = saved.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    refuses("silo_grid_limit.silo", DG_ENVIRONMENT, "cannot write 'silo_grid_limit.silo': File too large", &grid);
  }
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &saved), 0);
  signal(SIGXFSZ, SIG_DFL);
}

static void survives_every_failing_allocation(void **state)
{
  (void)state;
  size_t before = dg_memory_current();
  long n = 0;
  for (int failed = 1; failed; n++) {
    struct dg_error err = {0};
    dg_memory_fail_at(n + 1);
    failed = dg_silo_write_grid("silo_grid_memory.silo", &grid, &err) != 0;
    dg_memory_fail_at(0);
    assert_int_equal(exists("silo_grid_memory.silo"), !failed);
    if (failed) assert_non_null(strstr(err.message, "while writing 'silo_grid_memory.silo'"));
    assert_int_equal(dg_memory_current(), before);
  }
  assert_true(n > 3 && !exists("silo_grid_memory.silo.part"));
  unlink("silo_grid_memory.silo");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writes_and_replaces),
      cmocka_unit_test(refuses_bad_places),
      cmocka_unit_test(is_whole_or_absent),
      cmocka_unit_test(survives_every_failing_allocation),
  };
  return cmocka_run_group_tests(tests, fill, NULL);
}
