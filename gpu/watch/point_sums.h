/* Running transforms at points; face_sums.h has the functions that they share with those on faces. */
#pragma once

#include "maxwell/backend/backend.h"

int gpu_point_sums_new(struct mx_backend *backend, const struct mx_point_sums *what, size_t *number,
                       struct dg_error *err);
