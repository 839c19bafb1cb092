/* The mesh cut into tiles for the kernels of tile.cuh: as many elements as fit, in the order of the Hilbert curve,
 * unless their faces to other tiles are too many. */
#include "gpu/state.h"
#include "libdg/base/memory.h"

enum { EIGHT = 8 };

struct tiles {
  const struct mx_backend *backend;
  struct gpu_tile_shape shape;
  int4 *tile;
  size_t count, traces; /* traces: with the gaps that make every list start at a multiple of four */
};

/* Faces of elements first..end-1 whose neighbour is not among them. */
static size_t outside(const struct mx_problem *problem, size_t first, size_t end)
{
  size_t count = 0;
  for (size_t e = first; e < end && e < problem->K; e++)
    for (size_t f = 0; f < 4; f++) {
      const int32_t neighbour = problem->neighbour[e][f];
      if (neighbour >= 0 && ((size_t)neighbour / 4 < first || (size_t)neighbour / 4 >= end)) count++;
    }
  return count;
}

static void cut(struct tiles *tiles)
{
  const size_t padded = tiles->backend->padded;
  for (size_t first = 0; first < padded;) {
    size_t end = first + (size_t)tiles->shape.elements, traces;
    if (end > padded) end = padded;
    while ((traces = outside(tiles->backend->problem, first, end)) > (size_t)tiles->shape.traces) end -= EIGHT;
    tiles->tile[tiles->count++] =
        (int4){(int)(first / EIGHT), (int)((end - first) / EIGHT), (int)tiles->traces, (int)traces};
    tiles->traces += (traces + 3) / 4 * 4;
    first = end;
  }
}

static void connect(const struct tiles *tiles, uint32_t *trace, uint16_t (*neighbour)[4])
{
  const struct mx_problem *problem = tiles->backend->problem;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < tiles->count; i++) {
    const size_t first = EIGHT * (size_t)tiles->tile[i].x, end = first + EIGHT * (size_t)tiles->tile[i].y;
    uint32_t *next = trace + tiles->tile[i].z, *const list = next;
    for (size_t e = first; e < end; e++)
      for (size_t f = 0; f < 4; f++) {
        const int32_t code = e < problem->K ? problem->neighbour[e][f] : -1;
        const size_t other = (size_t)code / 4;
        size_t row = e - first, face = f;
        if (code >= 0) {
          face = (size_t)code % 4;
          row = other - first;
          if (other < first || other >= end) {
            row = (size_t)tiles->shape.elements + (size_t)(next - list);
            *next++ = (uint32_t)(16 * other + 4 * f + face);
          }
        }
        neighbour[e][f] = (uint16_t)(4 * row + face);
      }
  }
}

int gpu_pack_tiles(struct mx_backend *backend, struct dg_error *err)
{
  struct gpu_tiling *tiling = &backend->tables.tiling;
  struct tiles tiles = {.backend = backend};
  uint32_t *trace = NULL;
  uint16_t(*neighbour)[4] = NULL;
  const bool staged = backend->options.integrator != MX_LEAPFROG;
  if (backend->tables.architecture < 90) return 0;
  tiles.shape = backend->kernels->shape[backend->tables.single](backend->tables.penalty_inside, staged);
  if (tiles.shape.elements == 0) return 0;
  if (DG_NEW(tiles.tile, backend->padded / EIGHT, err) != 0) return err->code;
  cut(&tiles);
  if (DG_NEW(trace, tiles.traces, err) != 0 || DG_NEW(neighbour, backend->padded, err) != 0) goto fail;
  connect(&tiles, trace, neighbour);
  if (gpu_new_copy(backend, &tiling->tile, tiles.tile, tiles.count * sizeof *tiles.tile, "tiles", err) != 0 ||
      gpu_new_copy(backend, &tiling->trace, trace, tiles.traces * sizeof *trace, "tiles", err) != 0 ||
      gpu_new_copy(backend, &tiling->neighbour, neighbour, backend->padded * sizeof *neighbour, "tiles", err) != 0)
    goto fail;
  tiling->count = (int)tiles.count;
fail:
  dg_free(tiles.tile);
  dg_free(trace);
  dg_free(neighbour);
  return err->code;
}
