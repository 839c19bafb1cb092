/* A process that reads what somebody else wrote gives up, for good, what it does not need for that.
 *
 * Gmsh's scripts can start programs (SystemCall), write and remove files (Save, Printf to a file, CreateDir,
 * General.TmpFileName), and read any file (Merge, Include); a file's name and first line decide whether it is a script.
 * To forbid this by looking at the text cannot work. So the process that runs Gmsh asks the kernel to take it away:
 *   Landlock  no file may be read but those below the given places; none written, made, removed, renamed or linked;
 *             no TCP, no signals to other processes, where the kernel's version of it has that.
 *   seccomp   no other programs or processes, no sockets, no mounts, no tracing, no opening for writing, nothing that
 *             changes files or their names, no signals to others, no other architecture's system calls.
 * Either holds alone; seccomp applies the rule of places, too, by looking at each name that is opened. Threads work.
 *
 * Sidecars are not read: Gmsh would take options from a file NAME.opt that lies beside NAME, Open CASCADE from XSTEP.us
 * and others of the current folder. They are told that there is none. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

enum { DG_SANDBOX_PLACES_MAX = 16 };

struct dg_sandbox {
  size_t places;                            /* at most DG_SANDBOX_PLACES_MAX */
  const char *place[DG_SANDBOX_PLACES_MAX]; /* files, and folders with all below them, that may be read; those that are
                                               not there are left out */
  size_t libraries; /* the last so many of the places are folders of which only libraries (NAME.so...) are read, which
                       others load when they need them. Landlock alone does not look at names */
  /* `denied` is called when something else was tried and dg_sandbox_arm has been called, before the process ends with
   * code 2. `what` is "to write the file 'x'", to be put behind "it tried". The call comes from a signal handler: only
   * what POSIX allows there may be done. NULL: a line on stderr. */
  void (*denied)(const char *what);
};

/* The walls that the kernel has. */
struct dg_sandbox_walls {
  bool landlock, seccomp;
};

/* Enters the sandbox, for the calling process, once; nothing undoes it. Threads that are there already are held by
 * seccomp only. Starting a program ends the process with SIGSYS, without a call of `denied`: the C library lets no
 * handler run there. A wall that the kernel does not have is missing in *walls and no error; without either the process
 * is as it was. DG_ENVIRONMENT: the kernel has a wall and yet does not put it up. Takes memory; open descriptors stay
 * open and may be written to. */
int dg_sandbox_enter(const struct dg_sandbox *sandbox, struct dg_sandbox_walls *walls,
                     struct dg_error *err) DG_MUST_USE;
/* Arms the sandbox. When libraries start they try things that they can do without, such as to write preferences: before
 * this call such an attempt fails and nothing is said. From here on the attempts are those of somebody else's text, and
 * the process ends. */
void dg_sandbox_arm(void);
/* The last file that was refused to be read since then, and the last sidecar that was passed over; "" if there is none.
 * Known where there is seccomp. Zones, languages and the like, which libraries look up by themselves, do not count. */
const char *dg_sandbox_refused(void);
const char *dg_sandbox_sidecar(void);
