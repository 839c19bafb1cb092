#include "libdg/io/silo_grid.h"

#include <errno.h>
#include <limits.h>
#include <silo.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "libdg/io/room.h"

#define NAME_SIZE 64

struct writer {
  const struct dg_silo_grid *grid;
  const char *path;
  char *part; /* the name until the file is complete */
  DBfile *file;
  size_t points, zones, variables;
  double *work; /* [3][points] */
  int *corner;  /* [zones][4] */
};

static int fail_write(const struct writer *w, const char *what, struct dg_error *err)
{
  const int reason = errno;
  return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s (%s)", w->path, reason ? strerror(reason) : DBErrString(),
                 what);
}

static int prepare(struct writer *w, struct dg_error *err)
{
  const struct dg_silo_grid *const g = w->grid;
  const size_t part_size = strlen(w->path) + sizeof ".part";
  DG_ASSERT(g->n[0] >= 2 && g->n[1] >= 2);
  if (g->n[0] > INT_MAX / 4 / g->n[1])
    return dg_fail(err, DG_INPUT, "cannot write '%s': %zu x %zu points are too many for a Silo file", w->path, g->n[0],
                   g->n[1]);
  w->points = g->n[0] * g->n[1];
  w->zones = (g->n[0] - 1) * (g->n[1] - 1);
  for (size_t f = 0; f < g->fields; f++) w->variables += (size_t)g->field[f].components;
  if (dg_alloc(&w->part, part_size, 1, err) != 0 || DG_NEW(w->work, 3 * w->points, err) != 0 ||
      DG_NEW(w->corner, 4 * w->zones, err) != 0)
    return dg_context(err, "while writing '%s'", w->path);
  snprintf(w->part, part_size, "%s.part", w->path);
  int *corner = w->corner;
  for (size_t j = 0; j + 1 < g->n[1]; j++)
    for (size_t i = 0; i + 1 < g->n[0]; i++, corner += 4) {
      const int first = (int)(i + g->n[0] * j), row = (int)g->n[0];
      corner[0] = first, corner[1] = first + 1, corner[2] = first + 1 + row, corner[3] = first + row;
    }
  return 0;
}

/* Options with the storage that Silo's pointers need. */
struct options {
  DBoptlist *list;
  int cycle, dimension;
  float time;
  double precise_time;
  char unit[NAME_SIZE], label[NAME_SIZE], metre[2], axis[3][2];
};

static int options_init(struct options *o, const struct writer *w, struct dg_error *err)
{
  *o = (struct options){.cycle = w->grid->cycle,
                        .dimension = 2,
                        .time = (float)w->grid->time,
                        .precise_time = w->grid->time,
                        .metre = "m",
                        .axis = {"x", "y", "z"}};
  errno = 0;
  o->list = DBMakeOptlist(20);
  if (!o->list) return fail_write(w, "options", err);
  DBAddOption(o->list, DBOPT_CYCLE, &o->cycle);
  DBAddOption(o->list, DBOPT_TIME, &o->time);
  DBAddOption(o->list, DBOPT_DTIME, &o->precise_time);
  return 0;
}

static int write_mesh(struct writer *w, struct dg_error *err)
{
  static const int unit_option[3] = {DBOPT_XUNITS, DBOPT_YUNITS, DBOPT_ZUNITS};
  static const int label_option[3] = {DBOPT_XLABEL, DBOPT_YLABEL, DBOPT_ZLABEL};
  const void *const coordinate[3] = {w->work, w->work + w->points, w->work + 2 * w->points};
  int shape_type = DB_ZONETYPE_QUAD, shape_size = 4, shape_count = (int)w->zones;
  struct options o;
  for (size_t i = 0; i < w->points; i++)
    for (size_t d = 0; d < 3; d++) w->work[d * w->points + i] = w->grid->point[i][d];
  if (options_init(&o, w, err) != 0) return err->code;
  DBAddOption(o.list, DBOPT_TOPO_DIM, &o.dimension);
  for (int d = 0; d < 3; d++) {
    DBAddOption(o.list, unit_option[d], o.metre);
    DBAddOption(o.list, label_option[d], o.axis[d]);
  }
  errno = 0;
  const int failed = DBPutZonelist2(w->file, "zonelist", shape_count, 3, w->corner, 4 * shape_count, 0, 0, 0,
                                    &shape_type, &shape_size, &shape_count, 1, NULL) < 0 ||
                     DBPutUcdmesh(w->file, "mesh", 3, NULL, coordinate, (int)w->points, shape_count, "zonelist", NULL,
                                  DB_DOUBLE, o.list) < 0;
  if (failed) fail_write(w, "the mesh", err);
  DBFreeOptlist(o.list);
  return failed ? err->code : 0;
}

