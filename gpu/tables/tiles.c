/* Cuts the mesh into tiles for the kernels of tile.cuh, in the order of the Hilbert curve. There are as few tiles as
 * can be, but so many that all blocks have equally many, and then all tiles have one size. A tile has fewer elements
 * where their neighbours outside have too many traces. No tile mixes elements that need other ranks with elements that
 * do not. */
#include <stdlib.h>

#include "gpu/core/core.h"
#include "gpu/tables/tiles.h"
#include "libdg/base/memory.h"

enum { EIGHT = 8 };

struct cutter {
  const struct mx_problem *problem;
  size_t padded;
  struct gpu_tile_shape shape;
  size_t blocks; /* that share them out */
  struct gpu_tiles *tiles;
  /* outside rows that have been met in the tile at hand */
  int32_t *met;  /* [rows] number of the visit in which this was last */
  uint16_t *row; /* [rows] and the trace that it got */
  int32_t visits;
};

/* Lists the traces that elements first..end-1 need from outside, and returns their number. trace and neighbour may be
 * NULL. */
static size_t visit(struct cutter *cutter, size_t first, size_t end, uint32_t *trace, uint16_t (*neighbour)[4])
{
  const struct mx_problem *problem = cutter->problem;
  size_t count = 0;
  cutter->visits++;
  for (size_t e = first; e < end; e++)
    for (size_t f = 0; f < 4; f++) {
      const int32_t code = e < problem->K ? problem->neighbour[e][f] : -1;
      const size_t other = code < 0 ? e : gpu_row(problem, cutter->padded, (size_t)code / 4);
      const size_t face = code < 0 ? f : (size_t)code % 4;
      size_t row = other - first;
      if (other < first || other >= end) {
        const bool again = cutter->shape.whole && cutter->met[other] == cutter->visits;
        if (!again) {
          if (trace != NULL) trace[count] = (uint32_t)(16 * other + (cutter->shape.whole ? 0 : 4 * f + face));
          cutter->met[other] = cutter->visits;
          cutter->row[other] = (uint16_t)count++;
        }
        row = (size_t)cutter->shape.elements + cutter->row[other];
      }
      const int open = e < problem->K && mx_open_slot(code) >= 0 ? GPU_OPEN : 0;
      if (neighbour != NULL) neighbour[e][f] = (uint16_t)(4 * row + face + (size_t)open);
    }
  return count;
}

/* ---- sharing out the tiles to blocks */

/* Does the face have more than far traces with weight 1/2? The kernels lift the rest apart (tile.cuh). */
static bool is_uncommon(const struct mx_problem *problem, bool penalty_inside, size_t e, size_t f)
{
  const struct mx_face_flux *flux = &problem->flux[e][f];
  const int32_t code = problem->neighbour[e][f];
  if (code >= 0) return flux->e_jump != 0.5 || flux->h_jump != 0.5;
  return mx_open_slot(code) >= 0 || (!penalty_inside && (flux->e_penalty != 0 || flux->h_penalty != 0));
}

/* The cost of a tile, in halves of the cost of a tile without uncommon faces. A tile takes as long as its slowest warp,
 * so one uncommon face is enough, and small tiles cost as much as large ones. */
static long cost_of(const struct mx_problem *problem, bool penalty_inside, const int4 *tile)
{
  const size_t first = EIGHT * (size_t)tile->x, end = first + EIGHT * (size_t)tile->y;
  for (size_t e = first; e < end && e < problem->K; e++)
    for (size_t f = 0; f < 4; f++)
      if (is_uncommon(problem, penalty_inside, e, f)) return 3;
  return 2;
}

struct load {
  long cost; /* of a block; or the negative cost of a tile, so that sorting puts the most costly tile first */
  size_t number;
};

