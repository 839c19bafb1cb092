/* Computes heat from its body to its last row. A run, `curlew check` and heat alone (maxwell/run) call it. */
#include "maxwell/heat/heat_work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/clock.h"
#include "libdg/base/memory.h"
#include "libdg/solve/amg.h"
#include "maxwell/heat/heat_losses.h"
#include "maxwell/heat/heat_record.h"
#include "maxwell/model/selectors.h"
#include "maxwell/record/writers.h"

/* What functions of time do that this computation does not follow. */
static void warn_of_time(const struct mx_heat_work *heat)
{
  const struct mx_heat_config *config = heat->problem.heat;
  const struct mx_turns *turns = &heat->problem.turns;
  if (turns->late != NULL)
    dg_log_warning(heat->place->log,
                   "heat.steady: %s depends on time, and the steady state has its value at t = 0: give the mean, or "
                   "heat.time in place of steady",
                   turns->late);
  if (turns->passes != NULL)
    dg_log_warning(heat->place->log,
                   "heat.time.step = %g s is longer than a pulse of %s, at t = %.6g s for example: temperatures are "
                   "those of its mean over the step; give a shorter step, or leave it out",
                   config->step, turns->passes, turns->passed);
}

/* Numbers that no matter has are most likely in other units. */
static void warn_of_material(const struct mx_heat_work *heat, const struct mx_material_config *material)
{
  const double rho = material->mass_density, c = material->thermal.capacity, k = material->thermal.conductivity;
  const double dense = 25, dull = 0.1; /* gases and foams have less of both */
  const double least = 100, little = 50, solid = 5e5;
  struct dg_log *log = heat->place->log;
  char name[128];
  mx_selector_name(&material->where, name, sizeof name);
  if (rho > 0 && rho < dense && k > dull && c >= least)
    dg_log_warning(
        log,
        "materials.%s.mass_density = %g kg/m^3 is that of a gas or a foam, which do not conduct %g W/(m K): is "
        "it in g/cm^3?",
        name, rho, k);
  if (c > 0 && c < least && c != 1 && rho >= dense) /* 1 is a number that somebody chose */
    dg_log_warning(
        log,
        "materials.%s.heat_capacity = %g J/(kg K) is less than that of any matter at room temperature: is it "
        "in kJ/(kg K) or J/(g K)?",
        name, c);
  if (material->thermal.perfusion > 0 && material->thermal.perfusion < little && rho * c > solid)
    dg_log_warning(log,
                   "materials.%s.perfusion = %g W/(m^3 K) hardly cools: tissues have 1e3 to 1e5. It is the flow of the "
                   "blood (1/s) times its density and capacity, some 3.8e6 J/(m^3 K)",
                   name, material->thermal.perfusion);
}

/* Densities of power that heat nothing: each by so much at the most, if none of its heat left. */
static void warn_of_sources(const struct mx_heat_work *heat)
{
  const struct mx_heat_config *config = heat->place->config->heat;
  double least = INFINITY; /* rho c of the body */
  for (size_t m = 0; m < heat->place->config->materials; m++) {
    const struct mx_material_config *material = &heat->place->config->material[m];
    if (heat->record.there != NULL && heat->record.there[m])
      least = fmin(least, material->mass_density * material->thermal.capacity);
  }
  for (size_t i = 0; i < config->sources && !config->steady && least > 0; i++) {
    const struct mx_heat_source *source = &config->source[i];
    const double density = fabs(source->density.value), rise = density * config->stop / least;
    if (source->losses != NULL || source->density.function != NULL || density == 0 || rise >= 1e-3) continue;
    dg_log_warning(
        heat->place->log,
        "heat.sources[%zu].density = %g W/m^3 heats by %.2g K at the most in %g s: is it a power in W? Divide "
        "it by the volume",
        i + 1, source->density.value, rise, config->stop);
  }
}

static void warn(const struct mx_heat_work *heat)
{
  const struct mx_config *config = heat->place->config;
  warn_of_time(heat);
  for (size_t m = 0; m < config->materials; m++)
    if (heat->record.there != NULL && heat->record.there[m]) warn_of_material(heat, &config->material[m]);
  warn_of_sources(heat);
}

static int begin(struct mx_heat_work *heat, const struct mx_heat_place *place, const struct mx_phasors *phasors,
                 struct dg_error *err)
{
  const struct mx_config *config = place->config;
  *heat = (struct mx_heat_work){.place = place};
  if (config->heat->solver == MX_SOLVER_MULTIGRID && place->device == NULL && dg_amg_prepare(err) != 0)
    return dg_context(err, "for heat.solver = \"multigrid\"");
  if (mx_heat_body_init(&heat->body, place, err) != 0 ||
      (phasors != NULL && mx_heat_check_losses(config->heat, &heat->body, phasors, err) != 0) ||
      mx_heat_problem_init(&heat->problem, config, &heat->body, err) != 0 ||
      mx_heat_record_init(&heat->record, &heat->problem, err) != 0 ||
      mx_heat_march_init(&heat->march, &heat->problem, place->log, err) != 0 ||
      DG_NEW(heat->power, config->heat->sources, err) != 0)
    return err->code;
  return 0;
}

