/* The fields of a run: those at t = 0, the time loop, and the report at its end, whatever happens. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/emergency.h"
#include "libdg/base/memory.h"
#include "maxwell/model/heat/heat_config.h"
#include "maxwell/run/loop.h"
#include "maxwell/run/run.h"
#include "maxwell/run/session.h"
#include "maxwell/setup/slow_elements.h"
#include "maxwell/shell/phases.h"
#include "maxwell/statics/start.h"

static void report_transport(struct mx_summary *summary, const struct mx_backend *backend)
{
  const struct mx_scene *scene = summary->scene;
  const struct mx_halo_use use = scene->ops->halo_use(backend);
  summary->transport = use.transport;
  if (use.transport != NULL)
    dg_log_line(scene->log, "halo      traces travel %s (%s)%s",
                strcmp(use.transport, "direct") == 0 ? "from GPU to GPU" : "through the memory of the host",
                use.transport, use.fell_back ? ": this MPI does not say that it takes the GPU's memory" : "");
}

/* Reports the threads for Lua. Call it behind the first calls of all functions that are called for every node. */
static void report_lua_threads(const struct mx_scene *scene, int threads)
{
  const char *alone = mx_origin_alone(scene->origin);
  if (threads > 1) dg_log_line(scene->log, "lua       %d threads call functions", threads);
  if (alone != NULL) dg_log_line(scene->log, "lua       one thread calls functions: %s", alone);
}

/* ---- at t = 0 */

static bool resumes(const struct mx_session *session) { return session->options->resume && !session->repeated; }

static int begin_start(struct mx_session *session, struct dg_error *err)
{
  const struct mx_statics_place place = mx_scene_statics(&session->scene);
  const double start = mx_clock();
  if (!resumes(session) && mx_start_fields(&place, &session->statics, &session->E, &session->H, err) != 0)
    return err->code;
  session->summary.seconds.setup += mx_clock() - start;
  return 0;
}

static int claim_start(struct mx_session *session, struct dg_error *err)
{
  return session->statics.conductors > 0 ? mx_statics_write(&session->statics, session->folder, err) : 0;
}

static void release_start(struct mx_session *session)
{
  dg_free(session->E);
  dg_free(session->H);
  session->E = session->H = NULL;
  mx_statics_release(&session->statics);
}

const struct mx_part mx_start_part = {
    .is_in = mx_has_fields, .step = {[MX_BEGIN] = begin_start, [MX_CLAIM] = claim_start}, .release = release_start};

/* ---- in time */

static int check(struct mx_session *session, struct dg_error *err) { return mx_report_seconds(&session->scene, err); }

/* Makes the backend with the initial fields in it, or those of a checkpoint. */
static int begin(struct mx_session *session, struct dg_error *err)
{
  const struct mx_scene *scene = &session->scene;
  const struct mx_backend_options options = mx_scene_backend_options(scene);
  const bool resume = resumes(session);
  struct mx_summary *summary = &session->summary;
  const double start = mx_clock();
  session->ops = scene->ops;
  if (scene->ops->create(&session->backend, scene->problem, &options, err) != 0) return err->code;
  summary->threads = scene->ops->threads(session->backend);
  report_transport(summary, session->backend);
  report_lua_threads(scene, session->setup->lua_threads);
  if (!resume && session->E == NULL && session->H == NULL && scene->sources->list.count == 0)
    dg_log_warning(scene->log, "there are no initial fields and no sources: every field stays zero");
  if (scene->ops->upload(session->backend, session->E, session->H, err) != 0 ||
      (resume && mx_checkpoint_load_fields(&session->fields_from, scene, session->backend, err) != 0) ||
      (scene->comm != NULL && mx_model_init(&summary->model, scene, session->backend, summary->threads, err) != 0))
    return err->code;
  dg_free(session->E);
  dg_free(session->H);
  session->E = session->H = NULL;
  if (session->options->profile) {
    session->profile = (struct mx_profile){.count = 1, .phase = {{.name = "halo"}}}; /* one rank has none */
    if (mx_profile_backend(&session->backend, &session->profiled, scene->ops, &session->profile, err) != 0)
      return err->code;
    session->ops = &session->profiled.ops;
  }
  summary->seconds.setup += mx_clock() - start;
  return 0;
}

