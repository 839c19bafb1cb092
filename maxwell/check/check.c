/* `curlew check`: reports what a run would take and how well it would resolve a wave. main.c calls it; the estimates
 * are those of the backends' and measures' tables. */
#include "maxwell/check/check.h"

#include <math.h>
#include <stdio.h>

#include "libdg/base/file.h"
#include "libdg/base/machine/memory_room.h"
#include "maxwell/check/rehearsal.h"
#include "maxwell/check/resolution.h"
#include "maxwell/check/survey.h"
#include "maxwell/heat/heat.h"
#include "maxwell/levels/filter.h"
#include "maxwell/measure/kinds.h"
#include "maxwell/model/heat/heat_config.h"
#include "maxwell/output/output.h"
#include "maxwell/record/writers.h"
#include "maxwell/setup/slow_elements.h"

/* Estimates the size of a measurement's files: 22 characters a number in a table. */
static double file_bytes(const struct mx_measure *measure, long steps)
{
  const struct mx_measure_config *config = measure->config;
  long lines = steps / config->every + 1;
  double times = (double)lines, spectra = (double)config->frequencies.count;
  double rows = (double)measure->rows, values = (double)measure->values;
  if (measure->form != NULL) return measure->form->bytes(config, times, spectra);
  double place = rows > 1 ? 4 * rows : 1; /* columns beside the values, of all rows at a time */
  return 22 * (times * (place + values) + spectra * (place + 2 * values));
}

static void report_measures(const struct mx_scene *scene)
{
  const struct mx_measures *measures = scene->measures;
  size_t used = 0;
  char kinds[200] = "";
  double bytes = 0;
  for (size_t i = 0; i < measures->count; i++) bytes += file_bytes(&measures->measure[i], scene->steps);
  for (size_t k = 0; mx_measure_kinds[k] != NULL && used < sizeof kinds; k++) {
    size_t count = 0;
    for (size_t i = 0; i < measures->count; i++) count += measures->measure[i].config->kind == mx_measure_kinds[k];
    if (count > 0)
      used += (size_t)snprintf(kinds + used, sizeof kinds - used, "%s%s %zu", used > 0 ? ", " : "",
                               mx_measure_kinds[k]->key, count);
  }
  if (measures->count > 0) dg_log_line(scene->log, "measures  %s; files of about %.1f MB", kinds, 1e-6 * bytes);
}

/* Reports the bytes of the snapshots of all ranks. */
static void report_snapshots(const struct mx_scene *scene)
{
  const long every = scene->config->output.fields.every;
  if (every == 0) return;
  const int quantities = scene->config->output.fields.quantities;
  const struct dg_snapshot_amounts amounts = {
      .at_nodes = 3 * (((quantities & MX_QUANTITY_E) != 0) + ((quantities & MX_QUANTITY_H) != 0)),
      .per_element = 3 * ((quantities & MX_QUANTITY_MATERIAL) != 0),
      .number = scene->config->output.fields.precision == MX_SINGLE ? sizeof(float) : sizeof(double)};
  const struct mx_writers writers = mx_chosen_writers(scene->config);
  double values = 0, mesh = 0;
  for (size_t w = 0; w < writers.count; w++) {
    double bytes[2];
    writers.writer[w]->file_bytes((double)scene->mesh->whole.K, scene->ref, &amounts, bytes);
    values += bytes[0];
    mesh += bytes[1];
  }
  if (scene->config->output.fields.mesh_each)
    dg_log_line(scene->log, "output    %ld snapshots of about %.1f MB", scene->steps / every + 1,
                1e-6 * (values + mesh));
  else
    dg_log_line(scene->log, "output    %ld snapshots of about %.1f MB, and their mesh of %.1f MB",
                scene->steps / every + 1, 1e-6 * values, 1e-6 * mesh);
}

static void report_hooks(const struct mx_scene *scene)
{
  const struct mx_config *config = scene->config;
  const long every = mx_config_hook_every(config, scene->step);
  char output[100] = "";
  if (every == 0 && config->on.done == NULL) return;
  if (every > 0)
    snprintf(output, sizeof output, "on.output every %ld steps (%.4g s)%s", every, (double)every * scene->step,
             config->on.done != NULL ? ", " : "");
  dg_log_line(scene->log, "hooks     %s%s", output, config->on.done != NULL ? "on.done at the end" : "");
}

