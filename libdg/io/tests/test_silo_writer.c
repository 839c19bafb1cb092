/* Writes the snapshots that check_snapshots.py reads with another program's eyes, and breaks the writing in every way
 * that a disk or the memory can. */
#include <inttypes.h>
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
#include <sys/statvfs.h>
#include <unistd.h>
#include <cmocka.h>

#include "libdg/io/silo/silo_writer.h"
#include "libdg/io/tests/fields.h"

enum { DISK_SIZE = 1 << 20 };

/* The linker puts this in place of fstatvfs, so that a disk may fill up after there seemed to be room on it. */
int __real_fstatvfs(int descriptor, struct statvfs *disk);
int __wrap_fstatvfs(int descriptor, struct statvfs *disk);
static int disk_seems_empty;

int __wrap_fstatvfs(int descriptor, struct statvfs *disk)
{
  const int failed = __real_fstatvfs(descriptor, disk);
  if (disk_seems_empty) disk->f_bavail = disk->f_blocks = 1u << 30;
  return failed;
}

static int exists(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0;
}

static void test_write(void **state)
{
  (void)state;
  const size_t before = dg_memory_current();
  for (int p = 1; p <= 4; p++) {
    for (int average = 0; average <= 1; average++) {
      struct dg_error err = {0};
      struct setup s;
      char path[64];
      set_up(&s, 2, p);
      if (average) set_average(&s, NULL);
      snprintf(path, sizeof path, "silo_%s_%d.silo", average ? "averaged" : "nodal", p);
      unlink(path);
      unlink("silo_nodal_1.silo.part");
      assert_int_equal(dg_silo_write(path, &s.snapshot, s.kept, NULL, &err), 0);
      assert_string_equal(err.message, "");
      assert_true(exists(path));
      tear_down(&s);
    }
  }
  assert_false(exists("silo_nodal_1.silo.part"));
  assert_int_equal(dg_memory_current(), before);
  assert_true(strlen(dg_silo_version()) >= 3);
}

/* A second snapshot of the same name replaces the first; NaN in a field is no reason to fail. */
static void test_replace_and_nan(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct setup s;
  set_up(&s, 1, 2);
  for (size_t n = 0; n < s.mesh.K * (size_t)s.ref.Np; n++) s.scalar[n] = NAN;
  for (int i = 0; i < 2; i++) {
    s.snapshot.cycle = i;
    assert_int_equal(dg_silo_write("silo_nan.silo", &s.snapshot, s.kept, NULL, &err), 0);
  }
  s.snapshot.fields = 0;
  assert_int_equal(dg_silo_write("silo_mesh_only.silo", &s.snapshot, s.kept, NULL, &err), 0);
  tear_down(&s);
}

static ino_t file_of(const char *path)
{
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  return status.st_ino;
}

static void find_mesh(const char *folder, const struct dg_silo_mesh *kept, char *name, size_t size)
{
  snprintf(name, size, "%s/mesh_%016" PRIx64 "_0000.silo", folder, kept->common);
}

/* Snapshots 10, 11 and so on of a run, whose mesh is in a file of its own. */
static int write_series(struct setup *s, int number, struct dg_error *err)
{
  char path[64];
  s->snapshot.cycle = 10 * s->ref.order + number;
  snprintf(path, sizeof path, "silo_once/fields_%06d.silo", s->snapshot.cycle);
  return dg_silo_write(path, &s->snapshot, s->kept, NULL, err);
}

/* Writes a snapshot that differs from the one before it in values only. */
static void write_other_values(struct setup *s)
{
  struct dg_error err = {0};
  const size_t n = s->mesh.K * (size_t)s->ref.Np;
  double *const values = s->scalar, *other;
  assert_int_equal(DG_NEW(other, n, &err), 0);
  s->field[1].value = other;
  assert_int_equal(dg_silo_write("silo_once/other.silo", &s->snapshot, s->kept, NULL, &err), 0);
  s->field[1].value = values;
  dg_free(other);
}

/* The first one writes the mesh, others leave it alone unless it has gone; all, and floats, for check_snapshots.py. */
static void test_mesh_once(void **state)
{
  (void)state;
  const size_t before = dg_memory_current();
  assert_int_equal(system("rm -rf silo_once"), 0);
  assert_int_equal(mkdir("silo_once", 0777), 0);
  for (int p = 1; p <= 3; p++) {
    struct dg_silo_mesh kept = {0};
    struct dg_error err = {0};
    struct setup s;
    char mesh[80];
    set_up(&s, 2, p);
    if (p == 2) set_average(&s, NULL);
    s.kept = &kept;
    s.snapshot.mesh_once = true;
    write_other_values(&s);
    assert_int_equal(write_series(&s, 0, &err), 0);
    find_mesh("silo_once/blocks", &kept, mesh, sizeof mesh);
    const ino_t first = file_of(mesh);
    s.snapshot.single = true; /* which is no longer like the first */
    assert_int_equal(write_series(&s, 1, &err), 0);
    assert_true(file_of(mesh) == first);
    assert_int_equal(unlink(mesh), 0);
    assert_int_equal(write_series(&s, 2, &err), 0);
    assert_true(exists(mesh));
    assert_int_equal(write_series(&s, 3, &err), 0);
    dg_silo_mesh_release(&kept);
    tear_down(&s);
  }
  assert_int_equal(dg_memory_current(), before);
  assert_int_equal(system("test -z \"$(find silo_once -name '*.part' -o -name '*.room')\""), 0);
}

