/* Curved elements on the host: their launches behind the pass over all elements, and frames of nodes. */
#include <math.h>
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/core/curves.h"
#include "gpu/core/halo.h"
#include "gpu/core/staging.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/frame/frame.h"
#include "maxwell/problem/curved.h"

static const struct gpu_curved_order *const orders[DG_ORDER_MAX] = {
    &gpu_curved_order_1, &gpu_curved_order_2, &gpu_curved_order_3, &gpu_curved_order_4,
    &gpu_curved_order_5, &gpu_curved_order_6, &gpu_curved_order_7, &gpu_curved_order_8};

bool gpu_only_curved(const struct mx_backend *backend) { return backend->curves.count == backend->problem->K; }

bool gpu_curved_beside(const struct mx_backend *backend, enum gpu_part part, bool keeps_traces)
{
  const struct gpu_tables *tables = &backend->tables;
  const bool few = 16 * (size_t)backend->curves.count <= backend->problem->K; /* more do not end with the pass */
  return backend->curves.count > 0 && few && part == GPU_ALL && tables->tiling.count > 0 && !tables->single &&
         tables->order <= GPU_CURVED_TENSOR_ORDERS && !(keeps_traces && backend->in_place);
}

int gpu_curved_half(struct mx_backend *backend, const struct gpu_half *half, struct dg_error *err)
{
  if (backend->curves.count == 0) return 0;
  return gpu_check(orders[backend->tables.order - 1]->half[backend->tables.single](
                       &backend->tables, &backend->curves, half, gpu_stream_of(backend, half->part)),
                   "starting a half step of curved elements", err);
}

int gpu_curved_stage(struct mx_backend *backend, const struct gpu_stage *stage, struct dg_error *err)
{
  if (backend->curves.count == 0) return 0;
  return gpu_check(
      orders[backend->tables.order - 1]->stage[backend->tables.single](
          &backend->tables, &backend->curves, stage, !gpu_only_curved(backend), gpu_stream_of(backend, stage->part)),
      "starting a stage of curved elements", err);
}

int gpu_all_products(struct mx_backend *backend, struct gpu_product product, struct dg_error *err)
{
  const struct gpu_kept curved = {.count = backend->curves.count, .element = backend->problem->curves.where};
  product.number = backend->curves.number;
  if (product.metric == NULL) product.metric = backend->tables.metric;
  if (gpu_check(gpu_products(&backend->tables, &product, backend->work), "observing", err) != 0) return err->code;
  if (backend->curves.count == 0) return 0;
  const bool listed = product.element != NULL;
  const size_t first = listed ? 0 : gpu_first_kept(&curved, product.first);
  const size_t end = listed ? product.count : gpu_first_kept(&curved, product.first + product.count);
  return gpu_check(gpu_curved_products(&backend->tables, &backend->curves, &product, first, end - first, backend->work),
                   "observing curved elements", err);
}

/* ---- frames */

/* The largest Cartesian component of curved element number k, from its rows; infinity where one is not finite. */
static double largest_of(const struct mx_backend *backend, size_t k, const void *const row[2], size_t at)
{
  const size_t Np = (size_t)backend->problem->ref->Np;
  double most = 0;
  for (size_t f = 0; f < 2; f++)
    for (size_t n = 0; n < Np; n++) {
      double g[3][3], u[3];
      mx_frame_gradients(backend->node_metric[k * Np + (size_t)backend->node[n]], g);
      for (size_t a = 0; a < 3; a++) u[a] = gpu_get(backend, row[f], gpu_at(backend->tables.order, at, a, n));
      for (size_t d = 0; d < 3; d++) {
        const double value = u[0] * g[0][d] + u[1] * g[1][d] + u[2] * g[2][d];
        if (!isfinite(value)) return INFINITY;
        most = fmax(most, fabs(value));
      }
    }
  return most;
}

int gpu_check_curved(struct mx_backend *backend, struct mx_field_check *check, struct dg_error *err)
{
  const size_t row = gpu_stride(backend->tables.order) * backend->real, count = backend->curves.count;
  if (gpu_grow_staging(backend, GPU_STAGING, err) != 0) return err->code;
  const size_t most = backend->staging_bytes / row;
  for (size_t first = 0; first < count; first += most) {
    const size_t some = count - first < most ? count - first : most;
    const void *const rows[2] = {backend->staging[0], backend->staging[1]};
    for (int i = 0; i < 2; i++) {
      const struct gpu_kept kept = {
          .count = some, .element = backend->curves.where + first, .row = backend->card_staging[i]};
      if (gpu_check(gpu_keep_rows(&backend->tables, &kept, backend->field[i], backend->work), "checking fields", err) !=
              0 ||
          gpu_check(gpuMemcpyAsync(backend->staging[i], backend->card_staging[i], some * row, gpuMemcpyDeviceToHost,
                                   backend->work),
                    "checking fields", err) != 0)
        return err->code;
    }
    if (gpu_wait(backend, err) != 0) return err->code;
    for (size_t k = 0; k < some; k++) {
      const double largest = largest_of(backend, first + k, rows, k);
      *check =
          mx_worse_check(*check, (struct mx_field_check){.finite = isfinite(largest),
                                                         .element = (size_t)backend->problem->curves.where[first + k],
                                                         .largest = largest});
    }
  }
  return 0;
}
