/* Pinned buffers and their partners on the card, through which the host observes. */
#pragma once

#include "maxwell/backend/backend.h"

enum { GPU_STAGING = 4 << 20 }; /* bytes of each of the two pinned buffers through which fields come and go */

/* Pinned and card buffers of at least so many bytes each; the content is lost. */
int gpu_grow_staging(struct mx_backend *backend, size_t bytes, struct dg_error *err) DG_MUST_USE;
