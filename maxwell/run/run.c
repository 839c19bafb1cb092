#include "maxwell/run/run.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/run/folder.h"
#include "maxwell/run/initial.h"
#include "maxwell/run/model.h"
#include "maxwell/run/output.h"
#include "maxwell/run/phases.h"
#include "maxwell/run/port_output.h"
#include "maxwell/run/summary.h"
#include "maxwell/run/watchdog.h"

/* The only global of the program: a signal handler can reach nothing else. */
static volatile sig_atomic_t interrupted;

static void on_signal(int number) { interrupted = number; }

static void catch_signals(struct sigaction saved[2])
{
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  action.sa_flags = (int)SA_RESETHAND; /* a second Ctrl-C ends the program at once */
  interrupted = 0;
  sigaction(SIGINT, &action, &saved[0]);
  sigaction(SIGTERM, &action, &saved[1]);
}

static void restore_signals(const struct sigaction saved[2])
{
  sigaction(SIGINT, &saved[0], NULL);
  sigaction(SIGTERM, &saved[1], NULL);
}

struct loop {
  struct mx_setup *setup;
  struct mx_backend *backend;
  struct mx_output output;
  struct mx_port_output port_output;
  struct mx_watchdog watchdog;
  double *port_amplitude; /* [ports.functionals] */
  double started, output_seconds, last_progress;
  bool writes;                /* output; else this is a further run for S-parameters, which only adds to them */
  bool stopped;               /* by a signal, in the same step on all ranks */
  long done;                  /* steps */
  long total;                 /* of all runs for S-parameters */
  struct dg_reduction *vote;  /* under way: must the ranks stop, and how long does a step take */
  long next_vote, vote_steps; /* the step that begins or ends one, and how many are between */
  struct mx_profile *profile; /* NULL: off */
};

static double loop_seconds(const struct loop *loop) { return mx_clock() - loop->started - loop->output_seconds; }

static void progress(struct loop *loop)
{
  const struct mx_setup *setup = loop->setup;
  double every = setup->config->output.progress_every, now = mx_clock();
  if (every <= 0 || now - loop->last_progress < every || loop->total == 0) return;
  loop->last_progress = now;
  double rate = (double)loop->total / (now - loop->started), left = (double)(setup->steps - loop->done) / rate;
  double decibel = mx_watchdog_decibel(&loop->watchdog);
  char energy[40] = "energy -", eta[40];
  if (!isnan(decibel)) snprintf(energy, sizeof energy, "energy %.1f dB", decibel + 0.0);
  snprintf(eta, sizeof eta, "%ld:%02ld:%02ld", (long)left / 3600, (long)left / 60 % 60, (long)left % 60);
  dg_log_progress(setup->log, "step %ld/%ld  t = %.4g s  %s  %.3g DoF/s  ETA %s", loop->done, setup->steps,
                  setup->step * (double)loop->done, energy,
                  (double)setup->unknowns * (double)loop->total / loop_seconds(loop), eta);
}

/* The values of ports at t_n are ready, and those of the fields if this step is `observed`: look and write. */
static int observe(struct loop *loop, long n, bool observed, struct dg_error *err)
{
  double start = mx_clock(), t = loop->setup->step * (double)n;
  struct mx_mark mark = mx_phase_begin(loop->profile);
  int status = 0;
  if (observed && mx_watchdog_due(&loop->watchdog, n)) status = mx_watchdog_look(&loop->watchdog, loop->backend, err);
  if (status == 0 && loop->watchdog.alarm[0] != '\0') {
    /* What was measured until now tells how it came to that. */
    status = mx_output_drain(&loop->output, err);
    if (status == 0) status = mx_watchdog_stop(&loop->watchdog, loop->backend, n, err);
  }
  if (status == 0 && loop->writes) status = mx_port_output_write(&loop->port_output, n, t, err);
  if (status == 0 && observed) status = mx_output_write(&loop->output, loop->backend, n, t, err);
  loop->output_seconds += mx_clock() - start;
  mx_phase_end(loop->profile, mark, "output", (struct mx_cost){0, 0});
  return status;
}

/* What drives stage s of step n. Of the stage behind the last one only the ports' part is wanted, for output. */
static int evaluate_sources(struct loop *loop, long n, int s, bool last, const struct mx_stage_sources **sources,
                            struct dg_error *err)
{
  struct mx_setup *setup = loop->setup;
  struct mx_ports *ports = &setup->sources.ports;
  double start = mx_clock();
  struct mx_mark mark = mx_phase_begin(loop->profile);
  int status = 0;
  if (ports->functionals > 0) {
    status = setup->ops->functionals(loop->backend, ports->first, ports->functionals, false, loop->port_amplitude, err);
    if (status == 0) status = mx_ports_sum(ports, loop->port_amplitude, err);
    if (status == 0) mx_ports_record(ports, n, s, loop->port_amplitude);
  }
  if (last) mx_sources_evaluate_ports(&setup->sources, n, s, setup->step);
  else if (status == 0 && mx_sources_evaluate(&setup->sources, n, s, setup->step, sources, err) != 0)
    status = dg_context(err, "in step %ld of %ld", n, setup->steps);
  setup->seconds.sources += mx_clock() - start;
  mx_phase_end(loop->profile, mark, "sources, evaluated", (struct mx_cost){0, 0});
  return status;
}

