/* The files of measures: rows in batches from all ranks or from the card, tables, grids of planes, and spectra at the
 * end. output.c opens, writes and closes them. */
#include "maxwell/measure/measure_record.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"

enum { NAME_SIZE = 320 };

/* Says whether a table has columns for places. A single point needs none: the script says its place. */
static bool shows_place(const struct mx_measure *measure) { return measure->x != NULL && measure->rows > 1; }

static bool is_due(const struct mx_measure *measure, long n) { return n % measure->config->every == 0; }

static int open_record(struct mx_records *records, size_t i, double step, bool resume, struct dg_error *err)
{
  const struct mx_measure *measure = &records->measures->measure[i];
  const struct mx_measure_config *config = measure->config;
  struct mx_record *record = &records->record[i];
  char name[NAME_SIZE], header[200];
  if (DG_NEW(record->value, measure->batch * measure->values, err) != 0 ||
      DG_NEW(record->step, measure->batch, err) != 0 || DG_NEW(record->time, measure->batch, err) != 0 ||
      DG_NEW(record->fetched_step, measure->batch, err) != 0 || DG_NEW(record->fetched_time, measure->batch, err) != 0)
    return err->code;
  if (config->frequencies.count > 0 &&
      mx_spectrum_init(&record->spectrum, config->frequencies.count, config->frequencies.hertz, measure->values,
                       measure->sets, measure->values / measure->rows / measure->sets, (double)config->every * step,
                       err) != 0)
    return err->code;
  if (config->frequencies.count > 0 &&
      mx_tail_init(&record->tail, config->frequencies.count, config->frequencies.hertz, measure->values, err) != 0)
    return err->code;
  if (measure->form != NULL) return measure->form->open(records, i, err);
  snprintf(name, sizeof name, "%s/%.200s.csv", config->kind->key, config->name);
  snprintf(header, sizeof header, "time,%s", measure->columns);
  return mx_csv_open_in(&record->table, records->folder, name, header, resume, err);
}

static bool writes(const struct mx_records *records) { return dg_comm_rank(records->measures->problem->comm) == 0; }

int mx_records_open(struct mx_records *records, const struct mx_measures *measures, const struct mx_backend_ops *ops,
                    const struct dg_snapshot_writer *writer, struct mx_folder *folder, double step, bool resume,
                    struct dg_error *err)
{
  *records = (struct mx_records){.measures = measures, .ops = ops, .writer = writer, .folder = folder};
  if (DG_NEW(records->record, measures->count, err) != 0) return err->code;
  for (size_t i = 0; i < measures->count; i++)
    records->record[i].most = dg_comm_size(measures->problem->comm) == 1 ? 1 : measures->measure[i].batch;
  for (size_t i = 0; writes(records) && i < measures->count; i++)
    if (open_record(records, i, step, resume, err) != 0) return err->code;
  return 0;
}

/* ---- what a card keeps ---- */

/* Makes the monitor of a group whose members are known, if all ranks have room for one. */
static int watch(struct mx_records *records, struct mx_watched *watched, struct mx_backend *backend,
                 struct dg_error *err)
{
  const struct mx_measures *measures = records->measures;
  struct mx_point *point = NULL;
  size_t *functional = NULL, points = 0, functionals = 0, most = SIZE_MAX;
  for (size_t k = 0; k < watched->members; k++) {
    const struct mx_measure *measure = &measures->measure[watched->member[k]];
    const struct mx_monitor part = measure->kind->watch(measure);
    points += part.points;
    functionals += part.functionals;
    watched->width += measure->parts;
    if (measure->batch < most) most = measure->batch;
  }
  if (DG_NEW(point, points, err) != 0 || DG_NEW(functional, functionals, err) != 0) goto fail;
  points = functionals = 0;
  for (size_t k = 0; k < watched->members; k++) {
    const struct mx_measure *measure = &measures->measure[watched->member[k]];
    const struct mx_monitor part = measure->kind->watch(measure);
    if (part.points > 0) memcpy(point + points, part.point, part.points * sizeof *point);
    if (part.functionals > 0) memcpy(functional + functionals, part.functional, part.functionals * sizeof *functional);
    points += part.points;
    functionals += part.functionals;
  }
  const struct mx_monitor what = {points, point, functionals, functional};
  (void)!records->ops->card->monitor_new(backend, &what, &most, &watched->monitor, err);
fail:
  dg_free(point);
  dg_free(functional);
  double least = (double)most;
  if (dg_comm_agree(measures->problem->comm, err) != 0 ||
      dg_comm_reduce(measures->problem->comm, DG_MIN, 1, &least, err) != 0)
    return err->code;
  most = (size_t)least;
  if (DG_NEW(watched->value, most * watched->width, err) != 0) return err->code;
  for (size_t k = 0; k < watched->members && most > 1; k++) {
    records->record[watched->member[k]].most = most;
    records->record[watched->member[k]].monitored = true;
  }
  if (most < 2) watched->members = 0;
  return 0;
}

