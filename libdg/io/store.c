/* Files of arrays in HDF5 with a digest in their first 512 bytes. Checkpoints are made of them. The types, dimensions
 * and lengths in a file are checked before they are believed. */
#define _GNU_SOURCE /* sync_file_range */
#include "libdg/io/store.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/digest.h"
#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/files/room.h"

enum {
  HEAD = 512,              /* bytes in front of what is HDF5's */
  PIECE = 1 << 18,         /* bytes that are read at a time: they stay in the cache */
  BEHIND = 1 << 24,        /* bytes after which the disk is told to begin */
  ROOM_FOR_A_FILE = 16384, /* bytes of HDF5's own, more than it needs */
  ROOM_FOR_AN_ARRAY = 4096
};

void dg_store_prepare(void) { (void)H5dont_atexit(); }

struct dg_store {
  char *path, *part;
  hid_t file; /* negative: closed */
  bool writes, finished;
  size_t waiting; /* bytes that the disk was not yet told of */
  struct dg_room room;
  H5E_auto2_t report; /* what HDF5 does about errors, and its argument */
  void *report_data;
};

static int failed(const char *what, const char *path, struct dg_error *err)
{
  const int reason = errno;
  return dg_fail(err, DG_ENVIRONMENT, "cannot %s '%s': %s", what, path,
                 reason != 0 ? strerror(reason) : "the HDF5 library failed");
}

static int write_failed(const struct dg_store *store, struct dg_error *err)
{
  return failed("write", store->path, err);
}
static int read_failed(const struct dg_store *store, struct dg_error *err) { return failed("read", store->path, err); }

