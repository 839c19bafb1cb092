/* The time loop: stages with their sources, observation, tables, checkpoints and the reasons to stop. run.c calls it;
 * share/doc/design.md has a diagram of a step. */
#include "maxwell/run/loop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "maxwell/output/file_names.h"
#include "maxwell/shell/folder.h"

static struct mx_watchdog *watchdog_of(struct mx_loop *loop) { return &loop->watchdog[loop->writes ? 0 : 1]; }

/* Says whether the script has rules for an end before the last step. A rehearsal does not ask them. */
static bool has_rules(const struct mx_loop *loop)
{
  return !loop->rehearses && (loop->scene->config->time.decay > 0 || loop->scene->config->time.finish != NULL);
}

double mx_loop_seconds(const struct mx_loop *loop) { return mx_clock() - loop->started - loop->output_seconds; }

/* Seconds until the end of all runs which S-parameters take. Only the first of them has output. */
static double seconds_left(const struct mx_loop *loop, double now)
{
  const double own = (double)(loop->scene->steps - loop->done), later = (double)loop->later;
  const double stepping = mx_loop_seconds(loop) / (double)loop->total;
  const double all = (now - loop->started) / (double)loop->total;
  return loop->writes ? own * all + later * stepping : (own + later) * stepping;
}

/* Says how far the run is. */
static void progress(struct mx_loop *loop)
{
  enum { BYTES = 64 };
  const struct mx_scene *scene = loop->scene;
  const double now = mx_clock();
  if (loop->pace.most <= 0 || loop->total == 0 || !dg_pace_due(&loop->pace, now)) return;
  const double steps = (double)loop->total, seconds = mx_loop_seconds(loop), left = seconds_left(loop, now);
  const double decibel = mx_watchdog_decibel(watchdog_of(loop));
  char step[BYTES], time[BYTES], energy[BYTES] = "energy -", pace[BYTES], rate[BYTES], eta[BYTES];
  snprintf(step, sizeof step, "step %ld/%ld", loop->done, scene->steps);
  snprintf(time, sizeof time, "t = %.4g s", scene->step * (double)loop->done);
  if (!isnan(decibel)) snprintf(energy, sizeof energy, "energy %.1f dB", decibel + 0.0);
  snprintf(pace, sizeof pace, "%.3g steps/s", steps / seconds);
  snprintf(rate, sizeof rate, "%.3g DoF/s", (double)scene->unknowns * steps / seconds);
  snprintf(eta, sizeof eta, "ETA %ld:%02ld:%02ld", (long)left / 3600, (long)left / 60 % 60, (long)left % 60);
  const struct dg_piece piece[] = {{step, 0}, {time, 2}, {energy, 3}, {rate, 4}, {pace, 5}, {eta, 1}};
  const struct dg_piece plain[] = {{step, 0}, {time, 0}, {energy, 0}, {rate, 0}, {eta, 0}};
  if (dg_log_on_terminal(scene->log)) dg_log_progress(scene->log, sizeof piece / sizeof *piece, piece);
  else dg_log_progress(scene->log, sizeof plain / sizeof *plain, plain);
}

/* Asks the script's rules, behind a look at the energy. Collective. */
static int look_at_rules(struct mx_loop *loop, long n, double t, struct dg_error *err)
{
  const struct mx_scene *scene = loop->scene;
  const struct mx_watchdog *watchdog = watchdog_of(loop);
  double decibel = mx_watchdog_decay(watchdog, t);
  if (scene->config->time.decay > 0 && decibel <= -scene->config->time.decay) {
    loop->reason = "decay";
    dg_log_line(scene->log, "stop      step %ld: the energy is %.1f dB below its maximum%s", n, -decibel,
                scene->config->output.resonances > 0 ? " behind the sources" : "");
  }
  if (scene->config->time.finish == NULL || loop->reason != NULL) return 0;
  bool finished = false;
  if (dg_comm_rank(scene->comm) == 0) { /* only rank 0 asks: clocks and the like may tell other ranks something else */
    const double in[] = {t, (double)n, watchdog->last};
    mx_sources_pause(loop->scene->sources);
    const struct mx_function *finish = scene->config->time.finish;
    if (finish->answer(finish->self, "time.finish", 3, in, &finished, err) != 0) return err->code;
  }
  if (dg_comm_broadcast(scene->comm, sizeof finished, &finished, err) != 0) return err->code;
  if (!finished) return 0;
  loop->reason = "function";
  dg_log_line(scene->log, "stop      step %ld: time.finish says so", n);
  return 0;
}

