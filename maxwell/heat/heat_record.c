/* Tables and snapshots of temperatures. heat.c calls it. */
#include "maxwell/heat/heat_record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/model/selectors.h"

static int find_probes(struct mx_heat_record *record, struct dg_error *err)
{
  const struct mx_heat_problem *problem = record->problem;
  const struct mx_heat_config *heat = problem->heat;
  if (DG_NEW(record->probe, heat->probes, err) != 0) return err->code;
  for (size_t i = 0; i < heat->probes; i++) {
    const struct mx_heat_probe *probe = &heat->probe[i];
    double bary[4];
    const int64_t e = dg_mesh_locate(&problem->body->mesh, probe->at, bary);
    if (e < 0)
      return dg_fail(err, DG_INPUT,
                     MX_PLACE "heat.probes: '%s' at (%g, %g, %g) m is outside of the body in which heat "
                              "flows",
                     MX_AT(probe->where), probe->name, probe->at[0], probe->at[1], probe->at[2]);
    record->probe[i].element = (size_t)e;
    dg_reference_interpolate(&problem->space.ref, 2 * bary[1] - 1, 2 * bary[2] - 1, 2 * bary[3] - 1,
                             record->probe[i].weight);
  }
  return 0;
}

int mx_heat_record_init(struct mx_heat_record *record, const struct mx_heat_problem *problem, struct dg_error *err)
{
  const size_t K = problem->body->mesh.K;
  *record = (struct mx_heat_record){.problem = problem, .writers = mx_chosen_writers(problem->config)};
  if (find_probes(record, err) != 0 || DG_NEW(record->there, problem->config->materials, err) != 0 ||
      DG_NEW(record->value, K * (size_t)problem->space.ref.Np, err) != 0)
    return err->code;
  for (size_t e = 0; e < K; e++) record->there[problem->body->material[e]] = true;
  return 0;
}

/* ---- tables */

static int open_table(struct mx_csv *table, const struct mx_heat_record *record, const char *name, const char *header,
                      struct dg_error *err)
{
  char *path;
  if (mx_folder_path(&path, record->folder, name, err) != 0) return err->code;
  (void)!mx_csv_open(table, path, header, false, err);
  dg_free(path);
  return err->code;
}

/* Adds ",PREFIXname" to a header that has room for all. */
static void add_column(char *header, size_t size, const char *prefix, const char *name)
{
  const size_t used = strlen(header);
  (void)snprintf(header + used, size - used, ",%s%s", prefix, name);
}

static int open_tables(struct mx_heat_record *record, struct dg_error *err)
{
  const struct mx_config *config = record->problem->config;
  const struct mx_heat_config *heat = config->heat;
  const size_t size = 100 + (config->materials + heat->walls) * 160 + heat->probes * 260;
  char *header, name[128];
  if (dg_alloc(&header, size, 1, err) != 0) return err->code;
  (void)snprintf(header, size, "time,step,lowest,highest");
  for (size_t m = 0; m < config->materials; m++) {
    mx_selector_name(&config->material[m].where, name, sizeof name);
    if (record->there[m]) add_column(header, size, "highest_in_", name);
  }
  for (size_t i = 0; i < heat->probes; i++) add_column(header, size, "at_", heat->probe[i].name);
  if (open_table(&record->temperature, record, "heat/temperature.csv", header, err) == 0) {
    (void)snprintf(header, size, "time,stored,sources,blood");
    for (size_t i = 0; i < heat->walls; i++) {
      mx_selector_name(&heat->wall[i].where, name, sizeof name);
      add_column(header, size, "through_", name);
    }
    add_column(header, size, "", "missing");
    (void)!open_table(&record->balance, record, "heat/balance.csv", header, err);
  }
  dg_free(header);
  return err->code;
}

int mx_heat_record_open(struct mx_heat_record *record, struct mx_folder *folder, struct dg_error *err)
{
  record->folder = folder;
  for (size_t w = 0; w < record->writers.count; w++)
    if (record->writers.writer[w]->open(&record->series[w], err) != 0) return err->code;
  return open_tables(record, err);
}

double mx_heat_highest(const struct mx_heat_march *march)
{
  double highest = -INFINITY;
  for (size_t i = 0; i < march->problem->space.count; i++) highest = fmax(highest, mx_heat_temperature(march, i));
  return highest;
}

static double at_probe(const struct mx_heat_record *record, size_t i, const struct mx_heat_march *march)
{
  const struct dg_space *space = &record->problem->space;
  const struct mx_heat_probe_place *probe = &record->probe[i];
  double sum = 0;
  for (size_t n = 0; n < (size_t)space->ref.Np; n++)
    sum += probe->weight[n] *
           mx_heat_temperature(march, (size_t)space->number[probe->element * (size_t)space->ref.Np + n]);
  return sum;
}

static double highest_in(const struct mx_heat_record *record, size_t material, const struct mx_heat_march *march)
{
  const struct dg_space *space = &record->problem->space;
  const size_t Np = (size_t)space->ref.Np;
  double highest = -INFINITY;
  for (size_t n = 0; n < record->problem->body->mesh.K * Np; n++)
    if (record->problem->body->material[n / Np] == (int)material)
      highest = fmax(highest, mx_heat_temperature(march, (size_t)space->number[n]));
  return highest;
}

