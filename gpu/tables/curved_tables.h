/* The tables of curved elements. */
#pragma once

#include "maxwell/backend/backend.h"

int gpu_pack_curves(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Keeps the media of curved elements, out of medium[K], where the dead medium takes their place. */
int gpu_take_out_curves(struct mx_backend *backend, int32_t *medium, int32_t dead, struct dg_error *err) DG_MUST_USE;
/* The bytes of the card that curved elements take beyond what all elements do. */
size_t gpu_curve_bytes(const struct mx_problem *problem, size_t real);
