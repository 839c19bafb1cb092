/* Files of arrays: what was written comes back, and what was changed, cut or could not be written is an error. */
#include <fcntl.h>
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

#include "libdg/base/digest.h"
#include "libdg/base/memory.h"
#include "libdg/io/store.h"

static const char path[] = "store.h5", part[] = "store.h5.part";
static const int64_t integers[] = {1, -2, INT64_MAX, INT64_MIN};
static const double doubles[] = {0.1, -0.0, INFINITY, 1e-310, 1e308}, floats[] = {0.5, -3, 1e10f};

static bool exists(const char *name)
{
  struct stat status;
  return stat(name, &status) == 0;
}

static int write_one(struct dg_error *err)
{
  struct dg_store *store;
  if (dg_store_create(&store, path, 4096, 6, err) != 0) return err->code;
  (void)!(dg_store_put(store, "integers", DG_STORE_INTEGERS, 4, integers, err) != 0 ||
          dg_store_put(store, "in/a/folder", DG_STORE_DOUBLES, 5, doubles, err) != 0 ||
          dg_store_put(store, "in/a/text", DG_STORE_BYTES, 5, "hello", err) != 0 ||
          dg_store_put(store, "none", DG_STORE_DOUBLES, 0, NULL, err) != 0 ||
          dg_store_add(store, "floats", DG_STORE_FLOATS, 3, err) != 0 ||
          dg_store_write(store, "floats", 2, 1, floats + 2, err) != 0 ||
          dg_store_write(store, "floats", 0, 2, floats, err) != 0 || dg_store_finish(store, NULL, err) != 0);
  dg_store_free(store);
  return err->code;
}

static int read_one(struct dg_error *err)
{
  struct dg_store *store;
  int64_t i[4];
  double d[5], f[3];
  char text[6] = "";
  size_t count = 7;
  if (dg_store_open(&store, path, false, err) != 0) return err->code;
  if (dg_store_read(store, "integers", DG_STORE_INTEGERS, 0, 4, i, err) == 0 &&
      dg_store_read(store, "in/a/folder", DG_STORE_DOUBLES, 0, 5, d, err) == 0 &&
      dg_store_read(store, "in/a/text", DG_STORE_BYTES, 0, 5, text, err) == 0 &&
      dg_store_read(store, "floats", DG_STORE_DOUBLES, 0, 3, f, err) == 0 &&
      dg_store_count(store, "none", &count, err) == 0) {
    assert_memory_equal(i, integers, sizeof integers);
    assert_memory_equal(d, doubles, sizeof doubles);
    assert_memory_equal(f, floats, sizeof floats);
    assert_string_equal(text, "hello");
    assert_int_equal(count, 0);
    assert_int_equal(dg_store_read(store, "floats", DG_STORE_FLOATS, 1, 1, f, err), 0);
    assert_true(f[0] == floats[1]);
  }
  dg_store_free(store);
  return err->code;
}

static void test_what_was_written_comes_back(void **state)
{
  struct dg_error err = {0};
  struct dg_store *store;
  double number, room[5];
  (void)state;
  if (write_one(&err) != 0 || read_one(&err) != 0) fail_msg("%s", err.message);
  assert_false(exists(part));
  assert_int_equal(dg_store_open(&store, path, false, &err), 0);
  assert_true(dg_store_has(store, "in/a/folder") && !dg_store_has(store, "in/b/folder") && !dg_store_has(store, "x"));
  assert_int_equal(dg_store_read(store, "in/a/folder", DG_STORE_DOUBLES, 3, 3, &number, &err), DG_ENVIRONMENT);
  assert_non_null(strstr(err.message, "'in/a/folder' ends after 5 numbers"));
  err = (struct dg_error){0};
  assert_int_equal(dg_store_read(store, "in/b", DG_STORE_DOUBLES, 0, 1, &number, &err), DG_ENVIRONMENT);
  assert_non_null(strstr(err.message, "has no array 'in/b'"));
  err = (struct dg_error){0};
  assert_int_equal(dg_store_read(store, "in/a/text", DG_STORE_INTEGERS, 0, 5, room, &err), DG_ENVIRONMENT);
  assert_non_null(strstr(err.message, "array 'in/a/text' has bytes, not integers"));
  err = (struct dg_error){0};
  assert_int_equal(dg_store_read(store, "integers", DG_STORE_DOUBLES, 0, 4, room, &err), DG_ENVIRONMENT);
  assert_non_null(strstr(err.message, "array 'integers' has integers, not numbers"));
  dg_store_free(store);
}

/* The whole file as bytes. */
static unsigned char *load(size_t *size)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  unsigned char *bytes = malloc(1 << 16);
  assert_non_null(bytes);
  *size = fread(bytes, 1, 1 << 16, file);
  fclose(file);
  return bytes;
}

