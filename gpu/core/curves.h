/* The passes over curved elements. */
#pragma once

#include "gpu/kernels/curves.h"
#include "gpu/kernels/kernels.h"
#include "maxwell/backend/backend.h"

/* Are all elements curved? Then the pass over all elements has nothing to do. */
bool gpu_only_curved(const struct mx_backend *backend);
/* May the kernel of curved elements run beside the pass over all elements of half a step? Either leaves the results of
 * the other alone. But where the half step works in place, the pass must not keep traces of a field that changes beside
 * it (keeps_traces). */
bool gpu_curved_beside(const struct mx_backend *backend, enum gpu_part part, bool keeps_traces);
/* The curved elements of a pass, behind the others. They do nothing where there are none. */
int gpu_curved_half(struct mx_backend *backend, const struct gpu_half *half, struct dg_error *err) DG_MUST_USE;
int gpu_curved_stage(struct mx_backend *backend, const struct gpu_stage *stage, struct dg_error *err) DG_MUST_USE;
/* A product over all of its elements, straight and curved. */
int gpu_all_products(struct mx_backend *backend, struct gpu_product product, struct dg_error *err) DG_MUST_USE;
/* gpu_check_fields of the curved elements. */
int gpu_check_curved(struct mx_backend *backend, struct mx_field_check *check, struct dg_error *err) DG_MUST_USE;
