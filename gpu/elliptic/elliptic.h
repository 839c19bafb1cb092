/* Conjugate gradients on the card, for operators without a matrix (libdg/solve/device.h). */
#pragma once

#include "libdg/solve/device.h"

extern const struct dg_device_ops gpu_elliptic_solver;
