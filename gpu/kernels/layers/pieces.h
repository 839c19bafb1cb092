/* The operators of layers as the kernels of layers/tensor.cuh take them, for the host that lays them out and for the
 * kernels: up to order 6, compute capability 9.0. */
#pragma once

#include "gpu/kernels/curves.h" /* the points of the rule */
#include "maxwell/response/layer.h"

/* A product has two steps of four nodes (or points) and eight points (or nodes). Of lane (g, t) = (lane / 4, lane % 4),
 * row t of step j is number 8 i + 4 j + t of its eight i, and column g is the number of t = g / 2 and j = g % 2: with
 * these places, the results of a lane are rows of the next product. */
GPU_INLINE int gpu_layer_place(int eight, int t, int j) { return 8 * eight + 4 * j + t; }

/* A piece is the factors of a product, by lane the two steps: two doubles, or the two high and the two low parts of
 * floats. First those that take the eights of nodes to an eight of points, then those that take it back. */
enum { GPU_LAYER_PIECE = 32 * 16 }; /* bytes */
GPU_INLINE int gpu_layer_to_points(int order, int points, int nodes)
{
  return points * gpu_eights(DG_NP(order)) + nodes;
}
GPU_INLINE int gpu_layer_to_nodes(int order, int points, int nodes)
{
  return (gpu_eights(gpu_points(order)) + points) * gpu_eights(DG_NP(order)) + nodes;
}
GPU_INLINE int gpu_layer_pieces(int order) { return 2 * gpu_eights(gpu_points(order)) * gpu_eights(DG_NP(order)); }

/* The coefficients that a layer of one direction uses, which stand together: number i of them is this one. */
enum { GPU_LAYER_USED = 14 };
GPU_INLINE int gpu_layer_used(int i)
{
  return i < 4    ? MX_LAYER_C_LOSS + i
         : i < 8  ? MX_LAYER_C_PLACE + 3 * (i - 4)
         : i < 11 ? MX_LAYER_C_UP + i - 8
                  : MX_LAYER_C_DOWN + i - 11;
}