static void release(struct mx_heat_work *heat)
{
  mx_heat_march_release(&heat->march);
  mx_heat_record_release(&heat->record);
  mx_heat_problem_release(&heat->problem);
  mx_heat_body_release(&heat->body);
  dg_free(heat->power);
  mx_heat_coupled_free(heat->coupled);
}

/* Takes a step, without the losses of fields that have not run, and says how long it and all of them take. */
static int rehearse(struct mx_heat_work *heat, struct dg_error *err)
{
  const struct mx_heat_config *config = heat->place->config->heat;
  struct mx_heat_march *march = &heat->march;
  if (config->steady || heat->place->device != NULL) return 0;
  const double start = mx_clock(), length = march->step;
  if (mx_heat_advance(march, config->stop, err) != 0) return err->code;
  const double seconds = mx_clock() - start;
  if (config->step > 0)
    dg_log_line(heat->place->log, "heat      about %.3g s: %.0f steps of %.3g s each", seconds * config->stop / length,
                config->stop / length, seconds);
  else
    dg_log_line(heat->place->log,
                "heat      a step takes about %.3g s; how many there are follows from their errors, %zu at the least",
                seconds, heat->problem.turns.count + 1);
  return 0;
}

int mx_heat_check(const struct mx_heat_place *place, const struct mx_phasors *phasors, bool rehearses,
                  struct dg_error *err)
{
  const struct mx_config *config = place->config;
  struct mx_heat_work heat;
  if (config->heat->coupled && config->heat->steady && (config->checkpoint.every > 0 || config->checkpoint.minutes > 0))
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "heat: a steady state for which the fields run more than once has no checkpoints",
                   MX_AT(config->heat->where));
  if (begin(&heat, place, phasors, err) == 0) {
    warn(&heat);
    dg_log_line(place->log, "heat      %zu of %zu elements, order %d: %zu unknowns", heat.body.elements,
                place->mesh->whole.K, place->config->heat->order, heat.problem.unknowns);
    if (rehearses) (void)!rehearse(&heat, err);
  }
  release(&heat);
  return err->code;
}

static void report(const struct mx_heat_work *heat)
{
  const struct mx_heat_march *march = &heat->march;
  const double seconds = mx_clock() - heat->started;
  char cycles[60] = "";
  if (march->solver.cycles > 0) (void)snprintf(cycles, sizeof cycles, " and %ld of multigrid", march->solver.cycles);
  dg_log_line(heat->place->log,
              "heat      %ld steps (%ld taken again), %ld iterations%s in %.2f s; highest temperature %.9g; missing in "
              "the balance %.1e %s",
              march->n, march->refused, march->solver.iterations, cycles, seconds, heat->record.highest,
              mx_heat_missing(march), heat->problem.heat->steady ? "W" : "J");
}

double mx_heat_near(const struct mx_heat_work *heat)
{
  const struct mx_heat_config *config = heat->problem.heat;
  return 1e-9 * (config->step > 0 ? heat->march.step : config->stop);
}

double mx_heat_next_stop(const struct mx_heat_work *heat, double t)
{
  const struct mx_heat_config *config = heat->problem.heat;
  if (config->interval == 0) return config->stop;
  return fmin(config->interval * (1 + floor((t + mx_heat_near(heat)) / config->interval)), config->stop);
}

int mx_heat_keep(struct mx_heat_work *heat, bool must, struct dg_error *err)
{
  struct mx_heat_state state = {.place = heat->place,
                                .march = &heat->march,
                                .record = &heat->record,
                                .more = heat->more,
                                .order = {.kind = &mx_heat_checkpoints,
                                          .self = &state,
                                          .comm = heat->place->comm,
                                          .folder = heat->folder,
                                          .identity = heat->how->identity,
                                          .number = heat->march.n},
                                .restarts = heat->report->restarts};
  const double start = mx_clock(), t = heat->march.t;
  struct dg_error failure;
  bool written;
  if (heat->checkpointed == heat->march.n) return 0;
  if (mx_checkpoint_keep(&state.order, &written, &failure, err) != 0) return err->code;
  const double seconds = mx_clock() - start;
  mx_control_checkpointed(heat->how->control, seconds);
  heat->report->checkpoint_seconds += seconds;
  if (written) {
    heat->checkpointed = heat->march.n;
    heat->report->checkpoints++;
    dg_log_line(heat->place->log, "checkpoint of heat at t = %.6g s, step %ld (%.2f s)", t, heat->march.n, seconds);
    return 0;
  }
  const char *why = failure.code != DG_OK ? failure.message : "rank 0 could not write it";
  if (must) return dg_fail(err, DG_ENVIRONMENT, "heat stopped at t = %.6g s without a checkpoint: %s", t, why);
  dg_log_warning(heat->place->log, "no checkpoint of heat at t = %.6g s, the run goes on: %s", t, why);
  return 0;
}

