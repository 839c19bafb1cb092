/* The program that the kernel runs before each system call of a process in the sandbox. Private to the sandbox. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The purpose of a trapped call, which comes with the signal SIGSYS. */
enum dg_sandbox_trap {
  DG_TRAP_READ = 1, /* open, openat: look at the name */
  DG_TRAP_WRITE,    /* the same, for writing; creat */
  DG_TRAP_REMOVE,   /* unlink, unlinkat, rmdir */
  DG_TRAP_CHANGE,   /* names, modes, owners, times, sizes */
  DG_TRAP_NETWORK,
  DG_TRAP_PROCESS, /* signals, tracing */
  DG_TRAP_SYSTEM
};

/* Installs the filter for all threads. Opening for reading is allowed with `secret` as the sixth argument, which open
 * and openat do not have; all other opening is trapped. False: this kernel has no such filters, or this program knows
 * no numbers of this machine's calls (errno: ENOSYS), or it did not work. */
bool dg_sandbox_filter(uint64_t secret);