/* Reports how many cards the problem keeps busy. */
static void report_cards(const struct mx_scene *scene)
{
  const size_t enough = scene->ops->card->unknowns;
  if (enough == 0) return;
  const size_t cards = scene->unknowns / enough > 0 ? scene->unknowns / enough : 1;
  dg_log_line(scene->log,
              "advice    %zu GPU%s; with less than %.2g million unknowns each, several lose more than a fifth of their "
              "speed",
              cards, cards > 1 ? "s or fewer" : "", 1e-6 * (double)enough);
}

/* Bytes of the backend's fields, of the tables, and of the buffers for snapshots and measurements. */
struct mx_memory {
  size_t fields, tables, output;
};

static struct mx_memory memory_of(const struct mx_scene *scene)
{
  const struct mx_backend_options options = mx_scene_backend_options(scene);
  const struct mx_problem *problem = scene->problem;
  size_t per_element = sizeof *scene->mesh->element + sizeof *scene->mesh->neighbour + sizeof *scene->mesh->surface +
                       sizeof *scene->mesh->volume + sizeof *scene->mesh->tag + sizeof *scene->assignment->material +
                       sizeof *scene->assignment->boundary;
  struct mx_memory memory = {
      .fields = scene->ops->memory(problem, &options) + mx_levels_run_bytes(scene->levels, scene->ops, &options),
      .tables = mx_problem_bytes(problem) + mx_levels_bytes(scene->levels, problem) + per_element * problem->K +
                scene->mesh->vertices * sizeof *scene->mesh->vertex,
      .output = mx_output_memory(scene),
  };
  return memory;
}

/* ---- how long */

/* Writes a time: "0.52 s", "1250 s (21 min)", "12000 s (3 h 20 min)". */
static void duration(double seconds, char text[80])
{
  const long minutes = lround(seconds / 60);
  if (seconds < 100) snprintf(text, 80, "%.2g s", seconds);
  else if (seconds < 600) snprintf(text, 80, "%.0f s", seconds);
  else if (seconds < 3600) snprintf(text, 80, "%.0f s (%ld min)", seconds, minutes);
  else if (seconds < 36000) snprintf(text, 80, "%.0f s (%ld h %ld min)", seconds, minutes / 60, minutes % 60);
  else snprintf(text, 80, "%.0f s (%ld h)", seconds, lround(seconds / 3600));
}

static void report_forecast(const struct mx_scene *scene, const struct mx_rehearsal *rehearsal, double before)
{
  const struct mx_forecast forecast = mx_rehearsal_forecast(scene, rehearsal);
  const double start = before + rehearsal->create, least = 0.5; /* s, of what is worth a line */
  const bool rules = scene->config->time.decay > 0 || scene->config->time.finish != NULL;
  char runs[80] = "", all[80], card[60] = "", checkpoints[60] = "";
  duration(start + forecast.steps + forecast.output + forecast.checkpoint + forecast.end, all);
  if (forecast.checkpoints > 0)
    snprintf(checkpoints, sizeof checkpoints, ", %.0f checkpoints %.3g s", forecast.checkpoints, forecast.checkpoint);
  if (forecast.runs > 1) snprintf(runs, sizeof runs, "%zu runs for S-parameters, each of ", forecast.runs);
  dg_log_line(scene->log,
              "run       %s %s on this machine: set-up %.3g s, %s%ld steps %.3g s (%.3g ms each), output %.3g s%s, end "
              "%.3g s",
              rules ? "at most" : "about", all, start, runs, scene->steps, forecast.steps,
              1e3 * forecast.steps / ((double)scene->steps * (double)forecast.runs), forecast.output, checkpoints,
              forecast.end);
  if (rules)
    dg_log_line(scene->log, "run       %s may end %s earlier: the time is that without it",
                scene->config->time.decay > 0 ? "time.decay" : "time.finish", forecast.runs > 1 ? "each run" : "it");
  if (rehearsal->far + rehearsal->phasors >= least)
    dg_log_line(scene->log, "end       of that far fields take about %.2g s and spectra of fields %.2g s",
                rehearsal->far, rehearsal->phasors);
  if (rehearsal->card > 0) snprintf(card, sizeof card, ", on the card %.1f MB", 1e-6 * rehearsal->card);
  dg_log_line(scene->log, "memory    at its peak %.1f MB%s%s, as the first steps took it", 1e-6 * rehearsal->resident,
              scene->comm != NULL ? " of the rank that takes most" : "", card);
}

