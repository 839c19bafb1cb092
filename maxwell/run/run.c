#include "maxwell/run/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/run/checkpoint.h"
#include "maxwell/run/control.h"
#include "maxwell/run/folder.h"
#include "maxwell/run/identity.h"
#include "maxwell/run/initial.h"
#include "maxwell/run/model.h"
#include "maxwell/run/output.h"
#include "maxwell/run/phases.h"
#include "maxwell/run/port_output.h"
#include "maxwell/run/summary.h"
#include "maxwell/run/watchdog.h"

struct loop {
  struct mx_setup *setup;
  struct mx_backend *backend;
  const char *folder, *identity;
  struct mx_output output;
  struct mx_port_output port_output;
  struct mx_watchdog watchdog[2]; /* of the run that writes output, and of further runs for S-parameters */
  struct mx_control control;
  struct mx_counters counters; /* of the checkpoint at hand */
  double *port_amplitude;      /* [ports.functionals] */
  double started, output_seconds, last_progress;
  bool writes;                /* output; else this is a further run for S-parameters, which only adds to them */
  bool stopped;               /* by a signal or the clock, in the same step on all ranks */
  long done;                  /* steps */
  long total;                 /* of all runs for S-parameters */
  const char *reason;         /* why the run ends before its last step; NULL: it does not */
  long checkpoints;           /* written */
  long checkpointed;          /* `total` of the last one; -1: none */
  double checkpoint_seconds;  /* that they took */
  struct mx_profile *profile; /* NULL: off */
};

static struct mx_watchdog *watchdog_of(struct loop *loop) { return &loop->watchdog[loop->writes ? 0 : 1]; }

/* Does the script say when to stop, beside the last step? */
static bool has_rules(const struct loop *loop)
{
  return loop->setup->config->time.decay > 0 || loop->setup->config->time.finish >= 0;
}

static double loop_seconds(const struct loop *loop) { return mx_clock() - loop->started - loop->output_seconds; }

static void progress(struct loop *loop)
{
  const struct mx_setup *setup = loop->setup;
  double every = setup->config->output.progress_every, now = mx_clock();
  if (every <= 0 || now - loop->last_progress < every || loop->total == 0) return;
  loop->last_progress = now;
  double rate = (double)loop->total / (now - loop->started), left = (double)(setup->steps - loop->done) / rate;
  double decibel = mx_watchdog_decibel(watchdog_of(loop));
  char energy[40] = "energy -", eta[40];
  if (!isnan(decibel)) snprintf(energy, sizeof energy, "energy %.1f dB", decibel + 0.0);
  snprintf(eta, sizeof eta, "%ld:%02ld:%02ld", (long)left / 3600, (long)left / 60 % 60, (long)left % 60);
  dg_log_progress(setup->log, "step %ld/%ld  t = %.4g s  %s  %.3g DoF/s  ETA %s", loop->done, setup->steps,
                  setup->step * (double)loop->done, energy,
                  (double)setup->unknowns * (double)loop->total / loop_seconds(loop), eta);
}

/* The script's rules, behind a look at the energy. Collective. */
static int look_at_rules(struct loop *loop, long n, double t, struct dg_error *err)
{
  const struct mx_setup *setup = loop->setup;
  const struct mx_watchdog *watchdog = watchdog_of(loop);
  double decibel = mx_watchdog_decibel(watchdog);
  if (setup->config->time.decay > 0 && decibel <= -setup->config->time.decay) {
    loop->reason = "decay";
    dg_log_line(setup->log, "stop      step %ld: the energy is %.1f dB below its maximum", n, -decibel);
  }
  if (setup->config->time.finish < 0 || loop->reason != NULL) return 0;
  bool finished = false;
  if (dg_comm_rank(setup->comm) == 0) { /* clocks and the like may tell other ranks something else */
    const double in[] = {t, (double)n, watchdog->last};
    mx_sources_pause(&loop->setup->sources);
    if (mx_script_ask(setup->script, setup->config->time.finish, "time.finish", 3, in, &finished, err) != 0)
      return err->code;
  }
  if (dg_comm_broadcast(setup->comm, sizeof finished, &finished, err) != 0) return err->code;
  if (!finished) return 0;
  loop->reason = "function";
  dg_log_line(setup->log, "stop      step %ld: time.finish says so", n);
  return 0;
}

