/* dg_mesh_load: a request to curlew-mesh, its answer, and the mesh from it. */
#include <string.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/mesher.h"
#include "libdg/mesh/model.h"
#include "libdg/mesh/msh_parts.h"

/* Once known, it is handed out by the contract as a string that nobody frees. */
static char gmsh_version[32];

static void remember_version(const struct dg_model *model)
{
  if (model->gmsh[0] != '\0') (void)snprintf(gmsh_version, sizeof gmsh_version, "%s", model->gmsh);
}

void dg_mesh_report_release(struct dg_mesh_report *report)
{
  for (size_t i = 0; i < report->notes; i++) dg_free(report->note[i].text);
  dg_free(report->note);
  *report = (struct dg_mesh_report){0};
}

static int report_notes(struct dg_mesh_report *report, const struct dg_model *model, struct dg_error *err)
{
  if (report == NULL || model->notes == 0) return 0;
  if (DG_NEW(report->note, model->notes, err) != 0) return err->code;
  for (; report->notes < model->notes; report->notes++) {
    report->note[report->notes].warning = model->note[report->notes].warning;
    if (dg_copy_string(&report->note[report->notes].text, model->note[report->notes].text, err) != 0) return err->code;
  }
  return 0;
}

/* The answer: what Gmsh said, an error or none, and the model. */
static int read_answer(struct dg_model *model, struct dg_parcel *parcel, int descriptor,
                       const struct dg_mesh_options *options, struct dg_error *err)
{
  const char *messages = NULL, *text = NULL;
  uint64_t code = 0;
  struct dg_error damage = {0}, problem = {0};
  if (dg_parcel_receive(parcel, descriptor, DG_ANSWER_MAGIC, &damage) != 0 ||
      dg_parcel_take_text(parcel, &messages, 0, &damage) != 0 || dg_parcel_take_number(parcel, &code, &damage) != 0 ||
      dg_parcel_take_text(parcel, &text, 1, &damage) != 0 || dg_model_take(model, parcel, &damage) != 0) {
    if (strncmp(damage.message, "is damaged", strlen("is damaged")) != 0) *err = damage;
    else (void)dg_fail(err, DG_ENVIRONMENT, "the answer of curlew-mesh %s", damage.message);
    return err->code;
  }
  if (options->messages != NULL) (void)fputs(messages, options->messages);
  if (code != DG_OK) (void)dg_fail(&problem, code == DG_INPUT ? DG_INPUT : DG_ENVIRONMENT, "%s", text);
  remember_version(model);
  if (report_notes(options->report, model, err) != 0) return err->code;
  if (problem.code != DG_OK) *err = problem;
  return err->code;
}

/* ---- from the model to the mesh ---- */

/* The entities of the whole model that this part does not have: all parts then have the same. */
static int add_entities_elsewhere(struct dg_mesh *mesh, const struct dg_model *model, struct dg_error *err)
{
  int *tag = NULL;
  if (DG_NEW(tag, model->entities, err) != 0) return err->code;
  for (int dim = 2; dim <= 3 && err->code == DG_OK; dim++) {
    struct dg_group_input all = {.dim = dim, .entity_tag = tag};
    for (size_t i = 0; i < model->entities; i++)
      if (model->entity[i][0] == dim) tag[all.entities++] = model->entity[i][1];
    (void)!dg_mesh_add_empty(mesh, 1, &all, err);
  }
  dg_free(tag);
  return err->code;
}

int dg_model_build(struct dg_mesh *mesh, const struct dg_model *model, struct dg_error *err)
{
  const struct dg_mesh_input input = {
      .points = model->points,
      .K = model->K,
      .triangles = model->triangles,
      .point = (const double(*)[3])model->point,
      .tet = (const int32_t(*)[4])model->tet,
      .volume_tag = model->volume_tag,
      .tag = model->tag,
      .triangle = (const int32_t(*)[3])model->triangle,
      .surface_tag = model->surface_tag,
      .partition = model->partition,
      .partitions = model->partitions,
      .number = model->number,
  };
  if (dg_mesh_build(mesh, &input, err) != 0) return err->code;
  if (model->number == NULL || add_entities_elsewhere(mesh, model, err) == 0)
    (void)!dg_mesh_set_groups(mesh, model->groups, model->group, err);
  if (err->code != DG_OK) dg_mesh_release(mesh);
  return err->code;
}

int dg_mesh_load_part(struct dg_mesh *mesh, const struct dg_mesh_options *options, int part, struct dg_error *err)
{
  const struct dg_request request = {.options = *options, .part = part};
  struct dg_model model = {.borrowed = true};
  struct dg_parcel parcel = {0};
  int answer = -1;
  *mesh = (struct dg_mesh){0};
  if (dg_mesher_ask(&answer, &request, err) != 0) goto fail;
  if (read_answer(&model, &parcel, answer, options, err) != 0) goto fail;
  if (dg_model_build(mesh, &model, err) != 0) dg_context(err, "in mesh '%s'", options->file);
fail:
  if (answer >= 0) (void)close(answer);
  dg_model_release(&model);
  dg_parcel_release(&parcel);
  return err->code;
}

int dg_mesh_load(struct dg_mesh *mesh, const struct dg_mesh_options *options, struct dg_error *err)
{
  return dg_mesh_load_part(mesh, options, 0, err);
}

const char *dg_gmsh_version(void)
{
  const struct dg_request request = {.options = {.file = "", .unit = 1, .seconds = 60}};
  struct dg_model model = {.borrowed = true};
  struct dg_parcel parcel = {0};
  struct dg_error err = {0};
  int answer = -1;
  if (gmsh_version[0] != '\0') return gmsh_version;
  if (dg_mesher_ask(&answer, &request, &err) != 0 || read_answer(&model, &parcel, answer, &request.options, &err) != 0)
    (void)snprintf(gmsh_version, sizeof gmsh_version, "unknown");
  if (answer >= 0) (void)close(answer);
  dg_model_release(&model);
  dg_parcel_release(&parcel);
  return gmsh_version;
}