/* Lets the watcher, who wants it, look at the fields of t_n. */
static int show(struct mx_loop *loop, struct dg_error *err)
{
  if (!loop->wanted) return 0;
  if (loop->scene->ops->card->wait(loop->backend, err) != 0) return err->code;
  const double start = mx_clock();
  mx_sources_pause(loop->scene->sources);
  const int status = loop->watcher->at(loop->watcher->self, loop, loop->stepper.n, err);
  loop->started += mx_clock() - start; /* what the watcher takes is not the run's */
  return status;
}

/* Looks at the fields and writes. They are those at t_n if this step is `observed`. */
static int look(struct mx_loop *loop, struct dg_error *err)
{
  const bool observed = loop->observed;
  const long n = loop->seen;
  const struct mx_backend_ops *ops = loop->scene->ops;
  struct mx_watchdog *watchdog = watchdog_of(loop);
  const bool looks = observed && mx_watchdog_due(watchdog, n);
  const bool asks = looks || (observed && loop->writes && mx_output_asks(&loop->output, n));
  /* A look at values waits for the steps before it: that is the steps' time, not output's. */
  if (asks && ops->card->wait(loop->backend, err) != 0) return err->code;
  double start = mx_clock(), t = loop->scene->step * (double)n;
  struct mx_mark mark = mx_phase_begin(loop->profile);
  int status = 0;
  /* A rehearsal begins anew when it is over, and its times say nothing of what sources do: with NAN nothing is behind
   * them. */
  if (looks) status = mx_watchdog_look(watchdog, loop->backend, loop->rehearses ? NAN : t, err);
  if (status == 0 && watchdog->alarm[0] != '\0') {
    /* The rows that were measured until now show how the fields blew up. */
    status = mx_output_drain(&loop->output, err);
    if (status == 0) status = mx_watchdog_stop(watchdog, loop->backend, n, err);
  }
  if (status == 0 && looks && has_rules(loop) && n < loop->scene->steps) status = look_at_rules(loop, n, t, err);
  if (status == 0 && observed && loop->writes) status = mx_output_write(&loop->output, n, t, err);
  if (status == 0 && observed && loop->writes) status = mx_balance_look(mx_output_balance(&loop->output), n, err);
  loop->output_seconds += mx_clock() - start;
  mx_phase_end(loop->profile, mark, "output", (struct mx_cost){0, 0});
  return status;
}

static int observe(void *self, struct dg_error *err)
{
  struct mx_loop *loop = self;
  if (look(loop, err) != 0 || show(loop, err) != 0) return err->code;
  if (loop->reason != NULL) loop->stepper.over = true;
  return 0;
}

/* Writes the values of ports at t_n, which are ready. */
static int write_ports(void *self, struct dg_error *err)
{
  struct mx_loop *loop = self;
  const long n = loop->stepper.n;
  if (!loop->writes || loop->scene->sources->ports.count == 0) return 0;
  double start = mx_clock();
  struct mx_mark mark = mx_phase_begin(loop->profile);
  int status = mx_port_output_write(&loop->port_output, n, loop->scene->step * (double)n, err);
  loop->output_seconds += mx_clock() - start;
  mx_phase_end(loop->profile, mark, "output", (struct mx_cost){0, 0});
  return status;
}

/* Gives the balance the sources of stage s, behind the look at the fields before the stage. */
static int account(void *self, int s, const struct mx_stage_sources *sources, struct dg_error *err)
{
  struct mx_loop *loop = self;
  return loop->writes ? mx_balance_sources(mx_output_balance(&loop->output), s, sources, err) : 0;
}

