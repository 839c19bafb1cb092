/* Files that a mesh was made of: looked at when it is made, and once more before it is used again. */
#define _POSIX_C_SOURCE 200809L
#include "libdg/mesh/load/provenance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/digest.h"
#include "libdg/base/memory.h"

/* Digests a file by pieces, so that the digest depends on the content alone; 0: all of it was read. */
static int digest_file(int file, uint64_t *digest)
{
  enum { PIECE = 1 << 16 };
  unsigned char piece[PIECE];
  *digest = 0;
  for (;;) {
    size_t used = 0;
    ssize_t got = 1;
    while (used < PIECE && got != 0) {
      got = read(file, piece + used, PIECE - used);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return -1;
      used += (size_t)got;
    }
    *digest = dg_digest(*digest, piece, used);
    if (used < PIECE) return 0;
  }
}

void dg_source_look(struct dg_source *source, enum dg_source_kind kind, const char *path)
{
  struct stat status;
  source->kind = DG_SOURCE_ABSENT;
  source->size = source->digest = 0;
  source->changed = 0;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      (kind == DG_SOURCE_PROGRAM || digest_file(file, &source->digest) == 0)) {
    source->kind = kind == DG_SOURCE_PROGRAM ? kind : DG_SOURCE_CONTENT;
    source->size = (uint64_t)status.st_size;
    if (kind == DG_SOURCE_PROGRAM)
      source->changed = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
  }
  (void)close(file);
}

int dg_source_same(const struct dg_source *was)
{
  struct dg_source now;
  dg_source_look(&now, was->kind == DG_SOURCE_ABSENT ? DG_SOURCE_CONTENT : was->kind, was->path);
  return now.kind == was->kind && now.size == was->size && now.changed == was->changed && now.digest == was->digest;
}

int dg_source_absolute(char **absolute, const char *path, struct dg_error *err)
{
  char folder[4096];
  *absolute = NULL;
  if (path[0] == '/') return dg_copy_string(absolute, path, err);
  if (getcwd(folder, sizeof folder) == NULL)
    return dg_fail(err, DG_ENVIRONMENT, "cannot find the working folder: %s", strerror(errno));
  size_t size = strlen(folder) + strlen(path) + 2;
  if (dg_alloc(absolute, size, 1, err) != 0) return err->code;
  snprintf(*absolute, size, "%s/%s", folder, path);
  return 0;
}
