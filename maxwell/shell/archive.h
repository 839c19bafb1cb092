/* State on its way to a checkpoint and back. Every module has one function that names its numbers; this function
 * measures, saves and loads, so that the three cannot differ.
 *
 * All arrays lie in one file, which rank 0 has; loaded arrays go to all ranks of the archive. Errors are those of
 * libdg/io/store.h, and DG_ENVIRONMENT for an array that has another length than the run's. */
#pragma once

#include <stddef.h>

#include "libdg/comm/comm.h"
#include "libdg/io/store.h"

enum mx_archive_does {
  MX_ARCHIVE_MEASURES, /* counts arrays and bytes, without a store */
  MX_ARCHIVE_SAVES,    /* not collective: rank 0 alone */
  MX_ARCHIVE_LOADS     /* collective over comm */
};

struct mx_archive {
  enum mx_archive_does does;
  struct dg_store *store; /* borrowed; NULL on other ranks and when measuring */
  struct dg_comm *comm;   /* borrowed; NULL: the caller alone */
  size_t arrays, bytes;   /* measured */
};

/* Measures, saves or loads an array. `name` is a printf format's result: "ports/1/incident". count = 0 does nothing. */
int mx_archive_doubles(struct mx_archive *archive, const char *name, size_t count, double *value,
                       struct dg_error *err) DG_MUST_USE;
int mx_archive_longs(struct mx_archive *archive, const char *name, size_t count, long *value,
                     struct dg_error *err) DG_MUST_USE;