int mx_heat_record_row(struct mx_heat_record *record, const struct mx_heat_march *march, double dt,
                       struct dg_error *err)
{
  const struct mx_config *config = record->problem->config;
  double lowest = INFINITY;
  for (size_t i = 0; i < record->problem->space.count; i++) lowest = fmin(lowest, mx_heat_temperature(march, i));
  errno = 0;
  FILE *file = record->temperature.file;
  int failed = fprintf(file, "%.17g,%.17g,%.17g,%.17g", march->t, dt, lowest, mx_heat_highest(march)) < 0;
  for (size_t m = 0; m < config->materials; m++)
    if (record->there[m]) failed |= fprintf(file, ",%.17g", highest_in(record, m, march)) < 0;
  for (size_t i = 0; i < config->heat->probes; i++) failed |= fprintf(file, ",%.17g", at_probe(record, i, march)) < 0;
  if (failed || fputc('\n', file) == EOF) return mx_csv_failed(&record->temperature, err);
  file = record->balance.file;
  failed =
      fprintf(file, "%.17g,%.17g,%.17g,%.17g", march->t, march->stored, march->given.sources, march->given.blood) < 0;
  for (size_t i = 0; i < config->heat->walls; i++) failed |= fprintf(file, ",%.17g", march->given.wall[i]) < 0;
  if (failed || fprintf(file, ",%.17g\n", mx_heat_missing(march)) < 0) return mx_csv_failed(&record->balance, err);
  return 0;
}

/* ---- snapshots */

static int list_snapshot(struct mx_heat_record *record, double time, struct dg_error *err)
{
  if (record->snapshots == record->room) {
    const size_t room = 2 * record->room + 16;
    if (dg_grow(&record->entry, room, sizeof *record->entry, err) != 0 ||
        dg_grow(&record->name, room, sizeof *record->name, err) != 0)
      return err->code;
    record->room = room;
  }
  record->entry[record->snapshots++].time = time;
  return 0;
}

static int write_snapshot(struct mx_heat_record *record, size_t w, const struct dg_snapshot *content,
                          struct dg_error *err)
{
  const struct dg_snapshot_writer *writer = record->writers.writer[w];
  const size_t count = record->snapshots;
  char name[96], *path;
  (void)snprintf(name, sizeof name, "heat/heat_%06zu%s", count, writer->ending);
  if (mx_folder_path(&path, record->folder, name, err) != 0) return err->code;
  (void)!writer->write(record->series[w], path, content, NULL, err);
  dg_free(path);
  if (err->code != DG_OK || writer->list == NULL) return err->code;
  for (size_t i = 0; i < count; i++) {
    (void)snprintf(record->name[i], sizeof record->name[i], "heat_%06zu%s", i + 1, writer->ending);
    record->entry[i].name = record->name[i];
  }
  (void)snprintf(name, sizeof name, "heat/heat%s.series", writer->ending);
  if (mx_folder_path(&path, record->folder, name, err) != 0) return err->code;
  (void)!writer->write_list(path, count, record->entry, record->folder->ledger, err);
  dg_free(path);
  return err->code;
}

int mx_heat_record_snapshot(struct mx_heat_record *record, const struct mx_heat_march *march, struct dg_error *err)
{
  const struct mx_heat_problem *problem = record->problem;
  const struct mx_config *config = problem->config;
  for (size_t n = 0; n < problem->body->mesh.K * (size_t)problem->space.ref.Np; n++)
    record->value[n] = mx_heat_temperature(march, (size_t)problem->space.number[n]);
  const struct dg_snapshot_field field = {.name = "T", .unit = "degrees", .components = 1, .value = record->value};
  if (list_snapshot(record, march->t, err) != 0) return err->code;
  const struct dg_snapshot content = {.mesh = &problem->body->mesh,
                                      .ref = &problem->space.ref,
                                      .time = march->t,
                                      .cycle = (int)record->snapshots,
                                      .fields = 1,
                                      .field = &field,
                                      .mesh_once = true,
                                      .single = config->output.fields.precision == MX_SINGLE,
                                      .ledger = record->folder->ledger,
                                      .files = config->output.fields.files};
  for (size_t w = 0; w < record->writers.count; w++)
    if (write_snapshot(record, w, &content, err) != 0) return err->code;
  return 0;
}

int mx_heat_record_close(struct mx_heat_record *record, struct dg_error *err)
{
  if (mx_csv_close(&record->temperature, err) != 0) return err->code;
  return mx_csv_close(&record->balance, err);
}

void mx_heat_record_release(struct mx_heat_record *record)
{
  mx_csv_release(&record->temperature);
  mx_csv_release(&record->balance);
  for (size_t w = 0; w < record->writers.count; w++) record->writers.writer[w]->close(record->series[w]);
  dg_free(record->probe);
  dg_free(record->there);
  dg_free(record->value);
  dg_free(record->entry);
  dg_free(record->name);
  *record = (struct mx_heat_record){0};
}
