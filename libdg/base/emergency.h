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

/* Starts the emergency exit. Call it once, early in main. It takes `reserve` bytes of address space, which nobody
 * touches, or less if there is no more. */
void dg_emergency_start(size_t reserve);
/* Sets *signals to all signals but those of crashes: a thread that blocks these is killed without a word. */
void dg_emergency_mask(sigset_t *signals);
/* Says that the program ends in good order, so that exit is no emergency any more. With another code than 0 the program
 * ends here: the work of libraries at the end, such as HDF5's with a file that could not be written, may crash behind
 * an error. */
void dg_emergency_over(enum dg_code code);

/* Watches a file that says that the run goes on, and where. An emergency writes `"error": "...",` into `room` spaces at
 * error_at, and "failed" over "running" at status_at. The descriptor is borrowed until dg_emergency_forget. */
void dg_emergency_watch(int file, off_t error_at, size_t room, off_t status_at);
/* Writes the line into the watched file as an emergency would, without ending the program: for a run that has failed
 * and cannot write its summary either. */
void dg_emergency_note(const char *line);
/* Stops watching. Returns the descriptor, which is the caller's again, or -1 if there was none. */
int dg_emergency_forget(void);

/* malloc calls it when the system has no `bytes` more. True: the reserve has been given up, and malloc may try again.
 * False: the caller of malloc is one that looks at what it gets. Else the program ends here. */
bool dg_emergency_memory(size_t bytes);
/* Fails with DG_ENVIRONMENT when the reserve has been given up. */
int dg_emergency_check(struct dg_error *err) DG_MUST_USE;

/* Ends the program at once, as above; `line` has no end of line. Async-signal-safe. */
_Noreturn void dg_emergency_end(enum dg_code code, const char *line);