/* Whatever fails of the first or a later snapshot: none of its files is left, and the next one is whole. */
static void test_mesh_once_fails(void **state)
{
  (void)state;
  struct setup s;
  struct dg_silo_mesh kept = {0};
  assert_int_equal(system("rm -rf silo_once_fails"), 0);
  assert_int_equal(mkdir("silo_once_fails", 0777), 0);
  set_up(&s, 1, 2);
  s.kept = &kept;
  s.snapshot.mesh_once = true;
  const char *const path = "silo_once_fails/fields_000200.silo";
  char mesh[80];
  int done = 0;
  for (long n = 1; !done; n++) {
    struct dg_error err = {0};
    dg_memory_fail_at(n);
    done = dg_silo_write(path, &s.snapshot, s.kept, NULL, &err) == 0;
    dg_memory_fail_at(0);
    assert_int_equal(exists(path), done);
    find_mesh("silo_once_fails/blocks", &kept, mesh, sizeof mesh);
    assert_int_equal(exists(mesh), done);
    assert_true(done || strstr(err.message, "while writing 'silo_once_fails/fields_000200.silo'") != NULL);
    assert_true(!done || n > 10);
  }
  /* One that cannot have its name behind a mesh that is new takes that with it; one that was there stays. */
  for (int there = 0; there <= 1; there++) {
    struct dg_error err = {0};
    unlink(path);
    rmdir(path);
    assert_int_equal(there ? dg_silo_write(path, &s.snapshot, s.kept, NULL, &err) : unlink(mesh), 0);
    unlink(path);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(dg_silo_write(path, &s.snapshot, s.kept, NULL, &err), DG_ENVIRONMENT);
    assert_string_equal(err.message, "cannot write 'silo_once_fails/fields_000200.silo': Is a directory");
    assert_int_equal(exists(mesh), there);
    assert_int_equal(rmdir(path), 0);
  }
  unlink(mesh);
  unlink("silo_once_fails/blocks/fields_000200_0000.silo"); /* of the last that was whole */
  assert_int_equal(system("test -z \"$(find silo_once_fails -type f)\""), 0);
  dg_silo_mesh_release(&kept);
  tear_down(&s);
}

static void expect_failure(const struct setup *s, const char *path, enum dg_code code, const char *part_of_message)
{
  struct dg_error err = {0};
  char part[512];
  const size_t before = dg_memory_current();
  snprintf(part, sizeof part, "%s.part", path);
  unlink(path); /* what a failed test may have left */
  unlink(part);
  assert_int_equal(dg_silo_write(path, &s->snapshot, s->kept, NULL, &err), code);
  if (!strstr(err.message, part_of_message) || !strstr(err.message, path) || strchr(err.message, '\n'))
    fail_msg("'%s' does not say '%s' of '%s'", err.message, part_of_message, path);
  assert_false(exists(path));
  assert_false(exists(part));
  assert_int_equal(dg_memory_current(), before);
}

static void test_bad_places(void **state)
{
  (void)state;
  struct setup s;
  set_up(&s, 1, 2);
  expect_failure(&s, "no_such_folder/fields.silo", DG_ENVIRONMENT,
                 "cannot write 'no_such_folder/fields.silo': No such file or directory");
  rmdir("silo_folder.silo");
  assert_true(mkdir("silo_folder.silo", 0777) == 0);
  struct dg_error err = {0};
  assert_int_equal(dg_silo_write("silo_folder.silo", &s.snapshot, s.kept, NULL, &err), DG_ENVIRONMENT);
  assert_non_null(strstr(err.message, "cannot write 'silo_folder.silo': Is a directory"));
  assert_false(exists("silo_folder.silo.part"));
  rmdir("silo_folder.silo");
  if (geteuid() != 0) { /* nothing is forbidden to root */
    rmdir("silo_locked");
    assert_true(mkdir("silo_locked", 0555) == 0);
    expect_failure(&s, "silo_locked/fields.silo", DG_ENVIRONMENT, "Permission denied");
    rmdir("silo_locked");
  }
  tear_down(&s);
}

/* Whatever the limit, the file is whole or absent. */
static void test_file_size_limit(void **state)
{
  (void)state;
  struct setup s;
  struct stat whole;
  struct rlimit saved;
  struct dg_error err = {0};
  set_up(&s, 3, 4);
  assert_int_equal(dg_silo_write("silo_limit.silo", &s.snapshot, s.kept, NULL, &err), 0);
  assert_int_equal(stat("silo_limit.silo", &whole), 0);
  unlink("silo_limit.silo");
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &saved), 0);
  signal(SIGXFSZ, SIG_IGN);
  const off_t limits[] = {0, 100, 4096, 50000, whole.st_size / 2, whole.st_size - 1, whole.st_size};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const struct rlimit limit = {.rlim_cur = (rlim_t)limits[i], .rlim_max = saved.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    expect_failure(&s, "silo_limit.silo", DG_ENVIRONMENT, "cannot write 'silo_limit.silo': File too large");
  }
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &saved), 0);
  signal(SIGXFSZ, SIG_DFL);
  assert_int_equal(dg_silo_write("silo_limit.silo", &s.snapshot, s.kept, NULL, &err), 0);
  unlink("silo_limit.silo");
  tear_down(&s);
}