int mx_heat_look(struct mx_heat_work *heat, struct dg_error *err)
{
  struct mx_control *control = heat->how->control;
  const struct mx_heat_march *march = &heat->march;
  const long steps = march->n - heat->first;
  const double step_seconds = steps > 0 ? (mx_clock() - heat->started) / (double)steps : 0;
  struct mx_orders orders;
  if (control == NULL || heat->whole) return 0;
  if (mx_control_ask_now(control, march->n, step_seconds, &orders, err) != 0) return err->code;
  const bool stops = orders.stop != MX_GO_ON;
  bool keeps = stops ? orders.stop != MX_STOP_INTERRUPT : orders.checkpoint;
  if (heat->coupled != NULL && (heat->start == NULL || !stops)) keeps = false; /* intervals have one */
  if (keeps && heat->start != NULL) mx_heat_mark_back(heat->start, &heat->march);
  if (keeps && mx_heat_keep(heat, stops, err) != 0) return err->code;
  if (!stops) return 0;
  /* The tables are whole, whatever comes. */
  if (mx_heat_record_close(&heat->record, err) != 0) return err->code;
  return dg_fail(err, DG_INTERRUPTED, "%s at t = %.6g s of heat; %s",
                 orders.stop == MX_STOP_WALLTIME ? "stopped before the end of the walltime" : "interrupted", march->t,
                 keeps ? "--restart goes on from there" : "what was written until then is whole");
}

/* Says how far heat is. */
static void progress(struct mx_heat_work *heat)
{
  enum { BYTES = 64 };
  const struct mx_heat_march *march = &heat->march;
  const double now = mx_clock(), stop = heat->problem.heat->stop, done = march->t - heat->before;
  if (heat->pace.most <= 0 || !(done > 0) || !dg_pace_due(&heat->pace, now)) return;
  const double left = (now - heat->started) * (stop - march->t) / done;
  char time[BYTES], step[BYTES], highest[BYTES], eta[BYTES];
  snprintf(time, sizeof time, "heat  t = %.4g s of %.4g s", march->t, stop);
  snprintf(step, sizeof step, "step %ld", march->n);
  snprintf(highest, sizeof highest, "highest %.6g", heat->record.highest);
  snprintf(eta, sizeof eta, "ETA %ld:%02ld:%02ld", (long)left / 3600, (long)left / 60 % 60, (long)left % 60);
  const struct dg_piece piece[] = {{time, 0}, {step, 3}, {highest, 2}, {eta, 1}};
  dg_log_progress(heat->place->log, sizeof piece / sizeof *piece, piece);
}

int mx_heat_take(struct mx_heat_work *heat, double stop, struct dg_error *err)
{
  struct mx_heat_march *march = &heat->march;
  march->given_up = false;
  if (mx_heat_look(heat, err) != 0 || mx_heat_advance(march, stop, err) == 0 || !march->given_up) return err->code;
  *err = (struct dg_error){0};
  return mx_heat_look(heat, err);
}

int mx_heat_record_march(struct mx_heat_work *heat, double end, struct dg_error *err)
{
  const struct mx_heat_config *config = heat->problem.heat;
  struct mx_heat_march *march = &heat->march;
  const double near = mx_heat_near(heat);
  while (march->t < end - near) {
    const long n = march->n;
    const double before = march->t, next = mx_heat_next_stop(heat, before), stop = fmin(next, end);
    if (mx_heat_take(heat, stop, err) != 0 ||
        (march->n > n && mx_heat_record_row(&heat->record, march, march->t - before, err) != 0))
      return err->code;
    progress(heat);
    if (march->n > n && config->interval > 0 && march->t >= next - near && next < config->stop - near &&
        mx_heat_record_snapshot(&heat->record, march, err) != 0)
      return err->code;
  }
  return 0;
}

