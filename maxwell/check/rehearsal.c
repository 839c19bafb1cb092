/* Times the first steps of a run, each kind of output for itself. check.c calls it.
 *
 * The loop's own steps are made, one after the other, so that sources find what they find in a run. Which number a step
 * has for the output is chosen freely: with a period as its number a step does what this period brings. What the kinds
 * cost follows one by one, shortest period first: the cost of a step whose number is a period, less the costs of the
 * periods that divide it. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "maxwell/check/rehearsal.h"

#include <complex.h>
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "maxwell/output/file_names.h"
#include "maxwell/record/phasor_output.h"
#include "maxwell/statics/start.h"
#include "maxwell/run/loop.h"

struct stage {
  struct mx_scene scene; /* without a log */
  struct mx_backend *backend;
  struct mx_folder folder;
  struct mx_loop loop;
  long next; /* number of the step to come */
  int active;
};

void mx_rehearsal_release(struct mx_rehearsal *rehearsal)
{
  dg_free(rehearsal->kind);
  *rehearsal = (struct mx_rehearsal){0};
}

/* ---- the folder ---- */

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
  (void)info, (void)kind, (void)where;
  (void)remove(path);
  return 0;
}

static void remove_folder(const struct stage *stage)
{
  enum { OPEN_AT_ONCE = 16 };
  if (stage->folder.path != NULL && stage->folder.rank == 0)
    (void)nftw(stage->folder.path, remove_entry, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS);
}

/* Makes a folder beside the one of the run, or where the system keeps such folders. */
static int make_folder(char path[64], struct dg_error *err)
{
  static const char *const place[] = {"./.curlew-check-XXXXXX", "/tmp/curlew-check-XXXXXX"};
  for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
    snprintf(path, 64, "%s", place[i]);
    if (mkdtemp(path) != NULL) return 0;
  }
  return dg_fail(err, DG_ENVIRONMENT, "cannot make a folder, neither here nor in /tmp: %s", strerror(errno));
}

static int prepare_folder(struct stage *stage, struct dg_error *err)
{
  const struct mx_scene *scene = &stage->scene;
  struct mx_plan plan = {0};
  char path[64] = "";
  if (dg_comm_rank(scene->comm) == 0) (void)!make_folder(path, err);
  if (dg_comm_agree(scene->comm, err) != 0 || dg_comm_broadcast(scene->comm, sizeof path, path, err) != 0 ||
      mx_folder_open(&stage->folder, path, scene->comm, NULL, err) != 0)
    return err->code;
  if (stage->folder.rank == 0 && mx_output_plan(&plan, &stage->scene, err) == 0 &&
      mx_folder_prepare(&stage->folder, &plan, err) == 0)
    (void)!mx_folder_claim(&stage->folder, &plan, true, err);
  mx_plan_release(&plan);
  if (dg_comm_agree(scene->comm, err) != 0) return err->code;
  return mx_folder_join(&stage->folder, err);
}

/* ---- steps ---- */

static int open_stage(struct stage *stage, struct dg_error *err)
{
  const struct mx_scene *scene = &stage->scene;
  const struct mx_backend_options options = mx_scene_backend_options(scene);
  const struct mx_statics_place place = mx_scene_statics(scene);
  const struct mx_ports *ports = &scene->sources->ports;
  double *E = NULL, *H = NULL;
  if (scene->ops->create(&stage->backend, scene->problem, &options, err) != 0 ||
      mx_start_fields(&place, NULL, &E, &H, err) != 0 || scene->ops->upload(stage->backend, E, H, err) != 0)
    goto fail;
  stage->scene.backend = stage->backend;
  stage->scene.folder = &stage->folder;
  stage->loop = (struct mx_loop){.scene = scene,
                                 .backend = stage->backend,
                                 .folder = &stage->folder,
                                 .writes = true,
                                 .rehearses = true,
                                 .started = mx_clock()};
  for (int i = 0; i < 2; i++) mx_watchdog_init(&stage->loop.watchdog[i], &stage->scene);
  stage->active = -1;
  for (size_t i = ports->count; i > 0 && scene->config->output.s_parameters.count > 0; i--)
    if (mx_ports_driven(ports, i - 1)) stage->active = (int)i - 1;
  mx_ports_reset(&scene->sources->ports, stage->active);
  if (prepare_folder(stage, err) != 0 || mx_output_open(&stage->loop.output, &stage->scene, false, err) != 0 ||
      mx_port_output_open(&stage->loop.port_output, &stage->scene, &stage->folder, false, err) != 0)
    goto fail;
  mx_balance_rehearse(mx_output_balance(&stage->loop.output));
  (void)!mx_loop_prepare(&stage->loop, err);
fail:
  dg_free(E);
  dg_free(H);
  return err->code;
}

