/* Errors, memory, names, JSON, the log and sorting: the small things that everything else stands on. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "libdg/base/log.h"
#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/base/text.h"

static void test_first_error_wins(void **state)
{
  (void)state;
  struct dg_error err = {0};
  assert_int_equal(dg_fail(&err, DG_INPUT, "order %d\nis bad", 9), DG_INPUT);
  assert_int_equal(dg_fail(&err, DG_BUG, "later"), DG_INPUT);
  assert_int_equal(dg_context(&err, "in '%s'", "a.lua"), DG_INPUT);
  assert_string_equal(err.message, "order 9 is bad, in 'a.lua'");
}

static void test_long_messages_are_cut(void **state)
{
  (void)state;
  char text[2 * DG_MESSAGE_MAX];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = '\0';
  struct dg_error err = {0};
  assert_int_equal(dg_fail(&err, DG_INPUT, "%s", text), DG_INPUT);
  assert_int_equal(strlen(err.message), DG_MESSAGE_MAX - 1);
  assert_string_equal(err.message + DG_MESSAGE_MAX - 4, "...");
  assert_int_equal(dg_context(&err, "more"), DG_INPUT);
}

static void test_memory(void **state)
{
  (void)state;
  struct dg_error err = {0};
  size_t before = dg_memory_current();
  double *block;
  assert_int_equal(DG_NEW(block, 1000, &err), 0);
  assert_int_equal((uintptr_t)block % 64, 0);
  for (int i = 0; i < 1000; i++) assert_true(block[i] == 0);
  assert_int_equal(dg_memory_current() - before, 8000);
  block[999] = 7;
  assert_int_equal(dg_grow(&block, 2000, sizeof *block, &err), 0);
  assert_true(block[999] == 7 && block[1000] == 0);
  dg_free(block);
  dg_free(NULL);
  assert_int_equal(dg_memory_current(), before);
  assert_true(dg_memory_peak() >= before + 16000);

  assert_int_equal(dg_alloc(&block, SIZE_MAX / 4, 8, &err), DG_ENVIRONMENT);
  assert_null(block);
  assert_non_null(strstr(err.message, "overflow the address space"));
  struct dg_error second = {0};
  dg_memory_fail_at(2);
  char *copy, *other;
  assert_int_equal(dg_copy_string(&copy, "first", &second), 0);
  assert_int_equal(dg_copy_string(&other, "second", &second), DG_ENVIRONMENT);
  assert_non_null(strstr(second.message, "out of memory"));
  dg_free(copy);
}

static void test_nearest_name(void **state)
{
  (void)state;
  const char *const names[] = {"order", "materials", "boundaries", "initial"};
  assert_int_equal(dg_nearest("ordr", names, 4), 0);
  assert_int_equal(dg_nearest("ORDER", names, 4), 0);
  assert_int_equal(dg_nearest("amterials", names, 4), 1);
  assert_int_equal(dg_nearest("boundary", names, 4), 2);
  assert_int_equal(dg_nearest("zzz", names, 4), -1);
  /* a third of the letters may be wrong; neighbours that are swapped are one */
  assert_int_equal(dg_nearest("kitten", (const char *const[]){"sitting"}, 1), -1);
  assert_int_equal(dg_nearest("kitten", (const char *const[]){"sittin"}, 1), 0);
  assert_int_equal(dg_nearest("acb", (const char *const[]){"abc"}, 1), 0);
  assert_int_equal(dg_nearest("cab", (const char *const[]){"abc"}, 1), -1);
}

static void test_json(void **state)
{
  (void)state;
  char text[200] = {0};
  FILE *file = fmemopen(text, sizeof text, "w");
  dg_json_string(file, "a \"quoted\"\\\n");
  dg_json_number(file, 0.1);
  fputc(' ', file);
  dg_json_number(file, NAN);
  fputc(' ', file);
  dg_json_number(file, 1.0 / 3);
  fclose(file);
  assert_string_equal(text, "\"a \\\"quoted\\\"\\\\\\u000a\"0.1 null 0.3333333333333333");
}

