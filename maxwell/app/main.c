/* curlew: the command line, start and end of MPI, exit codes. */
#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libdg/comm/comm.h"
#include "libdg/base/emergency.h"
#include "libdg/base/machine/launch.h"
#include "libdg/base/log.h"
#include "libdg/io/silo/silo_writer.h"
#include "libdg/io/store.h"
#include "maxwell/app/commands.h"
#include "maxwell/app/options.h"
#include "maxwell/app/outputs/outputs.h"
#include "maxwell/app/plot.h"
#include "libdg/ref/dense.h"
#include "maxwell/app/threads.h"
#include "maxwell/backend/backend.h"
#include "maxwell/check/check.h"
#include "maxwell/run/run.h"
#include "maxwell/shell/rules/tree_text.h"
#include "maxwell/setup/setup_build.h"
#include "maxwell/help.h"
#include "maxwell/version.h"
#include "maxwell/measure/kinds.h"

static void info(void)
{
  char mpi[DG_COMM_LIBRARY];
  dg_comm_library(mpi);
  printf("curlew %s\n", CURLEW_VERSION);
  printf("Gmsh %s, %s, Silo %s, %s\n", dg_gmsh_version(), mx_lua_version(), dg_silo_version(), mpi);
  printf("backends:\n");
  for (int i = 0; mx_backends[i] != NULL; i++) {
    struct dg_error err = {0};
    int status = mx_backends[i]->available(&err);
    const struct mx_backend_ops *ops = mx_backends[i];
    if (status != 0) printf("  %-10s %s; not available: %s\n", ops->name, ops->description, err.message);
    else printf("  %-10s %s; here: %s\n", ops->name, ops->description, ops->instructions());
  }
  for (size_t i = 0; mx_backends_missing[i] != NULL; i += 2)
    printf("  %-10s not in this build: %s\n", mx_backends_missing[i], mx_backends_missing[i + 1]);
}

/* Parses, meshes, and then runs or checks, or measures; on every rank. */
static int simulate(const struct mx_options *options, struct dg_log *log, struct dg_comm *comm, struct dg_error *err)
{
  if (options->command == MX_BENCH) return mx_bench(&options->bench, comm, err);
  struct mx_script *script = NULL;
  struct mx_config config = {0};
  struct mx_setup setup = {0};
  struct mx_folder folder = {0};
  struct mx_keeping keeping = {.remesh = options->remesh, .restart = options->restart};
  if (dg_dense_prepare(err) != 0) goto fail; /* before threads take the addresses that it needs */
  mx_threads_start(log);
  if (mx_script_load(&script, options->script, options->args, options->arg, options->sets, options->set,
                     &options->limits, err) != 0 ||
      mx_origin_agree(mx_script_origin(script), comm, err) != 0 ||
      mx_config_read(&config, mx_measure_kinds, mx_script_origin(script), err) != 0)
    goto fail;
  keeping.folder = options->output != NULL ? options->output : config.name;
  if (options->command == MX_RUN && mx_folder_open(&folder, keeping.folder, comm, log, err) != 0) goto fail;
  if (mx_setup_init(&setup, &config, mx_script_origin(script), log, comm, &keeping, err) != 0) goto fail;
  const struct mx_run_options how = {.resume = options->restart, .profile = options->profile};
  const char *model = options->model[0] != '\0' ? options->model : NULL;
  const struct mx_scene scene = mx_setup_scene(&setup);
  int status = options->command == MX_CHECK ? mx_check(&scene, model, err) : mx_run(&setup, &folder, &how, err);
  if (status != 0) goto fail;
fail:
  mx_folder_close(&folder);
  mx_setup_release(&setup);
  mx_config_release(&config);
  mx_script_free(script);
  return dg_comm_stop(comm, err);
}

static void print_error(const struct dg_error *err)
{
  if (err->code == DG_OK || err->rank != 0) return;
  if (err->code == DG_BUG) fprintf(stderr, "curlew: bug at %s:%d: %s\n", err->file, err->line, err->message);
  else fprintf(stderr, "curlew: %s\n", err->message);
}

/* Ranks on one node share its processors: threads for each, unless the user says how many. What a launcher gave to this
 * rank alone is not shared. */
static void share_processors(const struct dg_comm *comm)
{
  long all = sysconf(_SC_NPROCESSORS_ONLN);
  int own = omp_get_num_procs(), share = (int)(all / dg_comm_here(comm));
  if (getenv("OMP_NUM_THREADS") != NULL) return;
  omp_set_num_threads(share < 1 ? 1 : share < own ? share : own);
}

/* Silences all ranks but rank 0: otherwise a script's prints would come from all of them. */
static int be_silent(struct dg_error *err)
{
  if (freopen("/dev/null", "w", stdout) != NULL) return 0;
  return dg_fail(err, DG_ENVIRONMENT, "cannot open /dev/null: %s", strerror(errno));
}

