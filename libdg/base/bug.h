/* Checks of what must hold inside the program, whatever the input is. */
#pragma once

#include "libdg/base/error.h"

/* Prints a broken promise inside the program, and ends the program (emergency.h). assert.h is not used, since it does
 * not know about the other ranks. */
#define DG_BUG_IF(condition, ...)                                                                                      \
  do {                                                                                                                 \
    if (condition) dg_bug(__FILE__, __LINE__, __VA_ARGS__);                                                            \
  } while (0)
#ifdef NDEBUG
#define DG_ASSERT(condition) ((void)sizeof(condition))
#else
#define DG_ASSERT(condition) DG_BUG_IF(!(condition), "assertion failed: %s", #condition)
#endif
void dg_bug(const char *file, int line, const char *format, ...) DG_PRINTF(3, 4) __attribute__((noreturn));
