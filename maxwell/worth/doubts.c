/* Keeps the doubts of a run and writes them. doubts.h says who asks. */
#include "maxwell/worth/doubts.h"

#include <stdarg.h>
#include <string.h>

#include "libdg/base/text.h"

#define MX_DOUBT_WORD(kind, word) word,
static const char *const words[MX_DOUBT_KINDS] = {MX_DOUBT_LIST(MX_DOUBT_WORD)};
#undef MX_DOUBT_WORD

const struct mx_doubt *mx_doubt_find(const struct mx_doubts *doubts, enum mx_doubt_kind kind, const char *key,
                                     const char *name)
{
  for (size_t i = 0; i < doubts->count; i++) {
    const struct mx_doubt *doubt = &doubts->doubt[i];
    if (doubt->kind == kind && strcmp(doubt->key, key) == 0 && strcmp(doubt->name, name) == 0) return doubt;
  }
  return NULL;
}

void mx_doubt(struct mx_doubts *doubts, struct dg_log *log, enum mx_doubt_kind kind, const char *key, const char *name,
              const char *format, ...)
{
  struct mx_doubt doubt = {.kind = kind};
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(doubt.text, sizeof doubt.text, format, arguments);
  va_end(arguments);
  dg_log_warning(log, "%s", doubt.text);
  if (doubts == NULL) return;
  (void)snprintf(doubt.key, sizeof doubt.key, "%s", key);
  (void)snprintf(doubt.name, sizeof doubt.name, "%s", name);
  const struct mx_doubt *same = mx_doubt_find(doubts, kind, doubt.key, doubt.name);
  if (same != NULL) doubts->doubt[same - doubts->doubt] = doubt;
  else if (doubts->count < MX_DOUBTS) doubts->doubt[doubts->count++] = doubt;
  else doubts->more++;
}

static void entry(FILE *file, const char *before, const char *key, const char *value)
{
  fprintf(file, "%s\"%s\": ", before, key);
  dg_json_string(file, value);
}

void mx_doubts_write_json(const struct mx_doubts *doubts, FILE *file)
{
  fputc('[', file);
  for (size_t i = 0; i < doubts->count; i++) {
    const struct mx_doubt *doubt = &doubts->doubt[i];
    entry(file, i > 0 ? ",\n             {" : "{", "kind", words[doubt->kind]);
    entry(file, ", ", "key", doubt->key);
    entry(file, ", ", "name", doubt->name);
    entry(file, ", ", "text", doubt->text);
    fputc('}', file);
  }
  fputc(']', file);
}

void mx_doubts_write_comments(const struct mx_doubts *doubts, const char *key, const char *name, const char *mark,
                              FILE *file)
{
  for (size_t i = 0; doubts != NULL && i < doubts->count; i++) {
    const struct mx_doubt *doubt = &doubts->doubt[i];
    if (strcmp(doubt->key, key) == 0 && (name == NULL || strcmp(doubt->name, name) == 0))
      fprintf(file, "%sdoubt: %s\n", mark, doubt->text);
  }
}
