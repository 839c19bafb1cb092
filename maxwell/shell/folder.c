/* Preparing the output folder; see folder.h. */
#include "maxwell/shell/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"

#define PART ".curlew"
#define LOCK PART "/lock"

static int join(char **path, const char *folder, const char *name, struct dg_error *err)
{
  size_t size = strlen(folder) + strlen(name) + 2;
  if (dg_alloc(path, size, 1, err) != 0) return err->code;
  snprintf(*path, size, "%s/%s", folder, name);
  return 0;
}

int mx_folder_path(char **path, const struct mx_folder *folder, const char *name, struct dg_error *err)
{
  return join(path, folder->path, name, err);
}

/* ---- whose it is */

static int take_lock(struct mx_folder *folder, bool create, struct dg_error *err)
{
  enum dg_lock_state state;
  char holder[DG_LOCK_HOLDER], *path;
  if (folder->lock.held > 0) return 0;
  if (mx_folder_path(&path, folder, LOCK, err) != 0) return err->code;
  if (dg_lock_take(&folder->lock, path, create, &state, holder, err) == 0 && state == DG_LOCK_BUSY)
    (void)dg_fail(err, DG_ENVIRONMENT,
                  "the output folder '%s' is in use by another run%s%s%s; wait for its end or name another one (name = "
                  "or --output)",
                  folder->path, holder[0] != '\0' ? " (" : "", holder, holder[0] != '\0' ? ")" : "");
  if (err->code == DG_OK && state == DG_LOCK_MISSING)
    dg_log_warning(folder->log, "the file system of '%s' has no locks: nothing keeps two runs from writing to it",
                   folder->path);
  dg_free(path);
  return err->code;
}

int mx_folder_open(struct mx_folder *folder, const char *path, struct dg_comm *comm, struct dg_log *log,
                   struct dg_error *err)
{
  *folder = (struct mx_folder){.rank = dg_comm_rank(comm), .log = log};
  if (dg_copy_string(&folder->path, path, err) != 0) return err->code;
  return folder->rank == 0 ? take_lock(folder, false, err) : 0;
}

int mx_folder_join(struct mx_folder *folder, struct dg_error *err)
{
  char *path;
  if (folder->rank == 0) return 0;
  if (mx_folder_path(&path, folder, LOCK, err) != 0) return err->code;
  if (dg_ledger_open(&folder->ledger, folder->path, PART, folder->rank, err) == 0)
    (void)!dg_lock_join(&folder->lock, path, folder->rank, err);
  dg_free(path);
  return err->code;
}

void mx_folder_close(struct mx_folder *folder)
{
  dg_ledger_list_free(&folder->list);
  dg_ledger_free(folder->ledger);
  dg_lock_release(&folder->lock, folder->rank == 0);
  dg_free(folder->path);
  *folder = (struct mx_folder){0};
}

/* ---- the folder and its parts */

/* Checks that an existing folder can be written to. A user who names a link as the output folder means the place where
 * it leads. Nobody has named a link inside it. */
