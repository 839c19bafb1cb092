/* Sizes of the kernels' tiles: the only numbers that depend on the card. A table has a row for each architecture; the
 * first row whose `from` is not above the card's (10 * major + minor) is taken. A row has an entry for each order and
 * precision. Every different entry is a kernel of its own. */
#pragma once

#include <stddef.h>

#include "gpu/kernels/layout.h"

struct gpu_plain_tile {
  int elements; /* of a tile; a block works on one tile */
  int each;     /* elements that a thread works on at a time, at one node; divides `elements` */
};

struct gpu_tuning {
  int from;
  struct gpu_plain_tile tile[2][DG_ORDER_MAX]; /* by precision (double, single) and order - 1 */
};

/* The plain kernels. A tile's numbers, 6 Np + 12 Nf + 32 an element, stay below 48 KB of shared memory. Its threads, Np
 * for each group of `each` elements, are between 128 and 256. Not tuned for speed. */
constexpr int gpu_tunings = 1;
constexpr gpu_tuning gpu_tuning_table[gpu_tunings] = {
    {0,
     {{{64, 2}, {32, 2}, {16, 2}, {12, 2}, {8, 2}, {6, 2}, {4, 2}, {2, 2}},
      {{64, 2}, {64, 4}, {32, 4}, {24, 4}, {16, 4}, {12, 4}, {8, 4}, {4, 4}}}},
};

constexpr gpu_plain_tile gpu_plain_tile_of(int row, bool single, int order)
{
  return gpu_tuning_table[row].tile[single ? 1 : 0][order - 1];
}

/* The kernels of curved elements (curved/curved.cuh). Once for few elements, which want all multiprocessors, once for
 * many. */
struct gpu_curved_tile {
  int elements;   /* of a block */
  int rows, each; /* points (nodes) and elements that a thread works on at a time */
};
constexpr gpu_curved_tile gpu_curved_tiles[2][DG_ORDER_MAX] = {
    {{64, 2, 1}, {32, 2, 2}, {32, 4, 2}, {16, 4, 2}, {8, 4, 2}, {8, 4, 2}, {4, 4, 2}, {4, 4, 2}},
    {{32, 1, 1}, {16, 1, 1}, {16, 2, 1}, {8, 2, 2}, {4, 2, 2}, {4, 2, 2}, {2, 2, 2}, {2, 2, 2}},
};
constexpr gpu_curved_tile gpu_curved_tile_of(bool few, int order) { return gpu_curved_tiles[few ? 1 : 0][order - 1]; }

/* The kernels with tiles in shared memory (tile.cuh; compute capability 9.0). A multiprocessor has room for `blocks`
 * blocks, which have all its shared memory. */
enum gpu_products_by {
  BY_LANES,  /* lanes.cuh */
  BY_TENSOR, /* tensor.cuh */
  BY_STACKS  /* the same, pairs of components in one product; single precision always */
};
struct gpu_tile_size {
  int elements; /* at most: 32 a warp (lanes.cuh), or 8 a warp and eight orbits (tensor.cuh) */
  int blocks;
  gpu_products_by products;
  int warps;             /* tensor.cuh: that share the orbits of eight elements; elsewhere 1 */
  bool together = false; /* stages: both fields in one pass, else one after the other */
};
/* Tiles by single precision, penalty between elements, stage, and order - 1. Found by trial (profiling/log.md). */
// clang-format off
constexpr gpu_tile_size gpu_tile_sizes[2][2][2][6] = {
    {
        {
            {{128, 3, BY_LANES, 1}, {128, 2, BY_LANES, 1}, {48, 2, BY_TENSOR, 1},
             {64, 1, BY_STACKS, 1}, {32, 1, BY_STACKS, 2}, {16, 1, BY_STACKS, 3}},
            {{128, 3, BY_LANES, 1, true}, {128, 2, BY_LANES, 1}, {64, 1, BY_TENSOR, 1, true},
             {64, 1, BY_STACKS, 1}, {32, 1, BY_STACKS, 2, true}, {16, 1, BY_STACKS, 3}},
        },
        {
            {{128, 3, BY_LANES, 1}, {64, 3, BY_LANES, 1}, {40, 2, BY_TENSOR, 1},
             {56, 1, BY_TENSOR, 1}, {32, 1, BY_STACKS, 2}, {16, 1, BY_STACKS, 3}},
            {{128, 2, BY_LANES, 1, true}, {64, 3, BY_LANES, 1}, {32, 2, BY_TENSOR, 1, true},
             {48, 1, BY_TENSOR, 1, true}, {32, 1, BY_STACKS, 2, true}, {16, 1, BY_STACKS, 3}},
        },
    },
    {
        {
            {{256, 2, BY_LANES, 1}, {128, 3, BY_LANES, 1}, {128, 2, BY_LANES, 1},
             {48, 2, BY_STACKS, 1}, {64, 1, BY_STACKS, 1}, {48, 1, BY_STACKS, 1}},
            {{192, 3, BY_LANES, 1, true}, {192, 2, BY_LANES, 1, true}, {128, 2, BY_LANES, 1},
             {48, 2, BY_STACKS, 1}, {64, 1, BY_STACKS, 1}, {32, 1, BY_STACKS, 3, true}},
        },
        {
            {{128, 4, BY_LANES, 1}, {128, 3, BY_LANES, 1}, {128, 2, BY_LANES, 1},
             {48, 2, BY_STACKS, 1}, {64, 1, BY_STACKS, 1}, {40, 1, BY_STACKS, 3}},
            {{128, 4, BY_LANES, 1, true}, {128, 2, BY_LANES, 1, true}, {128, 2, BY_LANES, 1},
             {64, 1, BY_STACKS, 1, true}, {32, 1, BY_STACKS, 2, true}, {32, 1, BY_STACKS, 3, true}},
        },
    },
};
// clang-format on

constexpr gpu_tile_size gpu_tile_size_of(bool single, bool penalised, bool staged, int order)
{
  return gpu_tile_sizes[single ? 1 : 0][penalised ? 1 : 0][staged ? 1 : 0][order - 1];
}

/* The room in shared memory that tiles leave to a block of curved elements in double precision, so that it may run
 * beside them. At other orders their registers leave none. */
constexpr size_t gpu_room_beside(int order) { return order == 3 ? 28 * 1024 : 0; }

constexpr int gpu_shared_memory = 228 * 1024; /* of a multiprocessor; a block takes 1 KB beside its own */

/* The number of traces for which there is room: a multiple of 4, and no more than the elements can have. */
constexpr int gpu_traces_of(size_t room, size_t taken, size_t trace, int elements)
{
  size_t traces = taken < room ? (room - taken) / trace / 4 * 4 : 0, most = 4 * static_cast<size_t>(elements);
  return static_cast<int>(traces < most ? traces : most);
}