/* The fields are those at t_n, if this step is `observed`: look and write. */
static int observe(struct loop *loop, long n, bool observed, struct dg_error *err)
{
  const struct mx_backend_ops *ops = loop->setup->ops;
  struct mx_watchdog *watchdog = watchdog_of(loop);
  const bool looks = observed && mx_watchdog_due(watchdog, n);
  const bool asks = looks || (observed && loop->writes && mx_output_asks(&loop->output, n));
  /* What asks for values waits for the steps behind which they are: that is their time, not output's. */
  if (asks && ops->wait != NULL && ops->wait(loop->backend, err) != 0) return err->code;
  double start = mx_clock(), t = loop->setup->step * (double)n;
  struct mx_mark mark = mx_phase_begin(loop->profile);
  int status = 0;
  if (looks) status = mx_watchdog_look(watchdog, loop->backend, err);
  if (status == 0 && watchdog->alarm[0] != '\0') {
    /* What was measured until now tells how it came to that. */
    status = mx_output_drain(&loop->output, err);
    if (status == 0) status = mx_watchdog_stop(watchdog, loop->backend, n, err);
  }
  if (status == 0 && looks && has_rules(loop) && n < loop->setup->steps) status = look_at_rules(loop, n, t, err);
  if (status == 0 && observed && loop->writes) status = mx_output_write(&loop->output, loop->backend, n, t, err);
  loop->output_seconds += mx_clock() - start;
  mx_phase_end(loop->profile, mark, "output", (struct mx_cost){0, 0});
  return status;
}

/* The values of ports at t_n are ready. */
static int write_ports(struct loop *loop, long n, struct dg_error *err)
{
  if (!loop->writes) return 0;
  double start = mx_clock();
  struct mx_mark mark = mx_phase_begin(loop->profile);
  int status = mx_port_output_write(&loop->port_output, n, loop->setup->step * (double)n, err);
  loop->output_seconds += mx_clock() - start;
  mx_phase_end(loop->profile, mark, "output", (struct mx_cost){0, 0});
  return status;
}

/* What drives stage s of step n; where ports are looked at, as the fields are now, or as they were when that was begun.
 * Of the stage behind the last one only the ports' part is wanted, for output. */
static int evaluate_sources(struct loop *loop, long n, int s, bool last, bool begun,
                            const struct mx_stage_sources **sources, struct dg_error *err)
{
  struct mx_setup *setup = loop->setup;
  struct mx_ports *ports = &setup->sources.ports;
  double start = mx_clock();
  struct mx_mark mark = mx_phase_begin(loop->profile);
  int status = 0;
  if (ports->functionals > 0) {
    double *value = loop->port_amplitude;
    status = begun ? setup->ops->functionals_end(loop->backend, ports->first, ports->functionals, value, err)
                   : setup->ops->functionals(loop->backend, ports->first, ports->functionals, false, value, err);
    if (status == 0) status = mx_ports_sum(ports, value, err);
    if (status == 0) mx_ports_record(ports, n, s, value);
  }
  if (last) mx_sources_evaluate_ports(&setup->sources, n, s, setup->step);
  else if (status == 0 && mx_sources_evaluate(&setup->sources, n, s, setup->step, sources, err) != 0)
    status = dg_context(err, "in step %ld of %ld", n, setup->steps);
  setup->seconds.sources += mx_clock() - start;
  mx_phase_end(loop->profile, mark, "sources, evaluated", (struct mx_cost){0, 0});
  return status;
}

