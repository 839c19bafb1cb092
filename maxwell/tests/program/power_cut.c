/* Loaded before the C library, it keeps a journal of what a disk would have if the power failed: POWER_FOLDER is the
 * absolute path of a folder, POWER_JOURNAL that of another one. Whenever names in the first change, or something in it
 * is synced, the journal gets an event (a line of text in "events", and files):
 *
 *   N new INODE                the file is new or empty
 *   N data INODE               it was synced: N.data is what it has
 *   N folder                   the folder was synced: N.names are its names, "INODE KIND PATH"
 *   N names                    names have changed: N.names are those of all folders
 *
 * power_contract.py makes the disk of any event from that. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "maxwell/tests/program/preload.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int number;

/* The path in the folder, "" for the folder itself; NULL: it is elsewhere. */
static const char *inside(const char *path)
{
  static __thread char whole[PATH_MAX];
  const char *folder = getenv("POWER_FOLDER");
  if (folder == NULL) return NULL;
  const size_t length = strlen(folder);
  if (path[0] != '/') {
    char here[PATH_MAX / 2];
    if (getcwd(here, sizeof here) == NULL) return NULL;
    snprintf(whole, sizeof whole, "%s/%.2000s", here, path);
    path = whole;
  }
  if (strncmp(path, folder, length) != 0 || (path[length] != '/' && path[length] != '\0')) return NULL;
  return path[length] == '/' ? path + length + 1 : path + length;
}

static FILE *journal(const char *name, const char *mode)
{
  NEXT(open, next);
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", getenv("POWER_JOURNAL"), name);
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (mode[0] == 'a' ? O_APPEND : O_TRUNC);
  const int file = next(path, flags, 0666);
  FILE *stream = file >= 0 ? fdopen(file, mode) : NULL;
  if (stream == NULL) abort();
  return stream;
}

static void event(const char *what, unsigned long long inode)
{
  FILE *file = journal("events", "a");
  if (inode != 0) fprintf(file, "%d %s %llu\n", number, what, inode);
  else fprintf(file, "%d %s\n", number, what);
  fclose(file);
}

static FILE *names(void)
{
  char name[40];
  snprintf(name, sizeof name, "%d.names", number);
  return journal(name, "w");
}

/* Of a folder, and if `deep` of those in it. */
static void list(FILE *to, const char *part, bool deep)
{
  char path[PATH_MAX], name[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", getenv("POWER_FOLDER"), part);
  DIR *dir = opendir(path);
  if (dir == NULL) return;
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    struct stat info;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    snprintf(name, sizeof name, "%.1000s%s%.200s", part, part[0] != '\0' ? "/" : "", entry->d_name);
    fprintf(to, "%llu %c %s\n", (unsigned long long)info.st_ino, S_ISDIR(info.st_mode) ? 'd' : 'f', name);
    if (deep && S_ISDIR(info.st_mode)) list(to, name, true);
  }
  closedir(dir);
}

static void note_names(void)
{
  const int reason = errno;
  pthread_mutex_lock(&lock);
  number++;
  FILE *file = names();
  list(file, "", true);
  fclose(file);
  event("names", 0);
  pthread_mutex_unlock(&lock);
  errno = reason;
}

static void note_new(int descriptor)
{
  const int reason = errno;
  struct stat info;
  if (descriptor < 0 || fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) return;
  pthread_mutex_lock(&lock);
  number++;
  event("new", (unsigned long long)info.st_ino);
  pthread_mutex_unlock(&lock);
  errno = reason;
  note_names();
}

static void copy_content(int descriptor)
{
  char name[40], piece[65536];
  snprintf(name, sizeof name, "%d.data", number);
  FILE *to = journal(name, "w");
  off_t at = 0;
  /* a descriptor to write to cannot be read */
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", descriptor);
  NEXT(open, next);
  const int from = next(self, O_RDONLY | O_CLOEXEC);
  for (ssize_t got; from >= 0 && (got = pread(from, piece, sizeof piece, at)) > 0; at += got)
    fwrite(piece, 1, (size_t)got, to);
  if (from >= 0) close(from);
  fclose(to);
}

static void note_sync(int descriptor)
{
  const int reason = errno;
  char self[64], path[PATH_MAX];
  struct stat info;
  snprintf(self, sizeof self, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(self, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  const char *part = length > 0 ? inside(path) : NULL;
  if (part == NULL || fstat(descriptor, &info) != 0) return;
  pthread_mutex_lock(&lock);
  number++;
  if (S_ISREG(info.st_mode)) {
    copy_content(descriptor);
    event("data", (unsigned long long)info.st_ino);
  } else {
    char what[PATH_MAX];
    FILE *file = names();
    list(file, part, false);
    fclose(file);
    snprintf(what, sizeof what, "folder %.1000s", part);
    event(what, 0);
  }
  pthread_mutex_unlock(&lock);
  errno = reason;
}

int fsync(int descriptor)
{
  NEXT(fsync, next);
  const int status = next(descriptor);
  if (status == 0) note_sync(descriptor);
  return status;
}

int fdatasync(int descriptor)
{
  NEXT(fdatasync, next);
  const int status = next(descriptor);
  if (status == 0) note_sync(descriptor);
  return status;
}

int rename(const char *from, const char *to)
{
  NEXT(rename, next);
  const int status = next(from, to);
  if (status == 0 && inside(to) != NULL) note_names();
  return status;
}

int unlink(const char *path)
{
  NEXT(unlink, next);
  const int status = next(path);
  if (status == 0 && inside(path) != NULL) note_names();
  return status;
}

int unlinkat(int folder, const char *path, int flags)
{
  NEXT(unlinkat, next);
  const int status = next(folder, path, flags);
  if (status == 0) note_names();
  return status;
}

int mkdir(const char *path, mode_t mode)
{
  NEXT(mkdir, next);
  const int status = next(path, mode);
  if (status == 0 && inside(path) != NULL) note_names();
  return status;
}

static int note_open(const char *path, int flags, mode_t mode, int (*next)(const char *, int, ...))
{
  struct stat info;
  const bool empty = (flags & O_TRUNC) || ((flags & O_CREAT) && lstat(path, &info) != 0);
  const int descriptor = next(path, flags, mode);
  if (descriptor >= 0 && empty && inside(path) != NULL) note_new(descriptor);
  return descriptor;
}

OPENING(open, return note_open(path, flags, mode, next);)
OPENING(open64, return note_open(path, flags, mode, next);)
