/* Writes claims before files are created, and syncs, removes and renews files by them; see ledger.h. ledger_list.c
 * reads claims back. */
#include "libdg/files/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/bug.h"
#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/files/ledger_line.h"

struct dg_ledger {
  char *folder, *part, *path; /* FOLDER, FOLDER/PART, and the file of this process */
  int file;                   /* -1: not open */
  pthread_mutex_t lock;
  size_t pending, room; /* names that were claimed since the last sync */
  char **name;
};

static const char *const unfinished[] = {".part", ".room"};
enum { UNFINISHED = 2, LONGEST_ENDING = 5 };

/* ---- begin and end */

static int join(char **path, const char *folder, const char *name, struct dg_error *err)
{
  const size_t size = strlen(folder) + strlen(name) + 2 + LONGEST_ENDING;
  if (dg_alloc(path, size, 1, err) != 0) return err->code;
  snprintf(*path, size, "%s/%s", folder, name);
  return 0;
}

int dg_ledger_open(struct dg_ledger **result, const char *folder, const char *part, int rank, struct dg_error *err)
{
  struct dg_ledger *ledger;
  char name[32];
  *result = NULL;
  snprintf(name, sizeof name, DG_LEDGER_FILES "%04d", rank);
  if (DG_NEW(ledger, 1, err) != 0) return err->code;
  ledger->file = -1;
  pthread_mutex_init(&ledger->lock, NULL);
  if (dg_copy_string(&ledger->folder, folder, err) != 0 || join(&ledger->part, folder, part, err) != 0 ||
      join(&ledger->path, ledger->part, name, err) != 0) {
    dg_ledger_free(ledger);
    return err->code;
  }
  *result = ledger;
  return 0;
}

static void close_file(struct dg_ledger *ledger)
{
  if (ledger->file >= 0) close(ledger->file);
  ledger->file = -1;
}

static void forget_pending(struct dg_ledger *ledger)
{
  for (size_t i = 0; i < ledger->pending; i++) dg_free(ledger->name[i]);
  ledger->pending = 0;
}

void dg_ledger_free(struct dg_ledger *ledger)
{
  if (ledger == NULL) return;
  close_file(ledger);
  forget_pending(ledger);
  dg_free(ledger->name);
  dg_free(ledger->folder);
  dg_free(ledger->part);
  dg_free(ledger->path);
  pthread_mutex_destroy(&ledger->lock);
  dg_free(ledger);
}

/* ---- the file of this process */

static int write_failed(const struct dg_ledger *ledger, int reason, struct dg_error *err)
{
  return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", ledger->path, strerror(reason));
}

