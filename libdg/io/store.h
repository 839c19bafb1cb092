/* Files of named arrays (HDF5) that are whole or not there, and say so: what checkpoints are made of.
 *
 * A file is written as PATH.part; dg_store_finish puts a digest of all its bytes into the first 512 (HDF5 leaves them
 * to us), waits until the disk has it, and gives it its name. dg_store_open compares the digest before HDF5 sees
 * anything, so that a file that was cut or changed is an error and not a crash. All arrays are flat; names may contain
 * folders ("ports/1/incident"). Not collective: every file belongs to one process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdg/base/error.h"

struct dg_store; /* opaque */

/* In memory an array is unsigned char, int64_t or double; floats are doubles whose values single precision has. */
enum dg_store_type { DG_STORE_BYTES, DG_STORE_INTEGERS, DG_STORE_DOUBLES, DG_STORE_FLOATS };

/* Before anything else of HDF5: the library does not close itself when the program ends. Every file is closed by then,
 * and without memory that would end in a message about an infinite loop. */
void dg_store_prepare(void);

/* ---- writing. Errors are DG_ENVIRONMENT with the path and the reason. */

/* Creates a file. `bytes` are at least those of all arrays, `arrays` at least their number: the room for them is taken
 * beforehand. */
int dg_store_create(struct dg_store **store, const char *path, size_t bytes, size_t arrays,
                    struct dg_error *err) DG_MUST_USE;
/* Adds a new array of `count` numbers. */
int dg_store_add(struct dg_store *store, const char *name, enum dg_store_type type, size_t count,
                 struct dg_error *err) DG_MUST_USE;
/* Writes numbers first..first+count-1 of an array. */
int dg_store_write(struct dg_store *store, const char *name, size_t first, size_t count, const void *data,
                   struct dg_error *err) DG_MUST_USE;
/* Adds an array and writes all of it. */
int dg_store_put(struct dg_store *store, const char *name, enum dg_store_type type, size_t count, const void *data,
                 struct dg_error *err) DG_MUST_USE;
/* Completes the file; *digest, which may be NULL, is the digest that dg_store_open will find. */
int dg_store_finish(struct dg_store *store, uint64_t *digest, struct dg_error *err) DG_MUST_USE;

/* ---- reading */

/* Checks a file. DG_ENVIRONMENT: the file is not there, cannot be read, or is not what was written. *digest may be
 * NULL. */
int dg_store_check(const char *path, uint64_t *digest, struct dg_error *err) DG_MUST_USE;
/* Checks a file and opens it; the check is left out if the caller has `checked`. */
int dg_store_open(struct dg_store **store, const char *path, bool checked, struct dg_error *err) DG_MUST_USE;
bool dg_store_has(const struct dg_store *store, const char *name);
/* Finds the length of an array. DG_ENVIRONMENT where there is no such array, or one that dg_store_add does not make. */
int dg_store_count(const struct dg_store *store, const char *name, size_t *count, struct dg_error *err) DG_MUST_USE;
/* Reads numbers first..first+count-1 of an array of this type; doubles and floats are taken for each other. */
int dg_store_read(struct dg_store *store, const char *name, enum dg_store_type type, size_t first, size_t count,
                  void *data, struct dg_error *err) DG_MUST_USE;

/* Closes the file; one that was not finished is removed. NULL is safe. */
void dg_store_free(struct dg_store *store);
