/* A plane of a measurement as a Silo file: quadrilaterals with values at their corners. The records of measures write
 * one for each time (maxwell/measure). */
#include "libdg/io/silo/silo_grid.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/io/silo/silo_file.h"

#define NAME_SIZE 64

struct writer {
  const struct dg_grid *grid;
  const char *path;
  struct dg_silo_file file;
  size_t points, zones, variables;
  double *work; /* [3][points] */
  int *corner;  /* [zones][4] */
};

static int prepare(struct writer *w, struct dg_error *err)
{
  const struct dg_grid *const g = w->grid;
  DG_ASSERT(g->n[0] >= 2 && g->n[1] >= 2);
  if (g->n[0] > INT_MAX / 4 / g->n[1])
    return dg_fail(err, DG_INPUT, "cannot write '%s': %zu x %zu points are too many for a Silo file", w->path, g->n[0],
                   g->n[1]);
  w->points = g->n[0] * g->n[1];
  w->zones = (g->n[0] - 1) * (g->n[1] - 1);
  for (size_t f = 0; f < g->fields; f++) w->variables += (size_t)g->field[f].components;
  if (dg_silo_file_init(&w->file, w->path, w->path, w->grid->ledger, err) != 0 ||
      DG_NEW(w->work, 3 * w->points, err) != 0 || DG_NEW(w->corner, 4 * w->zones, err) != 0)
    return dg_context(err, "while writing '%s'", w->path);
  int *corner = w->corner;
  for (size_t j = 0; j + 1 < g->n[1]; j++)
    for (size_t i = 0; i + 1 < g->n[0]; i++, corner += 4) {
      const int first = (int)(i + g->n[0] * j), row = (int)g->n[0];
      corner[0] = first, corner[1] = first + 1, corner[2] = first + 1 + row, corner[3] = first + row;
    }
  return 0;
}

static int write_mesh(struct writer *w, struct dg_error *err)
{
  const void *const coordinate[3] = {w->work, w->work + w->points, w->work + 2 * w->points};
  int shape_type = DB_ZONETYPE_QUAD, shape_size = 4, shape_count = (int)w->zones, dimension = 2;
  struct dg_silo_options o;
  for (size_t i = 0; i < w->points; i++)
    for (size_t d = 0; d < 3; d++) w->work[d * w->points + i] = w->grid->point[i][d];
  if (dg_silo_options_init(&o, w->path, w->grid->time, w->grid->cycle, err) != 0) return err->code;
  DBAddOption(o.list, DBOPT_TOPO_DIM, &dimension);
  dg_silo_options_axes(&o);
  errno = 0;
  const int failed = DBPutZonelist2(w->file.db, "zonelist", shape_count, 3, w->corner, 4 * shape_count, 0, 0, 0,
                                    &shape_type, &shape_size, &shape_count, 1, NULL) < 0 ||
                     DBPutUcdmesh(w->file.db, "mesh", 3, NULL, coordinate, (int)w->points, shape_count, "zonelist",
                                  NULL, DB_DOUBLE, o.list) < 0;
  if (failed) dg_silo_failed(w->path, "the mesh", err);
  DBFreeOptlist(o.list);
  return failed ? err->code : 0;
}

/* "Ex_re", or "inside" for a scalar. */
static void component_name(const struct dg_grid_field *field, int c, char name[NAME_SIZE])
{
  snprintf(name, NAME_SIZE, "%.20s%.*s%.20s", field->name, field->components == 1 ? 0 : 1, &"xyz"[c], field -> suffix);
}

static int write_component(struct writer *w, const struct dg_grid_field *field, int c, struct dg_error *err)
{
  struct dg_silo_options o;
  char label[NAME_SIZE];
  for (size_t i = 0; i < w->points; i++) w->work[i] = field->value[i * field->stride + (size_t)c];
  if (dg_silo_options_init(&o, w->path, w->grid->time, w->grid->cycle, err) != 0) return err->code;
  component_name(field, c, label);
  dg_silo_options_label(&o, label, field->unit);
  errno = 0;
  const int failed =
      DBPutUcdvar1(w->file.db, label, "mesh", w->work, (int)w->points, NULL, 0, DB_DOUBLE, DB_NODECENT, o.list) < 0;
  if (failed) dg_silo_failed(w->path, label, err);
  DBFreeOptlist(o.list);
  return failed ? err->code : 0;
}

/* Writes the expressions that join components to vectors. */
static int write_expressions(const struct writer *w, struct dg_error *err)
{
  enum { MOST = 8 };
  char name[MOST][NAME_SIZE], definition[MOST][4 * NAME_SIZE];
  const char *names[MOST], *definitions[MOST];
  int type[MOST], count = 0;
  DG_ASSERT(w->grid->fields <= MOST);
  for (size_t f = 0; f < w->grid->fields; f++) {
    const struct dg_grid_field *const field = &w->grid->field[f];
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
  if (count > 0 && DBPutDefvars(w->file.db, "expressions", count, names, type, definitions, NULL) < 0)
    return dg_silo_failed(w->path, "expressions", err);
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

int dg_silo_write_grid(const char *path, const struct dg_grid *grid, struct dg_error *err)
{
  struct writer w = {.grid = grid, .path = path};
  if (prepare(&w, err) == 0) {
    /* An upper bound, as that of silo_block.c. */
    const size_t bytes =
        65536 + 8192 * w.variables + (3 + w.variables) * w.points * sizeof(double) + 4 * w.zones * sizeof(int);
    if (dg_silo_file_create(&w.file, "fields on a grid of points", bytes, err) == 0) {
      dg_silo_lock();
      (void)!write_objects(&w, err);
      dg_silo_unlock();
    }
    if (dg_silo_file_close(&w.file, err) == 0) (void)!dg_silo_file_finish(&w.file, err);
  }
  dg_silo_file_release(&w.file, err);
  dg_free(w.work);
  dg_free(w.corner);
  return err->code;
}
