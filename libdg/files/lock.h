/* A lock on a file that the processes of one program share. The lock is gone when they are, however they ended.
 *
 * The kernel keeps the lock (an open file description's record lock, F_OFD_SETLK), so that nothing is left behind by a
 * process that was killed; over NFS the server keeps it. Process 0 takes all of the file, which nobody gets while
 * anybody has a byte of it, and then keeps its first byte; process r takes byte r. A successor thus also waits for
 * those that outlive process 0 by a moment. The content of the file names the holder; it is for messages only.
 *
 * The lock belongs to the open file. A program that is started does not have it (O_CLOEXEC); a child by fork shares it
 * until it ends, execs, or has closed the file (dg_lock_forget). */
#pragma once

#include <stdbool.h>

#include "libdg/base/error.h"

struct dg_lock {
  int held; /* a descriptor and 1; 0: no lock */
};

enum { DG_LOCK_HOLDER = 256 }; /* bytes of a holder's name */

enum dg_lock_state {
  DG_LOCK_TAKEN,
  DG_LOCK_BUSY,   /* somebody has it; `holder` is who */
  DG_LOCK_MISSING /* the file system has no locks: it goes on without, and somebody should say so */
};

/* Takes the lock; for process 0. Creates the file if `create`; else a file that is not there, or that nobody may write
 * to, is DG_LOCK_TAKEN with nothing held. `holder` gets "HOST, process N, since DATE" of the holder, and is empty if
 * that is not known. Does not wait. DG_ENVIRONMENT: the file cannot be opened. */
int dg_lock_take(struct dg_lock *lock, const char *path, bool create, enum dg_lock_state *state,
                 char holder[DG_LOCK_HOLDER], struct dg_error *err) DG_MUST_USE;
/* Joins the lock; for process `rank` > 0, once process 0 has it. A file system without locks is no error. */
int dg_lock_join(struct dg_lock *lock, const char *path, int rank, struct dg_error *err) DG_MUST_USE;
/* Gives the lock back, process 0 with its signature; safe without a lock. */
void dg_lock_release(struct dg_lock *lock, bool sign_off);
/* Closes the lock's file in a child by fork; the lock stays the parent's. */
void dg_lock_forget(struct dg_lock *lock);
