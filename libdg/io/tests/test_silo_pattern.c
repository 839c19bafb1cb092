/* Files of blocks that Silo has not written: they are, byte by byte, what it writes, and leave as little behind. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <silo.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "libdg/io/silo/silo_writer.h"
#include "libdg/io/tests/fields.h"

/* The linker puts these in place of others, to count the files that are Silo's, and to let writing fail, or write less
 * than was asked for. */
DBfile *__real_DBCreateReal(char const *name, int mode, int target, char const *info, int type);
DBfile *__wrap_DBCreateReal(char const *name, int mode, int target, char const *info, int type);
ssize_t __real_pwrite(int file, const void *from, size_t bytes, off_t place);
ssize_t __wrap_pwrite(int file, const void *from, size_t bytes, off_t place);
static int files_of_silo;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static long fails_at; /* which call of pwrite from now on; 0: none */
static bool writes_less;

DBfile *__wrap_DBCreateReal(char const *name, int mode, int target, char const *info, int type)
{
  files_of_silo++;
  return __real_DBCreateReal(name, mode, target, info, type);
}

ssize_t __wrap_pwrite(int file, const void *from, size_t bytes, off_t place)
{
  pthread_mutex_lock(&counting);
  const bool fails = fails_at > 0 && --fails_at == 0;
  pthread_mutex_unlock(&counting);
  if (fails) errno = EIO;
  return fails ? -1 : __real_pwrite(file, from, writes_less && bytes > 1 ? bytes / 2 : bytes, place);
}

static int exists(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0;
}

/* A run whose snapshots are in a folder of their own. */
struct series {
  struct setup s;
  struct dg_silo_mesh kept;
};

static void begin_series(struct series *series, const char *folder, int p)
{
  char command[64];
  *series = (struct series){0};
  snprintf(command, sizeof command, "rm -rf %s && mkdir %s", folder, folder);
  assert_int_equal(system(command), 0);
  set_up(&series->s, 2, p);
  series->s.kept = &series->kept;
  series->s.snapshot.mesh_once = true;
}

static void end_series(struct series *series)
{
  dg_silo_mesh_release(&series->kept);
  tear_down(&series->s);
}

static void fill_with(struct series *series, double number)
{
  for (size_t i = 0; i < 3 * series->s.mesh.K * (size_t)series->s.ref.Np; i++) series->s.vector[i] = number + (double)i;
}

static bool same_files(const char *one, const char *other)
{
  char command[200];
  snprintf(command, sizeof command, "cmp -s %s %s", one, other);
  return system(command) == 0;
}

enum { WRITERS = 4, EACH = 8 };

struct some_of_series {
  const struct series *series;
  int first;
  struct dg_error err;
};

static void *write_some(void *context)
{
  struct some_of_series *some = context;
  struct dg_snapshot snapshot = some->series->s.snapshot;
  for (int i = some->first; i < some->first + EACH; i++) {
    char path[64];
    snapshot.cycle = i;
    snprintf(path, sizeof path, "silo_like/fields_%06d.silo", i);
    if (dg_silo_write(path, &snapshot, some->series->s.kept, NULL, &some->err) != 0) break;
  }
  return NULL;
}

static void expect_nothing_left(const char *folder)
{
  char command[160];
  snprintf(command, sizeof command, "test -z \"$(find %s -name '*.part' -o -name '*.room' -o -name '*next*')\"",
           folder);
  assert_int_equal(system(command), 0);
}

static void begin_with(struct series *series, const char *folder, bool single, double number)
{
  struct dg_error err = {0};
  char path[64];
  begin_series(series, folder, 3);
  series->s.snapshot.single = single;
  fill_with(series, number);
  snprintf(path, sizeof path, "%s/first.silo", folder);
  assert_int_equal(dg_silo_write(path, &series->s.snapshot, series->s.kept, NULL, &err), 0);
}

/* The second of now, asked for as HDF5 does; time() is some milliseconds behind. */
static time_t second_of_now(void)
{
  struct timespec now;
  assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
  return now.tv_sec;
}

/* One with other values, and one that has Silo write the values of those that follow in the first. Both in the same
 * second, which HDF5 notes. */
static void begin_both(struct series *like, struct series *first, bool single)
{
  for (;;) {
    const time_t begun = second_of_now();
    begin_with(like, "silo_like", single, 0);
    begin_with(first, "silo_first", single, -17.25);
    if (second_of_now() == begun) return;
    end_series(first);
    end_series(like);
  }
}

/* Byte by byte what Silo writes, from one thread or several. */
static void test_like_the_first(void **state)
{
  (void)state;
  const size_t before = dg_memory_current();
  for (int single = 0; single <= 1; single++) {
    struct series like, first;
    struct dg_error err = {0};
    pthread_t thread[WRITERS];
    struct some_of_series some[WRITERS];
    begin_both(&like, &first, single);
    fill_with(&like, -17.25);
    files_of_silo = 0;
    writes_less = true;
    assert_int_equal(dg_silo_write("silo_like/second.silo", &like.s.snapshot, like.s.kept, NULL, &err), 0);
    writes_less = false;
    for (int t = 0; t < WRITERS; t++) {
      some[t] = (struct some_of_series){.series = &like, .first = t * EACH};
      assert_int_equal(pthread_create(&thread[t], NULL, write_some, &some[t]), 0);
    }
    for (int t = 0; t < WRITERS; t++) {
      assert_int_equal(pthread_join(thread[t], NULL), 0);
      assert_string_equal(some[t].err.message, "");
    }
    assert_int_equal(files_of_silo, 1 + WRITERS * EACH); /* the roots */
    assert_false(same_files("silo_like/blocks/first_0000.silo", "silo_first/blocks/first_0000.silo"));
    assert_true(same_files("silo_like/blocks/second_0000.silo", "silo_first/blocks/first_0000.silo"));
    for (int i = 0; i < WRITERS * EACH; i++) {
      char path[64];
      snprintf(path, sizeof path, "silo_like/blocks/fields_%06d_0000.silo", i);
      assert_true(same_files(path, "silo_first/blocks/first_0000.silo"));
    }
    expect_nothing_left("silo_like");
    end_series(&first);
    end_series(&like);
  }
  assert_int_equal(dg_memory_current(), before);
}

