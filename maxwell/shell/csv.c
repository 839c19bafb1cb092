/* Tables and their digests; see csv.h. */
#define _GNU_SOURCE /* fopencookie */
#include "maxwell/shell/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/digest.h"
#include "libdg/base/file.h"
#include "libdg/base/memory.h"

static int fail(const char *path, int reason, struct dg_error *err)
{
  return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, reason != 0 ? strerror(reason) : "unknown reason");
}

int mx_csv_failed(const struct mx_csv *table, struct dg_error *err)
{
  const int reason = errno;
  if (table->no_memory) return dg_fail(err, DG_ENVIRONMENT, "out of memory: no room for digests of '%s'", table->path);
  return fail(table->path, reason, err);
}

/* ---- the descriptor */

/* Says whether a descriptor's number is in the upper half. A process has a limited number of them (ulimit -n), and a
 * run may have thousands of tables. A table with such a descriptor gives it back, and opens its file again whenever
 * there is something to write. That costs some microseconds for every few thousand bytes. */
static bool is_crowded(int descriptor)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  return (rlim_t)descriptor >= limit.rlim_cur / 2;
}

/* Opens the file that was opened first, or none: somebody may have put another one in its place. */
static bool take(struct mx_csv *table)
{
  struct stat info;
  if (table->descriptor >= 0) return true;
  table->descriptor = open(table->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (table->descriptor < 0) return false;
  if (fstat(table->descriptor, &info) == 0 && info.st_ino == table->inode && info.st_dev == table->device) return true;
  close(table->descriptor);
  table->descriptor = -1;
  errno = ENOENT;
  return false;
}

static bool leave(struct mx_csv *table)
{
  if (table->descriptor < 0 || !table->shares) return true;
  const int status = close(table->descriptor);
  table->descriptor = -1;
  return status == 0 || errno == EINTR;
}

/* ---- on the way to the system */

static size_t behind(const struct mx_csv *table) { return (size_t)table->length - table->blocks * MX_CSV_BLOCK; }

static long digest_of(const unsigned char *block, size_t bytes)
{
  const uint64_t digest = dg_digest(0, block, bytes);
  long number;
  memcpy(&number, &digest, sizeof number);
  return number;
}

/* Counts and digests the bytes that the system has taken. */
static bool account(struct mx_csv *table, const char *from, size_t bytes)
{
  struct dg_error ignored = {0};
  while (bytes > 0) {
    const size_t at = behind(table), here = bytes < MX_CSV_BLOCK - at ? bytes : MX_CSV_BLOCK - at;
    memcpy(table->block + at, from, here);
    table->length += (long)here;
    from += here;
    bytes -= here;
    if (at + here < MX_CSV_BLOCK) break;
    table->digest[table->blocks] = digest_of(table->block, MX_CSV_BLOCK);
    if (table->blocks + 2 > table->room) {
      if (dg_grow(&table->digest, 2 * table->room, sizeof *table->digest, &ignored) != 0) return false;
      table->room *= 2;
    }
    table->blocks++;
  }
  return true;
}

static bool put(struct mx_csv *table, const char *text, size_t bytes)
{
  while (bytes > 0) {
    const ssize_t written = pwrite(table->descriptor, text, bytes, table->length);
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    if (!account(table, text, (size_t)written)) {
      table->no_memory = true;
      errno = ENOMEM;
      return false;
    }
    text += written;
    bytes -= (size_t)written;
  }
  return true;
}

/* Writes bytes of a stream; 0 says that this failed. */
static ssize_t write_stream(void *cookie, const char *text, size_t bytes)
{
  struct mx_csv *const table = cookie;
  if (!take(table)) return 0;
  const bool whole = put(table, text, bytes);
  const int reason = errno;
  const bool left = leave(table);
  if (!whole) errno = reason;
  return whole && left ? (ssize_t)bytes : 0;
}

/* ---- open and closed */

static int open_file(struct mx_csv *table, bool resume, struct dg_error *err)
{
  struct stat info;
  if (resume && dg_file_open(&table->descriptor, table->path, O_RDWR, err) != 0) return err->code;
  if (!resume) table->descriptor = dg_file_create(table->path);
  if (table->descriptor < 0 || fstat(table->descriptor, &info) != 0) return fail(table->path, errno, err);
  table->inode = info.st_ino;
  table->device = info.st_dev;
  table->shares = is_crowded(table->descriptor);
  return leave(table) ? 0 : fail(table->path, errno, err);
}

int mx_csv_open(struct mx_csv *table, const char *path, const char *header, bool resume, struct dg_error *err)
{
  enum { ROOM = 16 };
  const cookie_io_functions_t stream = {.write = write_stream};
  *table = (struct mx_csv){.descriptor = -1, .room = ROOM};
  if (dg_copy_string(&table->path, path, err) != 0 || DG_NEW(table->digest, ROOM, err) != 0 ||
      DG_NEW(table->block, MX_CSV_BLOCK, err) != 0 || open_file(table, resume, err) != 0)
    return err->code;
  table->file = fopencookie(table, "w", stream);
  if (table->file == NULL) return fail(path, errno, err);
  errno = 0;
  if (!resume && (fprintf(table->file, "%s\n", header) < 0 || fflush(table->file) != 0))
    return mx_csv_failed(table, err);
  return 0;
}

int mx_csv_open_in(struct mx_csv *table, const struct mx_folder *folder, const char *name, const char *header,
                   bool resume, struct dg_error *err)
{
  char *path;
  if (mx_folder_path(&path, folder, name, err) != 0) return err->code;
  (void)!mx_csv_open(table, path, header, resume, err);
  dg_free(path);
  return err->code;
}

static bool is_gone(const struct mx_csv *table)
{
  struct stat info;
  if (table->descriptor >= 0) return fstat(table->descriptor, &info) == 0 && info.st_nlink == 0;
  if (lstat(table->path, &info) != 0) return errno == ENOENT || errno == ENOTDIR;
  return info.st_ino != table->inode || info.st_dev != table->device;
}

static int fail_gone(const struct mx_csv *table, struct dg_error *err)
{
  return dg_fail(err, DG_ENVIRONMENT, "'%s' was removed while the run was writing it", table->path);
}

int mx_csv_flush(struct mx_csv *table, struct dg_error *err)
{
  if (table->file == NULL) return 0;
  errno = 0;
  if (fflush(table->file) != 0)
    return table->shares && is_gone(table) ? fail_gone(table, err) : mx_csv_failed(table, err);
  return is_gone(table) ? fail_gone(table, err) : 0;
}

/* Waits for the disk. A file that cannot sync, a pipe for instance, is not waited for. */
static int wait_for_disk(struct mx_csv *table, struct dg_error *err)
{
  if (!take(table)) return fail(table->path, errno, err);
  int status;
  do status = fdatasync(table->descriptor);
  while (status != 0 && errno == EINTR);
  if (status != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) (void)fail(table->path, errno, err);
  if (!leave(table)) (void)fail(table->path, errno, err);
  return err->code;
}

int mx_csv_close(struct mx_csv *table, struct dg_error *err)
{
  if (table->file == NULL) return 0;
  errno = 0;
  bool failed = ferror(table->file) != 0;
  const bool gone = is_gone(table);
  if (fclose(table->file) != 0) failed = true;
  table->file = NULL;
  int status = failed ? mx_csv_failed(table, err) : gone ? fail_gone(table, err) : wait_for_disk(table, err);
  if (table->descriptor >= 0 && close(table->descriptor) != 0 && errno != EINTR && status == 0)
    status = fail(table->path, errno, err);
  table->descriptor = -1;
  return status;
}

void mx_csv_release(struct mx_csv *table)
{
  struct dg_error ignored = {0};
  if (table->path == NULL) return;
  if (mx_csv_close(table, &ignored) != 0) ignored.code = DG_OK; /* an earlier error is being reported */
  if (table->descriptor >= 0) close(table->descriptor);
  dg_free(table->path);
  dg_free(table->digest);
  dg_free(table->block);
  *table = (struct mx_csv){0};
}

/* ---- to a checkpoint and back */

/* Reads up to `bytes` at `at`, fewer at the end of the file only. */
static int read_block(const struct mx_csv *table, long at, size_t bytes, struct dg_error *err)
{
  size_t got = 0;
  while (got < bytes) {
    const ssize_t more = pread(table->descriptor, table->block + got, bytes - got, at + (long)got);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0)
      return dg_fail(err, DG_ENVIRONMENT, "cannot read '%s': %s", table->path,
                     more < 0 ? strerror(errno) : "it became shorter");
    got += (size_t)more;
  }
  return 0;
}

