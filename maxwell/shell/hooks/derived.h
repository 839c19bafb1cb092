/* What a hook works out from results: named numbers, words, yes or no, and tables of columns. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "libdg/base/error.h"

enum mx_derived_type { MX_DERIVED_NUMBER, MX_DERIVED_BOOLEAN, MX_DERIVED_WORD, MX_DERIVED_TABLE };

struct mx_derived {
  char *name;
  enum mx_derived_type type;
  double number;
  bool boolean;
  char *word;
  /* MX_DERIVED_TABLE */
  size_t columns, rows;
  char **column;  /* [columns] names, sorted */
  double **value; /* [columns][rows] */
};

struct mx_derived_list { /* {0} is empty; sorted by name once mx_derived_sort was called */
  size_t count;
  struct mx_derived *item;
};

/* Adds a value with this name, {0} but for it, for the caller to fill. What the members point to must come from
 * dg_alloc and is the list's. */
int mx_derived_add(struct mx_derived_list *list, const char *name, struct mx_derived **added,
                   struct dg_error *err) DG_MUST_USE;
/* Adds a column of so many rows to a table, of zeros. */
int mx_derived_column(struct mx_derived *table, const char *name, size_t rows, struct dg_error *err) DG_MUST_USE;
/* Sorts values, and the columns of tables, by name. */
void mx_derived_sort(struct mx_derived_list *list);
/* Finds a value that is no table; NULL: there is none. */
struct mx_derived *mx_derived_find(const struct mx_derived_list *list, const char *name);
void mx_derived_release(struct mx_derived_list *list);

/* Says whether the name can be that of a value: letters, digits, '_', '-' and '.', not beginning with '.', at most 100
 * characters. It becomes part of a file name and the head of a column. */
bool mx_derived_is_name(const char *name);

/* Writes numbers, words and yes or no as an object of JSON: {"a": 1, "b": "text"}; tables are left out. */
void mx_derived_write_json(const struct mx_derived_list *list, FILE *file);
/* Writes a table as CSV, with 17 digits. The arguments are those of dg_file_write: a const struct mx_derived *. */
void mx_derived_write_table(FILE *file, const void *table);
