/* A part that takes shorter steps of H. */
#pragma once

#include "maxwell/backend/backend.h"

extern const struct mx_fine_ops gpu_fine_ops;
