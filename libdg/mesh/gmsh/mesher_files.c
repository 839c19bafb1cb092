/* Writes down the files of curlew-mesh as they are opened. The files that a geometry includes can depend on a
 * computation, so that its text does not tell them; but no file can be read without being opened. */
#define _GNU_SOURCE /* RTLD_NEXT, dladdr */
#include "libdg/mesh/gmsh/mesher_files.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "libdg/base/memory.h"

enum { NAMES_MAX = 4096 };

/* A process has one list of open files, and so this one list of names. */
static struct {
  pthread_mutex_t lock;
  int watching, writes, overflow;
  size_t count;
  char *name[NAMES_MAX];
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Is it a file on which no mesh depends? FLTK, with which Gmsh makes its windows, reads and writes preferences when
 * Gmsh starts. */
static int of_the_system(const char *name)
{
  return strncmp(name, "/proc/", 6) == 0 || strncmp(name, "/sys/", 5) == 0 || strncmp(name, "/dev/", 5) == 0 ||
         strstr(name, "/fltk.org/fltk.prefs") != NULL;
}

/* Writes down a file that is opened. A mesh does not depend on a file that may not be read, `refused`. */
static void see(const char *name, int writes, int refused)
{
  if (!seen.watching || refused || name == NULL || of_the_system(name)) return;
  (void)pthread_mutex_lock(&seen.lock);
  size_t i = 0;
  seen.writes = seen.writes || writes;
  while (i < seen.count && strcmp(seen.name[i], name) != 0) i++;
  if (i == NAMES_MAX) seen.overflow = 1;
  else if (i == seen.count && (seen.name[i] = strdup(name)) != NULL) seen.count++;
  (void)pthread_mutex_unlock(&seen.lock);
}

/* ---- geometry that comes with the program ---- */

static char library[PATH_MAX]; /* its folder; "": there is none */

void dg_mesher_files_library(const char *folder)
{
  if (folder == NULL || snprintf(library, sizeof library, "%s", folder) >= (int)sizeof library) library[0] = '\0';
}

/* The file of the library that a name means: one that ends with "curlew/NAME.geo". False: none. */
static bool in_library(const char *name, char path[PATH_MAX])
{
  static const char folder[] = "curlew/", ending[] = ".geo";
  const char *file = name != NULL ? strrchr(name, '/') : NULL;
  const size_t length = sizeof folder - 1;
  if (!seen.watching || library[0] == '\0' || file == NULL || (size_t)(file + 1 - name) < length) return false;
  const char *const start = file + 1 - length;
  if (strncmp(start, folder, length) != 0 || (start > name && start[-1] != '/')) return false;
  const size_t word = strlen(file + 1);
  if (word < sizeof ending || strcmp(file + 1 + word - (sizeof ending - 1), ending) != 0) return false;
  return snprintf(path, PATH_MAX, "%s/%s", library, file + 1) < PATH_MAX;
}

/* ---- in front of the C library ---- */

typedef int (*opener)(const char *name, int flags, ...);
typedef FILE *(*stream_opener)(const char *name, const char *mode);

static void *behind(const char *function)
{
  void *found = dlsym(RTLD_NEXT, function);
  if (found == NULL) abort();
  return found;
}

static int open_seen(const char *function, const char *name, int flags, mode_t mode)
{
  void *found = behind(function);
  opener next;
  memcpy(&next, &found, sizeof next);
  int file = next(name, flags, mode), reason = errno;
  char other[PATH_MAX];
  if (file < 0 && reason == ENOENT && (flags & O_ACCMODE) == O_RDONLY && in_library(name, other)) {
    see(name, 0, 0);
    name = other;
    file = next(name, flags, mode);
    reason = errno;
  }
  see(name, (flags & O_ACCMODE) != O_RDONLY, file < 0 && (reason == EACCES || reason == EPERM));
  errno = reason;
  return file;
}

static FILE *stream_seen(const char *function, const char *name, const char *mode)
{
  void *found = behind(function);
  stream_opener next;
  memcpy(&next, &found, sizeof next);
  FILE *file = next(name, mode);
  int reason = errno;
  char other[PATH_MAX];
  if (file == NULL && reason == ENOENT && mode[0] == 'r' && in_library(name, other)) {
    see(name, 0, 0);
    name = other;
    file = next(name, mode);
    reason = errno;
  }
  see(name, strchr(mode, 'r') == NULL || strchr(mode, '+') != NULL,
      file == NULL && (reason == EACCES || reason == EPERM));
  errno = reason;
  return file;
}

#define OPEN(function)                                                                                                 \
  int function(const char *name, int flags, ...)                                                                       \
  {                                                                                                                    \
    va_list list;                                                                                                      \
    va_start(list, flags);                                                                                             \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;                                     \
    va_end(list);                                                                                                      \
    return open_seen(#function, name, flags, mode);                                                                    \
  }
OPEN(open)
OPEN(open64)
/* The same functions by the names that compilers use to check arguments. */
int __open_2(const char *name, int flags);
int __open64_2(const char *name, int flags);
int __open_2(const char *name, int flags) { return open_seen("open", name, flags, 0); }
int __open64_2(const char *name, int flags) { return open_seen("open64", name, flags, 0); }
FILE *fopen(const char *name, const char *mode) { return stream_seen("fopen", name, mode); }
FILE *fopen64(const char *name, const char *mode) { return stream_seen("fopen64", name, mode); }

/* ---- the report */

static int add(struct dg_model *model, enum dg_source_kind kind, const char *path, struct dg_error *err)
{
  if (dg_grow(&model->source, model->sources + 1, sizeof *model->source, err) != 0) return err->code;
  struct dg_source *source = &model->source[model->sources];
  if (dg_source_absolute(&source->path, path, err) != 0) return err->code;
  model->sources++;
  dg_source_look(source, kind, source->path);
  return 0;
}

/* Adds the file that holds the function, and this program. */
static int add_programs(struct dg_model *model, struct dg_error *err)
{
  Dl_info info;
  void *gmsh = dlsym(RTLD_DEFAULT, "gmshInitialize");
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (gmsh == NULL || dladdr(gmsh, &info) == 0 || info.dli_fname == NULL || length <= 0) {
    snprintf(model->uncertain, sizeof model->uncertain, "where Gmsh lies is not known");
    return 0;
  }
  self[length] = '\0';
  if (add(model, DG_SOURCE_PROGRAM, info.dli_fname, err) != 0) return err->code;
  return add(model, DG_SOURCE_PROGRAM, self, err);
}

static int is_word(const char *at, const char *start, const char *word)
{
  size_t length = strlen(word);
  if (strncmp(at, word, length) != 0 || isalnum((unsigned char)at[length]) || at[length] == '_') return 0;
  return at == start || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
}

int dg_mesher_files_watch(struct dg_model *model, struct dg_error *err)
{
  if (add_programs(model, err) != 0) return err->code;
  seen.watching = 1;
  return 0;
}

/* Finds scripts that ask for more than their files say. Any text may be a script. */
static void find_questions(struct dg_model *model, const char *path)
{
  static const char *const words[] = {"FileExists", "GetEnv", "SystemCall", "NonBlockingSystemCall",
                                      "OnelabRun",  "Cpu",    "Memory",     "TotalMemory",
                                      "Today"};
  enum { MOST = 1 << 24 }; /* no script is longer; a mesh may be */
  char *text = NULL;
  FILE *file = fopen(path, "rb");
  struct dg_error ignored = {0};
  if (file == NULL) return;
  if (dg_alloc(&text, MOST + 1, 1, &ignored) == 0) {
    size_t length = fread(text, 1, MOST, file);
    if (strlen(text) != length) text[0] = '\0'; /* bytes, no text */
    for (const char *at = text; *at != '\0'; at++)
      for (size_t i = 0; isupper((unsigned char)*at) && i < sizeof words / sizeof *words; i++)
        if (is_word(at, text, words[i]))
          snprintf(model->uncertain, sizeof model->uncertain, "it depends on more than files (%s)", words[i]);
  }
  dg_free(text);
  (void)fclose(file);
}

int dg_mesher_files_report(struct dg_model *model, struct dg_error *err)
{
  seen.watching = 0;
  for (size_t i = 0; i < seen.count; i++) {
    if (add(model, DG_SOURCE_CONTENT, seen.name[i], err) != 0) return err->code;
    find_questions(model, seen.name[i]);
  }
  if (seen.writes) snprintf(model->uncertain, sizeof model->uncertain, "files were written for it");
  if (seen.overflow) snprintf(model->uncertain, sizeof model->uncertain, "it is made of very many files");
  return 0;
}
