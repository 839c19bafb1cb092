/* Reads tables that grow; see table.h. Hooks of a script see what was measured by it. */
#include "maxwell/shell/hooks/table.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"

/* Reads the bytes behind table->end, up to the end of the last whole line. */
static int read_text(struct mx_table *table, const char *path, size_t *bytes, struct dg_error *err)
{
  struct stat info;
  int file;
  if (dg_file_open(&file, path, O_RDONLY, err) != 0) return err->code;
  if (fstat(file, &info) != 0 || info.st_size < table->end) {
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot read '%s': it has become shorter", path);
    goto fail;
  }
  const size_t room = (size_t)(info.st_size - table->end);
  size_t got = 0;
  if (dg_alloc_untouched(&table->text, room + 1, 1, err) != 0) goto fail;
  while (got < room) {
    const ssize_t part = pread(file, table->text + got, room - got, table->end + (long)got);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) {
      (void)dg_fail(err, DG_ENVIRONMENT, "cannot read '%s': %s", path,
                    part < 0 ? strerror(errno) : "it ends too early");
      goto fail;
    }
    got += (size_t)part;
  }
  while (got > 0 && table->text[got - 1] != '\n') got--;
  table->text[got] = '\0';
  *bytes = got;
  table->end += (long)got;
fail:
  close(file);
  return err->code;
}

/* Takes the next cell: ends it with a zero, and says with *last whether it ends its line. */
static char *take_cell(char **at, bool *last)
{
  char *const cell = *at, *const end = cell + strcspn(cell, ",\n");
  *last = *end != ',';
  *at = *end != '\0' ? end + 1 : end;
  *end = '\0';
  return cell;
}

static int read_names(struct mx_table *table, char **at, struct dg_error *err)
{
  for (bool last = false; !last;) {
    const char *cell = take_cell(at, &last);
    if (dg_grow(&table->name, table->columns + 1, sizeof *table->name, err) != 0 ||
        dg_copy_string(&table->name[table->columns], cell, err) != 0)
      return err->code;
    table->columns++;
  }
  return 0;
}

static int read_rows(struct mx_table *table, const char *path, char *at, struct dg_error *err)
{
  const size_t columns = table->columns;
  size_t rows = 0;
  for (const char *c = at; c != NULL && *c != '\0'; c++) rows += *c == '\n';
  if (DG_NEW(table->value, rows * columns, err) != 0 || DG_NEW(table->cell, rows * columns, err) != 0) return err->code;
  for (; table->rows < rows; table->rows++) {
    bool last = false;
    for (size_t c = 0; c < columns; c++) {
      const size_t place = table->rows * columns + c;
      char *end;
      if (last)
        return dg_fail(err, DG_ENVIRONMENT, "cannot read '%s': a line has %zu cells, not %zu", path, c, columns);
      const char *const cell = table->cell[place] = take_cell(&at, &last);
      table->value[place] = strtod(cell, &end);
      if (end != cell && *end == '\0') continue;
      table->value[place] = NAN;
      table->words[c] = true;
    }
    if (!last) return dg_fail(err, DG_ENVIRONMENT, "cannot read '%s': a line has more than %zu cells", path, columns);
  }
  return 0;
}

static void release_piece(struct mx_table *table)
{
  dg_free(table->value);
  dg_free(table->cell);
  dg_free(table->text);
  dg_free(table->words);
  table->value = NULL;
  table->cell = NULL;
  table->text = NULL;
  table->words = NULL;
  table->rows = 0;
}

int mx_table_read(struct mx_table *table, const char *path, struct dg_error *err)
{
  size_t bytes = 0;
  release_piece(table);
  if (read_text(table, path, &bytes, err) != 0) return err->code;
  char *at = table->text;
  if (table->columns == 0 && (bytes == 0 || read_names(table, &at, err) != 0))
    return dg_fail(err, DG_ENVIRONMENT, "cannot read '%s': it is empty", path);
  if (DG_NEW(table->words, table->columns, err) != 0) return err->code;
  return read_rows(table, path, at, err);
}

int mx_table_make(struct mx_table *table, const char *names, size_t rows, struct dg_error *err)
{
  *table = (struct mx_table){0};
  if (dg_copy_string(&table->text, names, err) != 0) return err->code;
  char *at = table->text;
  if (read_names(table, &at, err) != 0 || DG_NEW(table->value, rows * table->columns, err) != 0 ||
      DG_NEW(table->words, table->columns, err) != 0)
    return err->code;
  table->rows = rows;
  return 0;
}

void mx_table_release(struct mx_table *table)
{
  release_piece(table);
  for (size_t c = 0; table->name != NULL && c < table->columns; c++) dg_free(table->name[c]);
  dg_free(table->name);
  *table = (struct mx_table){0};
}
