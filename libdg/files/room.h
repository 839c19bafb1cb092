/* Room on the disk for a file that a library is about to write, when the library does not survive a full disk: HDF5
 * 1.10 corrupts its memory after a write of metadata that failed, and crashes at the latest when the process ends. So
 * the room is found, and where the file system can, taken, before the library writes anything. */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"

struct dg_room {
  int held; /* descriptor of a small file without a name, whose space is given back so that the library can close */
};

/* Before a file of `there` bytes, 0 before it is created, grows by `bytes`: fails when `name`, which lies beside it or
 * is the file to be created, cannot be created, when the file would be larger than the limit on the size of files, or
 * when `bytes` are more than what is free. A file `name` that is there already is lost. `path` is the name for
 * messages. */
int dg_room_find(struct dg_room *room, const char *name, const char *path, size_t there, size_t bytes,
                 struct dg_error *err) DG_MUST_USE;
/* After the library has opened the file and before it writes to it: takes the blocks, all `bytes` that the file may
 * have in the end, without changing the size.
 * Does nothing where the file system cannot do that. */
int dg_room_take(const char *name, const char *path, size_t bytes, struct dg_error *err) DG_MUST_USE;
/* Before the library closes the file. May be called twice. */
void dg_room_give_back(struct dg_room *room);
/* After the file was closed: returns the blocks that it did not use. */
void dg_room_trim(const char *name);
