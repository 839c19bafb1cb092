/* Locks between processes: who has one, who does not get it, and when it is gone. */
#include <fcntl.h>
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "libdg/base/file.h"
#include "libdg/files/lock.h"

static const char path[] = "lock_test";

/* The answer that process 0 of another run would get now; gives the lock back. */
static enum dg_lock_state attempt(char holder[DG_LOCK_HOLDER])
{
  struct dg_error err = {0};
  struct dg_lock lock = {0};
  enum dg_lock_state state;
  assert_int_equal(dg_lock_take(&lock, path, true, &state, holder, &err), 0);
  dg_lock_release(&lock, false);
  return state;
}

/* A child that takes the lock, as process `rank`, says so, and stays until it is killed. */
static pid_t hold(int rank)
{
  int told[2];
  char byte = 0;
  assert_int_equal(pipe(told), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    struct dg_error err = {0};
    struct dg_lock lock = {0};
    enum dg_lock_state state = DG_LOCK_TAKEN;
    char holder[DG_LOCK_HOLDER];
    const int failed =
        rank == 0 ? dg_lock_take(&lock, path, true, &state, holder, &err) : dg_lock_join(&lock, path, rank, &err);
    byte = failed == 0 && state == DG_LOCK_TAKEN && lock.held > 0 ? 'y' : 'n';
    if (write(told[1], &byte, 1) != 1) _exit(1);
    for (;;) pause();
  }
  close(told[1]);
  assert_int_equal(read(told[0], &byte, 1), 1);
  close(told[0]);
  assert_int_equal(byte, 'y');
  return child;
}

static void kill_now(pid_t child)
{
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
}

static void the_holder_is_named_and_a_kill_frees(void **state)
{
  (void)state;
  char holder[DG_LOCK_HOLDER], expected[40], host[80] = "";
  const pid_t child = hold(0);
  assert_int_equal(attempt(holder), DG_LOCK_BUSY);
  gethostname(host, sizeof host - 1);
  snprintf(expected, sizeof expected, ", process %ld, since 2", (long)child);
  if (strncmp(holder, host, strlen(host)) != 0 || strstr(holder, expected) == NULL) fail_msg("%s", holder);
  kill_now(child);
  assert_int_equal(attempt(holder), DG_LOCK_TAKEN);
  assert_string_equal(holder, "");
}

/* An old text in the file names somebody who is gone; it is not believed for long. */
static void old_names_do_not_lock(void **state)
{
  (void)state;
  char holder[DG_LOCK_HOLDER];
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "elsewhere %ld 2020-01-01 00:00:00\n", (long)getpid());
  assert_int_equal(fclose(file), 0);
  assert_int_equal(attempt(holder), DG_LOCK_TAKEN);
}

/* A run's other processes outlive the first one: nobody else gets in. */
static void all_processes_count(void **state)
{
  (void)state;
  char holder[DG_LOCK_HOLDER];
  const pid_t first = hold(0), third = hold(2);
  assert_int_equal(attempt(holder), DG_LOCK_BUSY);
  kill_now(first);
  assert_int_equal(attempt(holder), DG_LOCK_BUSY);
  kill_now(third);
  assert_int_equal(attempt(holder), DG_LOCK_TAKEN);
}

static void a_started_program_does_not_hold_it(void **state)
{
  (void)state;
  char holder[DG_LOCK_HOLDER];
  struct dg_error err = {0};
  struct dg_lock lock = {0};
  enum dg_lock_state taken;
  assert_int_equal(dg_lock_take(&lock, path, true, &taken, holder, &err), 0);
  const pid_t child = fork();
  if (child == 0) {
    execlp("sleep", "sleep", "60", (char *)NULL);
    _exit(1);
  }
  const struct timespec moment = {.tv_nsec = 100000000};
  nanosleep(&moment, NULL);
  close(lock.held - 1); /* as if this process had ended */
  assert_int_equal(attempt(holder), DG_LOCK_TAKEN);
  kill_now(child);
}