/* Stage s of step n, behind which nothing is left to do if it is `last` or the run is to end. */
static int run_stage(struct loop *loop, long n, int s, bool observed, bool last, struct dg_error *err)
{
  struct mx_setup *setup = loop->setup;
  const struct mx_backend_ops *ops = setup->ops;
  const struct mx_stage_sources *sources = NULL;
  const bool here = s == mx_schemes[setup->config->time.integrator].observe_stage;
  if (evaluate_sources(loop, n, s, last, false, &sources, err) != 0 ||
      (here && (write_ports(loop, n, err) != 0 || observe(loop, n, observed, err) != 0)))
    return err->code;
  if (last || loop->reason != NULL) return 0;
  if (ops->stage_begin(loop->backend, s, observed, sources, err) != 0) return err->code;
  return ops->stage_end(loop->backend, s, err);
}

/* The same where the sources wait for what ports have of the fields before the stage: a card works on it meanwhile. */
static int run_stage_ahead(struct loop *loop, long n, int s, bool observed, bool last, struct dg_error *err)
{
  struct mx_setup *setup = loop->setup;
  const struct mx_backend_ops *ops = setup->ops;
  const struct mx_ports *ports = &setup->sources.ports;
  const struct mx_stage_sources *sources = NULL;
  const bool here = s == mx_schemes[setup->config->time.integrator].observe_stage;
  if (ops->functionals_begin(loop->backend, ports->first, ports->functionals, err) != 0 ||
      (here && observe(loop, n, observed, err) != 0))
    return err->code;
  last = last || loop->reason != NULL;
  if ((!last && ops->stage_begin(loop->backend, s, observed, &mx_sources_follow, err) != 0) ||
      evaluate_sources(loop, n, s, last, true, &sources, err) != 0 || (here && write_ports(loop, n, err) != 0))
    return err->code;
  if (last) return 0;
  if (ops->stage_sources(loop->backend, s, sources, err) != 0) return err->code;
  return ops->stage_end(loop->backend, s, err);
}

/* One step, or as much of the step after the last as its observation needs. */
static int step(struct loop *loop, long n, struct dg_error *err)
{
  struct mx_setup *setup = loop->setup;
  const struct mx_scheme *scheme = &mx_schemes[setup->config->time.integrator];
  const bool ahead = setup->sources.ports.functionals > 0 && setup->ops->stage_sources != NULL;
  bool looks = (loop->writes || has_rules(loop)) && mx_watchdog_due(watchdog_of(loop), n);
  bool observed = looks || (loop->writes && mx_output_due(&loop->output, n));
  for (int s = 0; s < scheme->stages; s++) {
    const bool last = n == setup->steps && s == scheme->observe_stage;
    if ((ahead ? run_stage_ahead : run_stage)(loop, n, s, observed, last, err) != 0) return err->code;
    if (last || loop->reason != NULL) return 0;
  }
  return 0;
}

static struct mx_run_state state_of(struct loop *loop)
{
  return (struct mx_run_state){.setup = loop->setup,
                               .backend = loop->backend,
                               .folder = loop->folder,
                               .identity = loop->identity,
                               .output = &loop->output,
                               .port_output = &loop->port_output,
                               .watchdog = loop->watchdog,
                               .counters = &loop->counters};
}

/* Before step n. One that cannot be written is a warning, and the run goes on, unless it `must` be. */
static int checkpoint(struct loop *loop, long n, bool must, struct dg_error *err)
{
  const struct mx_setup *setup = loop->setup;
  const struct mx_run_state state = state_of(loop);
  struct dg_error failure;
  bool written;
  if (loop->checkpointed == loop->total) return 0; /* there is one of this moment */
  if (setup->ops->wait != NULL && setup->ops->wait(loop->backend, err) != 0) return err->code;
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
    dg_log_line(setup->log, "checkpoint at step %ld (%.2f s)", n, seconds);
  } else if (must) {
    const char *why = failure.code != DG_OK ? failure.message : "another rank could not write its part";
    return dg_fail(err, DG_ENVIRONMENT, "stopped at step %ld of %ld without a checkpoint: %s", n, setup->steps, why);
  } else {
    dg_log_warning(setup->log, "no checkpoint at step %ld, the run goes on: %s", n, failure.message);
  }
  return 0;
}

