/* State arrays, saved and loaded. */
#pragma once

#include "maxwell/backend/backend.h"

int gpu_save(struct mx_backend *backend, int array, size_t first, size_t count, double *value, struct dg_error *err);
int gpu_load(struct mx_backend *backend, int array, size_t first, size_t count, const double *value,
             struct dg_error *err);
int gpu_loaded(struct mx_backend *backend, struct dg_error *err);