static void test_log_reaches_the_file(void **state)
{
  (void)state;
  char path[] = "/tmp/curlew-log-XXXXXX", text[100] = {0};
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  struct dg_error err = {0};
  struct dg_log *log;
  assert_int_equal(dg_log_new(&log, 0, &err), 0);
  dg_log_line(log, "before %d", 1);
  assert_int_equal(dg_log_open(log, path, false, &err), 0);
  dg_log_warning(log, "after");
  assert_int_equal(dg_log_status(log), 0);
  dg_log_free(log);
  close(fd);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t got = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  remove(path);
  assert_true(got > 0);
  assert_string_equal(text, "before 1\nwarning: after\n");
}

static void test_log_notices_a_full_disk(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct dg_log *log;
  assert_int_equal(dg_log_new(&log, 0, &err), 0);
  char path[] = "log_full.txt";
  struct rlimit whole, none;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &whole), 0);
  none = whole;
  none.rlim_cur = 0;
  assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
  assert_int_equal(dg_log_open(log, path, false, &err), 0);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
  dg_log_line(log, "lost");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &whole), 0);
  assert_int_equal(dg_log_status(log), EFBIG);
  dg_log_free(log);
  remove(path);
}

/* A night of progress is a screen of lines, and the first minute has some. */
static void test_lines_grow_rare(void **state)
{
  (void)state;
  const double hour = 3600;
  struct dg_pace pace = {.least = 2, .most = 600, .begun = 1000, .last = 1000};
  int minute = 0, night = 0;
  double longest = 0, last = 0;
  for (double t = 0; t < 12 * hour; t += 0.25) {
    if (!dg_pace_due(&pace, 1000 + t)) continue;
    if (t <= 60) minute++;
    night++;
    longest = fmax(longest, t - last);
    last = t;
  }
  assert_true(minute >= 4 && minute <= 6);
  assert_true(night > 72 && night < 90); /* one in ten minutes, and those before */
  assert_true(longest <= 600.5);
  struct dg_pace steady = {.least = 0.5, .most = 0.5};
  int count = 0;
  for (double t = 0; t < 100; t += 0.25) count += dg_pace_due(&steady, t);
  assert_int_equal(count, 199);
}

/* Keys of all sizes with many repetitions: ascending, equal ones in their order, every item there. */
static void test_sort(void **state)
{
  (void)state;
  enum { MOST = 5000 };
  static struct dg_keyed keyed[MOST];
  static uint64_t key[MOST];
  static const size_t counts[] = {0, 1, 2, 3, 100, MOST};
  uint64_t random = 1;
  for (int shift = 0; shift < 64; shift += 9)
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
      struct dg_error err = {0};
      size_t sum = 0;
      for (size_t i = 0; i < counts[c]; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        key[i] = i % 3 == 0 ? random >> 60 << shift : random >> shift;
        keyed[i] = (struct dg_keyed){key[i], i};
      }
      assert_int_equal(dg_sort_keyed(keyed, counts[c], &err), 0);
      for (size_t i = 0; i < counts[c]; i++) {
        assert_true(keyed[i].key == key[keyed[i].item]);
        sum += keyed[i].item;
        if (i == 0) continue;
        assert_true(keyed[i - 1].key <= keyed[i].key);
        assert_true(keyed[i - 1].key != keyed[i].key || keyed[i - 1].item < keyed[i].item);
      }
      assert_int_equal(sum, counts[c] * (counts[c] - (counts[c] > 0)) / 2);
    }
  struct dg_error err = {0};
  dg_memory_fail_at(1);
  assert_int_equal(dg_sort_keyed(keyed, MOST, &err), DG_ENVIRONMENT);
  dg_memory_fail_at(0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_first_error_wins),
      cmocka_unit_test(test_long_messages_are_cut),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_nearest_name),
      cmocka_unit_test(test_sort),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_log_reaches_the_file),
      cmocka_unit_test(test_log_notices_a_full_disk),
      cmocka_unit_test(test_lines_grow_rare),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