/* Makes the next step; the output takes it for step `seen`. A run that is over begins anew. */
static int make_step(struct stage *stage, long seen, struct dg_error *err)
{
  const struct mx_scene *scene = &stage->scene;
  if (stage->next >= scene->steps) {
    mx_sources_reset(scene->sources);
    mx_ports_reset(&scene->sources->ports, stage->active);
    stage->next = 0;
  }
  stage->loop.done = stage->next;
  return mx_loop_step(&stage->loop, stage->next++, seen, err);
}

/* Seconds that all threads of the process have computed. */
static double processor_clock(void)
{
  struct timespec now;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) return 0;
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The next number behind `seen` at which the output has to do what it has at `like` > 0. No number comes twice: it is
 * part of files' names. */
static long next_like(const struct mx_rehearsal *rehearsal, long seen, long like)
{
  for (long n = seen + like;; n += like) {
    bool same = true;
    for (size_t k = 0; k < rehearsal->kinds && same; k++)
      same = (n % rehearsal->kind[k].period == 0) == (like % rehearsal->kind[k].period == 0);
    if (same) return n;
  }
}

/* Seconds for steps without output; the kinds of output together have twice of it. Tests that look at no seconds of
 * `check` set less in the environment. */
static double seconds_to_measure(void)
{
  const char *given = getenv("CURLEW_CHECK_SECONDS");
  return given != NULL ? strtod(given, NULL) : 0.6;
}

/* Finds the seconds of a step whose output takes it for one like step `like`: the mean of at least `least` steps, and
 * of as many as fit into the budget. */
static int time_steps(struct stage *stage, const struct mx_rehearsal *rehearsal, long like, int least, double budget,
                      double mean[MX_COSTS], struct dg_error *err)
{
  long seen = like;
  const double start = mx_clock();
  int count = 0;
  for (bool more = true; more; count++) {
    if (count > 0 && stage->loop.writes) seen = next_like(rehearsal, seen, like);
    if (make_step(stage, seen, err) != 0) return err->code;
    more = count + 1 < least || mx_clock() - start < budget; /* rank 0's clock counts */
    if (dg_comm_broadcast(stage->scene.comm, sizeof more, &more, err) != 0) return err->code;
  }
  if (stage->scene.ops->card->wait(stage->backend, err) != 0) return err->code;
  const double looped = mx_clock() - start, computed = processor_clock();
  if (stage->loop.writes && mx_output_drain(&stage->loop.output, err) != 0) return err->code;
  const double all = mx_clock() - start;
  mean[MX_COST_LOOP] = looped / count;
  mean[MX_COST_ALL] = all / count;
  mean[MX_COST_SHARED] = fmin(all, looped + processor_clock() - computed) / count;
  return 0;
}

/* ---- kinds of output ---- */

static void add_period(const struct mx_scene *scene, struct mx_rehearsal *rehearsal, long period)
{
  if (period <= 0 || period > scene->steps) return; /* one that is longer than the run is due in step 0 only */
  size_t place = 0;
  while (place < rehearsal->kinds && rehearsal->kind[place].period < period) place++;
  if (place < rehearsal->kinds && rehearsal->kind[place].period == period) return;
  memmove(rehearsal->kind + place + 1, rehearsal->kind + place, (rehearsal->kinds - place) * sizeof *rehearsal->kind);
  rehearsal->kind[place] = (struct mx_recurring){.period = period};
  rehearsal->kinds++;
}

