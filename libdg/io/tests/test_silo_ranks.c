/* Snapshots of several ranks, for check_blocks.py, beside what one rank writes of the same fields; and what a rank that
 * cannot write does to the others.
 *
 *   test_silo_ranks                  writes silo_ranks_N/
 *   test_silo_ranks limit R FILES    the disk of rank R is full; how the ranks share files
 *   test_silo_ranks memory R N       the N-th allocation of rank R fails
 *   test_silo_ranks blocks           a file is in the way of the folder of blocks
 *   test_silo_ranks root             a folder is in the way of the root
 *   test_silo_ranks halves R         the disk of rank R is full for its half of the work
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

#include "libdg/io/silo/silo_writer.h"
#include "libdg/io/tests/fields.h"
#include "libdg/mesh/parts/partition.h"

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
    assert_int_equal(dg_mesh_partition(&s->mesh, size, 0, NULL, owner, &err), 0);
  }
  assert_int_equal(dg_mesh_distribute(&s->mesh, owner, comm, &err), 0);
  dg_free(owner);
  set_up_fields(s, p);
}

/* Writes the snapshot as one rank with the whole mesh does, for comparison. */
static void write_alone(const char *name, bool holes, int p, bool average)
{
  struct dg_error err = {0};
  struct setup s = {0};
  char path[64];
  assert_int_equal(cube_mesh_with(&s.mesh, 3, holes, &err), 0);
  set_up_fields(&s, p);
  if (average) set_average(&s, NULL);
  snprintf(path, sizeof path, "%s/alone_%s.silo", folder, name);
  assert_int_equal(dg_silo_write(path, &s.snapshot, s.kept, NULL, &err), 0);
  tear_down(&s);
}

static int write_in_halves(const char *path, const struct setup *s, struct dg_error *err)
{
  struct dg_silo_job *job;
  if (dg_silo_write_block(&job, path, &s->snapshot, s->kept, comm, err) != 0) return err->code;
  return dg_silo_write_names(job, err);
}

/* Twice: the second replaces the first, and is written in halves where that is possible. */
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
    if ((again && dg_silo_in_halves(files, average, comm) ? write_in_halves(path, &s, &err)
                                                          : dg_silo_write(path, &s.snapshot, s.kept, comm, &err)) != 0)
      fail_msg("%s", err.message);
  tear_down(&s);
}

/* Two snapshots that share their mesh, of which check_blocks.py reads the second. */
static void write_series(const char *name, int p, bool average, int files)
{
  struct dg_error err = {0};
  struct dg_silo_mesh kept = {0};
  struct setup s;
  char path[64];
  set_up_part(&s, false, p);
  if (average) set_average(&s, comm);
  s.snapshot.files = files;
  s.kept = &kept;
  s.snapshot.mesh_once = true;
  s.snapshot.cycle--;
  const bool halves = dg_silo_in_halves(files, average, comm);
  struct dg_silo_job *job = NULL;
  snprintf(path, sizeof path, "%s/before_%s.silo", folder, name);
  if (halves) assert_int_equal(dg_silo_write_block(&job, path, &s.snapshot, s.kept, comm, &err), 0);
  else assert_int_equal(dg_silo_write(path, &s.snapshot, s.kept, comm, &err), 0);
  s.snapshot.cycle++;
  snprintf(path, sizeof path, "%s/once_%s.silo", folder, name);
  if (halves) { /* the second is written before the first has its names */
    struct dg_silo_job *second;
    assert_int_equal(dg_silo_write_block(&second, path, &s.snapshot, s.kept, comm, &err), 0);
    assert_int_equal(dg_silo_write_names(job, &err), 0);
    assert_int_equal(dg_silo_write_names(second, &err), 0);
  } else assert_int_equal(dg_silo_write(path, &s.snapshot, s.kept, comm, &err), 0);
  dg_silo_mesh_release(&kept);
  tear_down(&s);
}

/* The number of files in the folder whose names have the ending. */
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

/* A block without a name goes when it is not wanted. */
static void abandons(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct dg_silo_job *job;
  struct setup s;
  char path[64], blocks[64];
  set_up_part(&s, false, 2);
  snprintf(path, sizeof path, "%s/abandoned.silo", folder);
  snprintf(blocks, sizeof blocks, "%s/blocks", folder);
  assert_int_equal(dg_silo_write_block(&job, path, &s.snapshot, s.kept, comm, &err), 0);
  assert_true(count_files(blocks, ".part") > 0);
  assert_int_equal(dg_comm_agree(comm, &err), 0);
  dg_silo_abandon(job);
  assert_int_equal(dg_comm_agree(comm, &err), 0);
  assert_int_equal(count_files(blocks, ".part"), 0);
  dg_silo_abandon(NULL);
  tear_down(&s);
}

