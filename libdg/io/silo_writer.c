#include "libdg/io/silo_writer.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <silo.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "libdg/io/node_merge.h"
#include "libdg/io/room.h"
#include "libdg/io/subdivide.h"
#include "libdg/mesh/geometry.h"

#define BLOCK           "block_000000"
#define NAME_MAX_LENGTH 128

/* One scalar in the file: a field, or one component of it. */
struct variable {
  const struct dg_silo_field *field;
  int component;
  char name[NAME_MAX_LENGTH];       /* "Ex" */
  char block_name[NAME_MAX_LENGTH]; /* "block_000000/Ex" */
  double extent[2];                 /* smallest and largest value; NaN is passed over */
};

struct writer {
  const struct dg_silo_snapshot *snapshot;
  const char *path;
  char *part; /* the name until the file is complete */
  DBfile *file;
  struct dg_subdivision sub;
  struct dg_node_merge merge; /* empty unless averaging */
  size_t nodes;               /* K * Np */
  size_t points;              /* what the file has: nodes, or fewer when merged */
  size_t zones;
  double *work; /* [max(3 * nodes, zones)] */
  int (*zone)[4];
  double extent[6]; /* of the mesh: smallest x, y, z, largest x, y, z */
  size_t variables;
  struct variable *variable;
};

/* The reason is the system's (errno must have been set to 0 before the call that failed), or else Silo's. */
static int fail_write(const struct writer *w, const char *what, struct dg_error *err)
{
  const int reason = errno;
  return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s (%s)", w->path, reason ? strerror(reason) : DBErrString(),
                 what);
}

/* ---- sizes and names ------------------------------------------------------------------------------------------- */

static int size_up(struct writer *w, struct dg_error *err)
{
  const struct dg_silo_snapshot *const s = w->snapshot;
  const size_t Np = (size_t)s->ref->Np, p = (size_t)s->ref->order;

  w->nodes = w->points = s->mesh->K * Np;
  w->zones = s->mesh->K * p * p * p;
  /* Silo counts nodes and the length of the list of zones in int. */
  if (w->nodes > INT_MAX || w->zones > INT_MAX / 4)
    return dg_fail(err, DG_INPUT,
                   "cannot write '%s': %zu elements of order %zu have %zu nodes and %zu sub-tetrahedra, "
                   "too many for one block of a Silo file (at most %d and %d)",
                   w->path, s->mesh->K, p, w->nodes, w->zones, INT_MAX, INT_MAX / 4);
  for (size_t f = 0; f < s->fields; f++) w->variables += (size_t)s->field[f].components;
  if (DG_NEW(w->variable, w->variables, err) != 0) return err->code;
  struct variable *v = w->variable;
  for (size_t f = 0; f < s->fields; f++) {
    const struct dg_silo_field *const field = &s->field[f];
    DG_ASSERT(field->components == 1 || field->components == 3);
    DG_ASSERT(strlen(field->name) < 64);
    for (int c = 0; c < field->components; c++, v++) {
      v->field = field;
      v->component = c;
      snprintf(v->name, sizeof v->name, "%.64s%.*s", field->name, field->components == 1 ? 0 : 1, &"xyz"[c]);
      snprintf(v->block_name, sizeof v->block_name, BLOCK "/%.66s", v->name);
    }
  }
  return 0;
}

static int prepare(struct writer *w, struct dg_error *err)
{
  const struct dg_silo_snapshot *const s = w->snapshot;
  const size_t part_size = strlen(w->path) + sizeof ".part";

  if (size_up(w, err) != 0) return err->code;
  if (dg_alloc(&w->part, part_size, 1, err) != 0) return err->code;
  snprintf(w->part, part_size, "%s.part", w->path);
  if (dg_subdivision_init(&w->sub, s->ref, err) != 0) return err->code;
  if (s->average) {
    if (dg_node_merge_init(&w->merge, s->mesh, s->ref, err) != 0) return err->code;
    w->points = w->merge.points;
  }
  if (DG_NEW(w->zone, w->zones, err) != 0) return err->code;
  return DG_NEW(w->work, 3 * w->nodes > w->zones ? 3 * w->nodes : w->zones, err);
}

