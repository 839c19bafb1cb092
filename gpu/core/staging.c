/* The buffers of staging.h, and the state through them. */
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

int gpu_copy_staged(struct mx_backend *backend, void *card, size_t bytes, bool load, struct dg_error *err)
{
  void *const host = backend->staging[0];
  if (gpu_check(gpuMemcpyAsync(load ? card : host, load ? host : card, bytes,
                               load ? gpuMemcpyHostToDevice : gpuMemcpyDeviceToHost, backend->work),
                "copying the state", err) != 0)
    return err->code;
  return gpu_wait(backend, err);
}

/* Rows in staging[0] to or from values in the problem's order. */
static void turn_rows(const struct mx_backend *backend, size_t count, double *to, const double *from)
{
  const int order = backend->problem->ref->order;
  const size_t Np = (size_t)backend->problem->ref->Np;
  for (size_t k = 0; k < count; k++)
    for (size_t c = 0; c < 3; c++)
      for (size_t n = 0; n < Np; n++) {
        const size_t there = gpu_at(order, k, c, n), here = (3 * k + c) * Np + (size_t)backend->node[n];
        if (to != NULL) to[here] = gpu_get(backend, backend->staging[0], there);
        else gpu_put(backend, backend->staging[0], there, from[here]);
      }
}

int gpu_copy_rows(struct mx_backend *backend, void *card, size_t first, size_t count, double *to, const double *from,
                  struct dg_error *err)
{
  const size_t row = gpu_stride(backend->tables.order) * backend->real;
  unsigned char *const at = (unsigned char *)card + first * row;
  if (gpu_grow_staging(backend, count * row, err) != 0) return err->code;
  if (to == NULL) {
    turn_rows(backend, count, NULL, from);
    return gpu_copy_staged(backend, at, count * row, true, err);
  }
  if (gpu_copy_staged(backend, at, count * row, false, err) != 0) return err->code;
  turn_rows(backend, count, to, NULL);
  return 0;
}
