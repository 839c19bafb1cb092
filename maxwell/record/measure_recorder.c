/* The recorder of measures, which makes their records (maxwell/measure/measure_record.h) a part of a run, and the
 * doubts about records that still ring at its end. */
#include "libdg/base/memory.h"
#include "maxwell/record/recorder.h"
#include "maxwell/record/writers.h"

static int plan_one(struct mx_plan *plan, const struct mx_measure *measure, struct dg_error *err)
{
  const char *folder = measure->config->kind->key, *name = measure->config->name;
  const bool spectrum = measure->config->frequencies.count > 0;
  mx_plan_folder(plan, folder, false);
  if (measure->form != NULL) {
    const char *const ending = dg_formats[0]->ending;
    if (mx_plan_pattern(plan, err, "%s/%.200s_$%s", folder, name, ending) != 0) return err->code;
    return spectrum ? mx_plan_pattern(plan, err, "%s/%.200s_spectrum_#%s", folder, name, ending) : 0;
  }
  if (mx_plan_file(plan, err, "%s/%.200s.csv", folder, name) != 0) return err->code;
  return spectrum ? mx_plan_file(plan, err, "%s/%.200s_spectrum.csv", folder, name) : 0;
}

static int plan(struct mx_plan *plan, const struct mx_scene *scene, struct dg_error *err)
{
  for (size_t i = 0; i < scene->measures->count; i++)
    if (plan_one(plan, &scene->measures->measure[i], err) != 0) return err->code;
  return 0;
}

static int results(struct mx_results *results, const struct mx_scene *scene, struct dg_error *err)
{
  for (size_t i = 0; i < scene->measures->count; i++) {
    const struct mx_measure_config *config = scene->measures->measure[i].config;
    struct mx_result result = {.list = config->kind->key, .name = config->name};
    if (scene->measures->measure[i].form != NULL) continue;
    if (mx_add_result(results, scene, &result, NULL, "", err) != 0) return err->code;
    result.part = "spectrum";
    result.at_end = result.live = true;
    if (config->frequencies.count > 0 && mx_add_result(results, scene, &result, NULL, "_spectrum", err) != 0)
      return err->code;
  }
  return 0;
}

static size_t memory(const struct mx_scene *scene) { return mx_measures_memory(scene->measures); }

static int open_records(void **self, struct mx_scene *scene, bool resume, struct dg_error *err)
{
  struct mx_records *records;
  if (DG_NEW(records, 1, err) != 0) return err->code;
  *self = scene->records = records;
  if (mx_records_open(records, scene->measures, scene->ops, dg_formats[0], scene->folder, scene->step, resume, err) !=
      0)
    return err->code;
  return mx_records_monitor(records, scene->backend, err);
}

static bool is_due(const void *self, long n) { return mx_records_due(self, n); }
static bool asks(const void *self, long n) { return mx_records_ask(self, n); }

static int take(void *self, long n, double t, struct dg_error *err)
{
  struct mx_records *const records = self;
  return mx_records_write(records, records->backend, n, t, err);
}

static int drain(void *self, struct dg_error *err) { return mx_records_drain(self, err); }
static int flush(void *self, struct dg_error *err) { return mx_records_flush(self, err); }

static int archive_records(void *self, struct mx_archive *archive, struct dg_error *err)
{
  return mx_records_archive(self, archive, err);
}

static int finish(void *self, struct dg_error *err) { return mx_records_write_spectra(self, err); }
static int close_records(void *self, struct dg_error *err) { return mx_records_close(self, err); }

static void release(void *self)
{
  mx_records_release(self);
  dg_free(self);
}

const struct mx_recorder mx_measures_recorder = {.plan = plan,
                                                 .results = results,
                                                 .memory = memory,
                                                 .open = open_records,
                                                 .due = is_due,
                                                 .asks = asks,
                                                 .take = take,
                                                 .drain = drain,
                                                 .flush = flush,
                                                 .archive = archive_records,
                                                 .finish = finish,
                                                 .close = close_records,
                                                 .release = release};

/* ---- doubts ---- */

static int open_doubts(void **self, struct mx_scene *scene, bool resume, struct dg_error *err)
{
  (void)resume, (void)err;
  *self = scene;
  return 0;
}

static int doubt_ends(void *self, struct dg_error *err)
{
  const struct mx_scene *const scene = self;
  const struct mx_asked_place asked = mx_scene_asked(scene);
  return mx_doubt_ends(&asked, scene->far, scene->phasors, scene->records, err);
}

const struct mx_recorder mx_doubts_recorder = {.open = open_doubts, .finish = doubt_ends};