/* Says whether a card's monitor is worth while. A plane of which only a few times fit would make the whole group be
 * fetched as often. */
static bool can_be_watched(const struct mx_measure *measure)
{
  enum { FEW = 8 };
  return measure->batch >= FEW && measure->kind->watch != NULL;
}

/* Adds a measure to the group of those that are measured at the same steps. */
static int join_watched(struct mx_records *records, size_t i, struct dg_error *err)
{
  const long every = records->measures->measure[i].config->every;
  struct mx_watched *watched = records->watched;
  while (watched < records->watched + records->groups && watched->every != every) watched++;
  if (watched == records->watched + records->groups) {
    records->groups++;
    watched->every = every;
    if (DG_NEW(watched->member, records->measures->count, err) != 0) return err->code;
  }
  watched->member[watched->members++] = i;
  return 0;
}

int mx_records_monitor(struct mx_records *records, struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_measures *measures = records->measures;
  records->backend = backend;
  if (!records->ops->card->present) return 0;
  if (DG_NEW(records->watched, measures->count, err) != 0) return err->code;
  for (int functionals = 0; functionals < 2; functionals++) /* in a monitor they are behind all points */
    for (size_t i = 0; i < measures->count; i++) {
      const struct mx_measure *measure = &measures->measure[i];
      if (!can_be_watched(measure) || (measure->kind->watch(measure).functionals > 0) != (functionals > 0)) continue;
      if (join_watched(records, i, err) != 0) return err->code;
    }
  for (size_t g = 0; g < records->groups; g++)
    if (watch(records, &records->watched[g], backend, err) != 0) return err->code;
  return 0;
}

bool mx_records_due(const struct mx_records *records, long n)
{
  for (size_t i = 0; i < records->measures->count; i++)
    if (is_due(&records->measures->measure[i], n)) return true;
  return false;
}

bool mx_records_ask(const struct mx_records *records, long n)
{
  for (size_t i = 0; i < records->measures->count; i++) {
    const struct mx_record *record = &records->record[i];
    const bool fetches = !record->monitored || record->rows + 1 >= record->most;
    if (is_due(&records->measures->measure[i], n) && fetches) return true;
  }
  return false;
}

/* ---- tables ---- */

/* Writes rows "first,[x,y,z,]value.." of all points, `columns` values each. With an imaginary part, each value is a
 * pair: re, then im. */
static int write_rows(FILE *file, const struct mx_measure *measure, double first, const double *value, size_t columns,
                      size_t parts)
{
  const size_t rows = measure->rows;
  for (size_t i = 0; i < rows; i++) {
    if (fprintf(file, "%.17g", first) < 0) return -1;
    if (shows_place(measure)) {
      const double *x = measure->x[i];
      if (fprintf(file, ",%.17g,%.17g,%.17g", x[0], x[1], x[2]) < 0) return -1;
    }
    for (size_t c = 0; c < columns * parts; c++) {
      double v = value[i * columns * parts + c];
      /* printf's nan may carry a sign */
      if ((isnan(v) ? fputs(",nan", file) : fprintf(file, ",%.17g", v)) < 0) return -1;
    }
    if (fputc('\n', file) == EOF) return -1;
  }
  return 0;
}

/* Writes "frequency,x,y,z,Ex_re,Ex_im,.." from the kind's columns. */
static int write_spectrum_header(FILE *file, const struct mx_measure *measure)
{
  const char *column = measure->kind->columns;
  if (fputs("frequency", file) < 0) return -1;
  while (*column != '\0') {
    int length = (int)strcspn(column, ",");
    bool place = length == 1; /* x, y, z */
    int n = place ? fprintf(file, ",%.*s", length, column)
                  : fprintf(file, ",%.*s_re,%.*s_im", length, column, length, column);
    if (n < 0) return -1;
    column += length + (column[length] == ',');
  }
  return fputc('\n', file) == EOF ? -1 : 0;
}

