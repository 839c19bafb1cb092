/* Tables and snapshots of temperatures. heat.c calls it. */
#include "maxwell/heat/heat_record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/parts/partition.h"
#include "maxwell/model/selectors.h"

/* The first numbers of a row. */
enum { LOWEST, HIGHEST, ROW };

static int find_probes(struct mx_heat_record *record, struct dg_error *err)
{
  const struct mx_heat_problem *problem = record->problem;
  const struct mx_heat_config *heat = problem->heat;
  double(*at)[3] = NULL, (*bary)[4] = NULL;
  int64_t *element = NULL;
  if (DG_NEW(record->probe, heat->probes, err) != 0 || DG_NEW(at, heat->probes, err) != 0 ||
      DG_NEW(bary, heat->probes, err) != 0 || DG_NEW(element, heat->probes, err) != 0)
    goto fail;
  for (size_t i = 0; i < heat->probes; i++) memcpy(at[i], heat->probe[i].at, sizeof at[i]);
  if (dg_mesh_locate_shared(&problem->body->mesh, problem->body->comm, heat->probes, (const double(*)[3])at, element,
                            bary, err) != 0)
    goto fail;
  for (size_t i = 0; i < heat->probes; i++) {
    const struct mx_heat_probe *probe = &heat->probe[i];
    const double *l = bary[i];
    if (element[i] == DG_NOWHERE) {
      (void)dg_fail(err, DG_INPUT,
                    MX_PLACE "heat.probes: '%s' at (%g, %g, %g) m is outside of the body in which heat flows",
                    MX_AT(probe->where), probe->name, probe->at[0], probe->at[1], probe->at[2]);
      goto fail;
    }
    record->probe[i].element = element[i];
    if (element[i] < 0) continue;
    dg_reference_interpolate(&problem->space.ref, 2 * l[1] - 1, 2 * l[2] - 1, 2 * l[3] - 1, record->probe[i].weight);
  }
fail:
  dg_free(at);
  dg_free(bary);
  dg_free(element);
  return err->code;
}

/* The materials of all ranks' elements. */
static int find_materials(struct mx_heat_record *record, struct dg_error *err)
{
  const struct mx_heat_body *body = record->problem->body;
  const size_t materials = record->problem->config->materials;
  int64_t *there = NULL;
  if (DG_NEW(record->there, materials, err) != 0 || DG_NEW(there, materials, err) != 0) return err->code;
  for (size_t e = 0; e < body->mesh.K; e++) there[body->material[e]] = 1;
  if (dg_comm_reduce_int(body->comm, DG_MAX, materials, there, err) == 0)
    for (size_t m = 0; m < materials; m++) record->there[m] = there[m] > 0;
  dg_free(there);
  return err->code;
}

int mx_heat_record_init(struct mx_heat_record *record, const struct mx_heat_problem *problem, struct dg_error *err)
{
  const struct mx_heat_body *body = problem->body;
  *record = (struct mx_heat_record){
      .problem = problem, .first = dg_comm_rank(body->comm) == 0, .writers = mx_chosen_writers(problem->config)};
  if (find_probes(record, err) != 0 || find_materials(record, err) != 0 ||
      DG_NEW(record->value, body->mesh.K * (size_t)problem->space.ref.Np, err) != 0 ||
      DG_NEW(record->row, ROW + problem->config->materials + problem->heat->probes, err) != 0)
    return err->code;
  return dg_comm_part(&record->comm, body->comm, body->mesh.K > 0, err);
}

/* ---- tables */

/* Adds ",PREFIXname" to a header that has room for all. */
static void add_column(char *header, size_t size, const char *prefix, const char *name)
{
  const size_t used = strlen(header);
  (void)snprintf(header + used, size - used, ",%s%s", prefix, name);
}