int mx_loop_prepare(struct mx_loop *loop, struct dg_error *err)
{
  static const struct mx_step_hooks hooks = {.ports = write_ports, .observe = observe, .sources = account};
  const struct mx_scene *scene = loop->scene;
  loop->stepper = mx_stepper_of(scene->ops, loop->backend, scene->problem, scene->config->time.integrator);
  loop->stepper.hooks = &hooks;
  loop->stepper.self = loop;
  loop->stepper.profile = loop->profile;
  const struct mx_backend_options options = mx_scene_backend_options(scene);
  if (mx_stepper_levels(&loop->stepper, scene->levels, &options, err) != 0) return err->code;
  return mx_stepper_drive(&loop->stepper, scene->sources, scene->step, scene->steps, err);
}

int mx_loop_step(struct mx_loop *loop, long n, long seen, struct dg_error *err)
{
  const struct mx_scene *scene = loop->scene;
  /* Further runs for S-parameters need the energy that is left at their end. */
  const bool often = loop->writes || has_rules(loop), ends = seen == scene->steps && !loop->rehearses;
  const bool looks = (often || ends) && mx_watchdog_due(watchdog_of(loop), seen);
  loop->observed = looks || (loop->writes && mx_output_due(&loop->output, seen));
  loop->seen = seen;
  mx_stepper_place(&loop->stepper, n);
  return mx_stepper_advance(&loop->stepper, loop->observed || loop->wanted, err);
}

static struct mx_run_state state_of(struct mx_loop *loop)
{
  return (struct mx_run_state){.scene = &loop->output.scene,
                               .backend = loop->backend,
                               .folder = loop->folder,
                               .identity = loop->identity,
                               .output = &loop->output,
                               .port_output = &loop->port_output,
                               .hooks = &loop->hooks,
                               .watchdog = loop->watchdog,
                               .counters = &loop->counters};
}

/* Writes a checkpoint before step n. If it cannot be written that is a warning, and the run goes on, unless it `must`
 * be written. */
static int checkpoint(struct mx_loop *loop, long n, bool must, struct dg_error *err)
{
  const struct mx_scene *scene = loop->scene;
  struct mx_run_state state = state_of(loop);
  struct dg_error failure;
  bool written;
  if (loop->checkpointed == loop->total && loop->counters.ended == 0) return 0; /* this moment has a checkpoint */
  if (scene->ops->card->wait(loop->backend, err) != 0) return err->code;
  double start = mx_clock();
  struct mx_mark mark = mx_phase_begin(loop->profile);
  loop->counters.step = n;
  loop->counters.total = loop->total;
  loop->counters.elapsed = start - loop->started;
  loop->counters.output = loop->output_seconds;
  int status = mx_checkpoint_write(&state, &written, &failure, err);
  double seconds = mx_clock() - start;
  loop->output_seconds += seconds;
  loop->checkpoint_seconds += seconds;
  mx_control_checkpointed(&loop->control, seconds);
  mx_phase_end(loop->profile, mark, "checkpoint", (struct mx_cost){0, 0});
  if (status != 0) return status;
  if (written) {
    loop->checkpointed = loop->total;
    loop->checkpoints++;
    dg_log_line(scene->log, "checkpoint at step %ld (%.2f s)", n, seconds);
  } else if (must) {
    const char *why = failure.code != DG_OK ? failure.message : "another rank could not write its part";
    return dg_fail(err, DG_ENVIRONMENT, "stopped at step %ld of %ld without a checkpoint: %s", n, scene->steps, why);
  } else {
    dg_log_warning(scene->log, "no checkpoint at step %ld, the run goes on: %s", n, failure.message);
    snprintf(loop->no_checkpoint, sizeof loop->no_checkpoint, "%.200s", failure.message);
  }
  return 0;
}

