/* The memory that the system has left for this process.
 *
 * Linux gives memory away before it has it, and kills a process that touches memory which is not there. The room that a
 * control group (cgroup 1 or 2, also those around it: batch systems, containers) and the machine have left says
 * beforehand whether there will be a page behind an address. The address space (ulimit -v) needs no look: there malloc
 * fails. */
#pragma once

#include <stddef.h>

/* The bytes that can be touched before somebody is killed: the lesser of what the group and the machine have, with the
 * part of files' caches that they can take back, and swap. SIZE_MAX where nothing says so. Opens a few files of /proc
 * and /sys. */
size_t dg_memory_room(void);
/* The room according to files below another folder than "/", for tests. */
size_t dg_memory_room_of(const char *root);
/* The bytes of memory that this process has touched and that no file stands behind; 0: not known. */
size_t dg_memory_touched(void);
