/* Heat without fields: mesh, folder, heat, summary. main.c calls it. */
#include "maxwell/run/heat_alone.h"

#include <stdio.h>

#include "libdg/base/emergency.h"
#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/base/text.h"
#include "maxwell/session/identity.h"
#include "maxwell/heat/heat.h"
#include "maxwell/model/heat/heat_config.h"
#include "maxwell/run/configuration.h"
#include "maxwell/setup/setup_build.h"
#include "maxwell/version.h"

/* What summary.json says. */
struct summary {
  const struct mx_config *config;
  const char *status, *error;
  struct mx_heat_report heat;
};

static void write_summary(FILE *file, const void *what)
{
  const struct summary *summary = what;
  fputs("{\n  \"curlew\": ", file);
  dg_json_string(file, CURLEW_VERSION);
  fputs(",\n  \"name\": ", file);
  dg_json_string(file, summary->config->name);
  fputs(",\n  \"status\": ", file);
  dg_json_string(file, summary->status);
  if (summary->error != NULL) {
    fputs(",\n  \"error\": ", file);
    dg_json_string(file, summary->error);
  }
  fprintf(file, ",\n  \"heat\": {\"order\": %d, \"steps\": %ld}", summary->config->heat->order, summary->heat.steps);
  fprintf(file, ",\n  \"checkpoints\": {\"written\": %ld, \"seconds\": %.6g, \"restarts\": %ld}\n}\n",
          summary->heat.checkpoints, summary->heat.checkpoint_seconds, summary->heat.restarts);
}

static int put_summary(const struct summary *summary, const struct mx_folder *folder, struct dg_error *err)
{
  char *path;
  if (mx_folder_path(&path, folder, "summary.json", err) != 0) return err->code;
  (void)!dg_file_write(path, write_summary, summary, err);
  dg_free(path);
  return err->code;
}

static int make_plan(struct mx_plan *plan, const struct mx_setup *setup, struct dg_error *err)
{
  *plan = (struct mx_plan){0};
  mx_plan_folder(plan, ".", true);
  if (mx_plan_file(plan, err, "summary.json") != 0 || mx_plan_file(plan, err, "configuration.json") != 0 ||
      mx_plan_file(plan, err, "log.txt") != 0 || mx_heat_plan(plan, setup->config, err) != 0)
    return err->code;
  if (setup->mesh_kept != NULL) mx_plan_folder(plan, "mesh", false);
  mx_plan_sort(plan);
  return 0;
}

/* Rank 0 takes the folder, as run.c does for a run of the fields; *ours is set once summary.json is this run's. */
static int prepare(struct mx_setup *setup, struct mx_folder *folder, const struct summary *summary, bool resume,
                   bool *ours, struct dg_error *err)
{
  static const char *const first = "summary.json";
  const struct mx_scene scene = mx_setup_scene(setup);
  struct mx_plan plan;
  char *path = NULL;
  if (make_plan(&plan, setup, err) != 0 || mx_folder_prepare(folder, &plan, err) != 0 ||
      dg_ledger_claim_names(folder->ledger, DG_LEDGER_OUTPUT, 1, &first, err) != 0 ||
      put_summary(summary, folder, err) != 0)
    goto fail;
  *ours = true;
  if (mx_folder_claim(folder, &plan, !resume, err) != 0 || mx_configuration_write(&scene, folder, err) != 0) goto fail;
  if (setup->log != NULL && mx_folder_path(&path, folder, "log.txt", err) == 0)
    (void)!dg_log_open(setup->log, path, resume, err);
fail:
  dg_free(path);
  mx_plan_release(&plan);
  return err->code;
}

/* Computes in a folder that rank 0 has prepared. */
static int run_in(struct mx_setup *setup, const struct mx_heat_place *place, struct mx_folder *folder,
                  struct mx_heat_how how, struct mx_heat_report *report, struct dg_error *err)
{
  const struct mx_scene scene = mx_setup_scene(setup);
  struct mx_control control;
  if (mx_folder_join(folder, err) != 0 || mx_setup_keep_mesh(setup, folder->ledger, err) != 0) return err->code;
  mx_control_begin(&control, &scene, 0, false);
  how.control = &control;
  const int status = mx_heat_run(place, NULL, folder, &how, report, err);
  mx_control_end(&control);
  if (status != 0 || dg_ledger_sync(folder->ledger, err) != 0) return err->code;
  dg_log_line(setup->log, "output    %s/heat", folder->path);
  return 0;
}

/* The identity of the computation, and where it goes on. */
static int find_checkpoint(struct mx_checkpoint *from, char **identity, struct mx_setup *setup,
                           const struct mx_folder *folder, bool resume, struct dg_error *err)
{
  const struct mx_scene scene = mx_setup_scene(setup);
  if (mx_identity(identity, &scene, err) != 0 || !resume ||
      mx_checkpoint_find(from, &mx_heat_checkpoints, setup->comm, setup->log, folder, *identity, err) != 0)
    return err->code;
  return from->found ? 0 : mx_checkpoint_missing(from, err);
}

int mx_run_heat_alone(struct mx_setup *setup, struct mx_folder *folder, const struct mx_keeping *keeping, bool resume,
                      struct dg_error *err)
{
  struct mx_heat_place place = {.config = setup->config, .mesh = &setup->mesh, .comm = setup->comm, .log = setup->log};
  struct summary summary = {.config = setup->config, .status = "running"};
  struct mx_checkpoint from = {0};
  char *identity = NULL; /* now, before functions of the script have changed what they remember */
  bool ours = false;
  setup->started = mx_clock();
  if (mx_setup_choose_backend(setup, err) != 0) return err->code;
  const struct mx_scene scene = mx_setup_scene(setup);
  place.device = setup->ops->card->elliptic;
  place.direct = mx_scene_direct(&scene);
  if (mx_setup_make_mesh(setup, keeping, err) != 0 || mx_heat_check(&place, NULL, folder == NULL, err) != 0)
    return err->code;
  if (folder == NULL) return 0;
  if (find_checkpoint(&from, &identity, setup, folder, resume, err) != 0) goto fail;
  int status = dg_comm_rank(setup->comm) == 0 ? prepare(setup, folder, &summary, resume, &ours, err) : 0;
  if (status == 0) status = dg_comm_agree(setup->comm, err);
  if (status == 0) {
    const struct mx_heat_how how = {.identity = identity, .from = &from};
    status = run_in(setup, &place, folder, how, &summary.heat, err);
  }
  if (status == 0) status = dg_comm_agree(setup->comm, err);
  dg_comm_stop(setup->comm, err);
  summary.status = status == 0 ? "done" : status == DG_INTERRUPTED ? "interrupted" : "failed";
  summary.error = status != 0 ? err->message : NULL;
  struct dg_error late = {0};
  if (ours && put_summary(&summary, folder, &late) != 0) {
    if (status == 0) *err = late;
    dg_emergency_note(err->message);
  }
fail:
  mx_checkpoint_release(&from);
  dg_free(identity);
  return err->code;
}
