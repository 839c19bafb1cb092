/* The root of a snapshot: multi-block meshes, multi-block variables and expressions that make vectors of components.
 * Rank 0 writes it from records that all ranks send, when all blocks are there. */
#include "libdg/io/silo/silo_root.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"

void dg_silo_variable_name(const struct dg_snapshot_field *field, int component, char name[DG_SILO_NAME])
{
  const char *const suffix = dg_snapshot_suffix(field);
  DG_ASSERT(strlen(field->name) + strlen(suffix) < 64);
  snprintf(name, DG_SILO_NAME, "%.64s%.*s%.16s", field->name, field->components == 1 ? 0 : 1, &"xyz"[component],
           suffix);
}

size_t dg_silo_variables(size_t fields, const struct dg_snapshot_field *field)
{
  size_t variables = 0;
  for (size_t f = 0; f < fields; f++) variables += (size_t)field[f].components;
  return variables;
}

struct writer {
  const struct dg_silo_root *root;
  const struct dg_silo_file *file;
  size_t width;      /* of a record */
  size_t name_size;  /* bytes of the longest name of a block's object */
  char *text;        /* [blocks][name_size] */
  const char **name; /* [blocks] of the objects that are being joined, in text */
  int *number;       /* [3][blocks] types, zone counts, and whether a block has zones on the outside */
  double *extent;    /* [blocks][6] */
};

static int prepare(struct writer *w, struct dg_error *err)
{
  const size_t blocks = (size_t)w->root->blocks;
  w->width = dg_silo_record(dg_silo_variables(w->root->fields, w->root->field));
  for (size_t b = 0; b < blocks; b++) {
    const size_t length = strlen(w->root->place[b]), mesh = strlen(w->root->mesh[b]);
    w->name_size = length > w->name_size ? length : w->name_size;
    w->name_size = mesh > w->name_size ? mesh : w->name_size;
  }
  w->name_size += 1 + DG_SILO_NAME;
  if (dg_alloc(&w->text, blocks, w->name_size, err) != 0 || DG_NEW(w->name, blocks, err) != 0 ||
      DG_NEW(w->number, 3 * blocks, err) != 0 || DG_NEW(w->extent, 6 * blocks, err) != 0)
    return dg_context(err, "while writing '%s'", w->file->path);
  for (size_t b = 0; b < blocks; b++) w->name[b] = w->text + b * w->name_size;
  return 0;
}

/* Joins the blocks' objects of that name and their type. */
static void join(struct writer *w, const char *const *place, const char *object, int type)
{
  for (int b = 0; b < w->root->blocks; b++) {
    snprintf(w->text + (size_t)b * w->name_size, w->name_size, "%s/%s", place[b], object);
    w->number[b] = type;
  }
}

static int write_multimesh(struct writer *w, struct dg_error *err)
{
  const int blocks = w->root->blocks;
  int *const zones = w->number + blocks, *const outside = zones + blocks, extents = 6;
  struct dg_silo_options o;

  join(w, w->root->mesh, "mesh", DB_UCDMESH);
  for (int b = 0; b < blocks; b++) {
    const double *const record = w->root->record + (size_t)b * w->width;
    memcpy(w->extent + 6 * (size_t)b, record, 6 * sizeof *record);
    zones[b] = (int)record[DG_SILO_ZONES];
    outside[b] = 1;
  }
  if (dg_silo_options_init(&o, w->file->path, w->root->time, w->root->cycle, err) != 0) return err->code;
  DBAddOption(o.list, DBOPT_EXTENTS_SIZE, &extents);
  DBAddOption(o.list, DBOPT_EXTENTS, w->extent);
  DBAddOption(o.list, DBOPT_ZONECOUNTS, zones);
  DBAddOption(o.list, DBOPT_HAS_EXTERNAL_ZONES, outside);
  errno = 0;
  const int failed = DBPutMultimesh(w->file->db, "mesh", blocks, w->name, w->number, o.list) < 0;
  if (failed) dg_silo_failed(w->file->path, "mesh", err);
  DBFreeOptlist(o.list);
  return failed ? err->code : 0;
}