struct spectrum_table {
  const struct mx_measure *measure;
  const struct mx_spectrum *spectrum;
};

static void write_spectrum_table(FILE *file, const void *what)
{
  const struct spectrum_table *table = what;
  const struct mx_spectrum *spectrum = table->spectrum;
  int failed = write_spectrum_header(file, table->measure);
  for (size_t k = 0; k < spectrum->frequencies && !failed; k++)
    failed = write_rows(file, table->measure, spectrum->hertz[k], spectrum->sum[k * spectrum->values],
                        spectrum->values / table->measure->rows, 2);
}

/* ---- the run ---- */

static int write_row(struct mx_records *records, size_t i, size_t row, struct dg_error *err)
{
  const struct mx_measure *measure = &records->measures->measure[i];
  struct mx_record *record = &records->record[i];
  const double *value = record->value + row * measure->values;
  if (measure->config->frequencies.count > 0) {
    mx_spectrum_add(&record->spectrum, record->fetched_time[row], value);
    mx_tail_add(&record->tail, record->fetched_time[row], value, measure->values);
  }
  if (records->tap.take != NULL) records->tap.take(records->tap.self, i, record->fetched_step[row], value);
  if (measure->form != NULL) return measure->form->write(records, i, row, err);
  errno = 0;
  const int failed =
      write_rows(record->table.file, measure, record->fetched_time[row], value, measure->values / measure->rows, 1);
  return failed != 0 ? mx_csv_failed(&record->table, err) : 0;
}

/* Writes at most `most` of the rows that wait; SIZE_MAX writes all. */
static int write_fetched(struct mx_records *records, size_t i, size_t most, struct dg_error *err)
{
  struct mx_record *record = &records->record[i];
  for (; most > 0 && record->next < record->fetched; most--)
    if (write_row(records, i, record->next++, err) != 0) return err->code;
  return 0;
}

/* Brings rows from all ranks to rank 0, where they wait to be written. */
static int fetch_one(struct mx_records *records, size_t i, struct dg_error *err)
{
  struct mx_record *record = &records->record[i];
  const size_t rows = record->rows;
  if (rows == 0) return 0;
  if (write_fetched(records, i, SIZE_MAX, err) != 0) return err->code;
  record->rows = 0;
  if (mx_measure_collect(records->measures, i, rows, record->value, err) != 0 || !writes(records)) return err->code;
  long *const step = record->step;
  double *const time = record->time;
  record->step = record->fetched_step, record->fetched_step = step;
  record->time = record->fetched_time, record->fetched_time = time;
  record->fetched = rows, record->next = 0;
  return 0;
}

/* Fetches the rows that the card has kept, and brings them to rank 0. */
static int fetch_watched(struct mx_records *records, const struct mx_watched *watched, struct dg_error *err)
{
  const size_t rows = watched->members > 0 ? records->record[watched->member[0]].rows : 0;
  if (rows == 0) return 0;
  if (records->ops->card->monitor_fetch(records->backend, watched->monitor, rows, watched->value, err) != 0)
    return err->code;
  const double *value = watched->value;
  for (size_t row = 0; row < rows; row++)
    for (size_t k = 0; k < watched->members; k++) {
      mx_measure_put(records->measures, watched->member[k], row, value);
      value += records->measures->measure[watched->member[k]].parts;
    }
  for (size_t k = 0; k < watched->members; k++)
    if (fetch_one(records, watched->member[k], err) != 0) return err->code;
  return 0;
}

/* Notes the step and time of a row that was measured; returns how many rows there are now. */
static size_t add_row(struct mx_records *records, struct mx_record *record, long n, double t)
{
  if (writes(records)) {
    record->step[record->rows] = n;
    record->time[record->rows] = t;
  }
  return ++record->rows;
}

int mx_records_write(struct mx_records *records, struct mx_backend *backend, long n, double t, struct dg_error *err)
{
  for (size_t g = 0; g < records->groups; g++) {
    const struct mx_watched *watched = &records->watched[g];
    bool full = false;
    if (watched->members == 0 || n % watched->every != 0) continue;
    if (records->ops->card->monitor_take(backend, watched->monitor, records->record[watched->member[0]].rows, err) != 0)
      return err->code;
    for (size_t k = 0; k < watched->members; k++) {
      struct mx_record *record = &records->record[watched->member[k]];
      full = add_row(records, record, n, t) == record->most;
    }
    /* Rows are written one at a time, so that a card has work meanwhile. */
    if (full && fetch_watched(records, watched, err) != 0) return err->code;
    for (size_t k = 0; k < watched->members; k++)
      if (write_fetched(records, watched->member[k], 1, err) != 0) return err->code;
  }
  for (size_t i = 0; i < records->measures->count; i++) {
    struct mx_record *record = &records->record[i];
    if (record->monitored || !is_due(&records->measures->measure[i], n)) continue;
    if (mx_measure_take(records->measures, i, record->rows, records->ops, backend, err) != 0) return err->code;
    if (add_row(records, record, n, t) == record->most &&
        (fetch_one(records, i, err) != 0 || write_fetched(records, i, SIZE_MAX, err) != 0))
      return err->code;
  }
  return 0;
}

