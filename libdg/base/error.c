/* Builds the one-line messages of error values, and holds the text and number of every code. Functions that can fail
 * call this file through the macros of error.h. Nothing here allocates. */
#include "libdg/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Makes a message one line that leaves the terminal alone, whatever a library, or a broken file that it quotes, put
 * there. */
static void flatten(char *text)
{
  for (char *c = text; *c != '\0'; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
}

static void mark_cut(char *text, size_t size, size_t wanted)
{
  if (wanted >= size) memcpy(text + size - 4, "...", 4);
}

int dg_error_set(struct dg_error *err, enum dg_code code, const char *file, int line, const char *format, ...)
{
  if (err->code != DG_OK) return err->code;
  err->code = code;
  err->file = file;
  err->line = line;
  va_list args;
  va_start(args, format);
  int wanted = vsnprintf(err->message, sizeof err->message, format, args);
  va_end(args);
  mark_cut(err->message, sizeof err->message, wanted < 0 ? 0 : (size_t)wanted);
  flatten(err->message);
  return code;
}

int dg_error_context(struct dg_error *err, const char *format, ...)
{
  size_t used = strlen(err->message), room = sizeof err->message - used;
  if (room < 8) return err->code;
  memcpy(err->message + used, ", ", 3);
  va_list args;
  va_start(args, format);
  int wanted = vsnprintf(err->message + used + 2, room - 2, format, args);
  va_end(args);
  mark_cut(err->message + used + 2, room - 2, wanted < 0 ? 0 : (size_t)wanted);
  flatten(err->message + used);
  return err->code;
}

const char *dg_error_text(enum dg_code code)
{
  switch (code) {
#define CASE(name, exit_code, text)                                                                                    \
  case name:                                                                                                           \
    return text;
    DG_ERROR_CODES(CASE)
#undef CASE
  }
  return "unknown error";
}