/* One step, or as much of the step after the last as its observation needs. */
static int step(struct loop *loop, long n, struct dg_error *err)
{
  struct mx_setup *setup = loop->setup;
  const struct mx_scheme *scheme = &mx_schemes[setup->config->time.integrator];
  bool observed = loop->writes && (mx_watchdog_due(&loop->watchdog, n) || mx_output_due(&loop->output, n));
  for (int s = 0; s < scheme->stages; s++) {
    const struct mx_stage_sources *sources = NULL;
    bool here = s == scheme->observe_stage, last = n == setup->steps && here;
    /* First the sources: the values of ports at t_n are known once they have been looked at behind this stage. */
    if (evaluate_sources(loop, n, s, last, &sources, err) != 0) return err->code;
    if (here && observe(loop, n, observed, err) != 0) return err->code;
    if (last) return 0;
    if (setup->ops->stage_begin(loop->backend, s, observed, sources, err) != 0 ||
        setup->ops->stage_end(loop->backend, s, err) != 0)
      return err->code;
  }
  return 0;
}

/* Ranks that are interrupted must stop at the same step, and only one may have got the signal: now and then they vote.
 * A vote ends many steps behind its beginning, so that nobody waits for it. */
static int must_stop(struct loop *loop, long n, bool *stop, struct dg_error *err)
{
  enum { MANY = 100000 };
  static const double interval = 0.1; /* seconds between the beginning and the end, and again to the next */
  double step_seconds = loop->total > 0 ? (mx_clock() - loop->started) / (double)loop->total : interval;
  double vote[2] = {interrupted != 0, step_seconds};
  struct dg_comm *comm = loop->setup->comm;
  *stop = comm == NULL && interrupted;
  if (comm == NULL || dg_comm_poll(comm, err) != 0 || n < loop->next_vote) return err->code;
  if (loop->vote == NULL) {
    loop->next_vote = n + loop->vote_steps;
    return dg_reduction_start(&loop->vote, comm, DG_MAX, 2, vote, err);
  }
  struct dg_reduction *ends = loop->vote;
  loop->vote = NULL;
  if (dg_reduction_end(ends, vote, err) != 0) return err->code;
  *stop = vote[0] > 0;
  loop->vote_steps = (long)fmin(fmax(interval / vote[1], 1), MANY);
  loop->next_vote = n + loop->vote_steps;
  return 0;
}

/* Every vote ends, also that of a run that was over before. */
static int end_vote(struct loop *loop, struct dg_error *err)
{
  double vote[2];
  struct dg_reduction *ends = loop->vote;
  loop->vote = NULL;
  if (ends != NULL) (void)!dg_reduction_end(ends, vote, err);
  return err->code;
}

static int time_loop(struct loop *loop, struct dg_error *err)
{
  struct mx_setup *setup = loop->setup;
  loop->next_vote = 0;
  for (long n = 0; n <= setup->steps; n++) {
    bool stop;
    loop->done = n;
    if (must_stop(loop, n, &stop, err) != 0) return err->code;
    loop->stopped = stop;
    if (stop)
      return dg_fail(err, DG_INTERRUPTED, "interrupted at step %ld of %ld; what was written until then is whole", n,
                     setup->steps);
    if (step(loop, n, err) != 0) return err->code;
    if (n < setup->steps) loop->total++;
    progress(loop);
  }
  if (setup->ops->wait != NULL && setup->ops->wait(loop->backend, err) != 0) return err->code;
  return end_vote(loop, err);
}

/* S-parameters take a run from t = 0 for every driven port. The first writes all output; the others only add their
 * columns to the matrix. */
