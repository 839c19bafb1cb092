/* Memory of curlew-mesh: an allocation that fails ends the process, with a code that says so. Gmsh and the libraries
 * that it uses do not look at what malloc gives them; they would crash a little later, and nobody could tell why.
 *
 * The program's own malloc stands in front of that of the C library for all libraries of the process. Sanitizers have
 * theirs, and other C libraries do not give the inner functions names; there, the process crashes. */
#include <stdlib.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(CURLEW_KEEP_MALLOC)
#include <errno.h>
#include <unistd.h>

#include "libdg/mesh/load/request.h"

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static void *checked(void *block, size_t size)
{
  if (block == NULL && size > 0) _exit(DG_MESHER_NO_MEMORY);
  return block;
}

void *malloc(size_t size) { return checked(__libc_malloc(size), size); }
void *calloc(size_t count, size_t size) { return checked(__libc_calloc(count, size), count > 0 ? size : 0); }
void *realloc(void *block, size_t size) { return checked(__libc_realloc(block, size), size); }
void *aligned_alloc(size_t alignment, size_t size) { return checked(__libc_memalign(alignment, size), size); }
int posix_memalign(void **block, size_t alignment, size_t size)
{
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  *block = checked(__libc_memalign(alignment, size), size);
  return 0;
}
#endif
