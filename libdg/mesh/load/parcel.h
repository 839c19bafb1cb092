/* A parcel: numbers, arrays and texts one behind another in one block of memory, which goes through a file descriptor
 * to another process or to the disk. In front stand a magic word that names the kind, the size and a digest, so that
 * what was cut off, damaged or written by another version is refused. What is taken out of a parcel points into it, at
 * multiples of 8 bytes. The numbers have the machine's own representation: a parcel does not leave the machine's kind.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "libdg/base/error.h"

enum { DG_PARCEL_MAGIC = 8 };

/* {0} is empty. */
struct dg_parcel {
  unsigned char *start; /* the header, then what was put in */
  size_t used, room;
  size_t at; /* where the next take begins */
};

void dg_parcel_release(struct dg_parcel *parcel);

/* The functions that put in. Errors are DG_ENVIRONMENT: no memory. */
int dg_parcel_put_number(struct dg_parcel *parcel, uint64_t number, struct dg_error *err) DG_MUST_USE;
int dg_parcel_put_real(struct dg_parcel *parcel, double number, struct dg_error *err) DG_MUST_USE;
/* Puts in `count` members of `size` bytes; array may be NULL when count is 0. */
int dg_parcel_put_array(struct dg_parcel *parcel, size_t count, size_t size, const void *array,
                        struct dg_error *err) DG_MUST_USE;
/* Puts in bytes without their number. */
int dg_parcel_put_bytes(struct dg_parcel *parcel, const void *data, size_t bytes, struct dg_error *err) DG_MUST_USE;
int dg_parcel_put_text(struct dg_parcel *parcel, const char *text, struct dg_error *err) DG_MUST_USE;

/* Goes from putting in to taking out in the same process. */
void dg_parcel_reread(struct dg_parcel *parcel);
/* The functions that take out, in the same order. The bytes may be anybody's: contents that do not fit are
 * DG_ENVIRONMENT ("is damaged"). */
int dg_parcel_take_number(struct dg_parcel *parcel, uint64_t *number, struct dg_error *err) DG_MUST_USE;
int dg_parcel_take_real(struct dg_parcel *parcel, double *number, struct dg_error *err) DG_MUST_USE;
/* Takes an array. *array, a pointer, points into the parcel, to *count members; NULL when there are none. */
int dg_parcel_take_array(struct dg_parcel *parcel, size_t *count, size_t size, void *array,
                         struct dg_error *err) DG_MUST_USE;
/* Takes a string that ends in the parcel; if `line`, it is one line of a message, without control characters. */
int dg_parcel_take_text(struct dg_parcel *parcel, const char **text, int line, struct dg_error *err) DG_MUST_USE;

/* Writes all of the parcel. Errors are DG_ENVIRONMENT with the system's reason. */
int dg_parcel_send(struct dg_parcel *parcel, int descriptor, const char magic[DG_PARCEL_MAGIC],
                   struct dg_error *err) DG_MUST_USE;
/* Reads a file, from its start, into an empty parcel. DG_ENVIRONMENT: it is no complete parcel of that kind. */
int dg_parcel_receive(struct dg_parcel *parcel, int descriptor, const char magic[DG_PARCEL_MAGIC],
                      struct dg_error *err) DG_MUST_USE;
