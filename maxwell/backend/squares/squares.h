/* Squares of the fields of curved elements, for energies of the `cpu` backend: c^T N c of maxwell/problem/curved.h,
 * N = M A^-1, for eight elements at a time.
 *
 * The polynomials are written in a basis in which the mass matrix is 1, by sectors (maxwell/backend/frame/points.h).
 * Then A is S = V^T w W^-1 V. The mean of the weights is taken out by a Cholesky factor of 3 x 3 numbers, so that what
 * is left is near a multiple of 1, and conjugate gradients find b^T S^-1 b. Their k-th round adds
 * (r^T r)^2 / (p^T S p) to it, which is positive. What is missing is the square of the energy norm of the error
 * (M. R. Hestenes, E. Stiefel, J. Res. NBS 49 (1952) 409, theorem 6:1): half the rounds are enough that the solution
 * itself would take, and the solution is not needed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "libdg/ref/rule.h"
#include "maxwell/backend/frame/symmetry.h"

/* Rows of a matrix of curved elements that a kernel works on at a time: as few goes of at most `most` rows as do. */
#define MX_ROWS_A_GO(rows, most) (((rows) + ((rows) + (most)-1) / (most)-1) / (((rows) + (most)-1) / (most)))

enum {
  MX_SQUARE_LANES = 8,
  MX_SQUARE_POINTS = DG_RULE_POINTS_MAX,
};

/* Sizes by sector, and matrices in the order of MX_ROWS_A_GO, one sector behind the other. */
struct mx_squares {
  int nodes[4], points[4];        /* unknowns */
  int node_quads, node_pairs, Np; /* orbits of the nodes */
  int point_quads, point_pairs, Nq;
  const int32_t *orbit; /* [Np] borrowed: nodes by orbit */
  double *change;       /* from sums over orbits of nodes to the basis */
  double *at, *back;    /* from the basis to coefficients at the points; its transpose */
  double *weight;       /* [Nq] of the points by orbit, for the reference element of (r, s, t) */
};

/* Fields [count][3 node + component][8] of eight elements, covariant as the metric [Nq][6][8] is; the points by orbit.
 */
struct mx_square_fields {
  const double *metric, *field;
  size_t count;
  /* [count] the field, not a later one, against whose square the digits of this one's count */
  const size_t *beside;
};

/* square[count][8]: integrals of the squares, up to the scale of the metric's frame. The sign of a metric does not
 * count. What is not finite gives what is not finite. */
struct mx_square_kernels {
  size_t rows; /* the most rows of a matrix at a time */
  void (*squares)(const struct mx_squares *squares, const struct mx_square_fields *fields, double *square);
};
extern const struct mx_square_kernels mx_squares_portable, mx_squares_avx2, mx_squares_avx512;

/* point[Nq]: the rule's points by orbit; orbit[Np]: the nodes by orbit, which the result keeps. Release with
 * mx_squares_release; zeroed is safe. */
int mx_squares_init(struct mx_squares *squares, const struct mx_square_kernels *kernels, const struct dg_reference *ref,
                    const struct dg_quadrature *rule, const int32_t *point, const struct mx_symmetry *symmetry,
                    struct dg_error *err) DG_MUST_USE;
void mx_squares_release(struct mx_squares *squares);
