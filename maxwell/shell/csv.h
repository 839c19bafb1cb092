/* Tables as text: opening and closing them, the error when the disk does not take them, and a restart's check that a
 * table is as it was written.
 *
 * Text printed to `file` goes through digests of every MX_CSV_BLOCK bytes on its way to the system. A checkpoint has
 * the digests and the length. A restart compares the bytes up to that length, so that a row that somebody has changed
 * is not continued. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "libdg/base/error.h"
#include "maxwell/shell/archive.h"
#include "maxwell/shell/folder.h"

enum { MX_CSV_BLOCK = 4096 };

/* {0} is a closed table. An open table must stay where it is. */
struct mx_csv {
  FILE *file; /* the stream to print to */
  char *path;
  int descriptor; /* -1: closed, or `shares` and nothing is being written */
  bool shares;    /* descriptors are few: the table has one only while it writes */
  ino_t inode;    /* of the file that was opened first */
  dev_t device;
  bool no_memory;
  long length;          /* bytes that the system has taken */
  size_t blocks, room;  /* digests of whole blocks, and the room for them */
  long *digest;         /* [room] one more than blocks */
  unsigned char *block; /* [MX_CSV_BLOCK] bytes behind the whole blocks */
};

/* Creates the file, which the folder's ledger has, with its first line. With `resume` it opens the one that is there,
 * and mx_csv_archive then finds where to go on. Release in any case. */
int mx_csv_open(struct mx_csv *table, const char *path, const char *header, bool resume,
                struct dg_error *err) DG_MUST_USE;
/* The same for a table of the output folder, "probes/NAME.csv". */
int mx_csv_open_in(struct mx_csv *table, const struct mx_folder *folder, const char *name, const char *header,
                   bool resume, struct dg_error *err) DG_MUST_USE;
/* Fails with DG_ENVIRONMENT, the path and the reason in errno, which was set to 0 before the print that failed. */
int mx_csv_failed(const struct mx_csv *table, struct dg_error *err);
/* Hands the text so far to the system; does nothing for a closed table. A file that somebody has removed is an error,
 * too: the system would go on to take what nobody will see. */
int mx_csv_flush(struct mx_csv *table, struct dg_error *err) DG_MUST_USE;
/* Saves or loads a table. Saving waits until the disk has the rows. Loading cuts the file to the length that it had and
 * goes on behind it. DG_ENVIRONMENT when the file is shorter, or has other bytes. Not collective; does nothing for a
 * closed table. */
int mx_csv_archive(struct mx_csv *table, const char *name, struct mx_archive *archive,
                   struct dg_error *err) DG_MUST_USE;
/* Closes the file once the disk has it. A write that failed earlier, or a file that was removed, is an error here at
 * the latest. */
int mx_csv_close(struct mx_csv *table, struct dg_error *err) DG_MUST_USE;
/* Closes the table whatever happens. */
void mx_csv_release(struct mx_csv *table);