/* What is recorded of the beginning. */
static int record_start(struct mx_heat_work *heat, struct dg_error *err)
{
  const struct mx_heat_config *config = heat->problem.heat;
  const struct mx_heat_march *march = &heat->march;
  const bool begins = heat->how->from == NULL || !heat->how->from->found;
  if (config->steady) return 0;
  if (begins &&
      (mx_heat_record_row(&heat->record, march, 0, err) != 0 ||
       (config->snapshots && config->interval > 0 && mx_heat_record_snapshot(&heat->record, march, err) != 0)))
    return err->code;
  heat->before = march->t;
  heat->pace = mx_progress_pace(heat->place->config, heat->place->log);
  return 0;
}

int mx_heat_find_steady(struct mx_heat_work *heat, struct dg_error *err)
{
  if (mx_heat_settle(&heat->march, err) == 0 || !heat->march.given_up) return err->code;
  *err = (struct dg_error){0};
  return dg_fail(err, DG_INTERRUPTED, "interrupted in the search for the steady state of heat");
}

/* The steady state, which is one solution: it has no checkpoint. */
static int settle(struct mx_heat_work *heat, struct dg_error *err)
{
  if (mx_heat_find_steady(heat, err) != 0) return err->code;
  return mx_heat_record_row(&heat->record, &heat->march, 0, err);
}

/* All between the first row and the last snapshot. */
static int compute(struct mx_heat_work *heat, const double *load, struct dg_error *err)
{
  const struct mx_heat_config *config = heat->problem.heat;
  if (record_start(heat, err) != 0) return err->code;
  const int status = config->coupled  ? mx_heat_couple(heat, load, err)
                     : config->steady ? settle(heat, err)
                                      : mx_heat_record_march(heat, config->stop, err);
  if (status != 0) return status;
  return config->snapshots ? mx_heat_record_snapshot(&heat->record, &heat->march, err) : 0;
}

/* Opens the files, and goes on where a checkpoint was written. */
static int open_record(struct mx_heat_work *heat, struct dg_error *err)
{
  const struct mx_checkpoint *from = heat->how->from;
  struct mx_heat_state state = {
      .place = heat->place, .march = &heat->march, .record = &heat->record, .more = heat->more};
  const bool resume = from != NULL && from->found;
  if (mx_heat_record_open(&heat->record, heat->folder, resume, err) != 0) return err->code;
  heat->checkpointed = -1;
  if (!resume) return 0;
  if (mx_heat_checkpoint_load(from, &state, err) != 0) return err->code;
  heat->report->restarts = state.restarts;
  heat->first = heat->checkpointed = heat->march.n;
  dg_log_line(heat->place->log, "restart   of heat at t = %.6g s of %.6g s, step %ld", heat->march.t,
              heat->problem.heat->stop, heat->march.n);
  return 0;
}

int mx_heat_run(const struct mx_heat_place *place, const struct mx_phasors *phasors, struct mx_folder *folder,
                const struct mx_heat_how *how, struct mx_heat_report *what, struct dg_error *err)
{
  struct mx_heat_work heat;
  double *load = NULL;
  *what = (struct mx_heat_report){0};
  if (begin(&heat, place, phasors, err) != 0) goto fail;
  heat.started = mx_clock();
  heat.folder = folder;
  heat.how = how;
  heat.report = what;
  heat.march.control = how->control;
  if (mx_heat_solver_move(&heat.march.solver, place->device, place->direct, err) != 0) goto fail;
  const bool again = how->from != NULL && how->from->found && how->fields != NULL; /* the checkpoint has the losses */
  if ((how->fields != NULL && mx_heat_coupled_new(&heat, err) != 0) ||
      DG_NEW(load, heat.problem.space.count, err) != 0 ||
      (phasors != NULL && !again && mx_heat_add_losses(&heat.problem, phasors, load, heat.power, place->log, err) != 0))
    goto fail;
  memcpy(heat.problem.fixed, load, sizeof *load * heat.problem.space.count);
  if (open_record(&heat, err) != 0 || compute(&heat, load, err) != 0) goto fail;
  if (mx_heat_record_close(&heat.record, err) == 0) report(&heat);
fail:
  what->steps = heat.march.n;
  dg_free(load);
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
  mx_plan_folder(plan, "heat/checkpoint", true);
  if (mx_plan_file(plan, err, "heat/temperature.csv") != 0 || mx_plan_file(plan, err, "heat/balance.csv") != 0 ||
      mx_plan_pattern(plan, err, "heat/checkpoint/step_#.h5") != 0 ||
      (config->heat->coupled && mx_plan_file(plan, err, "heat/coupling.csv") != 0))
    return err->code;
  if (!config->heat->snapshots) return 0;
  mx_plan_folder(plan, "heat/blocks", true);
  for (size_t w = 0; w < writers.count; w++)
    if (plan_snapshots(plan, writers.writer[w], err) != 0) return err->code;
  return 0;
}
