/* curlew: the command line, start and end of MPI, exit codes. */
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/log.h"
#include "libdg/io/silo_writer.h"
#include "maxwell/app/options.h"
#include "maxwell/backend.h"
#include "maxwell/run/run.h"
#include "maxwell/version.h"

static void info(void)
{
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(mpi, &length);
  mpi[strcspn(mpi, ",\n")] = '\0';
  printf("curlew %s\n", CURLEW_VERSION);
  printf("Gmsh %s, %s, Silo %s, %s\n", dg_gmsh_version(), mx_lua_version(), dg_silo_version(), mpi);
  printf("backends:\n");
  for (int i = 0; mx_backends[i] != NULL; i++) {
    struct dg_error err = {0};
    int status = mx_backends[i]->available(&err);
    printf("  %-10s %s%s%s\n", mx_backends[i]->name, mx_backends[i]->description,
           status == 0 ? "" : " (not available: ", status == 0 ? "" : err.message);
  }
}

/* Parses, meshes, and then runs or checks. */
static int simulate(const struct mx_options *options, struct dg_log *log, struct dg_error *err)
{
  struct mx_script *script = NULL;
  struct mx_config config = {0};
  struct mx_setup setup = {0};
  if (mx_script_load(&script, options->script, options->args, options->arg, options->sets, options->set, err) != 0 ||
      mx_config_read(&config, script, err) != 0 || mx_setup_init(&setup, &config, script, log, err) != 0)
    goto fail;
  setup.profiling = options->profile;
  int status = options->command == MX_CHECK
                   ? mx_check(&setup, err)
                   : mx_run(&setup, options->output != NULL ? options->output : config.name, err);
  if (status != 0) goto fail;
fail:
  mx_setup_release(&setup);
  mx_config_release(&config);
  mx_script_free(script);
  return err->code;
}

/* Was the program started by mpirun, srun or the like? A plain start needs no MPI, and does without its daemon, its
 * half second, and its folder in /tmp, which may be full. */
static bool has_launcher(void)
{
  static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    if (getenv(variables[i]) != NULL) return true;
  return false;
}

static int with_mpi(const struct mx_options *options, struct dg_log *log, struct dg_error *err)
{
  int argc = 0, ranks = 1, rank = 0;
  if (!has_launcher()) return simulate(options, log, err);
  if (MPI_Init(&argc, NULL) != MPI_SUCCESS) return dg_fail(err, DG_ENVIRONMENT, "MPI could not be started");
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  err->rank = rank;
  if (ranks > 1)
    (void)dg_fail(err, DG_INPUT, "this version of curlew runs on one rank, not on %d; start it without mpirun", ranks);
  else if (simulate(options, log, err) != 0) err->rank = rank;
  MPI_Finalize();
  return err->code;
}

static void print_error(const struct dg_error *err)
{
  if (err->code == DG_OK || err->rank != 0) return;
  if (err->code == DG_BUG) fprintf(stderr, "curlew: bug at %s:%d: %s\n", err->file, err->line, err->message);
  else fprintf(stderr, "curlew: %s\n", err->message);
}

int main(int argc, char **argv)
{
  struct dg_error err = {0};
  struct mx_options options = {0};
  struct dg_log *log = NULL;
  (void)signal(SIGXFSZ, SIG_IGN); /* a file-size limit is then an error of the write, as a full disk is */
  if (mx_options_read(&options, argc, argv, &err) != 0) goto fail;
  switch (options.command) {
  case MX_HELP:
    fputs(mx_help_text, stdout);
    break;
  case MX_VERSION:
    printf("curlew %s\n", CURLEW_VERSION);
    break;
  case MX_INFO:
    info();
    break;
  case MX_BENCH:
    if (mx_bench(&options.bench, &err) != 0) goto fail;
    break;
  case MX_RUN:
  case MX_CHECK:
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
  return (int)err.code;
}
