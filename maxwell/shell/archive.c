/* One call for an array of numbers that is measured, saved or loaded. Every module's mx_..._archive function is made of
 * such calls. */
#include "maxwell/shell/archive.h"

_Static_assert(sizeof(long) == sizeof(int64_t), "longs are saved as 64-bit integers");

static int load(struct dg_store *store, const char *name, enum dg_store_type type, size_t count, void *value,
                struct dg_error *err)
{
  size_t there = 0;
  if (dg_store_count(store, name, &there, err) != 0) return err->code;
  if (there != count)
    return dg_fail(err, DG_ENVIRONMENT, "the checkpoint has %zu numbers of '%s', and this run %zu", there, name, count);
  return dg_store_read(store, name, type, 0, count, value, err);
}

static int array(struct mx_archive *archive, const char *name, enum dg_store_type type, size_t count, size_t size,
                 void *value, struct dg_error *err)
{
  if (count == 0) return 0;
  switch (archive->does) {
  case MX_ARCHIVE_MEASURES:
    archive->arrays++;
    archive->bytes += count * size;
    return 0;
  case MX_ARCHIVE_SAVES:
    return archive->store != NULL ? dg_store_put(archive->store, name, type, count, value, err) : 0;
  case MX_ARCHIVE_LOADS:
    if (archive->store != NULL && load(archive->store, name, type, count, value, err) != 0) return err->code;
    return dg_comm_broadcast(archive->comm, count * size, value, err);
  }
  return 0;
}

int mx_archive_doubles(struct mx_archive *archive, const char *name, size_t count, double *value, struct dg_error *err)
{
  return array(archive, name, DG_STORE_DOUBLES, count, sizeof *value, value, err);
}

int mx_archive_longs(struct mx_archive *archive, const char *name, size_t count, long *value, struct dg_error *err)
{
  return array(archive, name, DG_STORE_INTEGERS, count, sizeof *value, value, err);
}
