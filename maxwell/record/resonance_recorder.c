/* The recorder of resonances (maxwell/resonance/resonances.h). Rank 0 alone has it. It hears each row of a measure that
 * is written. */
#include "libdg/base/memory.h"
#include "maxwell/record/recorder.h"

static int plan(struct mx_plan *plan, const struct mx_scene *scene, struct dg_error *err)
{
  return scene->config->output.resonances > 0 ? mx_plan_file(plan, err, "resonances.csv") : 0;
}

static int results(struct mx_results *results, const struct mx_scene *scene, struct dg_error *err)
{
  if (scene->config->output.resonances == 0) return 0;
  return mx_add_result(results, scene, &(struct mx_result){.name = "resonances", .at_end = true}, NULL, "", err);
}

struct recorder {
  const struct mx_scene *scene; /* borrowed */
  struct mx_resonances resonances;
};

static void take_row(void *self, size_t measure, long step, const double *value)
{
  mx_resonances_take(self, measure, step, value);
}

static int open_resonances(void **self, struct mx_scene *scene, bool resume, struct dg_error *err)
{
  struct mx_resonance_scene place = mx_scene_resonance_scene(scene);
  struct recorder *recorder;
  (void)resume;
  if (dg_comm_rank(scene->comm) != 0 || scene->config->output.resonances == 0) return 0;
  if (DG_NEW(recorder, 1, err) != 0) return err->code;
  *self = recorder;
  recorder->scene = scene;
  place.log = NULL; /* the set-up has given the warnings */
  scene->records->tap = (struct mx_record_tap){take_row, &recorder->resonances};
  return mx_resonances_init(&recorder->resonances, &place, err);
}

static int archive_records(void *self, struct mx_archive *archive, struct dg_error *err)
{
  struct mx_archive own = *archive; /* only rank 0 has records */
  own.comm = NULL;
  if (mx_resonances_archive(&((struct recorder *)self)->resonances, &own, err) != 0) return err->code;
  archive->arrays = own.arrays;
  archive->bytes = own.bytes;
  return 0;
}

static int finish(void *self, struct dg_error *err)
{
  struct recorder *const recorder = self;
  return mx_resonances_finish(&recorder->resonances, recorder->scene->folder, recorder->scene->log, err);
}

struct mx_resonances mx_resonances_take_found(void *self)
{
  struct recorder *const recorder = self;
  struct mx_resonances found = {0};
  if (recorder == NULL) return found;
  found = recorder->resonances;
  recorder->resonances = (struct mx_resonances){0};
  return found;
}

static void release(void *self)
{
  mx_resonances_release(&((struct recorder *)self)->resonances);
  dg_free(self);
}

const struct mx_recorder mx_resonances_recorder = {.plan = plan,
                                                   .results = results,
                                                   .open = open_resonances,
                                                   .archive = archive_records,
                                                   .finish = finish,
                                                   .release = release};
