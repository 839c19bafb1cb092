/* Small dense matrices: the linear algebra that the reference element and the search for the step limit need.
 *
 * LAPACK and BLAS are those of OpenBLAS, which is loaded with the first call. Linked to the program, the library would
 * take 128 MB of addresses for each of its threads before main() begins, and ask for them for ever where there are
 * none. All functions fail with DG_ENVIRONMENT where the library is missing or has no room, or memory is used up. The
 * largest matrices have a few hundred rows.
 *
 * Matrices are row-major. Not collective. */
#pragma once

#include <complex.h>
#include <stdbool.h>

#include "libdg/base/error.h"

/* Loads the library, for a caller that wants the library to have its room before others take it; the functions below
 * load it themselves. */
int dg_dense_prepare(struct dg_error *err) DG_MUST_USE;
/* C[m][n] = A[m][k] B[k][n]; with `transposed` A is stored as [k][m]. C must not overlap the others. */
int dg_dense_multiply(int m, int n, int k, const double *A, bool transposed, const double *B, double *C,
                      struct dg_error *err) DG_MUST_USE;
/* Inverts A[n][n] in place. DG_BUG: it is singular; DG_ENVIRONMENT: out of memory. */
int dg_dense_invert(int n, double *A, struct dg_error *err) DG_MUST_USE;
/* Computes the eigenvalues of a symmetric tridiagonal matrix: diagonal[n] holds them afterwards, in no order. off[n]
 * has n - 1 entries beside the diagonal and is overwritten. last[n]: the last component of each eigenvector of length
 * 1. DG_BUG: no convergence. */
int dg_tridiagonal_eigen(int n, double *diagonal, double *off, double *last, struct dg_error *err) DG_MUST_USE;
/* Computes the eigenvalues of A[n][n], pairs next to each other, Im > 0 first. DG_BUG: no convergence. */
int dg_dense_values(int n, const double *A, double complex *value, struct dg_error *err) DG_MUST_USE;
/* Computes the eigenvalues of H[n][n], whose entries below the first subdiagonal are zero; `row` is the distance of its
 * rows. DG_BUG: no convergence. */
int dg_hessenberg_values(int n, const double *H, int row, double complex *value, struct dg_error *err) DG_MUST_USE;
/* Computes the eigenvector of length 1 of one of these eigenvalues. */
int dg_hessenberg_vector(int n, const double *H, int row, double complex value, double complex *vector,
                         struct dg_error *err) DG_MUST_USE;
