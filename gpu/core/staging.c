/* The buffers of staging.h. */
#include "gpu/core/staging.h"

#include "gpu/core/core.h"
#include "gpu/core/halo.h"

int gpu_grow_staging(struct mx_backend *backend, size_t bytes, struct dg_error *err)
{
  if (bytes < gpu_stride(backend->tables.order) * backend->real)
    bytes = gpu_stride(backend->tables.order) * backend->real;
  if (bytes <= backend->staging_bytes) return 0;
  /* The old buffers stay until the end. Each new one is larger by half at least, so that all together are less than
   * three times as large as the last. */
  if (bytes < backend->staging_bytes / 2 * 3) bytes = backend->staging_bytes / 2 * 3;
  if (gpu_wait(backend, err) != 0) return err->code;
  for (int i = 0; i < 2; i++)
    if (gpu_new_pinned(&backend->pinned, &backend->staging[i], bytes, err) != 0 ||
        gpu_new(&backend->card, &backend->card_staging[i], bytes, "observation", err) != 0)
      return err->code;
  backend->staging_bytes = bytes;
  return 0;
}
