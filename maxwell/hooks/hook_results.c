/* Lists the tables of a run for its hooks. */
#include "maxwell/hooks/hook_results.h"

#include <stdio.h>
#include <string.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "maxwell/measure/measure_record.h"
#include "maxwell/record/recorder.h"

int mx_hook_results_find(struct mx_results *results, size_t *own, const struct mx_scene *scene, struct dg_error *err)
{
  for (int i = 0; i < MX_RECORDERS_COUNT; i++)
    if (mx_recorders[i]->results != NULL && mx_recorders[i]->results(results, scene, err) != 0) return err->code;
  *own = results->count;
  return mx_add_result(results, scene, &(struct mx_result){.name = "derived", .may_lack = true}, NULL, "", err);
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
