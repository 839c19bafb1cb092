/* Multigrid over the orders of continuous elements, as a preconditioner for conjugate gradients.
 *
 * The levels are spaces of order p, p - 1, and so on to 1, on the same mesh (above order 5 every other order). Halved
 * orders take half as many iterations again. Each has its own operator, and
 * smooths with Chebyshev's polynomials of the operator over its diagonal. On order 1 hypre makes a cycle (amg.h). The
 * cycle is symmetric. Sources: E. Ronquist, A. Patera, J. Sci. Comput. 2 (1987) 389; M. Adams, M. Brezina, J. Hu, R.
 * Tuminaro, J. Comput. Phys. 188 (2003) 593. */
#pragma once

#include "libdg/field/elliptic.h"

struct dg_multigrid; /* opaque */

struct dg_multigrid_setup {
  const struct dg_space *space; /* of the finest level */
  struct dg_elliptic *op;
  const struct dg_elliptic_medium *medium; /* what both were made of; needed during the call only */
  const int32_t (*body)[4];                /* the same */
  const struct dg_elliptic_medium *more;   /* of a second operator on every level, for devices; NULL: none */
  bool halves;                             /* orders are halved from level to level */
};

/* Makes the levels; dg_multigrid_set comes next. Collective. Space and operator must outlive it. DG_ENVIRONMENT: no
 * memory. */
int dg_multigrid_new(struct dg_multigrid **multigrid, const struct dg_multigrid_setup *setup,
                     struct dg_error *err) DG_MUST_USE;
void dg_multigrid_free(struct dg_multigrid *multigrid); /* NULL is safe */
/* Prepares it for an operator with these weights. held[count]: unknowns that keep their values; NULL: none; copied.
 * floating: constants are in the kernel. May be called again, for others. Collective. DG_ENVIRONMENT: no memory, or no
 * hypre. */
int dg_multigrid_set(struct dg_multigrid *multigrid, struct dg_elliptic_weights weights, const bool *held,
                     bool floating, struct dg_error *err) DG_MUST_USE;

/* For devices that make the cycle themselves (device.h): the levels, the finest first, and what is held on each once
 * dg_multigrid_hold has been called. Neither needs hypre. */
struct dg_multigrid_level {
  const struct dg_space *space;
  struct dg_elliptic *op;
  struct dg_elliptic *more; /* the second operator; NULL: there is none, or this is the finest level */
  const bool *held;         /* [count] */
  const double *from;       /* [Np][Np of the coarser] values of its basis at the nodes; NULL on the coarsest level */
  const int32_t *source;    /* [count] a place of each unknown, e * Np + i; -1: it has none; NULL there too */
};
int dg_multigrid_levels(const struct dg_multigrid *multigrid);
struct dg_multigrid_level dg_multigrid_level(const struct dg_multigrid *multigrid, int n);
int dg_multigrid_hold(struct dg_multigrid *multigrid, const bool *held, struct dg_error *err) DG_MUST_USE;

/* z[count] = P r[count], with P near the inverse of the operator. Collective; dg_space_error has what went wrong. */
void dg_multigrid_apply(struct dg_multigrid *multigrid, const double *r, double *z);
