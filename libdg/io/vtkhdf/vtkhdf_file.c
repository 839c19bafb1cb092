/* Creating, naming and removing the files of a snapshot. vtkhdf_writer.c calls it; vtkhdf_root.c calls HDF5. */
#define _GNU_SOURCE /* O_NOFOLLOW */
#include "libdg/io/vtkhdf/vtkhdf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "libdg/files/room.h"
#include "libdg/io/library_lock.h"
#include "libdg/io/vtkhdf/vtkhdf_root.h"

/* Upper bounds of what HDF5 puts around arrays (measured: 0.6 kB an array and 6 kB for the rest). */
enum { ROOM_FOR_A_FILE = 65536, ROOM_FOR_AN_ARRAY = 4096 };

int dg_vtkhdf_failed(const char *path, const char *what, struct dg_error *err)
{
  const int reason = errno;
  return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s (%s)", path,
                 reason != 0 ? strerror(reason) : "the HDF5 library failed", what);
}

size_t dg_vtkhdf_array_bytes(const struct dg_vtkhdf_array *array)
{
  static const size_t size[] = {1, sizeof(long long), sizeof(double), sizeof(float)};
  return array->rows * (size_t)array->columns * size[array->type];
}

int dg_vtkhdf_file_init(struct dg_vtkhdf_file *file, const char *name, const char *path, struct dg_error *err)
{
  const size_t size = strlen(name) + sizeof ".part";
  *file = (struct dg_vtkhdf_file){.descriptor = -1};
  if (dg_copy_string(&file->path, path, err) != 0 || dg_copy_string(&file->name, name, err) != 0 ||
      dg_alloc(&file->part, size, 1, err) != 0)
    return err->code;
  snprintf(file->part, size, "%s.part", name);
  return 0;
}

static size_t room_for(size_t arrays, const struct dg_vtkhdf_array *array, const struct dg_vtkhdf_head *head)
{
  size_t bytes = ROOM_FOR_A_FILE + arrays * ROOM_FOR_AN_ARRAY;
  for (size_t i = 0; i < arrays; i++) bytes += dg_vtkhdf_array_bytes(&array[i]);
  if (head == NULL) return bytes;
  bytes += head->parts * 3 * sizeof(long long);
  for (size_t i = 0; i < head->joined; i++)
    bytes += ROOM_FOR_AN_ARRAY + head->join[i].pieces * (DG_VTKHDF_PATH + DG_VTKHDF_NAME + 256);
  return bytes;
}

/* Lets the library make the file; it has room to close it, whatever happens. */
static int make_file(struct dg_vtkhdf_file *file, size_t bytes, size_t arrays, struct dg_vtkhdf_array *array,
                     const struct dg_vtkhdf_head *head, struct dg_room *room, struct dg_error *err)
{
  H5E_auto2_t report;
  void *data;
  const int loud = H5Eget_auto2(H5E_DEFAULT, &report, &data) >= 0 && H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0;
  errno = 0;
  const hid_t made = H5Fcreate(file->part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (made < 0) (void)dg_vtkhdf_failed(file->path, "creating the file", err);
  if (err->code == DG_OK && dg_room_take(file->part, file->path, bytes, err) == 0) {
    errno = 0;
    int status = head != NULL ? dg_vtkhdf_put_head(made, head) : 0;
    for (size_t i = 0; status == 0 && i < arrays; i++) status = dg_vtkhdf_put_array(made, &array[i]);
    if (status < 0) (void)dg_vtkhdf_failed(file->path, "the arrays", err);
  }
  dg_room_give_back(room);
  errno = 0;
  if (made >= 0 && H5Fclose(made) < 0 && err->code == DG_OK) (void)dg_vtkhdf_failed(file->path, "closing", err);
  if (loud) (void)H5Eset_auto2(H5E_DEFAULT, report, data);
  return err->code;
}

int dg_vtkhdf_file_create(struct dg_vtkhdf_file *file, size_t arrays, struct dg_vtkhdf_array *array,
                          const struct dg_vtkhdf_head *head, struct dg_error *err)
{
  const size_t bytes = room_for(arrays, array, head);
  struct dg_room room;
  file->touched = true;
  if (dg_room_find(&room, file->part, file->path, 0, bytes, err) != 0) return err->code;
  dg_library_lock();
  (void)!make_file(file, bytes, arrays, array, head, &room, err);
  dg_library_unlock();
  if (err->code != DG_OK) return err->code;
  errno = 0;
  file->descriptor = open(file->part, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  return file->descriptor >= 0 ? 0 : dg_vtkhdf_failed(file->path, "opening the file", err);
}

int dg_vtkhdf_file_close(struct dg_vtkhdf_file *file, struct dg_error *err)
{
  if (file->descriptor < 0) return err->code;
  errno = 0;
  if (close(file->descriptor) != 0 && err->code == DG_OK) (void)dg_vtkhdf_failed(file->path, "closing", err);
  file->descriptor = -1;
  dg_room_trim(file->part);
  return err->code;
}

int dg_vtkhdf_file_finish(struct dg_vtkhdf_file *file, struct dg_error *err)
{
  errno = 0;
  if (rename(file->part, file->name) != 0) return dg_vtkhdf_failed(file->path, "renaming the complete file", err);
  file->touched = false;
  file->named = true;
  return 0;
}

void dg_vtkhdf_file_release(struct dg_vtkhdf_file *file, const struct dg_error *err)
{
  if (file->part != NULL && file->descriptor >= 0) (void)close(file->descriptor);
  if (err->code != DG_OK && file->part != NULL && file->touched) (void)unlink(file->part);
  if (err->code != DG_OK && file->name != NULL && file->named) (void)unlink(file->name);
  dg_free(file->path);
  dg_free(file->name);
  dg_free(file->part);
  *file = (struct dg_vtkhdf_file){.descriptor = -1};
}