/* Rehearses the run where it fits into memory, and says how long all of it takes. One process that cannot says why, and
 * all that it has said about memory stands; of several each would have to know. */
static int forecast(const struct mx_scene *scene, double bytes, double before, struct dg_error *err)
{
  struct mx_rehearsal rehearsal = {0};
  double lacks = !scene->ops->card->present && bytes > (double)dg_memory_room();
  if (dg_comm_reduce(scene->comm, DG_MAX, 1, &lacks, err) != 0) return err->code;
  if (lacks > 0) {
    dg_log_warning(scene->log, "the run does not fit into the memory that is left here");
    return mx_report_seconds(scene, err);
  }
  struct dg_error failure = {0};
  if (mx_rehearse(scene, &rehearsal, &failure) == 0) {
    report_forecast(scene, &rehearsal, before);
  } else if (scene->comm == NULL && failure.code == DG_ENVIRONMENT) {
    dg_log_warning(scene->log, "how long a run takes was not measured: %s", failure.message);
  } else {
    *err = failure;
  }
  mx_rehearsal_release(&rehearsal);
  return err->code;
}

static int report_survey(const struct mx_scene *scene, const char *model, struct dg_error *err)
{
  struct mx_survey survey;
  if (mx_survey_init(&survey, scene, err) == 0) {
    mx_survey_report(&survey);
    if (model != NULL) (void)!dg_file_write(model, mx_survey_write, &survey, err);
  }
  mx_survey_release(&survey);
  return err->code;
}

int mx_check(const struct mx_scene *scene, const char *model, struct dg_error *err)
{
  if (model != NULL && scene->comm != NULL)
    return dg_fail(err, DG_INPUT, "--picture is for one process: start curlew check without mpirun");
  const struct mx_heat_place heat = {.config = scene->config,
                                     .mesh = scene->mesh,
                                     .comm = scene->comm,
                                     .log = scene->log,
                                     .device = scene->ops->card->elliptic};
  if (!mx_has_fields(scene->config)) return mx_heat_check(&heat, NULL, true, err);
  const double before = mx_clock() - scene->started;
  struct mx_memory memory = memory_of(scene);
  double bytes[3] = {(double)memory.fields, (double)memory.tables, (double)memory.output}; /* sums over all ranks */
  const double here = bytes[0] + bytes[2];
  if ((scene->config->heat != NULL && mx_heat_check(&heat, scene->phasors, true, err) != 0) ||
      mx_report_resolution(scene, err) != 0 || report_survey(scene, model, err) != 0 ||
      dg_comm_reduce(scene->comm, DG_SUM, 3, bytes, err) != 0)
    return err->code;
  const char *where = scene->ops->card->present ? "on the card" : "fields";
  dg_log_line(scene->log,
              "memory    %s %.1f MB, tables %.1f MB, snapshot and measurement buffers %.1f MB (%.1f bytes an unknown)",
              where, 1e-6 * bytes[0], 1e-6 * bytes[1], 1e-6 * bytes[2],
              (bytes[0] + bytes[1] + bytes[2]) / (double)scene->unknowns);
  report_cards(scene);
  report_snapshots(scene);
  report_measures(scene);
  report_hooks(scene);
  if (forecast(scene, here, before, err) != 0) return err->code;
  if (scene->config->heat != NULL && scene->config->heat->coupled)
    dg_log_line(scene->log,
                "coupling  materials change with the temperature: the fields run twice at least, as above, and again "
                "whenever a coefficient has changed by %.3g %%",
                100 * scene->config->heat->coupling.tolerance);
  dg_log_line(scene->log, "check     nothing was run to its end, and nothing is left behind");
  return 0;
}