static void release(struct mx_session *session)
{
  if (session->ops != NULL) session->ops->destroy(session->backend);
  session->backend = NULL;
  mx_resonances_release(&session->summary.resonances);
  mx_s_quality_release(&session->summary.quality);
}

/* Reports where Lua was at work nearly all the time and the loop waited for it: the run's speed then depends on Lua. If
 * Lua had time to spare, a loop that waits for it would otherwise have waited for the card. */
static void report_sources(const struct mx_summary *summary)
{
  const struct mx_scene *scene = summary->scene;
  const double lua = summary->seconds.sources_ahead, waited = fmin(summary->seconds.sources, lua);
  char threads[40] = "one thread";
  if (summary->lua_threads > 1 && mx_origin_alone(scene->origin) == NULL)
    snprintf(threads, sizeof threads, "%d threads", summary->lua_threads);
  if (lua > 0.9 * summary->loop_seconds && waited > 0.1 * summary->loop_seconds)
    dg_log_line(
        scene->log,
        "sources   the loop waited for them %.0f %% of its time: Lua cannot keep up with the %s backend in %s; a "
        "profile with a waveform costs nothing",
        100 * waited / summary->loop_seconds, scene->ops->name, threads);
}

/* Reports where steps had to wait for the disk. The waiting at the end does not count. */
static void report_snapshots(const struct mx_summary *summary, double waited)
{
  const double worth_saying = 0.05;
  if (waited > worth_saying * summary->loop_seconds)
    dg_log_line(
        summary->scene->log,
        "snapshots the loop waited %.2f s for the disk, which worked on them for %.2f s (output.fields.ahead = %d)",
        waited, summary->seconds.snapshots_behind, summary->scene->config->output.fields.ahead);
}

static void report(const struct mx_summary *summary, const struct mx_output *output, const struct mx_folder *folder)
{
  const struct mx_scene *scene = summary->scene;
  dg_log_line(scene->log,
              "done      %ld steps in %.2f s: %.4g DoF/s, %.4g evaluations/s; output %.2f s; peak memory %.1f MB",
              summary->steps_done, summary->loop_seconds, mx_summary_dof_per_second(summary),
              mx_summary_dof_per_second(summary) * mx_schemes[scene->config->time.integrator].evaluations,
              summary->seconds.output, 1e-6 * summary->peak_memory);
  if (summary->card_memory > 0) dg_log_line(scene->log, "card      %.1f MB of its memory", 1e-6 * summary->card_memory);
  report_sources(summary);
  report_snapshots(summary, mx_output_snapshots(output)->waited);
  if (scene->comm != NULL && summary->steps_total > 0)
    mx_model_report(&summary->model, scene, summary->loop_seconds / (double)summary->steps_total,
                    summary->seconds.halo / (double)summary->steps_total,
                    summary->halo_least / (double)summary->steps_total);
  if (summary->profile != NULL) mx_phases_log(summary->profile, scene->log);
  const size_t ports = scene->config->output.ports_every > 0 ? scene->sources->ports.count : 0;
  char said[40] = "";
  if (ports > 0) snprintf(said, sizeof said, ", %zu ports", ports);
  dg_log_line(scene->log, "output    %s/ (%ld snapshots, %zu measurements%s)", folder->path,
              mx_snapshots_written(mx_output_snapshots(output)), scene->config->output.measures, said);
}

