/* Carries out a sweep: starts runs as processes, waits for them, tells them to end, and keeps the table. main calls
 * it. */
#define _GNU_SOURCE /* prctl, sigtimedwait, memfd_create */
#include "maxwell/app/sweep/sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libdg/base/clock.h"
#include "libdg/base/machine/launch.h"
#include "libdg/base/memory.h"
#include "maxwell/app/outputs/outputs.h"
#include "maxwell/app/sweep/sweep_table.h"

struct sweep {
  struct mx_cases cases;
  sigset_t awaited, before; /* signals that the loop waits for, and those that were blocked */
  long threads;             /* of each run; 0: as the run chooses */
  size_t next;              /* the next case to look at */
  long running;
  size_t ended, failed;
  bool stopping; /* the runs were told to end */
};

static bool is_quiet(const struct sweep *sweep) { return sweep->cases.options->quiet; }

/* ---- a run */

/* Makes the words of `curlew run`; definitions are to be freed, words not. */
static int make_words(const struct sweep *sweep, const struct mx_case *item, const char ***words, char **definitions,
                      struct dg_error *err)
{
  enum { OTHERS = 8 };
  const struct mx_sweep_options *options = sweep->cases.options;
  size_t count = 0, length = 1;
  for (size_t i = 0; i < options->axes; i++) length += strlen(options->axis[i].name) + strlen(item->value[i]) + 2;
  if (DG_NEW(*words, options->words + 2 * options->axes + OTHERS, err) != 0 || DG_NEW(*definitions, length, err) != 0)
    return err->code;
  const char **word = *words;
  char *text = *definitions;
  word[count++] = "curlew";
  word[count++] = "run";
  word[count++] = options->script;
  word[count++] = "--quiet";
  word[count++] = "--output";
  word[count++] = item->folder;
  if (item->restarts) word[count++] = "--restart";
  for (size_t i = 0; i < options->words; i++) word[count++] = options->word[i];
  for (size_t i = 0; i < options->axes; i++) {
    word[count++] = "-D";
    word[count++] = text;
    text += sprintf(text, "%s=%s", options->axis[i].name, item->value[i]) + 1;
  }
  return 0;
}

/* Becomes the run; in the child. */
static void become(const struct sweep *sweep, const struct mx_case *item, const char **words)
{
  char **arguments;
  memcpy(&arguments, &words, sizeof words); /* execv does not change them */
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || setpgid(0, 0) != 0) _exit(DG_ENVIRONMENT);
  if (freopen("/dev/null", "r", stdin) == NULL || freopen("/dev/null", "w", stdout) == NULL ||
      dup2(item->said, STDERR_FILENO) < 0)
    _exit(DG_ENVIRONMENT);
  if (sweep->threads > 0) {
    char text[30];
    snprintf(text, sizeof text, "%ld", sweep->threads);
    (void)setenv("OMP_NUM_THREADS", text, 0);
  }
  (void)signal(SIGPIPE, SIG_DFL);
  (void)signal(SIGXFSZ, SIG_DFL);
  (void)sigprocmask(SIG_SETMASK, &sweep->before, NULL);
  (void)execv("/proc/self/exe", arguments); /* this program, also where another build has taken its name meanwhile */
  (void)dprintf(STDERR_FILENO, "curlew: cannot start this program: %s\n", strerror(errno));
  _exit(DG_ENVIRONMENT);
}

static int start(struct sweep *sweep, struct mx_case *item, struct dg_error *err)
{
  const char **words = NULL;
  char *definitions = NULL;
  if (mx_case_note(item, err) != 0 || make_words(sweep, item, &words, &definitions, err) != 0) goto fail;
  item->said = memfd_create("curlew-run", MFD_CLOEXEC);
  if (item->said < 0) {
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot make a file for messages of runs: %s", strerror(errno));
    goto fail;
  }
  item->started = mx_clock();
  fflush(NULL);
  item->process = fork();
  if (item->process == 0) become(sweep, item, words);
  if (item->process < 0) {
    item->process = 0;
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot start a process: %s", strerror(errno));
    goto fail;
  }
  sweep->running++;
fail:
  dg_free(words);
  dg_free(definitions);
  return err->code;
}