static int excite_in_turn(struct loop *loop, struct dg_error *err)
{
  struct mx_setup *setup = loop->setup;
  struct mx_ports *ports = &setup->sources.ports;
  size_t driven = 0, turn = 0;
  if (setup->config->output.s_parameters.count == 0) return time_loop(loop, err);
  for (size_t i = 0; i < ports->count; i++) driven += mx_ports_driven(ports, i);
  for (size_t i = 0; i < ports->count; i++) {
    if (!mx_ports_driven(ports, i)) continue;
    loop->writes = turn++ == 0;
    if (driven > 1)
      dg_log_line(setup->log, "ports     run %zu of %zu: port '%s' is driven", turn, driven, mx_ports_name(ports, i));
    if (!loop->writes) mx_sources_reset(&setup->sources);
    mx_ports_reset(ports, (int)i);
    if (!loop->writes && setup->ops->upload(loop->backend, NULL, NULL, err) != 0) return err->code;
    if (time_loop(loop, err) != 0) return err->code;
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

/* The backend with the initial fields in it. */
static int start_backend(struct mx_backend **backend, struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_backend_options options = mx_setup_backend_options(setup);
  double *E = NULL, *H = NULL, start = mx_clock();
  if (setup->ops->create(backend, &setup->problem, &options, err) != 0) goto fail;
  setup->threads = setup->ops->threads(*backend);
  if (mx_initial_fields(setup, &E, &H, err) != 0) goto fail;
  if (E == NULL && H == NULL && setup->sources.count == 0)
    dg_log_warning(setup->log, "there are no initial fields and no sources: every field stays zero");
  if (setup->ops->upload(*backend, E, H, err) != 0) goto fail;
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

static void report(const struct mx_summary *summary, const struct mx_output *output, const char *folder)
{
  const struct mx_setup *setup = summary->setup;
  dg_log_line(setup->log,
              "done      %ld steps in %.2f s: %.4g DoF/s, %.4g evaluations/s; output %.2f s; peak memory %.1f MB",
              summary->steps_done, summary->loop_seconds, mx_summary_dof_per_second(summary),
              mx_summary_dof_per_second(summary) * mx_schemes[setup->config->time.integrator].evaluations,
              setup->seconds.output, 1e-6 * setup->peak_memory);
  if (setup->comm != NULL && summary->steps_total > 0)
    mx_model_report(&setup->model, setup, summary->loop_seconds / (double)summary->steps_total,
                    setup->seconds.halo / (double)summary->steps_total,
                    setup->halo_least / (double)summary->steps_total);
  if (setup->profiling) mx_phases_log(&setup->profile, setup->log);
  dg_log_line(setup->log, "output    %s/ (%ld snapshots, %zu measurements)", folder, output->snapshots,
              setup->config->output.measures);
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
                   -use.seconds};
  if (dg_comm_reduce(setup->comm, DG_MAX, sizeof most / sizeof *most, most, err) != 0) return err->code;
  setup->seconds.halo = most[0];
  setup->halo_bytes = most[1];
  setup->peak_memory = most[2];
  setup->seconds.sources = most[3];
  setup->seconds.sources_ahead = most[4];
  setup->halo_least = -most[5];
  return 0;
}

/* Runs the loop in a prepared folder and fills the summary. */
static int run_in(struct mx_setup *setup, struct mx_backend *backend, const char *folder, struct mx_summary *summary,
                  struct dg_error *err)
{
  struct loop loop = {.setup = setup, .writes = true, .profile = setup->profiling ? &setup->profile : NULL};
  struct sigaction saved[2];
  catch_signals(saved);
  mx_script_interrupt(setup->script, &interrupted);
  mx_watchdog_init(&loop.watchdog, setup);
  loop.backend = backend;
  if (mx_output_open(&loop.output, setup, folder, err) != 0 ||
      mx_port_output_open(&loop.port_output, setup, folder, err) != 0 ||
      DG_NEW(loop.port_amplitude, setup->sources.ports.functionals, err) != 0)
    goto fail;
  loop.started = loop.last_progress = mx_clock();
  struct mx_mark mark = mx_phase_begin(loop.profile);
  int status = excite_in_turn(&loop, err);
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
  summary->steps_done = loop.done;
  summary->steps_total = loop.total;
  summary->simulated_time = setup->step * (double)loop.done;
  summary->energy_first = loop.watchdog.first;
  summary->energy_last = loop.watchdog.last;
  (void)!end_vote(&loop, err); /* of a run that failed */
  if (status == 0) status = gather_costs(setup, backend, err);
  if (status == 0) report(summary, &loop.output, folder);
  if (status == 0 && dg_log_status(setup->log) != 0)
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot write '%s/log.txt': %s", folder, strerror(dg_log_status(setup->log)));
fail:
  mx_script_interrupt(setup->script, NULL);
  restore_signals(saved);
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
  if (mx_folder_empty(folder, err) == 0 && setup->log != NULL) (void)!dg_log_open(setup->log, log_path, err);
fail:
  dg_free(log_path);
  return err->code;
}

int mx_run(struct mx_setup *setup, const char *folder, struct dg_error *err)
{
  const bool first = dg_comm_rank(setup->comm) == 0;
  struct mx_backend *backend = NULL;
  struct mx_summary summary = {.setup = setup, .status = "running", .energy_first = NAN, .energy_last = NAN};
  setup->peak_memory = (double)dg_memory_resident_peak();
  if (start_backend(&backend, setup, err) != 0 || dg_comm_agree(setup->comm, err) != 0) goto fail;
  bool ours = false; /* the folder, which then has a summary */
  int status = first ? prepare(setup, folder, &summary, &ours, err) : 0;
  if (status == 0) status = dg_comm_agree(setup->comm, err);
  if (status == 0) status = run_in(setup, backend, folder, &summary, err);
  dg_comm_stop(setup->comm, err);
  summary.status = status_word(err->code);
  summary.error = status != 0 ? err->message : NULL;
  struct dg_error late = {0}; /* after another error, a summary that cannot be written is not the news */
  if (ours && mx_summary_write(&summary, folder, &late) != 0 && status == 0) *err = late;
fail:
  setup->ops->destroy(backend);
  return err->code;
}
