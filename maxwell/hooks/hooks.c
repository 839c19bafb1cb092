/* Calls the script's hooks with the results so far, keeps the table of what they derive, and writes their files. The
 * time loop and run.c call it; hook_results.c finds the tables. */
#define _POSIX_C_SOURCE 200809L /* stpcpy */
#include "maxwell/hooks/hooks.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "maxwell/hooks/hook_results.h"

static const char table_name[] = "derived.csv";

static bool is_first(const struct mx_hooks *hooks) { return dg_comm_rank(hooks->scene->comm) == 0; }

static const struct mx_config *config_of(const struct mx_hooks *hooks) { return hooks->scene->config; }

static int fetch_spectrum(void *self, size_t result, struct mx_table *table, struct dg_error *err)
{
  const struct mx_hooks *hooks = self;
  return mx_hook_results_spectrum(hooks->output->scene.records, &hooks->results, result, table, err);
}

int mx_hooks_open(struct mx_hooks *hooks, const struct mx_scene *scene, const struct mx_folder *folder,
                  struct mx_output *output, struct mx_port_output *port_output, struct dg_error *err)
{
  *hooks = (struct mx_hooks){.scene = scene,
                             .folder = folder,
                             .output = output,
                             .port_output = port_output,
                             .every = mx_config_hook_every(scene->config, scene->step)};
  if (!is_first(hooks) || (scene->config->on.output == NULL && scene->config->on.done == NULL)) return 0;
  hooks->results.steps = scene->steps;
  hooks->results.fetch = fetch_spectrum;
  hooks->results.self = hooks;
  return mx_hook_results_find(&hooks->results, &hooks->own, &output->scene, err);
}

bool mx_hooks_due(const struct mx_hooks *hooks, long n) { return hooks->every > 0 && n > 0 && n % hooks->every == 0; }

/* ---- the table of on.output */

static int open_table(struct mx_hooks *hooks, const char *header, bool resume, struct dg_error *err)
{
  const char *const path = hooks->results.result[hooks->own].path;
  if (mx_csv_open(&hooks->table, path, header, resume, err) != 0) return err->code;
  hooks->results.result[hooks->own].there = true;
  return 0;
}

/* Opens the table with the names of its first row. */
static int begin_table(struct mx_hooks *hooks, const struct mx_derived_list *row, struct dg_error *err)
{
  size_t length = sizeof "step,time";
  char *header = NULL, *at;
  for (size_t i = 0; i < row->count; i++) {
    if (strcmp(row->item[i].name, "step") == 0 || strcmp(row->item[i].name, "time") == 0)
      return dg_fail(err, DG_INPUT, "%s: on.output returned a value '%s', which %s has already: choose another name",
                     config_of(hooks)->on.output->place, row->item[i].name, table_name);
    length += strlen(row->item[i].name) + 1;
  }
  if (DG_NEW(header, length, err) != 0) return err->code;
  at = stpcpy(header, "step,time");
  for (size_t i = 0; i < row->count; i++) at = stpcpy(stpcpy(at, ","), row->item[i].name);
  (void)!open_table(hooks, header, false, err);
  dg_free(header);
  return err->code;
}

static bool same_names(const struct mx_derived_list *one, const struct mx_derived_list *other)
{
  if (one->count != other->count) return false;
  for (size_t i = 0; i < one->count; i++)
    if (strcmp(one->item[i].name, other->item[i].name) != 0) return false;
  return true;
}

/* Writes a row, which becomes the hooks' last one. */
static int write_row(struct mx_hooks *hooks, struct mx_derived_list *row, struct dg_error *err)
{
  FILE *file;
  if (row->count == 0) return 0;
  if (hooks->table.file == NULL && begin_table(hooks, row, err) != 0) return err->code;
  if (hooks->row.count > 0 && !same_names(&hooks->row, row))
    return dg_fail(err, DG_INPUT,
                   "%s: on.output at step %ld returned other names than before; %s has one set of columns: return the "
                   "same names each time, 0/0 where there is nothing to say",
                   config_of(hooks)->on.output->place, hooks->results.step, table_name);
  errno = 0;
  file = hooks->table.file;
  int failed = fprintf(file, "%ld,%.17g", hooks->results.step, hooks->results.time) < 0;
  for (size_t i = 0; i < row->count && !failed; i++) {
    const double value = row->item[i].number;
    failed = (isnan(value) ? fputs(",nan", file) : fprintf(file, ",%.17g", value)) < 0; /* nan may carry a sign */
  }
  if (failed || fputc('\n', file) == EOF) return mx_csv_failed(&hooks->table, err);
  mx_derived_release(&hooks->row);
  hooks->row = *row;
  *row = (struct mx_derived_list){0};
  return mx_csv_flush(&hooks->table, err);
}

/* Makes the last row anew from the table, behind a restart. */
static int read_last_row(struct mx_hooks *hooks, struct dg_error *err)
{
  enum { STEP_AND_TIME = 2 };
  struct mx_table table = {0};
  struct mx_derived *item;
  int status = mx_table_read(&table, hooks->results.result[hooks->own].path, err);
  for (size_t c = STEP_AND_TIME; status == 0 && table.rows > 0 && c < table.columns; c++) {
    status = mx_derived_add(&hooks->row, table.name[c], &item, err);
    if (status == 0) item->number = table.value[(table.rows - 1) * table.columns + c];
  }
  mx_table_release(&table);
  return status;
}

