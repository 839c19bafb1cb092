/* Heat as a part of a run: alone, after the fields, or with fields that run again for it. */
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/heat/heat.h"
#include "maxwell/model/heat/heat_config.h"
#include "maxwell/output/file_names.h"
#include "maxwell/run/run.h"
#include "maxwell/run/session.h"
#include "maxwell/setup/setup_build.h"

static bool is_in(const struct mx_config *config) { return config->heat != NULL; }

/* Do the fields run once, and heat follows? */
static bool follows(const struct mx_session *session)
{
  const struct mx_config *config = session->scene.config;
  return mx_has_fields(config) && !config->heat->coupled;
}

static const struct mx_phasors *phasors_of(const struct mx_session *session)
{
  return mx_has_fields(session->scene.config) ? session->scene.phasors : NULL;
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

static int check(struct mx_session *session, struct dg_error *err)
{
  const struct mx_heat_place place = heat_place(&session->scene);
  return mx_heat_check(&place, phasors_of(session), false, err);
}

/* What heat goes on from must be of these fields: their identity, and where they ended. Rank 0's; free it. */
static int name_heat(char **identity, const struct mx_session *session, struct dg_error *err)
{
  static const char line[] = "steps of the fields before heat = ";
  *identity = NULL;
  if (session->identity == NULL) return 0;
  const size_t size = strlen(session->identity) + sizeof line + 24;
  if (dg_alloc(identity, size, 1, err) != 0) return err->code;
  if (follows(session)) snprintf(*identity, size, "%s%s%ld\n", session->identity, line, session->summary.steps_done);
  else snprintf(*identity, size, "%s", session->identity);
  return 0;
}

/* Finds where heat goes on. What fields have not ended before it is of no use to them (name_heat), unless they run
 * again: then heat goes on without what they were. */
static int find_heat(struct mx_session *session, const char *identity, struct dg_error *err)
{
  const struct mx_scene *scene = &session->scene;
  if (!session->options->resume || session->heat_from.found) return 0;
  return mx_checkpoint_find(&session->heat_from, &mx_heat_checkpoints, scene->comm, scene->log, session->folder,
                            identity, err);
}

/* Heat that follows is looked for when the fields have ended: they know then which one it is. */
static int find(struct mx_session *session, struct dg_error *err)
{
  const struct mx_heat_config *heat = session->scene.config->heat;
  if (follows(session)) return 0;
  if (heat->coupled && heat->steady)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "--restart: a steady state for which the fields run more than once leaves no checkpoint",
                   MX_AT(heat->where));
  if (find_heat(session, session->identity, err) != 0) return err->code;
  if (session->heat_from.found) session->first = MX_HEAT_PART;
  else if (!mx_has_fields(session->scene.config)) return mx_checkpoint_missing(&session->heat_from, err);
  return 0;
}

/* Removes the snapshots of the run of the fields before, of which this one may have fewer. */
static int clear_files(struct mx_session *session, struct dg_error *err)
{
  struct mx_plan plan;
  if (mx_output_plan(&plan, &session->scene, err) == 0) (void)!mx_folder_cut(session->folder, &plan, 0, err);
  mx_plan_release(&plan);
  if (err->code == DG_OK) (void)!mx_session_walk(session, MX_CLAIM, 0, MX_HEAT_PART, err);
  return err->code;
}

static int make_and_run(struct mx_session *session, struct dg_error *err)
{
  struct mx_setup *setup = session->setup;
  dg_log_hush(setup->log, DG_HUSH_WARNINGS); /* those of the first set-up hold */
  const int made = mx_setup_renew(setup, err);
  dg_log_hush(setup->log, DG_HUSH_LINES);
  session->scene = mx_setup_scene(setup);
  if (made != 0 || mx_session_walk(session, MX_BEGIN, 0, MX_HEAT_PART, err) != 0 ||
      dg_comm_agree(setup->comm, err) != 0)
    return err->code;
  int status = dg_comm_rank(setup->comm) == 0 ? clear_files(session, err) : 0;
  if (status == 0) status = dg_comm_agree(setup->comm, err);
  return status == 0 ? mx_session_walk(session, MX_ADVANCE, 0, MX_HEAT_PART, err) : status;
}

/* Runs the fields again, with the materials of setup->temperature. Their files take the place of those before. The log
 * has progress, and warnings of the run; later runs repeat the other lines. */
static int run_again(void *self, struct dg_error *err)
{
  struct mx_session *session = self;
  session->repeated = true;
  mx_fields_part.release(session);
  mx_start_part.release(session);
  (void)!make_and_run(session, err);
  dg_log_hush(session->setup->log, DG_HUSH_NOTHING);
  return err->code;
}

/* Heat follows the fields: the phasors have their sums then. */
static int advance(struct mx_session *session, struct dg_error *err)
{
  const struct mx_scene *scene = &session->scene;
  struct mx_summary *summary = &session->summary;
  const struct mx_heat_place place = heat_place(scene);
  const struct mx_heat_fields fields = {
      .temperature = session->setup->temperature, .run = run_again, .phasors = scene->phasors, .self = session};
  struct mx_control control;
  struct mx_heat_report report = {0};
  char *identity = NULL;
  if (name_heat(&identity, session, err) != 0 || find_heat(session, identity, err) != 0) goto fail;
  mx_control_begin(&control, scene, 0, false);
  control.keeps = session->options->keeps;
  const struct mx_heat_how how = {.identity = identity,
                                  .control = &control,
                                  .from = &session->heat_from,
                                  .fields = scene->config->heat->coupled ? &fields : NULL};
  (void)!mx_heat_run(&place, phasors_of(session), session->folder, &how, &report, err);
  mx_control_end(&control);
  summary->heat_steps = report.steps;
  summary->checkpoints += report.checkpoints;
  summary->checkpoint_seconds += report.checkpoint_seconds;
  summary->rounds = report.rounds;
  if (!follows(session)) summary->restarts += report.restarts;
  if (err->code == DG_OK && !mx_has_fields(scene->config))
    dg_log_line(scene->log, "output    %s/heat", session->folder->path);
fail:
  dg_free(identity);
  return err->code;
}

static void release(struct mx_session *session) { mx_checkpoint_release(&session->heat_from); }

const struct mx_part mx_heat_part = {
    .is_in = is_in, .step = {[MX_CHECK] = check, [MX_FIND] = find, [MX_ADVANCE] = advance}, .release = release};
