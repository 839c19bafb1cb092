/* Tells a listener all rules by which a table is read (rules.h). The readers themselves know which tables there are in
 * a table: they are called with samples, and each table that one of them would read comes by here. mx_config_tell
 * begins it, for `curlew info --keys`. */
#include "maxwell/shell/rules/rules.h"

#include <string.h>

/* The forms of a table: without entries, a list, and named entries. The entries are empty tables. */
enum { EMPTY, LIST, NAMED, FORMS };

static int tell_samples(struct mx_reader *r, const struct mx_value *table, const struct mx_rule *rule, void *to)
{
  char *path, *inner, where[] = "rules", name[] = "name";
  const char *dot = *table->path == '\0' ? "" : ".";
  *r->err = (struct dg_error){0}; /* what a reader thought of the sample before */
  if (mx_arena_format(&r->arena, &path, r->err, "%s%s%s", table->path, dot, rule->name) != 0 ||
      mx_arena_format(&r->arena, &inner, r->err, "%s.*", path) != 0)
    return r->err->code;
  const size_t told = r->listener->tables;
  for (int form = EMPTY; form < FORMS && r->listener->tables == told; form++) {
    struct mx_entry entry = {.key = {.name = form == NAMED ? name : NULL, .integer = 1},
                             .value = {.type = MX_TABLE, .where = where, .path = inner}};
    const struct mx_value sample = {
        .type = MX_TABLE, .count = form == EMPTY ? 0 : 1, .entry = &entry, .where = where, .path = path};
    *r->err = (struct dg_error){0};
    (void)rule->read(r, rule, &sample, to);
    if (r->err->code != 0 && r->err->code != DG_INPUT) return r->err->code; /* memory */
  }
  return 0;
}

int mx_tell_rules(struct mx_reader *r, const struct mx_value *table, const struct mx_rule *rules, size_t count,
                  void *base)
{
  r->listener->tables++;
  r->listener->hear(r->listener, table->path, r->kind, rules, count, base);
  r->kind = NULL;
  for (size_t k = 0; k < count; k++)
    if (tell_samples(r, table, &rules[k], (char *)base + rules[k].offset) != 0) return r->err->code;
  return mx_fail_at(r, table, "the rules have been told");
}
