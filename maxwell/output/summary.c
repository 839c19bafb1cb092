/* Writes summary.json whole when a run begins, changes its state, and ends. The file has blanks in which an emergency
 * can write its line. run.c calls it. */
#include "maxwell/output/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/emergency.h"
#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/base/text.h"
#include "maxwell/measure/kinds.h"
#include "maxwell/model/heat/heat_config.h"
#include "maxwell/record/writers.h"
#include "maxwell/sources/tem/tem_losses.h"
#include "maxwell/shell/folder.h"
#include "maxwell/shell/phases.h"
#include "maxwell/version.h"

double mx_summary_dof_per_second(const struct mx_summary *summary)
{
  if (summary->steps_total == 0 || summary->loop_seconds <= 0) return 0;
  return (double)summary->scene->unknowns * (double)summary->steps_total / summary->loop_seconds;
}

/* Room for an emergency's message (libdg/base/emergency.h) in the summary of a run that goes on. */
enum { ERROR_ROOM = 300 };
static const char running[] = "running";

static void string_entry(FILE *file, const char *key, const char *value)
{
  fprintf(file, "  \"%s\": ", key);
  dg_json_string(file, value);
  fputs(",\n", file);
}

static void number_entry(FILE *file, const char *key, double value)
{
  fprintf(file, "  \"%s\": ", key);
  dg_json_number(file, value);
  fputs(",\n", file);
}

static void seconds_entry(FILE *file, const struct mx_seconds *seconds)
{
  const struct {
    const char *key;
    double value;
  } phase[] = {{"meshing", seconds->meshing},
               {"setup", seconds->setup},
               {"stepping", seconds->stepping},
               {"halo", seconds->halo},
               {"sources", seconds->sources},
               {"sources_ahead", seconds->sources_ahead},
               {"output", seconds->output},
               {"snapshots", seconds->snapshots},
               {"snapshots_behind", seconds->snapshots_behind}};
  fputs("  \"seconds\": {", file);
  for (size_t i = 0; i < sizeof phase / sizeof *phase; i++) {
    fprintf(file, "%s\"%s\": ", i > 0 ? ", " : "", phase[i].key);
    dg_json_number(file, phase[i].value);
  }
  fputs("},\n", file);
}

/* Writes what was left at each port when each run was over. */
static void rests_entry(FILE *file, const struct mx_s_quality *quality, const struct mx_ports *ports)
{
  bool begun = false;
  fputs(", \"ports\": [", file);
  for (size_t j = 0; j < quality->ports; j++)
    for (size_t i = 0; i < quality->ports && quality->driven[j]; i++) {
      const struct mx_s_rest *rest = &quality->rest[j * quality->ports + i];
      fprintf(file, "%s{\"driven\": ", begun ? ", " : "");
      begun = true;
      dg_json_string(file, mx_ports_name(ports, j));
      fputs(", \"port\": ", file);
      dg_json_string(file, mx_ports_name(ports, i));
      fputs(", \"left_decibel\": ", file);
      dg_json_number(file, rest->left > 0 ? 20 * log10(rest->left) : -999);
      fputs(", \"error\": ", file);
      dg_json_number(file, rest->error);
      fputc('}', file);
    }
  fputs("]}", file);
}

/* Writes null for what is not known, since JSON has no NaN. */
static void quality_entry(FILE *file, const struct mx_s_quality *quality, const struct mx_ports *ports)
{
  const struct {
    const char *key;
    double value;
  } entry[] = {{"energy_left_decibel", quality->left > 0 ? 10 * log10(quality->left) : -999},
               {"error", quality->error},
               {"largest_gain", quality->gain},
               {"largest_gain_at", isnan(quality->gain) ? NAN : quality->gain_at},
               {"largest_asymmetry", quality->asymmetry},
               {"largest_asymmetry_at", isnan(quality->asymmetry) ? NAN : quality->asymmetry_at},
               {"missing_power", quality->missing},
               {"missing_power_at", isnan(quality->missing) ? NAN : quality->missing_at}};
  fprintf(file, "  \"s_parameters\": {\"frequencies\": %zu, \"left_out\": %zu", quality->frequencies,
          quality->left_out);
  for (size_t i = 0; i < sizeof entry / sizeof *entry; i++) {
    fprintf(file, ", \"%s\": ", entry[i].key);
    if (isnan(entry[i].value)) fputs("null", file);
    else dg_json_number(file, entry[i].value);
  }
  rests_entry(file, quality, ports);
  fputs(",\n", file);
}

