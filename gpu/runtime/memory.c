/* Memory of the card and pinned memory, remembered by its owner. */
#include "gpu/runtime/memory.h"

#include <string.h>

#include "gpu/runtime/errors.h"
#include "libdg/base/memory.h"

static int remember(struct gpu_memory *memory, void *block, size_t bytes, struct dg_error *err)
{
  if (dg_grow(&memory->block, memory->count + 1, sizeof *memory->block, err) != 0) return err->code;
  memory->block[memory->count++] = block;
  memory->bytes += bytes;
  return 0;
}

int gpu_new(struct gpu_memory *card, void *pointer, size_t bytes, const char *what, struct dg_error *err)
{
  void *block = NULL;
  gpuError_t status = gpuMalloc(&block, bytes > 0 ? bytes : 1);
  if (status == gpuErrorMemoryAllocation) return gpu_out_of_memory(bytes, what, err);
  if (gpu_check(status, "allocating memory", err) != 0) return err->code;
  if (remember(card, block, bytes, err) != 0) {
    (void)gpuFree(block);
    return err->code;
  }
  memcpy(pointer, &block, sizeof block);
  return 0;
}

int gpu_new_copy(struct gpu_memory *card, void *pointer, const void *host, size_t bytes, const char *what,
                 struct dg_error *err)
{
  void *block = NULL;
  if (gpu_new(card, &block, bytes, what, err) != 0) return err->code;
  memcpy(pointer, &block, sizeof block);
  /* The copy returns when the host's memory may change, which may be before the card has all of it, and the backend's
   * streams do not wait for this one. */
  if (gpu_check(gpuMemcpy(block, host, bytes, gpuMemcpyHostToDevice), "copying tables", err) != 0) return err->code;
  return gpu_check(gpuStreamSynchronize(NULL), "copying tables", err);
}

int gpu_new_pinned(struct gpu_memory *pinned, void *pointer, size_t bytes, struct dg_error *err)
{
  void *block = NULL;
  gpuError_t status = gpuMallocHost(&block, bytes > 0 ? bytes : 1);
  if (status == gpuErrorMemoryAllocation) {
    (void)gpuGetLastError();
    return dg_fail(err, DG_ENVIRONMENT, "out of memory: %zu bytes that the GPU can copy from were asked for", bytes);
  }
  if (gpu_check(status, "allocating memory of the host", err) != 0) return err->code;
  if (remember(pinned, block, bytes, err) != 0) {
    (void)gpuFreeHost(block);
    return err->code;
  }
  memcpy(pointer, &block, sizeof block);
  return 0;
}

void gpu_release_card(struct gpu_memory *card)
{
  for (size_t i = 0; i < card->count; i++) (void)gpuFree(card->block[i]);
  dg_free(card->block);
}

void gpu_release_pinned(struct gpu_memory *pinned)
{
  for (size_t i = 0; i < pinned->count; i++) (void)gpuFreeHost(pinned->block[i]);
  dg_free(pinned->block);
}
