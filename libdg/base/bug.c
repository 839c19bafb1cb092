/* The end of a program that has broken a promise to itself; the macros of bug.h call it. */
#include "libdg/base/bug.h"

#include <stdarg.h>
#include <stdio.h>

#include "libdg/base/emergency.h"

void dg_bug(const char *file, int line, const char *format, ...)
{
  char text[512];
  const int used = snprintf(text, sizeof text, "bug at %s:%d: ", file, line);
  va_list args;
  va_start(args, format);
  if (used > 0 && (size_t)used < sizeof text) vsnprintf(text + used, sizeof text - (size_t)used, format, args);
  va_end(args);
  dg_emergency_end(DG_BUG, text);
}
