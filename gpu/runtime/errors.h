/* The errors of the card's runtime, as error values. */
#pragma once

#include <stddef.h>

#include "gpu/runtime/runtime.h"
#include "libdg/base/error.h"

/* 0, or the code in err: "the GPU failed while WHAT: ..."; DG_ENVIRONMENT for a card that is missing or lost. */
int gpu_check(gpuError_t status, const char *what, struct dg_error *err) DG_MUST_USE;
/* Fails with DG_ENVIRONMENT and says how many bytes (0: unknown) were wanted for what, and how many are free. */
int gpu_out_of_memory(size_t bytes, const char *what, struct dg_error *err);