static int find_periods(const struct stage *stage, struct mx_rehearsal *rehearsal, struct dg_error *err)
{
  const struct mx_scene *scene = &stage->scene;
  const struct mx_config *config = scene->config;
  enum { OTHERS = 5 };
  const size_t transforms = scene->far->count + scene->phasors->count;
  if (DG_NEW(rehearsal->kind, config->output.measures + transforms + OTHERS, err) != 0) return err->code;
  add_period(scene, rehearsal, stage->loop.watchdog[0].every);
  add_period(scene, rehearsal, config->output.energy_every);
  add_period(scene, rehearsal, config->output.fields.every);
  add_period(scene, rehearsal, config->output.ports_every > 0 && scene->sources->ports.count > 0 ? 1 : 0);
  add_period(scene, rehearsal, config->output.balance.every > 0 ? 1 : 0);
  for (size_t i = 0; i < config->output.measures; i++) add_period(scene, rehearsal, config->output.measure[i].every);
  for (size_t i = 0; i < scene->far->count; i++) add_period(scene, rehearsal, scene->far->field[i].every);
  for (size_t i = 0; i < scene->phasors->count; i++) add_period(scene, rehearsal, scene->phasors->phasor[i].every);
  return 0;
}

/* Seconds that the output of a step takes by what is known so far. */
static double output_of(const struct mx_rehearsal *rehearsal, size_t kinds, long n, int part)
{
  double seconds = 0;
  for (size_t k = 0; k < kinds; k++)
    if (n % rehearsal->kind[k].period == 0) seconds += rehearsal->kind[k].seconds[part];
  return seconds;
}

static int time_all(struct stage *stage, struct mx_rehearsal *rehearsal, struct dg_error *err)
{
  const double slow = 1; /* s: a step that takes longer is made no oftener than it must be */
  double first[MX_COSTS] = {0}, seconds[MX_COSTS] = {0};
  if (time_steps(stage, rehearsal, 0, 1, 0, first, err) != 0) return err->code;
  stage->loop.writes = false;
  if (time_steps(stage, rehearsal, 1, first[MX_COST_ALL] > slow ? 1 : 3, 0, seconds, err) !=
          0 || /* caches and pages are warm now */
      time_steps(stage, rehearsal, 1, first[MX_COST_ALL] > slow ? 1 : 3, seconds_to_measure(), seconds, err) != 0)
    return err->code;
  rehearsal->step = seconds[MX_COST_LOOP];
  stage->loop.writes = true;
  for (size_t k = 0; k < rehearsal->kinds; k++) {
    struct mx_recurring *kind = &rehearsal->kind[k];
    const double each = 2 * seconds_to_measure() / (double)rehearsal->kinds;
    if (time_steps(stage, rehearsal, kind->period, seconds[MX_COST_ALL] > slow ? 1 : 2, each, seconds, err) != 0)
      return err->code;
    for (int i = 0; i < MX_COSTS; i++)
      kind->seconds[i] = fmax(0, seconds[i] - rehearsal->step - output_of(rehearsal, k, kind->period, i));
  }
  rehearsal->first =
      fmax(0, first[MX_COST_SHARED] - rehearsal->step - output_of(rehearsal, rehearsal->kinds, 0, MX_COST_SHARED));
  return 0;
}

/* ---- ports ---- */

/* The convolution with a port's past takes time in proportion to it: in the middle of the run, what it takes in the
 * mean. Finds also what the transforms of the ports' voltages take at the end. */