/* Gathers seconds and memory of the run, of the rank that took most. */
static int gather_costs(struct mx_summary *summary, const struct mx_scene *scene, struct dg_error *err)
{
  struct mx_halo_use use = scene->ops->halo_use(scene->backend);
  double most[] = {use.seconds,
                   (double)use.bytes,
                   (double)dg_memory_resident_peak(),
                   summary->seconds.sources,
                   summary->seconds.sources_ahead,
                   -use.seconds,
                   -(double)mx_origin_threads(scene->origin),
                   (double)scene->ops->card->allocated(scene->backend),
                   summary->seconds.snapshots,
                   summary->seconds.snapshots_behind};
  if (dg_comm_reduce(scene->comm, DG_MAX, sizeof most / sizeof *most, most, err) != 0) return err->code;
  summary->seconds.halo = most[0];
  summary->halo_bytes = most[1];
  summary->peak_memory = most[2];
  summary->seconds.sources = most[3];
  summary->seconds.sources_ahead = most[4];
  summary->halo_least = -most[5];
  summary->lua_threads = -(int)most[6];
  summary->card_memory = most[7];
  summary->seconds.snapshots = most[8];
  summary->seconds.snapshots_behind = most[9];
  return 0;
}

static const char *stop_reason(const struct mx_loop *loop)
{
  if (loop->reason != NULL) return loop->reason;
  return loop->scene->config->time.stop > 0 ? "end time" : "steps";
}

/* Puts what the loop has found into the summary. finishing: seconds of the output behind it. */
static void keep(struct mx_loop *loop, bool finished, double finishing, struct mx_summary *summary)
{
  mx_hooks_give(&loop->hooks, &summary->derived);
  snprintf(summary->stop_text, sizeof summary->stop_text, "%s", loop->hooks.why);
  summary->seconds.sources = loop->stepper.source_seconds;
  summary->seconds.sources_ahead = mx_sources_seconds_ahead(loop->scene->sources);
  summary->seconds.output = loop->output_seconds + finishing;
  summary->seconds.snapshots = mx_output_snapshots(&loop->output)->held_up;
  summary->seconds.snapshots_behind = mx_snapshots_seconds(mx_output_snapshots(&loop->output));
  summary->steps_done = loop->done;
  summary->steps_total = loop->total;
  summary->simulated_time = loop->scene->step * (double)loop->done;
  summary->energy_first = loop->watchdog[0].first;
  summary->energy_last = loop->watchdog[0].last;
  summary->quality = loop->port_output.quality;
  if (summary->quality.rest != NULL) mx_s_take_quality(&loop->port_output.s);
  summary->resonances = mx_resonances_take_found(loop->output.self[MX_RECORDS_resonances]);
  summary->stop_reason = finished ? stop_reason(loop) : NULL;
  summary->checkpoints = loop->checkpoints;
  summary->checkpoint_seconds = loop->checkpoint_seconds;
  summary->restarts = loop->counters.restarts;
}

/* Runs the loop in a prepared folder and fills the summary. Heat that follows may be stopped, and where it runs the
 * fields again only itself goes on from a checkpoint. */
