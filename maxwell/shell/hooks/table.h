/* Reads tables back that this program has written as CSV: a line of names, then lines of cells. A table that grows is
 * read piece by piece. Numbers are those that were written, bit for bit, since they are written with 17 digits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

/* A piece of a table. {0} is empty and begins at the start of the file; {.end, .columns} goes on behind an earlier
 * piece, and has no names. */
struct mx_table {
  long end;          /* bytes of the file up to here, whole lines; the next piece begins there */
  size_t columns;    /* known once the first piece was read */
  char **name;       /* [columns] */
  size_t rows;       /* of this piece */
  double *value;     /* [rows][columns]; NaN where the cell is no number */
  const char **cell; /* [rows][columns], as they stand there */
  bool *words;       /* [columns] the column has a cell that is no number */
  char *text;        /* storage of the cells */
};

/* Reads what stands behind table->end, which replaces the piece before. Release in any case. DG_ENVIRONMENT: the file
 * cannot be read, or a line has not as many cells as the first. */
int mx_table_read(struct mx_table *table, const char *path, struct dg_error *err) DG_MUST_USE;
/* Makes a table of numbers, zeros, for the caller to fill. `names` are the columns' with commas between. */
int mx_table_make(struct mx_table *table, const char *names, size_t rows, struct dg_error *err) DG_MUST_USE;
void mx_table_release(struct mx_table *table);
