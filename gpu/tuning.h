/* Sizes of the kernels' tiles: the only numbers that depend on the card. One row an architecture, the first whose
 * `from` is not above the card's (10 * major + minor), and in it an entry an order and precision. Every different
 * entry is a kernel of its own. */
#pragma once

#include "libdg/base/orders.h"

struct gpu_tile {
  int elements; /* of a tile, which is what a block works on */
  int each;     /* of them that a thread works on at a time, at one node; divides `elements` */
};

struct gpu_tuning {
  int from;
  struct gpu_tile tile[2][DG_ORDER_MAX]; /* by precision (double, single) and order - 1 */
};

/* A tile's numbers, 6 Np + 12 Nf + 32 an element, stay below 48 KB of shared memory, and its threads, Np a group of
 * `each`, between 128 and 256. Not tuned for speed. */
constexpr int gpu_tunings = 1;
constexpr gpu_tuning gpu_tuning_table[gpu_tunings] = {
    {0,
     {{{64, 2}, {32, 2}, {16, 2}, {12, 2}, {8, 2}, {6, 2}, {4, 2}, {2, 2}},
      {{64, 2}, {64, 4}, {32, 4}, {24, 4}, {16, 4}, {12, 4}, {8, 4}, {4, 4}}}},
};

constexpr gpu_tile gpu_tile_of(int row, bool single, int order)
{
  return gpu_tuning_table[row].tile[single ? 1 : 0][order - 1];
}

/* Of the tensor cores' kernels (tensor.cuh; compute capability 9.0, double precision), by order - 1. */
struct gpu_tensor_tile {
  int elements; /* of a tile: 16 a group of 3 warps for every eight unknowns of a sector */
  int blocks;   /* that a multiprocessor is to have room for: fewer registers a thread */
};
/* Higher orders keep to the plain kernels, whose sums have fewer differences: 2e-13 after a thousand steps, not 1e-12.
 */
constexpr int gpu_tensor_orders = 6;
constexpr gpu_tensor_tile gpu_tensor_tuning[gpu_tensor_orders] = {{64, 1}, {32, 2}, {32, 3}, {16, 2}, {16, 2}, {16, 2}};
