/* Parcels: one growing block, a header of four words, and checked steps through it. */
#include "libdg/mesh/load/parcel.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/digest.h"
#include "libdg/base/memory.h"

enum { WORD = 8 };

struct header {
  char magic[DG_PARCEL_MAGIC];
  uint64_t order; /* of bytes */
  uint64_t bytes; /* of all */
  uint64_t digest;
};

static const uint64_t byte_order = UINT64_C(0x0123456789abcdef);

void dg_parcel_release(struct dg_parcel *parcel)
{
  dg_free(parcel->start);
  *parcel = (struct dg_parcel){0};
}

/* ---- putting in ---- */

int dg_parcel_put_bytes(struct dg_parcel *parcel, const void *data, size_t bytes, struct dg_error *err)
{
  if (parcel->used == 0) parcel->used = sizeof(struct header);
  size_t padded = (bytes + WORD - 1) / WORD * WORD, need = parcel->used + padded;
  if (padded < bytes || need < padded) return dg_fail(err, DG_ENVIRONMENT, "out of memory: %zu bytes", bytes);
  if (need > parcel->room || parcel->start == NULL) {
    size_t room = need > 2 * parcel->room ? need : 2 * parcel->room;
    if (dg_grow(&parcel->start, room, 1, err) != 0) return err->code;
    parcel->room = room;
  }
  if (bytes > 0) memcpy(parcel->start + parcel->used, data, bytes);
  memset(parcel->start + parcel->used + bytes, 0, padded - bytes);
  parcel->used = need;
  return 0;
}

int dg_parcel_put_number(struct dg_parcel *parcel, uint64_t number, struct dg_error *err)
{
  return dg_parcel_put_bytes(parcel, &number, sizeof number, err);
}

int dg_parcel_put_real(struct dg_parcel *parcel, double number, struct dg_error *err)
{
  return dg_parcel_put_bytes(parcel, &number, sizeof number, err);
}

int dg_parcel_put_array(struct dg_parcel *parcel, size_t count, size_t size, const void *array, struct dg_error *err)
{
  if (dg_parcel_put_number(parcel, count, err) != 0) return err->code;
  return dg_parcel_put_bytes(parcel, array, count * size, err); /* it exists: the product does not overflow */
}

int dg_parcel_put_text(struct dg_parcel *parcel, const char *text, struct dg_error *err)
{
  return dg_parcel_put_array(parcel, strlen(text) + 1, 1, text, err);
}

/* ---- taking out ---- */

void dg_parcel_reread(struct dg_parcel *parcel)
{
  if (parcel->used > 0) parcel->at = sizeof(struct header);
}

static int damaged(struct dg_error *err, const char *how)
{
  return dg_fail(err, DG_ENVIRONMENT, "is damaged: %s", how);
}

static int take(struct dg_parcel *parcel, const void **data, size_t bytes, struct dg_error *err)
{
  size_t left = parcel->used - parcel->at;
  if (bytes > left) return damaged(err, "it ends too early");
  size_t padded = (bytes + WORD - 1) / WORD * WORD;
  *data = parcel->start + parcel->at;
  parcel->at += padded < left ? padded : left;
  return 0;
}

int dg_parcel_take_number(struct dg_parcel *parcel, uint64_t *number, struct dg_error *err)
{
  const void *data = NULL;
  if (take(parcel, &data, sizeof *number, err) != 0 || data == NULL) return err->code;
  memcpy(number, data, sizeof *number);
  return 0;
}

int dg_parcel_take_real(struct dg_parcel *parcel, double *number, struct dg_error *err)
{
  const void *data = NULL;
  if (take(parcel, &data, sizeof *number, err) != 0 || data == NULL) return err->code;
  memcpy(number, data, sizeof *number);
  return 0;
}

int dg_parcel_take_array(struct dg_parcel *parcel, size_t *count, size_t size, void *array, struct dg_error *err)
{
  uint64_t members = 0;
  const void *data = NULL;
  if (dg_parcel_take_number(parcel, &members, err) != 0) return err->code;
  if (members > (parcel->used - parcel->at) / size) return damaged(err, "it ends too early");
  if (take(parcel, &data, (size_t)members * size, err) != 0) return err->code;
  if (members == 0) data = NULL;
  *count = (size_t)members;
  memcpy(array, &data, sizeof data);
  return 0;
}

int dg_parcel_take_text(struct dg_parcel *parcel, const char **text, int line, struct dg_error *err)
{
  size_t count = 0;
  if (dg_parcel_take_array(parcel, &count, 1, text, err) != 0) return err->code;
  if (count == 0 || memchr(*text, '\0', count) != *text + count - 1) return damaged(err, "a text does not end");
  for (const char *c = *text; line && *c != '\0'; c++)
    if ((unsigned char)*c < ' ') return damaged(err, "a text has control characters");
  return 0;
}

/* ---- by way of a file ---- */

static uint64_t digest_of(const struct dg_parcel *parcel)
{
  return dg_digest(parcel->used, parcel->start + sizeof(struct header), parcel->used - sizeof(struct header));
}

int dg_parcel_send(struct dg_parcel *parcel, int descriptor, const char magic[DG_PARCEL_MAGIC], struct dg_error *err)
{
  if (parcel->used == 0 && dg_parcel_put_bytes(parcel, NULL, 0, err) != 0) return err->code;
  struct header header = {.order = byte_order, .bytes = parcel->used, .digest = digest_of(parcel)};
  memcpy(header.magic, magic, DG_PARCEL_MAGIC);
  memcpy(parcel->start, &header, sizeof header);
  for (size_t done = 0; done < parcel->used;) {
    ssize_t wrote = write(descriptor, parcel->start + done, parcel->used - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0)
      return dg_fail(err, DG_ENVIRONMENT, "cannot be written: %s", wrote < 0 ? strerror(errno) : "no room");
    done += (size_t)wrote;
  }
  return 0;
}

static int read_all(int descriptor, void *to, size_t bytes, off_t from, struct dg_error *err)
{
  for (size_t done = 0; done < bytes;) {
    ssize_t got = pread(descriptor, (char *)to + done, bytes - done, from + (off_t)done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return dg_fail(err, DG_ENVIRONMENT, "cannot be read: %s", strerror(errno));
    if (got == 0) return damaged(err, "it ends too early");
    done += (size_t)got;
  }
  return 0;
}

int dg_parcel_receive(struct dg_parcel *parcel, int descriptor, const char magic[DG_PARCEL_MAGIC], struct dg_error *err)
{
  struct header header;
  struct stat status;
  if (fstat(descriptor, &status) != 0) return dg_fail(err, DG_ENVIRONMENT, "cannot be read: %s", strerror(errno));
  if (!S_ISREG(status.st_mode) || status.st_size < (off_t)sizeof header) return damaged(err, "it is too short");
  if (read_all(descriptor, &header, sizeof header, 0, err) != 0) return err->code;
  if (memcmp(header.magic, magic, DG_PARCEL_MAGIC) != 0 || header.order != byte_order)
    return damaged(err, "it is of another kind or version");
  if (header.bytes != (uint64_t)status.st_size) return damaged(err, "its size is not what it says");
  parcel->used = parcel->room = (size_t)header.bytes;
  parcel->at = sizeof header;
  if (dg_alloc_untouched(&parcel->start, parcel->room, 1, err) != 0) goto fail;
  if (read_all(descriptor, parcel->start, parcel->used, 0, err) != 0) goto fail;
  if (digest_of(parcel) != header.digest) (void)damaged(err, "its digest is not what it says");
fail:
  if (err->code != DG_OK) dg_parcel_release(parcel);
  return err->code;
}
