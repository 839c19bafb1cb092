/* Opening without following links or waiting, and writing whole files; see file.h. */
#include "libdg/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/memory.h"

enum dg_file_kind dg_file_kind(const char *path)
{
  struct stat info;
  if (lstat(path, &info) != 0) return DG_FILE_NONE;
  return S_ISREG(info.st_mode) ? DG_FILE_REGULAR : DG_FILE_OTHER;
}

static const char *word_of(mode_t mode)
{
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISDIR(mode)) return "a folder";
  return S_ISREG(mode) ? "a file" : "no regular file";
}

const char *dg_file_word(const char *path)
{
  struct stat info;
  return lstat(path, &info) == 0 ? word_of(info.st_mode) : "gone";
}

int dg_file_open(int *file, const char *path, int flags, struct dg_error *err)
{
  const char *verb = (flags & O_ACCMODE) == O_RDONLY ? "read" : "write";
  struct stat info;
  *file = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const int reason = errno;
  if (*file < 0 && dg_file_kind(path) == DG_FILE_OTHER)
    return dg_fail(err, DG_ENVIRONMENT, "cannot %s '%s': it is %s", verb, path, dg_file_word(path));
  if (*file < 0) return dg_fail(err, DG_ENVIRONMENT, "cannot %s '%s': %s", verb, path, strerror(reason));
  if (fstat(*file, &info) == 0 && S_ISREG(info.st_mode)) return 0;
  close(*file);
  *file = -1;
  return dg_fail(err, DG_ENVIRONMENT, "cannot %s '%s': it is %s", verb, path, word_of(info.st_mode));
}

int dg_file_create(const char *path)
{
  if (dg_file_kind(path) == DG_FILE_REGULAR && unlink(path) != 0 && errno != ENOENT) return -1;
  return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/* Makes the stream to PART, which finish renames to PATH. */
static int start(FILE **file, const char *part, const char *path, struct dg_error *err)
{
  const int descriptor = dg_file_create(part);
  *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
  if (*file != NULL) return 0;
  const int reason = errno;
  if (reason == EEXIST) (void)dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': it is %s", part, dg_file_word(part));
  else (void)dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(reason));
  if (descriptor >= 0) close(descriptor);
  return err->code;
}

/* Ends it; writing has `failed` with the reason in errno. */
static int finish(FILE *file, bool failed, const char *part, const char *path, struct dg_error *err)
{
  int reason = failed ? errno : 0;
  if (!failed) {
    errno = 0;
    failed = fflush(file) != 0;
    /* a file that cannot be waited for is not waited for */
    failed = failed || (fsync(fileno(file)) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP);
    reason = errno;
  }
  if (fclose(file) != 0 && !failed) failed = true, reason = errno;
  if (!failed && rename(part, path) != 0) failed = true, reason = errno;
  if (!failed && !dg_file_sync_folder(path)) failed = true, reason = ENOENT;
  if (!failed) return 0;
  (void)unlink(part);
  return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, reason != 0 ? strerror(reason) : "unknown reason");
}

int dg_file_write(const char *path, void (*write)(FILE *file, const void *what), const void *what, struct dg_error *err)
{
  const size_t size = strlen(path) + sizeof ".part";
  char *part;
  FILE *file;
  if (dg_alloc(&part, size, 1, err) != 0) return err->code;
  snprintf(part, size, "%s.part", path);
  if (start(&file, part, path, err) == 0) {
    errno = 0;
    write(file, what);
    (void)!finish(file, ferror(file) != 0, part, path, err);
  }
  dg_free(part);
  return err->code;
}

int dg_file_write_at(int file, const void *from, size_t bytes, size_t place)
{
  const char *next = from;
  while (bytes > 0) {
    const ssize_t done = pwrite(file, next, bytes, (off_t)place);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : EIO;
    next += done;
    place += (size_t)done;
    bytes -= (size_t)done;
  }
  return 0;
}

bool dg_file_sync_folder(const char *path)
{
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  const int length = slash == NULL || slash == path ? 1 : (int)(slash - path);
  if (snprintf(folder, sizeof folder, "%.*s", length, slash == NULL ? "." : path) >= (int)sizeof folder) return true;
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno != ENOENT;
  (void)fsync(descriptor); /* not every file system has this for folders */
  close(descriptor);
  return true;
}
