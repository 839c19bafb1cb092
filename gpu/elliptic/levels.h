/* Multigrid over the orders on the card, as a preconditioner (private to gpu/elliptic).
 *
 * The levels are those of libdg/solve/multigrid.h. Each smooths with Chebyshev's polynomials of the operator over its
 * diagonal. So does the coarsest, which is of order 1, but with a degree that reaches its smallest eigenvalue: a fixed
 * polynomial keeps the cycle linear and symmetric, and nothing goes to the host. */
#pragma once

#include "gpu/elliptic/level.h"
#include "gpu/runtime/memory.h"
#include "libdg/solve/multigrid.h"

enum { GPU_LEVELS = 6, GPU_FOUND = 8 };

struct gpu_levels {
  int count; /* 0: none */
  struct dg_multigrid *of;
  struct dg_elliptic *more; /* of the finest level; NULL: none */
  struct gpu_memory card;
  struct gpu_level level[GPU_LEVELS];
  double *part; /* [2][blocks] room for sums that nobody reads */
  /* What was prepared: */
  bool prepared, massive, floating;
  struct gpu_elliptic_weights rest; /* stiffness = 1, mass = 0 */
  struct gpu_found {                /* the smallest eigenvalue of the coarsest level at rest : mass = 2^exponent : 1 */
    int exponent;
    double smallest;
  } found[GPU_FOUND];
  int founds;
};

/* What the levels are made of; `finest` has r, q and inverse, and part_q as room. */
struct gpu_levels_setup {
  struct dg_multigrid *of;
  struct dg_elliptic *more; /* of the finest level; NULL: none */
  const struct gpu_elliptic *op;
  const struct gpu_march_vectors *finest;
  struct gpu_ranks *ranks; /* of the finest */
  enum dg_answer direct;   /* as in the setup of a device */
};

/* Makes what needs no other rank. DG_ENVIRONMENT: no memory. Release in any case. */
int gpu_levels_init(struct gpu_levels *levels, const struct gpu_levels_setup *setup, struct dg_error *err) DG_MUST_USE;
/* Makes the rest. Collective, as what follows is. */
int gpu_levels_join(struct gpu_levels *levels, struct dg_error *err) DG_MUST_USE;
void gpu_levels_release(struct gpu_levels *levels);
/* Prepares for weights and for what is held. The inverse of the finest level is lost, and given behind this.
 *
 * With weights m of the mass and s of all else, the operator is m M + s K, and its diagonal m D_M + s D_K. The quotient
 * of x . (m M + s K) x and x . (m D_M + s D_K) x is a mean of those of M over D_M and of K over D_K, with weights m and
 * s t, where t lies between the smallest and the largest ratio of the entries of D_K and D_M. So the largest
 * eigenvalues of M and of K, found once, bound that of any step. The smallest one matters on the coarsest level. For
 * each x the quotient moves one way with s/m, from that of M on: the smallest eigenvalue at s/m is no less than the
 * smaller one of those of M and at a larger s/m. It is found at powers of 4, once each. Behind the first steps,
 * therefore, only numbers change. */
int gpu_levels_set(struct gpu_levels *levels, struct gpu_elliptic_weights weights, const bool *held, bool floating,
                   const struct gpu_search *search, struct dg_error *err) DG_MUST_USE;
/* z of the finest level = a cycle for its r. */
int gpu_levels_cycle(const struct gpu_levels *levels, struct gpu_elliptic_weights weights,
                     const struct gpu_march *march, int n, gpuStream_t stream, struct dg_error *err) DG_MUST_USE;
