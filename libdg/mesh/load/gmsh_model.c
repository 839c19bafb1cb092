/* Models: adds their texts, puts them into a parcel, takes them out of it. */
#include "libdg/mesh/load/gmsh_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/curve.h"

/* The arrays that a model has: name, count, size of a member. */
#define ARRAYS(X)                                                                                                      \
  X(point, points)                                                                                                     \
  X(tet, K)                                                                                                            \
  X(volume_tag, K) X(tag, K) X(triangle, triangles) X(surface_tag, triangles) X(entity, entities) X(curve, curved)
/* Texts that a model may lack. */
#define OPTIONAL(X) X(partition, K) X(number, points)

void dg_model_drop_group(struct dg_model *model)
{
  const struct dg_group_input *group = &model->group[--model->groups];
  void *owned[2]; /* the struct shows them const; they are the model's */
  memcpy(&owned[0], &group->name, sizeof owned[0]);
  memcpy(&owned[1], &group->entity_tag, sizeof owned[1]);
  dg_free(owned[0]);
  dg_free(owned[1]);
}

void dg_model_release(struct dg_model *model)
{
  if (!model->borrowed) {
#define X(name, count) dg_free(model->name);
    ARRAYS(X)
    OPTIONAL(X)
#undef X
    dg_free(model->shape);
    dg_free(model->segment);
    dg_free(model->curve_tag);
    dg_free(model->corner);
    for (size_t i = 0; i < model->notes; i++) dg_free(model->note[i].text);
    for (size_t i = 0; i < model->sources; i++) dg_free(model->source[i].path);
  }
  dg_free(model->source);
  dg_free(model->note);
  while (model->groups > 0 && !model->borrowed) dg_model_drop_group(model);
  dg_free(model->group);
  *model = (struct dg_model){0};
}

int dg_model_note(struct dg_model *model, bool warning, struct dg_error *err, const char *format, ...)
{
  char text[DG_MESSAGE_MAX];
  va_list list;
  va_start(list, format);
  (void)vsnprintf(text, sizeof text, format, list);
  va_end(list);
  for (char *c = text; *c != '\0'; c++)
    if ((unsigned char)*c < ' ') *c = ' ';
  if (dg_grow(&model->note, model->notes + 1, sizeof *model->note, err) != 0) return err->code;
  struct dg_model_note *note = &model->note[model->notes];
  note->warning = warning;
  note->surface = 0;
  if (dg_copy_string(&note->text, text, err) != 0) return err->code;
  model->notes++;
  return 0;
}

void dg_model_phase(const struct dg_model *model, char phase)
{
  if (model->life > 0) (void)!write(model->life, &phase, 1); /* one that nobody hears is lost */
}

/* ---- into a parcel ---- */

static int put_lists(const struct dg_model *model, struct dg_parcel *parcel, struct dg_error *err)
{
  if (dg_parcel_put_number(parcel, model->groups, err) != 0) return err->code;
  for (size_t i = 0; i < model->groups; i++) {
    const struct dg_group_input *group = &model->group[i];
    const int32_t key[2] = {group->dim, group->tag};
    if (dg_parcel_put_array(parcel, 2, sizeof *key, key, err) != 0 ||
        dg_parcel_put_text(parcel, group->name, err) != 0 ||
        dg_parcel_put_array(parcel, group->entities, sizeof *group->entity_tag, group->entity_tag, err) != 0)
      return err->code;
  }
  if (dg_parcel_put_number(parcel, model->notes, err) != 0) return err->code;
  for (size_t i = 0; i < model->notes; i++)
    if (dg_parcel_put_number(parcel, model->note[i].warning, err) != 0 ||
        dg_parcel_put_number(parcel, (uint64_t)model->note[i].surface, err) != 0 ||
        dg_parcel_put_text(parcel, model->note[i].text, err) != 0)
      return err->code;
  if (dg_parcel_put_number(parcel, model->sources, err) != 0) return err->code;
  for (size_t i = 0; i < model->sources; i++) {
    const struct dg_source *source = &model->source[i];
    const uint64_t number[4] = {source->kind, source->size, (uint64_t)source->changed, source->digest};
    if (dg_parcel_put_array(parcel, 4, sizeof *number, number, err) != 0 ||
        dg_parcel_put_text(parcel, source->path, err) != 0)
      return err->code;
  }
  return 0;
}

