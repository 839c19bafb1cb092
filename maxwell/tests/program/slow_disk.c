/* Loaded before the C library, it makes the disk slow or full for snapshots: giving a file fields_NNNNNN.silo or .hdf,
 * or of several processes its blocks, its name takes SLOW_DISK_SECONDS; with SLOW_DISK_FULL=N the system says that
 * there is no space at step N. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "maxwell/tests/program/preload.h"

static bool of_snapshot(const char *path, long *step)
{
  const char *name = strstr(path, "/fields_");
  if (getenv("OMPI_COMM_WORLD_SIZE") == NULL && strstr(path, "/blocks/") != NULL) return false;
  if (name == NULL || (strstr(name, ".silo") == NULL && strstr(name, ".hdf") == NULL && strstr(name, ".h5") == NULL))
    return false;
  return sscanf(name, "/fields_%ld", step) == 1;
}

static void wait_for_disk(void)
{
  const char *text = getenv("SLOW_DISK_SECONDS");
  const double seconds = text != NULL ? strtod(text, NULL) : 0;
  const struct timespec time = {.tv_sec = (time_t)seconds,
                                .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&time, NULL);
}

int rename(const char *from, const char *to)
{
  NEXT(rename, next);
  const char *full = getenv("SLOW_DISK_FULL");
  long step;
  if (of_snapshot(to, &step)) {
    wait_for_disk();
    if (full != NULL && step == atol(full)) {
      errno = ENOSPC;
      return -1;
    }
  }
  return next(from, to);
}