static int stop_early(struct loop *loop, long n, enum mx_stop stop, struct dg_error *err)
{
  const long steps = loop->setup->steps;
  if (stop == MX_STOP_INTERRUPT) {
    loop->stopped = true;
    loop->reason = "signal";
    return dg_fail(err, DG_INTERRUPTED, "interrupted at step %ld of %ld; what was written until then is whole", n,
                   steps);
  }
  if (checkpoint(loop, n, true, err) != 0) return err->code;
  loop->stopped = true;
  loop->reason = stop == MX_STOP_WALLTIME ? "walltime" : "signal";
  return dg_fail(err, DG_INTERRUPTED, "%s at step %ld of %ld; --restart goes on from there",
                 stop == MX_STOP_WALLTIME ? "stopped before the end of time.walltime" : "interrupted", n, steps);
}

/* Of several ranks: those that all have written. */
static int name_snapshots(struct loop *loop, long count, struct dg_error *err)
{
  const double held_up = loop->output.snapshots.held_up;
  const int status = mx_snapshots_name(&loop->output.snapshots, count, err);
  loop->output_seconds += loop->output.snapshots.held_up - held_up;
  return status;
}

static int time_loop(struct loop *loop, long first, struct dg_error *err)
{
  struct mx_setup *setup = loop->setup;
  const long every = setup->config->checkpoint.every;
  mx_control_begin(&loop->control);
  loop->reason = NULL;
  for (long n = first; n <= setup->steps; n++) {
    struct mx_orders orders;
    double step_seconds = loop->total > 0 ? (mx_clock() - loop->started) / (double)loop->total : 0.1;
    loop->done = n;
    loop->control.snapshots = mx_snapshots_ready(&loop->output.snapshots);
    if (setup->config->time.walltime > 0) loop->control.behind = mx_snapshots_behind(&loop->output.snapshots);
    if (mx_control_ask(&loop->control, n, step_seconds, &orders, err) != 0 ||
        name_snapshots(loop, orders.snapshots, err) != 0)
      return err->code;
    if (orders.stop != MX_GO_ON) return stop_early(loop, n, orders.stop, err);
    if ((orders.checkpoint || (every > 0 && n > 0 && n % every == 0)) && checkpoint(loop, n, false, err) != 0)
      return err->code;
    if (step(loop, n, err) != 0) return err->code;
    if (loop->reason != NULL) break;
    if (n < setup->steps) loop->total++;
    progress(loop);
  }
  if (setup->ops->wait != NULL && setup->ops->wait(loop->backend, err) != 0) return err->code;
  return mx_control_settle(&loop->control, err);
}

/* The first driven port is that of the run that writes output. */
static bool writes_output(const struct mx_ports *ports, long excitation)
{
  for (long i = 0; i < excitation; i++)
    if (mx_ports_driven(ports, (size_t)i)) return false;
  return true;
}

/* S-parameters take a run from t = 0 for every driven port. The first writes all output; the others only add their
 * columns to the matrix. `first` is the step to begin with, of the run at which a checkpoint was written. */