static void time_ports(struct stage *stage, struct mx_rehearsal *rehearsal)
{
  enum { TRIES = 3 };
  const struct mx_scene *scene = &stage->scene;
  struct mx_ports *const ports = &scene->sources->ports;
  const struct mx_frequencies *frequencies = &scene->config->output.s_parameters;
  const long when[] = {stage->next < scene->steps / 2 ? stage->next : 0, scene->steps / 2};
  double seconds[2] = {INFINITY, INFINITY};
  if (ports->functionals == 0) return;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < TRIES; k++) {
      const double start = mx_clock();
      for (int s = 0; s < scene->sources->schedule.passes; s++)
        mx_sources_evaluate_ports(scene->sources, when[i], s, scene->step);
      seconds[i] = fmin(seconds[i], mx_clock() - start);
    }
  rehearsal->convolution = fmax(0, seconds[1] - seconds[0]);
  if (frequencies->count == 0 || dg_comm_rank(scene->comm) != 0) return;
  const double start = mx_clock();
  double complex incident, reflected;
  mx_ports_spectrum(ports, 0, frequencies->hertz[0], &incident, &reflected);
  /* of half the run; a column takes one for the driven port, and for each port one and parts of it */
  const double parts = 1.34;
  rehearsal->column = 2 * (mx_clock() - start) * (double)frequencies->count * (1 + parts * (double)ports->count);
}

/* ---- checkpoints ---- */

/* Writes one, if the run will. One that cannot be written here is not counted: the run would warn and go on. */
static int time_checkpoint(struct stage *stage, struct mx_rehearsal *rehearsal, struct dg_error *err)
{
  const struct mx_scene *scene = &stage->scene;
  struct mx_loop *const loop = &stage->loop;
  struct mx_counters counters = {.step = stage->next, .total = stage->next};
  struct mx_run_state state = {.scene = &stage->scene,
                               .backend = stage->backend,
                               .folder = &stage->folder,
                               .identity = "rehearsal",
                               .output = &loop->output,
                               .port_output = &loop->port_output,
                               .hooks = &loop->hooks,
                               .watchdog = loop->watchdog,
                               .counters = &counters};
  struct dg_error failure = {0};
  bool written;
  if (scene->config->checkpoint.every == 0 && scene->config->checkpoint.minutes <= 0) return 0;
  if (mx_hooks_open(&loop->hooks, &stage->scene, &stage->folder, &loop->output, &loop->port_output, err) != 0 ||
      scene->ops->card->wait(stage->backend, err) != 0)
    return err->code;
  const double start = mx_clock();
  if (mx_checkpoint_write(&state, &written, &failure, err) != 0) return err->code;
  if (written) rehearsal->checkpoint = mx_clock() - start;
  return mx_hooks_close(&loop->hooks, err);
}

/* ---- what comes behind the last step */

/* Far fields are not worked out here, nor are all frequencies of spectra: a few directions of the former and one
 * frequency of the latter tell what all take. */
static int time_end(struct stage *stage, struct mx_rehearsal *rehearsal, struct dg_error *err)
{
  const struct mx_scene *scene = &stage->scene;
  const struct mx_writers writers = mx_chosen_writers(scene->config);
  for (size_t i = 0; i < scene->far->count; i++) {
    double seconds;
    if (mx_far_estimate(scene->far, i, &seconds, err) != 0) return err->code;
    rehearsal->far += seconds;
  }
  mx_phasors_note_ports(scene->phasors);
  for (size_t i = 0; i < scene->phasors->count; i++) {
    struct mx_phasor *phasor = &scene->phasors->phasor[i];
    const struct mx_phasor_config *all = phasor->config;
    struct mx_phasor_config one = *all;
    struct mx_phasors alone = *scene->phasors;
    double shortest = INFINITY; /* the first one also waits for what the disk has to do from before */
    alone.phasor = phasor;
    alone.count = 1;
    if (one.frequencies.count > 1) one.frequencies.count = 1;
    phasor->config = &one;
    for (int attempt = 0; attempt < 2 && err->code == DG_OK; attempt++) {
      const double start = mx_clock();
      (void)!mx_phasor_output(&alone, &writers, scene->ref, &stage->folder, err);
      shortest = fmin(shortest, mx_clock() - start);
    }
    phasor->config = all;
    if (err->code != DG_OK) return err->code;
    rehearsal->phasors += shortest * (double)all->frequencies.count;
  }
  return 0;
}

/* ---- all ---- */

