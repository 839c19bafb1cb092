/* Creating, naming and removing Silo files, options of their objects, and the lock that gives Silo and HDF5 to one
 * thread at a time. The other files of this folder call it around every call of the library. */
#include "libdg/io/silo/silo_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/io/library_lock.h"

int dg_silo_failed(const char *path, const char *what, struct dg_error *err)
{
  const int reason = errno;
  return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s (%s)", path, reason ? strerror(reason) : DBErrString(),
                 what);
}

/* ---- one thread at a time ---------------------------------------------------------------------------------------- */

/* What Silo said about errors before; globals, because Silo's are. */
static int level;
static DBErrFunc_t report;

void dg_silo_lock(void)
{
  dg_library_lock();
  level = DBErrlvl();
  report = DBErrfunc();
  DBShowErrors(DB_NONE, NULL);
  errno = 0;
}

void dg_silo_unlock(void)
{
  const int reason = errno;
  DBShowErrors(level, report);
  dg_library_unlock();
  errno = reason;
}

/* ---- the file -------------------------------------------------------------------------------------------------- */

int dg_silo_file_init(struct dg_silo_file *file, const char *name, const char *path, struct dg_ledger *ledger,
                      struct dg_error *err)
{
  const size_t size = strlen(name) + sizeof ".part";

  *file = (struct dg_silo_file){.room.held = -1, .ledger = ledger};
  if (dg_copy_string(&file->path, path, err) != 0 || dg_copy_string(&file->name, name, err) != 0 ||
      dg_alloc(&file->part, size, 1, err) != 0 || dg_alloc(&file->held, size, 1, err) != 0)
    return err->code;
  snprintf(file->part, size, "%s.part", name);
  snprintf(file->held, size, "%s.room", name);
  return 0;
}

static int open_file(struct dg_silo_file *file, const char *created, size_t there, size_t bytes, struct dg_error *err)
{
  if (created != NULL && dg_ledger_claim(file->ledger, DG_LEDGER_OUTPUT, file->name, err) != 0) return err->code;
  file->touched = true;
  if (dg_room_find(&file->room, created != NULL ? file->part : file->held, file->path, there, bytes, err) != 0)
    return err->code;
  dg_silo_lock();
  file->db = created != NULL ? DBCreate(file->part, DB_CLOBBER, DB_LOCAL, created, DB_HDF5)
                             : DBOpen(file->part, DB_HDF5, DB_APPEND);
  if (file->db == NULL) dg_silo_failed(file->path, created != NULL ? "creating the file" : "opening the file", err);
  dg_silo_unlock();
  if (file->db == NULL) {
    dg_room_give_back(&file->room);
    return err->code;
  }
  if (dg_room_take(file->part, file->path, there + bytes, err) != 0) return dg_silo_file_close(file, err);
  return 0;
}

int dg_silo_file_create(struct dg_silo_file *file, const char *what, size_t bytes, struct dg_error *err)
{
  return open_file(file, what, 0, bytes, err);
}

int dg_silo_file_append(struct dg_silo_file *file, size_t bytes, struct dg_error *err)
{
  struct stat status;
  if (stat(file->part, &status) != 0)
    return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", file->path, strerror(errno));
  return open_file(file, NULL, (size_t)status.st_size, bytes, err);
}

int dg_silo_file_create_bare(struct dg_silo_file *file, size_t bytes, struct dg_error *err)
{
  if (dg_ledger_claim(file->ledger, DG_LEDGER_OUTPUT, file->name, err) != 0) return err->code;
  file->touched = true;
  if (dg_room_find(&file->room, file->part, file->path, 0, bytes, err) != 0) return err->code;
  dg_room_give_back(&file->room); /* the room to close a file is for libraries */
  file->descriptor = dg_file_create(file->part);
  file->bare = file->descriptor >= 0;
  if (!file->bare) return dg_silo_failed(file->path, "creating the file", err);
  if (dg_room_take(file->part, file->path, bytes, err) != 0) return dg_silo_file_close(file, err);
  return 0;
}

static int close_bare(struct dg_silo_file *file, struct dg_error *err)
{
  file->bare = false;
  if (close(file->descriptor) != 0) dg_silo_failed(file->path, "closing", err);
  dg_room_trim(file->part);
  return err->code;
}

int dg_silo_file_close(struct dg_silo_file *file, struct dg_error *err)
{
  if (file->bare) return close_bare(file, err);
  if (file->db == NULL) return err->code;
  dg_room_give_back(&file->room);
  dg_silo_lock();
  if (DBClose(file->db) < 0) dg_silo_failed(file->path, "closing", err);
  file->db = NULL;
  dg_silo_unlock();
  dg_room_trim(file->part);
  return err->code;
}

int dg_silo_file_finish(struct dg_silo_file *file, struct dg_error *err)
{
  errno = 0;
  if (rename(file->part, file->name) != 0) return dg_silo_failed(file->path, "renaming the complete file", err);
  file->touched = false;
  file->named = true;
  return 0;
}

void dg_silo_file_release(struct dg_silo_file *file, const struct dg_error *err)
{
  if (err->code != DG_OK && file->touched) unlink(file->part);
  if (err->code != DG_OK && file->named) unlink(file->name);
  dg_free(file->path);
  dg_free(file->name);
  dg_free(file->part);
  dg_free(file->held);
  *file = (struct dg_silo_file){0};
}

/* ---- options --------------------------------------------------------------------------------------------------- */

int dg_silo_options_init(struct dg_silo_options *options, const char *path, double time, int cycle,
                         struct dg_error *err)
{
  *options = (struct dg_silo_options){.cycle = cycle, .time = (float)time, .precise_time = time};
  errno = 0;
  options->list = DBMakeOptlist(20);
  if (options->list == NULL) return dg_silo_failed(path, "options", err);
  DBAddOption(options->list, DBOPT_CYCLE, &options->cycle);
  DBAddOption(options->list, DBOPT_TIME, &options->time);
  DBAddOption(options->list, DBOPT_DTIME, &options->precise_time);
  return 0;
}

void dg_silo_options_axes(struct dg_silo_options *options)
{
  static const int unit_option[3] = {DBOPT_XUNITS, DBOPT_YUNITS, DBOPT_ZUNITS};
  static const int label_option[3] = {DBOPT_XLABEL, DBOPT_YLABEL, DBOPT_ZLABEL};
  static char metre[] = "m", axis[3][2] = {"x", "y", "z"}; /* Silo takes pointers that are not const */
  for (int d = 0; d < 3; d++) {
    DBAddOption(options->list, unit_option[d], metre);
    DBAddOption(options->list, label_option[d], axis[d]);
  }
}

void dg_silo_options_label(struct dg_silo_options *options, const char *label, const char *unit)
{
  snprintf(options->unit, sizeof options->unit, "%s", unit);
  snprintf(options->label, sizeof options->label, "%s", label);
  DBAddOption(options->list, DBOPT_UNITS, options->unit);
  DBAddOption(options->list, DBOPT_LABEL, options->label);
}