static int excite_in_turn(struct loop *loop, long first, struct dg_error *err)
{
  struct mx_setup *setup = loop->setup;
  struct mx_ports *ports = &setup->sources.ports;
  const long resumed = loop->counters.excitation;
  size_t driven = 0, turn = 0;
  if (setup->resume && mx_sources_resume(&setup->sources, first, setup->step, err) != 0) return err->code;
  if (setup->config->output.s_parameters.count == 0) return time_loop(loop, first, err);
  for (size_t i = 0; i < ports->count; i++) driven += mx_ports_driven(ports, i);
  for (size_t i = 0; i < ports->count; i++) {
    if (!mx_ports_driven(ports, i)) continue;
    turn++;
    if (setup->resume && (long)i < resumed) continue;
    const bool goes_on = setup->resume && (long)i == resumed;
    loop->writes = writes_output(ports, (long)i);
    loop->counters.excitation = (long)i;
    if (driven > 1)
      dg_log_line(setup->log, "ports     run %zu of %zu: port '%s' is driven", turn, driven, mx_ports_name(ports, i));
    mx_ports_reset(ports, (int)i);
    if (!goes_on && !loop->writes) {
      mx_sources_reset(&setup->sources);
      mx_watchdog_init(watchdog_of(loop), setup);
      if (setup->ops->upload(loop->backend, NULL, NULL, err) != 0) return err->code;
    }
    if (time_loop(loop, goes_on ? first : 0, err) != 0) return err->code;
    double start = mx_clock();
    mx_port_output_column(&loop->port_output, i);
    loop->output_seconds += mx_clock() - start;
  }
  return 0;
}

static const char *status_word(enum dg_code code)
{
  switch (code) {
  case DG_OK:
    return "done";
  case DG_INTERRUPTED:
    return "interrupted";
  case DG_BLEW_UP:
    return "blew up";
  default:
    return "failed";
  }
}

static void report_transport(struct mx_setup *setup, const struct mx_backend *backend)
{
  const struct mx_halo_use use = setup->ops->halo_use(backend);
  setup->transport = use.transport;
  if (use.transport != NULL)
    dg_log_line(setup->log, "halo      traces travel %s (%s)%s",
                strcmp(use.transport, "direct") == 0 ? "from GPU to GPU" : "through the memory of the host",
                use.transport, use.fell_back ? ": this MPI does not say that it takes the GPU's memory" : "");
}

/* Behind the first calls of all functions that are called for every node. */
static void report_lua_threads(const struct mx_setup *setup)
{
  const char *alone = mx_script_alone(setup->script);
  if (setup->lua_threads > 1) dg_log_line(setup->log, "lua       %d threads call functions", setup->lua_threads);
  if (alone != NULL) dg_log_line(setup->log, "lua       one thread calls functions: %s", alone);
}

/* The backend with the initial fields in it, or those of a checkpoint. */
static int start_backend(struct mx_backend **backend, struct mx_setup *setup, const struct mx_checkpoint *checkpoint,
                         struct dg_error *err)
{
  const struct mx_backend_options options = mx_setup_backend_options(setup);
  double *E = NULL, *H = NULL, start = mx_clock();
  if (setup->ops->create(backend, &setup->problem, &options, err) != 0) goto fail;
  setup->threads = setup->ops->threads(*backend);
  report_transport(setup, *backend);
  if (!setup->resume && mx_initial_fields(setup, &E, &H, err) != 0) goto fail;
  report_lua_threads(setup);
  if (!setup->resume && E == NULL && H == NULL && setup->sources.count == 0)
    dg_log_warning(setup->log, "there are no initial fields and no sources: every field stays zero");
  if (setup->ops->upload(*backend, E, H, err) != 0) goto fail;
  if (setup->resume && mx_checkpoint_load_fields(checkpoint, *backend, err) != 0) goto fail;
  if (setup->comm != NULL && mx_model_init(&setup->model, setup, *backend, err) != 0) goto fail;
  if (setup->profiling) {
    setup->profile = (struct mx_profile){.count = 1, .phase = {{.name = "halo"}}}; /* one rank has none */
    if (mx_profile_backend(backend, &setup->profiled, setup->ops, &setup->profile, err) != 0) goto fail;
    setup->ops = &setup->profiled;
  }
fail:
  dg_free(E);
  dg_free(H);
  setup->seconds.setup += mx_clock() - start;
  return err->code;
}

/* Where Lua was at work nearly all the time and the loop waited for it: then it is what the run's speed hangs on. A
 * loop that waits for a Lua with time to spare would otherwise have waited for the card. */
