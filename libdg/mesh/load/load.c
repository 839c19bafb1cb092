/* dg_mesh_load: a request to curlew-mesh, its answer, and the mesh from it. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/mesh/load/mesher.h"
#include "libdg/mesh/load/gmsh_model.h"
#include "libdg/mesh/parts/msh_parts.h"

/* The version of Gmsh, once known; it is handed out as a string that nobody frees. */
static char gmsh_version[32];

static void remember_version(const struct dg_model *model)
{
  if (model->gmsh[0] != '\0') (void)snprintf(gmsh_version, sizeof gmsh_version, "%s", model->gmsh);
}

static void drop_notes(struct dg_mesh_report *report)
{
  for (size_t i = 0; i < report->notes; i++) dg_free(report->note[i].text);
  dg_free(report->note);
  report->note = NULL;
  report->notes = 0;
}

void dg_mesh_report_release(struct dg_mesh_report *report)
{
  drop_notes(report);
  if (report->fresh != NULL) dg_parcel_release(report->fresh);
  dg_free(report->fresh);
  *report = (struct dg_mesh_report){0};
}

static int report_note(struct dg_mesh_report *report, bool warning, int32_t surface, const char *text,
                       struct dg_error *err)
{
  if (dg_grow(&report->note, report->notes + 1, sizeof *report->note, err) != 0) return err->code;
  report->note[report->notes].warning = warning;
  report->note[report->notes].surface = surface;
  if (dg_copy_string(&report->note[report->notes].text, text, err) != 0) return err->code;
  report->notes++;
  return 0;
}

static int report_notes(struct dg_mesh_report *report, const struct dg_model *model, struct dg_error *err)
{
  for (size_t i = 0; report != NULL && i < model->notes; i++)
    if (report_note(report, model->note[i].warning, model->note[i].surface, model->note[i].text, err) != 0)
      return err->code;
  return 0;
}

/* ---- the answer ---- */

/* An answer: its question, Gmsh's messages, an error or none, and the model. */
struct answer {
  const char *key;
  size_t key_bytes;
  const char *messages, *text;
  uint64_t code;
};

static int take_answer(struct answer *answer, struct dg_model *model, struct dg_parcel *parcel, int descriptor,
                       struct dg_error *err)
{
  *answer = (struct answer){0};
  if (dg_parcel_receive(parcel, descriptor, DG_ANSWER_MAGIC, err) != 0 ||
      dg_parcel_take_array(parcel, &answer->key_bytes, 1, &answer->key, err) != 0 ||
      dg_parcel_take_text(parcel, &answer->messages, 0, err) != 0 ||
      dg_parcel_take_number(parcel, &answer->code, err) != 0 || dg_parcel_take_text(parcel, &answer->text, 1, err) != 0)
    return err->code;
  return dg_model_take(model, parcel, err);
}

static bool is_damage(const struct dg_error *err)
{
  return strncmp(err->message, "is damaged", strlen("is damaged")) == 0 ||
         strncmp(err->message, "cannot be read", strlen("cannot be read")) == 0;
}

static int read_answer(struct dg_model *model, struct dg_parcel *parcel, int descriptor,
                       const struct dg_mesh_options *options, struct dg_error *err)
{
  struct answer answer;
  struct dg_error damage = {0}, problem = {0};
  if (take_answer(&answer, model, parcel, descriptor, &damage) != 0) {
    if (!is_damage(&damage)) *err = damage;
    else (void)dg_fail(err, DG_ENVIRONMENT, "the answer of curlew-mesh %s", damage.message);
    return err->code;
  }
  if (options->messages != NULL) (void)fputs(answer.messages, options->messages);
  if (answer.code != DG_OK)
    (void)dg_fail(&problem, answer.code == DG_INPUT ? DG_INPUT : DG_ENVIRONMENT, "%s", answer.text);
  remember_version(model);
  if (report_notes(options->report, model, err) != 0) return err->code;
  if (problem.code != DG_OK) *err = problem;
  return err->code;
}