static int stop_early(struct mx_loop *loop, long n, enum mx_stop stop, struct dg_error *err)
{
  const long steps = loop->scene->steps;
  const bool keeps = stop != MX_STOP_INTERRUPT && !loop->again;
  if (keeps && checkpoint(loop, n, true, err) != 0) return err->code;
  loop->stopped = true;
  loop->reason = stop == MX_STOP_WALLTIME ? "walltime" : "signal";
  return dg_fail(err, DG_INTERRUPTED, "%s at step %ld of %ld; %s",
                 stop == MX_STOP_WALLTIME ? "stopped before the end of time.walltime" : "interrupted", n, steps,
                 keeps ? "--restart goes on from there" : "what was written until then is whole");
}

/* Names the snapshots that all ranks have written. */
static int name_snapshots(struct mx_loop *loop, long count, struct dg_error *err)
{
  struct mx_snapshots *const snapshots = mx_output_snapshots(&loop->output);
  const double held_up = snapshots->held_up;
  const int status = mx_snapshots_name(snapshots, count, err);
  loop->output_seconds += snapshots->held_up - held_up;
  return status;
}

/* Lets the watcher look, now and then, who may end the run. */
static void let_look(struct mx_loop *loop, long n, struct mx_orders *orders)
{
  static const double interval = 0.1;
  const struct mx_watcher *watcher = loop->watcher;
  if (watcher == NULL || watcher->look == NULL || orders->stop != MX_GO_ON || mx_clock() - loop->watched < interval)
    return;
  mx_sources_pause(loop->scene->sources); /* whoever looks may be whom functions wait for */
  if (!watcher->look(watcher->self, n, loop->scene->steps, loop->scene->step * (double)n))
    orders->stop = MX_STOP_TERMINATE;
  loop->watched = mx_clock();
}

/* Asks the watcher who steps the run what to do before step n. */
static int ask_watcher(struct mx_loop *loop, long n, struct mx_orders *orders, struct dg_error *err)
{
  const struct mx_watcher *watcher = loop->watcher;
  if (watcher == NULL || watcher->stand == NULL || orders->stop != MX_GO_ON) return 0;
  enum mx_order order;
  do {
    const double start = mx_clock();
    order = watcher->stand(watcher->self, loop, n);
    loop->started += mx_clock() - start;
    if (order == MX_ORDER_CHECKPOINT && checkpoint(loop, n, false, err) != 0) return err->code;
  } while (order == MX_ORDER_CHECKPOINT);
  loop->wanted = order == MX_ORDER_LOOK;
  if (order == MX_ORDER_STOP) orders->stop = MX_STOP_TERMINATE;
  if (order == MX_ORDER_LEAVE) orders->stop = MX_STOP_INTERRUPT;
  return 0;
}

/* Calls on.output behind step n. The fields may be a step further by now, but what was measured is that of t_n. */
static int call_hook(struct mx_loop *loop, long n, struct dg_error *err)
{
  const struct mx_scene *scene = loop->scene;
  bool stop = false;
  if (!loop->writes || !mx_hooks_due(&loop->hooks, n)) return 0;
  const double start = mx_clock();
  struct mx_mark mark = mx_phase_begin(loop->profile);
  const int status = mx_hooks_output(&loop->hooks, n, scene->step * (double)n, &stop, err);
  loop->output_seconds += mx_clock() - start;
  mx_phase_end(loop->profile, mark, "hooks", (struct mx_cost){0, 0});
  if (status != 0 || !stop || loop->reason != NULL || n == scene->steps) return status;
  loop->reason = "hook";
  dg_log_line(scene->log, "stop      step %ld: on.output says: %s", n, loop->hooks.why);
  return 0;
}

