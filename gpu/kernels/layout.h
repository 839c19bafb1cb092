/* The places of numbers on the card. No other file knows them; the host in C and the kernels read this one.
 *
 * A field is [element][3][Np], with padding behind each element (gpu_stride). The three are the covariant components
 * along the bimedians (maxwell/backend/cpu/fused.h has the formulas). The nodes go by orbits: the first members of all
 * quads, then the second ones, ..., then the pairs, then the fixed node. */
#pragma once

#include <stddef.h>

#include "libdg/base/orders.h"

/* The highest order that the kernels of tile.cuh have. Higher orders keep to the plain kernels, and so do AMD's
 * cards. */
#ifdef CURLEW_HIP
enum { GPU_TILE_ORDERS = 0 };
#else
enum { GPU_TILE_ORDERS = 6 };
#endif

#if defined(__CUDACC__) || defined(__HIPCC__)
#define GPU_INLINE __host__ __device__ constexpr
#else
#define GPU_INLINE static inline
#endif

/* Numbers from one element to the next, and from one component to the next. Rows begin at multiples of 16 bytes, as
 * copies want it, and of four numbers, with which nodes of several elements meet in fewer banks; at order 2 that would
 * cost too much. */
GPU_INLINE size_t gpu_stride(int order) { return order == 2 ? 30 : (3 * (size_t)DG_NP(order) + 3) / 4 * 4; }
GPU_INLINE size_t gpu_component(int order) { return (size_t)DG_NP(order); }
/* Component c at node n (of the card's order) of element e. */
GPU_INLINE size_t gpu_at(int order, size_t e, size_t c, size_t n)
{
  return e * gpu_stride(order) + c * gpu_component(order) + n;
}
/* Node m of face 0 (of the card's order), orders 1 and 2. */
GPU_INLINE int gpu_face_node(int order, int m) { return (order == 1 ? "\1\2\3" : "\1\10\2\6\4\3")[m]; }
/* Do tensor cores' kernels pack pairs (tensor.cuh)? Where sectors 1 to 3 have eight orbits, sector 0 more. */
GPU_INLINE int gpu_packs_pairs(int order) { return order == 4; }
/* Do these kernels take two steps of four orbits in one product? They do in single precision, where faces have an even
 * number of steps. */
GPU_INLINE int gpu_two_steps(int single, int order) { return single && (order == 4 || order == 5); }
/* The number of pairs of numbers (2 i, 2 i + 1) of a component that have nodes of a face, where these are less than
 * half of all pairs. The kernels of tile.cuh that want room then load pairs instead of rows. The order of the nodes
 * (maxwell/backend/frame/symmetry.c) makes the pairs as few as that; kernel_tables.c has lists of them. 0: the kernels
 * load rows, or the nodes one by one. */
GPU_INLINE int gpu_face_pieces(int order) { return order == 5 ? 12 : order == 6 ? 17 : 0; }
/* Do the kernels of tile.cuh have a thread an element (lanes.cuh)? Else they use tensor cores. */
GPU_INLINE int gpu_by_lanes(int single, int order) { return order <= (single ? 3 : 2); }
/* Number i of the row of element e in a Runge-Kutta register, as the kernels of tile.cuh lay registers out. Eight rows
 * stand side by side, number by number, so that a warp's lanes meet in the same lines. */
GPU_INLINE size_t gpu_register_at(int order, size_t e, size_t i)
{
  return e / 8 * 8 * gpu_stride(order) + 8 * i + e % 8;
}