static int by_cost(const void *a, const void *b)
{
  const struct load *x = a, *y = b;
  if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

/* Shares out tiles first..end-1, of which block b takes b, b + blocks, ... The tiles of a round are dealt to the blocks
 * anew, the most costly one to the block that has least to do. So all blocks come out even, and tiles that are loaded
 * at the same time stay together. Where all tiles cost the same, each one stays where it is. */
static int share_out(struct gpu_tiles *tiles, const struct mx_problem *problem, bool penalty_inside, size_t first,
                     size_t end, size_t blocks, struct dg_error *err)
{
  struct load *block = NULL, *round = NULL;
  long *sum = NULL;
  if (DG_NEW(block, blocks, err) != 0 || DG_NEW(round, blocks, err) != 0 || DG_NEW(sum, blocks, err) != 0) goto fail;
  for (; first < end; first += blocks) {
    const size_t count = end - first < blocks ? end - first : blocks;
    for (size_t i = 0; i < count; i++) {
      round[i] = (struct load){-cost_of(problem, penalty_inside, &tiles->tile[first + i]), first + i};
      block[i] = (struct load){sum[i], i};
    }
    qsort(round, count, sizeof *round, by_cost);
    qsort(block, count, sizeof *block, by_cost);
    for (size_t i = 0; i < count; i++) {
      const struct load *tile = &round[i];
      tiles->dealt[first + block[i].number] = tiles->tile[tile->number];
      sum[block[i].number] -= tile->cost;
    }
  }
fail:
  dg_free(block);
  dg_free(round);
  dg_free(sum);
  return err->code;
}

int gpu_share_out_tiles(struct gpu_tiles *tiles, const struct mx_problem *problem, bool penalty_inside, size_t blocks,
                        size_t blocks_inner, struct dg_error *err)
{
  if (DG_NEW(tiles->dealt, tiles->count, err) != 0 ||
      share_out(tiles, problem, penalty_inside, 0, tiles->inner, blocks_inner, err) != 0)
    return err->code;
  return share_out(tiles, problem, penalty_inside, tiles->inner, tiles->count, blocks, err);
}

static size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }

/* Adds a tile from `first` on and returns its end. The tile ends at `end`, or before where it would have too many
 * elements or need too many traces from outside. */
static size_t add_tile(struct cutter *cutter, size_t first, size_t end)
{
  struct gpu_tiles *tiles = cutter->tiles;
  const size_t most = first + (size_t)cutter->shape.elements;
  size_t traces;
  if (end > most) end = most;
  while ((traces = visit(cutter, first, end, NULL, NULL)) > (size_t)cutter->shape.traces) end -= EIGHT;
  tiles->tile[tiles->count++] =
      (int4){(int)(first / EIGHT), (int)((end - first) / EIGHT), (int)tiles->traces, (int)traces};
  tiles->traces += (traces + 3) / 4 * 4;
  return end;
}

/* Cuts elements first..last-1 (both multiples of eight) into tiles, each as large as may be, which makes few. */
static void cut_large(struct cutter *cutter, size_t first, size_t last)
{
  while (first < last) first = add_tile(cutter, first, last);
}

/* Cuts the same elements into `wanted` tiles of one size, as far as can be. */
static void cut_evenly(struct cutter *cutter, size_t first, size_t last, size_t wanted)
{
  const size_t start = first, eights = (last - first) / EIGHT;
  for (size_t part = 1; first < last; part++) {
    const size_t end = part < wanted ? start + EIGHT * (eights * part / wanted) : last;
    if (end > first) first = add_tile(cutter, first, end); /* else there are fewer eights than tiles, or it is ahead */
  }
}

/* Cuts the same elements so that all blocks have equally many tiles. One more round for a few tiles would take as long
 * as a round for all blocks. There are therefore as many rounds as the largest tiles take, and all tiles have one size
 * if that many tiles suffice. */
static void cut(struct cutter *cutter, size_t first, size_t last)
{
  struct gpu_tiles *tiles = cutter->tiles;
  const size_t count = tiles->count, traces = tiles->traces;
  cut_large(cutter, first, last);
  const size_t wanted = divide_up(tiles->count - count, cutter->blocks) * cutter->blocks;
  tiles->count = count, tiles->traces = traces;
  cut_evenly(cutter, first, last, wanted);
  if (tiles->count - count <= wanted) return;
  tiles->count = count, tiles->traces = traces;
  cut_large(cutter, first, last);
}

