/* Writes the table of a sweep, as share/python's Sweep.to_csv does: arguments, values, status, error. sweep.c calls it
 * when a run has ended. */
#define _POSIX_C_SOURCE 200809L /* stpcpy */
#include "maxwell/app/sweep/sweep_table.h"

#include <stdio.h>
#include <string.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "maxwell/app/sweep/sweep_inputs.h"

const char *mx_case_status(const struct mx_case *item)
{
  switch (item->exit_code) {
  case -1:
    return "";
  case DG_OK:
    return "done";
  case DG_BLEW_UP:
    return "blew up";
  case DG_INTERRUPTED:
    return "interrupted";
  default:
    return "failed";
  }
}

/* The table while it is made: what the runs have left, and the names of derived values. */
struct table {
  const struct mx_cases *cases;
  size_t names;
  const char **name; /* [names] */
};

static void put(FILE *file, const char *text)
{
  if (strpbrk(text, ",\"\n\r") == NULL) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
  for (; *text != '\0'; text++) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
  fputc('"', file);
}

static const char *find(const struct mx_outcome *outcome, const char *name)
{
  for (size_t i = 0; i < outcome->count; i++)
    if (strcmp(outcome->derived[i].name, name) == 0) return outcome->derived[i].text;
  return "";
}

static void put_cell(FILE *file, const char *text)
{
  fputc(',', file);
  put(file, text != NULL ? text : "");
}

/* The first stands between arguments and derived values, so that a reader can tell these. */
static const char *const columns[] = {"folder", "steps", "time", "energy", "seconds", "exit_code", "status", "error"};
enum { COLUMNS = sizeof columns / sizeof *columns };

static bool is_argument(const struct mx_sweep_options *options, const char *name)
{
  for (size_t i = 0; i < options->axes; i++)
    if (strcmp(options->axis[i].name, name) == 0) return true;
  return false;
}

/* Has the table a column of that name without the derived value? */
static bool is_taken(const struct mx_sweep_options *options, const char *name)
{
  for (size_t i = 0; i < COLUMNS; i++)
    if (strcmp(columns[i], name) == 0) return true;
  return is_argument(options, name);
}

static void write_header(FILE *file, const struct table *table)
{
  const struct mx_sweep_options *options = table->cases->options;
  for (size_t i = 0; i < options->axes; i++) fprintf(file, "%s,", options->axis[i].name);
  fputs(columns[0], file);
  for (size_t i = 0; i < table->names; i++)
    fprintf(file, ",%s%s", is_taken(options, table->name[i]) ? "derived." : "", table->name[i]);
  for (size_t i = 1; i < COLUMNS; i++)
    fprintf(file, ",%s%s", is_argument(options, columns[i]) ? "run." : "", columns[i]);
  fputc('\n', file);
}

static void write_table(FILE *file, const void *what)
{
  const struct table *table = what;
  const struct mx_sweep_options *options = table->cases->options;
  write_header(file, table);
  for (size_t k = 0; k < table->cases->count; k++) {
    const struct mx_case *item = &table->cases->item[k];
    const struct mx_outcome *outcome = &item->outcome;
    for (size_t i = 0; i < options->axes; i++) {
      put(file, item->value[i]);
      fputc(',', file);
    }
    put(file, item->name);
    for (size_t i = 0; i < table->names; i++) put_cell(file, find(outcome, table->name[i]));
    put_cell(file, outcome->steps);
    put_cell(file, outcome->time);
    put_cell(file, outcome->energy);
    if (item->exit_code >= 0) fprintf(file, ",%.3f,%d", item->seconds, item->exit_code);
    else fputs(",,", file);
    put_cell(file, mx_case_status(item));
    put_cell(file, item->error);
    fputc('\n', file);
  }
}

static int add_name(struct table *table, const char *name, struct dg_error *err)
{
  for (size_t i = 0; i < table->names; i++)
    if (strcmp(table->name[i], name) == 0) return 0;
  if (dg_grow(&table->name, table->names + 1, sizeof *table->name, err) != 0) return err->code;
  table->name[table->names++] = name;
  return 0;
}

/* Reads, once, what a run has left that was run now or is kept. */
static void look(struct mx_case *item)
{
  struct mx_outcome *outcome = &item->outcome;
  struct dg_error missing = {0}; /* a run whose script is wrong leaves nothing */
  if (item->exit_code < 0 || item->looked) return;
  item->looked = true;
  if (mx_outcome_read(outcome, item->folder, &missing) != 0 || outcome->status == NULL ||
      strcmp(outcome->status, mx_case_status(item)) != 0) /* of an earlier run */
    mx_outcome_release(outcome);
}

static int read_outcomes(struct table *table, struct dg_error *err)
{
  for (size_t k = 0; k < table->cases->count; k++) {
    const struct mx_outcome *outcome = &table->cases->item[k].outcome;
    look(&table->cases->item[k]);
    for (size_t i = 0; i < outcome->count; i++)
      if (add_name(table, outcome->derived[i].name, err) != 0) return err->code;
  }
  return 0;
}

int mx_sweep_write_table(const struct mx_cases *cases, struct dg_error *err)
{
  static const char name[] = "/sweep.csv";
  struct table table = {.cases = cases};
  char *path = NULL;
  if (read_outcomes(&table, err) == 0 && dg_alloc(&path, strlen(cases->output) + sizeof name, 1, err) == 0) {
    stpcpy(stpcpy(path, cases->output), name);
    (void)!dg_file_write(path, write_table, &table, err);
  }
  dg_free(table.name);
  dg_free(path);
  return err->code;
}