static int open_tables(struct mx_heat_record *record, bool resume, struct dg_error *err)
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
  if (mx_csv_open_in(&record->temperature, record->folder, "heat/temperature.csv", header, resume, err) == 0) {
    (void)snprintf(header, size, "time,stored,sources,blood");
    for (size_t i = 0; i < heat->walls; i++) {
      mx_selector_name(&heat->wall[i].where, name, sizeof name);
      add_column(header, size, "through_", name);
    }
    add_column(header, size, "", "missing");
    (void)!mx_csv_open_in(&record->balance, record->folder, "heat/balance.csv", header, resume, err);
  }
  dg_free(header);
  return err->code;
}

int mx_heat_record_open(struct mx_heat_record *record, struct mx_folder *folder, bool resume, struct dg_error *err)
{
  record->folder = folder;
  for (size_t w = 0; w < record->writers.count; w++)
    if (record->writers.writer[w]->open(&record->series[w], err) != 0) return err->code;
  return record->first ? open_tables(record, resume, err) : 0;
}

/* A probe's temperature on the rank that has it, else 0. */
static double at_probe(const struct mx_heat_record *record, size_t i, const struct mx_heat_march *march)
{
  const struct dg_space *space = &record->problem->space;
  const struct mx_heat_probe_place *probe = &record->probe[i];
  double sum = 0;
  if (probe->element < 0) return 0;
  for (size_t n = 0; n < (size_t)space->ref.Np; n++)
    sum += probe->weight[n] *
           mx_heat_temperature(march, (size_t)space->number[(size_t)probe->element * (size_t)space->ref.Np + n]);
  return sum;
}

/* record->value[2 K] = the lowest and the highest temperature in each element. A row a step asks for them: at 2e6
 * unknowns one thread would take as long as a card takes for the step. */
static void find_extremes(struct mx_heat_record *record, const struct mx_heat_march *march)
{
  const struct dg_space *space = &record->problem->space;
  const size_t Np = (size_t)space->ref.Np;
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < record->problem->body->mesh.K; e++) {
    const int32_t *number = space->number + e * Np;
    double lowest = march->T[number[0]], highest = lowest;
    for (size_t n = 1; n < Np; n++) {
      const double T = march->T[number[n]];
      lowest = T < lowest ? T : lowest;
      highest = T > highest ? T : highest;
    }
    record->value[2 * e] = lowest + record->problem->offset;
    record->value[2 * e + 1] = highest + record->problem->offset;
  }
}

/* row[ROW + materials + probes]: minus the lowest and the highest temperature of all nodes, the highest in each
 * material, the temperatures at the probes. */
static int measure(struct mx_heat_record *record, const struct mx_heat_march *march, struct dg_error *err)
{
  const struct mx_heat_body *body = record->problem->body;
  const size_t materials = record->problem->config->materials;
  const size_t probes = record->problem->heat->probes;
  double *row = record->row, *highest = row + ROW, *probe = highest + materials;
  for (size_t i = 0; i < ROW + materials; i++) row[i] = -INFINITY;
  find_extremes(record, march);
  for (size_t e = 0; e < body->mesh.K; e++) {
    const double lowest = record->value[2 * e], most = record->value[2 * e + 1];
    double *of = &highest[body->material[e]];
    row[LOWEST] = fmax(row[LOWEST], -lowest);
    *of = fmax(*of, most);
  }
  for (size_t m = 0; m < materials; m++) row[HIGHEST] = fmax(row[HIGHEST], highest[m]);
  for (size_t i = 0; i < probes; i++) probe[i] = at_probe(record, i, march);
  if (dg_comm_reduce(body->comm, DG_MAX, ROW + materials, row, err) != 0) return err->code;
  return dg_comm_reduce(body->comm, DG_SUM, probes, probe, err);
}

