/* Room on the disk for a file that a library is about to write. Some libraries do not survive a full disk: HDF5 1.10
 * corrupts its memory after a write of metadata that failed, and crashes at the latest when the process ends. The room
 * is therefore found, and where the file system can do it, taken, before the library writes anything. */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"

struct dg_room {
  int held; /* descriptor of a small file without a name, whose space is given back so that the library can close */
};

/* Finds room, before a file of `there` bytes (0: not yet created) grows by `bytes`. Fails when `name`, which lies
 * beside the file or is the file to be created, cannot be created, when the file would be larger than the limit on the
 * size of files, or when `bytes` are more than what is free. A file `name` that is there already is lost. `path` is the
 * name for messages. */
int dg_room_find(struct dg_room *room, const char *name, const char *path, size_t there, size_t bytes,
                 struct dg_error *err) DG_MUST_USE;
/* Takes the blocks, all `bytes` that the file may have in the end, without changing the size. Call it after the library
 * has opened the file and before it writes to it. Does nothing where the file system cannot do that. */
int dg_room_take(const char *name, const char *path, size_t bytes, struct dg_error *err) DG_MUST_USE;
/* Gives back the room that the library needs to close the file. Call it before that. May be called twice. */
void dg_room_give_back(struct dg_room *room);
/* Returns the blocks that the file did not use, after it was closed. */
void dg_room_trim(const char *name);