static int rehearse(struct stage *stage, struct mx_rehearsal *rehearsal, struct dg_error *err)
{
  const struct mx_scene *scene = &stage->scene;
  double start = mx_clock();
  if (open_stage(stage, err) != 0) return err->code;
  rehearsal->create = mx_clock() - start;
  /* The checkpoint comes first: the rehearsed output has more snapshots than a checkpoint believes. */
  if (find_periods(stage, rehearsal, err) != 0 || time_checkpoint(stage, rehearsal, err) != 0 ||
      time_all(stage, rehearsal, err) != 0)
    return err->code;
  time_ports(stage, rehearsal);
  if (time_end(stage, rehearsal, err) != 0) return err->code;
  start = mx_clock();
  if (mx_records_write_spectra(stage->loop.output.scene.records, err) != 0 ||
      mx_output_close(&stage->loop.output, err) != 0 || dg_ledger_sync(stage->folder.ledger, err) != 0)
    return err->code;
  rehearsal->finish = mx_clock() - start;
  double most[] = {(double)dg_memory_resident_peak(), (double)scene->ops->card->allocated(stage->backend),
                   rehearsal->convolution, rehearsal->column, rehearsal->checkpoint};
  if (dg_comm_reduce(scene->comm, DG_MAX, sizeof most / sizeof *most, most, err) != 0) return err->code;
  rehearsal->resident = most[0];
  rehearsal->card = most[1];
  rehearsal->convolution = most[2];
  rehearsal->column = most[3];
  rehearsal->checkpoint = most[4];
  return 0;
}

int mx_rehearse(const struct mx_scene *scene, struct mx_rehearsal *rehearsal, struct dg_error *err)
{
  struct stage stage = {.scene = *scene};
  struct dg_log *const log = scene->log;
  sigset_t ends, before;
  *rehearsal = (struct mx_rehearsal){0};
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGHUP);
  (void)pthread_sigmask(SIG_BLOCK, &ends, &before);
  stage.scene.log = scene->far->place.log = scene->phasors->place.log = NULL;
  (void)!rehearse(&stage, rehearsal, err);
  (void)!dg_comm_agree(scene->comm, err);
  mx_output_release(&stage.loop.output);
  mx_port_output_release(&stage.loop.port_output);
  mx_hooks_release(&stage.loop.hooks);
  mx_stepper_release(&stage.loop.stepper);
  scene->ops->destroy(stage.backend);
  remove_folder(&stage);
  mx_folder_close(&stage.folder);
  scene->far->place.log = scene->phasors->place.log = log;
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return err->code;
}

struct mx_forecast mx_rehearsal_forecast(const struct mx_scene *scene, const struct mx_rehearsal *rehearsal)
{
  const struct mx_ports *ports = &scene->sources->ports;
  struct mx_forecast forecast = {.runs = 0, .end = rehearsal->finish + rehearsal->far + rehearsal->phasors};
  double output[MX_COSTS] = {rehearsal->first, rehearsal->first, rehearsal->first};
  for (size_t i = 0; i < ports->count; i++) forecast.runs += mx_ports_driven(ports, i);
  if (scene->config->output.s_parameters.count == 0) forecast.runs = 1;
  else forecast.end += (double)forecast.runs * rehearsal->column;
  forecast.steps = (double)forecast.runs * (double)scene->steps * (rehearsal->step + rehearsal->convolution);
  for (size_t k = 0; k < rehearsal->kinds; k++) {
    const long times = scene->steps / rehearsal->kind[k].period + 1;
    for (int i = 0; i < MX_COSTS; i++) output[i] += rehearsal->kind[k].seconds[i] * (double)times;
  }
  const double minutes = scene->config->checkpoint.minutes;
  const long every = scene->config->checkpoint.every, times = every > 0 ? scene->steps / every : 0;
  /* Beside a card, threads that write have processors of their own. */
  forecast.output = output[scene->ops->card->present ? MX_COST_LOOP : MX_COST_SHARED];
  forecast.output =
      fmax(forecast.output, output[MX_COST_ALL] - forecast.steps); /* where the disk is slower than steps */
  forecast.checkpoints = (double)forecast.runs * (double)times;
  if (minutes > 0) forecast.checkpoints += floor((forecast.steps + forecast.output) / (60 * minutes));
  forecast.checkpoint = forecast.checkpoints * rehearsal->checkpoint;
  return forecast;
}
