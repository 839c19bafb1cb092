#include "maxwell/run/output.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/io/silo_writer.h"
#include "maxwell/run/csv.h"
#include "maxwell/run/folder.h"

static int prepare_snapshots(struct mx_output *output, struct dg_error *err)
{
  const struct mx_problem *problem = &output->setup->problem;
  size_t n = 3 * (size_t)problem->ref->Np * problem->K;
  const struct mx_setup *setup = output->setup;
  if (DG_NEW(output->E, n, err) != 0 || DG_NEW(output->H, n, err) != 0) return err->code;
  if (setup->config->output.fields.average &&
      dg_node_merge_init(&output->merge, &setup->mesh, &setup->ref, setup->problem.comm, err) != 0)
    return err->code;
  if (!(output->setup->config->output.fields.quantities & MX_QUANTITY_MATERIAL)) return 0;
  const double *parameter[3] = {problem->epsilon, problem->mu, problem->sigma};
  for (int i = 0; i < 3; i++) {
    if (DG_NEW(output->material[i], problem->K, err) != 0) return err->code;
    for (size_t e = 0; e < problem->K; e++) output->material[i][e] = parameter[i][e] / (i == 2 ? MX_ETA0 : 1);
  }
  return 0;
}

int mx_output_prepare(const struct mx_config *config, const char *folder, struct dg_error *err)
{
  return mx_records_prepare(config, folder, err);
}

int mx_output_open(struct mx_output *output, const struct mx_setup *setup, const char *folder, struct dg_error *err)
{
  *output = (struct mx_output){.setup = setup, .folder = folder, .last_flush = mx_clock()};
  if (mx_records_open(&output->records, &setup->measures, setup->ops, folder, setup->step, setup->resume, err) != 0)
    return err->code;
  if (setup->config->output.energy_every > 0 && dg_comm_rank(setup->problem.comm) == 0 &&
      (mx_folder_path(&output->energy_path, folder, "energy.csv", err) != 0 ||
       mx_csv_open(&output->energy, output->energy_path, "step,time,electric,magnetic,total", setup->resume, err) != 0))
    return err->code;
  if (setup->config->output.fields.every > 0) return prepare_snapshots(output, err);
  return 0;
}

static bool due(long every, long n) { return every > 0 && n % every == 0; }

bool mx_output_due(const struct mx_output *output, long n)
{
  const struct mx_config *config = output->setup->config;
  if (due(config->output.energy_every, n) || due(config->output.fields.every, n)) return true;
  return mx_records_due(&output->records, n);
}

static int drain_energy(struct mx_output *output, struct dg_error *err)
{
  struct mx_energy_rows *rows = &output->energies;
  size_t count = rows->count;
  rows->count = 0;
  if (count == 0) return 0;
  if (dg_comm_reduce_to_root(output->setup->problem.comm, DG_SUM, 2 * count, rows->part[0], err) != 0) return err->code;
  errno = 0;
  for (size_t i = 0; output->energy != NULL && i < count; i++)
    if (fprintf(output->energy, "%ld,%.17g,%.17g,%.17g,%.17g\n", rows->step[i], rows->time[i], rows->part[i][0],
                rows->part[i][1], rows->part[i][0] + rows->part[i][1]) < 0)
      return mx_csv_failed(output->energy_path, err);
  return 0;
}

static int write_energy(struct mx_output *output, struct mx_backend *backend, long n, double t, struct dg_error *err)
{
  struct mx_energy_rows *rows = &output->energies;
  if (!due(output->setup->config->output.energy_every, n)) return 0;
  double *part = rows->part[rows->count];
  if (output->setup->ops->energy(backend, &part[0], &part[1], err) != 0) return err->code;
  part[0] *= MX_EPSILON0;
  part[1] *= MX_EPSILON0;
  rows->step[rows->count] = n;
  rows->time[rows->count++] = t;
  bool alone = dg_comm_size(output->setup->problem.comm) == 1;
  return alone || rows->count == MX_ENERGY_ROWS ? drain_energy(output, err) : 0;
}

