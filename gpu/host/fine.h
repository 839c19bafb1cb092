/* A part that takes shorter steps of H. */
#pragma once

#include "maxwell/backend/backend.h"

extern const struct mx_fine_ops gpu_fine_ops;

/* Releases what a part has besides its memory. */
void gpu_release_fine(struct mx_backend *part);
