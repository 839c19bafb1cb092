/* Writes a tree of values as JSON, with the defaults that its reading noted (mx_note) for the keys that a user has not
 * written. mx_config_read collects the notes, and a run writes. */
#include "maxwell/shell/rules/resolved.h"

#include <stdint.h>
#include <stdlib.h>

#include "libdg/base/text.h"
#include "maxwell/shell/function.h"

static int by_table(const void *a, const void *b)
{
  const struct mx_note *const *x = a, *const *y = b;
  const uintptr_t p = (uintptr_t)(*x)->table, q = (uintptr_t)(*y)->table;
  return p < q ? -1 : p > q;
}

int mx_resolved_collect(struct mx_resolved *resolved, struct mx_reader *r)
{
  size_t count = 0;
  for (const struct mx_note *note = r->notes; note != NULL; note = note->next) count++;
  if (mx_arena_alloc(&r->arena, &resolved->note, count, sizeof *resolved->note, r->err) != 0) return r->err->code;
  resolved->count = count;
  for (const struct mx_note *note = r->notes; note != NULL; note = note->next) resolved->note[--count] = note;
  qsort(resolved->note, resolved->count, sizeof *resolved->note, by_table);
  return 0;
}

/* ---- JSON ---- */

static const struct mx_note *find_note(const struct mx_resolved *resolved, const struct mx_value *table)
{
  const struct mx_note wanted = {.table = table}, *key = &wanted;
  if (resolved->count == 0) return NULL;
  const struct mx_note **found = bsearch(&key, resolved->note, resolved->count, sizeof *resolved->note, by_table);
  return found != NULL ? *found : NULL;
}

static void new_line(FILE *file, int indent) { fprintf(file, "\n%*s", indent, ""); }

static void write_value(FILE *file, const struct mx_value *value, const struct mx_resolved *resolved, int indent);

static void write_absent(FILE *file, const struct mx_absent *key, const struct mx_resolved *resolved, int indent)
{
  switch (key->kind) {
  case MX_NUMBER_DEFAULT:
    dg_json_number(file, key->number);
    break;
  case MX_BOOLEAN_DEFAULT:
    fputs(key->number != 0 ? "true" : "false", file);
    break;
  case MX_STRING_DEFAULT:
    dg_json_string(file, key->text);
    break;
  case MX_JSON_DEFAULT:
    fputs(key->text, file);
    break;
  case MX_SECTION_DEFAULT:
    write_value(file, key->section, resolved, indent);
    break;
  case MX_KEY_GIVEN:
  case MX_KEY_NOT_GIVEN:
    fputs("null", file);
  }
}

static void write_key(FILE *file, const char *name, bool first, int indent)
{
  if (!first) fputc(',', file);
  new_line(file, indent);
  dg_json_string(file, name);
  fputs(": ", file);
}

/* A table that rules have read: their keys, in their order. */
static void write_by_rules(FILE *file, const struct mx_value *table, const struct mx_note *note,
                           const struct mx_resolved *resolved, int indent)
{
  fputc('{', file);
  for (size_t k = 0; k < note->keys; k++) {
    const struct mx_value *value = mx_find_value(table, note->key[k].name);
    write_key(file, note->key[k].name, k == 0, indent + 2);
    if (value != NULL) write_value(file, value, resolved, indent + 2);
    else write_absent(file, &note->key[k], resolved, indent + 2);
  }
  if (note->keys > 0) new_line(file, indent);
  fputc('}', file);
}

static bool is_list(const struct mx_value *table)
{
  for (size_t i = 0; i < table->count; i++)
    if (table->entry[i].key.name != NULL || table->entry[i].key.integer != (long long)i + 1) return false;
  return true;
}

/* Lists of numbers and words stand in one line. */
static void write_list(FILE *file, const struct mx_value *table, const struct mx_resolved *resolved, int indent)
{
  bool deep = false;
  for (size_t i = 0; i < table->count; i++) deep = deep || table->entry[i].value.type == MX_TABLE;
  fputc('[', file);
  for (size_t i = 0; i < table->count; i++) {
    if (i > 0) fputs(deep ? "," : ", ", file);
    if (deep) new_line(file, indent + 2);
    write_value(file, &table->entry[i].value, resolved, indent + 2);
  }
  if (deep) new_line(file, indent);
  fputc(']', file);
}

static void write_names(FILE *file, const struct mx_value *table, const struct mx_resolved *resolved, int indent)
{
  fputc('{', file);
  for (size_t i = 0; i < table->count; i++) {
    const struct mx_key *key = &table->entry[i].key;
    char number[24];
    snprintf(number, sizeof number, "%lld", key->integer);
    write_key(file, key->name != NULL ? key->name : number, i == 0, indent + 2);
    write_value(file, &table->entry[i].value, resolved, indent + 2);
  }
  new_line(file, indent);
  fputc('}', file);
}

static void write_function(FILE *file, const struct mx_function *function)
{
  fputs("{\"function\": ", file);
  if (function->place != NULL) dg_json_string(file, function->place);
  else fputs("null", file);
  fputc('}', file);
}

static void write_value(FILE *file, const struct mx_value *value, const struct mx_resolved *resolved, int indent)
{
  const struct mx_note *note;
  switch (value->type) {
  case MX_NIL:
    fputs("null", file);
    break;
  case MX_BOOLEAN:
    fputs(value->boolean ? "true" : "false", file);
    break;
  case MX_NUMBER:
    dg_json_number(file, value->number);
    break;
  case MX_STRING:
    dg_json_string(file, value->string);
    break;
  case MX_FUNCTION:
    write_function(file, value->function);
    break;
  case MX_TABLE:
    note = find_note(resolved, value);
    if (note != NULL) write_by_rules(file, value, note, resolved, indent);
    else if (is_list(value)) write_list(file, value, resolved, indent);
    else write_names(file, value, resolved, indent);
  }
}

void mx_resolved_write(FILE *file, const struct mx_value *root, const struct mx_resolved *resolved, int indent)
{
  write_value(file, root, resolved, indent);
}
