/* What only backends on a card can do: a table beside that of every backend (backend.h).
 *
 * Backends of the host have mx_no_card, whose functions do what is right without a card: nothing to take and to wait
 * for, no buffers and rows to be had. Callers therefore call, and ask `present` where they themselves go another way.
 * What is marked "present" is called only where there is a card.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

struct dg_comm;
struct mx_backend; /* opaque, each backend its own */
struct mx_point;
struct mx_stage_sources;

/* What is measured again and again: the fields at points, and functionals of the problem. */
struct mx_monitor {
  size_t points;
  const struct mx_point *point; /* the weights stay where they are */
  size_t functionals;
  const size_t *functional;
};

/* What a card can do, measured. */
struct mx_ceilings {
  char name[128];      /* of the card */
  size_t memory;       /* bytes */
  size_t array;        /* bytes of each of the two arrays that are copied */
  double copy;         /* bytes read and written a second */
  size_t fields_array; /* bytes: smaller arrays, as large as asked for */
  double copy_fields;  /* of those */
  double peak[2];      /* flops a second of multiply-adds, by enum mx_precision */
};

struct mx_card_ops {
  bool present;
  size_t unknowns; /* a card below which several lose more than a fifth of their speed; 0: no card */
  /* This rank takes the card that is its own, before anything but `available` is called. With `share` ranks may have
   * the same one; else that is an error (DG_INPUT), the same on all ranks. Collective; a NULL communicator is one rank.
   */
  int (*take)(struct dg_comm *comm, bool share, struct dg_error *err);
  /* Until all stages that were begun are done. */
  int (*wait)(struct mx_backend *backend, struct dg_error *err);
  /* Present: the sources of a stage that was begun with mx_sources_follow, before stage_end. What they depend on,
   * functionals of the fields before the stage, comes while the card works on it. */
  int (*stage_sources)(struct mx_backend *backend, int stage, const struct mx_stage_sources *sources,
                       struct dg_error *err);
  /* Present: what `functionals` gives, not centred, in two halves. The values are those behind what the card was given
   * to do before `begin`, and `end` waits for them, not for what came since. */
  int (*functionals_begin)(struct mx_backend *backend, size_t first, size_t count, struct dg_error *err);
  int (*functionals_end)(struct mx_backend *backend, size_t first, size_t count, double *value, struct dg_error *err);
  /* What `download` gives, in two halves, so that the fields leave the card while it works on. Buffers of the card take
   * as much as is wanted of both fields; there are *got of them, at most `count`, and 0 where there is no room. Once,
   * before the first stage. */
  int (*snapshot_buffers)(struct mx_backend *backend, size_t count, bool E, bool H, size_t *got, struct dg_error *err);
  /* Present. What is observed goes into a buffer, behind what the card has been given to do; the host does not wait. */
  int (*snapshot_begin)(struct mx_backend *backend, size_t buffer, struct dg_error *err);
  /* Present. From the buffer to the host, waiting for it; NULL for a field that is not wanted. A thread of its own may
   * call this while another one drives the backend. The buffer is free then. */
  int (*snapshot_fetch)(struct mx_backend *backend, size_t buffer, double *E, double *H, struct dg_error *err);
  /* What `sample` and `functionals` (centred) give, a row a time, without waiting for the card until rows are fetched.
   * *rows in: that are wanted; out: that there will be, 0 where that cannot be. Before the first stage. */
  int (*monitor_new)(struct mx_backend *backend, const struct mx_monitor *what, size_t *rows, size_t *monitor,
                     struct dg_error *err);
  /* Present. What is observed becomes a row, behind what the card has been given to do. */
  int (*monitor_take)(struct mx_backend *backend, size_t monitor, size_t row, struct dg_error *err);
  /* Present. value[rows][6 points + functionals]: rows 0..rows-1. */
  int (*monitor_fetch)(struct mx_backend *backend, size_t monitor, size_t rows, double *value, struct dg_error *err);
  /* Present. Seconds of an exchange of one stage's traces, or, `one_face`, of the message of one face to every
   * neighbour, with nothing else going on: the best of a few. Collective, between steps. */
  int (*time_exchange)(struct mx_backend *backend, bool one_face, double *seconds, struct dg_error *err);
  /* Bytes of the card that are allocated by now. */
  size_t (*allocated)(const struct mx_backend *backend);
  /* Present. What the card can do, copies of arrays of `field_bytes` each among that. */
  int (*ceilings)(size_t field_bytes, struct mx_ceilings *ceilings, struct dg_error *err);
};

extern const struct mx_card_ops mx_no_card;