static void report_sources(const struct mx_summary *summary)
{
  const struct mx_setup *setup = summary->setup;
  const double lua = setup->seconds.sources_ahead, waited = fmin(setup->seconds.sources, lua);
  char threads[40] = "one thread";
  if (setup->lua_threads > 1 && mx_script_alone(setup->script) == NULL)
    snprintf(threads, sizeof threads, "%d threads", setup->lua_threads);
  if (lua > 0.9 * summary->loop_seconds && waited > 0.1 * summary->loop_seconds)
    dg_log_line(
        setup->log,
        "sources   the loop waited for them %.0f %% of its time: Lua cannot keep up with the %s backend in %s; a "
        "profile with a waveform costs nothing",
        100 * waited / summary->loop_seconds, setup->ops->name, threads);
}

/* Where steps had to wait for the disk; not for what the end waits. */
static void report_snapshots(const struct mx_summary *summary, double waited)
{
  const double worth_saying = 0.05;
  if (waited > worth_saying * summary->loop_seconds)
    dg_log_line(
        summary->setup->log,
        "snapshots the loop waited %.2f s for the disk, which worked on them for %.2f s (output.fields.ahead = %d)",
        waited, summary->setup->seconds.snapshots_behind, summary->setup->config->output.fields.ahead);
}

static void report(const struct mx_summary *summary, const struct mx_output *output, const char *folder)
{
  const struct mx_setup *setup = summary->setup;
  dg_log_line(setup->log,
              "done      %ld steps in %.2f s: %.4g DoF/s, %.4g evaluations/s; output %.2f s; peak memory %.1f MB",
              summary->steps_done, summary->loop_seconds, mx_summary_dof_per_second(summary),
              mx_summary_dof_per_second(summary) * mx_schemes[setup->config->time.integrator].evaluations,
              setup->seconds.output, 1e-6 * setup->peak_memory);
  if (setup->card_memory > 0) dg_log_line(setup->log, "card      %.1f MB of its memory", 1e-6 * setup->card_memory);
  report_sources(summary);
  report_snapshots(summary, output->snapshots.waited);
  if (setup->comm != NULL && summary->steps_total > 0)
    mx_model_report(&setup->model, setup, summary->loop_seconds / (double)summary->steps_total,
                    setup->seconds.halo / (double)summary->steps_total,
                    setup->halo_least / (double)summary->steps_total);
  if (setup->profiling) mx_phases_log(&setup->profile, setup->log);
  dg_log_line(setup->log, "output    %s/ (%ld snapshots, %zu measurements)", folder,
              mx_snapshots_written(&output->snapshots), setup->config->output.measures);
}

/* What the run took, of the rank that took most. */
static int gather_costs(struct mx_setup *setup, struct mx_backend *backend, struct dg_error *err)
{
  struct mx_halo_use use = setup->ops->halo_use(backend);
  double most[] = {use.seconds,
                   (double)use.bytes,
                   (double)dg_memory_resident_peak(),
                   setup->seconds.sources,
                   setup->seconds.sources_ahead,
                   -use.seconds,
                   -(double)mx_script_threads(setup->script),
                   setup->ops->allocated != NULL ? (double)setup->ops->allocated(backend) : 0,
                   setup->seconds.snapshots,
                   setup->seconds.snapshots_behind};
  if (dg_comm_reduce(setup->comm, DG_MAX, sizeof most / sizeof *most, most, err) != 0) return err->code;
  setup->seconds.halo = most[0];
  setup->halo_bytes = most[1];
  setup->peak_memory = most[2];
  setup->seconds.sources = most[3];
  setup->seconds.sources_ahead = most[4];
  setup->halo_least = -most[5];
  setup->lua_threads = -(int)most[6];
  setup->card_memory = most[7];
  setup->seconds.snapshots = most[8];
  setup->seconds.snapshots_behind = most[9];
  return 0;
}