int mx_heat_record_row(struct mx_heat_record *record, const struct mx_heat_march *march, double dt,
                       struct dg_error *err)
{
  const struct mx_config *config = record->problem->config;
  const double *row = record->row, *highest = row + ROW, *probe = highest + config->materials;
  if (measure(record, march, err) != 0) return err->code;
  record->highest = row[HIGHEST];
  if (!record->first) return 0;
  errno = 0;
  FILE *file = record->temperature.file;
  int failed = fprintf(file, "%.17g,%.17g,%.17g,%.17g", march->t, dt, -row[LOWEST], row[HIGHEST]) < 0;
  for (size_t m = 0; m < config->materials; m++)
    if (record->there[m]) failed |= fprintf(file, ",%.17g", highest[m]) < 0;
  for (size_t i = 0; i < config->heat->probes; i++) failed |= fprintf(file, ",%.17g", probe[i]) < 0;
  if (failed || fputc('\n', file) == EOF) return mx_csv_failed(&record->temperature, err);
  file = record->balance.file;
  failed =
      fprintf(file, "%.17g,%.17g,%.17g,%.17g", march->t, march->stored, march->given.sources, march->given.blood) < 0;
  for (size_t i = 0; i < config->heat->walls; i++) failed |= fprintf(file, ",%.17g", march->given.wall[i]) < 0;
  if (failed || fprintf(file, ",%.17g\n", mx_heat_missing(march)) < 0) return mx_csv_failed(&record->balance, err);
  return 0;
}

/* ---- snapshots */

/* Makes room for the times and names of `count` snapshots. */
static int make_room(struct mx_heat_record *record, size_t count, struct dg_error *err)
{
  if (count <= record->room) return 0;
  const size_t room = 2 * count + 16;
  if (dg_grow(&record->entry, room, sizeof *record->entry, err) != 0 ||
      dg_grow(&record->name, room, sizeof *record->name, err) != 0)
    return err->code;
  record->room = room;
  return 0;
}

static int list_snapshot(struct mx_heat_record *record, double time, struct dg_error *err)
{
  if (make_room(record, record->snapshots + 1, err) != 0) return err->code;
  record->entry[record->snapshots++].time = time;
  return 0;
}

int mx_heat_record_archive(struct mx_heat_record *record, struct mx_archive *archive, struct dg_error *err)
{
  long count = (long)record->snapshots;
  double *time = NULL;
  if (mx_archive_longs(archive, "snapshots", 1, &count, err) != 0) return err->code;
  if (count < 0 || count > INT32_MAX) return dg_fail(err, DG_ENVIRONMENT, "the checkpoint counts %ld snapshots", count);
  if (make_room(record, (size_t)count, err) != 0 || DG_NEW(time, count, err) != 0) return err->code;
  for (size_t i = 0; i < record->snapshots; i++) time[i] = record->entry[i].time;
  if (mx_archive_doubles(archive, "times", (size_t)count, time, err) == 0)
    for (long i = 0; i < count; i++) record->entry[i].time = time[i];
  dg_free(time);
  if (err->code != DG_OK) return err->code;
  record->snapshots = (size_t)count;
  if (mx_csv_archive(&record->temperature, "tables/temperature", archive, err) != 0) return err->code;
  return mx_csv_archive(&record->balance, "tables/balance", archive, err);
}

static int write_snapshot(struct mx_heat_record *record, size_t w, const struct dg_snapshot *content,
                          struct dg_error *err)
{
  const struct dg_snapshot_writer *writer = record->writers.writer[w];
  const size_t count = record->snapshots;
  char name[96], *path;
  (void)snprintf(name, sizeof name, "heat/heat_%06zu%s", count, writer->ending);
  if (mx_folder_path(&path, record->folder, name, err) != 0) return err->code;
  (void)!writer->write(record->series[w], path, content, record->comm, err);
  dg_free(path);
  if (err->code != DG_OK || writer->list == NULL || dg_comm_rank(record->comm) != 0) return err->code;
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
  if (problem->body->mesh.K == 0) return 0; /* no format has room for a rank without elements */
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
  dg_comm_free(record->comm);
  dg_free(record->probe);
  dg_free(record->row);
  dg_free(record->there);
  dg_free(record->value);
  dg_free(record->entry);
  dg_free(record->name);
  *record = (struct mx_heat_record){0};
}