static void save(const unsigned char *bytes, size_t size)
{
  FILE *file = fopen(path, "wb");
  assert_true(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void test_the_same_arrays_make_the_same_file(void **state)
{
  struct dg_error err = {0};
  size_t size, again;
  (void)state;
  assert_int_equal(write_one(&err), 0);
  unsigned char *one = load(&size);
  sleep(1); /* the time of day is in seconds */
  assert_int_equal(write_one(&err), 0);
  unsigned char *other = load(&again);
  assert_int_equal(size, again);
  assert_memory_equal(one, other, size);
  free(one), free(other);
}

/* Every byte, a bit of it, and every length. */
static void test_every_change_is_seen(void **state)
{
  struct dg_error err = {0};
  size_t size;
  (void)state;
  assert_int_equal(write_one(&err), 0);
  unsigned char *bytes = load(&size);
  int file = open(path, O_RDWR);
  assert_true(file >= 0);
  for (size_t at = 0; at < size; at++) {
    unsigned char changed = (unsigned char)(bytes[at] ^ 1 << at % 8);
    assert_int_equal(pwrite(file, &changed, 1, (off_t)at), 1);
    err = (struct dg_error){0};
    if (dg_store_check(path, NULL, &err) != DG_ENVIRONMENT) fail_msg("a bit of byte %zu was not missed", at);
    assert_int_equal(pwrite(file, bytes + at, 1, (off_t)at), 1);
  }
  close(file);
  err = (struct dg_error){0};
  assert_int_equal(dg_store_check(path, NULL, &err), 0);
  for (size_t length = size; length-- > 0;) {
    assert_int_equal(truncate(path, (off_t)length), 0);
    err = (struct dg_error){0};
    if (dg_store_check(path, NULL, &err) != DG_ENVIRONMENT) fail_msg("%zu of %zu bytes were enough", length, size);
    assert_non_null(strstr(err.message, "is damaged"));
  }
  save(bytes, size);
  save(bytes, size + 1);
  err = (struct dg_error){0};
  assert_int_equal(dg_store_check(path, NULL, &err), DG_ENVIRONMENT);
  free(bytes);
  remove(path);
  err = (struct dg_error){0};
  assert_int_equal(dg_store_check(path, NULL, &err), DG_ENVIRONMENT);
  assert_non_null(strstr(err.message, "No such file"));
}

/* Nothing stays of a file that could not be written, and what had its name before is as it was. */
static void test_no_room(void **state)
{
  struct rlimit before, now;
  struct dg_error err = {0};
  (void)state;
  assert_int_equal(write_one(&err), 0);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  for (rlim_t limit = 0; limit < 200000; limit += limit < 8192 ? 512 : 8192) {
    now = (struct rlimit){limit, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
    err = (struct dg_error){0};
    int status = write_one(&err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(exists(part));
    assert_true(status == 0 || (status == DG_ENVIRONMENT && strstr(err.message, "File too large") != NULL));
    assert_true(limit > 8192 || status != 0);
    err = (struct dg_error){0};
    if (read_one(&err) != 0) fail_msg("limit %ld: %s", (long)limit, err.message);
  }
}

static void test_not_finished(void **state)
{
  struct dg_error err = {0};
  struct dg_store *store;
  (void)state;
  remove(path);
  assert_int_equal(dg_store_create(&store, path, 100, 1, &err), 0);
  assert_int_equal(dg_store_put(store, "a", DG_STORE_DOUBLES, 5, doubles, &err), 0);
  assert_true(exists(part));
  dg_store_free(store);
  assert_true(!exists(part) && !exists(path));
  assert_int_equal(dg_store_create(&store, "no/such/folder/x.h5", 100, 1, &err), DG_ENVIRONMENT);
  assert_non_null(strstr(err.message, "No such file"));
  dg_store_free(NULL);
}

static void test_memory(void **state)
{
  (void)state;
  size_t before = dg_memory_current();
  for (int reads = 0; reads < 2; reads++) {
    int failed = 0;
    for (long n = 1; n < 50; n++) {
      struct dg_error err = {0};
      dg_memory_fail_at(n);
      int status = reads ? read_one(&err) : write_one(&err);
      dg_memory_fail_at(0);
      assert_int_equal(dg_memory_current(), before);
      assert_false(exists(part));
      if (status == 0) break;
      assert_int_equal(status, DG_ENVIRONMENT);
      failed++;
    }
    assert_true(failed >= 3 && failed < 40);
  }
}

static void test_digest(void **state)
{
  unsigned char bytes[200];
  (void)state;
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * i);
  for (size_t length = 0; length < sizeof bytes; length++) {
    uint64_t digest = dg_digest(1, bytes, length);
    assert_true(digest != dg_digest(2, bytes, length) && digest != dg_digest(1, bytes, length + 1));
    for (size_t bit = 0; bit < 8 * length; bit++) {
      bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
      assert_true(dg_digest(1, bytes, length) != digest);
      bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
  }
}

static int enter(void **state)
{
  static char folder[] = "/tmp/curlew_store_XXXXXX";
  *state = folder;
  (void)signal(SIGXFSZ, SIG_IGN);
  return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
  remove(path);
  return chdir("/") == 0 && rmdir(*state) == 0 ? 0 : -1;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_was_written_comes_back),
      cmocka_unit_test(test_the_same_arrays_make_the_same_file),
      cmocka_unit_test(test_every_change_is_seen),
      cmocka_unit_test(test_no_room),
      cmocka_unit_test(test_not_finished),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_digest),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
