/* The end of a program to which the system, or a library, leaves no other one.
 *
 * Our own code meets a lack of memory as an error value (memory.h). Libraries do not: OpenBLAS asks again for ever,
 * Silo and HDF5 follow the null pointer, libgomp calls exit. So the program keeps a reserve, and its malloc (malloc.c
 * of the program) never gives a library nothing: the first time the system has no more, the reserve is given up and the
 * library gets its memory from that; who calls dg_emergency_check then ends in good order. When the reserve is spent,
 * too, the program ends there and then: one line, what the summary says is put right, code 3. The same is done for a
 * library that calls exit and, with code 70, when the program or a library crashes.
 *
 * Globals, since neither a signal handler nor malloc can reach anything else. Not collective.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "libdg/base/error.h"

/* Once, early in main. `reserve` bytes of address space, which nobody touches; less if there is no more. */
void dg_emergency_start(size_t reserve);
/* All signals but those of crashes, which kill a thread that blocks them without a word. */
void dg_emergency_mask(sigset_t *signals);
/* The program ends in good order: exit is no emergency any more. With another code than 0 it ends here: what libraries
 * do at the end, HDF5 with a file that could not be written for instance, may crash behind an error. */
void dg_emergency_over(enum dg_code code);

/* A file that says that the run goes on, and where: an emergency writes `"error": "...",` into `room` spaces at
 * error_at, and "failed" over "running" at status_at. The descriptor is borrowed until dg_emergency_forget. */
void dg_emergency_watch(int file, off_t error_at, size_t room, off_t status_at);
/* Writes that, without an end: for a run that has failed and cannot write its summary either. */
void dg_emergency_note(const char *line);
/* The descriptor, which is the caller's again; -1: there was none. */
int dg_emergency_forget(void);

/* For malloc, when the system has no `bytes` more: true, the reserve has been given up and it may be tried again;
 * false, the caller is one that looks at what it gets. Else the program ends here. */
bool dg_emergency_memory(size_t bytes);
/* DG_ENVIRONMENT when the reserve has been given up. */
int dg_emergency_check(struct dg_error *err) DG_MUST_USE;

/* Ends the program at once, as above; `line` has no end of line. Async-signal-safe. */
_Noreturn void dg_emergency_end(enum dg_code code, const char *line);
