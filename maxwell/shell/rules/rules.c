/* Readers of numbers, strings, lists, functions and tables by rules, and messages for what does not fit. The readers of
 * the configuration call it. */
#include "maxwell/shell/rules/rules.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/text.h"
#include "maxwell/shell/function.h"

#define RULES_MAX 64

const char mx_standard_real[] = "real", mx_standard_string[] = "string";

int mx_fail_where(struct dg_error *err, const char *where, const char *file, int line, const char *format, ...)
{
  char message[DG_MESSAGE_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return dg_error_set(err, DG_INPUT, file, line, "%s: %s", where, message);
}

/* "simulation" or the path of a table. */
static const char *name_of(const struct mx_value *table) { return *table->path == '\0' ? "simulation" : table->path; }

/* Describes a value: `the string "three"`, `2.5`, `a table`. */
static void describe(const struct mx_value *value, char *text, size_t size)
{
  static const char *const types[] = {"nil", "a boolean", "a number", "a string", "a function", "a table"};
  switch (value->type) {
  case MX_BOOLEAN:
    snprintf(text, size, "%s", value->boolean ? "true" : "false");
    break;
  case MX_NUMBER:
    for (int digits = 6; digits <= 17; digits++) { /* the shortest of these that reads back exactly */
      snprintf(text, size, "%.*g", digits, value->number);
      if (strtod(text, NULL) == value->number) break;
    }
    if (isnan(value->number)) snprintf(text, size, "nan");
    break;
  case MX_STRING:
    snprintf(text, size, "the string \"%s\"", value->string);
    break;
  default:
    snprintf(text, size, "%s", types[value->type]);
  }
}

int mx_fail_expected(struct mx_reader *r, const struct mx_value *value, const char *expected)
{
  char found[300];
  describe(value, found, sizeof found);
  return mx_fail_at(r, value, "%s must be %s, not %s", name_of(value), expected, found);
}

int mx_expect_table(struct mx_reader *r, const struct mx_value *value, const char *expected)
{
  return value->type == MX_TABLE ? 0 : mx_fail_expected(r, value, expected);
}

bool mx_is_file_name(const char *text)
{
  if (*text == '\0' || strlen(text) > 200 || strcmp(text, ".") == 0 || strcmp(text, "..") == 0) return false;
  for (const char *c = text; *c != '\0'; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f || *c == '/') return false;
  return true;
}

int mx_expect_list(struct mx_reader *r, const struct mx_value *value, const char *expected)
{
  if (value->type != MX_TABLE) return mx_fail_expected(r, value, expected);
  for (size_t i = 0; i < value->count; i++) {
    const struct mx_key *key = &value->entry[i].key;
    if (key->name != NULL)
      return mx_fail_at(r, &value->entry[i].value, "%s must be %s; it has the key '%s'", value->path, expected,
                        key->name);
    if (key->integer != (long long)i + 1)
      return mx_fail_at(r, &value->entry[i].value, "%s must be %s; entry %zu is missing", value->path, expected, i + 1);
  }
  return 0;
}

const struct mx_value *mx_find_value(const struct mx_value *table, const char *name)
{
  for (size_t i = 0; i < table->count; i++)
    if (table->entry[i].key.name != NULL && strcmp(table->entry[i].key.name, name) == 0) return &table->entry[i].value;
  return NULL;
}

static int fail_unknown_key(struct mx_reader *r, const struct mx_value *table, const struct mx_entry *entry,
                            const struct mx_rule *rules, size_t count)
{
  const char *names[RULES_MAX];
  for (size_t i = 0; i < count; i++) names[i] = rules[i].name;
  if (entry->key.name == NULL)
    return mx_fail_at(r, &entry->value, "%s has keys with names only, and item %lld has none", name_of(table),
                      entry->key.integer);
  int nearest = dg_nearest(entry->key.name, names, count);
  if (nearest >= 0)
    return mx_fail_at(r, &entry->value, "unknown key '%s' in %s (nearest: '%s')", entry->key.name, name_of(table),
                      names[nearest]);
  char known[512] = "";
  for (size_t i = 0, used = 0; i < count && used < sizeof known; i++)
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ", names[i]);
  return mx_fail_at(r, &entry->value, "unknown key '%s' in %s (known: %s)", entry->key.name, name_of(table), known);
}

/* ---- what a table lacks ---- */

bool mx_rule_allows(const struct mx_rule *rule, double x)
{
  if (rule->least == 0 && rule->most == 0) return true;
  return x >= rule->least && x <= rule->most && !(rule->open && x == rule->least);
}

static void set_number(struct mx_absent *key, const struct mx_rule *rule, double x)
{
  if (!mx_rule_allows(rule, x)) return;
  key->kind = MX_NUMBER_DEFAULT;
  key->number = x;
}

static void set_string(struct mx_absent *key, enum mx_absent_kind kind, const char *text)
{
  if (text == NULL) return;
  key->kind = kind;
  key->text = text;
}

/* The default of a rule, from the struct that has it; the reader says of which type it is. */
static void set_default(struct mx_absent *key, const struct mx_rule *rule, const void *to)
{
  if (rule->standard == mx_standard_string || (rule->standard == NULL && rule->read == mx_read_string)) {
    set_string(key, MX_STRING_DEFAULT, *(const char *const *)to);
  } else if (rule->standard == mx_standard_real || (rule->standard == NULL && rule->read == mx_read_real)) {
    set_number(key, rule, *(const double *)to);
  } else if (rule->standard != NULL) {
    set_string(key, MX_JSON_DEFAULT, rule->standard);
  } else if (rule->read == mx_read_long) {
    set_number(key, rule, (double)*(const long *)to);
  } else if (rule->read == mx_read_int) {
    set_number(key, rule, *(const int *)to);
  } else if (rule->read == mx_read_boolean) {
    key->kind = MX_BOOLEAN_DEFAULT;
    key->number = *(const bool *)to;
  } else if (rule->read == mx_read_choice) {
    const int chosen = *(const int *)to;
    for (int i = 0; chosen >= 0 && rule->names[i] != NULL; i++)
      if (i == chosen) set_string(key, MX_STRING_DEFAULT, rule->names[i]);
  }
}

static int make_section(struct mx_reader *r, const struct mx_value *table, const char *name,
                        const struct mx_value **section)
{
  struct mx_value *empty;
  if (mx_arena_alloc(&r->arena, &empty, 1, sizeof *empty, r->err) != 0) return r->err->code;
  *empty = (struct mx_value){.type = MX_TABLE, .line = table->line, .where = table->where};
  *section = empty;
  return mx_arena_format(&r->arena, &empty->path, r->err, "%s%s%s", table->path, *table->path == '\0' ? "" : ".", name);
}

/* Notes the keys that a table lacks, before it is read into the struct at base, which has the defaults. Where a rule is
 * a section, the empty table that is to be read instead is noted, and given in section[k] (else NULL). A table that is
 * read twice, first for its kind, counts as the second time. */
static int note_absent(struct mx_reader *r, const struct mx_value *table, const struct mx_rule *rules, size_t count,
                       const void *base, const struct mx_value **section)
{
  const bool again = r->notes != NULL && r->notes->table == table;
  struct mx_note *note = r->notes;
  if ((!again && mx_arena_alloc(&r->arena, &note, 1, sizeof *note, r->err) != 0) ||
      mx_arena_alloc(&r->arena, &note->key, count, sizeof *note->key, r->err) != 0)
    return r->err->code;
  note->table = table;
  note->keys = count;
  for (size_t k = 0; k < count; k++) {
    struct mx_absent *key = &note->key[k];
    *key = (struct mx_absent){.name = rules[k].name, .kind = MX_KEY_GIVEN};
    section[k] = NULL;
    if (mx_find_value(table, rules[k].name) != NULL) continue;
    key->kind = MX_KEY_NOT_GIVEN;
    if (rules[k].section) {
      if (make_section(r, table, rules[k].name, &section[k]) != 0) return r->err->code;
      key->kind = MX_SECTION_DEFAULT;
      key->section = section[k];
    } else {
      set_default(key, &rules[k], (const char *)base + rules[k].offset);
    }
  }
  if (again) return 0;
  note->next = r->notes;
  r->notes = note;
  return 0;
}

int mx_read_table(struct mx_reader *r, const struct mx_value *table, const char *expected, const struct mx_rule *rules,
                  size_t count, void *base)
{
  DG_ASSERT(count <= RULES_MAX);
  if (r->listener != NULL) return mx_tell_rules(r, table, rules, count, base);
  if (mx_expect_table(r, table, expected) != 0) return r->err->code;
  /* Unknown keys first: a mistyped one is why the right one is missing. */
  for (size_t i = 0; i < table->count; i++) {
    const struct mx_entry *entry = &table->entry[i];
    size_t k = 0;
    while (k < count && (entry->key.name == NULL || strcmp(entry->key.name, rules[k].name) != 0)) k++;
    if (k == count) return fail_unknown_key(r, table, entry, rules, count);
  }
  const struct mx_value *section[RULES_MAX] = {NULL};
  if (note_absent(r, table, rules, count, base, section) != 0) return r->err->code;
  for (size_t k = 0; k < count; k++) {
    const struct mx_value *value = section[k] != NULL ? section[k] : mx_find_value(table, rules[k].name);
    if (value == NULL && rules[k].example != NULL)
      return mx_fail_at(r, table, "'%s' is missing in %s (for example: %s)", rules[k].name, name_of(table),
                        rules[k].example);
    if (value != NULL && rules[k].read(r, &rules[k], value, (char *)base + rules[k].offset) != 0) return r->err->code;
  }
  return 0;
}

static int check_range(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value)
{
  double x = value->number;
  if (!isfinite(x)) return mx_fail_expected(r, value, rule->expected);
  if (!mx_rule_allows(rule, x)) return mx_fail_expected(r, value, rule->expected);
  return 0;
}

static int read_finite(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, double *to)
{
  if (value->type != MX_NUMBER) return mx_fail_expected(r, value, rule->expected);
  if (check_range(r, rule, value) != 0) return r->err->code;
  *to = value->number;
  return 0;
}

int mx_read_real(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  if (read_finite(r, rule, value, to) != 0) return r->err->code;
  const double size = fabs(value->number);
  if (size > MX_LARGEST || (rule->open && rule->least == 0 && size < MX_SMALLEST))
    return mx_fail_at(r, value, "%s must be %s, and from %g to %g in size, not %g", name_of(value), rule->expected,
                      rule->open ? MX_SMALLEST : 0.0, MX_LARGEST, value->number);
  return 0;
}

int mx_read_long(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  if (value->type != MX_NUMBER || !value->is_integer) return mx_fail_expected(r, value, rule->expected);
  if (check_range(r, rule, value) != 0) return r->err->code;
  if (fabs(value->number) > 1e15) return mx_fail_expected(r, value, "an integer of at most 1e15");
  *(long *)to = (long)value->number;
  return 0;
}

int mx_read_int(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  long number = 0;
  if (mx_read_long(r, rule, value, &number) != 0) return r->err->code;
  if (labs(number) > INT_MAX) return mx_fail_expected(r, value, "an integer of at most 2147483647");
  *(int *)to = (int)number;
  return 0;
}

int mx_read_choice(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  char expected[256];
  size_t count = 0, used = 0;
  while (rule->names[count] != NULL) {
    if (value->type == MX_STRING && strcmp(value->string, rule->names[count]) == 0) {
      *(int *)to = (int)count;
      return 0;
    }
    count++;
  }
  for (size_t i = 0; i < count && used < sizeof expected; i++)
    used += (size_t)snprintf(expected + used, sizeof expected - used, "%s\"%s\"",
                             i == 0           ? ""
                             : i + 1 == count ? " or "
                                              : ", ",
                             rule->names[i]);
  const char *wanted = rule->expected != NULL ? rule->expected : expected;
  int nearest = value->type == MX_STRING ? dg_nearest(value->string, rule->names, count) : -1;
  if (nearest < 0) return mx_fail_expected(r, value, wanted);
  return mx_fail_at(r, value, "%s must be %s, not the string \"%s\" (nearest: '%s')", value->path, wanted,
                    value->string, rule->names[nearest]);
}

int mx_read_boolean(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  (void)rule;
  if (value->type != MX_BOOLEAN) return mx_fail_expected(r, value, "true or false");
  *(bool *)to = value->boolean;
  return 0;
}

int mx_read_string(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  if (value->type != MX_STRING || *value->string == '\0') return mx_fail_expected(r, value, rule->expected);
  *(const char **)to = value->string;
  return 0;
}

int mx_read_function(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  if (value->type != MX_FUNCTION) return mx_fail_expected(r, value, rule->expected);
  *(const struct mx_function **)to = value->function;
  return 0;
}

int mx_read_triple(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule number = {.expected = "a number"};
  double *triple = to;
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (value->count != 3)
    return mx_fail_at(r, value, "%s must be %s, not %zu values", value->path, rule->expected, value->count);
  for (int i = 0; i < 3; i++)
    if (read_finite(r, &number, &value->entry[i].value, &triple[i]) != 0) return r->err->code; /* of any length */
  return 0;
}
