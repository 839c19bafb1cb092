/* Files of values without the library: the first file of a run is Silo's, this code finds where HDF5 has put the
 * arrays, and later files are the same bytes with other values. silo_writer.c falls back to Silo where anything is not
 * as expected. */
#include "libdg/io/silo/silo_pattern.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/digest.h"
#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/io/silo/silo_file.h"
#include "libdg/io/silo/silo_root.h"
#include "libdg/io/silo/silo_values.h"

enum { MOST = 1 << 24 }; /* bytes around the values; HDF5 and Silo need 14 kB and 1.3 kB a variable */

struct part {
  size_t place, bytes;
};

struct dg_silo_pattern {
  uint64_t key; /* digest of the layout */
  size_t bytes, variables, parts;
  size_t *place;       /* [variables] */
  struct part *around; /* [parts] what is not values, */
  unsigned char *rest; /* one part behind the other */
};

static int read_at(int file, void *to, size_t bytes, size_t place)
{
  char *next = to;
  while (bytes > 0) {
    const ssize_t done = pread(file, next, bytes, (off_t)place);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return -1;
    next += done;
    place += (size_t)done;
    bytes -= (size_t)done;
  }
  return 0;
}

/* ---- the variables of a block ------------------------------------------------------------------------------------ */

struct variable {
  char name[64 + DG_SILO_NAME]; /* in the file, "block_000000/Ex" */
  size_t bytes;                 /* of its values */
  char path[DG_SILO_NAME];      /* of its array; "": not as expected */
};

static size_t value_size(const struct dg_silo_layout *layout)
{
  return layout->single ? sizeof(float) : sizeof(double);
}

static size_t values_of(const struct dg_silo_layout *layout, const struct dg_snapshot_field *field)
{
  return field->per_element ? layout->zones : layout->points;
}

static uint64_t key_of(const struct dg_silo_layout *layout)
{
  const size_t numbers[] = {(size_t)layout->rank, layout->K, layout->points, layout->zones, value_size(layout)};
  uint64_t key = dg_digest(0, numbers, sizeof numbers);
  for (size_t f = 0; f < layout->fields; f++) {
    const struct dg_snapshot_field *const field = &layout->field[f];
    const int shape[] = {field->components, field->per_element};
    key = dg_digest(key, field->name, strlen(field->name) + 1);
    key = dg_digest(key, dg_snapshot_suffix(field), strlen(dg_snapshot_suffix(field)) + 1);
    key = dg_digest(key, field->unit, strlen(field->unit) + 1);
    key = dg_digest(key, shape, sizeof shape);
  }
  return key;
}

static void list_variables(const struct dg_silo_layout *layout, struct variable *variable)
{
  size_t v = 0;
  for (size_t f = 0; f < layout->fields; f++)
    for (int c = 0; c < layout->field[f].components; c++, v++) {
      char last[DG_SILO_NAME];
      dg_silo_variable_name(&layout->field[f], c, last);
      snprintf(variable[v].name, sizeof variable[v].name, "block_%06d/%s", layout->rank, last);
      variable[v].bytes = values_of(layout, &layout->field[f]) * value_size(layout);
    }
}

/* ---- places of values ----------------------------------------------------------------------------------------- */

/* A variable is an object of Silo with members that are texts; the one with a path, "'<s>/.silo/#000001'", names its
 * array. */
static void find_path(DBfile *silo, struct variable *variable)
{
  static const char text[] = "'<s>/";
  int paths = 0;
  DBobject *const object = DBGetObject(silo, variable->name);
  for (int i = 0; object != NULL && i < object->ncomponents; i++) {
    const char *const member = object->pdb_names[i];
    const size_t length = member != NULL ? strlen(member) : 0;
    if (length <= sizeof text || strncmp(member, text, sizeof text - 1) != 0) continue;
    paths++;
    snprintf(variable->path, sizeof variable->path, "%.*s", (int)(length - sizeof text + 1), member + sizeof text - 2);
  }
  if (paths != 1) variable->path[0] = '\0';
  if (object != NULL) DBFreeObject(object);
}

static void find_paths(const char *file, size_t variables, struct variable *variable)
{
  DBfile *const silo = DBOpen(file, DB_HDF5, DB_READ);
  for (size_t v = 0; v < variables && silo != NULL; v++) find_path(silo, &variable[v]);
  if (silo != NULL) (void)DBClose(silo);
}

/* Finds the place of a variable's array, whose bytes lie in the file as they are. */
static bool find_place(hid_t file, const struct variable *variable, size_t *place)
{
  const hid_t set = variable->path[0] != '\0' ? H5Dopen2(file, variable->path, H5P_DEFAULT) : -1;
  if (set < 0) return false;
  const haddr_t offset = H5Dget_offset(set);
  const bool found = offset != HADDR_UNDEF && H5Dget_storage_size(set) == variable->bytes;
  *place = (size_t)offset;
  (void)H5Dclose(set);
  return found;
}

