/* Opens a file that a script names, if it lies in the script's folder or below. The file is found with O_PATH, its
 * place is looked at, and it is opened through the same descriptor. script.c and library.c call it. */
#define _GNU_SOURCE /* realpath, O_PATH */
#include "maxwell/shell/script/world/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

/* Says whether a path lies below the folder; the folder itself counts. */
static bool lies_below(const char *path, const char *folder)
{
  char base[PATH_MAX];
  if (realpath(folder, base) == NULL) return false;
  const size_t length = strlen(base);
  if (strcmp(base, "/") == 0) return path[0] == '/';
  return strncmp(path, base, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Opens a descriptor that names the file and nothing more, and makes the name that leads from it to the file. */
static int find(const char *path, const char *folder, char link[32])
{
  char place[PATH_MAX];
  const int found = open(path, O_PATH | O_CLOEXEC);
  if (found < 0) return -1;
  (void)snprintf(link, 32, "/proc/self/fd/%d", found);
  const ssize_t length = readlink(link, place, sizeof place - 1);
  place[length > 0 ? length : 0] = '\0'; /* without /proc nothing can be said, and nothing is below the folder */
  if (lies_below(place, folder)) return found;
  (void)close(found);
  errno = EXDEV;
  return -1;
}

FILE *mx_file_open(const char *path, const char *folder)
{
  char link[32];
  if (folder == NULL) return fopen(path, "re");
  const int found = find(path, folder, link);
  if (found < 0) return NULL;
  FILE *file = fopen(link, "re");
  const int why = errno;
  (void)close(found);
  errno = why;
  return file;
}

/* The folder of a file: "." and "/" among them. */
static void cut_name(const char *path, char *folder, size_t size)
{
  const char *slash = strrchr(path, '/');
  if (slash == NULL) (void)snprintf(folder, size, ".");
  else (void)snprintf(folder, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

bool mx_file_is_within(const char *path, const char *folder)
{
  char link[32], parent[PATH_MAX], place[PATH_MAX];
  const int found = find(path, folder, link);
  if (found >= 0) {
    (void)close(found);
    return true;
  }
  if (errno == EXDEV) return false;
  cut_name(path, parent, sizeof parent);
  return realpath(parent, place) == NULL || lies_below(place, folder);
}
