/* The one allocator. Every block has a cache line before it that remembers its size; totals are counted for messages
 * and tests. A request is refused when the address space ends or when memory_room.c says that the system has no more.
 */
#define _DEFAULT_SOURCE /* madvise */
#include "libdg/base/memory.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "libdg/base/machine/memory_room.h"

#define ALIGNMENT 64
#define HUGE_PAGE ((size_t)2 << 20)

/* One cache line before each block remembers its size. */
struct header {
  size_t bytes;
};

static atomic_size_t current, peak;
static atomic_long fail_countdown;

static void count_bytes(size_t bytes)
{
  size_t now = atomic_fetch_add(&current, bytes) + bytes;
  size_t seen = atomic_load(&peak);
  while (now > seen && !atomic_compare_exchange_weak(&peak, &seen, now)) {
  }
}

static int told_to_fail(void)
{
  if (atomic_load(&fail_countdown) <= 0) return 0;
  return atomic_fetch_sub(&fail_countdown, 1) == 1;
}

/* ---- what the system has left (memory_room.h) */

/* MARGIN stays for libraries, stacks and page tables. Small blocks may take all but LAST_MARGIN: messages, paths, the
 * summary of a run that ends for want of memory. */
enum { MARGIN = 16 << 20, LAST_MARGIN = 4 << 20, SMALL = 64 << 10 };

static atomic_llong budget;   /* bytes that may be given away until the system is asked again */
static atomic_size_t foreign; /* touched by others in this process when it was asked first */
static atomic_bool asked_before;
static atomic_int sharers = 1;

/* Is there room for a block? Blocks that were promised and are not touched yet take theirs from the room that seems to
 * be left. */
static bool has_room(size_t bytes, size_t *room)
{
  if (atomic_fetch_sub(&budget, (long long)bytes) >= (long long)bytes) return true;
  const size_t left = *room = dg_memory_room(), used = dg_memory_current(), touched = dg_memory_touched();
  if (left == SIZE_MAX || touched == 0) {
    atomic_store(&budget, LLONG_MAX / 2);
    return true;
  }
  if (!atomic_exchange(&asked_before, true)) atomic_store(&foreign, touched > used ? touched - used : 0);
  const size_t others = atomic_load(&foreign), own = touched > others ? touched - others : 0;
  const size_t share = (size_t)atomic_load(&sharers);
  const size_t margin = (used > own ? used - own : 0) + (bytes < SMALL ? LAST_MARGIN : MARGIN);
  if (left < margin || (left - margin) / share < bytes) return false;
  atomic_store(&budget, (long long)(((left - margin) / share - bytes) / 4));
  return true;
}

void dg_memory_shared_by(int processes) { atomic_store(&sharers, processes > 1 ? processes : 1); }

/* ---- the allocator */

/* True while this allocator asks for memory. It is volatile because compilers know that posix_memalign looks at nothing
 * of ours; but the program's own one does (maxwell/app/malloc.c). */
static _Thread_local volatile bool asking;

bool dg_memory_asked(void) { return asking; }

/* Asks for a block. NULL is an answer here, other than in libraries. */
static void *take(size_t alignment, size_t bytes)
{
  void *room = NULL;
  asking = true;
  if (posix_memalign(&room, alignment, bytes) != 0) room = NULL;
  asking = false;
  return room;
}

static int fail(size_t bytes, size_t left, struct dg_error *err)
{
  char rest[60] = "";
  if (left != SIZE_MAX) snprintf(rest, sizeof rest, ", and the system has %.3f MB left", 1e-6 * (double)left);
  return dg_fail(err, DG_ENVIRONMENT, "out of memory: %.3f MB were asked for while %.3f MB were in use%s", bytes * 1e-6,
                 dg_memory_current() * 1e-6, rest);
}

int dg_alloc_untouched(void *pointer, size_t count, size_t size, struct dg_error *err)
{
  void *null = NULL;
  memcpy(pointer, &null, sizeof null);
  if (size != 0 && count > (SIZE_MAX - 2 * ALIGNMENT) / size)
    return dg_fail(err, DG_ENVIRONMENT, "out of memory: %zu items of %zu bytes overflow the address space", count,
                   size);
  size_t bytes = count * size;
  size_t padded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  /* Large arrays ask for large pages: the kernels walk many arrays at once and jump between neighbours, and with pages
   * of 4 KiB a few per cent of their time goes into address translation. Where the system has none, nothing changes. */
  bool large = padded >= 2 * HUGE_PAGE;
  size_t left = SIZE_MAX;
  void *room = told_to_fail() || !has_room(padded + ALIGNMENT, &left)
                   ? NULL
                   : take(large ? HUGE_PAGE : ALIGNMENT, padded + ALIGNMENT);
  if (room == NULL) return fail(bytes, left, err);
  char *block = room;
#ifdef MADV_HUGEPAGE
  if (large) (void)madvise(block, padded + ALIGNMENT, MADV_HUGEPAGE);
#endif
  ((struct header *)(void *)block)->bytes = bytes;
  block += ALIGNMENT;
  count_bytes(bytes);
  memcpy(pointer, &block, sizeof block);
  return 0;
}

int dg_alloc(void *pointer, size_t count, size_t size, struct dg_error *err)
{
  void *block;
  if (dg_alloc_untouched(&block, count, size, err) != 0) {
    memcpy(pointer, &block, sizeof block);
    return err->code;
  }
  memset(block, 0, count * size);
  memcpy(pointer, &block, sizeof block);
  return 0;
}

size_t dg_block_size(const void *block)
{
  if (block == NULL) return 0;
  return ((const struct header *)(const void *)((const char *)block - ALIGNMENT))->bytes;
}

int dg_grow(void *pointer, size_t count, size_t size, struct dg_error *err)
{
  char *old, *grown;
  memcpy(&old, pointer, sizeof old);
  if (dg_alloc(&grown, count, size, err) != 0) return err->code;
  if (old != NULL) {
    size_t bytes = dg_block_size(old);
    memcpy(grown, old, bytes < count * size ? bytes : count * size);
    dg_free(old);
  }
  memcpy(pointer, &grown, sizeof grown);
  return 0;
}

void dg_free(void *block)
{
  if (block == NULL) return;
  char *start = (char *)block - ALIGNMENT;
  atomic_fetch_sub(&current, ((struct header *)(void *)start)->bytes);
  free(start);
}

int dg_copy_string(char **copy, const char *string, struct dg_error *err)
{
  size_t bytes = strlen(string) + 1;
  if (dg_alloc(copy, bytes, 1, err) != 0) return err->code;
  memcpy(*copy, string, bytes);
  return 0;
}

size_t dg_memory_current(void) { return atomic_load(&current); }

size_t dg_memory_peak(void) { return atomic_load(&peak); }

size_t dg_memory_resident_peak(void)
{
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return (size_t)usage.ru_maxrss * 1024; /* Linux counts in KiB */
}

void dg_memory_fail_at(long n) { atomic_store(&fail_countdown, n); }
