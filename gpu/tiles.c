/* The mesh cut into tiles for the kernels of tile.cuh: as many elements as fit, in the order of the Hilbert curve,
 * unless what their neighbours outside have is too much, and unless some need other ranks and some do not. */
#include "gpu/state.h"
#include "libdg/base/memory.h"

enum { EIGHT = 8 };

struct tiles {
  const struct mx_problem *problem;
  size_t padded;
  struct gpu_tile_shape shape;
  int4 *tile;
  size_t count, traces; /* traces: with the gaps that make every list start at a multiple of four */
  /* outside elements that have been met in the tile at hand */
  int32_t *met;  /* [rows] number of the visit in which this was last */
  uint16_t *row; /* [rows] and the trace that it got */
  int32_t visits;
};

/* The traces that elements first..end-1 need from outside, and how many they are. trace and neighbour may be NULL. */
static size_t visit(struct tiles *tiles, size_t first, size_t end, uint32_t *trace, uint16_t (*neighbour)[4])
{
  const struct mx_problem *problem = tiles->problem;
  size_t count = 0;
  tiles->visits++;
  for (size_t e = first; e < end; e++)
    for (size_t f = 0; f < 4; f++) {
      const int32_t code = e < problem->K ? problem->neighbour[e][f] : -1;
      const size_t other = code < 0 ? e : gpu_row(problem, tiles->padded, (size_t)code / 4);
      const size_t face = code < 0 ? f : (size_t)code % 4;
      size_t row = other - first;
      if (other < first || other >= end) {
        const bool again = tiles->shape.whole && tiles->met[other] == tiles->visits;
        if (!again) {
          if (trace != NULL) trace[count] = (uint32_t)(16 * other + (tiles->shape.whole ? 0 : 4 * f + face));
          tiles->met[other] = tiles->visits;
          tiles->row[other] = (uint16_t)count++;
        }
        row = (size_t)tiles->shape.rows + tiles->row[other];
      }
      if (neighbour != NULL) neighbour[e][f] = (uint16_t)(4 * row + face);
    }
  return count;
}

/* Elements first..last-1. */
static void cut(struct tiles *tiles, size_t first, size_t last)
{
  while (first < last) {
    size_t end = first + (size_t)tiles->shape.elements, traces;
    if (end > last) end = last;
    while ((traces = visit(tiles, first, end, NULL, NULL)) > (size_t)tiles->shape.traces) end -= EIGHT;
    tiles->tile[tiles->count++] =
        (int4){(int)(first / EIGHT), (int)((end - first) / EIGHT), (int)tiles->traces, (int)traces};
    tiles->traces += (traces + 3) / 4 * 4;
    first = end;
  }
}

int gpu_pack_tiles(struct mx_backend *backend, struct dg_error *err)
{
  struct gpu_tiling *tiling = &backend->tables.tiling;
  const size_t rows = backend->padded + backend->problem->ghosts;
  struct tiles tiles = {.problem = backend->problem, .padded = backend->padded};
  uint32_t *trace = NULL;
  uint16_t(*neighbour)[4] = NULL;
  const bool staged = backend->options.integrator != MX_LEAPFROG;
  if (backend->tables.architecture < 90) return 0;
  tiles.shape = backend->kernels->shape[backend->tables.single](backend->tables.penalty_inside, staged);
  if (tiles.shape.elements == 0) return 0;
  if (DG_NEW(tiles.tile, tiles.padded / EIGHT, err) != 0 || DG_NEW(tiles.met, rows, err) != 0 ||
      DG_NEW(tiles.row, rows, err) != 0)
    goto fail;
  const size_t inner = backend->tables.inner < backend->problem->K ? backend->tables.inner : backend->padded;
  cut(&tiles, 0, inner);
  tiling->inner = (int)tiles.count;
  cut(&tiles, inner, backend->padded);
  if (DG_NEW(trace, tiles.traces, err) != 0 || DG_NEW(neighbour, tiles.padded, err) != 0) goto fail;
  for (size_t i = 0; i < tiles.count; i++) {
    const int4 *tile = &tiles.tile[i];
    (void)visit(&tiles, EIGHT * (size_t)tile->x, EIGHT * (size_t)(tile->x + tile->y), trace + tile->z, neighbour);
  }
  if (gpu_new_copy(backend, &tiling->tile, tiles.tile, tiles.count * sizeof *tiles.tile, "tiles", err) != 0 ||
      gpu_new_copy(backend, &tiling->trace, trace, tiles.traces * sizeof *trace, "tiles", err) != 0 ||
      gpu_new_copy(backend, &tiling->neighbour, neighbour, tiles.padded * sizeof *neighbour, "tiles", err) != 0)
    goto fail;
  tiling->count = (int)tiles.count;
fail:
  dg_free(tiles.tile);
  dg_free(tiles.met);
  dg_free(tiles.row);
  dg_free(trace);
  dg_free(neighbour);
  return err->code;
}
