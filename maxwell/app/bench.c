/* `curlew bench`: from the options to measured cases and their report. main calls mx_bench; bench_machine.c measures
 * the machine, bench_case.c the backends, bench_levels.c local time steps, bench_report.c writes. */
#include "maxwell/app/bench.h"

#include <errno.h>
#include <libgen.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "maxwell/app/outputs/outputs.h"

/* A file that cannot be written is better known before minutes of measurement than after. */
static int check_json(const char *path, struct dg_error *err)
{
  char *copy;
  struct stat status;
  if (path == NULL) return 0;
  if (mx_output_check("--json", path, 0, NULL, err) != 0) return err->code;
  if (dg_copy_string(&copy, path, err) != 0) return err->code;
  const char *folder = dirname(copy);
  if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': it is a folder", path);
  else if (access(folder, W_OK | X_OK) != 0)
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
  dg_free(copy);
  return err->code;
}

/* Can the backends work here, each on its card? */
static int prepare(const struct mx_bench_options *options, struct dg_comm *comm, struct dg_error *err)
{
  for (int i = 0; i < MX_BENCH_BACKENDS && mx_backends[i] != NULL; i++)
    if (options->backend[i] &&
        (mx_backends[i]->available(err) != 0 || mx_backends[i]->card->take(comm, options->share_gpus, err) != 0))
      return err->code;
  return 0;
}

/* The gains of local time steps; the machine's ceilings have no part in them. */
static int measure_gains(const struct mx_bench_options *options, const struct mx_bench_machine *machine, int threads,
                         struct dg_comm *comm, struct dg_error *err)
{
  const bool first = dg_comm_rank(comm) == 0, loud = first && !options->quiet;
  struct mx_bench_gains gains = {0};
  if (loud) mx_bench_print_gain_header();
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    if (options->order[order] &&
        mx_bench_levels(&gains, options, order, comm, loud ? mx_bench_print_gain : NULL, err) != 0)
      goto fail;
  const struct mx_bench_report report = {.options = options, .machine = machine, .gains = &gains, .threads = threads};
  if (first && options->json != NULL) (void)!mx_bench_write_json(&report, err);
fail:
  dg_free(gains.gain);
  return err->code;
}

int mx_bench(const struct mx_bench_options *options, struct dg_comm *comm, struct dg_error *err)
{
  struct mx_bench_machine machine;
  struct mx_bench_ceilings before, after;
  struct mx_bench_list list = {0};
  int threads = options->threads > 0 ? options->threads : omp_get_max_threads();
  const bool first = dg_comm_rank(comm) == 0, loud = first && !options->quiet;
  omp_set_num_threads(threads);
  if ((first && check_json(options->json, err) != 0) || prepare(options, comm, err) != 0) goto fail;
  mx_bench_describe(&machine);
  if (loud) mx_bench_print_machine(&machine, threads);
  if (options->levels > 0) {
    (void)!measure_gains(options, &machine, threads, comm, err);
    goto fail;
  }
  if (mx_bench_measure(&before, &machine, options, threads, err) != 0) goto fail;
  if (loud) mx_bench_print_ceilings(&before, threads);
  if (loud && before.copy_fields > 1.3 * before.copy)
    printf("note      caches hold the fields: `floor` is that of memory, `cached` that of the faster copy; see "
           "--unknowns\n");
  if (loud) mx_bench_print_header();
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    if (options->order[order] &&
        mx_bench_order(&list, options, order, &before, comm, loud ? mx_bench_print_result : NULL, err) != 0)
      goto fail;
  /* Measure the ceilings once more. If these differ from the first, something else was running, and the fractions mean
   * little. */
  if (mx_bench_measure(&after, &machine, options, threads, err) != 0) goto fail;
  if (loud) printf("\nafterwards:\n");
  if (loud) mx_bench_print_ceilings(&after, threads);
  const struct mx_bench_report report = {
      .options = options, .machine = &machine, .before = &before, .after = &after, .list = &list, .threads = threads};
  if (first && options->json != NULL && mx_bench_write_json(&report, err) != 0) goto fail;
fail:
  dg_free(list.result);
  return dg_comm_stop(comm, err);
}
