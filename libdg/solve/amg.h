/* Algebraic multigrid of hypre, for the coarsest level of multigrid.h: one V-cycle of BoomerAMG a call.
 *
 * hypre is loaded when it is first wanted. It brings LAPACK and BLAS, which must not come before OpenBLAS. Source of
 * the method: V. Henson, U. Yang, Appl. Numer. Math. 41 (2002) 155. */
#pragma once

#include "libdg/field/elliptic.h"

struct dg_amg; /* opaque */

/* Can it be loaded? err says why not. */
int dg_amg_prepare(struct dg_error *err) DG_MUST_USE;

/* Takes the matrix of an operator on continuous elements of order 1; rows and columns of held[count] (NULL: none) are
 * those of the unit matrix. singular: constants are in the kernel. Collective. Space and held must outlive it.
 * DG_ENVIRONMENT: no memory, no library, or what the library says. */
int dg_amg_new(struct dg_amg **amg, const struct dg_space *space, struct dg_elliptic *op,
               struct dg_elliptic_weights weights, const bool *held, bool singular, struct dg_error *err) DG_MUST_USE;
void dg_amg_free(struct dg_amg *amg); /* NULL is safe */

/* z[count] = a V-cycle for r[count], from z = 0. Collective. */
void dg_amg_apply(struct dg_amg *amg, const double *r, double *z);
