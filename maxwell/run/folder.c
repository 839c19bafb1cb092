#include "maxwell/run/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/memory.h"

/* What a run writes beside summary.json and the folders below. */
static const char *const our_files[] = {"fields_*.silo",     "fields_*.silo.part", "energy.csv",           "log.txt",
                                        "summary.json.part", "sparameters.csv",    "sparameters.csv.part", "*.s[0-9]*p",
                                        "*.s[0-9]*p.part"};

/* Folders inside, and what curlew writes there. */
static const char *const parts[] = {"blocks",   "probes",   "lines",  "planes", "fluxes",
                                    "voltages", "currents", "losses", "ports",  "checkpoint"};
static const char *const part_files[] = {"*.csv",       "*.csv.part", "*.silo",   "*.silo.part",
                                         "*.silo.room", "*.h5",       "*.h5.part"};

int mx_folder_path(char **path, const char *folder, const char *name, struct dg_error *err)
{
  size_t size = strlen(folder) + strlen(name) + 2;
  if (dg_alloc(path, size, 1, err) != 0) return err->code;
  snprintf(*path, size, "%s/%s", folder, name);
  return 0;
}

static bool matches(const char *name, size_t count, const char *const *pattern)
{
  for (size_t i = 0; i < count; i++)
    if (fnmatch(pattern[i], name, FNM_PERIOD) == 0) return true;
  return false;
}

static bool is_part(const char *name)
{
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strcmp(parts[i], name) == 0) return true;
  return false;
}

/* Does the folder hold a summary that curlew wrote? */
static int find_summary(const char *folder, bool *found, struct dg_error *err)
{
  char *path, text[16384];
  if (mx_folder_path(&path, folder, "summary.json", err) != 0) return err->code;
  FILE *file = fopen(path, "r");
  *found = false;
  if (file != NULL) {
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    *found = strstr(text, "\"curlew\":") != NULL;
    fclose(file);
  }
  dg_free(path);
  return 0;
}

/* The first entry of a folder, copied to stranger; "" if there is none. A run that was killed before it wrote its first
 * summary leaves at most those that are passed over. */
static int find_stranger(const char *folder, char *stranger, size_t size, struct dg_error *err)
{
  DIR *dir = opendir(folder);
  stranger[0] = '\0';
  if (dir == NULL)
    return dg_fail(err, DG_ENVIRONMENT, "cannot read the output folder '%s': %s", folder, strerror(errno));
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, "summary.json.part") == 0) continue;
    if (is_part(name) && unlinkat(dirfd(dir), name, AT_REMOVEDIR) == 0) continue;
    snprintf(stranger, size, "%s", name);
    break;
  }
  closedir(dir);
  return 0;
}

/* Removes the files that match a pattern; a folder that is not there is empty. */
static int empty_folder(const char *folder, size_t count, const char *const *pattern, struct dg_error *err)
{
  DIR *dir = opendir(folder);
  if (dir == NULL && errno == ENOENT) return 0;
  if (dir == NULL)
    return dg_fail(err, DG_ENVIRONMENT, "cannot read the output folder '%s': %s", folder, strerror(errno));
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    const char *name = entry->d_name;
    if (!matches(name, count, pattern)) continue;
    if (unlinkat(dirfd(dir), name, 0) != 0) {
      int status =
          dg_fail(err, DG_ENVIRONMENT, "cannot replace '%s/%s' of an earlier run: %s", folder, name, strerror(errno));
      closedir(dir);
      return status;
    }
  }
  closedir(dir);
  return 0;
}

static int make_folder(const char *folder, struct dg_error *err)
{
  if (mkdir(folder, 0777) == 0) return 0;
  struct stat info;
  int reason = errno;
  if (reason == EEXIST && stat(folder, &info) == 0 && S_ISDIR(info.st_mode)) {
    if (access(folder, W_OK | X_OK) == 0) return 0;
    reason = errno;
  } else if (reason == EEXIST) {
    return dg_fail(err, DG_ENVIRONMENT, "cannot make the output folder '%s': a file of that name is in the way",
                   folder);
  } else {
    return dg_fail(err, DG_ENVIRONMENT, "cannot make the output folder '%s': %s", folder, strerror(reason));
  }
  return dg_fail(err, DG_ENVIRONMENT, "cannot write to the output folder '%s': %s", folder, strerror(reason));
}

int mx_folder_prepare(const char *folder, struct dg_error *err)
{
  char stranger[256] = "";
  bool ours;
  if (make_folder(folder, err) != 0) return err->code;
  if (find_summary(folder, &ours, err) != 0) return err->code;
  if (!ours && find_stranger(folder, stranger, sizeof stranger, err) != 0) return err->code;
  if (stranger[0] != '\0')
    return dg_fail(
        err, DG_INPUT,
        "the output folder '%s' holds '%s' and was not made by curlew; name another one (name = or --output)", folder,
        stranger);
  return 0;
}

int mx_folder_part(const char *folder, const char *name, struct dg_error *err)
{
  char *path;
  if (mx_folder_path(&path, folder, name, err) != 0) return err->code;
  (void)!make_folder(path, err);
  dg_free(path);
  return err->code;
}

/* The number behind the last '_' of NAME_000100.silo and the like, or of NAME_000100_0001.silo of a part (`blocks`);
 * -1: it has none. */
static long number_of(const char *name, bool blocks)
{
  const char *end = strstr(name, ".silo"), *digits = end;
  for (int skip = blocks ? 2 : 1; skip > 0 && digits != NULL; skip--) {
    if (digits != end) digits--; /* the '_' itself */
    while (digits > name && digits[-1] >= '0' && digits[-1] <= '9') digits--;
    if (digits == name || digits[-1] != '_') return -1;
  }
  return digits != NULL ? strtol(digits, NULL, 10) : -1;
}

static void cut(const char *folder, bool blocks, long step)
{
  DIR *dir = opendir(folder);
  if (dir == NULL) return;
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    const char *name = entry->d_name;
    size_t length = strlen(name);
    bool unfinished = length > 5 && strcmp(name + length - 5, ".part") == 0;
    if (fnmatch("*.silo*", name, FNM_PERIOD) == 0 && (unfinished || number_of(name, blocks) >= step) &&
        strstr(name, "_spectrum_") == NULL && (unfinished || fnmatch("mesh_*", name, FNM_PERIOD) != 0))
      (void)unlinkat(dirfd(dir), name, 0);
  }
  closedir(dir);
}

int mx_folder_cut(const char *folder, long step, struct dg_error *err)
{
  static const struct {
    const char *name;
    bool blocks;
  } with_snapshots[] = {{".", false}, {"blocks", true}, {"planes", false}};
  for (size_t i = 0; i < sizeof with_snapshots / sizeof *with_snapshots; i++) {
    char *path;
    if (mx_folder_path(&path, folder, with_snapshots[i].name, err) != 0) return err->code;
    cut(path, with_snapshots[i].blocks, step);
    dg_free(path);
  }
  return 0;
}

int mx_folder_empty(const char *folder, struct dg_error *err)
{
  if (empty_folder(folder, sizeof our_files / sizeof *our_files, our_files, err) != 0) return err->code;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char *path;
    if (mx_folder_path(&path, folder, parts[i], err) != 0) return err->code;
    (void)!empty_folder(path, sizeof part_files / sizeof *part_files, part_files, err);
    dg_free(path);
    if (err->code != DG_OK) return err->code;
  }
  return 0;
}
