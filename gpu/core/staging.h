/* Pinned buffers and their partners on the card, through which the host observes. */
#pragma once

#include "maxwell/backend/backend.h"

enum { GPU_STAGING = 4 << 20 }; /* bytes of each of the two pinned buffers through which fields come and go */

/* Pinned and card buffers of at least so many bytes each; the content is lost. */
int gpu_grow_staging(struct mx_backend *backend, size_t bytes, struct dg_error *err) DG_MUST_USE;
/* Copies bytes from the card to staging[0], or with `load` from there to the card, and waits. */
int gpu_copy_staged(struct mx_backend *backend, void *card, size_t bytes, bool load, struct dg_error *err) DG_MUST_USE;
/* Copies rows first..first+count-1 of an array of the card that is laid out like a field to to[count][3][Np], in the
 * order of the problem's nodes, or, if that is NULL, from `from`. */
int gpu_copy_rows(struct mx_backend *backend, void *card, size_t first, size_t count, double *to, const double *from,
                  struct dg_error *err) DG_MUST_USE;