/* `before`: ends of lines in front of the block. The first line is the header, row 0. */
static int fail_changed(const struct mx_csv *table, long at, size_t bytes, long before, struct dg_error *err)
{
  long last = before;
  for (size_t i = 0; i + 1 < bytes; i++) last += table->block[i] == '\n';
  char rows[80];
  if (last == 0) snprintf(rows, sizeof rows, "its header");
  else if (before == 0) snprintf(rows, sizeof rows, "its header or rows 1 to %ld", last);
  else if (before == last) snprintf(rows, sizeof rows, "row %ld", last);
  else snprintf(rows, sizeof rows, "rows %ld to %ld", before, last);
  return dg_fail(
      err, DG_ENVIRONMENT,
      "'%s' is not what the run wrote: %s (bytes %ld to %ld) changed since; put the table back, or begin anew "
      "without --restart",
      table->path, rows, at, at + (long)bytes - 1);
}

/* Compares the bytes up to the length with their digests. Bytes behind the last whole block stay in table->block. */
static int compare(struct mx_csv *table, struct dg_error *err)
{
  long lines = 0;
  for (long at = 0; at < table->length; at += MX_CSV_BLOCK) {
    const long left = table->length - at;
    const size_t bytes = left < MX_CSV_BLOCK ? (size_t)left : MX_CSV_BLOCK;
    if (read_block(table, at, bytes, err) != 0) return err->code;
    if (digest_of(table->block, bytes) != table->digest[at / MX_CSV_BLOCK])
      return fail_changed(table, at, bytes, lines, err);
    for (size_t i = 0; i < bytes; i++) lines += table->block[i] == '\n';
  }
  return 0;
}