int dg_model_put(const struct dg_model *model, struct dg_parcel *parcel, struct dg_error *err)
{
  const size_t nodes = model->curved > 0 ? dg_shape_nodes(model->geometry) : 0;
#define X(name, count)                                                                                                 \
  if (dg_parcel_put_array(parcel, model->count, sizeof *model->name, model->name, err) != 0) return err->code;
  ARRAYS(X)
#undef X
#define X(name, count)                                                                                                 \
  if (dg_parcel_put_array(parcel, model->name != NULL ? model->count : 0, sizeof *model->name, model->name, err) != 0) \
    return err->code;
  OPTIONAL(X)
#undef X
  if (dg_parcel_put_number(parcel, (uint64_t)model->geometry, err) != 0 ||
      dg_parcel_put_array(parcel, model->curved * nodes, sizeof *model->shape, model->shape, err) != 0 ||
      dg_parcel_put_number(parcel, (uint64_t)model->partitions, err) != 0 ||
      dg_parcel_put_text(parcel, model->gmsh, err) != 0 || dg_parcel_put_text(parcel, model->uncertain, err) != 0)
    return err->code;
  return put_lists(model, parcel, err);
}

/* ---- out of it ---- */

static int damaged(struct dg_error *err, const char *how)
{
  return dg_fail(err, DG_ENVIRONMENT, "is damaged: %s", how);
}

/* Takes the number of members of a list, each of which takes a word at least. */
static int take_length(struct dg_parcel *parcel, size_t *length, struct dg_error *err)
{
  uint64_t number = 0;
  if (dg_parcel_take_number(parcel, &number, err) != 0) return err->code;
  if (number > (parcel->used - parcel->at) / sizeof(uint64_t)) return damaged(err, "it ends too early");
  *length = (size_t)number;
  return 0;
}

static int take_group(struct dg_group_input *group, struct dg_parcel *parcel, struct dg_error *err)
{
  const int32_t *key = NULL;
  size_t two = 0;
  if (dg_parcel_take_array(parcel, &two, sizeof *key, &key, err) != 0) return err->code;
  if (two != 2 || key[0] < 2 || key[0] > 3) return damaged(err, "a group of no known kind");
  *group = (struct dg_group_input){.dim = key[0], .tag = key[1]};
  if (dg_parcel_take_text(parcel, &group->name, 0, err) != 0) return err->code;
  return dg_parcel_take_array(parcel, &group->entities, sizeof *group->entity_tag, &group->entity_tag, err);
}

static int take_source(struct dg_source *source, struct dg_parcel *parcel, struct dg_error *err)
{
  const uint64_t *number = NULL;
  const char *path = NULL;
  size_t four = 0;
  if (dg_parcel_take_array(parcel, &four, sizeof *number, &number, err) != 0 ||
      dg_parcel_take_text(parcel, &path, 0, err) != 0)
    return err->code;
  if (four != 4 || number[0] >= DG_SOURCE_KINDS) return damaged(err, "a source of no known kind");
  *source = (struct dg_source){
      .kind = (enum dg_source_kind)number[0], .size = number[1], .changed = (int64_t)number[2], .digest = number[3]};
  memcpy(&source->path, &path, sizeof path); /* a borrowed one, as those of notes */
  return 0;
}

static int take_lists(struct dg_model *model, struct dg_parcel *parcel, struct dg_error *err)
{
  size_t length = 0;
  if (take_length(parcel, &length, err) != 0 || DG_NEW(model->group, length, err) != 0) return err->code;
  for (; model->groups < length; model->groups++)
    if (take_group(&model->group[model->groups], parcel, err) != 0) return err->code;
  if (take_length(parcel, &length, err) != 0 || DG_NEW(model->note, length, err) != 0) return err->code;
  for (; model->notes < length; model->notes++) {
    struct dg_model_note *note = &model->note[model->notes];
    uint64_t warning = 0, surface = 0;
    const char *text = NULL;
    if (dg_parcel_take_number(parcel, &warning, err) != 0 || dg_parcel_take_number(parcel, &surface, err) != 0 ||
        dg_parcel_take_text(parcel, &text, 1, err) != 0)
      return err->code;
    note->surface = (int32_t)surface;
    note->warning = warning != 0;
    memcpy(&note->text, &text, sizeof text); /* a borrowed one, which release leaves alone */
  }
  if (take_length(parcel, &length, err) != 0 || DG_NEW(model->source, length, err) != 0) return err->code;
  for (; model->sources < length; model->sources++)
    if (take_source(&model->source[model->sources], parcel, err) != 0) return err->code;
  return 0;
}