/* Keeps HDF5 from printing its errors. Silo, in the same process, sets this as it likes. */
static void be_quiet(struct dg_store *store)
{
  if (H5Eget_auto2(H5E_DEFAULT, &store->report, &store->report_data) >= 0) (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void be_as_before(const struct dg_store *store)
{
  (void)H5Eset_auto2(H5E_DEFAULT, store->report, store->report_data);
}

static hid_t file_type(enum dg_store_type type)
{
  switch (type) {
  case DG_STORE_BYTES:
    return H5T_STD_U8LE;
  case DG_STORE_INTEGERS:
    return H5T_STD_I64LE;
  case DG_STORE_DOUBLES:
    return H5T_IEEE_F64LE;
  case DG_STORE_FLOATS:
    return H5T_IEEE_F32LE;
  }
  return -1;
}

/* ---- the bytes in front */

static void make_head(char head[HEAD], uint64_t digest, long long bytes)
{
  memset(head, '\n', HEAD);
  int length =
      snprintf(head, HEAD, "curlew store 1: %lld bytes of HDF5 follow, digest %016" PRIx64 "\n", bytes, digest);
  head[length] = '\n';
}

/* Computes the digest and the number of all bytes behind the head. */
static int digest_of(int file, uint64_t *digest, long long *bytes, const char *path, struct dg_error *err)
{
  unsigned char *piece;
  *digest = 0;
  *bytes = 0;
  if (dg_alloc_untouched(&piece, PIECE, 1, err) != 0) return err->code;
  for (;;) {
    size_t filled = 0; /* whole pieces, whatever read gives at a time */
    ssize_t got = 1;
    while (filled < PIECE && got > 0) {
      do {
        errno = 0;
        got = pread(file, piece + filled, PIECE - filled, (off_t)(HEAD + *bytes) + (off_t)filled);
      } while (got < 0 && errno == EINTR);
      if (got > 0) filled += (size_t)got;
    }
    if (got < 0) {
      (void)failed("read", path, err);
      break;
    }
    if (filled == 0) break;
    *digest = dg_digest(*digest, piece, filled);
    *bytes += (long long)filled;
  }
  dg_free(piece);
  return err->code;
}

int dg_store_check(const char *path, uint64_t *result, struct dg_error *err)
{
  char head[HEAD], wanted[HEAD];
  uint64_t digest;
  long long bytes;
  errno = 0;
  int file;
  if (dg_file_open(&file, path, O_RDONLY, err) != 0) return err->code;
  ssize_t got = pread(file, head, HEAD, 0);
  if (got < 0) (void)failed("read", path, err);
  else if (got < HEAD) (void)dg_fail(err, DG_ENVIRONMENT, "'%s' is damaged: it ends after %zd bytes", path, got);
  else if (digest_of(file, &digest, &bytes, path, err) == 0) {
    make_head(wanted, digest, bytes);
    if (memcmp(head, wanted, HEAD) != 0)
      (void)dg_fail(err, DG_ENVIRONMENT, "'%s' is damaged: its content is not what was written", path);
    else if (result != NULL) *result = digest;
  }
  close(file);
  return err->code;
}

/* ---- writing */

static int new_store(struct dg_store **result, const char *path, bool writes, struct dg_error *err)
{
  struct dg_store *store;
  const size_t size = strlen(path) + sizeof ".part";
  *result = NULL;
  if (DG_NEW(store, 1, err) != 0) return err->code;
  *store = (struct dg_store){.file = -1, .writes = writes, .room.held = -1};
  if (dg_copy_string(&store->path, path, err) != 0 || dg_alloc(&store->part, size, 1, err) != 0) {
    dg_free(store->path);
    dg_free(store);
    return err->code;
  }
  snprintf(store->part, size, "%s.part", path);
  *result = store;
  return 0;
}

int dg_store_create(struct dg_store **result, const char *path, size_t bytes, size_t arrays, struct dg_error *err)
{
  struct dg_store *store;
  bytes += HEAD + ROOM_FOR_A_FILE + arrays * ROOM_FOR_AN_ARRAY;
  *result = NULL;
  if (new_store(&store, path, true, err) != 0 || store == NULL) return err->code;
  if (dg_room_find(&store->room, store->part, path, 0, bytes, err) != 0) {
    dg_store_free(store);
    return err->code;
  }
  be_quiet(store);
  errno = 0;
  const hid_t how = H5Pcreate(H5P_FILE_CREATE);
  if (how >= 0 && H5Pset_userblock(how, HEAD) >= 0)
    store->file = H5Fcreate(store->part, H5F_ACC_TRUNC, how, H5P_DEFAULT);
  if (how >= 0) (void)H5Pclose(how);
  if (store->file < 0) {
    (void)write_failed(store, err);
    be_as_before(store);
  }
  if (err->code != DG_OK || dg_room_take(store->part, path, bytes, err) != 0) {
    dg_store_free(store);
    return err->code;
  }
  *result = store;
  return 0;
}

int dg_store_add(struct dg_store *store, const char *name, enum dg_store_type type, size_t count, struct dg_error *err)
{
  const hsize_t size = count;
  errno = 0;
  const hid_t space = H5Screate_simple(1, &size, NULL), links = H5Pcreate(H5P_LINK_CREATE);
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  hid_t array = -1;
  /* without the time of day: the same arrays make the same file */
  if (space >= 0 && links >= 0 && how >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
      H5Pset_obj_track_times(how, false) >= 0)
    array = H5Dcreate2(store->file, name, file_type(type), space, links, how, H5P_DEFAULT);
  if (array < 0) (void)write_failed(store, err);
  else (void)H5Dclose(array);
  if (how >= 0) (void)H5Pclose(how);
  if (links >= 0) (void)H5Pclose(links);
  if (space >= 0) (void)H5Sclose(space);
  return err->code;
}

static hid_t memory_type(enum dg_store_type type)
{
  switch (type) {
  case DG_STORE_BYTES:
    return H5T_NATIVE_UCHAR;
  case DG_STORE_INTEGERS:
    return H5T_NATIVE_INT64;
  case DG_STORE_DOUBLES:
  case DG_STORE_FLOATS:
    return H5T_NATIVE_DOUBLE;
  }
  return -1;
}

/* The kind that an array in a file has in memory; -1: none of ours. */
static int kind_of(hid_t array)
{
  const hid_t type = H5Dget_type(array);
  int kind = -1;
  if (type < 0) return -1;
  const size_t size = H5Tget_size(type);
  if (H5Tget_class(type) == H5T_INTEGER && (size == 1 || size == sizeof(int64_t)))
    kind = size == 1 ? DG_STORE_BYTES : DG_STORE_INTEGERS;
  if (H5Tget_class(type) == H5T_FLOAT && (size == sizeof(float) || size == sizeof(double))) kind = DG_STORE_DOUBLES;
  (void)H5Tclose(type);
  return kind;
}

/* Reads or writes numbers first..first+count-1, which the array has. */
static int transfer(struct dg_store *store, const char *name, size_t first, size_t count, void *in, const void *out,
                    struct dg_error *err)
{
  const hsize_t from = first, size = count;
  if (count == 0) return 0;
  errno = 0;
  const hid_t array = H5Dopen2(store->file, name, H5P_DEFAULT);
  const hid_t there = array >= 0 ? H5Dget_space(array) : -1, here = H5Screate_simple(1, &size, NULL);
  const int kind = array >= 0 ? kind_of(array) : -1;
  herr_t status = -1;
  if (kind >= 0 && there >= 0 && here >= 0 &&
      H5Sselect_hyperslab(there, H5S_SELECT_SET, &from, NULL, &size, NULL) >= 0) {
    const hid_t memory = memory_type((enum dg_store_type)kind);
    status = in != NULL ? H5Dread(array, memory, here, there, H5P_DEFAULT, in)
                        : H5Dwrite(array, memory, here, there, H5P_DEFAULT, out);
  }
  if (status < 0) (void)(in != NULL ? read_failed(store, err) : write_failed(store, err));
  if (here >= 0) (void)H5Sclose(here);
  if (there >= 0) (void)H5Sclose(there);
  if (array >= 0) (void)H5Dclose(array);
  return err->code;
}

/* Tells the disk to begin. It works while more is written, so that less is left to wait for at the end. */
static void begin_writing(const struct dg_store *store)
{
  void *handle;
  if (H5Fget_vfd_handle(store->file, H5P_DEFAULT, &handle) >= 0)
    (void)sync_file_range(*(const int *)handle, 0, 0, SYNC_FILE_RANGE_WRITE);
}

int dg_store_write(struct dg_store *store, const char *name, size_t first, size_t count, const void *data,
                   struct dg_error *err)
{
  if (transfer(store, name, first, count, NULL, data, err) != 0) return err->code;
  store->waiting += count * sizeof(double);
  if (store->waiting >= BEHIND) {
    store->waiting = 0;
    begin_writing(store);
  }
  return 0;
}

int dg_store_put(struct dg_store *store, const char *name, enum dg_store_type type, size_t count, const void *data,
                 struct dg_error *err)
{
  if (dg_store_add(store, name, type, count, err) != 0) return err->code;
  return dg_store_write(store, name, 0, count, data, err);
}

static void close_file(struct dg_store *store, struct dg_error *err)
{
  if (store->file < 0) return;
  dg_room_give_back(&store->room);
  errno = 0;
  if (H5Fclose(store->file) < 0 && store->writes) (void)write_failed(store, err);
  store->file = -1;
  be_as_before(store);
  if (store->writes) dg_room_trim(store->part);
}

int dg_store_finish(struct dg_store *store, uint64_t *result, struct dg_error *err)
{
  char head[HEAD];
  uint64_t digest;
  long long bytes;
  close_file(store, err);
  if (err->code != DG_OK) return err->code;
  errno = 0;
  int file = open(store->part, O_RDWR);
  if (file < 0) return write_failed(store, err);
  if (digest_of(file, &digest, &bytes, store->part, err) == 0) {
    make_head(head, digest, bytes);
    errno = 0;
    if (pwrite(file, head, HEAD, 0) != HEAD || fsync(file) != 0) (void)write_failed(store, err);
  }
  errno = 0;
  if (close(file) != 0 && err->code == DG_OK) (void)write_failed(store, err);
  if (err->code != DG_OK) return err->code;
  if (rename(store->part, store->path) != 0) return write_failed(store, err);
  store->finished = true;
  if (result != NULL) *result = digest;
  (void)dg_file_sync_folder(store->path);
  return 0;
}

/* ---- reading */

int dg_store_open(struct dg_store **result, const char *path, bool checked, struct dg_error *err)
{
  struct dg_store *store;
  *result = NULL;
  if (!checked && dg_store_check(path, NULL, err) != 0) return err->code;
  if (new_store(&store, path, false, err) != 0 || store == NULL) return err->code;
  be_quiet(store);
  errno = 0;
  store->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (store->file < 0) {
    (void)read_failed(store, err);
    be_as_before(store);
    dg_store_free(store);
    return err->code;
  }
  *result = store;
  return 0;
}

/* Looks for every folder on the way, because H5Lexists wants them to exist. */
bool dg_store_has(const struct dg_store *store, const char *name)
{
  char part[256];
  for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    snprintf(part, sizeof part, "%.*s", (int)(slash - name), name);
    if (H5Lexists(store->file, part, H5P_DEFAULT) <= 0) return false;
  }
  return H5Lexists(store->file, name, H5P_DEFAULT) > 0;
}

/* Finds length and kind of an array as we write them. A digest keeps accidents out, but not files that somebody makes
 * on purpose: HDF5 has arrays of several dimensions, of any type, and arrays that are longer than the file they are
 * in. */
static int look_at(const struct dg_store *store, const char *name, size_t *count, int *kind, struct dg_error *err)
{
  const hid_t array = dg_store_has(store, name) ? H5Dopen2(store->file, name, H5P_DEFAULT) : -1;
  if (array < 0) return dg_fail(err, DG_ENVIRONMENT, "'%s' has no array '%s'", store->path, name);
  const hid_t space = H5Dget_space(array);
  const hssize_t numbers =
      space >= 0 && H5Sget_simple_extent_ndims(space) == 1 ? H5Sget_simple_extent_npoints(space) : -1;
  const int found = kind_of(array);
  hsize_t bytes;
  if (numbers < 0 || found < 0 || H5Fget_filesize(store->file, &bytes) < 0 || (hsize_t)numbers > bytes)
    (void)dg_fail(err, DG_ENVIRONMENT, "'%s': '%s' is not an array as curlew writes them", store->path, name);
  else *count = (size_t)numbers, *kind = found;
  if (space >= 0) (void)H5Sclose(space);
  (void)H5Dclose(array);
  return err->code;
}

int dg_store_count(const struct dg_store *store, const char *name, size_t *count, struct dg_error *err)
{
  int kind;
  return look_at(store, name, count, &kind, err);
}

int dg_store_read(struct dg_store *store, const char *name, enum dg_store_type type, size_t first, size_t count,
                  void *data, struct dg_error *err)
{
  static const char *const kinds[] = {"bytes", "integers", "numbers"};
  const int wanted = type == DG_STORE_FLOATS ? DG_STORE_DOUBLES : (int)type;
  size_t there = 0;
  int kind = DG_STORE_BYTES;
  if (look_at(store, name, &there, &kind, err) != 0) return err->code;
  if (kind != wanted)
    return dg_fail(err, DG_ENVIRONMENT, "'%s': array '%s' has %s, not %s", store->path, name, kinds[kind],
                   kinds[wanted]);
  if (first > there || count > there - first)
    return dg_fail(err, DG_ENVIRONMENT, "'%s': array '%s' ends after %zu numbers, before the %zu from %zu on",
                   store->path, name, there, count, first);
  return transfer(store, name, first, count, data, NULL, err);
}

void dg_store_free(struct dg_store *store)
{
  struct dg_error ignored = {0}; /* an earlier one is being reported, or nothing was written */
  if (store == NULL) return;
  close_file(store, &ignored);
  dg_room_give_back(&store->room);
  if (store->writes && !store->finished) (void)unlink(store->part);
  dg_free(store->path);
  dg_free(store->part);
  dg_free(store);
}
