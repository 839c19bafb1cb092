/* Loaded before the C library, it makes the system fail where the environment says:
 *
 *   FAULT_CALL     malloc (and calloc, realloc, memalign), write (and pwrite), fsync (and fdatasync), rename, open
 *   FAULT_AT=N     the N-th call of that kind from now on, from 1; 0: none
 *   FAULT_LASTS=1  and all later ones
 *   FAULT_HOW      ENOMEM, EIO, ENOSPC, EINTR; short: a write takes half of what it is given
 *   FAULT_IN=NAME  counts only calls of which NAME is part of the file of the caller: "hdf5", "silo", "curlew"; a call
 *                  from the C library counts as one of its caller
 *   FAULT_COUNT=F  at the end the number of calls of that kind is written to the file F
 *
 * Only files below the current folder count, and no descriptors 0 to 2. What the C library's streams write does not
 * pass here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *kind, *inside, *how;
static long at;
static bool lasts;
static atomic_long count;
static atomic_bool ready;
static _Thread_local bool busy; /* what is called from here does not count */

static void write_count(void)
{
  const char *name = getenv("FAULT_COUNT");
  busy = true;
  FILE *file = name != NULL ? fopen(name, "w") : NULL;
  if (file == NULL) return;
  fprintf(file, "%ld\n", atomic_load(&count));
  fclose(file);
}

__attribute__((constructor)) static void begin(void)
{
  void *frame[2];
  (void)backtrace(frame, 2); /* which loads what it needs */
  kind = getenv("FAULT_CALL");
  inside = getenv("FAULT_IN");
  how = getenv("FAULT_HOW");
  at = getenv("FAULT_AT") != NULL ? atol(getenv("FAULT_AT")) : 0;
  lasts = getenv("FAULT_LASTS") != NULL;
  if (kind == NULL) return;
  if (getenv("FAULT_COUNT") != NULL) (void)atexit(write_count);
  atomic_store(&ready, true);
}

/* Of the first frame that is neither this library, nor the C library, nor the program, which has a malloc; else that of
 * the program. */
static bool is_inside(void)
{
  enum { FRAMES = 16 };
  void *frame[FRAMES];
  const char *program = "curlew";
  if (inside == NULL) return true;
  const int frames = backtrace(frame, FRAMES);
  for (int i = 0; i < frames; i++) {
    Dl_info info;
    if (dladdr(frame[i], &info) == 0 || info.dli_fname == NULL) continue;
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash != NULL ? slash + 1 : info.dli_fname;
    if (strncmp(name, "libc.", 5) == 0 || strstr(name, "faults") != NULL) continue;
    if (strcmp(name, program) == 0) continue;
    if (strncmp(name, "ld-linux", 8) == 0) return false;
    return strstr(name, inside) != NULL;
  }
  return strstr(program, inside) != NULL;
}

static bool fails(const char *call)
{
  if (!atomic_load(&ready) || busy || strcmp(kind, call) != 0) return false;
  busy = true;
  const bool counts = is_inside();
  busy = false;
  if (!counts) return false;
  const long n = atomic_fetch_add(&count, 1) + 1;
  return at > 0 && (lasts ? n >= at : n == at);
}

static int reason(void)
{
  static const struct {
    const char *name;
    int number;
  } known[] = {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EINTR", EINTR}};
  for (size_t i = 0; how != NULL && i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].name, how) == 0) return known[i].number;
  return ENOMEM;
}

static void *next(const char *name)
{
  busy = true;
  void *found = dlsym(RTLD_NEXT, name);
  busy = false;
  if (found == NULL) abort();
  return found;
}

/* `original` is what is called without this library. */
#define NEXT(result, name, arguments)                                                                                  \
  static result(*original) arguments;                                                                                  \
  if (original == NULL) {                                                                                              \
    void *found = next(name);                                                                                          \
    memcpy(&original, &found, sizeof original);                                                                        \
  }

/* ---- memory: below the program's malloc, which calls these */

void *__libc_malloc(size_t bytes); /* NOLINT: glibc's names */
void *__libc_malloc(size_t bytes)  /* NOLINT */
{
  NEXT(void *, "__libc_malloc", (size_t))
  return fails("malloc") ? NULL : original(bytes);
}

void *__libc_calloc(size_t items, size_t size); /* NOLINT */
void *__libc_calloc(size_t items, size_t size)  /* NOLINT */
{
  NEXT(void *, "__libc_calloc", (size_t, size_t))
  return fails("malloc") ? NULL : original(items, size);
}

void *__libc_realloc(void *block, size_t bytes); /* NOLINT */
void *__libc_realloc(void *block, size_t bytes)  /* NOLINT */
{
  NEXT(void *, "__libc_realloc", (void *, size_t))
  return fails("malloc") ? NULL : original(block, bytes);
}

void *__libc_memalign(size_t alignment, size_t bytes); /* NOLINT */
void *__libc_memalign(size_t alignment, size_t bytes)  /* NOLINT */
{
  NEXT(void *, "__libc_memalign", (size_t, size_t))
  return fails("malloc") ? NULL : original(alignment, bytes);
}

/* ---- files */

static bool is_ours(int file)
{
  char link[64], path[4096], folder[4096];
  if (file <= STDERR_FILENO || !atomic_load(&ready) || busy) return false;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0 || getcwd(folder, sizeof folder) == NULL) return false;
  path[length] = '\0';
  return strncmp(path, folder, strlen(folder)) == 0;
}

static ssize_t failed(void)
{
  errno = reason();
  return -1;
}

static bool halves(void) { return how != NULL && strcmp(how, "short") == 0; }

ssize_t write(int file, const void *data, size_t bytes)
{
  NEXT(ssize_t, "write", (int, const void *, size_t))
  if (!is_ours(file) || !fails("write")) return original(file, data, bytes);
  return halves() ? original(file, data, (bytes + 1) / 2) : failed();
}

ssize_t pwrite(int file, const void *data, size_t bytes, off_t place)
{
  NEXT(ssize_t, "pwrite", (int, const void *, size_t, off_t))
  if (!is_ours(file) || !fails("write")) return original(file, data, bytes, place);
  return halves() ? original(file, data, (bytes + 1) / 2, place) : failed();
}

ssize_t pwrite64(int file, const void *data, size_t bytes, off64_t place) { return pwrite(file, data, bytes, place); }

int fsync(int file)
{
  NEXT(int, "fsync", (int))
  return is_ours(file) && fails("fsync") ? (int)failed() : original(file);
}

int fdatasync(int file)
{
  NEXT(int, "fdatasync", (int))
  return is_ours(file) && fails("fsync") ? (int)failed() : original(file);
}

int rename(const char *from, const char *to)
{
  NEXT(int, "rename", (const char *, const char *))
  return fails("rename") ? (int)failed() : original(from, to);
}

int open(const char *path, int flags, ...)
{
  NEXT(int, "open", (const char *, int, ...))
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return (flags & O_CREAT) != 0 && fails("open") ? (int)failed() : original(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open(path, flags, mode);
}
