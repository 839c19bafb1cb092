/* The functions that only backends on a card can do: a table beside that of every backend (backend.h).
 *
 * Backends of the host have mx_no_card, whose functions do what is right without a card: there is no card to take or
 * to wait for, and there are no buffers and rows. Callers therefore need no test. A caller that goes another way
 * without a card asks `present`. Functions marked "Present" are called only where there is a card, and every card has
 * them. Only `elliptic` is optional. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdg/base/error.h"

struct dg_comm;
struct dg_device_ops; /* libdg/solve/device.h */
struct mx_backend;    /* opaque, each backend its own */
struct mx_point;
struct mx_stage_sources;

/* A set of values that is measured again and again: the fields at points, and functionals of the problem. */
struct mx_monitor {
  size_t points;
  const struct mx_point *point; /* borrowed weights, which must stay */
  size_t functionals;
  const size_t *functional;
};

/* Running sums of what is sampled on faces: of every face and node four numbers, each a weighted sum of E and H at the
 * node on this rank's sides of the face. Weights are borrowed only by the call that makes the sums. */
struct mx_face_sums {
  size_t faces;
  const int32_t (*side)[2];     /* [faces] 4 * element + face, or -1 */
  const double (*weight)[4][6]; /* [sides that are here] */
  size_t frequencies;
};

/* Running sums of the fields at points: of every point `components` numbers from `first` on, of E and H one behind the
 * other. Points and weights are borrowed only by the call that makes the sums. */
struct mx_point_sums {
  size_t points;
  const struct mx_point *point; /* [points] those of one element stand together */
  size_t first, components;     /* 0, 3: E; 3, 3: H; 0, 6: both */
  size_t frequencies;
  size_t rows; /* samples that are taken before they are added, at most 32 */
};

/* The measured ceilings of a card. */
struct mx_ceilings {
  char name[128];      /* of the card */
  size_t memory;       /* bytes */
  size_t array;        /* bytes of each of the two arrays that are copied */
  double copy;         /* bytes read and written a second */
  size_t fields_array; /* bytes: smaller arrays, as large as asked for */
  double copy_fields;  /* the same for the smaller arrays */
  double peak[2];      /* flops a second of multiply-adds, by enum mx_precision */
};

struct mx_card_ops {
  bool present;
  size_t unknowns; /* a card below which several lose more than a fifth of their speed; 0: no card */
  /* Takes this rank's own card, before anything but `available` is called. With `share` several ranks may have the same
   * card; otherwise that is an error (DG_INPUT), the same on all ranks. Collective; a NULL communicator is one rank. */
  int (*take)(struct dg_comm *comm, bool share, struct dg_error *err);
  /* Waits until all stages that were begun are done. */
  int (*wait)(struct mx_backend *backend, struct dg_error *err);
  /* Present. Gives the sources of a stage that was begun with mx_sources_follow, before stage_end. The sources may
   * depend on functionals of the fields before the stage; the card works on the stage while they are made. */
  int (*stage_sources)(struct mx_backend *backend, int stage, const struct mx_stage_sources *sources,
                       struct dg_error *err);
  /* Present. `functionals`, not centred, in two halves. The values are those after the work that the card had been
   * given before `begin`. `end` waits for them, and not for later work. */
  int (*functionals_begin)(struct mx_backend *backend, size_t first, size_t count, struct dg_error *err);
  int (*functionals_end)(struct mx_backend *backend, size_t first, size_t count, double *value, struct dg_error *err);
  /* `download` in two halves, so that the fields leave the card while it works on. A buffer of the card holds all that
   * is wanted of both fields. *got is the number of buffers, at most `count`, and 0 where there is no room. Call it
   * once, before the first stage. */
  int (*snapshot_buffers)(struct mx_backend *backend, size_t count, bool E, bool H, size_t *got, struct dg_error *err);
  /* Present. Puts the observed fields into a buffer, behind the work that the card has been given. The host does not
   * wait. */
  int (*snapshot_begin)(struct mx_backend *backend, size_t buffer, struct dg_error *err);
  /* Present. Brings a buffer to the host and waits for it; the buffer is free afterwards. NULL stands for a field that
   * is not wanted. A thread of its own may call this function while another one drives the backend. */
  int (*snapshot_fetch)(struct mx_backend *backend, size_t buffer, double *E, double *H, struct dg_error *err);
  /* Makes a monitor: the values of `sample` and `functionals` (centred), a row a time. The host does not wait for the
   * card until it fetches rows. *rows is first the number of rows wanted, then the number of rows made, 0 where none
   * can be. Call it before the first stage. */
  int (*monitor_new)(struct mx_backend *backend, const struct mx_monitor *what, size_t *rows, size_t *monitor,
                     struct dg_error *err);
  /* Present. Puts the observed values into a row, behind the work that the card has been given. */
  int (*monitor_take)(struct mx_backend *backend, size_t monitor, size_t row, struct dg_error *err);
  /* Present. Fetches value[rows][6 points + functionals], the rows 0..rows-1. */
  int (*monitor_fetch)(struct mx_backend *backend, size_t monitor, size_t rows, double *value, struct dg_error *err);
  /* Present. Makes sums of zero: sum[2 frequencies][faces][4][Nf]. Call it before the first
   * stage. */
  int (*face_sums_new)(struct mx_backend *backend, const struct mx_face_sums *what, size_t *number,
                       struct dg_error *err);
  /* Present. The same of points: sum[2 frequencies][points][components]. */
  int (*point_sums_new)(struct mx_backend *backend, const struct mx_point_sums *what, size_t *number,
                        struct dg_error *err);
  /* Present, as what follows. Sums of faces and of points. Puts the observed values into a row, 0..rows - 1 (of faces
   * 0..31). The host does not wait. */
  int (*sums_take)(struct mx_backend *backend, size_t number, size_t row, struct dg_error *err);
  /* sum[k] += turn[r][k] row[r], rows 0..rows-1 in their order; turn[rows][2 frequencies]. */
  int (*sums_add)(struct mx_backend *backend, size_t number, size_t rows, const double *turn, struct dg_error *err);
  /* The sums from the card, and back to it. These wait. */
  int (*sums_fetch)(struct mx_backend *backend, size_t number, double *sum, struct dg_error *err);
  int (*sums_set)(struct mx_backend *backend, size_t number, const double *sum, struct dg_error *err);
  /* Present. Measures the seconds of an exchange of one stage's traces, or, with `one_face`, of the message of one face
   * to every neighbour. Nothing else may be going on. The result is the best of a few attempts. Collective; call it
   * between steps. */
  int (*time_exchange)(struct mx_backend *backend, bool one_face, double *seconds, struct dg_error *err);
  /* Begins a phase of the card's own clock, of the work that it is given from here on; NULL ends it. `name` is a
   * constant. Does nothing unless the backend has a profile; a phase inside another one is part of it. */
  void (*phase)(struct mx_backend *backend, const char *name);
  /* Bytes of the card that are allocated now. */
  size_t (*allocated)(const struct mx_backend *backend);
  /* Present. Measures the ceilings of the card, among them copies of arrays of `field_bytes` each. */
  int (*ceilings)(size_t field_bytes, struct mx_ceilings *ceilings, struct dg_error *err);
  /* Solves static fields and heat; NULL: the host does. */
  const struct dg_device_ops *elliptic;
};

extern const struct mx_card_ops mx_no_card;