int gpu_cut_tiles(struct gpu_tiles *tiles, const struct mx_problem *problem, size_t inner, struct gpu_tile_shape shape,
                  int processors, int apart, struct dg_error *err)
{
  const size_t padded = (problem->K + EIGHT - 1) / EIGHT * EIGHT, rows = padded + problem->ghosts;
  struct cutter cutter = {.problem = problem,
                          .padded = padded,
                          .shape = shape,
                          .blocks = (size_t)shape.blocks * (size_t)(processors - apart),
                          .tiles = tiles};
  *tiles = (struct gpu_tiles){0};
  if (DG_NEW(tiles->tile, padded / EIGHT, err) != 0 || DG_NEW(cutter.met, rows, err) != 0 ||
      DG_NEW(cutter.row, rows, err) != 0)
    goto fail;
  if (inner == problem->K) inner = padded;
  cut(&cutter, 0, inner);
  tiles->inner = tiles->count;
  if (apart > 0) cutter.blocks = (size_t)shape.blocks * (size_t)apart;
  cut(&cutter, inner, padded);
  if (DG_NEW(tiles->trace, tiles->traces, err) != 0 || DG_NEW(tiles->neighbour, padded, err) != 0) goto fail;
  for (size_t i = 0; i < tiles->count; i++) {
    const int4 *tile = &tiles->tile[i];
    (void)visit(&cutter, EIGHT * (size_t)tile->x, EIGHT * (size_t)(tile->x + tile->y), tiles->trace + tile->z,
                tiles->neighbour);
  }
fail:
  dg_free(cutter.met);
  dg_free(cutter.row);
  return err->code;
}

void gpu_release_tiles(struct gpu_tiles *tiles)
{
  dg_free(tiles->tile);
  dg_free(tiles->trace);
  dg_free(tiles->neighbour);
  dg_free(tiles->dealt);
  *tiles = (struct gpu_tiles){0};
}

/* The number of multiprocessors that the inner elements leave to the outer ones. Outer elements need about half as much
 * time again each, because few of their neighbours are in the same tile. Without these multiprocessors nothing could
 * run beside the blocks of the inner elements, which have all registers and shared memory: neither the unpacking of the
 * halo nor the outer elements. Blocks of the outer elements that find no place there take the places that the inner
 * ones leave. */
static int left_apart(const struct mx_backend *backend)
{
  const struct gpu_tables *tables = &backend->tables;
  const double outer = (double)(tables->K - tables->inner) / (double)tables->K;
  if (tables->inner == tables->K) return 0;
  const int apart = 1 + (int)(1.5 * outer * tables->processors), most = tables->processors / 2;
  return apart < most ? apart : most;
}

int gpu_pack_tiles(struct mx_backend *backend, struct dg_error *err)
{
  struct gpu_tiling *tiling = &backend->tables.tiling;
  struct gpu_tiles tiles;
  const bool staged = !mx_scheme_of(&backend->options)->staggered;
  if (backend->tables.architecture < 90) return 0;
  struct gpu_tile_shape shape = backend->kernels->shape[backend->tables.single](backend->tables.penalty_inside, staged);
  if (shape.elements == 0) return 0;
  if (backend->curves.count > 0) shape.traces = shape.beside;
  tiling->traces = shape.traces;
  tiling->apart = left_apart(backend);
  tiling->blocks = shape.blocks * backend->tables.processors;
  if (gpu_cut_tiles(&tiles, backend->problem, backend->tables.inner, shape, backend->tables.processors, tiling->apart,
                    err) != 0 ||
      gpu_share_out_tiles(&tiles, backend->problem, backend->tables.penalty_inside, (size_t)tiling->blocks,
                          (size_t)shape.blocks * (size_t)(backend->tables.processors - tiling->apart), err) != 0 ||
      gpu_new_copy(&backend->card, &tiling->dealt, tiles.dealt, tiles.count * sizeof *tiles.dealt, "tiles", err) != 0 ||
      gpu_new_copy(&backend->card, &tiling->tile, tiles.tile, tiles.count * sizeof *tiles.tile, "tiles", err) != 0 ||
      gpu_new_copy(&backend->card, &tiling->trace, tiles.trace, tiles.traces * sizeof *tiles.trace, "tiles", err) !=
          0 ||
      gpu_new_copy(&backend->card, &tiling->neighbour, tiles.neighbour, backend->padded * sizeof *tiles.neighbour,
                   "tiles", err) != 0)
    goto fail;
  tiling->count = (int)tiles.count;
  tiling->inner = (int)tiles.inner;
  if (DG_NEW(backend->tile_begin, tiles.count, err) != 0) goto fail;
  for (size_t i = 0; i < tiles.count; i++) backend->tile_begin[i] = EIGHT * tiles.tile[i].x;
fail:
  gpu_release_tiles(&tiles);
  return err->code;
}