static int write_all(const struct dg_ledger *ledger, int file, const char *text, size_t bytes, struct dg_error *err)
{
  while (bytes > 0) {
    const ssize_t written = write(file, text, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return write_failed(ledger, written < 0 ? errno : ENOSPC, err);
    text += written;
    bytes -= (size_t)written;
  }
  return 0;
}

/* Waits for the disk, but not on a file system that cannot sync. */
static int wait_for_disk(const struct dg_ledger *ledger, int file, struct dg_error *err)
{
  if (fdatasync(file) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP) return 0;
  return write_failed(ledger, errno, err);
}

/* Opens the file of this process to append. A line that was cut when the power failed gets an end. */
static int open_file(struct dg_ledger *ledger, struct dg_error *err)
{
  char last = '\n';
  if (ledger->file >= 0) return 0;
  if (mkdir(ledger->part, 0777) != 0 && errno != EEXIST) return write_failed(ledger, errno, err);
  if (dg_file_kind(ledger->path) == DG_FILE_NONE) {
    const int made = dg_file_create(ledger->path);
    if (made < 0) return write_failed(ledger, errno, err);
    close(made);
  }
  if (dg_file_open(&ledger->file, ledger->path, O_RDWR | O_APPEND, err) != 0) return err->code;
  const off_t end = lseek(ledger->file, 0, SEEK_END);
  if (end > 0) (void)!pread(ledger->file, &last, 1, end - 1);
  const char *begin = end == 0 ? DG_LEDGER_HEAD : last == '\n' ? "" : "\n";
  if (write_all(ledger, ledger->file, begin, strlen(begin), err) != 0) {
    close_file(ledger);
    return err->code;
  }
  if (end == 0) {
    (void)dg_file_sync_folder(ledger->path);
    (void)dg_file_sync_folder(ledger->part);
  }
  return 0;
}

/* ---- claims */

/* Checks that no folder on the way is a link: files would not then be where they are said to be. */
static int check_way(const struct dg_ledger *ledger, const char *name, struct dg_error *err)
{
  struct stat info;
  char *path;
  if (join(&path, ledger->folder, name, err) != 0) return err->code;
  char *const begin = path + strlen(ledger->folder) + 1;
  for (char *slash = strchr(begin, '/'); slash != NULL && err->code == DG_OK; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
      (void)dg_fail(err, DG_INPUT, "'%s' is a symbolic link, which curlew does not follow: make it a folder", path);
    *slash = '/';
  }
  dg_free(path);
  return err->code;
}

/* Checks one name. A file that is there must be ours, regular, and whole; its unfinished remains are removed. *there:
 * it is in the ledger. */
static int check_one(const struct dg_ledger *ledger, const char *name, struct dg_ledger_list *list, bool *there,
                     struct dg_error *err)
{
  char *path;
  if (check_way(ledger, name, err) != 0 || join(&path, ledger->folder, name, err) != 0) return err->code;
  const size_t length = strlen(path);
  *there = false;
  for (int i = -1; i < UNFINISHED && err->code == DG_OK; i++) {
    snprintf(path + length, LONGEST_ENDING + 1, "%s", i < 0 ? "" : unfinished[i]);
    const enum dg_file_kind kind = dg_file_kind(path);
    if (kind == DG_FILE_NONE) continue;
    if (kind == DG_FILE_OTHER) {
      (void)dg_fail(err, DG_INPUT, "'%s' is %s, which curlew did not make: remove it or name another output folder",
                    path, dg_file_word(path));
    } else if (!list->found && dg_ledger_read(ledger, list, err) != 0) {
      break;
    } else if (dg_ledger_find(list, name) == NULL) {
      (void)dg_fail(err, DG_INPUT,
                    "'%s' is in the way and was not written by curlew: move it or name another output folder", path);
    } else if (i < 0) {
      *there = true;
    } else if (unlink(path) != 0 && errno != ENOENT) {
      (void)dg_fail(err, DG_ENVIRONMENT, "cannot replace '%s': %s", path, strerror(errno));
    }
  }
  dg_free(path);
  return err->code;
}

static int remember(struct dg_ledger *ledger, const char *name, struct dg_error *err)
{
  if (ledger->pending == ledger->room) {
    const size_t room = 2 * ledger->room + 16;
    if (dg_grow(&ledger->name, room, sizeof *ledger->name, err) != 0) return err->code;
    ledger->room = room;
  }
  if (dg_copy_string(&ledger->name[ledger->pending], name, err) != 0) return err->code;
  ledger->pending++;
  return 0;
}

static int claim(struct dg_ledger *ledger, enum dg_ledger_kind kind, size_t count, const char *const *name,
                 struct dg_error *err)
{
  struct dg_ledger_list list = {0};
  bool there = false, appended = false;
  for (size_t i = 0; i < count; i++) {
    char *line = NULL;
    if (check_one(ledger, name[i], &list, &there, err) != 0 || remember(ledger, name[i], err) != 0) goto fail;
    if (there) continue;
    if (open_file(ledger, err) != 0 || dg_ledger_line(&line, kind, name[i], err) != 0) goto fail;
    const int status = write_all(ledger, ledger->file, line, strlen(line), err);
    dg_free(line);
    if (status != 0) goto fail;
    appended = true;
  }
  if (appended) (void)!wait_for_disk(ledger, ledger->file, err);
fail:
  dg_ledger_list_free(&list);
  return err->code;
}

int dg_ledger_claim_names(struct dg_ledger *ledger, enum dg_ledger_kind kind, size_t count, const char *const *name,
                          struct dg_error *err)
{
  if (ledger == NULL) return 0;
  pthread_mutex_lock(&ledger->lock);
  (void)!claim(ledger, kind, count, name, err);
  pthread_mutex_unlock(&ledger->lock);
  return err->code;
}

/* The name of the file in the ledger's folder. */
static const char *name_in(const struct dg_ledger *ledger, const char *path)
{
  const size_t length = strlen(ledger->folder);
  DG_BUG_IF(strncmp(path, ledger->folder, length) != 0 || path[length] != '/', "'%s' is not in '%s'", path,
            ledger->folder);
  return path + length + 1;
}

int dg_ledger_claim_all(struct dg_ledger *ledger, enum dg_ledger_kind kind, size_t count, const char *const *path,
                        struct dg_error *err)
{
  const char *name[8];
  if (ledger == NULL) return 0;
  DG_BUG_IF(count > sizeof name / sizeof *name, "too many claims at a time: %zu", count);
  for (size_t i = 0; i < count; i++) name[i] = name_in(ledger, path[i]);
  return dg_ledger_claim_names(ledger, kind, count, name, err);
}

int dg_ledger_claim(struct dg_ledger *ledger, enum dg_ledger_kind kind, const char *path, struct dg_error *err)
{
  return dg_ledger_claim_all(ledger, kind, 1, &path, err);
}

/* ---- to the disk */

/* Syncs a file. A file that is not there any more is no error here: it has been replaced or removed by us, or by
 * somebody, and others say so. */
static int sync_file(const char *path, struct dg_error *err)
{
  int file;
  struct dg_error why = {0};
  if (dg_file_kind(path) != DG_FILE_REGULAR) return 0;
  if (dg_file_open(&file, path, O_RDONLY, &why) != 0) {
    if (dg_file_kind(path) == DG_FILE_REGULAR) *err = why;
    return err->code;
  }
  const int reason = fsync(file) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP ? 0 : errno;
  close(file);
  return reason == 0 ? 0 : dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(reason));
}

