/* How much memory the system has left for this process.
 *
 * Linux gives memory away before it has it, and kills a process when it is touched. What a control group (cgroup 1 or
 * 2, also those around it: batch systems, containers) and the machine have left says beforehand whether there will be a
 * page behind an address. The address space (ulimit -v) needs no look: there malloc fails.
 */
#pragma once

#include <stddef.h>

/* Bytes that can be touched before somebody is killed: of the group and of the machine the lesser, with what they can
 * take back from files' caches, and swap. SIZE_MAX where nothing says so. Opens a few files of /proc and /sys. */
size_t dg_memory_room(void);
/* The same of files below another folder instead of "/", for tests. */
size_t dg_memory_room_of(const char *root);
/* Bytes of memory that this process has touched and that no file stands behind; 0: not known. */
size_t dg_memory_touched(void);