static bool find_places(struct dg_silo_pattern *p, const char *name, const struct variable *variable)
{
  H5E_auto2_t report;
  void *report_data;
  size_t found = 0;
  const bool quiet = H5Eget_auto2(H5E_DEFAULT, &report, &report_data) >= 0;
  if (quiet) (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const hid_t file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
  while (file >= 0 && found < p->variables && find_place(file, &variable[found], &p->place[found])) found++;
  if (file >= 0) (void)H5Fclose(file);
  if (quiet) (void)H5Eset_auto2(H5E_DEFAULT, report, report_data);
  return found == p->variables;
}

/* ---- what is around them --------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
  const struct part *const x = a, *const y = b;
  return (x->place > y->place) - (x->place < y->place);
}

/* Finds the gaps between values; false if values overlap. */
static int find_around(struct dg_silo_pattern *p, const struct variable *variable, bool *found, struct dg_error *err)
{
  struct part *values;
  size_t end = 0, rest = 0;
  *found = false;
  if (DG_NEW(values, p->variables + 1, err) != 0) return err->code;
  for (size_t v = 0; v < p->variables; v++) values[v] = (struct part){p->place[v], variable[v].bytes};
  qsort(values, p->variables, sizeof *values, by_place);
  values[p->variables] = (struct part){.place = p->bytes};
  for (size_t v = 0; v <= p->variables; v++) {
    if (values[v].place < end) goto fail;
    if (values[v].place > end) {
      p->around[p->parts++] = (struct part){end, values[v].place - end};
      rest += values[v].place - end;
    }
    end = values[v].place + values[v].bytes;
  }
  *found = rest <= MOST;
  if (*found) (void)!dg_alloc(&p->rest, rest, 1, err);
fail:
  dg_free(values);
  return err->code;
}

static bool read_around(const struct dg_silo_pattern *p, int file)
{
  unsigned char *to = p->rest;
  for (size_t i = 0; i < p->parts; to += p->around[i++].bytes)
    if (read_at(file, to, p->around[i].bytes, p->around[i].place) != 0) return false;
  return true;
}

/* Fills the pattern with all but the file's own bytes. */
static int find_values(struct dg_silo_pattern *p, const struct dg_silo_layout *layout, const char *name, bool *found,
                       struct dg_error *err)
{
  struct variable *variable;
  *found = false;
  if (DG_NEW(variable, p->variables, err) != 0 || DG_NEW(p->place, p->variables, err) != 0 ||
      DG_NEW(p->around, p->variables + 1, err) != 0)
    goto fail;
  list_variables(layout, variable);
  dg_silo_lock();
  find_paths(name, p->variables, variable);
  const bool all = find_places(p, name, variable);
  dg_silo_unlock();
  if (all) (void)!find_around(p, variable, found, err);
fail:
  dg_free(variable);
  return err->code;
}

int dg_silo_pattern_find(struct dg_silo_pattern **pattern, const struct dg_silo_layout *layout, const char *path,
                         struct dg_error *err)
{
  struct dg_silo_pattern *p = NULL;
  struct stat status;
  bool found = false;
  *pattern = NULL;
  const int file = open(path, O_RDONLY);
  if (file < 0 || fstat(file, &status) != 0 || DG_NEW(p, 1, err) != 0) goto fail;
  *p = (struct dg_silo_pattern){.key = key_of(layout),
                                .bytes = (size_t)status.st_size,
                                .variables = dg_silo_variables(layout->fields, layout->field)};
  if (find_values(p, layout, path, &found, err) == 0) found = found && read_around(p, file);
fail:
  if (file >= 0) close(file);
  if (found && err->code == DG_OK) *pattern = p;
  else dg_silo_pattern_free(p);
  return err->code;
}

/* ---- a file ------------------------------------------------------------------------------------------------------ */

bool dg_silo_pattern_fits(const struct dg_silo_pattern *p, const struct dg_silo_layout *layout)
{
  return p != NULL && p->key == key_of(layout);
}

size_t dg_silo_pattern_bytes(const struct dg_silo_pattern *p) { return p->bytes; }

static int write_around(const struct dg_silo_pattern *p, int file)
{
  const unsigned char *from = p->rest;
  int reason = 0;
  for (size_t i = 0; i < p->parts && reason == 0; from += p->around[i++].bytes)
    reason = dg_file_write_at(file, from, p->around[i].bytes, p->around[i].place);
  return reason;
}

static int write_component(const struct dg_silo_pattern *p, const struct dg_silo_layout *layout,
                           const struct dg_snapshot_field *field, int component, size_t index, int file, double *record)
{
  const size_t each = layout->K > 0 ? values_of(layout, field) / layout->K : 0;
  return dg_silo_convert_to_file(field, (size_t)component, layout->K, each, layout->single, file, p->place[index],
                                 record + dg_silo_record(index));
}

int dg_silo_pattern_write(const struct dg_silo_pattern *p, const struct dg_silo_layout *layout, int file,
                          double *record, const char *path, struct dg_error *err)
{
  size_t index = 0;
  for (size_t f = 0; f < layout->fields; f++)
    for (int c = 0; c < layout->field[f].components; c++) {
      char name[DG_SILO_NAME];
      errno = write_component(p, layout, &layout->field[f], c, index++, file, record);
      if (errno == 0) continue;
      dg_silo_variable_name(&layout->field[f], c, name);
      return dg_silo_failed(path, name, err);
    }
  errno = write_around(p, file);
  return errno == 0 ? 0 : dg_silo_failed(path, "what is around the values", err);
}

void dg_silo_pattern_free(struct dg_silo_pattern *p)
{
  if (p == NULL) return;
  dg_free(p->place);
  dg_free(p->around);
  dg_free(p->rest);
  dg_free(p);
}
