/* Tiles of elements for the kernels of tile.cuh, and how they are shared out to blocks. */
#pragma once

#include "gpu/kernels/kernels.h"
#include "gpu/kernels/layout.h"
#include "maxwell/backend/backend.h"

/* Packs the tiles for the kernels of tile.cuh, where card and order have them (tiles.c). */
int gpu_pack_tiles(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* The tiles on the host; gpu_tiling explains the arrays. No tile has elements on both sides of `inner`, which is a
 * multiple of eight or all. The inner tiles are for `processors` - `apart` multiprocessors, the others for `apart`, if
 * there are any. Release in any case. */
struct gpu_tiles {
  size_t count, inner, traces; /* traces: with the gaps that make every list start at a multiple of four */
  int4 *tile, *dealt;          /* dealt: NULL before they are shared out */
  uint32_t *trace;
  uint16_t (*neighbour)[4];
};
int gpu_cut_tiles(struct gpu_tiles *tiles, const struct mx_problem *problem, size_t inner, struct gpu_tile_shape shape,
                  int processors, int apart, struct dg_error *err) DG_MUST_USE;
/* Finds the order of the tiles in which `blocks` blocks have equally much to do, since tiles with boundaries and the
 * like take longer. The inner tiles are shared out to `blocks_inner` blocks of their own. */
int gpu_share_out_tiles(struct gpu_tiles *tiles, const struct mx_problem *problem, bool penalty_inside, size_t blocks,
                        size_t blocks_inner, struct dg_error *err) DG_MUST_USE;
void gpu_release_tiles(struct gpu_tiles *tiles);
