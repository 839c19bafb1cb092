/* Tests of the traces that a process leaves when it cannot go on, and of the room in memory that is known
 * beforehand. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libdg/base/bug.h"
#include "libdg/base/emergency.h"
#include "libdg/base/memory.h"
#include "libdg/base/machine/memory_room.h"

/* ---- ends, each in a child of its own */

enum { TEXT = 1000, ROOM = 300 };

/* Forks; the child's standard error goes to a pipe, and a file says that the run goes on. */
struct end {
  int code; /* -1: a signal */
  char said[TEXT], file[TEXT];
};

static void run_child(void (*child)(void), int file)
{
  struct sigaction usual = {.sa_handler = SIG_DFL};
  sigaction(SIGSEGV, &usual, NULL); /* cmocka has handlers of its own */
  sigaction(SIGABRT, &usual, NULL);
  dg_emergency_start(4 << 20);
  if (file >= 0) dg_emergency_watch(file, 2, ROOM, 2 + ROOM + 1 + 12);
  child();
  dg_emergency_over(DG_OK);
  _exit(0);
}

static struct end end_of(void (*child)(void))
{
  struct end end = {.code = -1};
  char name[] = "/tmp/test_emergency_XXXXXX";
  int pipe_ends[2], status = 0;
  const int file = mkstemp(name);
  assert_true(file >= 0 && pipe(pipe_ends) == 0);
  assert_true(dprintf(file, "{\n%*s\n  \"status\": \"running\"\n}\n", ROOM, "") > 0);
  fflush(NULL);
  const pid_t id = fork();
  if (id == 0) {
    dup2(pipe_ends[1], STDERR_FILENO);
    run_child(child, file);
  }
  close(pipe_ends[1]);
  size_t used = 0;
  for (ssize_t got; (got = read(pipe_ends[0], end.said + used, TEXT - 1 - used)) > 0;) used += (size_t)got;
  close(pipe_ends[0]);
  assert_int_equal(waitpid(id, &status, 0), id);
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  assert_true(pread(file, end.file, TEXT - 1, 0) > 0);
  close(file);
  unlink(name);
  return end;
}

static void lose_memory(void)
{
  struct dg_error err = {0};
  if (!dg_emergency_memory(100)) _exit(1); /* the reserve */
  if (dg_emergency_check(&err) != DG_ENVIRONMENT) _exit(1);
  (void)dg_emergency_memory(123);
  _exit(1);
}

static void test_memory(void **unused)
{
  (void)unused;
  const struct end end = end_of(lose_memory);
  assert_int_equal(end.code, 3);
  assert_string_equal(end.said, "curlew: out of memory: a library asked for 123 bytes while 0 MB were in use by the "
                                "program itself\n");
  assert_non_null(strstr(end.file, "{\n  \"error\": \"out of memory: a library asked for 123 bytes"));
  assert_non_null(strstr(end.file, "\n  \"status\": \"failed\" \n}\n"));
}

static void crash(void) { (void)raise(SIGSEGV); }

static void test_crash(void **unused)
{
  (void)unused;
  const struct end end = end_of(crash);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  assert_int_not_equal(end.code, 0);
#else
  assert_int_equal(end.code, 70);
  assert_string_equal(end.said, "curlew: bug: signal 11 (invalid memory access)\n");
  assert_non_null(strstr(end.file, "\"status\": \"failed\" "));
#endif
}

static void leave(void) { exit(0); }

static void test_exit_of_a_library(void **unused)
{
  (void)unused;
  const struct end end = end_of(leave);
  assert_int_equal(end.code, 3);
  assert_string_equal(end.said, "curlew: a library ended the program, see above\n");
  assert_non_null(strstr(end.file, "\"status\": \"failed\" "));
}

static void find_bug(void) { dg_bug("here.c", 7, "not %s", "so"); }

static void test_bug(void **unused)
{
  (void)unused;
  const struct end end = end_of(find_bug);
  assert_int_equal(end.code, 70);
  assert_string_equal(end.said, "curlew: bug at here.c:7: not so\n");
}

static void go_well(void) { assert_int_equal(dg_emergency_forget() >= 0, 1); }

static void test_no_emergency(void **unused)
{
  (void)unused;
  const struct end end = end_of(go_well);
  assert_int_equal(end.code, 0);
  assert_string_equal(end.said, "");
  assert_non_null(strstr(end.file, "\"status\": \"running\"\n"));
}