/* An upper bound of the size of the file: the arrays, and what HDF5 and Silo put around them (measured: 1.3 kB a
 * variable and 14 kB for the rest). */
static size_t file_size(const struct writer *w)
{
  size_t bytes = 65536 + 8192 * w->variables + w->points * 3 * sizeof(double) + w->zones * 4 * sizeof(int);
  for (size_t i = 0; i < w->variables; i++)
    bytes += (w->variable[i].field->per_element ? w->zones : w->points) * sizeof(double);
  return bytes;
}

/* ---- Silo objects ---------------------------------------------------------------------------------------------- */

/* Options with the storage that Silo's pointers need. */
struct options {
  DBoptlist *list;
  int cycle;
  float time;
  double precise_time;
  char unit[64], label[NAME_MAX_LENGTH];
  char metre[2], axis[3][2];
  int rank, extents, zones, outside;
  char mesh[8];
};

static int options_init(struct options *o, const struct writer *w, struct dg_error *err)
{
  *o = (struct options){.cycle = w->snapshot->cycle,
                        .time = (float)w->snapshot->time,
                        .precise_time = w->snapshot->time,
                        .metre = "m",
                        .axis = {"x", "y", "z"},
                        .mesh = "mesh",
                        .rank = DB_VARTYPE_SCALAR,
                        .zones = (int)w->zones};
  errno = 0;
  o->list = DBMakeOptlist(20);
  if (!o->list) return fail_write(w, "options", err);
  DBAddOption(o->list, DBOPT_CYCLE, &o->cycle);
  DBAddOption(o->list, DBOPT_TIME, &o->time);
  DBAddOption(o->list, DBOPT_DTIME, &o->precise_time);
  return 0;
}

static void widen(double extent[2], double value)
{
  extent[0] = fmin(extent[0], value);
  extent[1] = fmax(extent[1], value);
}

