/* Snapshots of several ranks, for check_blocks.py, beside what one rank writes of the same fields; and what a rank that
 * cannot write does to the others.
 *
 *   test_silo_ranks                  writes silo_ranks_N/
 *   test_silo_ranks limit R FILES    the disk of rank R is full; how the ranks share files
 *   test_silo_ranks blocked          something is in the way of the folder of blocks
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "libdg/io/silo_writer.h"
#include "libdg/io/tests/fields.h"
#include "libdg/mesh/partition.h"

static struct dg_comm *comm;
static int rank, size;
static char folder[32];

/* The cube in parts. */
static void set_up_part(struct setup *s, bool holes, int p)
{
  struct dg_error err = {0};
  int32_t *owner = NULL;
  *s = (struct setup){0};
  if (rank == 0) {
    assert_int_equal(cube_mesh_with(&s->mesh, 3, holes, &err), 0);
    assert_int_equal(DG_NEW(owner, s->mesh.K, &err), 0);
    assert_int_equal(dg_mesh_partition(&s->mesh, size, NULL, owner, &err), 0);
  }
  assert_int_equal(dg_mesh_distribute(&s->mesh, owner, comm, &err), 0);
  dg_free(owner);
  set_up_fields(s, p);
}

/* What one rank makes of the whole, for comparison. */
static void write_alone(const char *name, bool holes, int p, bool average)
{
  struct dg_error err = {0};
  struct setup s = {0};
  char path[64];
  assert_int_equal(cube_mesh_with(&s.mesh, 3, holes, &err), 0);
  set_up_fields(&s, p);
  if (average) set_average(&s, NULL);
  snprintf(path, sizeof path, "%s/alone_%s.silo", folder, name);
  assert_int_equal(dg_silo_write(path, &s.snapshot, NULL, &err), 0);
  tear_down(&s);
}

/* Twice: the second replaces the first. */
static void write_both(const char *name, bool holes, int p, bool average, int files)
{
  struct dg_error err = {0};
  struct setup s;
  char path[64];
  if (rank == 0) write_alone(name, holes, p, average);
  set_up_part(&s, holes, p);
  if (average) set_average(&s, comm);
  s.snapshot.files = files;
  snprintf(path, sizeof path, "%s/ranks_%s.silo", folder, name);
  for (int again = 0; again < 2; again++)
    if (dg_silo_write(path, &s.snapshot, comm, &err) != 0) fail_msg("%s", err.message);
  tear_down(&s);
}

/* Orders 1 to 3, plain and averaged; every rank a file, two files, all in one. */
static void writes(void **state)
{
  (void)state;
  const size_t before = dg_memory_current();
  for (int p = 1; p <= 3; p++) {
    char name[32];
    snprintf(name, sizeof name, "nodal_%d", p);
    write_both(name, false, p, false, p == 1 ? 0 : 4 - p);
    snprintf(name, sizeof name, "averaged_%d", p);
    write_both(name, false, p, true, p == 1 ? 0 : 4 - p);
  }
  assert_int_equal(dg_memory_current(), before);
}

/* Nodes at the same place that no path through faces joins are not averaged, whatever ranks they are on. */
static void keeps_apart_what_touches_in_edges(void **state)
{
  (void)state;
  write_both("holes", true, 3, true, 0);
}

/* How many files there are whose names end so. */
static int count_files(const char *where, const char *ending)
{
  int count = 0;
  DIR *const dir = opendir(where);
  if (dir == NULL) return 0;
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    const size_t length = strlen(entry->d_name), end = strlen(ending);
    count += length >= end && strcmp(entry->d_name + length - end, ending) == 0;
  }
  closedir(dir);
  return count;
}

static void empty_folder(const char *where)
{
  char command[100];
  snprintf(command, sizeof command, "rm -rf '%s'", where);
  assert_int_equal(system(command), 0);
  assert_int_equal(mkdir(where, 0777), 0);
}

/* Every rank returns with an error, in the end with that of the rank where it happened; nothing is left. */
static void fails(int failing, int files, const char *message)
{
  struct dg_error err = {0};
  struct setup s;
  char path[64], blocks[64];
  struct rlimit saved;
  set_up_part(&s, false, 3);
  set_average(&s, comm);
  s.snapshot.files = files;
  snprintf(path, sizeof path, "%s/fields.silo", folder);
  snprintf(blocks, sizeof blocks, "%s/blocks", folder);
  if (failing < 0 && rank == 0) assert_int_equal(fclose(fopen(blocks, "w")), 0);
  assert_int_equal(dg_comm_agree(comm, &err), 0);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &saved), 0);
  const struct rlimit limit = {.rlim_cur = 30000, .rlim_max = saved.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  if (rank == failing) assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  assert_int_equal(dg_silo_write(path, &s.snapshot, comm, &err), DG_ENVIRONMENT);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &saved), 0);
  dg_comm_stop(comm, &err);
  assert_int_equal(dg_comm_settle(comm, &err), DG_ENVIRONMENT);
  if (strstr(err.message, message) == NULL) fail_msg("'%s' does not say '%s'", err.message, message);
  assert_int_equal(count_files(folder, ".silo") + count_files(folder, ".part"), 0);
  assert_int_equal(count_files(blocks, ".silo") + count_files(blocks, ".part") + count_files(blocks, ".room"), 0);
  tear_down(&s);
}

static int failing_rank, failing_files;

static void releases_all_when_a_disk_is_full(void **state)
{
  (void)state;
  fails(failing_rank, failing_files, "File too large");
}

static void releases_all_when_there_is_no_folder(void **state)
{
  (void)state;
  fails(-1, 0, "Not a directory");
}

static int start(struct dg_error *err)
{
  if (dg_comm_start(&comm, err) != 0) return err->code;
  rank = dg_comm_rank(comm);
  size = dg_comm_size(comm);
  return 0;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest writing[] = {cmocka_unit_test(writes), cmocka_unit_test(keeps_apart_what_touches_in_edges)};
  const struct CMUnitTest full[] = {cmocka_unit_test(releases_all_when_a_disk_is_full)};
  const struct CMUnitTest blocked[] = {cmocka_unit_test(releases_all_when_there_is_no_folder)};
  struct dg_error err = {0};
  if (start(&err) != 0) return 1;
  snprintf(folder, sizeof folder, "silo_ranks_%d", size);
  for (int i = 1; i < argc; i++) snprintf(folder + strlen(folder), sizeof folder - strlen(folder), "_%s", argv[i]);
  if (rank == 0) empty_folder(folder);
  if (dg_comm_agree(comm, &err) != 0) return 1;
  int failed;
  if (argc == 4) {
    failing_rank = atoi(argv[2]);
    failing_files = atoi(argv[3]);
    failed = cmocka_run_group_tests(full, NULL, NULL);
  } else if (argc == 2) failed = cmocka_run_group_tests(blocked, NULL, NULL);
  else failed = cmocka_run_group_tests(writing, NULL, NULL);
  dg_comm_finish(comm, failed);
  return failed;
}
