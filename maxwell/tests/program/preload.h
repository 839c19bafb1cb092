/* What libraries that are loaded before the C library have in common. Include it behind a definition of _GNU_SOURCE. */
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

/* What the C library has under this name, as a function `next` of the type that the header gives it. */
#define NEXT(name, next)                                                                                               \
  __typeof__(name) *(next);                                                                                            \
  void *found_##next;                                                                                                  \
  found_##next = dlsym(RTLD_NEXT, #name);                                                                              \
  memcpy(&(next), &found_##next, sizeof(next))

/* The function of that name that opens a file; in `body` there are path, flags, mode, and next for the C library's. */
#define OPENING(name, body)                                                                                            \
  int name(const char *path, int flags, ...)                                                                           \
  {                                                                                                                    \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                                                    \
    va_end(rest);                                                                                                      \
    NEXT(name, next);                                                                                                  \
    body                                                                                                               \
  }