/* Takes the length that a checkpoint gives, if the file has it. */
static int take_length(struct mx_csv *table, long length, struct dg_error *err)
{
  struct stat info;
  if (!take(table) || fstat(table->descriptor, &info) != 0 || !leave(table)) return fail(table->path, errno, err);
  if (info.st_size < length || length < 0)
    return dg_fail(err, DG_ENVIRONMENT, "'%s' has %lld bytes, and had %ld when the checkpoint was written", table->path,
                   (long long)info.st_size, length);
  table->length = length;
  table->blocks = (size_t)length / MX_CSV_BLOCK;
  table->room = table->blocks + 2;
  return dg_grow(&table->digest, table->room, sizeof *table->digest, err);
}

/* Cuts the file behind the length. */
static int go_on(struct mx_csv *table, struct dg_error *err)
{
  if (!take(table)) return fail(table->path, errno, err);
  if (compare(table, err) == 0 && ftruncate(table->descriptor, table->length) != 0) (void)fail(table->path, errno, err);
  if (!leave(table)) (void)fail(table->path, errno, err);
  return err->code;
}

int mx_csv_archive(struct mx_csv *table, const char *name, struct mx_archive *archive, struct dg_error *err)
{
  char bytes[80], digests[80];
  snprintf(bytes, sizeof bytes, "%s/bytes", name);
  snprintf(digests, sizeof digests, "%s/digests", name);
  if (table->file == NULL || mx_csv_flush(table, err) != 0) return err->code;
  struct mx_archive own = *archive;
  own.comm = NULL;
  const bool loads = archive->does == MX_ARCHIVE_LOADS;
  if (archive->does == MX_ARCHIVE_SAVES && wait_for_disk(table, err) != 0) return err->code;
  long length = table->length;
  if (mx_archive_longs(&own, bytes, 1, &length, err) != 0 || (loads && take_length(table, length, err) != 0))
    return err->code;
  const size_t count = table->blocks + (behind(table) > 0);
  if (!loads && behind(table) > 0) table->digest[table->blocks] = digest_of(table->block, behind(table));
  if (mx_archive_longs(&own, digests, count, table->digest, err) != 0) return err->code;
  archive->arrays = own.arrays;
  archive->bytes = own.bytes;
  return loads ? go_on(table, err) : 0;
}