static int advance(struct mx_session *session, struct dg_error *err)
{
  const struct mx_heat_config *heat = session->scene.config->heat;
  const bool coupled = heat != NULL && heat->coupled, resume = resumes(session);
  struct mx_summary *summary = &session->summary;
  struct mx_scene scene = session->scene;
  struct mx_loop loop = {.scene = &scene,
                         .backend = session->backend,
                         .folder = session->folder,
                         .identity = session->identity,
                         .writes = true,
                         .again = session->repeated || (coupled && heat->steady),
                         .heat_follows = heat != NULL && !heat->steady && !coupled,
                         .resume = resume,
                         .profile = session->options->profile ? &session->profile : NULL,
                         .watcher = session->options->watcher};
  long first;
  scene.ops = session->ops;
  scene.backend = session->backend;
  scene.folder = session->folder;
  mx_watchdog_init(&loop.watchdog[0], &scene);
  mx_watchdog_init(&loop.watchdog[1], &scene);
  mx_control_begin(&loop.control, &scene, mx_checkpoint_bytes(&scene), session->repeated);
  loop.control.keeps = session->options->keeps;
  if (mx_output_open(&loop.output, &scene, loop.resume, err) != 0 ||
      mx_port_output_open(&loop.port_output, &scene, session->folder, loop.resume, err) != 0 ||
      mx_hooks_open(&loop.hooks, &scene, session->folder, &loop.output, &loop.port_output, err) != 0 ||
      mx_loop_prepare(&loop, err) != 0 || mx_loop_begin(&loop, resume ? &session->fields_from : NULL, &first, err) != 0)
    goto fail;
  if (loop.profile != NULL) scene.ops->profile(scene.backend, loop.profile);
  struct mx_mark mark = mx_phase_begin(loop.profile);
  int status = mx_loop_run(&loop, first, err);
  mx_phase_end(loop.profile, mark, "time loop, rest", (struct mx_cost){0, 0});
  if (loop.profile != NULL) scene.ops->profile(scene.backend, NULL);
  if (status == 0) status = dg_emergency_check(err);
  summary->loop_seconds = summary->seconds.stepping = mx_loop_seconds(&loop);
  double start = mx_clock();
  struct dg_error late = {0}; /* an interrupted run's failure to write is not the news */
  /* All ranks come this far, also when interrupted, and none may stop the others before they have finished. */
  bool finish = status == 0 || loop.stopped;
  if (finish && (mx_output_finish(&loop.output, &late) != 0 || dg_comm_agree(scene.comm, &late) != 0) && status == 0) {
    *err = late;
    status = late.code;
  }
  if (mx_output_close(&loop.output, err) != 0 && status == 0) status = err->code;
  if (mx_port_output_close(&loop.port_output, err) != 0 && status == 0) status = err->code;
  if (mx_hooks_close(&loop.hooks, err) != 0 && status == 0) status = err->code;
  if (status == 0)
    status = mx_hooks_done(&loop.hooks, loop.done, scene.step * (double)loop.done, stop_reason(&loop), err);
  keep(&loop, finish, mx_clock() - start, summary);
  (void)!mx_control_settle(&loop.control, err); /* for a run that failed */
  if (status == 0) status = gather_costs(summary, &scene, err);
  if (status == 0) report(summary, &loop.output, session->folder);
  if (status == 0 && dg_log_status(scene.log) != 0)
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot write '%s/log.txt': %s", session->folder->path,
                  strerror(dg_log_status(scene.log)));
fail:
  mx_control_end(&loop.control);
  mx_output_release(&loop.output);
  mx_port_output_release(&loop.port_output);
  mx_hooks_release(&loop.hooks);
  mx_stepper_release(&loop.stepper);
  return err->code;
}

static int find(struct mx_session *session, struct dg_error *err)
{
  const struct mx_scene *scene = &session->scene;
  struct mx_checkpoint *checkpoint = &session->fields_from;
  struct mx_counters counters;
  if (mx_checkpoint_find(checkpoint, &mx_fields_checkpoints, scene->comm, scene->log, session->folder,
                         session->identity, err) != 0)
    return err->code;
  if (!checkpoint->found) return mx_checkpoint_missing(checkpoint, err);
  if (mx_checkpoint_counters(checkpoint, scene, &counters, err) != 0) return err->code;
  if (counters.ended && counters.step < scene->steps && mx_loop_ended_at_last(&counters))
    return dg_fail(err, DG_INPUT,
                   "--restart: the fields had ended at step %ld, heat followed, and now there are %ld steps: run it "
                   "without --restart",
                   counters.step, scene->steps);
  if (counters.cut > 0 && counters.cut < scene->steps)
    return dg_fail(
        err, DG_INPUT,
        "--restart: S-parameters take a run for each port, and an earlier one ended at step %ld: it is not made "
        "again, and now there are %ld steps; run it without --restart",
        counters.cut, scene->steps);
  if (counters.step <= scene->steps) return 0;
  return dg_fail(err, DG_INPUT, "--restart: the checkpoint was written at step %ld, and the run has only %ld",
                 counters.step, scene->steps);
}

const struct mx_part mx_fields_part = {
    .is_in = mx_has_fields,
    .step = {[MX_CHECK] = check, [MX_FIND] = find, [MX_BEGIN] = begin, [MX_ADVANCE] = advance},
    .release = release};
