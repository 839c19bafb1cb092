/* A run from its folder to its summary: backend, initial fields, the time loop, and the report at the end, whatever
 * happens. main calls mx_run. */
#include "maxwell/run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/emergency.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/profiled.h"
#include "maxwell/output/file_names.h"
#include "maxwell/heat/heat.h"
#include "maxwell/model/heat/heat_config.h"
#include "maxwell/statics/start.h"
#include "maxwell/shell/folder.h"
#include "maxwell/session/identity.h"
#include "maxwell/run/configuration.h"
#include "maxwell/run/loop.h"
#include "maxwell/setup/setup_build.h"
#include "maxwell/setup/setup_mesh.h"
#include "maxwell/setup/slow_elements.h"
#include "maxwell/shell/phases.h"
#include "maxwell/output/summary.h"

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
static void report_lua_threads(const struct mx_setup *setup)
{
  const char *alone = mx_origin_alone(setup->origin);
  if (setup->lua_threads > 1) dg_log_line(setup->log, "lua       %d threads call functions", setup->lua_threads);
  if (alone != NULL) dg_log_line(setup->log, "lua       one thread calls functions: %s", alone);
}

/* The profile of a run, and the tables of the watch that then stands in front of the backend. */
struct profiling {
  struct mx_profile profile;
  struct mx_profiled tables;
};

