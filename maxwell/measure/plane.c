/* Planes: the fields on a grid of a parallelogram. At each time a plane is a grid of the writer of snapshots, or its
 * rows go to one table. The table at the end of this file is the kind; kinds.c lists it, and the functions of points.c
 * find and sample the points. */
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/measure/kinds.h"
#include "maxwell/measure/measure_record.h"
#include "maxwell/measure/points.h"

/* ---- keys ---- */

static int read_format(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const char *const names[] = {"csv", "silo", NULL};
  struct mx_rule choice = *rule;
  int format;
  choice.names = names;
  if (mx_read_choice(r, &choice, value, &format) != 0) return r->err->code;
  *(bool *)to = format == 1;
  return 0;
}

static const struct mx_rule rules[] = {
    MX_MEASURE_RULES("name = \"cut\""),
    MX_PLANE_RULES,
    {"format", read_format, MX_MEASURE(silo), .expected = NULL},
};

/* ---- grids ---- */

enum { NAME_SIZE = 320, GRID_WIDTH = 13 }; /* two vectors or their parts, and whether the point is inside */

static int open_grid(struct mx_records *records, size_t i, struct dg_error *err)
{
  const struct mx_measure *measure = &records->measures->measure[i];
  const struct mx_measured_points *points = measure->own;
  struct mx_record *record = &records->record[i];
  if (DG_NEW(record->own, GRID_WIDTH * measure->rows, err) != 0) return err->code;
  for (size_t k = 0; k < points->placed; k++) record->own[GRID_WIDTH * points->which[k] + 12] = 1;
  return 0;
}

/* Writes the vectors of `count` fields as a grid. They stand in record->own, three numbers each; points outside the
 * mesh are zero. */
static int write_grid(const struct mx_records *records, size_t i, const char *name, double time, int cycle,
                      size_t count, const struct dg_grid_field *field, struct dg_error *err)
{
  const struct mx_measure *measure = &records->measures->measure[i];
  const double *grid = records->record[i].own;
  struct dg_grid_field all[5];
  for (size_t f = 0; f < count; f++) {
    all[f] = field[f];
    all[f].components = 3;
    all[f].value = grid + 3 * f;
    all[f].stride = GRID_WIDTH;
  }
  all[count] = (struct dg_grid_field){"inside", "", "1", 1, grid + 12, GRID_WIDTH};
  const struct dg_grid file = {.n = {measure->config->samples[0], measure->config->samples[1]},
                               .point = (const double(*)[3])measure->x,
                               .time = time,
                               .cycle = cycle,
                               .fields = count + 1,
                               .field = all,
                               .ledger = records->folder->ledger};
  char *path;
  if (mx_folder_path(&path, records->folder, name, err) != 0) return err->code;
  int status = records->writer->write_grid(path, &file, err);
  dg_free(path);
  return status;
}

static int write_plane(struct mx_records *records, size_t i, size_t row, struct dg_error *err)
{
  static const struct dg_grid_field fields[] = {{.name = "E", .suffix = "", .unit = "V/m"},
                                                {.name = "H", .suffix = "", .unit = "A/m"}};
  const struct mx_measure *measure = &records->measures->measure[i];
  const struct mx_measured_points *points = measure->own;
  struct mx_record *record = &records->record[i];
  const double *value = record->value + row * measure->values;
  char name[NAME_SIZE];
  for (size_t k = 0; k < points->placed; k++)
    memcpy(record->own + GRID_WIDTH * points->which[k], value + 6 * points->which[k], 6 * sizeof(double));
  snprintf(name, sizeof name, "planes/%.200s_%06ld%s", measure->config->name, record->fetched_step[row],
           records->writer->ending);
  return write_grid(records, i, name, record->fetched_time[row], (int)record->fetched_step[row], 2, fields, err);
}

static int write_plane_spectrum(struct mx_records *records, size_t i, struct dg_error *err)
{
  static const struct dg_grid_field fields[] = {{.name = "E", .suffix = "_re", .unit = "V s/m"},
                                                {.name = "E", .suffix = "_im", .unit = "V s/m"},
                                                {.name = "H", .suffix = "_re", .unit = "A s/m"},
                                                {.name = "H", .suffix = "_im", .unit = "A s/m"}};
  const struct mx_measure *measure = &records->measures->measure[i];
  const struct mx_measured_points *points = measure->own;
  struct mx_record *record = &records->record[i];
  const struct mx_spectrum *spectrum = &record->spectrum;
  for (size_t f = 0; f < spectrum->frequencies; f++) {
    char name[NAME_SIZE];
    for (size_t k = 0; k < points->placed; k++) {
      const double(*sum)[2] = (const double(*)[2])spectrum->sum + f * spectrum->values + 6 * points->which[k];
      double *to = record->own + GRID_WIDTH * points->which[k];
      for (size_t c = 0; c < 3; c++)
        for (size_t part = 0; part < 2; part++) {
          to[3 * part + c] = sum[c][part];
          to[6 + 3 * part + c] = sum[3 + c][part];
        }
    }
    snprintf(name, sizeof name, "planes/%.200s_spectrum_%06zu%s", measure->config->name, f + 1,
             records->writer->ending);
    if (write_grid(records, i, name, spectrum->hertz[f], (int)f + 1, 4, fields, err) != 0) return err->code;
  }
  return 0;
}

/* The size of the files: their arrays, and about 20 kB around them. */
static double bytes(const struct mx_measure_config *config, double times, double spectra)
{
  const double points = (double)(config->samples[0] * config->samples[1]);
  return times * (20e3 + points * 96) + spectra * (32e3 + points * 144);
}

static const struct mx_measure_form grids = {open_grid, write_plane, write_plane_spectrum, bytes};

/* ---- the kind ---- */

static int init(struct mx_measure *measure, const struct mx_measure_scene *scene, struct dg_error *err)
{
  measure->form = measure->config->silo ? &grids : NULL;
  if (mx_points_init(measure, scene, err) != 0) return err->code;
  if (((const struct mx_measured_points *)measure->own)->somewhere) return 0;
  return mx_points_outside(measure, scene, "plane", err);
}

const struct mx_measure_kind mx_planes = {
    .reads = {.key = "planes",
              .title = "Plane",
              .places = true,
              .list =
                  "a list, as in planes = { { name = \"cut\", origin = { 0, 0, 0.5 }, u = { 1, 0, 0 }, v = { 0, 1, 0 } "
                  "} }",
              .item = "a table, as in { name = \"cut\", origin = { 0, 0, 0.5 }, u = { 1, 0, 0 }, v = { 0, 1, 0 } }",
              .silo = true,
              .rules = MX_COUNT(rules),
              .rule = rules,
              .finish = mx_measure_set_plane},
    .columns = "x,y,z," MX_FIELD_COLUMNS,
    .init = init,
    MX_ON_POINTS,
};