static int check_folder(const char *path, bool inside, struct dg_error *err)
{
  struct stat info;
  if (inside && lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
    return dg_fail(err, DG_INPUT, "'%s' is a symbolic link, which curlew does not follow: make it a folder", path);
  if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
    return dg_fail(err, DG_ENVIRONMENT, "cannot make the output folder '%s': a file of that name is in the way", path);
  if (access(path, W_OK | X_OK) == 0) return 0;
  return dg_fail(err, DG_ENVIRONMENT, "cannot write to the output folder '%s': %s", path, strerror(errno));
}

static int make_folder(const char *path, bool inside, struct dg_error *err)
{
  if (mkdir(path, 0777) == 0) return 0;
  if (errno == EEXIST) return check_folder(path, inside, err);
  return dg_fail(err, DG_ENVIRONMENT, "cannot make the output folder '%s': %s", path, strerror(errno));
}

int mx_folder_part(const struct mx_folder *folder, const char *name, struct dg_error *err)
{
  char *path;
  if (mx_folder_path(&path, folder, name, err) != 0) return err->code;
  (void)!make_folder(path, true, err);
  dg_free(path);
  return err->code;
}

/* ---- what is in it */

/* Calls `visit` for all entries of folder/part; a part that is not there has none. */
typedef int visitor(struct mx_folder *folder, const struct mx_plan *plan, const char *name, struct dg_error *err);

static int visit_all(struct mx_folder *folder, const char *part, visitor *visit, const struct mx_plan *plan,
                     struct dg_error *err)
{
  char *path;
  if (mx_folder_path(&path, folder, part, err) != 0) return err->code;
  DIR *dir = opendir(path);
  const int reason = errno;
  if (dir == NULL && (reason != ENOENT || strcmp(part, ".") == 0) && reason != ENOTDIR)
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot read the output folder '%s': %s",
                  strcmp(part, ".") == 0 ? folder->path : path, strerror(reason));
  for (struct dirent *entry; dir != NULL && err->code == DG_OK && (entry = readdir(dir)) != NULL;) {
    char *name;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (strcmp(part, ".") == 0) (void)!dg_copy_string(&name, entry->d_name, err);
    else (void)!join(&name, part, entry->d_name, err);
    if (err->code != DG_OK) break;
    (void)!visit(folder, plan, name, err);
    dg_free(name);
  }
  if (dir != NULL) closedir(dir);
  dg_free(path);
  return err->code;
}

/* Says whether there is a summary that curlew wrote before it kept ledgers. */
static bool has_summary(const struct mx_folder *folder)
{
  struct dg_error ignored = {0};
  char *path, text[16384];
  int file = -1;
  ssize_t got = 0;
  if (mx_folder_path(&path, folder, "summary.json", &ignored) != 0) return false;
  if (dg_file_open(&file, path, O_RDONLY, &ignored) == 0) {
    got = read(file, text, sizeof text - 1);
    close(file);
  }
  dg_free(path);
  text[got > 0 ? got : 0] = '\0';
  return strstr(text, "\"curlew\":") != NULL;
}

/* Refuses a file where there is no ledger: nothing is then ours. */
static int refuse_stranger(struct mx_folder *folder, const struct mx_plan *plan, const char *name, struct dg_error *err)
{
  (void)plan;
  if (strcmp(name, PART) == 0) return 0;
  if (has_summary(folder))
    return dg_fail(err, DG_INPUT,
                   "the output folder '%s' has no list of the files that curlew made (%s/" PART
                   "), as an older version leaves it; empty it or name another one (name = or --output)",
                   folder->path, folder->path);
  return dg_fail(err, DG_INPUT,
                 "the output folder '%s' holds '%s' and was not made by curlew; name another one (name = or --output)",
                 folder->path, name);
}

/* Says whether the ledger has the name without ".part" or ".room". */
static bool is_listed(const struct mx_folder *folder, const char *name)
{
  char whole[512];
  const size_t length = strlen(name);
  if (dg_ledger_find(&folder->list, name) != NULL) return true;
  if (length < 6 || length >= sizeof whole ||
      (strcmp(name + length - 5, ".part") != 0 && strcmp(name + length - 5, ".room") != 0))
    return false;
  snprintf(whole, sizeof whole, "%.*s", (int)length - 5, name);
  return dg_ledger_find(&folder->list, whole) != NULL;
}

/* Refuses a file that the run would write over, but must not. */
static int refuse_conflict(struct mx_folder *folder, const struct mx_plan *plan, const char *name, struct dg_error *err)
{
  char *path;
  if (!mx_plan_has(plan, name)) return 0;
  if (mx_folder_path(&path, folder, name, err) != 0) return err->code;
  if (dg_file_kind(path) == DG_FILE_OTHER)
    (void)dg_fail(err, DG_INPUT, "'%s' is %s, which curlew did not make: remove it or name another output folder", path,
                  dg_file_word(path));
  else if (!is_listed(folder, name))
    (void)dg_fail(err, DG_INPUT,
                  "'%s' is in the way and was not written by curlew: move it or name another output folder", path);
  dg_free(path);
  return err->code;
}