/* Orders 1 to 3, plain and averaged; every rank a file, two files, all in one. */
static void writes(void **state)
{
  (void)state;
  write_both("averaged_1", false, 1, true, 0); /* the communicator keeps room for its sums from the first one on */
  const size_t before = dg_memory_current();
  for (int p = 1; p <= 3; p++) {
    char name[32];
    snprintf(name, sizeof name, "nodal_%d", p);
    write_both(name, false, p, false, p == 1 ? 0 : 4 - p);
    snprintf(name, sizeof name, "averaged_%d", p);
    write_both(name, false, p, true, p == 1 ? 0 : 4 - p);
    write_series(name, p, true, p == 1 ? 0 : 4 - p);
    snprintf(name, sizeof name, "nodal_%d", p);
    write_series(name, p, false, p == 1 ? 0 : 4 - p);
  }
  assert_int_equal(dg_memory_current(), before);
}

/* Nodes at the same place that no path through faces joins are not averaged, whatever ranks they are on. */
static void keeps_apart_what_touches_in_edges(void **state)
{
  (void)state;
  write_both("holes", true, 3, true, 0);
}

static void empty_folder(const char *where)
{
  char command[100];
  snprintf(command, sizeof command, "rm -rf '%s'", where);
  assert_int_equal(system(command), 0);
  assert_int_equal(mkdir(where, 0777), 0);
}

static const char *argument[4]; /* of the program */

static bool argument_is(const char *what) { return strcmp(argument[1], what) == 0; }

/* Makes what is asked for go wrong on this rank; returns what the message will say. */
static const char *sabotage(struct dg_snapshot *snapshot)
{
  char name[64];
  const bool here = argument[2] != NULL && atoi(argument[2]) == rank;
  if (argument_is("limit") || argument_is("halves")) {
    const struct rlimit limit = {.rlim_cur = 30000, .rlim_max = RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    if (argument[3] != NULL) snapshot->files = atoi(argument[3]);
    if (here) assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    return "File too large";
  }
  if (argument_is("memory")) {
    if (here) dg_memory_fail_at(atoi(argument[3]));
    return "out of memory";
  }
  if (argument_is("blocks")) {
    snprintf(name, sizeof name, "%s/blocks", folder);
    if (rank == 0) assert_int_equal(fclose(fopen(name, "w")), 0);
    return "Not a directory";
  }
  snprintf(name, sizeof name, "%s/fields.silo", folder);
  if (rank == 0) assert_int_equal(mkdir(name, 0777), 0);
  return "Is a directory";
}

/* Every rank returns with an error, in the end with that of the rank where it happened; nothing is left. */
static void fails_together(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct setup s;
  char path[64], blocks[64];
  set_up_part(&s, false, 3);
  const bool halves = argument_is("halves");
  if (!halves) set_average(&s, comm);
  snprintf(path, sizeof path, "%s/fields.silo", folder);
  snprintf(blocks, sizeof blocks, "%s/blocks", folder);
  const char *const message = sabotage(&s.snapshot);
  (void)!dg_comm_agree(comm, &err); /* a rank that is still in here learns of the failure of one that is not */
  const int status = halves ? write_in_halves(path, &s, &err) : dg_silo_write(path, &s.snapshot, s.kept, comm, &err);
  dg_memory_fail_at(0);
  dg_comm_stop(comm, &err);
  assert_int_equal(status, DG_ENVIRONMENT);
  assert_int_equal(dg_comm_settle(comm, &err), DG_ENVIRONMENT);
  if (strstr(err.message, message) == NULL) fail_msg("'%s' does not say '%s'", err.message, message);
  assert_int_equal(count_files(folder, ".silo") + count_files(folder, ".part"), argument_is("root"));
  assert_int_equal(count_files(blocks, ".silo") + count_files(blocks, ".part") + count_files(blocks, ".room"), 0);
  tear_down(&s);
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
  const struct CMUnitTest writing[] = {cmocka_unit_test(writes), cmocka_unit_test(keeps_apart_what_touches_in_edges),
                                       cmocka_unit_test(abandons)};
  const struct CMUnitTest failing[] = {cmocka_unit_test(fails_together)};
  struct dg_error err = {0};
  if (start(&err) != 0) return 1;
  snprintf(folder, sizeof folder, "silo_ranks_%d", size);
  for (int i = 1; i < argc && i < 4; i++) {
    argument[i] = argv[i];
    snprintf(folder + strlen(folder), sizeof folder - strlen(folder), "_%s", argv[i]);
  }
  if (rank == 0) empty_folder(folder);
  if (dg_comm_agree(comm, &err) != 0) return 1;
  const int failed =
      argc == 1 ? cmocka_run_group_tests(writing, NULL, NULL) : cmocka_run_group_tests(failing, NULL, NULL);
  dg_comm_finish(comm, failed);
  return failed;
}