/* Whatever fails: nothing is left of it, and the next one is whole. */
static void test_like_the_first_fails(void **state)
{
  (void)state;
  struct series series;
  struct dg_error err = {0};
  struct stat whole;
  struct rlimit saved;
  begin_series(&series, "silo_like_fails", 4);
  assert_int_equal(dg_silo_write("silo_like_fails/first.silo", &series.s.snapshot, series.s.kept, NULL, &err), 0);
  assert_int_equal(stat("silo_like_fails/blocks/first_0000.silo", &whole), 0);
  const char *const path = "silo_like_fails/next.silo", *const block = "silo_like_fails/blocks/next_0000.silo";
  int failures[2] = {0};
  for (int kind = 0; kind < 2; kind++) {
    unlink(path); /* of the loop before */
    unlink(block);
    for (long n = 1;; n++, failures[kind]++) {
      err = (struct dg_error){0};
      files_of_silo = 0;
      if (kind == 0) dg_memory_fail_at(n);
      else fails_at = n;
      const int status = dg_silo_write(path, &series.s.snapshot, series.s.kept, NULL, &err);
      dg_memory_fail_at(0);
      fails_at = 0;
      assert_true(files_of_silo <= 1);
      if (status == 0) break;
      assert_int_equal(status, DG_ENVIRONMENT);
      assert_non_null(strstr(err.message, kind == 0
                                              ? "while writing 'silo_like_fails/next.silo'"
                                              : "cannot write 'silo_like_fails/next.silo': Input/output error ("));
      expect_nothing_left("silo_like_fails");
    }
  }
  assert_true(failures[0] > 5 && failures[1] > 9 + 4); /* nine variables and what is around them */
  assert_true(same_files(block, "silo_like_fails/blocks/first_0000.silo"));
  unlink(path);
  unlink(block);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &saved), 0);
  signal(SIGXFSZ, SIG_IGN);
  const off_t limits[] = {0, 4096, whole.st_size / 2, whole.st_size - 1, whole.st_size};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const struct rlimit limit = {.rlim_cur = (rlim_t)limits[i], .rlim_max = saved.rlim_max};
    err = (struct dg_error){0};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(dg_silo_write(path, &series.s.snapshot, series.s.kept, NULL, &err), DG_ENVIRONMENT);
    assert_non_null(strstr(err.message, "cannot write 'silo_like_fails/next.silo': File too large"));
    expect_nothing_left("silo_like_fails");
  }
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &saved), 0);
  signal(SIGXFSZ, SIG_DFL);
  /* A folder that has gone is made again. */
  err = (struct dg_error){0};
  assert_int_equal(system("rm -r silo_like_fails/blocks"), 0);
  assert_int_equal(dg_silo_write(path, &series.s.snapshot, series.s.kept, NULL, &err), 0);
  assert_true(exists(block));
  end_series(&series);
}

/* Files of a pattern must have the same layout; otherwise there is no pattern. */
static void test_other_layouts(void **state)
{
  (void)state;
  struct series series;
  struct dg_error err = {0};
  begin_series(&series, "silo_other", 2);
  struct dg_snapshot *const s = &series.s.snapshot;
  const char *const path = "silo_other/fields.silo";
  /* the number of Silo's files: the block, the root and for the first the mesh */
  static const struct {
    bool single, fewer;
    int files;
  } turn[] = {{.files = 3},
              {.files = 1},
              {.single = true, .files = 2},
              {.single = true, .files = 1},
              {.single = true, .fewer = true, .files = 2},
              {.files = 2}};
  for (size_t i = 0; i < sizeof turn / sizeof *turn; i++) {
    s->single = turn[i].single;
    s->fields = turn[i].fewer ? 3 : 5;
    files_of_silo = 0;
    assert_int_equal(dg_silo_write(path, s, &series.kept, NULL, &err), 0);
    if (files_of_silo != turn[i].files) fail_msg("%zu: Silo wrote %d files, not %d", i, files_of_silo, turn[i].files);
  }
  dg_silo_mesh_release(&series.kept);
  set_average(&series.s, NULL);
  for (int i = 0; i < 2; i++) {
    files_of_silo = 0;
    assert_int_equal(dg_silo_write(path, s, &series.kept, NULL, &err), 0);
    assert_int_equal(files_of_silo, i == 0 ? 3 : 2);
  }
  end_series(&series);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_like_the_first),
      cmocka_unit_test(test_like_the_first_fails),
      cmocka_unit_test(test_other_layouts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