/* Writes variable number `index` of all. */
static int write_multivar(struct writer *w, size_t index, const char *name, struct dg_error *err)
{
  static char mesh[] = "mesh"; /* Silo takes a pointer that is not const */
  const int blocks = w->root->blocks;
  int extents = 2, rank = DB_VARTYPE_SCALAR, ranges = 1;
  struct dg_silo_options o;

  join(w, w->root->place, name, DB_UCDVAR);
  for (int b = 0; b < blocks; b++) {
    const double *const range = w->root->record + (size_t)b * w->width + dg_silo_record(index);
    w->extent[2 * b] = range[0];
    w->extent[2 * b + 1] = range[1];
    ranges = ranges && range[0] <= range[1]; /* not when all of a block is NaN */
  }
  if (dg_silo_options_init(&o, w->file->path, w->root->time, w->root->cycle, err) != 0) return err->code;
  DBAddOption(o.list, DBOPT_MMESH_NAME, mesh);
  DBAddOption(o.list, DBOPT_TENSOR_RANK, &rank);
  if (ranges) {
    DBAddOption(o.list, DBOPT_EXTENTS_SIZE, &extents);
    DBAddOption(o.list, DBOPT_EXTENTS, w->extent);
  }
  errno = 0;
  const int failed = DBPutMultivar(w->file->db, name, blocks, w->name, w->number, o.list) < 0;
  if (failed) dg_silo_failed(w->file->path, name, err);
  DBFreeOptlist(o.list);
  return failed ? err->code : 0;
}

static int write_multivars(struct writer *w, struct dg_error *err)
{
  size_t index = 0;
  for (size_t f = 0; f < w->root->fields; f++)
    for (int c = 0; c < w->root->field[f].components; c++) {
      char name[DG_SILO_NAME];
      dg_silo_variable_name(&w->root->field[f], c, name);
      if (write_multivar(w, index++, name, err) != 0) return err->code;
    }
  return 0;
}

/* Writes the expressions that join components to vectors. */
static int write_expressions(const struct writer *w, struct dg_error *err)
{
  const size_t fields = w->root->fields;
  struct expression {
    char name[DG_SILO_NAME], text[4 * DG_SILO_NAME];
  } *expression = NULL;
  const char **name = NULL; /* [2 * fields]: names, then definitions */
  int *type = NULL, count = 0;

  if (DG_NEW(expression, fields, err) != 0 || DG_NEW(name, 2 * fields, err) != 0 || DG_NEW(type, fields, err) != 0) {
    dg_context(err, "while writing '%s'", w->file->path);
    goto fail;
  }
  for (size_t f = 0; f < fields; f++) {
    const struct dg_snapshot_field *const field = &w->root->field[f];
    char part[3][DG_SILO_NAME];
    if (field->components != 3) continue;
    for (int c = 0; c < 3; c++) dg_silo_variable_name(field, c, part[c]);
    snprintf(expression[count].text, sizeof expression[count].text, "{%s, %s, %s}", part[0], part[1], part[2]);
    snprintf(expression[count].name, sizeof expression[count].name, "%.64s%.16s", field->name,
             dg_snapshot_suffix(field));
    name[count] = expression[count].name;
    name[fields + (size_t)count] = expression[count].text;
    type[count++] = DB_VARTYPE_VECTOR;
  }
  errno = 0;
  if (count > 0 && DBPutDefvars(w->file->db, "expressions", count, name, type, name + fields, NULL) < 0)
    dg_silo_failed(w->file->path, "expressions", err);
fail:
  dg_free(expression);
  dg_free(name);
  dg_free(type);
  return err->code;
}

int dg_silo_write_root(const struct dg_silo_file *file, const struct dg_silo_root *root, struct dg_error *err)
{
  struct writer w = {.root = root, .file = file};
  dg_silo_lock();
  if (prepare(&w, err) == 0 && write_multimesh(&w, err) == 0 && write_multivars(&w, err) == 0)
    (void)!write_expressions(&w, err);
  dg_silo_unlock();
  dg_free(w.text);
  dg_free(w.name);
  dg_free(w.number);
  dg_free(w.extent);
  return err->code;
}
