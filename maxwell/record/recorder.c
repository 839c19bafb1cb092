/* The list of recorders, and what they share. */
#include "maxwell/record/recorder.h"

#include <stdio.h>

#include "libdg/base/memory.h"

#define MX_RECORDER(name) &mx_##name##_recorder,
const struct mx_recorder *const mx_recorders[] = {MX_RECORDERS(MX_RECORDER)};

int mx_add_result(struct mx_results *results, const struct mx_scene *scene, const struct mx_result *result,
                  const char *file, const char *ending, struct dg_error *err)
{
  char name[400];
  if (file == NULL) file = result->name;
  if (result->list != NULL) (void)snprintf(name, sizeof name, "%s/%.200s%s.csv", result->list, file, ending);
  else (void)snprintf(name, sizeof name, "%.200s%s.csv", file, ending);
  if (dg_grow(&results->result, results->count + 1, sizeof *results->result, err) != 0) return err->code;
  results->result[results->count] = *result;
  if (mx_folder_path(&results->result[results->count].path, scene->folder, name, err) != 0) return err->code;
  results->count++;
  return 0;
}

int mx_open_table(struct mx_csv *table, const struct mx_scene *scene, const char *name, const char *header, bool resume,
                  struct dg_error *err)
{
  return dg_comm_rank(scene->comm) == 0 ? mx_csv_open_in(table, scene->folder, name, header, resume, err) : 0;
}
