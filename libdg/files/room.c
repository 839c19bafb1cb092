/* Reserving blocks of the disk before a library writes a file: fallocate where the file system has it, else a look at
 * what is free. The writers of Silo files and of files of arrays call it before they create a file. */
#define _GNU_SOURCE /* fallocate: posix_fallocate would change the size of the file */

#include "libdg/files/room.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "libdg/base/file.h"

enum { HELD_BYTES = 65536 }; /* HDF5 writes less than 4 kB when a file is closed that holds nothing */

static int fail_room(const char *path, int reason, struct dg_error *err)
{
  return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(reason));
}

/* True for the ways in which a file system says that it cannot reserve blocks. */
static int not_supported(int reason) { return reason == EINVAL || reason == EOPNOTSUPP || reason == ENOSYS; }

int dg_room_find(struct dg_room *room, const char *name, const char *path, size_t there, size_t bytes,
                 struct dg_error *err)
{
  room->held = dg_file_create(name);
  if (room->held < 0) return fail_room(path, errno, err);
  unlink(name);
  const double needed = (double)bytes + 2.0 * HELD_BYTES;
  struct rlimit limit;
  const double size = (double)there + needed;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && (double)limit.rlim_cur < size) {
    dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s (needs up to %.1f MB, the limit is %.1f MB)", path,
            strerror(EFBIG), size / 1e6, (double)limit.rlim_cur / 1e6);
    goto fail;
  }
  struct statvfs disk;
  if (fstatvfs(room->held, &disk) == 0 && disk.f_blocks > 0 && (double)disk.f_bavail * (double)disk.f_frsize < needed) {
    dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s (needs up to %.1f MB, %.1f MB are free)", path,
            strerror(ENOSPC), needed / 1e6, (double)disk.f_bavail * (double)disk.f_frsize / 1e6);
    goto fail;
  }
  /* Twice as much is taken and half given back at once: creating a file must not fail either. */
  int reason = posix_fallocate(room->held, 0, 2 * (off_t)HELD_BYTES);
  if (reason == 0 && ftruncate(room->held, HELD_BYTES) != 0) reason = errno;
  if (reason == 0 || not_supported(reason)) return 0;
  fail_room(path, reason, err);
fail:
  dg_room_give_back(room);
  return err->code;
}

int dg_room_take(const char *name, const char *path, size_t bytes, struct dg_error *err)
{
  const int file = open(name, O_RDWR);
  if (file < 0) return fail_room(path, errno, err);
  const int reason = fallocate(file, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes) == 0 ? 0 : errno;
  close(file);
  return reason == 0 || not_supported(reason) ? 0 : fail_room(path, reason, err);
}

void dg_room_give_back(struct dg_room *room)
{
  if (room->held >= 0) close(room->held);
  room->held = -1;
}

void dg_room_trim(const char *name)
{
  struct stat status;
  /* Cutting a file to the size that it has frees what is reserved behind its end; if not, nothing is lost. */
  if (stat(name, &status) == 0 && truncate(name, status.st_size) != 0) return;
}
