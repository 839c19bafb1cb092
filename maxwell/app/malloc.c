/* The C library's allocating functions, but that none of them gives a library a null pointer: see
 * libdg/base/emergency.h. Of glibc only, whose own functions do the work; `free` and all else are untouched. Linked
 * into the program and nothing else, and not where a sanitizer has functions of its own. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "libdg/base/emergency.h"

void *__libc_malloc(size_t bytes);                     /* NOLINT: glibc's names */
void *__libc_calloc(size_t count, size_t size);        /* NOLINT */
void *__libc_realloc(void *block, size_t bytes);       /* NOLINT */
void *__libc_memalign(size_t alignment, size_t bytes); /* NOLINT */
void *memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes)
{
  void *block;
  while ((block = __libc_malloc(bytes)) == NULL && dg_emergency_memory(bytes)) {
  }
  return block;
}

void *calloc(size_t count, size_t size)
{
  void *block;
  while ((block = __libc_calloc(count, size)) == NULL && (size == 0 || count <= SIZE_MAX / size) &&
         dg_emergency_memory(count * size)) {
  }
  return block;
}

void *realloc(void *old, size_t bytes)
{
  void *block;
  while ((block = __libc_realloc(old, bytes)) == NULL && bytes > 0 && dg_emergency_memory(bytes)) {
  }
  return block;
}

void *memalign(size_t alignment, size_t bytes)
{
  void *block;
  while ((block = __libc_memalign(alignment, bytes)) == NULL && dg_emergency_memory(bytes)) {
  }
  return block;
}

void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *const found = memalign(alignment, bytes);
  if (found == NULL) return ENOMEM;
  *block = found;
  return 0;
}