/* Where the run begins: at its start, or where the checkpoint was written, with the tables cut to what they were. */
static int begin(struct loop *loop, const struct mx_checkpoint *checkpoint, long *first, struct dg_error *err)
{
  struct mx_setup *setup = loop->setup;
  const struct mx_run_state state = state_of(loop);
  *first = 0;
  loop->checkpointed = -1;
  if (setup->resume) {
    if (mx_checkpoint_load(checkpoint, &state, err) != 0) return err->code;
    *first = loop->counters.step;
    loop->total = loop->checkpointed = loop->counters.total;
    loop->output_seconds = loop->counters.output;
    loop->counters.restarts++;
    if (dg_comm_rank(setup->comm) == 0 && writes_output(&setup->sources.ports, loop->counters.excitation) &&
        mx_folder_cut(loop->folder, *first, err) != 0)
      return err->code;
    if (dg_comm_agree(setup->comm, err) != 0) return err->code; /* before other ranks write there */
    dg_log_line(setup->log, "restart   at step %ld of %ld, after %.2f s", *first, setup->steps, loop->counters.elapsed);
  }
  loop->last_progress = mx_clock();
  loop->started = loop->last_progress - loop->counters.elapsed;
  return 0;
}

static const char *stop_reason(const struct loop *loop)
{
  if (loop->reason != NULL) return loop->reason;
  return loop->setup->config->time.stop > 0 ? "end time" : "steps";
}

/* Runs the loop in a prepared folder and fills the summary. */
static int run_in(struct mx_setup *setup, struct mx_backend *backend, const struct mx_checkpoint *checkpoint,
                  const char *folder, const char *identity, struct mx_summary *summary, struct dg_error *err)
{
  struct loop loop = {.setup = setup,
                      .backend = backend,
                      .folder = folder,
                      .identity = identity,
                      .writes = true,
                      .profile = setup->profiling ? &setup->profile : NULL};
  struct mx_signals *saved = NULL;
  long first;
  mx_watchdog_init(&loop.watchdog[0], setup);
  mx_watchdog_init(&loop.watchdog[1], setup);
  if (mx_control_init(&loop.control, &saved, setup, mx_checkpoint_bytes(setup), err) != 0 ||
      mx_output_open(&loop.output, setup, backend, folder, err) != 0 ||
      mx_port_output_open(&loop.port_output, setup, folder, err) != 0 ||
      DG_NEW(loop.port_amplitude, setup->sources.ports.functionals, err) != 0 ||
      begin(&loop, checkpoint, &first, err) != 0)
    goto fail;
  struct mx_mark mark = mx_phase_begin(loop.profile);
  int status = excite_in_turn(&loop, first, err);
  mx_phase_end(loop.profile, mark, "time loop, rest", (struct mx_cost){0, 0});
  summary->loop_seconds = setup->seconds.stepping = loop_seconds(&loop);
  double start = mx_clock();
  struct dg_error late = {0}; /* what an interrupted run cannot write any more is not the news */
  /* All ranks come this far, also when interrupted, and none may stop the others before they have finished. */
  bool finish = status == 0 || loop.stopped;
  if (finish && (mx_output_finish(&loop.output, &late) != 0 || dg_comm_agree(setup->comm, &late) != 0) && status == 0) {
    *err = late;
    status = late.code;
  }
  if (mx_output_close(&loop.output, err) != 0 && status == 0) status = err->code;
  if (mx_port_output_close(&loop.port_output, err) != 0 && status == 0) status = err->code;
  setup->seconds.sources_ahead = mx_sources_seconds_ahead(&setup->sources);
  setup->seconds.output = loop.output_seconds + mx_clock() - start;
  setup->seconds.snapshots = loop.output.snapshots.held_up;
  setup->seconds.snapshots_behind = mx_snapshots_seconds(&loop.output.snapshots);
  summary->steps_done = loop.done;
  summary->steps_total = loop.total;
  summary->simulated_time = setup->step * (double)loop.done;
  summary->energy_first = loop.watchdog[0].first;
  summary->energy_last = loop.watchdog[0].last;
  summary->stop_reason = finish ? stop_reason(&loop) : NULL;
  summary->checkpoints = loop.checkpoints;
  summary->checkpoint_seconds = loop.checkpoint_seconds;
  summary->restarts = loop.counters.restarts;
  (void)!mx_control_settle(&loop.control, err); /* of a run that failed */
  if (status == 0) status = gather_costs(setup, backend, err);
  if (status == 0) report(summary, &loop.output, folder);
  if (status == 0 && dg_log_status(setup->log) != 0)
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot write '%s/log.txt': %s", folder, strerror(dg_log_status(setup->log)));
fail:
  mx_control_end(saved);
  mx_output_release(&loop.output);
  mx_port_output_release(&loop.port_output);
  dg_free(loop.port_amplitude);
  return err->code;
}

