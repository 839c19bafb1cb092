/* The operator's tables as the kernels want them (private to gpu/elliptic). */
#pragma once

#include "gpu/elliptic/kernels.h"
#include "gpu/runtime/memory.h"
#include "libdg/field/elliptic.h"

/* Copies the operator to the card: op becomes what kernels.h describes, but for `result`, whose size is *places.
 * DG_INPUT: there are more than 2^31 places. */
int gpu_elliptic_pack(struct gpu_elliptic *op, struct gpu_memory *card, const struct dg_elliptic *from,
                      const struct dg_elliptic *more, size_t *places, struct dg_error *err) DG_MUST_USE;