/* ---- from the model to the mesh ---- */

/* Adds the entities of the whole model that this part does not have, so that all parts have the same. */
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
      .geometry = model->geometry,
      .curved = model->curved,
      .curve = model->curve,
      .shape = (const double(*)[3])model->shape,
      .number = model->number,
  };
  if (dg_mesh_build(mesh, &input, err) != 0) return err->code;
  if (model->number == NULL || add_entities_elsewhere(mesh, model, err) == 0)
    (void)!dg_mesh_set_groups(mesh, model->groups, model->group, err);
  if (err->code != DG_OK) dg_mesh_release(mesh);
  return err->code;
}

/* Lets curlew-mesh make the mesh. *meshed: see dg_mesher_ask. */
static int make(struct dg_mesh *mesh, const struct dg_request *request, bool *meshed, struct dg_error *err)
{
  const struct dg_mesh_options *options = &request->options;
  struct dg_model model = {.borrowed = true};
  struct dg_parcel parcel = {0};
  int answer = -1;
  if (dg_mesher_ask(&answer, request, meshed, err) != 0 || read_answer(&model, &parcel, answer, options, err) != 0)
    goto fail;
  if (dg_model_build(mesh, &model, err) != 0) {
    dg_context(err, "in mesh '%s'", options->file);
  } else if (options->report != NULL && options->kept != NULL) {
    if (DG_NEW(options->report->fresh, 1, err) != 0) goto fail;
    *options->report->fresh = parcel;
    parcel = (struct dg_parcel){0};
  }
fail:
  if (answer >= 0) (void)close(answer);
  dg_model_release(&model);
  dg_parcel_release(&parcel);
  if (err->code != DG_OK) dg_mesh_release(mesh);
  return err->code;
}

/* Makes the mesh again with one thread if it fails with several. Algorithms of Gmsh that work with several threads fail
 * now and then: HXT of 4.8 leaves elements without their neighbours, or crashes. If the mesh is right with one thread,
 * that was no error; if it is wrong with one, the error is the geometry's. */
static int make_surely(struct dg_mesh *mesh, const struct dg_request *request, struct dg_error *err)
{
  struct dg_request alone = *request;
  struct dg_error why = {0};
  char text[sizeof why.message + 80];
  bool meshed;
  if (make(mesh, request, &meshed, &why) == 0) return 0;
  if (request->options.threads <= 1 || !meshed || why.code != DG_INPUT) {
    *err = why;
    return err->code;
  }
  alone.options.threads = 1;
  drop_notes(request->options.report);
  if (make(mesh, &alone, &meshed, err) != 0) return err->code;
  snprintf(text, sizeof text, "made again with one thread; with %d: %s", request->options.threads, why.message);
  if (report_note(request->options.report, false, 0, text, err) != 0) dg_mesh_release(mesh);
  return err->code;
}

/* ---- a mesh that is kept ---- */

/* Does the kept mesh hold what would be made now? *why says what does not fit. */
static bool fits(const struct answer *answer, const struct dg_model *model, const struct dg_parcel *key,
                 const struct dg_mesh_options *options, char *why, size_t size)
{
  if (answer->code != DG_OK || answer->key_bytes != key->used || answer->key == NULL ||
      memcmp(answer->key, key->start, key->used) != 0) {
    snprintf(why, size, "it was made with other options");
    return false;
  }
  if (!options->same_run && model->uncertain[0] != '\0') {
    snprintf(why, size, "%s", model->uncertain);
    return false;
  }
  for (size_t i = 0; i < model->sources; i++) {
    if (options->same_run && model->source[i].kind == DG_SOURCE_PROGRAM) continue;
    if (dg_source_same(&model->source[i])) continue;
    snprintf(why, size, "'%s' has changed", model->source[i].path);
    for (char *c = why; *c != '\0'; c++)
      if ((unsigned char)*c < ' ') *c = '?';
    return false;
  }
  return true;
}

