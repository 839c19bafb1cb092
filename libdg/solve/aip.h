/* A factored approximate inverse of an elliptic operator, as a preconditioner for conjugate gradients: P = G^T G.
 *
 * G is lower triangular. Its pattern is that of the operator's matrix A, without entries a_ij below
 * 0.05 sqrt(a_ii a_jj), and G is the best one on it: where A = L L^T, G makes |I - G L| least in Frobenius' norm,
 * scaled so that G A G^T has a unit diagonal. L is not needed: row i solves A(J, J) g = e_i, J the columns of the row,
 * over the root of g_i. A product with P is two sparse products, which all threads share. Source: L. Kolotilina, A.
 * Yeremin, SIAM J. Matrix Anal. Appl. 14 (1993) 45.
 *
 * A rank has the rows of the unknowns that it counts, with columns among all that it has; entries of A are sums over
 * all ranks. Only entries between unknowns of two ranks of which neither has both are missing in G. Unknowns of bodies,
 * whose rows may be long, have the diagonal alone.
 *
 * Conjugate gradients take half as many iterations as with the diagonal at orders 1 and 2, and down to a quarter at
 * order 5. G is kept in single precision, which a preconditioner bears: P stays symmetric and positive. It takes 85,
 * 125, 150, 180 and 220 bytes an unknown at orders 1 to 5, and while it is made 100, 170, 290, 450 and 640 more. */
#pragma once

#include "libdg/field/elliptic.h"

struct dg_aip; /* opaque */

/* The matrix is the sum of the terms. held[count]: unknowns that keep their values; NULL: none. The operators are on
 * this space, which must outlive it; they and what is held may change. Collective. DG_ENVIRONMENT: no memory. */
int dg_aip_new(struct dg_aip **aip, const struct dg_space *space, size_t terms, const struct dg_elliptic_term *term,
               const bool *held, struct dg_error *err) DG_MUST_USE;
void dg_aip_free(struct dg_aip *aip); /* NULL is safe */

/* z[count] = P r[count], 0 where it is held. Collective; dg_space_error has what went wrong. */
void dg_aip_apply(struct dg_aip *aip, const double *r, double *z);

/* G, for tests. Row i of `rows`, those of the unknowns that this rank counts, is that of unknown[first + i]. It has the
 * columns column[start[i]] to column[start[i + 1] - 1], ascending, the last of them first + i; column n is that of
 * unknown[n]. */
struct dg_aip_view {
  size_t rows, first;
  const int32_t *unknown; /* [first + rows] */
  const size_t *start;
  const int32_t *column;
  const float *value;
};
struct dg_aip_view dg_aip_look(const struct dg_aip *aip);
size_t dg_aip_bytes(const struct dg_aip *aip); /* of this rank */