static int with_mpi(const struct mx_options *options, struct dg_log *log, struct dg_error *err)
{
  struct dg_comm *comm = NULL;
  if (!dg_launched()) return simulate(options, log, NULL, err);
  if (dg_comm_start(&comm, err) != 0) return err->code;
  if (dg_comm_size(comm) == 1) {
    (void)simulate(options, log, NULL, err);
  } else {
    share_processors(comm);
    if (dg_comm_rank(comm) == 0 || be_silent(err) == 0)
      (void)simulate(options, dg_comm_rank(comm) == 0 ? log : NULL, comm, err);
    else dg_comm_stop(comm, err);
  }
  (void)dg_comm_settle(comm, err);
  print_error(err);
  fflush(NULL);
  dg_comm_finish(comm, (int)err->code);
  err->rank = -1; /* printed */
  return err->code;
}

/* Checks, and draws what was checked: that program takes the place of this one. */
static int check_and_draw(struct mx_options *options, struct dg_log *log, struct dg_error *err)
{
  if (options->picture == NULL) return with_mpi(options, log, err);
  if (mx_output_check("--picture", options->picture, 1, &options->script, err) != 0 ||
      mx_plot_prepare(options->model, err) != 0)
    return err->code;
  if (with_mpi(options, log, err) == 0) (void)!mx_plot_model(options->model, options->picture, err);
  (void)unlink(options->model);
  return err->code;
}

/* An error before MPI has started is the same on all ranks: they meet, and one says it. */
static void print_together(struct dg_error *err)
{
  struct dg_comm *comm = NULL;
  struct dg_error late = {0};
  if (!dg_launched() || dg_comm_start(&comm, &late) != 0) return;
  (void)dg_comm_settle(comm, err);
  print_error(err);
  dg_comm_finish(comm, (int)err->code);
  err->rank = -1; /* printed */
}

/* Every thread would have a heap of its own, 64 MB of addresses each: too much where they are counted. */
static void share_heaps(void)
{
#ifdef M_ARENA_MAX
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) (void)mallopt(M_ARENA_MAX, 1);
#endif
}

/* A thread that waits for others spins before it sleeps. GNU's OpenMP does so 300000 times where threads are no more
 * than processors, milliseconds in which it keeps the processor from the very thread that it waits for, if anybody else
 * is at work there: two threads beside one busy process were 30 times slower for it in a small problem, 16 were 20
 * times. 1000 are a few microseconds and as fast on a machine that is idle (profiling/log.md). The library reads that
 * when it is loaded, before main: the program starts itself again. What the user says counts, and without /proc it
 * stays as it is. */
static void spin_briefly(char **argv)
{
  char self[4096];
  if (getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL) return;
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0 || length == (ssize_t)sizeof self - 1 || setenv("GOMP_SPINCOUNT", "1000", 1) != 0) return;
  self[length] = '\0';
  (void)execv(self, argv);
}

/* Before the constructors of the libraries that are part of the program: CUDA's runtime takes memory in one of them,
 * and does not look whether there is any. */
__attribute__((constructor(101))) static void begin(void)
{
  enum { RESERVE = 16 << 20 };
  share_heaps();
  dg_emergency_start(RESERVE);
}

int main(int argc, char **argv)
{
  struct dg_error err = {0};
  struct mx_options options = {0};
  struct dg_log *log = NULL;
  (void)signal(SIGXFSZ, SIG_IGN); /* a file-size limit is then an error of the write, as a full disk is */
  (void)signal(SIGPIPE,
               SIG_IGN); /* so is a pipe that nobody reads any more; while steps are made see session/control.h */
  dg_store_prepare();
  if (mx_options_read(&options, argc, argv, &err) != 0) {
    print_together(&err);
    goto fail;
  }
  switch (options.command) {
  case MX_HELP:
    fputs(help_text, stdout);
    break;
  case MX_VERSION:
    printf("curlew %s\n", CURLEW_VERSION);
    break;
  case MX_INFO:
    if (!options.keys) info();
    else if (mx_config_print_keys(mx_measure_kinds, &err) != 0) goto fail;
    break;
  case MX_PLOT:
    if (mx_plot(argc - 2, argv + 2, &err) != 0) goto fail;
    break;
  case MX_SWEEP:
    if (mx_sweep(argc - 1, argv + 1, &err) != 0) goto fail;
    break;
  case MX_CHECK:
    spin_briefly(argv);
    if (dg_log_new(&log, !options.quiet, &err) == 0 && check_and_draw(&options, log, &err) != 0) goto fail;
    break;
  case MX_NEW:
    if (mx_new(argc - 2, argv + 2, &err) != 0) goto fail;
    break;
  case MX_S:
    if (mx_s(argc - 2, argv + 2, &err) != 0) goto fail;
    break;
  case MX_FIT:
    if (mx_fit_command(argc - 2, argv + 2, &err) != 0) goto fail;
    break;
  case MX_BENCH:
  case MX_RUN:
    spin_briefly(argv);
    if (dg_log_new(&log, !options.quiet, &err) == 0 && with_mpi(&options, log, &err) != 0) goto fail;
    break;
  }
  errno = 0;
  if (fflush(stdout) != 0 || ferror(stdout))
    (void)dg_fail(&err, DG_ENVIRONMENT, "cannot write to standard output%s%s", errno != 0 ? ": " : "",
                  errno != 0 ? strerror(errno) : "");
fail:
  dg_log_free(log);
  mx_options_release(&options);
  print_error(&err);
  dg_emergency_over(err.code);
  return (int)err.code;
}
