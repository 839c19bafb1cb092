/* A run from its folder to its summary, whatever happens: walks over its parts (session.h). main calls mx_run. */
#include "maxwell/run/run.h"

#include <math.h>

#include "libdg/base/emergency.h"
#include "libdg/base/memory.h"
#include "maxwell/output/file_names.h"
#include "maxwell/heat/heat.h"
#include "maxwell/shell/folder.h"
#include "maxwell/session/identity.h"
#include "maxwell/run/configuration.h"
#include "maxwell/run/session.h"
#include "maxwell/setup/setup_mesh.h"

static const struct mx_part *const parts[MX_PARTS] = {
    [MX_START_PART] = &mx_start_part, [MX_FIELDS_PART] = &mx_fields_part, [MX_HEAT_PART] = &mx_heat_part};

/* Takes a part through a step, if it is in the run. */
static int take(struct mx_session *session, size_t part, enum mx_part_step step, struct dg_error *err)
{
  if (!parts[part]->is_in(session->scene.config) || parts[part]->step[step] == NULL) return 0;
  return parts[part]->step[step](session, err);
}

int mx_session_walk(struct mx_session *session, enum mx_part_step step, size_t first, size_t end, struct dg_error *err)
{
  for (size_t part = first; part < end; part++)
    if (take(session, part, step, err) != 0) return err->code;
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
static int prepare(struct mx_session *session, bool *ours, struct dg_error *err)
{
  struct mx_folder *folder = session->folder;
  const struct mx_scene *scene = &session->scene;
  const bool resume = session->options->resume;
  static const char *const first = "summary.json";
  struct mx_plan plan;
  if (mx_output_plan(&plan, scene, err) != 0 || mx_heat_plan(&plan, scene->config, err) != 0) goto fail;
  mx_plan_sort(&plan);
  if (mx_folder_prepare(folder, &plan, err) != 0 ||
      dg_ledger_claim_names(folder->ledger, DG_LEDGER_OUTPUT, 1, &first, err) != 0 ||
      mx_summary_write(&session->summary, folder, err) != 0)
    goto fail;
  *ours = true;
  if (mx_summary_watch(folder, err) == 0 && mx_folder_claim(folder, &plan, !resume, err) == 0 &&
      mx_configuration_write(scene, folder, err) == 0)
    (void)!open_log(scene->log, folder, resume, err);
fail:
  mx_plan_release(&plan);
  return err->code;
}

/* Makes the folder this run's on all ranks. *ours: the run has claimed it, and it has a summary. */
static int take_folder(struct mx_session *session, bool *ours, struct dg_error *err)
{
  struct mx_folder *folder = session->folder;
  struct dg_comm *comm = session->scene.comm;
  const bool first = dg_comm_rank(comm) == 0;
  int status = first ? prepare(session, ours, err) : 0;
  if (status == 0) status = dg_comm_agree(comm, err);
  if (status == 0) status = mx_folder_join(folder, err);
  if (status == 0 && first) status = mx_session_walk(session, MX_CLAIM, session->first, MX_PARTS, err);
  if (status == 0 && !first) status = mx_summary_watch(folder, err);
  return status == 0 ? mx_setup_keep_mesh(session->setup, folder->ledger, err) : status;
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

/* Finds where a run goes on: in the last part that can. */
static int find_start(struct mx_session *session, struct dg_error *err)
{
  for (size_t part = MX_PARTS; part-- > session->first && session->options->resume;)
    if (take(session, part, MX_FIND, err) != 0) return err->code;
  return 0;
}

int mx_run(struct mx_setup *setup, struct mx_folder *folder, const struct mx_run_options *options, struct dg_error *err)
{
  struct mx_session session = {.setup = setup, .folder = folder, .options = options, .scene = mx_setup_scene(setup)};
  struct mx_summary *summary = &session.summary;
  bool ours = false;
  *summary = (struct mx_summary){.scene = &session.scene,
                                 .status = "running",
                                 .energy_first = NAN,
                                 .energy_last = NAN,
                                 .lua_threads = setup->lua_threads,
                                 .seconds = {.meshing = setup->meshing_seconds, .setup = setup->setup_seconds},
                                 .profile = options->profile ? &session.profile : NULL,
                                 .peak_memory = (double)dg_memory_resident_peak()};
  /* The identity comes before functions of the script have changed what they remember, and no thread calls one. */
  if (mx_session_walk(&session, MX_CHECK, 0, MX_PARTS, err) != 0 ||
      mx_identity(&session.identity, &session.scene, err) != 0 || find_start(&session, err) != 0 ||
      mx_session_walk(&session, MX_BEGIN, session.first, MX_PARTS, err) != 0 || dg_comm_agree(setup->comm, err) != 0)
    goto fail;
  int status = take_folder(&session, &ours, err);
  if (status == 0) status = mx_session_walk(&session, MX_ADVANCE, session.first, MX_PARTS, err);
  /* A run is done when the disk has it. */
  if (status == 0) status = dg_ledger_sync(folder->ledger, err);
  if (status == 0) (void)!dg_comm_agree(setup->comm, err);
  dg_comm_stop(setup->comm, err);
  close_summary(summary, folder, ours, err);
fail:
  mx_derived_release(&summary->derived);
  mx_summary_forget();
  mx_setup_explain(setup, err);
  for (size_t part = 0; part < MX_PARTS; part++) parts[part]->release(&session);
  mx_checkpoint_release(&session.fields_from);
  dg_free(session.identity);
  return err->code;
}
