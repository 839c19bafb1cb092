#include "maxwell/run/csv.h"

#include <errno.h>
#include <string.h>

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

int mx_csv_close(FILE **file, const char *path, struct dg_error *err)
{
  if (*file == NULL) return 0;
  errno = 0;
  int failed = ferror(*file);
  if (fclose(*file) != 0) failed = 1;
  *file = NULL;
  return failed ? mx_csv_failed(path, err) : 0;
}
