/* Writes a run's energy, measures, snapshots and balance on their schedule. The time loop calls it where fields are
 * those of a whole step. */
#include "maxwell/output/output.h"

#include <errno.h>

#include "libdg/base/memory.h"
#include "maxwell/record/phasor_output.h"
#include "maxwell/record/writers.h"
#include "maxwell/shell/folder.h"
#include "maxwell/worth/asked/asked.h"

/* Rank 0 keeps the records of resonances. They hear each row of a measure that is written. */
static void take_row(void *self, size_t measure, long step, const double *value)
{
  mx_resonances_take(self, measure, step, value);
}

static int open_resonances(struct mx_output *output, struct dg_error *err)
{
  struct mx_resonance_scene scene = mx_setup_resonance_scene(output->setup);
  if (dg_comm_rank(output->setup->comm) != 0 || output->setup->config->output.resonances == 0) return 0;
  scene.log = NULL; /* the set-up has given the warnings */
  output->records.tap = (struct mx_record_tap){take_row, &output->resonances};
  return mx_resonances_init(&output->resonances, &scene, err);
}

int mx_output_open(struct mx_output *output, struct mx_setup *setup, struct mx_backend *backend,
                   struct mx_folder *folder, bool resume, struct dg_error *err)
{
  *output = (struct mx_output){
      .setup = setup, .far = &setup->far, .phasors = &setup->phasors, .folder = folder, .last_flush = mx_clock()};
  if (mx_records_open(&output->records, &setup->measures, setup->ops, mx_snapshot_writers[0], folder, setup->step,
                      resume, err) != 0 ||
      mx_records_monitor(&output->records, backend, err) != 0 ||
      mx_far_fields_watch(output->far, setup->ops, backend, err) != 0 ||
      mx_phasors_watch(output->phasors, setup->ops, backend, err) != 0 || open_resonances(output, err) != 0)
    return err->code;
  if (setup->config->output.energy_every > 0 && dg_comm_rank(setup->problem.comm) == 0) {
    char *path;
    if (mx_folder_path(&path, folder, "energy.csv", err) != 0) return err->code;
    (void)!mx_csv_open(&output->energy, path, "step,time,electric,magnetic,total", resume, err);
    dg_free(path);
    if (err->code != DG_OK) return err->code;
  }
  if (mx_balance_new(&output->balance, setup, folder, resume, err) != 0) return err->code;
  const struct mx_writers writers = mx_chosen_writers(setup->config);
  return mx_snapshots_init(&output->snapshots, setup, &writers, backend, folder, err);
}

static bool due(long every, long n) { return every > 0 && n % every == 0; }

bool mx_output_due(const struct mx_output *output, long n)
{
  return output->balance != NULL || due(output->setup->config->output.energy_every, n) ||
         mx_records_due(&output->records, n) || mx_far_fields_due(output->far, n) ||
         mx_phasors_due(output->phasors, n) || mx_snapshots_due(&output->snapshots, n);
}

bool mx_output_asks(const struct mx_output *output, long n)
{
  if (output->balance != NULL || due(output->setup->config->output.energy_every, n) ||
      mx_records_ask(&output->records, n) || mx_far_fields_ask(output->far, n) || mx_phasors_ask(output->phasors, n))
    return true;
  return mx_snapshots_due(&output->snapshots, n) && output->snapshots.buffers == 0;
}

