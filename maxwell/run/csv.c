#include "maxwell/run/csv.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int mx_csv_failed(const char *path, struct dg_error *err)
{
  int reason = errno;
  return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, reason != 0 ? strerror(reason) : "unknown reason");
}

int mx_csv_open(FILE **file, const char *path, const char *header, bool resume, struct dg_error *err)
{
  errno = 0;
  *file = fopen(path, resume ? "r+" : "w");
  if (*file == NULL) return mx_csv_failed(path, err);
  if (resume) return 0;
  if (fprintf(*file, "%s\n", header) < 0 || fflush(*file) != 0) return mx_csv_failed(path, err);
  return 0;
}

static bool is_gone(FILE *file)
{
  struct stat info;
  return fstat(fileno(file), &info) == 0 && info.st_nlink == 0;
}

static int fail_gone(const char *path, struct dg_error *err)
{
  return dg_fail(err, DG_ENVIRONMENT, "'%s' was removed while the run was writing it", path);
}

int mx_csv_flush(FILE *file, const char *path, struct dg_error *err)
{
  if (file == NULL) return 0;
  errno = 0;
  if (fflush(file) != 0) return mx_csv_failed(path, err);
  return is_gone(file) ? fail_gone(path, err) : 0;
}

int mx_csv_close(FILE **file, const char *path, struct dg_error *err)
{
  if (*file == NULL) return 0;
  errno = 0;
  int failed = ferror(*file);
  const bool gone = is_gone(*file);
  if (fclose(*file) != 0) failed = 1;
  *file = NULL;
  if (failed) return mx_csv_failed(path, err);
  return gone ? fail_gone(path, err) : 0;
}