/* Writes the losses of a port's line, or null: the port belongs to none, or nothing is lost. */
static void losses_entry(FILE *file, const struct mx_ports *ports, size_t port)
{
  const struct mx_line_losses *losses = mx_ports_losses(ports, port);
  fputs(", \"losses\": ", file);
  if (losses == NULL || !mx_line_loses(losses)) {
    fputs("null", file);
    return;
  }
  fputs("{\"conductance\": ", file);
  dg_json_number(file, losses->conductance);
  fputs(", \"resistance\": ", file);
  dg_json_number(file, losses->resistance);
  fputs(", \"media_db_per_m\": ", file);
  dg_json_number(file, mx_ports_loss(ports, port, 0).media);
  fputs(", \"walls\": [", file);
  for (size_t i = 0; i < losses->walls; i++) {
    const struct mx_line_wall *wall = &losses->wall[i];
    fprintf(file, "%s{\"shape\": ", i > 0 ? ", " : "");
    dg_json_number(file, wall->shape);
    if (wall->metal.sigma == 0) fprintf(file, ", \"impedance\": %.17g}", wall->impedance);
    else
      fprintf(file, ", \"conductivity\": %.17g, \"mu_r\": %.17g, \"roughness\": %.17g}", wall->metal.sigma,
              wall->metal.mu_r, wall->metal.roughness);
  }
  fputs("]}", file);
}

/* Writes what the ports are, so that reference planes can be shifted and impedances changed without the script. */
static void ports_entry(FILE *file, const struct mx_ports *ports)
{
  fputs("  \"ports\": [", file);
  for (size_t i = 0; i < ports->count; i++) {
    const struct mx_port_line line = mx_ports_line(ports, i);
    fprintf(file, "%s{\"number\": %d, \"name\": ", i > 0 ? ", " : "", mx_ports_number(ports, i));
    dg_json_string(file, mx_ports_name(ports, i));
    fprintf(file, ", \"kind\": \"%s\", \"family\": \"%s\", \"impedance\": ", line.kind, line.family);
    dg_json_number(file, line.impedance);
    fputs(", \"cutoff\": ", file);
    dg_json_number(file, line.cutoff);
    fputs(", \"speed\": ", file);
    if (line.speed > 0) dg_json_number(file, line.speed);
    else fputs("null", file);
    losses_entry(file, ports, i);
    fputc('}', file);
  }
  fputs("],\n", file);
}

/* Writes how the mesh is shared out, and what that costs. */
static void ranks_entry(FILE *file, const struct mx_summary *summary)
{
  const struct mx_partition *part = summary->scene->partition;
  fprintf(file,
          "  \"partition\": {\"smallest\": %zu, \"largest\": %zu, \"work\": %.5g, \"faces_between\": %zu, "
          "\"halo_bytes_per_step\": %.0f, \"halo_seconds_least\": %.6g",
          part->smallest, part->largest, part->work, part->cut, summary->halo_bytes, summary->halo_least);
  if (summary->transport != NULL) fprintf(file, ", \"transport\": \"%s\"", summary->transport);
  fputs("},\n", file);
  const struct mx_model *model = &summary->model;
  fprintf(file,
          "  \"model\": {\"copy_bytes_per_second\": %.4g, \"latency\": %.3g, \"bytes_per_second\": %.4g, "
          "\"fields\": %.4g, \"halo\": %.4g, \"hidden\": %.4g},\n",
          model->copy, model->latency, model->rate, model->fields, model->halo, model->hidden);
}

/* Writes versions, and the kinds of measures that this one knows. */
static void versions_entry(FILE *file, const struct mx_origin *origin)
{
  fputs("  \"versions\": {", file);
  fprintf(file, "\"curlew\": \"%s\", \"gmsh\": \"%s\", \"lua\": \"%s\"", CURLEW_VERSION, dg_gmsh_version(),
          origin != NULL ? origin->language : "");
  for (size_t i = 0; i < DG_FORMATS; i++)
    fprintf(file, ", \"%s\": \"%s\"", dg_formats[i]->name, dg_formats[i]->version());
  fputs("},\n  \"measures\": ", file);
  mx_measure_kinds_write_json(file);
  fputs(",\n", file);
}

/* How often the fields ran, and the checkpoints. */
static void turns_entry(FILE *file, const struct mx_summary *summary)
{
  if (summary->rounds > 0) fprintf(file, "  \"runs_of_the_fields\": %ld,\n", summary->rounds);
  fprintf(file, "  \"checkpoints\": {\"written\": %ld, \"seconds\": %.6g, \"restarts\": %ld},\n", summary->checkpoints,
          summary->checkpoint_seconds, summary->restarts);
}

/* Of a run without fields. */
static void heat_entries(FILE *file, const struct mx_summary *summary)
{
  const struct mx_config *config = summary->scene->config;
  string_entry(file, "curlew", CURLEW_VERSION);
  string_entry(file, "name", config->name);
  fprintf(file, "  \"heat\": {\"order\": %d, \"steps\": %ld},\n", config->heat->order, summary->heat_steps);
  turns_entry(file, summary);
}