/* Leaves `room` bytes on the little disk. */
static void fill_disk(size_t room)
{
  static const char zeros[4096];
  FILE *const file = fopen("silo_disk/filler", "w");
  assert_non_null(file);
  for (size_t written = room; written < DISK_SIZE; written += sizeof zeros)
    assert_int_equal(fwrite(zeros, 1, sizeof zeros, file), sizeof zeros);
  assert_int_equal(fclose(file), 0);
}

/* The disk seems to have room, but has less: from failing at the first byte to success. */
static void disk_fills_up(const struct setup *s)
{
  int failed = 0, whole = 0;
  disk_seems_empty = 1;
  for (size_t room = 0; room < DISK_SIZE && whole < 2; room += 4096) {
    struct dg_error err = {0};
    fill_disk(room);
    if (dg_silo_write("silo_disk/fields.silo", &s->snapshot, s->kept, NULL, &err) == 0) {
      whole++;
      assert_true(exists("silo_disk/fields.silo"));
      unlink("silo_disk/fields.silo");
    } else {
      failed++;
      assert_int_equal(whole, 0);
      expect_failure(s, "silo_disk/fields.silo", DG_ENVIRONMENT,
                     "cannot write 'silo_disk/fields.silo': No space left on device");
    }
    unlink("silo_disk/filler");
  }
  disk_seems_empty = 0;
  assert_in_range(failed, 40, 250);
  assert_int_equal(whole, 2);
}

/* A disk of 1 MB, when one may be mounted: too full from the start, and filling up while we write. */
static void test_disk_full(void **state)
{
  (void)state;
  struct setup s;
  if (geteuid() != 0) skip();
  mkdir("silo_disk", 0777);
  if (system("mount -t tmpfs -o size=1m none silo_disk 2>/dev/null") != 0) skip();
  set_up(&s, 4, 4);
  expect_failure(&s, "silo_disk/fields.silo", DG_ENVIRONMENT,
                 "cannot write 'silo_disk/fields.silo': No space left on device (needs up to");
  tear_down(&s);
  for (int cells = 1; cells <= 2; cells++) {
    set_up(&s, cells, 4);
    disk_fills_up(&s);
    tear_down(&s);
  }
}

/* Also after a failure, and after one of an earlier run. */
static int remove_disk(void **state)
{
  (void)state;
  if (access("silo_disk", F_OK) != 0) return 0;
  if (system("umount silo_disk 2>/dev/null") == -1) return 1;
  return rmdir("silo_disk");
}

static void test_too_many_nodes(void **state)
{
  (void)state;
  struct setup s;
  struct dg_error err = {0};
  set_up(&s, 1, 2);
  const size_t K = s.mesh.K;
  s.mesh.K = (size_t)1 << 28; /* x 10 nodes: more than int counts; the arrays are not touched before the check */
  assert_int_equal(dg_silo_write("silo_big.silo", &s.snapshot, s.kept, NULL, &err), DG_INPUT);
  assert_non_null(strstr(err.message, "268435456 elements of order 2 have 2684354560 nodes"));
  assert_false(exists("silo_big.silo"));
  s.mesh.K = K;
  tear_down(&s);
}

static void test_no_memory(void **state)
{
  (void)state;
  struct setup s;
  int done = 0;
  set_up(&s, 1, 2);
  set_average(&s, NULL);
  unlink("silo_memory.silo.part");
  const size_t before = dg_memory_current();
  for (long n = 1; !done; n++) {
    struct dg_error err = {0};
    unlink("silo_memory.silo");
    dg_memory_fail_at(n);
    done = dg_silo_write("silo_memory.silo", &s.snapshot, s.kept, NULL, &err) == 0;
    dg_memory_fail_at(0);
    assert_int_equal(exists("silo_memory.silo"), done);
    assert_false(exists("silo_memory.silo.part"));
    if (!done) {
      assert_int_equal(err.code, DG_ENVIRONMENT);
      assert_non_null(strstr(err.message, "out of memory"));
      assert_non_null(strstr(err.message, "while writing 'silo_memory.silo'"));
    } else assert_in_range(n, 8, 20);
    assert_int_equal(dg_memory_current(), before);
  }
  unlink("silo_memory.silo");
  tear_down(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_write),
      cmocka_unit_test(test_replace_and_nan),
      cmocka_unit_test(test_mesh_once),
      cmocka_unit_test(test_mesh_once_fails),
      cmocka_unit_test(test_bad_places),
      cmocka_unit_test(test_file_size_limit),
      cmocka_unit_test_setup_teardown(test_disk_full, remove_disk, remove_disk),
      cmocka_unit_test(test_too_many_nodes),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