int mx_records_drain(struct mx_records *records, struct dg_error *err)
{
  for (size_t g = 0; g < records->groups; g++)
    if (fetch_watched(records, &records->watched[g], err) != 0) return err->code;
  for (size_t i = 0; i < records->measures->count; i++)
    if (fetch_one(records, i, err) != 0 || write_fetched(records, i, SIZE_MAX, err) != 0) return err->code;
  return 0;
}

int mx_records_flush(struct mx_records *records, struct dg_error *err)
{
  for (size_t i = 0; i < records->measures->count; i++)
    if (mx_csv_flush(&records->record[i].table, err) != 0) return err->code;
  return 0;
}

int mx_records_close(struct mx_records *records, struct dg_error *err)
{
  int status = 0;
  for (size_t i = 0; records->record != NULL && i < records->measures->count; i++)
    if (mx_csv_close(&records->record[i].table, err) != 0) status = err->code;
  return status;
}

int mx_records_write_spectra(struct mx_records *records, struct dg_error *err)
{
  for (size_t i = 0; i < records->measures->count; i++) {
    const struct mx_measure *measure = &records->measures->measure[i];
    struct mx_spectrum *spectrum = &records->record[i].spectrum;
    char name[NAME_SIZE], *path;
    if (spectrum->frequencies == 0) continue;
    mx_spectrum_finish(spectrum);
    if (measure->form != NULL) {
      if (measure->form->write_spectrum(records, i, err) != 0) return err->code;
      continue;
    }
    snprintf(name, sizeof name, "%s/%.200s_spectrum.csv", measure->config->kind->key, measure->config->name);
    if (mx_folder_path(&path, records->folder, name, err) != 0) return err->code;
    int status = dg_file_write(path, write_spectrum_table, &(struct spectrum_table){measure, spectrum}, err);
    dg_free(path);
    if (status != 0) return status;
  }
  return 0;
}

int mx_records_archive(struct mx_records *records, struct mx_archive *archive, struct dg_error *err)
{
  struct mx_archive own = *archive;
  own.comm = NULL;
  for (size_t i = 0; writes(records) && i < records->measures->count; i++) {
    struct mx_record *record = &records->record[i];
    char name[40];
    snprintf(name, sizeof name, "records/%zu", i);
    if (mx_csv_archive(&record->table, name, &own, err) != 0) return err->code;
    snprintf(name, sizeof name, "records/%zu/spectrum", i);
    if (record->spectrum.frequencies > 0 && mx_spectrum_archive(&record->spectrum, name, &own, err) != 0)
      return err->code;
    snprintf(name, sizeof name, "records/%zu/tail", i);
    if (record->tail.frequencies > 0 && mx_tail_archive(&record->tail, name, &own, err) != 0) return err->code;
  }
  archive->arrays = own.arrays;
  archive->bytes = own.bytes;
  return 0;
}

void mx_records_release(struct mx_records *records)
{
  struct dg_error ignored = {0};
  if (mx_records_close(records, &ignored) != 0) ignored.code = DG_OK; /* an earlier error is being reported */
  for (size_t i = 0; records->record != NULL && i < records->measures->count; i++) {
    mx_csv_release(&records->record[i].table);
    dg_free(records->record[i].step);
    dg_free(records->record[i].time);
    dg_free(records->record[i].fetched_step);
    dg_free(records->record[i].fetched_time);
    dg_free(records->record[i].value);
    dg_free(records->record[i].own);
    mx_spectrum_release(&records->record[i].spectrum);
    mx_tail_release(&records->record[i].tail);
  }
  for (size_t g = 0; g < records->groups; g++) {
    dg_free(records->watched[g].member);
    dg_free(records->watched[g].value);
  }
  dg_free(records->watched);
  dg_free(records->record);
  *records = (struct mx_records){0};
}
