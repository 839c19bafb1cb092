/* What the kernels of layers on tensor cores take (gpu/kernels/layers/tensor.cuh). */
#include "gpu/kernels/layers/pieces.h"
#include "gpu/core/core.h"
#include "gpu/tables/kernel_tables.h"
#include "gpu/terms/layer_pieces.h"
#include "libdg/base/memory.h"
#include "maxwell/problem/curve_tables.h" /* the rule */

bool gpu_layer_has_pieces(const struct mx_backend *backend) { return backend->tables.tiling.count > 0; }

size_t gpu_layer_piece_bytes(int order, enum mx_response_kind kind, size_t count, size_t real)
{
  if (order > GPU_TILE_ORDERS) return 0;
  return (size_t)gpu_layer_pieces(order) * GPU_LAYER_PIECE + (kind == MX_LAYER_1 ? count * GPU_LAYER_USED * real : 0);
}

/* Puts the factor of a lane in step j. */
static void put(void *pieces, bool single, int piece, int lane, int j, double value)
{
  const size_t at = (size_t)piece * 32 + (size_t)lane;
  float two[2];
  if (!single) {
    ((double *)pieces)[2 * at + (size_t)j] = value;
    return;
  }
  gpu_split_number(value, two);
  for (size_t part = 0; part < 2; part++) ((float *)pieces)[4 * at + 2 * part + (size_t)j] = two[part];
}

void gpu_layer_put_pieces(const struct dg_quadrature *rule, int order, bool single, const int32_t *node, void *pieces)
{
  const int Np = DG_NP(order), Nq = rule->volume.points;
  for (int q = 0; q < gpu_eights(Nq); q++)
    for (int n = 0; n < gpu_eights(Np); n++)
      for (int lane = 0; lane < 32; lane++)
        for (int j = 0; j < 2; j++) {
          const int row = gpu_layer_place(0, lane % 4, j), column = gpu_layer_place(0, lane / 8, lane / 4 % 2);
          const int from = 8 * n + row, point = 8 * q + column, back = 8 * q + row, to = 8 * n + column;
          put(pieces, single, gpu_layer_to_points(order, q, n), lane, j,
              from < Np && point < Nq ? rule->at[point * Np + node[from]] : 0);
          put(pieces, single, gpu_layer_to_nodes(order, q, n), lane, j,
              back < Nq && to < Np ? rule->project[node[to] * Nq + back] : 0);
        }
}

int gpu_layer_pack_pieces(struct mx_backend *backend, struct gpu_response *to, const struct dg_quadrature *rule,
                          struct dg_error *err)
{
  const int order = backend->tables.order;
  const size_t bytes = (size_t)gpu_layer_pieces(order) * GPU_LAYER_PIECE;
  void *pieces = NULL;
  if (!gpu_layer_has_pieces(backend)) return 0;
  if (dg_alloc(&pieces, bytes, 1, err) != 0) return err->code;
  gpu_layer_put_pieces(rule, order, backend->tables.single != 0, backend->node, pieces);
  (void)!gpu_new_copy(&backend->card, &to->pieces, pieces, bytes, "responses", err);
  dg_free(pieces);
  return err->code;
}

int gpu_layer_pack_used(struct mx_backend *backend, struct gpu_response *to, const void *coefficient,
                        struct dg_error *err)
{
  const size_t count = to->count;
  void *used = NULL;
  if (!gpu_layer_has_pieces(backend) || to->kind != MX_LAYER_1) return 0;
  if (dg_alloc(&used, count * GPU_LAYER_USED, backend->real, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++)
    for (int i = 0; i < GPU_LAYER_USED; i++)
      gpu_put(backend, used, k * GPU_LAYER_USED + (size_t)i,
              gpu_get(backend, coefficient, k * to->coefficients + (size_t)gpu_layer_used(i)));
  (void)!gpu_new_copy(&backend->card, &to->used, used, count * GPU_LAYER_USED * backend->real, "responses", err);
  dg_free(used);
  return err->code;
}
