/* Lists the tables of a run for its hooks. The names of files are those of maxwell/output/file_names.c. */
#include "maxwell/hooks/hook_results.h"

#include <stdio.h>
#include <string.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "maxwell/measure/measure_record.h"

struct list {
  struct mx_results *results;
  const struct mx_folder *folder;
  struct dg_error *err;
};

/* Adds the table FOLDER/[list/]name[ending].csv; `file` is its name where that is another one. */
static int add_file(struct list *list, const struct mx_result *result, const char *file, const char *ending)
{
  struct mx_results *results = list->results;
  char name[400];
  if (result->list != NULL) (void)snprintf(name, sizeof name, "%s/%.200s%s.csv", result->list, file, ending);
  else (void)snprintf(name, sizeof name, "%.200s%s.csv", file, ending);
  if (dg_grow(&results->result, results->count + 1, sizeof *results->result, list->err) != 0) return list->err->code;
  results->result[results->count] = *result;
  if (mx_folder_path(&results->result[results->count].path, list->folder, name, list->err) != 0) return list->err->code;
  results->count++;
  return 0;
}

static int add(struct list *list, const struct mx_result *result, const char *ending)
{
  return add_file(list, result, result->name, ending);
}

static int add_measures(struct list *list, const struct mx_measures *measures)
{
  for (size_t i = 0; i < measures->count; i++) {
    const struct mx_measure_config *config = measures->measure[i].config;
    struct mx_result result = {.list = config->kind->key, .name = config->name};
    if (measures->measure[i].form != NULL) continue;
    if (add(list, &result, "") != 0) return list->err->code;
    result.part = "spectrum";
    result.at_end = result.live = true;
    if (config->frequencies.count > 0 && add(list, &result, "_spectrum") != 0) return list->err->code;
  }
  return 0;
}

static int add_ports(struct list *list, const struct mx_setup *setup)
{
  const struct mx_ports *ports = &setup->sources.ports;
  for (size_t i = 0; setup->config->output.ports_every > 0 && i < ports->count; i++)
    if (add(list, &(struct mx_result){.list = "ports", .name = mx_ports_name(ports, i)}, "") != 0)
      return list->err->code;
  if (setup->config->output.s_parameters.count == 0) return 0;
  return add_file(list, &(struct mx_result){.name = "s_parameters", .at_end = true}, "sparameters", "");
}

static int add_far_fields(struct list *list, const struct mx_config *config)
{
  for (size_t i = 0; i < config->output.far_fields; i++) {
    struct mx_result result = {.list = "far_field", .name = config->output.far_field[i].name, .at_end = true};
    if (add(list, &result, "") != 0) return list->err->code;
    result.part = "powers";
    if (add(list, &result, "_powers") != 0) return list->err->code;
  }
  return 0;
}

static int add_spectra(struct list *list, const struct mx_config *config)
{
  for (size_t i = 0; i < config->output.spectra; i++) {
    const struct mx_phasor_config *phasor = &config->output.spectrum[i];
    struct mx_result result = {.list = "spectra", .name = phasor->name, .at_end = true};
    if (phasor->plane.points > 0 && !phasor->plane.silo && add(list, &result, "") != 0) return list->err->code;
    result.part = "losses";
    if (phasor->losses && add(list, &result, "_losses") != 0) return list->err->code;
    result.part = "sar";
    if (phasor->sar && add(list, &result, "_sar") != 0) return list->err->code;
  }
  return 0;
}

int mx_hook_results_find(struct mx_results *results, size_t *own, const struct mx_setup *setup,
                         const struct mx_folder *folder, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  struct list list = {results, folder, err};
  if ((config->output.energy_every > 0 && add(&list, &(struct mx_result){.name = "energy"}, "") != 0) ||
      (config->output.balance.every > 0 && add(&list, &(struct mx_result){.name = "balance"}, "") != 0) ||
      add_measures(&list, &setup->measures) != 0 || add_ports(&list, setup) != 0 ||
      add_far_fields(&list, config) != 0 || add_spectra(&list, config) != 0 ||
      (config->output.resonances > 0 && add(&list, &(struct mx_result){.name = "resonances", .at_end = true}, "") != 0))
    return err->code;
  *own = results->count;
  return add(&list, &(struct mx_result){.name = "derived", .may_lack = true}, "");
}

/* ---- spectra so far ---- */

/* Writes "frequency,Ex_re,Ex_im,..", as the file of the spectrum has it. */
static void name_columns(const struct mx_measure *measure, bool places, char *text, size_t size)
{
  size_t used = (size_t)snprintf(text, size, "frequency%s", places ? ",x,y,z" : "");
  for (const char *column = measure->kind->columns; *column != '\0' && used < size;) {
    const int length = (int)strcspn(column, ",");
    if (length > 1) /* a single letter is a place */
      used += (size_t)snprintf(text + used, size - used, ",%.*s_re,%.*s_im", length, column, length, column);
    column += length + (column[length] == ',');
  }
}

/* The measure of which the result is the spectrum. */
static size_t find_measure(const struct mx_measures *measures, const struct mx_result *result)
{
  size_t i = 0;
  while (measures->measure[i].config->name != result->name || measures->measure[i].config->kind->key != result->list)
    i++;
  return i;
}

int mx_hook_results_spectrum(const struct mx_records *records, const struct mx_results *results, size_t result,
                             struct mx_table *table, struct dg_error *err)
{
  const size_t index = find_measure(records->measures, &results->result[result]);
  const struct mx_measure *measure = &records->measures->measure[index];
  const struct mx_spectrum *spectrum = &records->record[index].spectrum;
  const bool places = measure->x != NULL && measure->rows > 1;
  const size_t numbers = spectrum->values / measure->rows;
  double(*value)[2] = NULL, *to;
  char names[300];
  name_columns(measure, places, names, sizeof names);
  if (mx_table_make(table, names, spectrum->frequencies * measure->rows, err) != 0 ||
      DG_NEW(value, spectrum->values, err) != 0)
    return err->code;
  to = table->value;
  for (size_t k = 0; k < spectrum->frequencies; k++) {
    mx_spectrum_so_far(spectrum, k, value);
    for (size_t row = 0; row < measure->rows; row++) {
      *to++ = spectrum->hertz[k];
      for (int d = 0; d < 3 && places; d++) *to++ = measure->x[row][d];
      memcpy(to, value + row * numbers, numbers * sizeof *value);
      to += 2 * numbers;
    }
  }
  dg_free(value);
  return 0;
}

void mx_hook_results_end(struct mx_results *results)
{
  results->ended = true;
  for (size_t i = 0; i < results->count; i++) {
    struct mx_result *result = &results->result[i];
    if (!result->at_end) continue;
    result->may_lack = true;
    result->there = dg_file_kind(result->path) == DG_FILE_REGULAR;
  }
}

void mx_hook_results_release(struct mx_results *results)
{
  for (size_t i = 0; i < results->count; i++) dg_free(results->result[i].path);
  dg_free(results->result);
  *results = (struct mx_results){0};
}