static int write_snapshot(struct mx_output *output, struct mx_backend *backend, long n, double t, struct dg_error *err)
{
  const struct mx_setup *setup = output->setup;
  if (!due(setup->config->output.fields.every, n)) return 0;
  if (setup->ops->download(backend, output->E, output->H, err) != 0) return err->code;
  size_t numbers = 3 * (size_t)setup->ref.Np * setup->problem.K;
  for (size_t i = 0; i < numbers; i++) output->H[i] /= MX_ETA0;

  int quantities = setup->config->output.fields.quantities;
  struct dg_silo_field field[5];
  size_t count = 0;
  if (quantities & MX_QUANTITY_E)
    field[count++] = (struct dg_silo_field){.name = "E", .unit = "V/m", .components = 3, .value = output->E};
  if (quantities & MX_QUANTITY_H)
    field[count++] = (struct dg_silo_field){.name = "H", .unit = "A/m", .components = 3, .value = output->H};
  if (quantities & MX_QUANTITY_MATERIAL) {
    static const char *const name[3] = {"epsilon_r", "mu_r", "sigma"}, *const unit[3] = {"1", "1", "S/m"};
    for (int i = 0; i < 3; i++)
      field[count++] = (struct dg_silo_field){
          .name = name[i], .unit = unit[i], .components = 1, .per_element = true, .value = output->material[i]};
  }
  const struct dg_silo_snapshot snapshot = {.mesh = &setup->mesh,
                                            .ref = &setup->ref,
                                            .time = t,
                                            .cycle = (int)n,
                                            .fields = count,
                                            .field = field,
                                            .merge = setup->config->output.fields.average ? &output->merge : NULL,
                                            .files = setup->config->output.fields.files};
  char name[64], *path;
  snprintf(name, sizeof name, "fields_%06ld.silo", n);
  if (mx_folder_path(&path, output->folder, name, err) != 0) return err->code;
  int status = dg_silo_write(path, &snapshot, setup->problem.comm, err);
  dg_free(path);
  if (status == 0) output->snapshots++;
  return status;
}

/* What was written is on disk at most a second later, so that a run can be watched and a killed one loses little. */
static int flush(struct mx_output *output, struct dg_error *err)
{
  double now = mx_clock();
  if (now - output->last_flush < 1) return 0;
  output->last_flush = now;
  if (mx_csv_flush(output->energy, output->energy_path, err) != 0) return err->code;
  return mx_records_flush(&output->records, err);
}

int mx_output_write(struct mx_output *output, struct mx_backend *backend, long n, double t, struct dg_error *err)
{
  if (mx_records_write(&output->records, backend, n, t, err) != 0 || write_energy(output, backend, n, t, err) != 0 ||
      write_snapshot(output, backend, n, t, err) != 0)
    return err->code;
  return flush(output, err);
}

int mx_output_drain(struct mx_output *output, struct dg_error *err)
{
  return mx_records_drain(&output->records, err) != 0 ? (int)err->code : drain_energy(output, err);
}

int mx_output_archive(struct mx_output *output, struct mx_archive *archive, struct dg_error *err)
{
  if (mx_archive_longs(archive, "output/snapshots", 1, &output->snapshots, err) != 0 ||
      mx_archive_file(archive, "output/energy_bytes", output->energy, output->energy_path, err) != 0)
    return err->code;
  return mx_records_archive(&output->records, archive, err);
}

int mx_output_finish(struct mx_output *output, struct dg_error *err)
{
  if (mx_output_drain(output, err) != 0) return err->code;
  return mx_records_write_spectra(&output->records, err);
}

int mx_output_close(struct mx_output *output, struct dg_error *err)
{
  int status = mx_csv_close(&output->energy, output->energy_path, err);
  if (mx_records_close(&output->records, err) != 0) status = err->code;
  return status;
}

void mx_output_release(struct mx_output *output)
{
  struct dg_error ignored = {0};
  if (output->setup == NULL) return;
  if (mx_output_close(output, &ignored) != 0) ignored.code = DG_OK; /* an earlier error is being reported */
  mx_records_release(&output->records);
  for (int i = 0; i < 3; i++) dg_free(output->material[i]);
  dg_node_merge_release(&output->merge);
  dg_free(output->energy_path);
  dg_free(output->E);
  dg_free(output->H);
  *output = (struct mx_output){0};
}