int mx_hooks_archive(struct mx_hooks *hooks, struct mx_archive *archive, struct dg_error *err)
{
  struct mx_archive own = *archive; /* only rank 0 has the table */
  long there = hooks->table.file != NULL;
  if (!is_first(hooks) || config_of(hooks)->on.output == NULL) return 0;
  own.comm = NULL;
  if (mx_archive_longs(&own, "hooks/there", 1, &there, err) != 0) return err->code;
  if (there != 0 && archive->does == MX_ARCHIVE_LOADS && open_table(hooks, NULL, true, err) != 0) return err->code;
  if (there != 0 && mx_csv_archive(&hooks->table, "hooks/table", &own, err) != 0) return err->code;
  if (there != 0 && archive->does == MX_ARCHIVE_LOADS && read_last_row(hooks, err) != 0) return err->code;
  archive->arrays = own.arrays;
  archive->bytes = own.bytes;
  return 0;
}

/* ---- calls */

/* Calls a hook on rank 0. */
static int call(struct mx_hooks *hooks, const struct mx_function *function, const char *what,
                struct mx_verdict *verdict, struct dg_error *err)
{
  mx_sources_pause(hooks->scene->sources); /* Lua has one state */
  return function->look(function->self, what, &hooks->results, verdict, err);
}

static int count_driven(const struct mx_ports *ports)
{
  int driven = 0;
  for (size_t i = 0; i < ports->count; i++) driven += mx_ports_driven(ports, i);
  return driven;
}

/* What rank 0 does for on.output. */
static int look_and_write(struct mx_hooks *hooks, long n, double t, struct mx_verdict *verdict, struct dg_error *err)
{
  const struct mx_function *function = config_of(hooks)->on.output;
  hooks->results.step = n;
  hooks->results.time = t;
  if (call(hooks, function, "on.output", verdict, err) != 0 || write_row(hooks, &verdict->derived, err) != 0)
    return err->code;
  if (verdict->stop && config_of(hooks)->output.s_parameters.count > 0 &&
      count_driven(&hooks->scene->sources->ports) > 1)
    return dg_fail(err, DG_INPUT,
                   "%s: on.output cannot stop a run for S-parameters of several driven ports, since it sees the first "
                   "port's only; time.decay stops each",
                   function->place);
  return 0;
}

int mx_hooks_output(struct mx_hooks *hooks, long n, double t, bool *stop, struct dg_error *err)
{
  struct mx_verdict verdict = {0};
  if (mx_output_settle(hooks->output, err) == 0 && mx_port_output_settle(hooks->port_output, err) == 0 &&
      is_first(hooks))
    (void)!look_and_write(hooks, n, t, &verdict, err);
  *stop = verdict.stop;
  mx_derived_release(&verdict.derived);
  if (dg_comm_agree(hooks->scene->comm, err) != 0 ||
      dg_comm_broadcast(hooks->scene->comm, sizeof *stop, stop, err) != 0)
    return err->code;
  if (*stop) memcpy(hooks->why, verdict.why, sizeof hooks->why); /* "" on other ranks */
  return 0;
}

static int write_table(struct mx_hooks *hooks, const struct mx_derived *table, struct dg_error *err)
{
  char name[160], *path;
  (void)snprintf(name, sizeof name, "derived_%s.csv", table->name);
  if (mx_folder_path(&path, hooks->folder, name, err) != 0) return err->code;
  if (dg_ledger_claim(hooks->folder->ledger, DG_LEDGER_OUTPUT, path, err) == 0)
    (void)!dg_file_write(path, mx_derived_write_table, table, err);
  dg_free(path);
  return err->code;
}

/* What rank 0 does for on.done. */
static int finish(struct mx_hooks *hooks, struct dg_error *err)
{
  struct mx_verdict verdict = {0};
  mx_hook_results_end(&hooks->results);
  (void)!call(hooks, config_of(hooks)->on.done, "on.done", &verdict, err);
  hooks->values = verdict.derived;
  if (err->code != DG_OK) return err->code;
  for (size_t i = 0; i < hooks->values.count; i++)
    if (hooks->values.item[i].type == MX_DERIVED_TABLE && write_table(hooks, &hooks->values.item[i], err) != 0)
      return err->code;
  return 0;
}

int mx_hooks_done(struct mx_hooks *hooks, long n, double t, const char *stop_reason, struct dg_error *err)
{
  if (config_of(hooks)->on.done == NULL) return 0;
  if (is_first(hooks)) {
    hooks->results.step = n;
    hooks->results.time = t;
    hooks->results.stop_reason = stop_reason;
    (void)!finish(hooks, err);
  }
  return dg_comm_agree(hooks->scene->comm, err);
}

void mx_hooks_give(struct mx_hooks *hooks, struct mx_derived_list *values)
{
  struct mx_derived_list *row = &hooks->row;
  struct dg_error no_room = {0};
  *values = hooks->values;
  hooks->values = (struct mx_derived_list){0};
  for (size_t i = 0; i < row->count; i++) {
    struct mx_derived *item;
    if (mx_derived_find(values, row->item[i].name) != NULL) continue; /* what on.done returns has the last word */
    if (mx_derived_add(values, row->item[i].name, &item, &no_room) != 0) break;
    item->number = row->item[i].number;
  }
  mx_derived_sort(values);
}

int mx_hooks_close(struct mx_hooks *hooks, struct dg_error *err) { return mx_csv_close(&hooks->table, err); }

void mx_hooks_release(struct mx_hooks *hooks)
{
  mx_csv_release(&hooks->table);
  mx_hook_results_release(&hooks->results);
  mx_derived_release(&hooks->row);
  mx_derived_release(&hooks->values);
  *hooks = (struct mx_hooks){0};
}
