/* H half a step ago, where leapfrog works in place. */
#pragma once

#include "gpu/kernels/kernels.h"
#include "maxwell/backend/backend.h"

enum { GPU_RECALLED = 16 << 20 }; /* bytes of H of half a step ago, at most, that are worked out at a time */

/* H half a step ago, where leapfrog works in place and it is not there any more (past_h.c). */
struct gpu_recall {
  size_t rows;          /* that are worked out at a time, at most; a test may have less before anything is observed */
  struct gpu_kept kept; /* of which the rows are copied; like `row` allocated when something is observed first */
  int32_t *element;     /* [kept.count] the same as kept.element, on the host */
  void *row;            /* [rows] of the card, what was worked out last */
};

int gpu_new_recall(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
void gpu_release_recall(struct mx_backend *backend);
/* The bytes of the card that will be taken when something is observed first. */
size_t gpu_recall_bytes(const struct mx_problem *problem, size_t real);
/* Keeps the rows that cannot be worked out later. Call it before the half step of H. It does nothing where the step is
 * not observed. */
int gpu_keep_H(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* to = weight * (H half a step ago) + (1 - weight) H, for the rows of these elements. The padding of `to` may be
 * written to as well. Valid until E changes. */
int gpu_recall_H(struct mx_backend *backend, const struct gpu_some *some, double weight, void *to,
                 struct dg_error *err) DG_MUST_USE;
int gpu_recall_all(struct mx_backend *backend, double weight, void *to, struct dg_error *err) DG_MUST_USE;
/* Goes from {0} through all elements, as many at a time as recall.row takes; false behind the last. */
bool gpu_next_rows(const struct mx_backend *backend, struct gpu_some *some);