static int drain_energy(struct mx_output *output, struct dg_error *err)
{
  struct mx_energy_rows *rows = &output->energies;
  size_t count = rows->count;
  rows->count = 0;
  if (count == 0) return 0;
  if (dg_comm_reduce_to_root(output->setup->problem.comm, DG_SUM, 2 * count, rows->part[0], err) != 0) return err->code;
  errno = 0;
  for (size_t i = 0; output->energy.file != NULL && i < count; i++)
    if (fprintf(output->energy.file, "%ld,%.17g,%.17g,%.17g,%.17g\n", rows->step[i], rows->time[i], rows->part[i][0],
                rows->part[i][1], rows->part[i][0] + rows->part[i][1]) < 0)
      return mx_csv_failed(&output->energy, err);
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

/* Brings rows to disk at most a second after they were measured, so that a run can be watched and a killed one loses
 * little. Several ranks collect many rows before they write them. */
static int flush(struct mx_output *output, struct dg_error *err)
{
  double now = mx_clock();
  if (now - output->last_flush < 1) return 0;
  if (dg_comm_size(output->setup->problem.comm) == 1 && mx_records_drain(&output->records, err) != 0) return err->code;
  output->last_flush = mx_clock();
  if (mx_csv_flush(&output->energy, err) != 0 || mx_balance_flush(output->balance, err) != 0) return err->code;
  return mx_records_flush(&output->records, err);
}

int mx_output_write(struct mx_output *output, struct mx_backend *backend, long n, double t, struct dg_error *err)
{
  if (mx_records_write(&output->records, backend, n, t, err) != 0 ||
      mx_far_fields_take(output->far, output->setup->ops, backend, n, err) != 0 ||
      mx_phasors_take(output->phasors, output->setup->ops, backend, n, err) != 0 ||
      write_energy(output, backend, n, t, err) != 0 || mx_snapshots_take(&output->snapshots, n, t, false, err) != 0)
    return err->code;
  return flush(output, err);
}

int mx_output_drain(struct mx_output *output, struct dg_error *err)
{
  if (mx_snapshots_finish(&output->snapshots, err) != 0 || mx_records_drain(&output->records, err) != 0)
    return err->code;
  return drain_energy(output, err);
}

int mx_output_settle(struct mx_output *output, struct dg_error *err)
{
  if (mx_records_drain(&output->records, err) != 0 || drain_energy(output, err) != 0 ||
      mx_csv_flush(&output->energy, err) != 0 || mx_balance_flush(output->balance, err) != 0)
    return err->code;
  return mx_records_flush(&output->records, err);
}

int mx_output_gather(struct mx_output *output, struct dg_error *err)
{
  if (mx_far_fields_gather(output->far, err) != 0) return err->code;
  return mx_phasors_gather(output->phasors, err);
}

int mx_output_archive(struct mx_output *output, struct mx_archive *archive, struct dg_error *err)
{
  long written = mx_snapshots_written(&output->snapshots);
  if (mx_archive_longs(archive, "output/snapshots", 1, &written, err) != 0) return err->code;
  if (written < 0 || written > output->setup->steps + 1)
    return dg_fail(err, DG_ENVIRONMENT, "the checkpoint counts %ld snapshots", written);
  if (archive->does == MX_ARCHIVE_LOADS) output->snapshots.before = written;
  if (mx_csv_archive(&output->energy, "output/energy", archive, err) != 0 ||
      mx_balance_archive(output->balance, archive, err) != 0)
    return err->code;
  if (mx_records_archive(&output->records, archive, err) != 0) return err->code;
  if (mx_far_fields_archive(output->far, archive, err) != 0 || mx_phasors_archive(output->phasors, archive, err) != 0)
    return err->code;
  struct mx_archive own = *archive; /* only rank 0 has records */
  own.comm = NULL;
  if (mx_resonances_archive(&output->resonances, &own, err) != 0) return err->code;
  archive->arrays = own.arrays;
  archive->bytes = own.bytes;
  return 0;
}

int mx_output_finish(struct mx_output *output, struct dg_error *err)
{
  if (mx_output_drain(output, err) != 0) return err->code;
  const struct mx_writers writers = mx_chosen_writers(output->setup->config);
  const struct mx_asked_place asked = mx_setup_asked(output->setup);
  if (mx_records_write_spectra(&output->records, err) != 0 ||
      mx_far_fields_write(output->far, output->folder, err) != 0 ||
      mx_phasor_output(output->phasors, &writers, &output->setup->ref, output->folder, err) != 0 ||
      mx_doubt_ends(&asked, output->far, output->phasors, &output->records, err) != 0 ||
      dg_comm_rank(output->setup->comm) != 0)
    return err->code;
  return mx_resonances_finish(&output->resonances, output->folder, output->setup->log, err);
}

int mx_output_close(struct mx_output *output, struct dg_error *err)
{
  int status = mx_csv_close(&output->energy, err);
  if (mx_balance_close(output->balance, err) != 0) status = err->code;
  if (mx_records_close(&output->records, err) != 0) status = err->code;
  return status;
}

void mx_output_release(struct mx_output *output)
{
  struct dg_error ignored = {0};
  if (output->setup == NULL) return;
  if (mx_output_close(output, &ignored) != 0) ignored.code = DG_OK; /* an earlier error is being reported */
  mx_records_release(&output->records);
  mx_resonances_release(&output->resonances);
  mx_snapshots_release(&output->snapshots);
  mx_csv_release(&output->energy);
  mx_balance_free(output->balance);
  *output = (struct mx_output){0};
}
