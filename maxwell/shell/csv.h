/* Tables as text: opening, closing, what to say when the disk does not take them, and whether what a restart finds is
 * what was written.
 *
 * What is printed to `file` goes through digests of every MX_CSV_BLOCK bytes on its way to the system. A checkpoint has
 * them and the length; a restart compares the bytes up to there, so that a row that somebody has changed is not
 * continued.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "libdg/base/error.h"
#include "maxwell/shell/archive.h"

enum { MX_CSV_BLOCK = 4096 };

/* {0}: closed. It stays where it is while it is open. */
struct mx_csv {
  FILE *file; /* to print to */
  char *path;
  int descriptor; /* -1: closed, or `shares` and nothing is being written */
  bool shares;    /* descriptors are few: it has one only while it writes */
  ino_t inode;    /* of the file that was opened first */
  dev_t device;
  bool no_memory;
  long length;          /* bytes that the system has taken */
  size_t blocks, room;  /* digests of whole blocks, and how many there is room for */
  long *digest;         /* [room], one more than blocks */
  unsigned char *block; /* [MX_CSV_BLOCK] what is behind them */
};

/* Creates the file, which the folder's ledger has, with its first line; or, to `resume`, opens the one that is there:
 * mx_csv_archive then says where to go on. Release in any case. */
int mx_csv_open(struct mx_csv *table, const char *path, const char *header, bool resume,
                struct dg_error *err) DG_MUST_USE;
/* DG_ENVIRONMENT with the path and the reason in errno, which was set to 0 before the print that failed. */
int mx_csv_failed(const struct mx_csv *table, struct dg_error *err);
/* Hands what was written so far to the system; nothing for a closed table. Also an error when somebody has removed the
 * file: the system would go on to take what nobody will see. */
int mx_csv_flush(struct mx_csv *table, struct dg_error *err) DG_MUST_USE;
/* Saving waits until the disk has the rows. Loading cuts the file to the length that it had and goes on behind it;
 * DG_ENVIRONMENT when it is shorter, or has other bytes. Not collective; nothing for a closed table. */
int mx_csv_archive(struct mx_csv *table, const char *name, struct mx_archive *archive,
                   struct dg_error *err) DG_MUST_USE;
/* Closes the file once the disk has it; a write that failed earlier, or a file that was removed, is an error here at
 * the latest. */
int mx_csv_close(struct mx_csv *table, struct dg_error *err) DG_MUST_USE;
/* Closes it whatever happens. */
void mx_csv_release(struct mx_csv *table);