/* Uses a kept mesh. Memory that is used up is an error; all other failures are only a reason to make the mesh. */
static int reuse(struct dg_mesh *mesh, const struct dg_request *request, struct dg_error *err)
{
  const struct dg_mesh_options *options = &request->options;
  struct dg_mesh_report *report = options->report;
  struct dg_model model = {.borrowed = true};
  struct dg_parcel parcel = {0}, key = {0};
  struct answer answer;
  struct dg_error damage = {0};
  int file = open(options->kept, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0 && errno == ENOENT) return 0;
  if (file < 0) (void)dg_fail(&damage, DG_ENVIRONMENT, "cannot be read: %s", strerror(errno));
  else if (take_answer(&answer, &model, &parcel, file, &damage) == 0 && dg_request_key(request, &key, err) == 0 &&
           fits(&answer, &model, &key, options, report->why, sizeof report->why)) {
    (void)!dg_model_build(mesh, &model, &damage);
    report->reused = damage.code == DG_OK;
    remember_version(&model);
    if (report->reused) (void)!report_notes(report, &model, err);
  }
  if (damage.code != DG_OK && strncmp(damage.message, "out of memory", strlen("out of memory")) == 0) *err = damage;
  else if (damage.code != DG_OK) snprintf(report->why, sizeof report->why, "it %.200s", damage.message);
  if (file >= 0) (void)close(file);
  dg_model_release(&model);
  dg_parcel_release(&parcel);
  dg_parcel_release(&key);
  if (err->code != DG_OK) dg_mesh_release(mesh);
  return err->code;
}

static int write_kept(struct dg_parcel *parcel, const char *path, const char *part, struct dg_error *err)
{
  struct dg_error why = {0};
  (void)unlink(part);
  int file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
  if (dg_parcel_send(parcel, file, DG_ANSWER_MAGIC, &why) != 0)
    (void)dg_fail(err, DG_ENVIRONMENT, "'%s' %s", path, why.message);
  else if (fsync(file) != 0) (void)dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
  if (close(file) != 0) (void)dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
  if (err->code == DG_OK && rename(part, path) != 0)
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
  if (err->code != DG_OK) (void)unlink(part);
  return err->code;
}

int dg_mesh_keep(struct dg_mesh_report *report, const char *path, struct dg_error *err)
{
  char *part = NULL;
  if (report->fresh == NULL) return 0;
  size_t size = strlen(path) + sizeof ".part";
  if (dg_alloc(&part, size, 1, err) == 0) {
    snprintf(part, size, "%s.part", path);
    if (write_kept(report->fresh, path, part, err) == 0)
      (void)dg_file_sync_folder(path); /* a name that is lost means that a mesh is made */
  }
  dg_free(part);
  dg_parcel_release(report->fresh);
  dg_free(report->fresh);
  report->fresh = NULL;
  return err->code;
}

/* ---- all of it ---- */

int dg_mesh_load_part(struct dg_mesh *mesh, const struct dg_mesh_options *options, int part, struct dg_error *err)
{
  struct dg_mesh_report own = {0};
  struct dg_request request = {.options = *options, .part = part};
  *mesh = (struct dg_mesh){0};
  if (request.options.report == NULL) request.options.report = &own;
  if (options->kept != NULL && !options->remake && reuse(mesh, &request, err) != 0) goto fail;
  if (!request.options.report->reused) (void)!make_surely(mesh, &request, err);
fail:
  dg_mesh_report_release(&own);
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
  bool meshed;
  if (gmsh_version[0] != '\0') return gmsh_version;
  if (dg_mesher_ask(&answer, &request, &meshed, &err) != 0 ||
      read_answer(&model, &parcel, answer, &request.options, &err) != 0)
    (void)snprintf(gmsh_version, sizeof gmsh_version, "unknown");
  if (answer >= 0) (void)close(answer);
  dg_model_release(&model);
  dg_parcel_release(&parcel);
  return gmsh_version;
}
