#define _DEFAULT_SOURCE /* madvise */
#include "libdg/base/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

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
  void *room = NULL;
  if (told_to_fail() || posix_memalign(&room, large ? HUGE_PAGE : ALIGNMENT, padded + ALIGNMENT) != 0)
    return dg_fail(err, DG_ENVIRONMENT, "out of memory: %.3f MB were asked for while %.3f MB were in use", bytes * 1e-6,
                   dg_memory_current() * 1e-6);
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