/* Checks of everything that dg_mesh_build takes for granted and dg_mesh_check_input does not look at. */
static int check(const struct dg_model *model, struct dg_error *err)
{
  if ((model->partitions > 0) != (model->partition != NULL)) return damaged(err, "partitions without elements");
  for (size_t e = 0; e < model->K && model->partition != NULL; e++)
    if (model->partition[e] < 0 || model->partition[e] >= model->partitions) return damaged(err, "a partition number");
  for (size_t i = 1; i < model->points && model->number != NULL; i++)
    if (model->number[i] <= model->number[i - 1]) return damaged(err, "the numbers of points do not ascend");
  for (size_t i = 0; i < model->entities; i++)
    if (model->entity[i][0] < 2 || model->entity[i][0] > 3) return damaged(err, "an entity of no known kind");
  return 0;
}

/* Takes the maps of curved elements. */
static int take_shapes(struct dg_model *model, struct dg_parcel *parcel, struct dg_error *err)
{
  uint64_t geometry = 0;
  size_t nodes = 0;
  if (dg_parcel_take_number(parcel, &geometry, err) != 0 ||
      dg_parcel_take_array(parcel, &nodes, sizeof *model->shape, &model->shape, err) != 0)
    return err->code;
  if (geometry > DG_GEOMETRY_MAX || (model->curved > 0 && geometry < 2)) return damaged(err, "an order of maps");
  model->geometry = (int)geometry;
  if (nodes != (model->curved > 0 ? model->curved * dg_shape_nodes(model->geometry) : 0))
    return damaged(err, "arrays of different lengths");
  for (size_t i = 0; i < model->curved; i++)
    if (model->curve[i] < 0 || (size_t)model->curve[i] >= model->K || (i > 0 && model->curve[i] <= model->curve[i - 1]))
      return damaged(err, "the numbers of curved elements");
  return 0;
}

int dg_model_take(struct dg_model *model, struct dg_parcel *parcel, struct dg_error *err)
{
  size_t length = 0;
  uint64_t partitions = 0;
  const char *gmsh = "", *uncertain = "";
  const size_t unknown = SIZE_MAX;
  *model = (struct dg_model){
      .borrowed = true, .points = unknown, .K = unknown, .triangles = unknown, .entities = unknown, .curved = unknown};
  /* The first array of a kind says how many there are. */
#define X(name, count)                                                                                                 \
  if (dg_parcel_take_array(parcel, &length, sizeof *model->name, &model->name, err) != 0) return err->code;            \
  if (model->count == unknown) model->count = length;                                                                  \
  if (model->count != length) return damaged(err, "arrays of different lengths");
  ARRAYS(X)
#undef X
#define X(name, count)                                                                                                 \
  if (dg_parcel_take_array(parcel, &length, sizeof *model->name, &model->name, err) != 0) return err->code;            \
  if (length != 0 && model->count != length) return damaged(err, "arrays of different lengths");
  OPTIONAL(X)
#undef X
  if (take_shapes(model, parcel, err) != 0 || dg_parcel_take_number(parcel, &partitions, err) != 0 ||
      dg_parcel_take_text(parcel, &gmsh, 1, err) != 0 || dg_parcel_take_text(parcel, &uncertain, 1, err) != 0)
    return err->code;
  if (partitions > INT32_MAX) return damaged(err, "a number of partitions");
  model->partitions = (int)partitions;
  (void)snprintf(model->gmsh, sizeof model->gmsh, "%s", gmsh);
  (void)snprintf(model->uncertain, sizeof model->uncertain, "%s", uncertain);
  if (take_lists(model, parcel, err) != 0) return err->code;
  return check(model, err);
}