static void field_entries(FILE *file, const struct mx_summary *summary)
{
  const struct mx_scene *scene = summary->scene;
  const struct mx_config *config = scene->config;
  double dofs = mx_summary_dof_per_second(summary);
  string_entry(file, "name", config->name);
  string_entry(file, "backend", scene->ops->name);
  string_entry(file, "precision", config->precision == MX_DOUBLE ? "double" : "single");
  string_entry(file, "integrator", mx_integrator_names[config->time.integrator]);
  number_entry(file, "flux", config->alpha);
  number_entry(file, "order", config->order);
  number_entry(file, "elements", (double)scene->mesh->whole.K);
  number_entry(file, "unknowns", (double)scene->unknowns);
  number_entry(file, "ranks", dg_comm_size(scene->comm));
  number_entry(file, "threads", summary->threads);
  number_entry(file, "lua_threads", summary->lua_threads);
  number_entry(file, "time_step", scene->step);
  if (scene->limit > 0) number_entry(file, "stability_limit", scene->limit);
  else fputs("  \"stability_limit\": null,\n", file);
  number_entry(file, "steps", (double)summary->steps_done);
  number_entry(file, "simulated_time", summary->simulated_time);
  number_entry(file, "loop_seconds", summary->loop_seconds);
  number_entry(file, "dof_per_second", dofs);
  number_entry(file, "evaluations_per_second", dofs * mx_schemes[config->time.integrator].evaluations);
  seconds_entry(file, &summary->seconds);
  if (summary->profile != NULL) {
    fputs("  \"profile\": ", file);
    mx_phases_write(summary->profile, file);
    fputs(",\n", file);
  }
  number_entry(file, "energy_first", summary->energy_first);
  number_entry(file, "energy_last", summary->energy_last);
  if (scene->sources->ports.count > 0) ports_entry(file, &scene->sources->ports);
  if (summary->quality.known) quality_entry(file, &summary->quality, &scene->sources->ports);
  if (summary->resonances.sets > 0) {
    fputs("  \"resonances\": ", file);
    mx_resonances_write_json(&summary->resonances, file);
    fputs(",\n", file);
  }
  if (config->on.output != NULL || config->on.done != NULL) {
    fputs("  \"derived\": ", file);
    mx_derived_write_json(&summary->derived, file);
    fputs(",\n", file);
  }
  if (strcmp(summary->status, running) != 0) {
    fputs("  \"doubts\": ", file);
    mx_doubts_write_json(scene->doubts, file);
    fputs(",\n", file);
  }
  turns_entry(file, summary);
  if (summary->stop_reason != NULL) string_entry(file, "stop_reason", summary->stop_reason);
  else fputs("  \"stop_reason\": null,\n", file);
  if (summary->stop_text[0] != '\0') string_entry(file, "stop_text", summary->stop_text);
  number_entry(file, "peak_memory_bytes", summary->peak_memory);
  if (summary->card_memory > 0) number_entry(file, "card_memory_bytes", summary->card_memory);
  if (scene->comm != NULL) ranks_entry(file, summary);
  versions_entry(file, scene->origin);
}

static void write_entries(FILE *file, const void *what)
{
  const struct mx_summary *summary = what;
  fputs("{\n", file);
  if (mx_has_fields(summary->scene->config)) field_entries(file, summary);
  else heat_entries(file, summary);
  if (summary->error != NULL) string_entry(file, "error", summary->error);
  if (strcmp(summary->status, running) == 0) fprintf(file, "%*s\n", ERROR_ROOM, "");
  fputs("  \"status\": ", file);
  dg_json_string(file, summary->status);
  fputs("\n}\n", file);
}

int mx_summary_write(const struct mx_summary *summary, const struct mx_folder *folder, struct dg_error *err)
{
  char *path;
  if (mx_folder_path(&path, folder, "summary.json", err) != 0) return err->code;
  (void)!dg_file_write(path, write_entries, summary, err);
  dg_free(path);
  return err->code;
}

int mx_summary_watch(const struct mx_folder *folder, struct dg_error *err)
{
  static const char status[] = "  \"status\": ";
  char *path, text[16384];
  if (mx_folder_path(&path, folder, "summary.json", err) != 0) return err->code;
  const int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  dg_free(path);
  const ssize_t bytes = file >= 0 ? pread(file, text, sizeof text - 1, 0) : 0;
  text[bytes > 0 ? bytes : 0] = '\0';
  const char *const at = strstr(text, status), *const word = at != NULL ? at + sizeof status - 1 : NULL;
  if (word != NULL && strncmp(word + 1, running, sizeof running - 1) == 0 && at - text > ERROR_ROOM)
    dg_emergency_watch(file, at - text - ERROR_ROOM - 1, ERROR_ROOM, word - text);
  else if (file >= 0) close(file);
  return 0;
}

void mx_summary_forget(void)
{
  const int file = dg_emergency_forget();
  if (file >= 0) close(file);
}
