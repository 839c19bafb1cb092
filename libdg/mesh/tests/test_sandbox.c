/* The sandbox, tried by children that enter it and then do what they must not. Each case runs with both walls, and with
 * each wall alone: a filter of system calls stands for a kernel that lacks the other. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "libdg/mesh/gmsh/sandbox.h"

enum walls { BOTH, LANDLOCK, SECCOMP };

/* root/inside may be read, root/outside not. */
static char root[] = "/tmp/curlew_sandbox_XXXXXX", inside[64], outside[64], libraries[64], names[24][96];
static int pipe_end;
static bool armed = true; /* before the act */

static const char *in(const char *folder, const char *name)
{
  static unsigned next;
  char *path = names[next++ % 24];
  (void)snprintf(path, sizeof names[0], "%s/%s", folder, name);
  return path;
}

static void put(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static bool holds(const char *path, const char *text)
{
  char found[64] = "";
  FILE *file = fopen(path, "r");
  if (file == NULL) return false;
  (void)!fgets(found, sizeof found, file);
  (void)fclose(file);
  return strcmp(found, text) == 0;
}

/* ---- a kernel without one of the walls ---- */

static void lose(int number)
{
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    _exit(90);
}

static void tell(const char *what) { (void)!write(pipe_end, what, strlen(what)); }

static void enter(enum walls walls)
{
  struct dg_error err = {0};
  struct dg_sandbox_walls there;
  const struct dg_sandbox sandbox = {
      .places = 4, .place = {inside, "/no/such/place", "/dev/null", libraries}, .libraries = 1, .denied = tell};
  if (walls == LANDLOCK) lose(SYS_seccomp);
  if (walls == SECCOMP) lose(444);
  if (dg_sandbox_enter(&sandbox, &there, &err) != 0) {
    tell(err.message);
    _exit(91);
  }
  if (there.landlock != (walls != SECCOMP) || there.seccomp != (walls != LANDLOCK)) _exit(92);
}

struct outcome {
  int code, signal; /* how the child ended */
  char said[512];
};

/* The child enters and does; what do() returns is its code. */
static struct outcome outcome_of(int (*act)(void), enum walls walls)
{
  struct outcome outcome = {0};
  int pipes[2], status;
  assert_int_equal(pipe(pipes), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    (void)close(pipes[0]);
    pipe_end = pipes[1];
    alarm(20);
    enter(walls);
    if (armed) dg_sandbox_arm();
    _exit(act());
  }
  (void)close(pipes[1]);
  size_t used = 0;
  ssize_t got;
  while ((got = read(pipes[0], outcome.said + used, sizeof outcome.said - 1 - used)) > 0) used += (size_t)got;
  (void)close(pipes[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  else outcome.signal = WTERMSIG(status);
  return outcome;
}

static void expect_zero(int (*act)(void), enum walls walls)
{
  const struct outcome outcome = outcome_of(act, walls);
  if (outcome.code != 0 || outcome.signal != 0)
    fail_msg("walls %d: code %d, signal %d, '%s'", walls, outcome.code, outcome.signal, outcome.said);
}

static void expect_denied(int (*act)(void), const char *said)
{
  const struct outcome outcome = outcome_of(act, BOTH);
  if (outcome.code != 2 || strstr(outcome.said, said) == NULL)
    fail_msg("code %d, signal %d, '%s' instead of '%s'", outcome.code, outcome.signal, outcome.said, said);
}

/* ---- reading ---- */

static int reads(const char *path)
{
  char text[8] = "";
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const ssize_t got = read(file, text, sizeof text - 1);
  (void)close(file);
  return got == 4 && strcmp(text, "good") == 0 ? 0 : got > 0 ? 99 : 98;
}

static int read_what_is_given(void)
{
  if (reads(in(inside, "a.geo")) != 0) return 1;
  if (reads(in(inside, "deep/b.geo")) != 0) return 2;
  if (reads(in(inside, "deep/../a.geo")) != 0) return 3;
  if (reads(in(inside, "within")) != 0) return 4;
  if (chdir(inside) != 0 || reads("a.geo") != 0 || reads("./deep/b.geo") != 0) return 5;
  if (reads(in(inside, "missing")) != ENOENT) return 6;
  if (reads("/dev/null") != 98) return 7;
  if (reads(in(libraries, "libx.so.1")) != 0) return 10;
  FILE *file = fopen(in(inside, "a.geo"), "r"); /* as libraries do */
  if (file == NULL || fgetc(file) != 'g') return 8;
  return fclose(file) == 0 ? 0 : 9;
}

static int read_what_is_not(void)
{
  if (chdir(inside) != 0) return 1;
  const char *const refused[] = {in(outside, "secret"), in(inside, "../outside/secret"), "../outside/secret",
                                 in(inside, "out"),     in(inside, "folder_out/secret"), "/etc/passwd",
                                 "/proc/self/environ",  in(root, "inside_not/secret")};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    if (reads(refused[i]) != EACCES) return 10 + (int)i;
  return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0 ? 2 : 0;
}

static void test_reading(void **state)
{
  (void)state;
  for (enum walls walls = BOTH; walls <= SECCOMP; walls++) {
    expect_zero(read_what_is_given, walls);
    expect_zero(read_what_is_not, walls);
  }
}

static int read_a_sidecar(void)
{
  if (reads(in(inside, "a.geo.opt")) != ENOENT) return 1;
  if (strcmp(dg_sandbox_sidecar(), in(inside, "a.geo.opt")) != 0) return 2;
  if (reads(in(inside, "mine.opt")) != 0) return 3; /* lies beside nothing: somebody wants it */
  if (reads(in(inside, "XSTEP.us")) != ENOENT) return 5;
  if (dg_sandbox_refused()[0] != '\0') return 4;
  (void)reads("/etc/passwd");
  return strcmp(dg_sandbox_refused(), "/etc/passwd") != 0;
}

static void test_sidecar(void **state)
{
  (void)state;
  expect_zero(read_a_sidecar, BOTH);
  expect_zero(read_a_sidecar, SECCOMP);
}

static int read_beside_libraries(void) { return reads(in(libraries, "secret")) != EACCES; }

static void test_libraries(void **state)
{
  (void)state;
  expect_zero(read_beside_libraries, BOTH);
  expect_zero(read_beside_libraries, SECCOMP);
}

/* ---- writing ---- */

static int write_there(void) { return open(in(inside, "a.geo"), O_WRONLY) >= 0 ? 1 : 50; }
static int read_and_write(void) { return open(in(inside, "a.geo"), O_RDWR) >= 0 ? 1 : 50; }
static int empty_it(void) { return open(in(inside, "a.geo"), O_RDONLY | O_TRUNC) >= 0 ? 1 : 50; }
static int make(void) { return open(in(inside, "new"), O_RDONLY | O_CREAT, 0600) >= 0 ? 1 : 50; }
static int make_old(void) { return creat(in(inside, "new"), 0600) >= 0 ? 1 : 50; }
static int make_unnamed(void) { return open(inside, O_TMPFILE | O_WRONLY, 0600) >= 0 ? 1 : 50; }
static int print(void) { return fopen(in(outside, "secret"), "a") != NULL ? 1 : 50; }
static int take_away(void) { return unlink(in(inside, "a.geo")) == 0 ? 1 : 50; }
static int take_away_folder(void) { return rmdir(in(inside, "empty")) == 0 ? 1 : 50; }
static int move(void) { return rename(in(inside, "a.geo"), in(inside, "new")) == 0 ? 1 : 50; }
static int make_folder(void) { return mkdir(in(inside, "new"), 0700) == 0 ? 1 : 50; }
static int make_link(void) { return link(in(inside, "a.geo"), in(inside, "new")) == 0 ? 1 : 50; }
static int make_symbolic(void) { return symlink("/etc/passwd", in(inside, "new")) == 0 ? 1 : 50; }
static int make_pipe(void) { return mkfifo(in(inside, "new"), 0600) == 0 ? 1 : 50; }
static int cut(void) { return truncate(in(inside, "a.geo"), 0) == 0 ? 1 : 50; }
static int set_mode(void) { return chmod(in(inside, "a.geo"), 0777) == 0 ? 1 : 0; }
static int set_owner(void) { return chown(in(inside, "a.geo"), 1, 1) == 0 ? 1 : 0; }
static int set_time(void) { return utimensat(AT_FDCWD, in(inside, "a.geo"), NULL, 0) == 0 ? 1 : 0; }

static const struct {
  int (*act)(void);
  const char *said;
  bool landlock; /* that alone is enough */
} writing[] = {
    {write_there, "to write the file '", true},
    {read_and_write, "to write the file '", true},
    {empty_it, "to write the file '", true},
    {make, "to write the file '", true},
    {make_old, "to write the file '", true},
    {make_unnamed, "to write the file '", true},
    {print, "to write the file '", true},
    {take_away, "to remove the file '", true},
    {take_away_folder, "to remove the file '", true},
    {move, "to change or make files", true},
    {make_folder, "to change or make files", true},
    {make_link, "to change or make files", true},
    {make_symbolic, "to change or make files", true},
    {make_pipe, "to change or make files", true},
    {cut, "to change or make files", true},
    {set_mode, "to change or make files", false},
    {set_owner, "to change or make files", false},
    {set_time, "to change or make files", false},
};

static void check_nothing_changed(void)
{
  struct stat about;
  assert_true(holds(in(inside, "a.geo"), "good"));
  assert_true(holds(in(outside, "secret"), "bad"));
  assert_int_not_equal(access(in(inside, "new"), F_OK), 0);
  assert_int_equal(access(in(inside, "empty"), F_OK), 0);
  assert_int_equal(stat(in(inside, "a.geo"), &about), 0);
  assert_int_equal(about.st_mode & 0777, 0640);
  assert_int_equal(about.st_uid, getuid());
  assert_int_equal(about.st_mtime, 1000000000);
}

static void test_writing(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof writing / sizeof *writing; i++) {
    expect_denied(writing[i].act, writing[i].said);
    assert_int_equal(outcome_of(writing[i].act, SECCOMP).code, 2);
    if (writing[i].landlock) assert_int_equal(outcome_of(writing[i].act, LANDLOCK).code, 50);
    check_nothing_changed();
  }
}

/* Attempts of libraries when they start are refused, and nothing is said. */
static void test_not_armed(void **state)
{
  (void)state;
  armed = false;
  for (size_t i = 0; i < sizeof writing / sizeof *writing; i++) {
    const struct outcome outcome = outcome_of(writing[i].act, BOTH);
    assert_true(outcome.signal == 0 && (outcome.code == 50 || outcome.code == 0));
    assert_string_equal(outcome.said, "");
    check_nothing_changed();
  }
  armed = true;
}

/* Gmsh removes a temporary file that it may never have made. */
static int take_away_nothing(void)
{
  if (unlink(in(inside, "missing")) == 0 || errno != ENOENT) return 1;
  return rmdir(in(inside, "missing")) == 0 || errno != ENOENT;
}

static int write_to_what_is_open(void) { return write(pipe_end, "result", 6) != 6; }

static void test_what_is_allowed(void **state)
{
  (void)state;
  for (enum walls walls = BOTH; walls <= SECCOMP; walls++) {
    const struct outcome outcome = outcome_of(write_to_what_is_open, walls);
    assert_int_equal(outcome.code, 0);
    assert_string_equal(outcome.said, "result");
  }
  expect_zero(take_away_nothing, BOTH);
}

/* ---- programs ---- */

static int call_shell(void)
{
  char command[128];
  (void)snprintf(command, sizeof command, "touch %s/new", inside);
  return system(command) == 0 ? 1 : 50;
}
static int call_pipe(void) { return popen("exit", "r") != NULL ? 1 : 50; }
static int split(void)
{
  const pid_t child = fork();
  if (child == 0) _exit(0);
  return child > 0 ? 1 : 50;
}
static int split_raw(void) { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0 ? 1 : 50; }
static int turn_into(void)
{
  (void)execl("/bin/true", "true", (char *)NULL);
  return 50;
}
static int turn_into_file(void)
{
  char name[] = "true", *const arguments[] = {name, NULL};
  (void)fexecve(pipe_end, arguments, arguments + 1);
  return 50;
}
static int spawn(void)
{
  char name[] = "true", *const arguments[] = {name, NULL};
  pid_t child;
  return posix_spawn(&child, "/bin/true", NULL, NULL, arguments, arguments + 1) == 0 ? 1 : 50;
}

static void test_programs(void **state)
{
  int (*const acts[])(void) = {call_shell, call_pipe, split, split_raw, turn_into, turn_into_file, spawn};
  (void)state;
  for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
    assert_int_equal(outcome_of(acts[i], BOTH).signal, SIGSYS);
    assert_int_equal(outcome_of(acts[i], SECCOMP).signal, SIGSYS);
  }
  /* Landlock lets processes begin, and no program run in them. */
  int (*const programs[])(void) = {call_shell, turn_into, turn_into_file, spawn};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    assert_int_equal(outcome_of(programs[i], LANDLOCK).code, 50);
  check_nothing_changed();
}

/* ---- everything else ---- */

static int network(void) { return socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 1 : 50; }
static int network_local(void) { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || errno != EACCES; }
static int signal_parent(void) { return kill(getppid(), SIGCONT) == 0 ? 1 : 50; }
static int signal_group(void) { return kill(0, SIGCONT) == 0 ? 1 : 50; }
static int trace(void) { return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 1 : 50; }
static int mount_something(void) { return mount("none", inside, "tmpfs", 0, NULL) == 0 ? 1 : 50; }
static int leave(void) { return unshare(CLONE_NEWUSER) == 0 ? 1 : 50; }
static int ring(void) { return syscall(425, 1, NULL) >= 0 ? 1 : 50; }
static int limit_parent(void) { return syscall(SYS_prlimit64, getppid(), 7, NULL, NULL) == 0 ? 1 : 50; }
static int missing_calls(void)
{
  if (syscall(437, AT_FDCWD, "/etc/passwd", NULL, 0) >= 0 || errno != ENOSYS) return 1;
  if (syscall(435, NULL, 0) >= 0 || errno != ENOSYS) return 2;
  const struct sigaction action = {.sa_handler = SIG_IGN};
  return sigaction(SIGSYS, &action, NULL) == 0 ? 3 : 0; /* the sandbox keeps its handler */
}
static int end_by_itself(void)
{
  abort();
  return 1;
}

static void test_everything_else(void **state)
{
  (void)state;
  expect_denied(network, "to reach a network");
  expect_denied(signal_parent, "to reach other programs");
  expect_denied(signal_group, "to reach other programs");
  expect_denied(trace, "to reach other programs");
  expect_denied(limit_parent, "to reach other programs");
  expect_denied(mount_something, "to change the system");
  expect_denied(leave, "to change the system");
  expect_denied(ring, "to change the system");
  expect_zero(network_local, BOTH);
  expect_zero(missing_calls, BOTH);
  assert_int_equal(outcome_of(end_by_itself, BOTH).signal, SIGABRT);
}

/* ---- threads ---- */

static void *read_in_thread(void *result)
{
  *(int *)result = reads(in(inside, "a.geo"));
  return NULL;
}

static int start_threads(void)
{
  for (int i = 0; i < 20; i++) {
    pthread_t thread;
    int result = 1;
    if (pthread_create(&thread, NULL, read_in_thread, &result) != 0) return 1;
    if (pthread_join(thread, NULL) != 0 || result != 0) return 2;
  }
  return 0;
}

static volatile int entered;

static void *write_in_thread(void *nothing)
{
  while (!entered) (void)poll(NULL, 0, 1);
  (void)open(in(inside, "new"), O_WRONLY | O_CREAT, 0600);
  return nothing;
}

static void test_threads(void **state)
{
  (void)state;
  for (enum walls walls = BOTH; walls <= SECCOMP; walls++) expect_zero(start_threads, walls);
  const pid_t child = fork(); /* a thread that was there before */
  assert_true(child >= 0);
  if (child == 0) {
    pthread_t thread;
    pipe_end = STDERR_FILENO;
    if (freopen("/dev/null", "w", stderr) == NULL || pthread_create(&thread, NULL, write_in_thread, NULL) != 0)
      _exit(93);
    enter(BOTH);
    dg_sandbox_arm();
    entered = 1;
    (void)pthread_join(thread, NULL);
    _exit(50);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 2);
  check_nothing_changed();
}

/* ---- all of it ---- */

static int set_up(void **state)
{
  (void)state;
  assert_non_null(mkdtemp(root));
  (void)snprintf(inside, sizeof inside, "%s/inside", root);
  (void)snprintf(outside, sizeof outside, "%s/outside", root);
  (void)snprintf(libraries, sizeof libraries, "%s/lib", root);
  const char *const folders[] = {
      inside, outside, libraries, in(inside, "deep"), in(inside, "empty"), in(root, "inside_not")};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) assert_int_equal(mkdir(folders[i], 0700), 0);
  put(in(inside, "a.geo"), "good");
  put(in(inside, "a.geo.opt"), "bad");
  put(in(inside, "mine.opt"), "good");
  put(in(inside, "XSTEP.us"), "bad");
  put(in(inside, "deep/b.geo"), "good");
  put(in(outside, "secret"), "bad");
  put(in(libraries, "libx.so.1"), "good");
  put(in(libraries, "secret"), "bad");
  put(in(root, "inside_not/secret"), "bad");
  assert_int_equal(symlink("deep/b.geo", in(inside, "within")), 0);
  assert_int_equal(symlink("../outside/secret", in(inside, "out")), 0);
  assert_int_equal(symlink("../outside", in(inside, "folder_out")), 0);
  assert_int_equal(chmod(in(inside, "a.geo"), 0640), 0);
  const struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
  return utimensat(AT_FDCWD, in(inside, "a.geo"), times, 0);
}

static int tear_down(void **state)
{
  char command[64];
  (void)state;
  (void)snprintf(command, sizeof command, "rm -rf %s", root);
  return system(command);
}

/* A kernel without the walls, as in some containers, has nothing to be tested. */
static bool has_walls(void)
{
  const bool landlock = syscall(444, NULL, 0, 1) >= 1;
  return landlock && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reading),  cmocka_unit_test(test_sidecar),         cmocka_unit_test(test_libraries),
      cmocka_unit_test(test_writing),  cmocka_unit_test(test_not_armed),       cmocka_unit_test(test_what_is_allowed),
      cmocka_unit_test(test_programs), cmocka_unit_test(test_everything_else), cmocka_unit_test(test_threads),
  };
  if (!has_walls()) {
    (void)puts("this kernel has no Landlock or no seccomp");
    return 77;
  }
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
