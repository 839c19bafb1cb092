/* Errors of the card's runtime as error values. */
#include "gpu/runtime/errors.h"

#include <stdbool.h>
#include <stdio.h>

static bool environment(gpuError_t status)
{
  return status == gpuErrorNoDevice || status == gpuErrorInsufficientDriver || status == gpuErrorInitializationError ||
         status == gpuErrorDevicesUnavailable || status == gpuErrorECCUncorrectable || status == gpuErrorDeviceLost;
}

/* Also clears the runtime's error, which has been told and must not come back with the next call. */
int gpu_out_of_memory(size_t bytes, const char *what, struct dg_error *err)
{
  size_t left = 0, all = 0;
  char wanted[32] = "memory was";
  (void)gpuGetLastError();
  (void)gpuMemGetInfo(&left, &all);
  if (bytes > 0) snprintf(wanted, sizeof wanted, "%.1f MB were", 1e-6 * (double)bytes);
  return dg_fail(err, DG_ENVIRONMENT, "the GPU's memory is too small: %s wanted for %s, %.1f MB of %.1f MB are free",
                 wanted, what, 1e-6 * (double)left, 1e-6 * (double)all);
}

int gpu_check(gpuError_t status, const char *what, struct dg_error *err)
{
  if (status == gpuSuccess) return 0;
  if (status == gpuErrorMemoryAllocation) return gpu_out_of_memory(0, what, err);
  return dg_fail(err, environment(status) ? DG_ENVIRONMENT : DG_BUG, "the GPU failed while %s: %s", what,
                 gpuGetErrorString(status));
}
