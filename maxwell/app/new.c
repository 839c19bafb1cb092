/* Writes a first script and its geometry from the templates in share/templates. main calls it for `curlew new`. */
#include "maxwell/app/new.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "libdg/base/text.h"
#include "maxwell/shell/script/world/share.h"

enum { KINDS_MAX = 64, NAME_MAX_LENGTH = 100 };
static const char ending[] = ".lua", mark[] = "@NAME@", usual[] = "cavity";

/* ---- the command line ---- */

static int unknown_option(const char *word, struct dg_error *err)
{
  static const char *const names[] = {"--kind", "--quiet"};
  const int nearest = dg_nearest(word, names, sizeof names / sizeof *names);
  if (nearest >= 0)
    return dg_fail(err, DG_INPUT, "unknown option '%s' of new (nearest: '%s'); see curlew --help", word,
                   names[nearest]);
  return dg_fail(err, DG_INPUT, "unknown option '%s' of new; see curlew --help", word);
}

int mx_new_options_read(struct mx_new_options *options, int argc, char **argv, struct dg_error *err)
{
  static const char kind[] = "--kind";
  *options = (struct mx_new_options){.kind = usual};
  for (int i = 0; i < argc; i++) {
    const char *word = argv[i];
    if (strcmp(word, "-q") == 0 || strcmp(word, "--quiet") == 0) {
      options->quiet = true;
    } else if (strncmp(word, kind, sizeof kind - 1) == 0 && word[sizeof kind - 1] == '=') {
      options->kind = word + sizeof kind;
    } else if (strcmp(word, kind) == 0) {
      if (i + 1 == argc) return dg_fail(err, DG_INPUT, "--kind needs a value; see curlew --help");
      options->kind = argv[++i];
    } else if (word[0] == '-') {
      return unknown_option(word, err);
    } else if (options->name != NULL) {
      return dg_fail(err, DG_INPUT, "unexpected argument '%s'; see curlew --help", word);
    } else {
      options->name = word;
    }
  }
  if (options->name == NULL) return dg_fail(err, DG_INPUT, "curlew new needs a name; see curlew --help");
  return 0;
}

/* ---- templates ---- */

/* What there is to choose from: the names of the templates, in their order. */
struct kinds {
  size_t count;
  char *name[KINDS_MAX];
};

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int list_kinds(struct kinds *kinds, const char *folder, struct dg_error *err)
{
  DIR *dir = opendir(folder);
  if (dir == NULL)
    return dg_fail(err, DG_ENVIRONMENT, "templates were not found in '%s'%s", mx_share_folder(), mx_share_hint());
  for (const struct dirent *entry; kinds->count < KINDS_MAX && (entry = readdir(dir)) != NULL;) {
    const size_t length = strlen(entry->d_name), own = sizeof ending - 1;
    if (length <= own || entry->d_name[0] == '.' || strcmp(entry->d_name + length - own, ending) != 0) continue;
    if (dg_copy_string(&kinds->name[kinds->count], entry->d_name, err) != 0) break;
    kinds->name[kinds->count++][length - own] = '\0';
  }
  (void)closedir(dir);
  qsort(kinds->name, kinds->count, sizeof *kinds->name, by_name);
  return err->code;
}

static int check_kind(const struct kinds *kinds, const char *kind, struct dg_error *err)
{
  const char *names[KINDS_MAX];
  char known[512] = "", hint[80] = "";
  size_t used = 0;
  for (size_t i = 0; i < kinds->count; i++) {
    names[i] = kinds->name[i];
    if (strcmp(names[i], kind) == 0) return 0;
    if (used < sizeof known)
      used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", names[i]);
  }
  const int nearest = dg_nearest(kind, names, kinds->count);
  if (nearest >= 0) snprintf(hint, sizeof hint, " (nearest: '%s')", names[nearest]);
  return dg_fail(err, DG_INPUT, "--kind: unknown '%s'%s; there is %s", kind, hint, known);
}

/* ---- names ---- */

/* The name stands in a string of Lua and in commands for a shell. */
static int check_name(const char *base, size_t length, struct dg_error *err)
{
  bool fits = length > 0 && length <= NAME_MAX_LENGTH && base[0] != '.' && base[0] != '-';
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)base[i];
    fits = fits && (isalnum(c) || c >= 0x80 || strchr("._-+", c) != NULL);
  }
  if (fits) return 0;
  return dg_fail(err, DG_INPUT,
                 "'%.*s' is no name for a new script: it takes letters, digits, '_', '-', '+' and '.' inside, at most "
                 "%d bytes",
                 (int)length, base, NAME_MAX_LENGTH);
}

