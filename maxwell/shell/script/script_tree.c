/* Sorting, finding, inserting and removing values of a tree by path. script.c and script_convert.c build trees with it.
 */
#include "maxwell/shell/script/script_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* "a table", "a string" and so on. */
static const char *type_name(enum mx_value_type type)
{
  static const char *const names[] = {"nil", "a boolean", "a number", "a string", "a function", "a table"};
  return names[type];
}

static int compare_keys(const struct mx_key *a, const struct mx_key *b)
{
  if (a->name != NULL && b->name != NULL) return strcmp(a->name, b->name);
  if (a->name != NULL || b->name != NULL) return a->name != NULL ? 1 : -1;
  return (a->integer > b->integer) - (a->integer < b->integer);
}

static int compare_entries(const void *a, const void *b)
{
  const struct mx_entry *p = a, *q = b;
  return compare_keys(&p->key, &q->key);
}

void mx_tree_sort(struct mx_value *table)
{
  if (table->count > 1) qsort(table->entry, table->count, sizeof *table->entry, compare_entries);
}

int mx_tree_path(struct mx_arena *arena, const char *parent, const struct mx_key *key, char **path,
                 struct dg_error *err)
{
  const char *dot = *parent == '\0' ? "" : ".";
  if (key->name != NULL) return mx_arena_format(arena, path, err, "%s%s%s", parent, dot, key->name);
  return mx_arena_format(arena, path, err, "%s%s%lld", parent, dot, key->integer);
}

/* "probes" is a name, "1" and "-3" are integers. */
static int read_component(struct mx_arena *arena, const char *text, size_t length, struct mx_key *key,
                          struct dg_error *err)
{
  *key = (struct mx_key){0};
  size_t digits = strspn(text + (*text == '-'), "0123456789") + (*text == '-');
  if (digits == length && digits > (size_t)(*text == '-') && digits <= 18) {
    key->integer = strtoll(text, NULL, 10);
    return 0;
  }
  return mx_arena_format(arena, &key->name, err, "%.*s", (int)length, text);
}

/* The entry of the key, or where it belongs. */
static size_t find_key(const struct mx_value *table, const struct mx_key *key, bool *found)
{
  size_t i = 0;
  while (i < table->count && compare_keys(&table->entry[i].key, key) < 0) i++;
  *found = i < table->count && compare_keys(&table->entry[i].key, key) == 0;
  return i;
}

static int insert(struct mx_arena *arena, struct mx_value *table, size_t at, const struct mx_key *key,
                  struct dg_error *err)
{
  struct mx_entry *entry;
  if (mx_arena_alloc(arena, &entry, table->count + 1, sizeof *entry, err) != 0) return err->code;
  for (size_t i = 0; i < table->count; i++) entry[i < at ? i : i + 1] = table->entry[i];
  entry[at].key = *key;
  table->entry = entry;
  table->count++;
  return 0;
}

static void remove_entry(struct mx_value *table, size_t at)
{
  table->count--;
  for (size_t i = at; i < table->count; i++) table->entry[i] = table->entry[i + 1];
}

int mx_tree_put(struct mx_arena *arena, struct mx_value *root, const struct mx_value *value, struct dg_error *err)
{
  struct mx_value *table = root;
  for (const char *text = value->path;;) {
    size_t length = strcspn(text, ".");
    bool last = text[length] == '\0', found;
    struct mx_key key;
    if (length == 0)
      return dg_fail(err, DG_INPUT, "%s: the path has an empty name; write it as in time.steps=100", value->where);
    if (table->type != MX_TABLE)
      return dg_fail(err, DG_INPUT, "%s: '%s' is %s, not a table", value->where, table->path, type_name(table->type));
    if (read_component(arena, text, length, &key, err) != 0) return err->code;
    size_t at = find_key(table, &key, &found);
    if (value->type == MX_NIL) {
      if (!found) return dg_fail(err, DG_INPUT, "%s: there is no such key to remove", value->where);
      if (last) {
        remove_entry(table, at);
        return 0;
      }
    }
    if (!found && insert(arena, table, at, &key, err) != 0) return err->code;
    struct mx_value *child = &table->entry[at].value;
    if (last) {
      *child = *value;
      return 0;
    }
    if (!found) {
      *child = (struct mx_value){.type = MX_TABLE, .where = value->where};
      if (mx_tree_path(arena, table->path, &key, &child->path, err) != 0) return err->code;
    }
    table = child;
    text += length + 1;
  }
}

int mx_tree_copy(struct mx_arena *arena, struct mx_value *to, const struct mx_value *from, struct dg_error *err)
{
  *to = *from;
  if (from->type != MX_TABLE || from->count == 0) return 0;
  if (mx_arena_alloc(arena, &to->entry, from->count, sizeof *to->entry, err) != 0) return err->code;
  for (size_t i = 0; i < from->count; i++) {
    to->entry[i].key = from->entry[i].key;
    if (mx_tree_copy(arena, &to->entry[i].value, &from->entry[i].value, err) != 0) return err->code;
  }
  return 0;
}
