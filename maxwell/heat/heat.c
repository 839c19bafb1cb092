/* Computes heat from its body to its last row. A run, `curlew check` and heat alone (maxwell/run) call it. */
#include "maxwell/heat/heat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/clock.h"
#include "maxwell/heat/heat_losses.h"
#include "maxwell/heat/heat_record.h"
#include "maxwell/output/writers.h"

struct heat {
  const struct mx_heat_place *place;
  struct mx_heat_body body;
  struct mx_heat_problem problem;
  struct mx_heat_march march;
  struct mx_heat_record record;
};

static int begin(struct heat *heat, const struct mx_heat_place *place, const struct mx_phasors *phasors,
                 struct dg_error *err)
{
  const struct mx_config *config = place->config;
  *heat = (struct heat){.place = place};
  if (mx_heat_body_init(&heat->body, place, err) != 0 ||
      (phasors != NULL && mx_heat_check_losses(config->heat, &heat->body, phasors, err) != 0) ||
      mx_heat_problem_init(&heat->problem, config, &heat->body, err) != 0 ||
      mx_heat_record_init(&heat->record, &heat->problem, err) != 0 ||
      mx_heat_march_init(&heat->march, &heat->problem, err) != 0)
    return err->code;
  return 0;
}

static void release(struct heat *heat)
{
  mx_heat_march_release(&heat->march);
  mx_heat_record_release(&heat->record);
  mx_heat_problem_release(&heat->problem);
  mx_heat_body_release(&heat->body);
}

int mx_heat_check(const struct mx_heat_place *place, const struct mx_phasors *phasors, struct dg_error *err)
{
  struct heat heat;
  if (begin(&heat, place, phasors, err) == 0)
    dg_log_line(place->log, "heat      %zu of %zu elements, order %d: %zu unknowns", heat.body.elements,
                place->mesh->whole.K, place->config->heat->order, heat.problem.unknowns);
  release(&heat);
  return err->code;
}

static void report(const struct heat *heat, double seconds)
{
  const struct mx_heat_march *march = &heat->march;
  dg_log_line(
      heat->place->log,
      "heat      %ld steps (%ld taken again), %ld iterations in %.2f s; highest temperature %.9g; missing in the "
      "balance %.1e %s",
      march->n, march->refused, march->iterations, seconds, heat->record.highest, mx_heat_missing(march),
      heat->problem.heat->steady ? "W" : "J");
}

/* The end of a step: that of the run, or the next snapshot. */
static double next_stop(const struct heat *heat)
{
  const struct mx_heat_config *config = heat->problem.heat;
  const double next = config->interval > 0 ? config->interval * (double)heat->record.snapshots : config->stop;
  return fmin(next, config->stop);
}

static int march(struct heat *heat, struct dg_error *err)
{
  const struct mx_heat_config *config = heat->problem.heat;
  struct mx_heat_march *march = &heat->march;
  const double near = 1e-9 * (config->step > 0 ? march->step : config->stop);
  if (mx_heat_record_row(&heat->record, march, 0, err) != 0 ||
      (config->snapshots && config->interval > 0 && mx_heat_record_snapshot(&heat->record, march, err) != 0))
    return err->code;
  while (march->t < config->stop - near) {
    const double before = march->t, stop = next_stop(heat);
    if (mx_heat_advance(march, stop, err) != 0 || mx_heat_record_row(&heat->record, march, march->t - before, err) != 0)
      return err->code;
    if (config->interval > 0 && march->t >= stop - near && stop < config->stop - near &&
        mx_heat_record_snapshot(&heat->record, march, err) != 0)
      return err->code;
  }
  return config->snapshots ? mx_heat_record_snapshot(&heat->record, march, err) : 0;
}

int mx_heat_run(const struct mx_heat_place *place, const struct mx_phasors *phasors, struct mx_folder *folder,
                struct dg_error *err)
{
  const struct mx_heat_config *config = place->config->heat;
  const double start = mx_clock();
  struct heat heat;
  if (begin(&heat, place, phasors, err) != 0 ||
      (phasors != NULL && mx_heat_add_losses(&heat.problem, phasors, place->log, err) != 0) ||
      mx_heat_record_open(&heat.record, folder, err) != 0)
    goto fail;
  if (config->steady) {
    if (mx_heat_settle(&heat.march, err) != 0 || mx_heat_record_row(&heat.record, &heat.march, 0, err) != 0 ||
        (config->snapshots && mx_heat_record_snapshot(&heat.record, &heat.march, err) != 0))
      goto fail;
  } else if (march(&heat, err) != 0) {
    goto fail;
  }
  if (mx_heat_record_close(&heat.record, err) == 0) report(&heat, mx_clock() - start);
fail:
  release(&heat);
  return err->code;
}

/* The names of a series of snapshots are those of fields, in another folder and with another stem. */
static int plan_snapshots(struct mx_plan *plan, const struct dg_snapshot_writer *writer, struct dg_error *err)
{
  static const char stem[] = "fields";
  for (size_t i = 0; writer->names[i] != NULL; i++) {
    char text[320];
    const char *from = writer->names[i], *at = strstr(from, stem);
    if (at == NULL) (void)snprintf(text, sizeof text, "heat/%s", from);
    else (void)snprintf(text, sizeof text, "heat/%.*sheat%s", (int)(at - from), from, at + strlen(stem));
    for (char *c = text; *c != '\0'; c++)
      if (*c == '$') *c = '#'; /* its number is no step of the fields */
    if (mx_plan_pattern(plan, err, "%s", text) != 0) return err->code;
  }
  return 0;
}

int mx_heat_plan(struct mx_plan *plan, const struct mx_config *config, struct dg_error *err)
{
  const struct mx_writers writers = mx_chosen_writers(config);
  if (config->heat == NULL) return 0;
  mx_plan_folder(plan, "heat", false);
  if (mx_plan_file(plan, err, "heat/temperature.csv") != 0 || mx_plan_file(plan, err, "heat/balance.csv") != 0)
    return err->code;
  if (!config->heat->snapshots) return 0;
  mx_plan_folder(plan, "heat/blocks", true);
  for (size_t w = 0; w < writers.count; w++)
    if (plan_snapshots(plan, writers.writer[w], err) != 0) return err->code;
  return 0;
}