/* Takes the message of a run, its last line that is no warning. */
static int take_message(struct mx_case *item, struct dg_error *err)
{
  static const char head[] = "curlew: ";
  enum { MOST = 1 << 16 };
  char *text;
  const off_t bytes = lseek(item->said, 0, SEEK_END);
  if (dg_alloc(&text, MOST + 1, 1, err) != 0) return err->code;
  (void)!pread(item->said, text, MOST, bytes > MOST ? bytes - MOST : 0);
  char *found = NULL;
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
    if (strncmp(line, head, sizeof head - 1) == 0 && strncmp(line + sizeof head - 1, "warning: ", 9) != 0)
      found = line + sizeof head - 1;
  dg_free(item->error);
  item->error = NULL;
  if (item->exit_code != 0) (void)!dg_copy_string(&item->error, found != NULL ? found : "the run said nothing", err);
  dg_free(text);
  close(item->said);
  item->said = -1;
  return err->code;
}

static void report(const struct sweep *sweep, const struct mx_case *item)
{
  if (is_quiet(sweep)) return;
  printf("case %*zu of %zu  %s: %s%s%s", sweep->cases.count > 99 ? 5 : 2, item->number + 1, sweep->cases.count,
         item->name, mx_case_status(item), item->kept ? ", kept" : "", item->error != NULL ? ": " : "");
  if (item->error != NULL) printf("%s\n", item->error);
  else printf(" (%.2f s)\n", item->seconds);
  fflush(stdout);
}

/* What a process has ended with is written down. */
static int take_end(struct sweep *sweep, struct mx_case *item, int status, struct dg_error *err)
{
  item->process = 0;
  sweep->running--;
  item->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  item->seconds = item->before + mx_clock() - item->started;
  if (item->restarts && item->exit_code == DG_INPUT && !sweep->stopping) { /* the checkpoint is of another run */
    item->restarts = false;
    item->before = 0;
    close(item->said);
    item->said = -1;
    return start(sweep, item, err);
  }
  item->done = item->exit_code == 0;
  if (take_message(item, err) != 0 || (item->done && mx_case_look_at_files(item, err) != 0) ||
      mx_case_note(item, err) != 0)
    return err->code;
  sweep->ended++;
  sweep->failed += !item->done;
  report(sweep, item);
  return mx_sweep_write_table(&sweep->cases, err);
}

/* ---- all of them */

static int reap(struct sweep *sweep, struct dg_error *err)
{
  for (size_t k = 0; k < sweep->cases.count; k++) {
    struct mx_case *item = &sweep->cases.item[k];
    int status;
    if (item->process > 0 && waitpid(item->process, &status, WNOHANG) == item->process &&
        take_end(sweep, item, status, err) != 0)
      return err->code;
  }
  return 0;
}

/* Tells all runs to end with a checkpoint; told twice they end at once. */
static void stop_all(struct sweep *sweep)
{
  for (size_t k = 0; k < sweep->cases.count; k++)
    if (sweep->cases.item[k].process > 0) (void)kill(sweep->cases.item[k].process, SIGTERM);
  if (!sweep->stopping && sweep->running > 0 && !is_quiet(sweep))
    printf("stopping  the runs under way end with a checkpoint; the same command goes on from there\n");
  fflush(stdout);
  sweep->stopping = true;
}

/* Starts as many runs as there is room for. */
static int start_some(struct sweep *sweep, struct dg_error *err)
{
  for (; sweep->next < sweep->cases.count && sweep->running < sweep->cases.options->jobs; sweep->next++) {
    struct mx_case *item = &sweep->cases.item[sweep->next];
    if (item->kept) {
      sweep->ended++;
      report(sweep, item);
    } else if (start(sweep, item, err) != 0) {
      return err->code;
    }
  }
  return 0;
}

