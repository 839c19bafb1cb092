/* A factored approximate inverse of an elliptic operator, as a preconditioner for conjugate gradients: P = G^T G.
 *
 * G is lower triangular with the pattern of the operator's matrix A, and the best one on it: where A = L L^T, G makes
 * |I - G L| least in Frobenius' norm, scaled so that G A G^T has a unit diagonal. L is not needed: row i is the
 * solution of A(J, J) g = e_i, J the columns of the row, over the root of g_i. A product with P is two sparse products,
 * which all threads share. Source: L. Kolotilina, A. Yeremin, SIAM J. Matrix Anal. Appl. 14 (1993) 45.
 *
 * A rank has the rows of the unknowns that it counts, with columns among them: the others it knows nothing of. Entries
 * that other ranks' elements bring to these are added. Unknowns of bodies, whose rows may be long, have the diagonal
 * alone.
 *
 * G is kept in single precision, which a preconditioner bears: it stays symmetric and positive. An unknown of order 1
 * takes 140 bytes, of order 2 260, of order 3 440, of order 4 700. */
#pragma once

#include "libdg/field/elliptic.h"

struct dg_aip; /* opaque */

/* The matrix is the sum of these. */
struct dg_aip_term {
  const struct dg_elliptic *op;
  struct dg_elliptic_weights weights;
};

/* held[count]: unknowns that keep their values; NULL: none. The operators are on this space, which must outlive it;
 * they and what is held may change. Collective. DG_ENVIRONMENT: no memory; DG_INPUT: a row has too many entries. */
int dg_aip_new(struct dg_aip **aip, const struct dg_space *space, size_t terms, const struct dg_aip_term *term,
               const bool *held, struct dg_error *err) DG_MUST_USE;
void dg_aip_free(struct dg_aip *aip); /* NULL is safe */

/* z[count] = P r[count], 0 where it is held. Collective; dg_space_error has what went wrong. */
void dg_aip_apply(struct dg_aip *aip, const double *r, double *z);

/* G, for tests: row i of `rows`, those that this rank counts, has the columns column[start[i]] to column[start[i + 1] -
 * 1], ascending, the last of them i. unknown[rows] are their numbers in the space. */
struct dg_aip_view {
  size_t rows;
  const int32_t *unknown;
  const size_t *start;
  const int32_t *column;
  const float *value;
};
struct dg_aip_view dg_aip_look(const struct dg_aip *aip);
size_t dg_aip_bytes(const struct dg_aip *aip); /* of this rank */