/* Makes the backend with the initial fields in it, or those of a checkpoint. */
static int start_backend(struct mx_backend **backend, struct mx_setup *setup, const struct mx_checkpoint *checkpoint,
                         struct mx_statics *statics, struct profiling *profiling, struct mx_summary *summary,
                         struct dg_error *err)
{
  const struct mx_backend_options options = mx_scene_backend_options(summary->scene);
  const struct mx_statics_place place = mx_scene_statics(summary->scene);
  const bool resume = checkpoint != NULL;
  double *E = NULL, *H = NULL, start = mx_clock();
  if (setup->ops->create(backend, &setup->problem, &options, err) != 0) goto fail;
  summary->threads = setup->ops->threads(*backend);
  report_transport(summary, *backend);
  if (!resume && mx_start_fields(&place, statics, &E, &H, err) != 0) goto fail;
  report_lua_threads(setup);
  if (!resume && E == NULL && H == NULL && setup->sources.list.count == 0)
    dg_log_warning(setup->log, "there are no initial fields and no sources: every field stays zero");
  if (setup->ops->upload(*backend, E, H, err) != 0) goto fail;
  if (resume && mx_checkpoint_load_fields(checkpoint, summary->scene, *backend, err) != 0) goto fail;
  if (setup->comm != NULL && mx_model_init(&summary->model, summary->scene, *backend, summary->threads, err) != 0)
    goto fail;
  if (profiling != NULL) {
    profiling->profile = (struct mx_profile){.count = 1, .phase = {{.name = "halo"}}}; /* one rank has none */
    if (mx_profile_backend(backend, &profiling->tables, setup->ops, &profiling->profile, err) != 0) goto fail;
    setup->ops = &profiling->tables.ops;
  }
fail:
  dg_free(E);
  dg_free(H);
  summary->seconds.setup += mx_clock() - start;
  return err->code;
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

/* Do materials change with the temperature, so that the fields run more than once? */
static bool is_coupled(const struct mx_setup *setup)
{
  return setup->config->heat != NULL && setup->config->heat->coupled;
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

/* Which run of the fields it is: the only one, or the first one, in which it can go on from a checkpoint; the first one
 * of many without that; or one within heat, which listens to signals meanwhile. */
enum turn { ONE_TURN, FIRST_TURN, LATER_TURN };

/* Runs the loop in a prepared folder and fills the summary. */
static int run_in(struct mx_setup *setup, struct mx_backend *backend, const struct mx_checkpoint *checkpoint,
                  struct mx_folder *folder, const char *identity, const struct mx_run_options *options, enum turn turn,
                  struct mx_profile *profile, struct mx_summary *summary, struct dg_error *err)
{
  struct mx_scene scene = mx_setup_scene(setup);
  struct mx_loop loop = {.scene = &scene,
                         .backend = backend,
                         .folder = folder,
                         .identity = identity,
                         .writes = true,
                         .again = turn != ONE_TURN,
                         .heat_follows =
                             setup->config->heat != NULL && !setup->config->heat->steady && !is_coupled(setup),
                         .resume = checkpoint != NULL,
                         .profile = profile,
                         .watcher = options->watcher};
  long first;
  scene.backend = backend;
  scene.folder = folder;
  mx_watchdog_init(&loop.watchdog[0], &scene);
  mx_watchdog_init(&loop.watchdog[1], &scene);
  mx_control_begin(&loop.control, &scene, mx_checkpoint_bytes(&scene), turn == LATER_TURN);
  loop.control.keeps = options->keeps;
  if (mx_output_open(&loop.output, &scene, loop.resume, err) != 0 ||
      mx_port_output_open(&loop.port_output, &scene, folder, loop.resume, err) != 0 ||
      mx_hooks_open(&loop.hooks, &scene, folder, &loop.output, &loop.port_output, err) != 0 ||
      mx_loop_prepare(&loop, err) != 0 || mx_loop_begin(&loop, checkpoint, &first, err) != 0)
    goto fail;
  struct mx_mark mark = mx_phase_begin(loop.profile);
  int status = mx_loop_run(&loop, first, err);
  mx_phase_end(loop.profile, mark, "time loop, rest", (struct mx_cost){0, 0});
  if (status == 0) status = dg_emergency_check(err);
  summary->loop_seconds = summary->seconds.stepping = mx_loop_seconds(&loop);
  double start = mx_clock();
  struct dg_error late = {0}; /* an interrupted run's failure to write is not the news */
  /* All ranks come this far, also when interrupted, and none may stop the others before they have finished. */
  bool finish = status == 0 || loop.stopped;
  if (finish && (mx_output_finish(&loop.output, &late) != 0 || dg_comm_agree(setup->comm, &late) != 0) && status == 0) {
    *err = late;
    status = late.code;
  }
  if (mx_output_close(&loop.output, err) != 0 && status == 0) status = err->code;
  if (mx_port_output_close(&loop.port_output, err) != 0 && status == 0) status = err->code;
  if (mx_hooks_close(&loop.hooks, err) != 0 && status == 0) status = err->code;
  if (status == 0)
    status = mx_hooks_done(&loop.hooks, loop.done, setup->step * (double)loop.done, stop_reason(&loop), err);
  keep(&loop, finish, mx_clock() - start, summary);
  (void)!mx_control_settle(&loop.control, err); /* for a run that failed */
  if (status == 0) status = gather_costs(summary, &scene, err);
  if (status == 0) report(summary, &loop.output, folder);
  if (status == 0 && dg_log_status(setup->log) != 0)
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot write '%s/log.txt': %s", folder->path,
                  strerror(dg_log_status(setup->log)));
fail:
  mx_control_end(&loop.control);
  mx_output_release(&loop.output);
  mx_port_output_release(&loop.port_output);
  mx_hooks_release(&loop.hooks);
  mx_stepper_release(&loop.stepper);
  return err->code;
}

static int open_log(struct dg_log *log, const struct mx_folder *folder, bool resume, struct dg_error *err)
{
  char *path;
  if (log == NULL) return 0;
  if (mx_folder_path(&path, folder, "log.txt", err) != 0) return err->code;
  (void)!dg_log_open(log, path, resume, err);
  dg_free(path);
  return err->code;
}

/* Everything that can fail before the first step is done before the output of an earlier run is removed. */
static int prepare(struct mx_folder *folder, const struct mx_summary *summary, const struct mx_scene *scene,
                   bool resume, bool *ours, struct dg_error *err)
{
  static const char *const first = "summary.json";
  struct mx_plan plan;
  if (mx_output_plan(&plan, scene, err) != 0 || mx_heat_plan(&plan, scene->config, err) != 0) goto fail;
  mx_plan_sort(&plan);
  if (mx_folder_prepare(folder, &plan, err) != 0 ||
      dg_ledger_claim_names(folder->ledger, DG_LEDGER_OUTPUT, 1, &first, err) != 0 ||
      mx_summary_write(summary, folder, err) != 0)
    goto fail;
  *ours = true;
  if (mx_summary_watch(folder, err) == 0 && mx_folder_claim(folder, &plan, !resume, err) == 0 &&
      mx_configuration_write(scene, folder, err) == 0)
    (void)!open_log(scene->log, folder, resume, err);
fail:
  mx_plan_release(&plan);
  return err->code;
}

static int find_checkpoint(struct mx_checkpoint *checkpoint, const struct mx_scene *scene,
                           const struct mx_folder *folder, const char *identity, struct dg_error *err)
{
  struct mx_counters counters;
  if (mx_checkpoint_find(checkpoint, &mx_fields_checkpoints, scene->comm, scene->log, folder, identity, err) != 0)
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

static struct mx_heat_place heat_place(const struct mx_scene *scene)
{
  return (struct mx_heat_place){.config = scene->config,
                                .mesh = scene->mesh,
                                .comm = scene->comm,
                                .log = scene->log,
                                .device = scene->ops->card->elliptic,
                                .direct = mx_scene_direct(scene)};
}

static int look_at_heat(const struct mx_scene *scene, struct dg_error *err)
{
  const struct mx_heat_place place = heat_place(scene);
  return mx_heat_check(&place, scene->phasors, false, err);
}

/* What heat goes on from must be of these fields: their identity, and where they ended. Rank 0's; free it. */
static int name_heat(char **identity, const char *of_fields, long steps, struct dg_error *err)
{
  static const char line[] = "steps of the fields before heat = ";
  *identity = NULL;
  if (of_fields == NULL) return 0;
  const size_t size = strlen(of_fields) + sizeof line + 24;
  if (dg_alloc(identity, size, 1, err) != 0) return err->code;
  snprintf(*identity, size, "%s%s%ld\n", of_fields, line, steps);
  return 0;
}

/* What runs the fields again for heat; all borrowed. */
struct again {
  struct mx_setup *setup;
  struct mx_scene *scene; /* of the set-up as it is now */
  struct mx_backend **backend;
  const struct mx_backend_ops *ops; /* without a profile in front of them */
  struct mx_folder *folder;
  const char *identity;
  const struct mx_run_options *options;
  struct mx_statics *statics;
  struct profiling *profiling; /* NULL: none */
  struct mx_summary *summary;
  struct mx_checkpoint from; /* of heat, where it was looked for; release it */
};

/* Removes the snapshots of the run of the fields before, of which this one may have fewer. */
static int clear_files(const struct again *again, struct dg_error *err)
{
  struct mx_plan plan;
  if (mx_output_plan(&plan, again->scene, err) == 0) (void)!mx_folder_cut(again->folder, &plan, 0, err);
  mx_plan_release(&plan);
  if (err->code == DG_OK && again->statics->conductors > 0) (void)!mx_statics_write(again->statics, again->folder, err);
  return err->code;
}

static int make_and_run(struct again *again, struct dg_error *err)
{
  struct mx_setup *setup = again->setup;
  struct profiling *profiling = again->profiling;
  dg_log_hush(setup->log, DG_HUSH_WARNINGS); /* those of the first set-up hold */
  const int made = mx_setup_renew(setup, err);
  dg_log_hush(setup->log, DG_HUSH_LINES);
  *again->scene = mx_setup_scene(setup);
  if (made != 0 || start_backend(again->backend, setup, NULL, again->statics, profiling, again->summary, err) != 0 ||
      dg_comm_agree(setup->comm, err) != 0)
    return err->code;
  int status = dg_comm_rank(setup->comm) == 0 ? clear_files(again, err) : 0;
  if (status == 0) status = dg_comm_agree(setup->comm, err);
  if (status != 0) return status;
  return run_in(setup, *again->backend, NULL, again->folder, again->identity, again->options, LATER_TURN,
                profiling != NULL ? &profiling->profile : NULL, again->summary, err);
}

/* Runs the fields again, with the materials of setup->temperature. Their files take the place of those before. The log
 * has progress, and warnings of the run; what else there is to say is the same again. */
static int run_again(void *self, struct dg_error *err)
{
  struct again *again = self;
  again->setup->ops->destroy(*again->backend);
  *again->backend = NULL;
  again->setup->ops = again->ops;
  mx_statics_release(again->statics);
  mx_resonances_release(&again->summary->resonances);
  mx_s_quality_release(&again->summary->quality);
  (void)!make_and_run(again, err);
  dg_log_hush(again->setup->log, DG_HUSH_NOTHING);
  return err->code;
}

/* Finds where heat goes on. What fields have not ended before it is of no use to them (name_heat), unless they run
 * again: then heat goes on without what they were. */
static int find_heat(struct again *again, struct dg_error *err)
{
  const struct mx_setup *setup = again->setup;
  char *own = NULL;
  if (!again->options->resume || again->from.found) return 0;
  if (!is_coupled(setup) && name_heat(&own, again->identity, again->summary->steps_done, err) != 0) return err->code;
  (void)!mx_checkpoint_find(&again->from, &mx_heat_checkpoints, setup->comm, setup->log, again->folder,
                            own != NULL ? own : again->identity, err);
  dg_free(own);
  return err->code;
}

/* Heat follows the fields: the phasors have their sums then. */
static int run_heat(struct again *again, struct dg_error *err)
{
  const struct mx_setup *setup = again->setup;
  struct mx_summary *summary = again->summary;
  const struct mx_heat_place place = heat_place(again->scene);
  const struct mx_heat_fields fields = {
      .temperature = setup->temperature, .run = run_again, .phasors = &setup->phasors, .self = again};
  struct mx_control control = {0};
  struct mx_heat_report report = {0};
  char *own = NULL;
  if ((!is_coupled(setup) && name_heat(&own, again->identity, summary->steps_done, err) != 0) ||
      find_heat(again, err) != 0)
    goto fail;
  mx_control_begin(&control, again->scene, 0, false);
  control.keeps = again->options->keeps;
  const struct mx_heat_how how = {.identity = own != NULL ? own : again->identity,
                                  .control = &control,
                                  .from = &again->from,
                                  .fields = is_coupled(setup) ? &fields : NULL};
  (void)!mx_heat_run(&place, &setup->phasors, again->folder, &how, &report, err);
  mx_control_end(&control);
  summary->checkpoints += report.checkpoints;
  summary->checkpoint_seconds += report.checkpoint_seconds;
  summary->rounds = report.rounds;
  if (is_coupled(setup)) summary->restarts += report.restarts;
fail:
  dg_free(own);
  return err->code;
}

/* Finds where a run goes on: in heat for which the fields run again, else in the fields. */
static int find_start(struct again *again, struct mx_checkpoint *checkpoint, struct dg_error *err)
{
  const struct mx_setup *setup = again->setup;
  if (!again->options->resume) return 0;
  if (is_coupled(setup) && setup->config->heat->steady)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "--restart: a steady state for which the fields run more than once leaves no checkpoint",
                   MX_AT(setup->config->heat->where));
  if (is_coupled(setup) && find_heat(again, err) != 0) return err->code;
  return again->from.found ? 0 : find_checkpoint(checkpoint, again->scene, again->folder, again->identity, err);
}

/* Makes the folder this run's on all ranks. *ours: the run has claimed it, and it has a summary. */
static int take_folder(const struct again *again, bool *ours, struct dg_error *err)
{
  struct mx_setup *setup = again->setup;
  struct mx_folder *folder = again->folder;
  const bool first = dg_comm_rank(setup->comm) == 0;
  int status = first ? prepare(folder, again->summary, again->scene, again->options->resume, ours, err) : 0;
  if (status == 0) status = dg_comm_agree(setup->comm, err);
  if (status == 0) status = mx_folder_join(folder, err);
  if (status == 0 && first && again->statics->conductors > 0) status = mx_statics_write(again->statics, folder, err);
  if (status == 0 && !first) status = mx_summary_watch(folder, err);
  return status == 0 ? mx_setup_keep_mesh(setup, folder->ledger, err) : status;
}

/* Writes what has become of the run. */
static void close_summary(struct mx_summary *summary, const struct mx_folder *folder, bool ours, struct dg_error *err)
{
  struct dg_error late = {0}; /* after another error, a failure to write the summary is not the news */
  summary->status = status_word(err->code);
  summary->error = err->code != DG_OK ? err->message : NULL;
  if (!ours || mx_summary_write(summary, folder, &late) == 0) return;
  if (err->code == DG_OK) *err = late;
  dg_emergency_note(err->message);
}

int mx_run(struct mx_setup *setup, struct mx_folder *folder, const struct mx_run_options *options, struct dg_error *err)
{
  struct mx_backend *backend = NULL;
  const struct mx_backend_ops *const ops = setup->ops;
  struct mx_checkpoint checkpoint = {0};
  struct mx_statics statics = {0};
  const struct mx_checkpoint *const from = options->resume ? &checkpoint : NULL;
  struct profiling own = {0}, *const profiling = options->profile ? &own : NULL;
  struct mx_scene scene = mx_setup_scene(setup);
  struct mx_summary summary = {.scene = &scene,
                               .status = "running",
                               .energy_first = NAN,
                               .energy_last = NAN,
                               .lua_threads = setup->lua_threads,
                               .seconds = {.meshing = setup->meshing_seconds, .setup = setup->setup_seconds},
                               .profile = options->profile ? &own.profile : NULL,
                               .peak_memory = (double)dg_memory_resident_peak()};
  struct again again = {.setup = setup,
                        .scene = &scene,
                        .backend = &backend,
                        .ops = ops,
                        .folder = folder,
                        .options = options,
                        .statics = &statics,
                        .profiling = profiling,
                        .summary = &summary};
  char *identity =
      NULL; /* now, before functions of the script have changed what they remember, and no thread calls one */
  if ((setup->config->heat != NULL && look_at_heat(&scene, err) != 0) || mx_identity(&identity, &scene, err) != 0 ||
      mx_report_seconds(&scene, err) != 0)
    goto fail;
  again.identity = identity;
  if (find_start(&again, &checkpoint, err) != 0 ||
      (!again.from.found && start_backend(&backend, setup, from, &statics, profiling, &summary, err) != 0) ||
      dg_comm_agree(setup->comm, err) != 0)
    goto fail;
  bool ours = false;
  int status = take_folder(&again, &ours, err);
  if (status == 0 && !again.from.found)
    status = run_in(setup, backend, from, folder, identity, options,
                    is_coupled(setup) && setup->config->heat->steady ? FIRST_TURN : ONE_TURN,
                    profiling != NULL ? &own.profile : NULL, &summary, err);
  if (status == 0 && setup->config->heat != NULL) status = run_heat(&again, err);
  /* A run is done when the disk has it. */
  if (status == 0) status = dg_ledger_sync(folder->ledger, err);
  if (status == 0) (void)!dg_comm_agree(setup->comm, err);
  dg_comm_stop(setup->comm, err);
  close_summary(&summary, folder, ours, err);
fail:
  mx_resonances_release(&summary.resonances);
  mx_derived_release(&summary.derived);
  mx_s_quality_release(&summary.quality);
  mx_summary_forget();
  mx_setup_explain(setup, err);
  setup->ops->destroy(backend);
  setup->ops = ops;
  mx_checkpoint_release(&checkpoint);
  mx_checkpoint_release(&again.from);
  mx_statics_release(&statics);
  dg_free(identity);
  return err->code;
}