static int run_all(struct sweep *sweep, struct dg_error *err)
{
  static const struct timespec second = {1, 0};
  int status = 0;
  while (status == 0) {
    if (!sweep->stopping) status = start_some(sweep, err);
    if (status != 0 || sweep->running == 0) break;
    const int number = sigtimedwait(&sweep->awaited, NULL, &second); /* looks again each second, in any case */
    if (number > 0 && number != SIGCHLD) stop_all(sweep);
    status = reap(sweep, err);
  }
  while (sweep->running > 0) { /* after an error of the sweep's own */
    struct dg_error late = {0};
    stop_all(sweep);
    (void)sigtimedwait(&sweep->awaited, NULL, &second);
    (void)!reap(sweep, &late);
  }
  return status;
}

/* The error of the whole: that of the first case that failed. */
static int judge(const struct sweep *sweep, struct dg_error *err)
{
  const char *output = sweep->cases.output;
  if (sweep->stopping)
    return dg_fail(err, DG_INTERRUPTED, "interrupted after %zu of %zu runs; the same command goes on from there",
                   sweep->ended - sweep->failed, sweep->cases.count);
  for (size_t k = 0; k < sweep->cases.count; k++) {
    const struct mx_case *item = &sweep->cases.item[k];
    if (item->done) continue;
    const bool ours = item->exit_code == DG_INPUT || item->exit_code == DG_BLEW_UP || item->exit_code == DG_BUG;
    return dg_fail(err, ours && item->exit_code != DG_BUG ? (enum dg_code)item->exit_code : DG_ENVIRONMENT,
                   "%zu of %zu runs failed, %s/sweep.csv says why; the first is '%s': %s", sweep->failed,
                   sweep->cases.count, output, item->name, item->error);
  }
  return 0;
}

static void list_cases(const struct sweep *sweep)
{
  for (size_t k = 0; k < sweep->cases.count; k++) {
    const struct mx_case *item = &sweep->cases.item[k];
    printf("%s%s\n", item->folder, item->kept ? "  done" : item->restarts ? "  goes on from a checkpoint" : "");
  }
}

/* Blocks the signals that the loop waits for, and shares processors. */
static void prepare(struct sweep *sweep)
{
  const long processors = sysconf(_SC_NPROCESSORS_ONLN), jobs = sweep->cases.options->jobs;
  if (jobs > 1) sweep->threads = processors / jobs > 1 ? processors / jobs : 1;
  sigemptyset(&sweep->awaited);
  static const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaddset(&sweep->awaited, numbers[i]);
  (void)sigprocmask(SIG_BLOCK, &sweep->awaited, &sweep->before);
  (void)signal(SIGCHLD, SIG_DFL); /* whoever started the sweep may ignore it, and then nobody could wait for runs */
}

/* The table takes the place of no file but that of an earlier sweep. */
static int check_table(const struct mx_cases *cases, struct dg_error *err)
{
  static const char name[] = "/sweep.csv";
  char *path;
  if (dg_alloc(&path, strlen(cases->output) + sizeof name, 1, err) != 0) return err->code;
  stpcpy(stpcpy(path, cases->output), name);
  (void)!mx_output_check("--output", path, 0, NULL, err);
  dg_free(path);
  return err->code;
}

int mx_sweep(const struct mx_sweep_options *options, struct dg_error *err)
{
  struct sweep sweep = {0};
  if (dg_launched())
    return dg_fail(err, DG_INPUT, "curlew sweep starts its runs itself, as single processes; start it without mpirun");
  if (mx_cases_init(&sweep.cases, options, err) != 0) goto fail;
  if (options->list) {
    list_cases(&sweep);
    goto fail;
  }
  if (check_table(&sweep.cases, err) != 0 || mx_cases_make_folder(&sweep.cases, err) != 0) goto fail;
  prepare(&sweep);
  int status = run_all(&sweep, err);
  if (status == 0) status = mx_sweep_write_table(&sweep.cases, err);
  if (status == 0 && !is_quiet(&sweep)) printf("table     %s/sweep.csv\n", sweep.cases.output);
  if (status == 0) (void)!judge(&sweep, err);
  (void)sigprocmask(SIG_SETMASK, &sweep.before, NULL);
fail:
  mx_cases_release(&sweep.cases);
  return err->code;
}