/* "Ex_re", or "inside" for a scalar. */
static void component_name(const struct dg_silo_grid_field *field, int c, char name[NAME_SIZE])
{
  snprintf(name, NAME_SIZE, "%.20s%.*s%.20s", field->name, field->components == 1 ? 0 : 1, &"xyz"[c], field -> suffix);
}

static int write_component(struct writer *w, const struct dg_silo_grid_field *field, int c, struct dg_error *err)
{
  struct options o;
  for (size_t i = 0; i < w->points; i++) w->work[i] = field->value[i * field->stride + (size_t)c];
  if (options_init(&o, w, err) != 0) return err->code;
  snprintf(o.unit, sizeof o.unit, "%s", field->unit);
  component_name(field, c, o.label);
  DBAddOption(o.list, DBOPT_UNITS, o.unit);
  DBAddOption(o.list, DBOPT_LABEL, o.label);
  errno = 0;
  const int failed =
      DBPutUcdvar1(w->file, o.label, "mesh", w->work, (int)w->points, NULL, 0, DB_DOUBLE, DB_NODECENT, o.list) < 0;
  if (failed) fail_write(w, o.label, err);
  DBFreeOptlist(o.list);
  return failed ? err->code : 0;
}

/* The expressions that join components to vectors. */
static int write_expressions(const struct writer *w, struct dg_error *err)
{
  enum { MOST = 8 };
  char name[MOST][NAME_SIZE], definition[MOST][4 * NAME_SIZE];
  const char *names[MOST], *definitions[MOST];
  int type[MOST], count = 0;
  DG_ASSERT(w->grid->fields <= MOST);
  for (size_t f = 0; f < w->grid->fields; f++) {
    const struct dg_silo_grid_field *const field = &w->grid->field[f];
    char part[3][NAME_SIZE];
    if (field->components != 3) continue;
    for (int c = 0; c < 3; c++) component_name(field, c, part[c]);
    snprintf(name[count], NAME_SIZE, "%.20s%.20s", field->name, field->suffix);
    snprintf(definition[count], sizeof definition[count], "{%s, %s, %s}", part[0], part[1], part[2]);
    names[count] = name[count];
    definitions[count] = definition[count];
    type[count++] = DB_VARTYPE_VECTOR;
  }
  errno = 0;
  if (count > 0 && DBPutDefvars(w->file, "expressions", count, names, type, definitions, NULL) < 0)
    return fail_write(w, "expressions", err);
  return 0;
}

static int write_objects(struct writer *w, struct dg_error *err)
{
  if (write_mesh(w, err) != 0) return err->code;
  for (size_t f = 0; f < w->grid->fields; f++)
    for (int c = 0; c < w->grid->field[f].components; c++)
      if (write_component(w, &w->grid->field[f], c, err) != 0) return err->code;
  return write_expressions(w, err);
}

static int write_file(struct writer *w, struct dg_error *err)
{
  struct dg_room room;
  /* An upper bound, as that of silo_writer.c. */
  const size_t bytes =
      65536 + 8192 * w->variables + (3 + w->variables) * w->points * sizeof(double) + 4 * w->zones * sizeof(int);
  if (dg_room_find(&room, w->part, w->path, bytes, err) != 0) return err->code;
  errno = 0;
  w->file = DBCreate(w->part, DB_CLOBBER, DB_LOCAL, "fields on a grid of points", DB_HDF5);
  if (!w->file) {
    fail_write(w, "creating the file", err);
    goto fail;
  }
  const int failed = dg_room_take(w->part, w->path, bytes, err) != 0 || write_objects(w, err) != 0;
  dg_room_give_back(&room);
  errno = 0;
  if (DBClose(w->file) < 0 && !failed) fail_write(w, "closing", err);
  dg_room_trim(w->part);
fail:
  dg_room_give_back(&room);
  return err->code;
}

int dg_silo_write_grid(const char *path, const struct dg_silo_grid *grid, struct dg_error *err)
{
  struct writer w = {.grid = grid, .path = path};
  const int level = DBErrlvl();
  const DBErrFunc_t report = DBErrfunc();
  if (prepare(&w, err) != 0) goto fail;
  DBShowErrors(DB_NONE, NULL);
  if (write_file(&w, err) == 0) {
    errno = 0;
    if (rename(w.part, path) != 0) fail_write(&w, "renaming the complete file", err);
  }
  if (err->code != DG_OK && w.part != NULL) unlink(w.part);
  DBShowErrors(level, report);
fail:
  dg_free(w.part);
  dg_free(w.work);
  dg_free(w.corner);
  return err->code;
}
