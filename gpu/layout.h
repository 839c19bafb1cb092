/* Where numbers lie on the card; the one place that knows, for the host in C and for the kernels.
 *
 * A field is [element][3][Np]: the covariant components along the bimedians (maxwell/cpu/fused.h has the formulas),
 * nodes in the order of mx_symmetry.node, by orbits: quads, pairs, the fixed one. */
#pragma once

#include <stddef.h>

#include "libdg/base/orders.h"

#if defined(__CUDACC__) || defined(__HIPCC__)
#define GPU_INLINE __host__ __device__ constexpr
#else
#define GPU_INLINE static inline
#endif

/* Numbers from one element to the next, and from one component to the next. */
GPU_INLINE size_t gpu_stride(int order) { return 3 * (size_t)DG_NP(order); }
GPU_INLINE size_t gpu_component(int order) { return (size_t)DG_NP(order); }
/* Component c at node n (of the card's order) of element e. */
GPU_INLINE size_t gpu_at(int order, size_t e, size_t c, size_t n)
{
  return e * gpu_stride(order) + c * gpu_component(order) + n;
}