/* One that only forks shares the file; giving it back gives it back all the same. */
static void a_fork_does_not_keep_it(void **state)
{
  (void)state;
  char holder[DG_LOCK_HOLDER];
  struct dg_error err = {0};
  struct dg_lock lock = {0};
  enum dg_lock_state taken;
  assert_int_equal(dg_lock_take(&lock, path, true, &taken, holder, &err), 0);
  const pid_t child = fork();
  if (child == 0)
    for (;;) pause();
  assert_int_equal(attempt(holder), DG_LOCK_BUSY);
  dg_lock_release(&lock, true);
  assert_int_equal(attempt(holder), DG_LOCK_TAKEN);
  kill_now(child);
  assert_int_equal(dg_lock_take(&lock, path, true, &taken, holder, &err), 0);
  const pid_t other = fork();
  if (other == 0) {
    dg_lock_forget(&lock);
    for (;;) pause();
  }
  assert_int_equal(attempt(holder), DG_LOCK_BUSY); /* still the parent's */
  const struct timespec moment = {.tv_nsec = 100000000};
  nanosleep(&moment, NULL);
  close(lock.held - 1);
  assert_int_equal(attempt(holder), DG_LOCK_TAKEN);
  kill_now(other);
}

static void links_and_fifos_are_not_opened(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct dg_lock lock = {0};
  enum dg_lock_state taken;
  char holder[DG_LOCK_HOLDER];
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkfifo(path, 0666), 0);
  assert_int_equal(dg_lock_take(&lock, path, true, &taken, holder, &err), DG_ENVIRONMENT);
  assert_string_equal(err.message, "cannot write 'lock_test': it is a FIFO");
  assert_int_equal(unlink(path), 0);
  assert_int_equal(symlink("/dev/null", path), 0);
  err = (struct dg_error){0};
  assert_int_equal(dg_lock_take(&lock, path, true, &taken, holder, &err), DG_ENVIRONMENT);
  assert_string_equal(err.message, "cannot write 'lock_test': it is a symbolic link");
  assert_int_equal(unlink(path), 0);
}

static void write_text(FILE *file, const void *text) { fputs(text, file); }

static void write_much(FILE *file, const void *unused)
{
  (void)unused;
  for (int i = 0; i < 100000; i++) fprintf(file, "%d\n", i);
}

/* A file is created anew beside a link or a FIFO of its name only by who has seen that there is none. */
static void files_are_created_and_opened_safely(void **state)
{
  (void)state;
  struct dg_error err = {0};
  int descriptor;
  assert_int_equal(symlink("lock_victim", "lock_whole.part"), 0);
  assert_int_equal(dg_file_write("lock_whole", write_text, "whole\n", &err), DG_ENVIRONMENT);
  assert_string_equal(err.message, "cannot write 'lock_whole.part': it is a symbolic link");
  assert_int_equal(dg_file_kind("lock_victim"), DG_FILE_NONE);
  assert_int_equal(dg_file_kind("lock_whole"), DG_FILE_NONE);
  assert_int_equal(unlink("lock_whole.part"), 0);
  assert_int_equal(mkfifo(path, 0666), 0);
  err = (struct dg_error){0};
  assert_int_equal(dg_file_open(&descriptor, path, O_RDONLY, &err), DG_ENVIRONMENT);
  assert_string_equal(err.message, "cannot read 'lock_test': it is a FIFO");
  assert_int_equal(unlink(path), 0);
  err = (struct dg_error){0};
  assert_int_equal(dg_file_write("lock_whole", write_text, "whole\n", &err), 0);
  assert_int_equal(dg_file_kind("lock_whole.part"), DG_FILE_NONE);
  assert_int_equal(dg_file_kind("lock_whole"), DG_FILE_REGULAR);
  assert_int_equal(unlink("lock_whole"), 0);
}

/* What fails while the stream is filled, long before its end, leaves neither a file nor a piece, and says why. */
static void a_file_that_fails_leaves_nothing(void **state)
{
  (void)state;
  struct dg_error err = {0};
  const struct rlimit little = {100, RLIM_INFINITY};
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
  const int status = dg_file_write("lock_whole", write_much, NULL, &err);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_true(signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
  assert_int_equal(status, DG_ENVIRONMENT);
  assert_string_equal(err.message, "cannot write 'lock_whole': File too large");
  assert_int_equal(dg_file_kind("lock_whole"), DG_FILE_NONE);
  assert_int_equal(dg_file_kind("lock_whole.part"), DG_FILE_NONE);
}

int main(void)
{
  (void)unlink(path);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_holder_is_named_and_a_kill_frees),
      cmocka_unit_test(old_names_do_not_lock),
      cmocka_unit_test(all_processes_count),
      cmocka_unit_test(a_started_program_does_not_hold_it),
      cmocka_unit_test(a_fork_does_not_keep_it),
      cmocka_unit_test(links_and_fifos_are_not_opened),
      cmocka_unit_test(files_are_created_and_opened_safely),
      cmocka_unit_test(a_file_that_fails_leaves_nothing),
  };
  return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
