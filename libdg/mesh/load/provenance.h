/* The provenance of a mesh: every file that was opened for it, the file that was looked for and not there, and the
 * programs that made it. A mesh that is kept is used again only where all of them are as they were. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "libdg/base/error.h"

enum dg_source_kind { DG_SOURCE_CONTENT, DG_SOURCE_ABSENT, DG_SOURCE_PROGRAM, DG_SOURCE_KINDS };

struct dg_source {
  enum dg_source_kind kind;
  char *path;      /* absolute */
  uint64_t size;   /* bytes; 0 of an absent one */
  int64_t changed; /* nanoseconds of the last change; of programs */
  uint64_t digest; /* of the content, of files that were read */
};

/* Looks at the file that is under the path now; fills all but the path. A source of kind CONTENT that cannot be read,
 * or is no regular file, becomes ABSENT. Reads all of the file. */
void dg_source_look(struct dg_source *source, enum dg_source_kind kind, const char *path);
/* Is the source as it was? */
int dg_source_same(const struct dg_source *was);
/* Makes a path that does not depend on the working folder; free with dg_free. */
int dg_source_absolute(char **absolute, const char *path, struct dg_error *err) DG_MUST_USE;