/* coordinate[3][points] of the nodes, and their extent. */
static void place_nodes(struct writer *w, double *coordinate)
{
  const struct dg_reference *const ref = w->snapshot->ref;
  double extent[3][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
  size_t n = 0;
  for (size_t e = 0; e < w->snapshot->mesh->K; e++) {
    for (int i = 0; i < ref->Np; i++, n++) {
      double x[3];
      dg_geometry_point(w->snapshot->mesh, e, ref->r[i], ref->s[i], ref->t[i], x);
      const size_t point = w->merge.point ? (size_t)w->merge.point[n] : n;
      for (int d = 0; d < 3; d++) {
        coordinate[(size_t)d * w->points + point] = x[d];
        widen(extent[d], x[d]);
      }
    }
  }
  for (int d = 0; d < 3; d++) {
    w->extent[d] = extent[d][0];
    w->extent[3 + d] = extent[d][1];
  }
}

static int write_mesh(struct writer *w, struct dg_error *err)
{
  struct options o;
  const void *const coordinate[3] = {w->work, w->work + w->points, w->work + 2 * w->points};
  int shape_type = DB_ZONETYPE_TET, shape_size = 4, shape_count = (int)w->zones, failed;

  place_nodes(w, w->work);
  dg_subdivide_mesh(&w->sub, w->snapshot->mesh, w->snapshot->ref->Np, w->merge.point, w->zone);
  if (options_init(&o, w, err) != 0) return err->code;
  static const int unit_option[3] = {DBOPT_XUNITS, DBOPT_YUNITS, DBOPT_ZUNITS};
  static const int label_option[3] = {DBOPT_XLABEL, DBOPT_YLABEL, DBOPT_ZLABEL};
  for (int d = 0; d < 3; d++) {
    DBAddOption(o.list, unit_option[d], o.metre);
    DBAddOption(o.list, label_option[d], o.axis[d]);
  }
  errno = 0;
  failed = DBPutZonelist2(w->file, "zonelist", shape_count, 3, w->zone[0], 4 * shape_count, 0, 0, 0, &shape_type,
                          &shape_size, &shape_count, 1, NULL) < 0 ||
           DBPutUcdmesh(w->file, "mesh", 3, NULL, coordinate, (int)w->points, shape_count, "zonelist", NULL, DB_DOUBLE,
                        o.list) < 0;
  if (failed) fail_write(w, "the mesh", err);
  DBFreeOptlist(o.list);
  return failed ? err->code : 0;
}

/* The values of a variable as the file has them, in w->work. Returns how many. */
static size_t gather(const struct writer *w, const struct variable *v, const double **value)
{
  const struct dg_silo_field *const field = v->field;
  const size_t K = w->snapshot->mesh->K, stride = (size_t)field->components, c = (size_t)v->component;
  double *out = w->work;

  *value = w->work;
  if (field->per_element) {
    for (size_t e = 0; e < K; e++)
      for (int m = 0; m < w->sub.count; m++) *out++ = field->value[e * stride + c];
    return w->zones;
  }
  const size_t Np = (size_t)w->snapshot->ref->Np;
  for (size_t e = 0; e < K; e++, out += Np) memcpy(out, field->value + (e * stride + c) * Np, Np * sizeof *out);
  if (w->merge.point) {
    dg_node_merge_average(&w->merge, w->work, w->work + w->nodes);
    *value = w->work + w->nodes;
  }
  return w->points;
}

static int write_variable(struct writer *w, struct variable *v, struct dg_error *err)
{
  struct options o;
  const double *value;
  const size_t count = gather(w, v, &value);

  v->extent[0] = INFINITY;
  v->extent[1] = -INFINITY;
  for (size_t i = 0; i < count; i++) widen(v->extent, value[i]);
  if (options_init(&o, w, err) != 0) return err->code;
  snprintf(o.unit, sizeof o.unit, "%s", v->field->unit);
  snprintf(o.label, sizeof o.label, "%s", v->name);
  DBAddOption(o.list, DBOPT_UNITS, o.unit);
  DBAddOption(o.list, DBOPT_LABEL, o.label);
  errno = 0;
  const int failed = DBPutUcdvar1(w->file, v->name, "mesh", value, (int)count, NULL, 0, DB_DOUBLE,
                                  v->field->per_element ? DB_ZONECENT : DB_NODECENT, o.list) < 0;
  if (failed) fail_write(w, v->name, err);
  DBFreeOptlist(o.list);
  return failed ? err->code : 0;
}

static int write_block(struct writer *w, struct dg_error *err)
{
  errno = 0;
  if (DBMkDir(w->file, BLOCK) < 0 || DBSetDir(w->file, BLOCK) < 0) return fail_write(w, BLOCK, err);
  if (write_mesh(w, err) != 0) return err->code;
  for (size_t i = 0; i < w->variables; i++)
    if (write_variable(w, &w->variable[i], err) != 0) return err->code;
  errno = 0;
  if (DBSetDir(w->file, "/") < 0) return fail_write(w, "/", err);
  return 0;
}

static int write_multimesh(struct writer *w, struct dg_error *err)
{
  struct options o;
  const char *const name[1] = {BLOCK "/mesh"};
  const int type[1] = {DB_UCDMESH};

  if (options_init(&o, w, err) != 0) return err->code;
  o.extents = 6;
  DBAddOption(o.list, DBOPT_EXTENTS_SIZE, &o.extents);
  DBAddOption(o.list, DBOPT_EXTENTS, w->extent);
  DBAddOption(o.list, DBOPT_ZONECOUNTS, &o.zones);
  DBAddOption(o.list, DBOPT_HAS_EXTERNAL_ZONES, &o.outside);
  o.outside = 1;
  errno = 0;
  const int failed = DBPutMultimesh(w->file, "mesh", 1, name, type, o.list) < 0;
  if (failed) fail_write(w, "mesh", err);
  DBFreeOptlist(o.list);
  return failed ? err->code : 0;
}

static int write_multivar(struct writer *w, struct variable *v, struct dg_error *err)
{
  struct options o;
  const char *const name[1] = {v->block_name};
  const int type[1] = {DB_UCDVAR};

  if (options_init(&o, w, err) != 0) return err->code;
  o.extents = 2;
  DBAddOption(o.list, DBOPT_MMESH_NAME, o.mesh);
  DBAddOption(o.list, DBOPT_TENSOR_RANK, &o.rank);
  if (v->extent[0] <= v->extent[1]) { /* not when all is NaN */
    DBAddOption(o.list, DBOPT_EXTENTS_SIZE, &o.extents);
    DBAddOption(o.list, DBOPT_EXTENTS, v->extent);
  }
  errno = 0;
  const int failed = DBPutMultivar(w->file, v->name, 1, name, type, o.list) < 0;
  if (failed) fail_write(w, v->name, err);
  DBFreeOptlist(o.list);
  return failed ? err->code : 0;
}

/* The expressions that join components to vectors. */
static int write_expressions(const struct writer *w, struct dg_error *err)
{
  const struct dg_silo_snapshot *const s = w->snapshot;
  struct expression {
    const char *name, *definition;
    int type;
    char text[4 * NAME_MAX_LENGTH];
  } *expression = NULL;
  const char **name = NULL; /* [2 * fields]: names, then definitions */
  int *type = NULL, count = 0;

  if (DG_NEW(expression, s->fields, err) != 0 || DG_NEW(name, 2 * s->fields, err) != 0 ||
      DG_NEW(type, s->fields, err) != 0) {
    dg_context(err, "while writing '%s'", w->path);
    goto fail;
  }
  for (size_t f = 0; f < s->fields; f++) {
    const char *const n = s->field[f].name;
    if (s->field[f].components != 3) continue;
    snprintf(expression[count].text, sizeof expression[count].text, "{%.64sx, %.64sy, %.64sz}", n, n, n);
    name[count] = n;
    name[s->fields + (size_t)count] = expression[count].text;
    type[count++] = DB_VARTYPE_VECTOR;
  }
  errno = 0;
  if (count > 0 && DBPutDefvars(w->file, "expressions", count, name, type, name + s->fields, NULL) < 0)
    fail_write(w, "expressions", err);
fail:
  dg_free(expression);
  dg_free(name);
  dg_free(type);
  return err->code;
}

static int write_root(struct writer *w, struct dg_error *err)
{
  if (write_multimesh(w, err) != 0) return err->code;
  for (size_t i = 0; i < w->variables; i++)
    if (write_multivar(w, &w->variable[i], err) != 0) return err->code;
  return write_expressions(w, err);
}

/* ---- the file -------------------------------------------------------------------------------------------------- */

static int write_file(struct writer *w, struct dg_error *err)
{
  struct dg_room room;
  const size_t bytes = file_size(w);

  if (dg_room_find(&room, w->part, w->path, bytes, err) != 0) return err->code;
  errno = 0;
  w->file = DBCreate(w->part, DB_CLOBBER, DB_LOCAL, "nodal fields", DB_HDF5);
  if (!w->file) {
    fail_write(w, "creating the file", err);
    goto fail;
  }
  const int failed =
      dg_room_take(w->part, w->path, bytes, err) != 0 || write_block(w, err) != 0 || write_root(w, err) != 0;
  dg_room_give_back(&room);
  errno = 0;
  if (DBClose(w->file) < 0 && !failed) fail_write(w, "closing", err);
  dg_room_trim(w->part);
fail:
  dg_room_give_back(&room);
  return err->code;
}

int dg_silo_write(const char *path, const struct dg_silo_snapshot *snapshot, struct dg_error *err)
{
  struct writer w = {.snapshot = snapshot, .path = path};
  const int level = DBErrlvl();
  const DBErrFunc_t report = DBErrfunc();

  if (prepare(&w, err) != 0) {
    dg_context(err, "while writing '%s'", path);
    goto fail;
  }
  DBShowErrors(DB_NONE, NULL);
  if (write_file(&w, err) == 0) {
    errno = 0;
    if (rename(w.part, path) != 0) fail_write(&w, "renaming the complete file", err);
  }
  if (err->code != DG_OK && w.part != NULL) unlink(w.part);
  DBShowErrors(level, report);
fail:
  dg_subdivision_release(&w.sub);
  dg_node_merge_release(&w.merge);
  dg_free(w.zone);
  dg_free(w.work);
  dg_free(w.variable);
  dg_free(w.part);
  return err->code;
}

const char *dg_silo_version(void) { return DBVersion(); }
