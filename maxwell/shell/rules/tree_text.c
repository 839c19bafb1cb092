/* Writes trees of values as text, and compares those of ranks, each of which has run the script by itself. */
#include "maxwell/shell/rules/tree_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/digest.h"
#include "libdg/base/memory.h"
#include "maxwell/shell/function.h"

int mx_text_add(struct mx_text *text, const char *format, ...)
{
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  size_t needed = text->used + (size_t)length + 1;
  if (needed > text->size) {
    size_t size = 2 * needed;
    if (dg_grow(&text->start, size, 1, text->err) != 0) {
      va_end(list);
      return text->err->code;
    }
    text->size = size;
  }
  (void)vsnprintf(text->start + text->used, text->size - text->used, format, list);
  va_end(list);
  text->used += (size_t)length;
  return 0;
}

/* Adds a long list as one line: a digest of the lines that it would be. */
static int add_long(struct mx_text *text, const struct mx_value *value, bool (*matters)(const char *path))
{
  struct mx_text lines = {.err = text->err};
  uint64_t digest = 0;
  for (size_t i = 0; i < value->count && text->err->code == DG_OK; i++) {
    lines.used = 0;
    if (mx_text_tree(&lines, &value->entry[i].value, matters) == 0) digest = dg_digest(digest, lines.start, lines.used);
  }
  dg_free(lines.start);
  if (text->err->code != DG_OK) return text->err->code;
  return mx_text_add(text, "%s = %zu entries, digest %016" PRIx64 "\n", value->path, value->count, digest);
}

static int add_string(struct mx_text *text, const struct mx_value *value)
{
  if (mx_text_add(text, "%s = \"", value->path) != 0) return text->err->code;
  for (const char *c = value->string; *c != '\0'; c++)
    if (mx_text_add(text, (unsigned char)*c < 0x20 ? "\\%03o" : "%c", (unsigned char)*c) != 0) return text->err->code;
  return mx_text_add(text, "\"\n");
}

int mx_text_tree(struct mx_text *text, const struct mx_value *value, bool (*matters)(const char *path))
{
  enum { LONG = 64 };
  uint64_t digest;
  switch (value->type) {
  case MX_NIL:
    return 0;
  case MX_BOOLEAN:
    return mx_text_add(text, "%s = %s\n", value->path, value->boolean ? "true" : "false");
  case MX_NUMBER:
    return mx_text_add(text, "%s = %.17g\n", value->path, value->number);
  case MX_STRING:
    return add_string(text, value);
  case MX_FUNCTION:
    if (value->function->digest(value->function->self, &digest, text->err) != 0) return text->err->code;
    return mx_text_add(text, "%s = function, digest %016" PRIx64 "\n", value->path, digest);
  case MX_TABLE:
    if (*value->path != '\0' && matters != NULL && !matters(value->path)) return 0;
    if (value->count > LONG) return add_long(text, value, matters);
    if (value->count == 0 && *value->path != '\0') return mx_text_add(text, "%s = {}\n", value->path);
    for (size_t i = 0; i < value->count; i++) {
      const struct mx_value *entry = &value->entry[i].value;
      if ((matters == NULL || matters(entry->path)) && mx_text_tree(text, entry, matters) != 0) return text->err->code;
    }
    return 0;
  }
  return 0;
}

size_t mx_text_line(const char *text) { return strcspn(text, "\n"); }

bool mx_text_has_key(const char *text, const char *line)
{
  const char *end = strstr(line, " = ");
  size_t length = end != NULL ? (size_t)(end - line) + 3 : mx_text_line(line);
  for (; *text != '\0'; text += mx_text_line(text), text += *text == '\n')
    if (strncmp(text, line, length) == 0) return true;
  return false;
}

/* ---- the ranks */

/* The value of a line "key = value", for messages; "another one" of a digest, which says nothing to anybody. */
static void show_value(const char *line, char *shown, size_t size)
{
  enum { MOST = 80 };
  const size_t length = mx_text_line(line);
  const char *value = strstr(line, " = "), *digest = strstr(line, "digest ");
  const size_t start = value != NULL && value < line + length ? (size_t)(value - line) + 3 : length;
  if (digest != NULL && digest < line + length) (void)snprintf(shown, size, "another one");
  else (void)snprintf(shown, size, "%.*s", (int)(length - start > MOST ? MOST : length - start), line + start);
}

/* Fails with the first line in which the rank's text differs from that of rank 0. */
static int tell_difference(const char *first, const char *own, int rank, struct dg_error *err)
{
  static const char rule[] = "every rank runs the script, which must not depend on the time, on addresses (tostring of "
                             "a table or function) or "
                             "on files that differ";
  char there[128] = "nothing", here[128] = "nothing";
  while (mx_text_line(first) == mx_text_line(own) && strncmp(first, own, mx_text_line(own)) == 0 && *own != '\0') {
    first += mx_text_line(first) + 1;
    own += mx_text_line(own) + 1;
  }
  const bool lacks = *own == '\0' || (*first != '\0' && !mx_text_has_key(own, first));
  const bool has_more = !lacks && (*first == '\0' || !mx_text_has_key(first, own));
  const char *line = lacks ? first : own, *key = strstr(line, " = ");
  if (!has_more) show_value(first, there, sizeof there);
  if (!lacks) show_value(own, here, sizeof here);
  return dg_fail(err, DG_INPUT, "the script gives '%.*s' as %s on rank 0 and as %s on rank %d: %s",
                 key != NULL ? (int)(key - line) : 0, line, there, here, rank, rule);
}

/* The lowest rank whose text is not that of rank 0 fails, and all with it. */
static int find_difference(const struct mx_text *own, struct dg_comm *comm, struct dg_error *err)
{
  const int rank = dg_comm_rank(comm);
  size_t bytes = own->used + 1;
  char *first = NULL;
  if (dg_comm_broadcast(comm, sizeof bytes, &bytes, err) != 0 || dg_alloc(&first, bytes, 1, err) != 0) return err->code;
  if (rank == 0) memcpy(first, own->start, bytes);
  if (dg_comm_broadcast(comm, bytes, first, err) != 0) goto fail;
  int64_t lowest = strcmp(first, own->start) != 0 ? rank : INT64_MAX;
  if (dg_comm_reduce_int(comm, DG_MIN, 1, &lowest, err) != 0) goto fail;
  if (lowest == rank) (void)tell_difference(first, own->start, rank, err);
  else (void)!dg_comm_agree(comm, err);
fail:
  dg_free(first);
  return err->code;
}

int mx_origin_agree(const struct mx_origin *origin, struct dg_comm *comm, struct dg_error *err)
{
  struct mx_text text = {.err = err};
  if (dg_comm_size(comm) == 1 || origin == NULL || origin->root == NULL) return 0;
  if (mx_text_tree(&text, origin->root, NULL) != 0 ||
      mx_text_add(&text, "math.randomseed = digest %016" PRIx64 "\n", mx_origin_seed(origin)) != 0)
    goto fail;
  const int64_t digest = (int64_t)(dg_digest(0, text.start, text.used) >> 1);
  int64_t range[2] = {digest, -digest};
  if (dg_comm_reduce_int(comm, DG_MIN, 2, range, err) != 0) goto fail;
  if (range[0] != -range[1]) (void)!find_difference(&text, comm, err);
fail:
  dg_free(text.start);
  return err->code;
}