/* What can fail before the first step fails before the output of an earlier run is removed. */
static int prepare(struct mx_setup *setup, const char *folder, const struct mx_summary *summary, bool *ours,
                   struct dg_error *err)
{
  char *log_path = NULL;
  if (mx_folder_path(&log_path, folder, "log.txt", err) != 0 || mx_folder_prepare(folder, err) != 0 ||
      mx_output_prepare(setup->config, folder, err) != 0 ||
      (setup->sources.ports.count > 0 && mx_folder_part(folder, "ports", err) != 0) ||
      mx_summary_write(summary, folder, err) != 0)
    goto fail;
  *ours = true;
  if (!setup->resume && mx_folder_empty(folder, err) != 0) goto fail;
  if (setup->log != NULL) (void)!dg_log_open(setup->log, log_path, setup->resume, err);
fail:
  dg_free(log_path);
  return err->code;
}

static int find_checkpoint(struct mx_checkpoint *checkpoint, const struct mx_setup *setup, const char *folder,
                           const char *identity, struct dg_error *err)
{
  struct mx_counters counters;
  if (mx_checkpoint_find(checkpoint, setup, folder, identity, err) != 0 ||
      mx_checkpoint_counters(checkpoint, &counters, err) != 0)
    return err->code;
  if (counters.step <= setup->steps) return 0;
  return dg_fail(err, DG_INPUT, "--restart: the checkpoint was written at step %ld, and the run has only %ld",
                 counters.step, setup->steps);
}

int mx_run(struct mx_setup *setup, const char *folder, struct dg_error *err)
{
  const bool first = dg_comm_rank(setup->comm) == 0;
  struct mx_backend *backend = NULL;
  struct mx_checkpoint checkpoint = {0};
  struct mx_summary summary = {.setup = setup, .status = "running", .energy_first = NAN, .energy_last = NAN};
  setup->peak_memory = (double)dg_memory_resident_peak();
  char *identity =
      NULL; /* now, before functions of the script have changed what they remember, and no thread calls one */
  if (mx_identity(&identity, setup, err) != 0 ||
      (setup->resume && find_checkpoint(&checkpoint, setup, folder, identity, err) != 0) ||
      start_backend(&backend, setup, &checkpoint, err) != 0 || dg_comm_agree(setup->comm, err) != 0)
    goto fail;
  bool ours = false; /* the folder, which then has a summary */
  int status = first ? prepare(setup, folder, &summary, &ours, err) : 0;
  if (status == 0) status = dg_comm_agree(setup->comm, err);
  if (status == 0) status = run_in(setup, backend, &checkpoint, folder, identity, &summary, err);
  dg_comm_stop(setup->comm, err);
  summary.status = status_word(err->code);
  summary.error = status != 0 ? err->message : NULL;
  struct dg_error late = {0}; /* after another error, a summary that cannot be written is not the news */
  if (ours && mx_summary_write(&summary, folder, &late) != 0 && status == 0) *err = late;
fail:
  mx_setup_explain(setup, err);
  setup->ops->destroy(backend);
  mx_checkpoint_release(&checkpoint);
  dg_free(identity);
  return err->code;
}
