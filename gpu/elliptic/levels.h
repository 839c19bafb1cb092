/* Multigrid over the orders on the card, as a preconditioner (private to gpu/elliptic).
 *
 * The levels are those of libdg/solve/multigrid.h. Each smooths with Chebyshev's polynomials of the operator over its
 * diagonal. So does the coarsest, which is of order 1, but with a degree that reaches its smallest eigenvalue: a fixed
 * polynomial keeps the cycle linear and symmetric, and nothing goes to the host. */
#pragma once

#include "gpu/elliptic/level.h"
#include "gpu/runtime/memory.h"
#include "libdg/solve/multigrid.h"

enum { GPU_LEVELS = 6 };

struct gpu_levels {
  int count; /* 0: none */
  struct dg_multigrid *of;
  struct gpu_level level[GPU_LEVELS];
};

/* Makes the levels below the finest, whose operator and r, q and inverse are given. DG_ENVIRONMENT: no memory. */
int gpu_levels_init(struct gpu_levels *levels, struct gpu_memory *card, struct dg_multigrid *of,
                    const struct gpu_elliptic *op, const struct gpu_march_vectors *finest,
                    struct dg_error *err) DG_MUST_USE;
/* Prepares for weights and for what is held; the finest level has its inverse already. */
int gpu_levels_set(struct gpu_levels *levels, struct gpu_elliptic_weights weights, const bool *held, bool floating,
                   const struct gpu_search *search, struct dg_error *err) DG_MUST_USE;
/* z of the finest level = a cycle for its r. */
gpuError_t gpu_levels_cycle(const struct gpu_levels *levels, struct gpu_elliptic_weights weights,
                            const struct gpu_march *march, int n, gpuStream_t stream);
