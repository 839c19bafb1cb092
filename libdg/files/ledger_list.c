/* Lines of ledgers; see ledger_line.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/digest.h"
#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/files/ledger_line.h"

static const char *const words[] = {[DG_LEDGER_OUTPUT] = "output", [DG_LEDGER_KEPT] = "kept"};

/* ---- a line */

static uint64_t digest_of(enum dg_ledger_kind kind, const char *name)
{
  return dg_digest(dg_digest(0, words[kind], strlen(words[kind])), name, strlen(name));
}

int dg_ledger_line(char **line, enum dg_ledger_kind kind, const char *name, struct dg_error *err)
{
  const size_t size = 3 * strlen(name) + 40;
  if (dg_alloc(line, size, 1, err) != 0) return err->code;
  int used = snprintf(*line, size, "%-6s %016" PRIx64 " ", words[kind], digest_of(kind, name));
  for (const unsigned char *c = (const unsigned char *)name; *c != '\0'; c++)
    used += snprintf(*line + used, size - (size_t)used, *c < 32 || *c == '%' || *c == 127 ? "%%%02X" : "%c", *c);
  snprintf(*line + used, size - (size_t)used, "\n");
  return 0;
}

/* Decodes a name in place. */
static void decode(char *name)
{
  char *to = name;
  for (const char *from = name; *from != '\0'; from++) {
    unsigned byte;
    if (*from == '%' && sscanf(from + 1, "%2X", &byte) == 1 && byte != 0) {
      *to++ = (char)byte;
      from += 2;
    } else {
      *to++ = *from;
    }
  }
  *to = '\0';
}

/* Does the name lie below the folder, whoever wrote the line? */
static bool is_inside(const char *name)
{
  for (const char *step = name;; step = strchr(step, '/') + 1) {
    const size_t length = strcspn(step, "/");
    if (length == 0 || (length == 1 && step[0] == '.') || (length == 2 && strncmp(step, "..", 2) == 0)) return false;
    if (step[length] == '\0') return true;
  }
}

/* Is the line whole, and what does it say? `line` is changed. */
static bool parse(char *line, enum dg_ledger_kind *kind, char **name)
{
  uint64_t digest;
  int used = 0;
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    const size_t length = strlen(words[k]);
    if (strncmp(line, words[k], length) != 0 || line[length] != ' ') continue;
    if (sscanf(line + length, " %16" SCNx64 "%n", &digest, &used) != 1 || line[length + (size_t)used] != ' ')
      return false;
    *kind = (enum dg_ledger_kind)k;
    *name = line + length + (size_t)used + 1;
    decode(*name);
    return digest == digest_of(*kind, *name) && is_inside(*name);
  }
  return false;
}

/* ---- a file */

static int add(struct dg_ledger_list *list, size_t *room, enum dg_ledger_kind kind, const char *name,
               struct dg_error *err)
{
  if (list->count == *room) {
    *room = 2 * *room + 64;
    if (dg_grow(&list->entry, *room, sizeof *list->entry, err) != 0) return err->code;
  }
  struct dg_ledger_entry *entry = &list->entry[list->count];
  entry->kind = kind;
  if (dg_copy_string(&entry->name, name, err) != 0) return err->code;
  list->count++;
  return 0;
}

static int read_file(const char *path, struct dg_ledger_list *list, size_t *room, struct dg_error *err)
{
  char *line = NULL, *name;
  size_t size = 0;
  enum dg_ledger_kind kind;
  int descriptor;
  if (dg_file_open(&descriptor, path, O_RDONLY, err) != 0) return err->code;
  FILE *file = fdopen(descriptor, "r");
  if (file == NULL) {
    close(descriptor);
    return dg_fail(err, DG_ENVIRONMENT, "cannot read '%s': %s", path, strerror(errno));
  }
  for (ssize_t length; err->code == DG_OK && (length = getline(&line, &size, file)) > 0;) {
    if (line[length - 1] != '\n') break;
    line[length - 1] = '\0';
    if (parse(line, &kind, &name)) (void)!add(list, room, kind, name, err);
  }
  if (ferror(file)) (void)dg_fail(err, DG_ENVIRONMENT, "cannot read '%s': %s", path, strerror(errno));
  free(line); /* getline's */
  fclose(file);
  list->found = true;
  return err->code;
}

/* ---- all files */

static int by_name(const void *a, const void *b)
{
  const struct dg_ledger_entry *x = a, *y = b;
  return strcmp(x->name, y->name);
}

/* Sorts the list, with each name once; a file is kept if any claim says so. */
static void sort(struct dg_ledger_list *list)
{
  size_t count = 0;
  if (list->count == 0) return;
  qsort(list->entry, list->count, sizeof *list->entry, by_name);
  for (size_t i = 1; i < list->count; i++) {
    if (strcmp(list->entry[count].name, list->entry[i].name) != 0) {
      list->entry[++count] = list->entry[i];
    } else {
      if (list->entry[i].kind == DG_LEDGER_KEPT) list->entry[count].kind = DG_LEDGER_KEPT;
      dg_free(list->entry[i].name);
    }
  }
  list->count = count + 1;
}

static bool is_ledger(const char *name)
{
  const size_t begin = strlen(DG_LEDGER_FILES);
  return strncmp(name, DG_LEDGER_FILES, begin) == 0 && name[begin] != '\0' &&
         strspn(name + begin, "0123456789") == strlen(name + begin);
}

int dg_ledger_read_files(const char *part, struct dg_ledger_list *list, struct dg_error *err)
{
  size_t room = 0;
  *list = (struct dg_ledger_list){0};
  DIR *dir = opendir(part);
  if (dir == NULL && errno == ENOENT) return 0;
  if (dir == NULL) return dg_fail(err, DG_ENVIRONMENT, "cannot read '%s': %s", part, strerror(errno));
  for (struct dirent *entry; err->code == DG_OK && (entry = readdir(dir)) != NULL;) {
    char *path;
    const size_t size = strlen(part) + strlen(entry->d_name) + 2;
    if (!is_ledger(entry->d_name)) continue;
    if (dg_alloc(&path, size, 1, err) != 0) break;
    snprintf(path, size, "%s/%s", part, entry->d_name);
    (void)!read_file(path, list, &room, err);
    dg_free(path);
  }
  closedir(dir);
  if (err->code != DG_OK) dg_ledger_list_free(list);
  else sort(list);
  return err->code;
}

void dg_ledger_drop_others(const char *part, const char *own)
{
  const char *slash = strrchr(own, '/'), *name = slash != NULL ? slash + 1 : own;
  DIR *dir = opendir(part);
  if (dir == NULL) return;
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
    if (is_ledger(entry->d_name) && strcmp(entry->d_name, name) != 0) (void)unlinkat(dirfd(dir), entry->d_name, 0);
  closedir(dir);
}

const struct dg_ledger_entry *dg_ledger_find(const struct dg_ledger_list *list, const char *name)
{
  size_t low = 0, high = list->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const int order = strcmp(name, list->entry[middle].name);
    if (order == 0) return &list->entry[middle];
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return NULL;
}

void dg_ledger_list_free(struct dg_ledger_list *list)
{
  for (size_t i = 0; i < list->count; i++) dg_free(list->entry[i].name);
  dg_free(list->entry);
  *list = (struct dg_ledger_list){0};
}
