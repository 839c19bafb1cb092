/* Names the files that a run will write; see file_names.h. run.c and loop.c call it. The names are those of snapshot.c,
 * output.c, phasor_output.c, measure_record.c, port_output.c, checkpoint_files.c, summary.c, configuration.c, and those
 * of the writer of snapshots. */
#include "maxwell/output/file_names.h"

#include "maxwell/record/phasor_output.h"
#include "maxwell/record/writers.h"

static int add_measure(struct mx_plan *plan, const struct mx_measure *measure, struct dg_error *err)
{
  const char *folder = measure->config->kind->key, *name = measure->config->name;
  const bool spectrum = measure->config->frequencies.count > 0;
  mx_plan_folder(plan, folder, false);
  if (measure->form != NULL) {
    const char *const ending = mx_snapshot_writers[0]->ending;
    if (mx_plan_pattern(plan, err, "%s/%.200s_$%s", folder, name, ending) != 0) return err->code;
    return spectrum ? mx_plan_pattern(plan, err, "%s/%.200s_spectrum_#%s", folder, name, ending) : 0;
  }
  if (mx_plan_file(plan, err, "%s/%.200s.csv", folder, name) != 0) return err->code;
  return spectrum ? mx_plan_file(plan, err, "%s/%.200s_spectrum.csv", folder, name) : 0;
}

static int add_far_fields(struct mx_plan *plan, const struct mx_config *config, struct dg_error *err)
{
  static const char *const endings[] = {".csv", "_powers.csv", ".ffe"};
  if (config->output.far_fields > 0) mx_plan_folder(plan, "far_field", false);
  for (size_t i = 0; i < config->output.far_fields; i++)
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
      if (mx_plan_file(plan, err, "far_field/%.200s%s", config->output.far_field[i].name, endings[k]) != 0)
        return err->code;
  return 0;
}

static int add_ports(struct mx_plan *plan, const struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_ports *ports = &setup->sources.ports;
  if (ports->count > 0) mx_plan_folder(plan, "ports", false);
  for (size_t i = 0; i < ports->count; i++)
    if (mx_plan_file(plan, err, "ports/%.200s.csv", mx_ports_name(ports, i)) != 0) return err->code;
  if (setup->config->output.s_parameters.count == 0) return 0;
  if (mx_plan_file(plan, err, "sparameters.csv") != 0) return err->code;
  return mx_plan_file(plan, err, "%.200s.s%zup", setup->config->name, ports->count);
}

int mx_output_plan(struct mx_plan *plan, const struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  const struct mx_writers chosen = mx_chosen_writers(config);
  *plan = (struct mx_plan){0};
  mx_plan_folder(plan, ".", true);
  mx_plan_folder(plan, "checkpoint", true);
  for (size_t i = 0; i < chosen.count; i++)
    if (chosen.writer[i]->folder != NULL) mx_plan_folder(plan, chosen.writer[i]->folder, true);
  if (mx_plan_file(plan, err, "summary.json") != 0 || mx_plan_file(plan, err, "configuration.json") != 0 ||
      mx_plan_file(plan, err, "log.txt") != 0 ||
      (config->output.energy_every > 0 && mx_plan_file(plan, err, "energy.csv") != 0) ||
      (config->initial.statics.conductors > 0 && mx_plan_file(plan, err, "statics.csv") != 0) ||
      (config->initial.statics.capacitance && mx_plan_file(plan, err, "capacitance.csv") != 0) ||
      (config->on.output != NULL && mx_plan_file(plan, err, "derived.csv") != 0) ||
      (config->output.resonances > 0 && mx_plan_file(plan, err, "resonances.csv") != 0) ||
      (config->output.balance.every > 0 && mx_plan_file(plan, err, "balance.csv") != 0))
    return err->code;
  for (size_t i = 0; i < setup->measures.count; i++)
    if (add_measure(plan, &setup->measures.measure[i], err) != 0) return err->code;
  if (setup->mesh_kept != NULL) mx_plan_folder(plan, "mesh", false);
  if (add_far_fields(plan, config, err) != 0 || mx_phasor_plan(plan, config, err) != 0 ||
      add_ports(plan, setup, err) != 0 || mx_plan_pattern(plan, err, "checkpoint/step_#.h5") != 0 ||
      mx_plan_pattern(plan, err, "checkpoint/step_#_#.h5") != 0)
    return err->code;
  for (size_t w = 0; config->output.fields.every > 0 && w < chosen.count; w++)
    for (size_t i = 0; chosen.writer[w]->names[i] != NULL; i++)
      if (mx_plan_pattern(plan, err, "%s", chosen.writer[w]->names[i]) != 0) return err->code;
  mx_plan_sort(plan);
  return 0;
}