/* Are they in the same folder? */
static bool beside(const char *a, const char *b)
{
  const char *end = strrchr(a, '/'), *other = strrchr(b, '/');
  if (end == NULL || other == NULL) return end == other;
  return end - a == other - b && strncmp(a, b, (size_t)(end - a)) == 0;
}

int dg_ledger_sync(struct dg_ledger *ledger, struct dg_error *err)
{
  if (ledger == NULL) return 0;
  pthread_mutex_lock(&ledger->lock);
  for (size_t i = 0; i < ledger->pending && err->code == DG_OK; i++) {
    char *path;
    bool last = true; /* of its folder */
    for (size_t k = i + 1; k < ledger->pending && last; k++) last = !beside(ledger->name[i], ledger->name[k]);
    if (join(&path, ledger->folder, ledger->name[i], err) != 0) break;
    if (sync_file(path, err) == 0 && last) (void)dg_file_sync_folder(path);
    dg_free(path);
  }
  if (err->code == DG_OK) {
    if (ledger->pending > 0) (void)dg_file_sync_folder(ledger->part); /* the names of folders inside */
    forget_pending(ledger);
  }
  pthread_mutex_unlock(&ledger->lock);
  return err->code;
}

/* ---- removal */

/* Opens the folder that the name is in, without following links, and finds the name there; -1: there is none. */
static int open_folder_of(const struct dg_ledger *ledger, const char *name, const char **last)
{
  int folder = open(ledger->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (const char *slash = strchr(name, '/'); slash != NULL && folder >= 0; slash = strchr(name, '/')) {
    char step[256];
    snprintf(step, sizeof step, "%.*s", (int)(slash - name), name);
    const int next = openat(folder, step, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(folder);
    folder = next;
    name = slash + 1;
  }
  *last = name;
  return folder;
}

int dg_ledger_remove(const struct dg_ledger *ledger, const char *name, bool whole, struct dg_error *err)
{
  const char *last;
  const int folder = open_folder_of(ledger, name, &last);
  if (folder < 0) return 0;
  for (int i = whole ? -1 : 0; i < UNFINISHED; i++) {
    char one[300];
    struct stat info;
    snprintf(one, sizeof one, "%s%s", last, i < 0 ? "" : unfinished[i]);
    if (fstatat(folder, one, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) continue;
    if (unlinkat(folder, one, 0) == 0 || errno == ENOENT) continue;
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot replace '%s/%s%s' of an earlier run: %s", ledger->folder, name,
                  i < 0 ? "" : unfinished[i], strerror(errno));
    break;
  }
  close(folder);
  return err->code;
}

/* ---- anew */

static int write_lines(const struct dg_ledger *ledger, int file, const struct dg_ledger_list *list, size_t count,
                       const char *const *name, struct dg_error *err)
{
  if (write_all(ledger, file, DG_LEDGER_HEAD, strlen(DG_LEDGER_HEAD), err) != 0) return err->code;
  for (size_t i = 0; i < list->count + count; i++) {
    const bool old = i < list->count;
    char *line;
    if (old && list->entry[i].kind != DG_LEDGER_KEPT) continue;
    if (dg_ledger_line(&line, old ? DG_LEDGER_KEPT : DG_LEDGER_OUTPUT,
                       old ? list->entry[i].name : name[i - list->count], err) != 0)
      return err->code;
    const int status = write_all(ledger, file, line, strlen(line), err);
    dg_free(line);
    if (status != 0) return status;
  }
  return wait_for_disk(ledger, file, err);
}

/* Replaces the file of this process, all at once. */
static int replace_file(struct dg_ledger *ledger, const struct dg_ledger_list *list, size_t count,
                        const char *const *name, struct dg_error *err)
{
  char *path;
  if (join(&path, ledger->path, "", err) != 0) return err->code;
  snprintf(path, strlen(ledger->path) + sizeof ".part", "%s.part", ledger->path);
  const int file = dg_file_create(path);
  if (file < 0) (void)write_failed(ledger, errno, err);
  else (void)!write_lines(ledger, file, list, count, name, err);
  if (file >= 0) close(file);
  if (err->code == DG_OK && rename(path, ledger->path) != 0) (void)write_failed(ledger, errno, err);
  if (err->code != DG_OK) (void)unlink(path);
  (void)dg_file_sync_folder(ledger->path);
  close_file(ledger); /* that is another one now */
  dg_free(path);
  return err->code;
}

int dg_ledger_renew(struct dg_ledger *ledger, const struct dg_ledger_list *list, size_t count, const char *const *name,
                    struct dg_error *err)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->entry[i].kind == DG_LEDGER_OUTPUT && dg_ledger_remove(ledger, list->entry[i].name, true, err) != 0)
      return err->code;
  if (replace_file(ledger, list, count, name, err) != 0) return err->code;
  dg_ledger_drop_others(ledger->part, ledger->path);
  forget_pending(ledger);
  for (size_t i = 0; i < count; i++)
    if (remember(ledger, name[i], err) != 0) return err->code;
  return 0;
}

int dg_ledger_read(const struct dg_ledger *ledger, struct dg_ledger_list *list, struct dg_error *err)
{
  return dg_ledger_read_files(ledger->part, list, err);
}