static int join(char **path, const char *head, size_t length, const char *tail, const char *end, struct dg_error *err)
{
  const size_t size = length + strlen(tail) + strlen(end) + 1;
  if (DG_NEW(*path, size, err) != 0) return err->code;
  snprintf(*path, size, "%.*s%s%s", (int)length, head, tail, end);
  return 0;
}

/* ---- files ---- */

static int read_text(char **text, const char *path, struct dg_error *err)
{
  struct stat info;
  FILE *file = fopen(path, "rb");
  if (file == NULL || fstat(fileno(file), &info) != 0) goto fail;
  const size_t size = (size_t)info.st_size;
  if (DG_NEW(*text, size + 1, err) == 0 && fread(*text, 1, size, file) != size) goto fail;
  (void)fclose(file);
  return err->code;
fail:
  (void)dg_fail(err, DG_ENVIRONMENT, "cannot read '%s': %s", path, strerror(errno));
  if (file != NULL) (void)fclose(file);
  return err->code;
}

/* Writes the template with the name in place of the mark. The file must not be there: two of this program that run at
 * the same time cannot both make it. `made`: it is there now, and by us. */
static int write_text(const char *path, const char *text, const char *name, size_t length, bool *made,
                      struct dg_error *err)
{
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
  *made = descriptor >= 0;
  if (file == NULL) {
    const int reason = errno;
    if (descriptor >= 0) (void)close(descriptor);
    if (reason == EEXIST) return dg_fail(err, DG_INPUT, "'%s' is there already; another name, or take it away", path);
    return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(reason));
  }
  for (const char *next; (next = strstr(text, mark)) != NULL; text = next + sizeof mark - 1) {
    (void)fwrite(text, 1, (size_t)(next - text), file);
    (void)fwrite(name, 1, length, file);
  }
  (void)fputs(text, file);
  const bool wrong = ferror(file) != 0;
  if (fclose(file) != 0 || wrong) return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
  return 0;
}

/* A pair of files from a pair of templates: both, or none. */
static int write_pair(const char *folder, const struct mx_new_options *options, size_t length, const char *base,
                      struct dg_error *err)
{
  static const char *const ends[] = {".lua", ".geo"};
  char *from[2] = {NULL, NULL}, *to[2] = {NULL, NULL}, *text[2] = {NULL, NULL};
  bool made[2] = {false, false};
  const size_t own = length - (size_t)(base - options->name);
  for (int i = 0; i < 2; i++) {
    if (join(&from[i], folder, strlen(folder), options->kind, ends[i], err) != 0 ||
        join(&to[i], options->name, length, "", ends[i], err) != 0 || read_text(&text[i], from[i], err) != 0)
      goto fail;
    if (access(to[i], F_OK) == 0) {
      (void)dg_fail(err, DG_INPUT, "'%s' is there already; another name, or take it away", to[i]);
      goto fail;
    }
  }
  for (int i = 0; i < 2; i++)
    if (write_text(to[i], text[i], base, own, &made[i], err) != 0) break;
fail:
  for (int i = 0; i < 2; i++) {
    if (err->code != 0 && made[i]) (void)unlink(to[i]);
    dg_free(from[i]);
    dg_free(to[i]);
    dg_free(text[i]);
  }
  return err->code;
}

int mx_new(const struct mx_new_options *options, struct dg_error *err)
{
  struct kinds kinds = {0};
  char *folder = NULL;
  const char *share = mx_share_folder(), *slash = strrchr(options->name, '/');
  const char *base = slash != NULL ? slash + 1 : options->name;
  size_t length = strlen(options->name);
  if (length > sizeof ending - 1 && strcmp(options->name + length - (sizeof ending - 1), ending) == 0)
    length -= sizeof ending - 1;
  const size_t own = length - (size_t)(base - options->name);
  if (check_name(base, own, err) != 0 || join(&folder, share, strlen(share), "/templates/", "", err) != 0 ||
      list_kinds(&kinds, folder, err) != 0 || check_kind(&kinds, options->kind, err) != 0 ||
      write_pair(folder, options, length, base, err) != 0)
    goto fail;
  if (!options->quiet)
    printf("%1$.*2$s.lua and %1$.*2$s.geo are written: a first %3$s\n"
           "  curlew check %1$.*2$s.lua    what a run would take\n"
           "  curlew run %1$.*2$s.lua      the run: some seconds\n"
           "  curlew plot %4$.*5$s         pictures of it in %4$.*5$s/plots\n",
           options->name, (int)length, options->kind, base, (int)own);
fail:
  for (size_t i = 0; i < kinds.count; i++) dg_free(kinds.name[i]);
  dg_free(folder);
  return err->code;
}
