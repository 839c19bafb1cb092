/* Opening files in a folder that others can write to as well: nothing that they put there leads out of it, or waits.
 *
 * A link at the last place of a path is never followed, and what is no regular file (a FIFO, whose opening waits for a
 * reader for ever, a device, a folder) is an error. Descriptors are closed in programs that are started. The folders on
 * the way are the caller's business.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "libdg/base/error.h"

/* The kind of thing at a path: nothing, a regular file, or something that is none of ours. */
enum dg_file_kind { DG_FILE_NONE, DG_FILE_REGULAR, DG_FILE_OTHER };
enum dg_file_kind dg_file_kind(const char *path);
/* "a symbolic link", "a FIFO", ...: the word for a path that is DG_FILE_OTHER. */
const char *dg_file_word(const char *path);

/* Opens the regular file at the path; *file is its descriptor, `flags` are O_RDONLY and the like. DG_ENVIRONMENT with
 * the system's reason or the word, in a message that begins with "cannot read" or "cannot write". */
int dg_file_open(int *file, const char *path, int flags, struct dg_error *err) DG_MUST_USE;
/* Makes a new, empty file to write and read. A regular file of that name, which must be the caller's, is removed first.
 * If somebody has that file open, the new one is not shared with them. Returns -1 with errno on failure. */
int dg_file_create(const char *path);
/* Writes a file whole or not at all: `write` fills a stream with what `what` says, and need not look whether that
 * fails. Until the end the name of the file is PATH.part. The disk has the content before it has the name, and both on
 * return. Errors are DG_ENVIRONMENT about PATH, and then PATH.part is gone. Something that is no regular file and has
 * that name stays; then the message is about it. */
int dg_file_write(const char *path, void (*write)(FILE *file, const void *what), const void *what,
                  struct dg_error *err) DG_MUST_USE;
/* Writes all bytes into an open file from byte `place` on: 0 or the system's reason. */
int dg_file_write_at(int file, const void *from, size_t bytes, size_t place) DG_MUST_USE;
/* Waits until the names in the folder of `path` are on the disk, where the file system can do that. False: the folder
 * is not there any more. */
bool dg_file_sync_folder(const char *path);