static int time_loop(struct mx_loop *loop, long first, struct dg_error *err)
{
  const struct mx_scene *scene = loop->scene;
  mx_control_restart(&loop->control);
  loop->reason = NULL;
  for (long n = first; n <= scene->steps; n++) {
    struct mx_orders orders;
    double step_seconds = loop->total > 0 ? (mx_clock() - loop->started) / (double)loop->total : 0.1;
    loop->done = n;
    loop->control.snapshots = mx_snapshots_ready(mx_output_snapshots(&loop->output));
    if (scene->config->time.walltime > 0)
      loop->control.behind = mx_snapshots_behind(mx_output_snapshots(&loop->output));
    if (mx_control_ask(&loop->control, n, step_seconds, &orders, err) != 0 ||
        name_snapshots(loop, orders.snapshots, err) != 0)
      return err->code;
    let_look(loop, n, &orders);
    if (ask_watcher(loop, n, &orders, err) != 0) return err->code;
    if (orders.stop != MX_GO_ON) return stop_early(loop, n, orders.stop, err);
    if (orders.checkpoint && !loop->again && checkpoint(loop, n, false, err) != 0) return err->code;
    if (mx_loop_step(loop, n, n, err) != 0 || call_hook(loop, n, err) != 0) return err->code;
    if (loop->reason != NULL) break;
    if (n < scene->steps) loop->total++;
    progress(loop);
  }
  if (scene->ops->card->wait(loop->backend, err) != 0) return err->code;
  return mx_control_settle(&loop->control, err);
}

/* Says whether a run writes output: the run of the first driven port does. */
static bool writes_output(const struct mx_ports *ports, long excitation)
{
  for (long i = 0; i < excitation; i++)
    if (mx_ports_driven(ports, (size_t)i)) return false;
  return true;
}

/* Removes what the earlier run has written of the steps that come again. */
static int cut_folder(const struct mx_loop *loop, long step, struct dg_error *err)
{
  struct mx_plan plan;
  if (mx_output_plan(&plan, &loop->output.scene, err) == 0) (void)!mx_folder_cut(loop->folder, &plan, step, err);
  mx_plan_release(&plan);
  return err->code;
}

int mx_loop_begin(struct mx_loop *loop, const struct mx_checkpoint *checkpoint, long *first, struct dg_error *err)
{
  const struct mx_scene *scene = loop->scene;
  struct mx_run_state state = state_of(loop);
  *first = 0;
  loop->checkpointed = -1;
  if (loop->resume) {
    if (mx_checkpoint_load(checkpoint, &state, err) != 0 ||
        mx_balance_resume(mx_output_balance(&loop->output), err) != 0)
      return err->code;
    *first = loop->counters.step;
    loop->total = loop->checkpointed = loop->counters.total;
    loop->output_seconds = loop->counters.output;
    loop->counters.restarts++;
    loop->ended = loop->counters.ended > 0;
    if (dg_comm_rank(scene->comm) == 0 && writes_output(&scene->sources->ports, loop->counters.excitation) &&
        cut_folder(loop, *first + loop->ended, err) != 0) /* the last step's files are not written again */
      return err->code;
    if (dg_comm_agree(scene->comm, err) != 0) return err->code; /* before other ranks write there */
    dg_log_line(scene->log, "restart   at step %ld of %ld, after %.2f s", *first, scene->steps, loop->counters.elapsed);
  }
  loop->pace = mx_progress_pace(scene->config, scene->log);
  loop->started = loop->pace.begun - loop->counters.elapsed;
  return 0;
}

/* Spectra are integrals over the whole run: what is left at its end is missing in them. */
static void check_spectra(struct mx_loop *loop)
{
  const double enough = -40; /* of the energy; fields of 1 % */
  const double left = mx_watchdog_decibel(watchdog_of(loop));
  if (loop->scene->phasors->count == 0 || !(left > enough)) return;
  dg_log_warning(loop->scene->log,
                 "output.spectra: the run ends when the energy is only %.1f dB below its peak, and what comes later is "
                 "missing in the spectra; give time.stop (or time.decay) more",
                 -left);
}

/* Without damping, what the mesh cannot hold goes on ringing when all else has died away. */
static void check_decay(struct mx_loop *loop)
{
  const struct mx_config *config = loop->scene->config;
  const double left = mx_watchdog_decay(watchdog_of(loop), loop->scene->step * (double)loop->done);
  if (!(config->time.decay > 0) || loop->reason != NULL || config->alpha >= MX_FLUX_DAMPS) return;
  if (!(left > -config->time.decay)) return;
  dg_log_warning(loop->scene->log,
                 "time.decay: the run ends %.1f dB below its maximum, and not %.4g dB: flux = %g lets what the mesh "
                 "cannot hold ring on; flux = \"damped\" damps it",
                 -left, config->time.decay, config->alpha);
}

