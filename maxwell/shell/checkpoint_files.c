/* Names of the files of checkpoints, listing them and removing old ones. The code of checkpoints calls it. */
#include "maxwell/shell/checkpoint_files.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "libdg/io/store.h"

enum { NAME = 80 };

static void write_name(char name[NAME], long number, long rank)
{
  if (rank == MX_ROOT) snprintf(name, NAME, "step_%012ld.h5", number);
  else snprintf(name, NAME, "step_%012ld_%04ld.h5", number, rank);
}

/* Says whether a name is that of a checkpoint's file, complete or not, and of which one. */
static bool read_name(const char *name, long *number, long *rank)
{
  char again[NAME];
  *rank = MX_ROOT;
  if (sscanf(name, "step_%ld_%ld.h5", number, rank) < 1 || *number < 0 || *rank < MX_ROOT) return false;
  write_name(again, *number, *rank);
  return strncmp(name, again, strlen(again)) == 0;
}

static bool is_complete(const char *name)
{
  size_t length = strlen(name);
  return length > 3 && strcmp(name + length - 3, ".h5") == 0;
}

int mx_checkpoint_path(char **path, const char *folder, long number, long rank, struct dg_error *err)
{
  char name[NAME];
  write_name(name, number, rank);
  const size_t size = strlen(folder) + sizeof name + 1;
  if (dg_alloc(path, size, 1, err) != 0) return err->code;
  snprintf(*path, size, "%s/%s", folder, name);
  return 0;
}

static int newest_first(const void *a, const void *b)
{
  const long *x = a, *y = b;
  return (*x < *y) - (*x > *y);
}

int mx_checkpoint_list(const char *folder, long **list, size_t *count, struct dg_error *err)
{
  DIR *dir = opendir(folder);
  *list = NULL;
  *count = 0;
  if (dir == NULL && errno == ENOENT) return 0;
  if (dir == NULL) return dg_fail(err, DG_ENVIRONMENT, "cannot read '%s': %s", folder, strerror(errno));
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    long number, rank;
    if (!read_name(entry->d_name, &number, &rank) || rank != MX_ROOT || !is_complete(entry->d_name)) continue;
    if (dg_grow(list, *count + 1, sizeof **list, err) != 0) break;
    (*list)[(*count)++] = number;
  }
  closedir(dir);
  if (err->code == DG_OK && *count > 0) qsort(*list, *count, sizeof **list, newest_first);
  if (err->code != DG_OK) {
    dg_free(*list);
    *list = NULL;
  }
  return err->code;
}

/* False: it cannot be opened, or is of a version that had no plan. */
static bool read_plan(struct mx_step_plan *plan, const char *folder, long number)
{
  struct dg_error why = {0};
  struct dg_store *store = NULL;
  double value[2] = {0};
  char *path = NULL;
  if (mx_checkpoint_path(&path, folder, number, MX_ROOT, &why) == 0 && dg_store_open(&store, path, false, &why) == 0 &&
      dg_store_has(store, MX_STEP_PLAN))
    (void)!dg_store_read(store, MX_STEP_PLAN, DG_STORE_DOUBLES, 0, 2, value, &why);
  dg_store_free(store);
  dg_free(path);
  const bool real = why.code == DG_OK && isfinite(value[0]) && isfinite(value[1]) && value[0] > 0;
  if (real) *plan = (struct mx_step_plan){value[0], value[1]};
  return real;
}

int mx_checkpoint_plan(struct mx_step_plan *plan, const char *output, struct dg_comm *comm, struct dg_error *err)
{
  const size_t size = strlen(output) + sizeof "/checkpoint";
  struct dg_error why = {0}; /* told by who loads the checkpoint */
  char *folder;
  long *list = NULL;
  size_t count = 0;
  *plan = (struct mx_step_plan){0};
  if (dg_comm_rank(comm) == 0 && dg_alloc(&folder, size, 1, err) == 0) {
    (void)snprintf(folder, size, "%s/checkpoint", output);
    (void)!mx_checkpoint_list(folder, &list, &count, &why);
    for (size_t i = 0; i < count && !read_plan(plan, folder, list[i]);) i++;
    dg_free(list);
    dg_free(folder);
  }
  return dg_comm_broadcast(comm, sizeof *plan, plan, err);
}

/* Removes the files that name the others first, so that no file names a missing one. */
static void remove_all_but(const char *folder, bool roots, size_t kept, const long *keep, long parts)
{
  DIR *dir = opendir(folder);
  if (dir == NULL) return;
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    long number, rank;
    if (!read_name(entry->d_name, &number, &rank) || (rank == MX_ROOT) != roots) continue;
    bool stays = false;
    for (size_t i = 0; i < kept; i++) stays = stays || (keep[i] == number && (i > 0 || rank < parts));
    if (!stays || !is_complete(entry->d_name)) (void)unlinkat(dirfd(dir), entry->d_name, 0);
  }
  closedir(dir);
}

int mx_checkpoint_prune(const char *folder, size_t keep, long parts, struct dg_error *err)
{
  long *list;
  size_t count;
  if (mx_checkpoint_list(folder, &list, &count, err) != 0) return err->code;
  if (count > keep) count = keep;
  remove_all_but(folder, true, count, list, parts);
  remove_all_but(folder, false, count, list, parts);
  dg_free(list);
  return 0;
}
