/* The recorder of far fields (maxwell/far/far_field.h), whose sums the set-up has made. */
#include "maxwell/record/recorder.h"

static int plan(struct mx_plan *plan, const struct mx_scene *scene, struct dg_error *err)
{
  static const char *const endings[] = {".csv", "_powers.csv", ".ffe"};
  const struct mx_config *const config = scene->config;
  if (config->output.far_fields > 0) mx_plan_folder(plan, "far_field", false);
  for (size_t i = 0; i < config->output.far_fields; i++)
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
      if (mx_plan_file(plan, err, "far_field/%.200s%s", config->output.far_field[i].name, endings[k]) != 0)
        return err->code;
  return 0;
}

static int results(struct mx_results *results, const struct mx_scene *scene, struct dg_error *err)
{
  for (size_t i = 0; i < scene->config->output.far_fields; i++) {
    struct mx_result result = {.list = "far_field", .name = scene->config->output.far_field[i].name, .at_end = true};
    if (mx_add_result(results, scene, &result, NULL, "", err) != 0) return err->code;
    result.part = "powers";
    if (mx_add_result(results, scene, &result, NULL, "_powers", err) != 0) return err->code;
  }
  return 0;
}

static size_t memory(const struct mx_scene *scene) { return mx_far_fields_memory(scene->far); }

static int watch(void **self, struct mx_scene *scene, bool resume, struct dg_error *err)
{
  (void)resume;
  *self = scene;
  return mx_far_fields_watch(scene->far, scene->ops, scene->backend, err);
}

static bool is_due(const void *self, long n) { return mx_far_fields_due(((const struct mx_scene *)self)->far, n); }
static bool asks(const void *self, long n) { return mx_far_fields_ask(((const struct mx_scene *)self)->far, n); }

static int take(void *self, long n, double t, struct dg_error *err)
{
  const struct mx_scene *const scene = self;
  (void)t;
  return mx_far_fields_take(scene->far, scene->ops, scene->backend, n, err);
}

static int gather(void *self, struct dg_error *err)
{
  return mx_far_fields_gather(((const struct mx_scene *)self)->far, err);
}

static int archive_sums(void *self, struct mx_archive *archive, struct dg_error *err)
{
  return mx_far_fields_archive(((const struct mx_scene *)self)->far, archive, err);
}

static void end(void *self) { mx_far_fields_note_ports(((const struct mx_scene *)self)->far); }

static int finish(void *self, struct dg_error *err)
{
  const struct mx_scene *const scene = self;
  return mx_far_fields_write(scene->far, scene->folder, err);
}

const struct mx_recorder mx_far_fields_recorder = {.plan = plan,
                                                   .results = results,
                                                   .memory = memory,
                                                   .open = watch,
                                                   .due = is_due,
                                                   .asks = asks,
                                                   .take = take,
                                                   .gather = gather,
                                                   .archive = archive_sums,
                                                   .end = end,
                                                   .finish = finish};
