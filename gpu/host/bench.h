/* Ceilings of the card. */
#pragma once

#include "maxwell/backend/backend.h"

int gpu_ceilings(size_t field_bytes, struct mx_ceilings *ceilings, struct dg_error *err);
