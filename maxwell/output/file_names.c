/* Names the files that a run will write; see file_names.h. run.c and loop.c call it. The names are those of the
 * recorders, port_output.c, checkpoint_files.c, summary.c, configuration.c, and those of the writers of snapshots. */
#include "maxwell/output/file_names.h"

#include "maxwell/record/recorder.h"

int mx_output_plan(struct mx_plan *plan, const struct mx_scene *scene, struct dg_error *err)
{
  const struct mx_config *config = scene->config;
  *plan = (struct mx_plan){0};
  mx_plan_folder(plan, ".", true);
  if (mx_plan_file(plan, err, "summary.json") != 0 || mx_plan_file(plan, err, "configuration.json") != 0 ||
      mx_plan_file(plan, err, "log.txt") != 0 ||
      (config->initial.statics.conductors > 0 && mx_plan_file(plan, err, "statics.csv") != 0) ||
      (config->initial.statics.capacitance && mx_plan_file(plan, err, "capacitance.csv") != 0) ||
      (config->on.output != NULL && mx_plan_file(plan, err, "derived.csv") != 0))
    return err->code;
  if (scene->keeps_mesh) mx_plan_folder(plan, "mesh", false);
  if (!mx_has_fields(config)) return 0;
  mx_plan_folder(plan, "checkpoint", true);
  if (mx_plan_pattern(plan, err, "checkpoint/step_#.h5") != 0 ||
      mx_plan_pattern(plan, err, "checkpoint/step_#_#.h5") != 0)
    return err->code;
  for (int i = 0; i < MX_RECORDERS_COUNT; i++)
    if (mx_recorders[i]->plan != NULL && mx_recorders[i]->plan(plan, scene, err) != 0) return err->code;
  mx_plan_sort(plan);
  return 0;
}
