/* Values that hooks have returned, on their way from the script to summary.json and tables; see derived.h. */
#include "maxwell/shell/hooks/derived.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/text.h"

int mx_derived_add(struct mx_derived_list *list, const char *name, struct mx_derived **added, struct dg_error *err)
{
  if (dg_grow(&list->item, list->count + 1, sizeof *list->item, err) != 0) return err->code;
  struct mx_derived *item = &list->item[list->count];
  *item = (struct mx_derived){0};
  if (dg_copy_string(&item->name, name, err) != 0) return err->code;
  list->count++;
  *added = item;
  return 0;
}

int mx_derived_column(struct mx_derived *table, const char *name, size_t rows, struct dg_error *err)
{
  const size_t c = table->columns;
  if (dg_grow(&table->column, c + 1, sizeof *table->column, err) != 0 ||
      dg_grow(&table->value, c + 1, sizeof *table->value, err) != 0 ||
      dg_copy_string(&table->column[c], name, err) != 0)
    return err->code;
  table->value[c] = NULL;
  table->columns++;
  table->rows = rows;
  return dg_alloc(&table->value[c], rows, sizeof(double), err);
}

static int by_name(const void *a, const void *b)
{
  const struct mx_derived *x = a, *y = b;
  return strcmp(x->name, y->name);
}

/* Sorts the few columns of a table together with their names. */
static void sort_columns(struct mx_derived *table)
{
  for (size_t i = 1; i < table->columns; i++)
    for (size_t k = i; k > 0 && strcmp(table->column[k - 1], table->column[k]) > 0; k--) {
      char *const name = table->column[k];
      double *const value = table->value[k];
      table->column[k] = table->column[k - 1];
      table->value[k] = table->value[k - 1];
      table->column[k - 1] = name;
      table->value[k - 1] = value;
    }
}

void mx_derived_sort(struct mx_derived_list *list)
{
  if (list->count > 0) qsort(list->item, list->count, sizeof *list->item, by_name);
  for (size_t i = 0; i < list->count; i++) sort_columns(&list->item[i]);
}

struct mx_derived *mx_derived_find(const struct mx_derived_list *list, const char *name)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->item[i].type != MX_DERIVED_TABLE && strcmp(list->item[i].name, name) == 0) return &list->item[i];
  return NULL;
}

void mx_derived_release(struct mx_derived_list *list)
{
  for (size_t i = 0; i < list->count; i++) {
    struct mx_derived *item = &list->item[i];
    for (size_t c = 0; c < item->columns; c++) {
      dg_free(item->column[c]);
      dg_free(item->value[c]);
    }
    dg_free(item->column);
    dg_free(item->value);
    dg_free(item->word);
    dg_free(item->name);
  }
  dg_free(list->item);
  *list = (struct mx_derived_list){0};
}

bool mx_derived_is_name(const char *name)
{
  enum { MOST = 100 };
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  const size_t length = strlen(name);
  return length > 0 && length <= MOST && name[0] != '.' && strspn(name, letters) == length;
}

void mx_derived_write_json(const struct mx_derived_list *list, FILE *file)
{
  const char *between = "";
  fputc('{', file);
  for (size_t i = 0; i < list->count; i++) {
    const struct mx_derived *item = &list->item[i];
    if (item->type == MX_DERIVED_TABLE) continue;
    fputs(between, file);
    dg_json_string(file, item->name);
    fputs(": ", file);
    if (item->type == MX_DERIVED_NUMBER) dg_json_number(file, item->number);
    else if (item->type == MX_DERIVED_BOOLEAN) fputs(item->boolean ? "true" : "false", file);
    else dg_json_string(file, item->word);
    between = ", ";
  }
  fputc('}', file);
}

void mx_derived_write_table(FILE *file, const void *what)
{
  const struct mx_derived *table = what;
  for (size_t c = 0; c < table->columns; c++) fprintf(file, "%s%s", c > 0 ? "," : "", table->column[c]);
  for (size_t row = 0; row < table->rows; row++)
    for (size_t c = 0; c < table->columns; c++) {
      const double value = table->value[c][row];
      fputs(c > 0 ? "," : "\n", file);
      if (isnan(value)) fputs("nan", file); /* printf's nan may carry a sign */
      else fprintf(file, "%.17g", value);
    }
  fputc('\n', file);
}
