/* Loaded before the C library, it takes the folder LOST_FOLDER away, to its name with ".gone" behind, just before a
 * path in it is used for the LOST_AT-th time (from 1). A program cannot tell moments between two such uses apart:
 * counting LOST_AT up meets all that there are. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "maxwell/tests/program/preload.h"

static void use(const char *path)
{
  static atomic_int uses;
  const char *folder = getenv("LOST_FOLDER");
  const char *at = getenv("LOST_AT");
  if (folder == NULL || at == NULL || strncmp(path, folder, strlen(folder)) != 0) return;
  if (atomic_fetch_add(&uses, 1) + 1 != atoi(at)) return;
  NEXT(rename, take_away);
  char gone[256];
  snprintf(gone, sizeof gone, "%s.gone", folder);
  take_away(folder, gone);
}

#define USE_1(type, name)                                                                                              \
  type name(const char *path)                                                                                          \
  {                                                                                                                    \
    NEXT(name, next);                                                                                                  \
    use(path);                                                                                                         \
    return next(path);                                                                                                 \
  }

#define USE_2(type, name, type_2, second)                                                                              \
  type name(const char *path, type_2 second)                                                                           \
  {                                                                                                                    \
    NEXT(name, next);                                                                                                  \
    use(path);                                                                                                         \
    return next(path, second);                                                                                         \
  }

USE_1(int, unlink)
USE_1(int, remove)
USE_1(int, rmdir)
USE_1(DIR *, opendir)
USE_2(FILE *, fopen, const char *, mode)
USE_2(FILE *, fopen64, const char *, mode)
USE_2(int, rename, const char *, to)
USE_2(int, access, int, how)
USE_2(int, mkdir, mode_t, mode)
USE_2(int, truncate, off_t, size)
USE_2(int, truncate64, off64_t, size)
USE_2(int, stat, struct stat *, status)
USE_2(int, stat64, struct stat64 *, status)
USE_2(int, lstat, struct stat *, status)
USE_2(int, lstat64, struct stat64 *, status)
OPENING(open, use(path); return next(path, flags, mode);)
OPENING(open64, use(path); return next(path, flags, mode);)