/* Quotes and a line that is too long leave a file that can be read. */
static void say_much(void)
{
  char line[600];
  memset(line, '"', sizeof line - 1);
  line[sizeof line - 1] = '\0';
  dg_emergency_end(DG_ENVIRONMENT, line);
}

static void test_long_line(void **unused)
{
  (void)unused;
  const struct end end = end_of(say_much);
  const char *const error = strstr(end.file, "\"error\"");
  assert_int_equal(end.code, 3);
  if (error != NULL) assert_non_null(strstr(error, "\",")); /* whole or absent */
  assert_non_null(strstr(end.file, "\n  \"status\": \"failed\" \n}\n"));
}

/* ---- what there is, from files of a made-up system */

static void put(const char *root, const char *path, const char *text)
{
  char whole[300];
  snprintf(whole, sizeof whole, "%s/%s", root, path);
  for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
    *slash = '\0';
    (void)mkdir(whole, 0777);
    *slash = '/';
  }
  FILE *file = fopen(whole, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static void remove_all(const char *root)
{
  char command[300];
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  assert_int_equal(system(command), 0);
}

static void test_room(void **unused)
{
  (void)unused;
  char root[] = "/tmp/test_room_XXXXXX";
  assert_non_null(mkdtemp(root));
  assert_int_equal(dg_memory_room_of(root), SIZE_MAX); /* nothing says so */
  put(root, "proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    5000 kB\nSwapFree:  100 kB\n");
  assert_int_equal(dg_memory_room_of(root), 5100 * 1024);

  /* version 2: the group around has less; caches can be taken back; swap as far as the group may have it */
  put(root, "proc/self/cgroup", "0::/job/step\n");
  put(root, "sys/fs/cgroup/job/step/memory.max", "max\n");
  put(root, "sys/fs/cgroup/job/memory.max", "3000000\n");
  put(root, "sys/fs/cgroup/job/memory.current", "2500000\n");
  put(root, "sys/fs/cgroup/job/memory.stat", "anon 5\nfile 400000\ninactive_file 300000\nactive_file 100000\n");
  put(root, "sys/fs/cgroup/job/memory.swap.max", "20000\n");
  put(root, "sys/fs/cgroup/job/memory.swap.current", "15000\n");
  assert_int_equal(dg_memory_room_of(root), 3000000 - 2500000 + 400000 + 5000);
  put(root, "sys/fs/cgroup/job/memory.current", "3500000\n"); /* beyond it already */
  put(root, "sys/fs/cgroup/job/memory.stat", "anon 5\n");
  assert_int_equal(dg_memory_room_of(root), 5000);

  /* version 1, in a container that does not have the host's path */
  put(root, "proc/self/cgroup", "5:cpuset:/x\n4:cpu,memory:/host/container\n0::/\n");
  put(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000\n");
  put(root, "sys/fs/cgroup/memory/memory.usage_in_bytes", "1500000\n");
  put(root, "sys/fs/cgroup/memory/memory.stat", "cache 9\ntotal_inactive_file 50000\ntotal_active_file 1000\n");
  assert_int_equal(dg_memory_room_of(root), 2000000 - 1500000 + 51000 + 100 * 1024);
  put(root, "sys/fs/cgroup/memory/memory.memsw.limit_in_bytes", "2010000\n");
  put(root, "sys/fs/cgroup/memory/memory.memsw.usage_in_bytes", "1500000\n");
  assert_int_equal(dg_memory_room_of(root), 2010000 - 1500000 + 51000);
  put(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"); /* none */
  assert_int_equal(dg_memory_room_of(root), 5100 * 1024);
  remove_all(root);
}

static void test_touched(void **unused)
{
  (void)unused;
  struct dg_error err = {0};
  char *block;
  enum { BYTES = 64 << 20 };
  const size_t before = dg_memory_touched();
  assert_true(before > 0 && before < dg_memory_room());
  assert_int_equal(dg_alloc(&block, BYTES, 1, &err), 0);
  const size_t after = dg_memory_touched();
  assert_true(after > before + BYTES / 2 && after < before + 2 * (size_t)BYTES);
  dg_free(block);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory), cmocka_unit_test(test_crash),        cmocka_unit_test(test_exit_of_a_library),
      cmocka_unit_test(test_bug),    cmocka_unit_test(test_no_emergency), cmocka_unit_test(test_long_line),
      cmocka_unit_test(test_room),   cmocka_unit_test(test_touched),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