/* Runs the loop and keeps what the ports had at its end: further runs for S-parameters forget it. */
static int noted_loop(struct mx_loop *loop, long first, struct dg_error *err)
{
  const int status = time_loop(loop, first, err);
  if (loop->writes) {
    if (status == 0) check_spectra(loop);
    if (status == 0) check_decay(loop);
    mx_output_end(&loop->output);
  }
  return status;
}

/* Why the fields ended, as checkpoints have it: 1 and up. */
static const char *const ends[] = {NULL, "decay", "function", "hook"};
enum { ENDS = sizeof ends / sizeof *ends };

bool mx_loop_ended_at_last(const struct mx_counters *counters) { return counters->ended == 1; }

/* Goes on behind the end of the fields. */
static void take_end(struct mx_loop *loop)
{
  const long why = loop->counters.ended - 1;
  loop->done = loop->counters.step;
  loop->reason = why < ENDS ? ends[why] : NULL;
}

/* Writes a checkpoint at the end of the fields, behind which no step is made. */
static int keep_end(struct mx_loop *loop, struct dg_error *err)
{
  if (!loop->heat_follows) return 0;
  loop->counters.ended = 1;
  for (int i = 1; i < ENDS; i++)
    if (loop->reason != NULL && strcmp(loop->reason, ends[i]) == 0) loop->counters.ended = 1 + i;
  return checkpoint(loop, loop->done, false, err);
}

/* S-parameters take a run from t = 0 for every driven port. The first writes all output; the others only add their
 * columns to the matrix. `first` is the step to begin with, of the run at which a checkpoint was written. */
static int run_fields(struct mx_loop *loop, long first, struct dg_error *err)
{
  const struct mx_scene *scene = loop->scene;
  struct mx_ports *ports = &scene->sources->ports;
  const long resumed = loop->counters.excitation;
  size_t driven = 0, number = 0;
  long longest = 0; /* steps of the longest run so far: a rule that has ended it will end others as well */
  if (loop->resume && mx_sources_resume(scene->sources, first, scene->step, err) != 0) return err->code;
  if (scene->config->output.s_parameters.count == 0) return noted_loop(loop, first, err);
  for (size_t i = 0; i < ports->count; i++) driven += mx_ports_driven(ports, i);
  for (size_t i = 0; i < ports->count; i++) {
    if (!mx_ports_driven(ports, i)) continue;
    number++;
    if (loop->resume && (long)i < resumed) continue;
    const bool goes_on = loop->resume && (long)i == resumed;
    loop->writes = writes_output(ports, (long)i);
    loop->later = (long)(driven - number) * (longest > 0 ? longest : scene->steps);
    loop->counters.excitation = (long)i;
    if (driven > 1)
      dg_log_line(scene->log, "ports     run %zu of %zu: port '%s' is driven", number, driven, mx_ports_name(ports, i));
    if (goes_on) ports->active = (int)i;
    else mx_ports_reset(ports, (int)i);
    if (!goes_on && !loop->writes) {
      mx_sources_reset(scene->sources);
      mx_watchdog_init(watchdog_of(loop), &loop->output.scene);
      if (scene->ops->upload(loop->backend, NULL, NULL, err) != 0) return err->code;
    }
    if (noted_loop(loop, goes_on ? first : 0, err) != 0) return err->code;
    if (loop->done > longest) longest = loop->done;
    if (loop->reason == NULL) loop->counters.cut = loop->done;
    double start = mx_clock();
    const struct mx_watchdog *watchdog = watchdog_of(loop);
    if (mx_s_column(&loop->port_output.s, i, watchdog->last, watchdog->peak, err) != 0) return err->code;
    loop->output_seconds += mx_clock() - start;
  }
  return 0;
}

int mx_loop_run(struct mx_loop *loop, long first, struct dg_error *err)
{
  if (loop->ended) {
    take_end(loop);
    return 0;
  }
  if (run_fields(loop, first, err) != 0) return err->code;
  return keep_end(loop, err);
}
