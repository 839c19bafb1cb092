/* The one allocator: 64-byte aligned, zeroed, overflow-checked, counted; a test can make the n-th call fail.
 *
 * It fails where the address space ends, and also where the system would give an address and, when it is touched, kill
 * a process: what the control group and the machine have left (memory_room.h) is looked at now and then, more often the
 * less it is, and a margin is kept for libraries. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

/* Allocates count * size bytes, zeroed. A count of 0 gives a valid pointer. On failure *pointer is NULL and err says
 * how many bytes were asked for. Free with dg_free. Thread-safe. */
int dg_alloc(void *pointer, size_t count, size_t size, struct dg_error *err) DG_MUST_USE;
/* Allocates the same without zeroing it. Pages that nobody has touched come to lie near the thread that touches them
 * first. */
int dg_alloc_untouched(void *pointer, size_t count, size_t size, struct dg_error *err) DG_MUST_USE;
/* Grows to count * size bytes, keeping the content; new bytes are zero. On failure the old block stays valid. */
int dg_grow(void *pointer, size_t count, size_t size, struct dg_error *err) DG_MUST_USE;
/* Frees a block; NULL is safe. */
void dg_free(void *block);
/* The bytes that were asked for with this block; NULL: 0. */
size_t dg_block_size(const void *block);
/* A copy of a string; free with dg_free. */
int dg_copy_string(char **copy, const char *string, struct dg_error *err) DG_MUST_USE;

#define DG_NEW(pointer, count, err) dg_alloc(&(pointer), (size_t)(count), sizeof *(pointer), (err))

size_t dg_memory_current(void);       /* bytes allocated through dg_alloc and not freed */
size_t dg_memory_peak(void);          /* largest value that it had */
size_t dg_memory_resident_peak(void); /* peak resident set of the process in bytes, as the kernel counts it */

/* Says that `processes` processes of the machine take memory at the same time, this one among them. */
void dg_memory_shared_by(int processes);
/* malloc asks: does the call come from this allocator, in the calling thread, which can bear a NULL? */
bool dg_memory_asked(void);

/* Test hook: the n-th allocation from now on fails (1 is the next one); 0 switches it off. */
void dg_memory_fail_at(long n);
