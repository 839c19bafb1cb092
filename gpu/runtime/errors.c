/* Errors of the card's runtime as error values, and its memory. */
#include <stdio.h>
#include <string.h>

#include "gpu/host/state.h"
#include "libdg/base/memory.h"

static bool environment(gpuError_t status)
{
  return status == gpuErrorNoDevice || status == gpuErrorInsufficientDriver || status == gpuErrorInitializationError ||
         status == gpuErrorDevicesUnavailable || status == gpuErrorECCUncorrectable || status == gpuErrorDeviceLost;
}

/* Also clears the error: it is told, and must not come back with the next call. */
static int out_of_memory(size_t bytes, const char *what, struct dg_error *err)
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
  if (status == gpuErrorMemoryAllocation) return out_of_memory(0, what, err);
  return dg_fail(err, environment(status) ? DG_ENVIRONMENT : DG_BUG, "the GPU failed while %s: %s", what,
                 gpuGetErrorString(status));
}

static int remember(struct gpu_memory *memory, void *block, size_t bytes, struct dg_error *err)
{
  if (dg_grow(&memory->block, memory->count + 1, sizeof *memory->block, err) != 0) return err->code;
  memory->block[memory->count++] = block;
  memory->bytes += bytes;
  return 0;
}

int gpu_new(struct mx_backend *backend, void *pointer, size_t bytes, const char *what, struct dg_error *err)
{
  void *block = NULL;
  gpuError_t status = gpuMalloc(&block, bytes > 0 ? bytes : 1);
  if (status == gpuErrorMemoryAllocation) return out_of_memory(bytes, what, err);
  if (gpu_check(status, "allocating memory", err) != 0) return err->code;
  if (remember(&backend->card, block, bytes, err) != 0) {
    (void)gpuFree(block);
    return err->code;
  }
  memcpy(pointer, &block, sizeof block);
  return 0;
}

int gpu_new_copy(struct mx_backend *backend, void *pointer, const void *host, size_t bytes, const char *what,
                 struct dg_error *err)
{
  void *block = NULL;
  if (gpu_new(backend, &block, bytes, what, err) != 0) return err->code;
  memcpy(pointer, &block, sizeof block);
  return gpu_check(gpuMemcpy(block, host, bytes, gpuMemcpyHostToDevice), "copying tables", err);
}

int gpu_new_pinned(struct mx_backend *backend, void *pointer, size_t bytes, struct dg_error *err)
{
  void *block = NULL;
  gpuError_t status = gpuMallocHost(&block, bytes > 0 ? bytes : 1);
  if (status == gpuErrorMemoryAllocation) {
    (void)gpuGetLastError();
    return dg_fail(err, DG_ENVIRONMENT, "out of memory: %zu bytes that the GPU can copy from were asked for", bytes);
  }
  if (gpu_check(status, "allocating memory of the host", err) != 0) return err->code;
  if (remember(&backend->pinned, block, bytes, err) != 0) {
    (void)gpuFreeHost(block);
    return err->code;
  }
  memcpy(pointer, &block, sizeof block);
  return 0;
}

void gpu_release_memory(struct mx_backend *backend)
{
  for (size_t i = 0; i < backend->card.count; i++) (void)gpuFree(backend->card.block[i]);
  for (size_t i = 0; i < backend->pinned.count; i++) (void)gpuFreeHost(backend->pinned.block[i]);
  dg_free(backend->card.block);
  dg_free(backend->pinned.block);
}