/* Checks that files can be made in this part, if the part exists. */
static int check_part(const struct mx_folder *folder, const char *name, struct dg_error *err)
{
  char *path;
  if (strcmp(name, ".") == 0) return 0;
  if (mx_folder_path(&path, folder, name, err) != 0) return err->code;
  if (dg_file_kind(path) != DG_FILE_NONE) (void)!check_folder(path, true, err);
  dg_free(path);
  return err->code;
}

int mx_folder_prepare(struct mx_folder *folder, const struct mx_plan *plan, struct dg_error *err)
{
  const bool made = dg_file_kind(folder->path) == DG_FILE_NONE;
  if (make_folder(folder->path, false, err) != 0) return err->code;
  if (made) (void)dg_file_sync_folder(folder->path);
  /* Check the folder first, before anything of ours is made in one that is not ours. */
  if (dg_ledger_open(&folder->ledger, folder->path, PART, 0, err) != 0 || check_part(folder, PART, err) != 0 ||
      dg_ledger_read(folder->ledger, &folder->list, err) != 0 ||
      (!folder->list.found && visit_all(folder, ".", refuse_stranger, plan, err) != 0) ||
      mx_folder_part(folder, PART, err) != 0 || take_lock(folder, true, err) != 0)
    return err->code;
  /* Read the ledger again, now that it cannot change: another run may have made the folder meanwhile, and ended. */
  dg_ledger_list_free(&folder->list);
  if (dg_ledger_read(folder->ledger, &folder->list, err) != 0) return err->code;
  for (size_t i = 0; i < plan->folders; i++)
    if (check_part(folder, plan->folder[i], err) != 0 ||
        visit_all(folder, plan->folder[i], refuse_conflict, plan, err) != 0)
      return err->code;
  return 0;
}

/* Takes a name that is to stay for now from the list. */
static void spare(struct dg_ledger_list *list, const char *name)
{
  const struct dg_ledger_entry *found = dg_ledger_find(list, name);
  if (found == NULL) return;
  const size_t at = (size_t)(found - list->entry);
  dg_free(list->entry[at].name);
  memmove(&list->entry[at], &list->entry[at + 1], (list->count - at - 1) * sizeof *list->entry);
  list->count--;
}

int mx_folder_claim(struct mx_folder *folder, const struct mx_plan *plan, bool afresh, struct dg_error *err)
{
  const char *const *names = (const char *const *)plan->file;
  if (afresh) {
    spare(&folder->list, "summary.json");
    (void)!dg_ledger_renew(folder->ledger, &folder->list, plan->files, names, err);
  } else {
    (void)!dg_ledger_claim_names(folder->ledger, DG_LEDGER_OUTPUT, plan->files, names, err);
  }
  for (size_t i = 0; i < plan->folders && err->code == DG_OK; i++)
    if (!plan->later[i]) (void)!mx_folder_part(folder, plan->folder[i], err);
  return err->code;
}

/* ---- going on */

int mx_folder_cut(struct mx_folder *folder, const struct mx_plan *plan, long step, struct dg_error *err)
{
  dg_ledger_list_free(&folder->list);
  if (dg_ledger_read(folder->ledger, &folder->list, err) != 0) return err->code;
  for (size_t i = 0; i < folder->list.count; i++) {
    const struct dg_ledger_entry *entry = &folder->list.entry[i];
    struct dg_error ignored = {0};
    if (entry->kind == DG_LEDGER_OUTPUT)
      (void)!dg_ledger_remove(folder->ledger, entry->name, mx_plan_step(plan, entry->name) >= step, &ignored);
  }
  return 0;
}
