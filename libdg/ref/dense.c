#include "libdg/ref/dense.h"

#include <float.h>
#include <math.h>

#include "libdg/base/memory.h"

enum { PATIENCE = 60 }; /* iterations for one eigenvalue; two or three are usual */

void dg_dense_multiply(int m, int n, int k, const double *A, bool transposed, const double *B, double *C)
{
  for (int i = 0; i < m; i++) {
    double *row = C + (size_t)i * (size_t)n;
    for (int j = 0; j < n; j++) row[j] = 0;
    for (int l = 0; l < k; l++) {
      const double a = transposed ? A[(size_t)l * (size_t)m + (size_t)i] : A[(size_t)i * (size_t)k + (size_t)l];
      const double *from = B + (size_t)l * (size_t)n;
      for (int j = 0; j < n; j++) row[j] += a * from[j];
    }
  }
}

/* P A = L U in the place of A, by columns with the largest pivot of each; pivot[i] is the row that went to row i. */
static bool factor(size_t n, double *A, size_t *pivot)
{
  for (size_t j = 0; j < n; j++) {
    size_t best = j;
    for (size_t i = j + 1; i < n; i++)
      if (fabs(A[i * n + j]) > fabs(A[best * n + j])) best = i;
    if (A[best * n + j] == 0) return false;
    pivot[j] = best;
    for (size_t l = 0; l < n && best != j; l++) {
      const double kept = A[j * n + l];
      A[j * n + l] = A[best * n + l];
      A[best * n + l] = kept;
    }
    for (size_t i = j + 1; i < n; i++) {
      const double ratio = A[i * n + j] /= A[j * n + j];
      for (size_t l = j + 1; l < n; l++) A[i * n + l] -= ratio * A[j * n + l];
    }
  }
  return true;
}

/* X[n][n] = A^-1 from the factors, all columns at a time. */
static void substitute(size_t n, const double *A, const size_t *pivot, double *X)
{
  for (size_t i = 0; i < n; i++) X[i * n + i] = 1;
  for (size_t i = 0; i < n; i++)
    for (size_t l = 0; l < n && pivot[i] != i; l++) {
      const double kept = X[i * n + l];
      X[i * n + l] = X[pivot[i] * n + l];
      X[pivot[i] * n + l] = kept;
    }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++)
      for (size_t l = 0; l < n; l++) X[i * n + l] -= A[i * n + j] * X[j * n + l];
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n; j++)
      for (size_t l = 0; l < n; l++) X[i * n + l] -= A[i * n + j] * X[j * n + l];
    for (size_t l = 0; l < n; l++) X[i * n + l] /= A[i * n + i];
  }
}

int dg_dense_invert(int n, double *A, struct dg_error *err)
{
  const size_t size = (size_t)n;
  size_t *pivot = NULL;
  double *inverse = NULL;
  if (DG_NEW(pivot, size, err) != 0 || DG_NEW(inverse, size * size, err) != 0) goto fail;
  if (!factor(size, A, pivot)) {
    (void)dg_fail(err, DG_BUG, "a %d x %d matrix has no inverse", n, n);
    goto fail;
  }
  substitute(size, A, pivot, inverse);
  for (size_t i = 0; i < size * size; i++) A[i] = inverse[i];
fail:
  dg_free(pivot);
  dg_free(inverse);
  return err->code;
}

/* One implicit QL step on rows first..end: the shift goes in at the end and is chased up to the first. */
static void tridiagonal_step(int first, int end, double *d, double *e, double *last)
{
  double g = (d[first + 1] - d[first]) / (2 * e[first]), r = hypot(g, 1), s = 1, c = 1, p = 0;
  g = d[end] - d[first] + e[first] / (g + copysign(r, g));
  for (int i = end - 1; i >= first; i--) {
    double f = s * e[i];
    const double b = c * e[i];
    e[i + 1] = r = hypot(f, g);
    if (r == 0) { /* the matrix falls apart here */
      d[i + 1] -= p;
      e[end] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - p;
    r = (d[i] - g) * s + 2 * c * b;
    p = s * r;
    d[i + 1] = g + p;
    g = c * r - b;
    f = last[i + 1];
    last[i + 1] = s * last[i] + c * f;
    last[i] = c * last[i] - s * f;
  }
  d[first] -= p;
  e[first] = g;
  e[end] = 0;
}

int dg_tridiagonal_eigen(int n, double *diagonal, double *off, double *last, struct dg_error *err)
{
  for (int i = 0; i < n; i++) last[i] = i == n - 1;
  off[n - 1] = 0;
  for (int first = 0; first < n; first++)
    for (int tries = 0;; tries++) {
      int end = first;
      while (end < n - 1 && fabs(off[end]) > DBL_EPSILON * (fabs(diagonal[end]) + fabs(diagonal[end + 1]))) end++;
      if (end == first) break;
      if (tries == PATIENCE) return dg_fail(err, DG_BUG, "the eigenvalues of %d numbers do not converge", n);
      tridiagonal_step(first, end, diagonal, off, last);
    }
  return 0;
}

static double size_of(double complex z) { return fabs(creal(z)) + fabs(cimag(z)); }

/* Of the last two rows' block, the eigenvalue that is nearer to the last entry. */
static double complex shift_of(size_t n, const double complex *H, size_t row, int tries)
{
  const double complex *const above = H + (n - 2) * row + n - 2, *const here = H + (n - 1) * row + n - 2;
  if (tries % 10 == 9) return here[1] + size_of(here[0]); /* out of a circle */
  const double complex half = 0.5 * (above[0] - here[1]), product = above[1] * here[0];
  if (product == 0) return here[1];
  double complex root = csqrt(half * half + product);
  if (creal(half) * creal(root) + cimag(half) * cimag(root) < 0) root = -root;
  return half + root == 0 ? here[1] : here[1] - product / (half + root);
}

/* H - shift = Q R, H = R Q + shift on rows and columns first..end-1. */
static void hessenberg_step(size_t first, size_t end, double complex shift, double complex *H, size_t row,
                            double *cosine, double complex *sine)
{
  for (size_t i = first; i < end; i++) H[i * row + i] -= shift;
  for (size_t i = first; i + 1 < end; i++) {
    double complex *const up = H + i * row, *const low = up + row;
    const double a = cabs(up[i]), b = cabs(low[i]), r = hypot(a, b);
    const double complex phase = a > 0 ? up[i] / a : 1;
    cosine[i] = r > 0 ? a / r : 1;
    sine[i] = r > 0 ? phase * conj(low[i]) / r : 0;
    for (size_t j = i; j < end; j++) {
      const double complex x = up[j], y = low[j];
      up[j] = cosine[i] * x + sine[i] * y;
      low[j] = cosine[i] * y - conj(sine[i]) * x;
    }
  }
  for (size_t i = first; i + 1 < end; i++)
    for (size_t j = first; j < end && j <= i + 1; j++) {
      double complex *const at = H + j * row + i;
      const double complex x = at[0], y = at[1];
      at[0] = cosine[i] * x + conj(sine[i]) * y;
      at[1] = cosine[i] * y - sine[i] * x;
    }
  for (size_t i = first; i < end; i++) H[i * row + i] += shift;
}

/* Values of n x n of work, which is destroyed. */
static bool iterate(size_t n, double complex *H, double *cosine, double complex *sine, double complex *value)
{
  for (size_t end = n; end > 0;) {
    int tries = 0;
    for (;; tries++) {
      size_t first = end - 1;
      while (first > 0) {
        double near = size_of(H[(first - 1) * n + first - 1]) + size_of(H[first * n + first]);
        if (size_of(H[first * n + first - 1]) <= DBL_EPSILON * near) break;
        first--;
      }
      if (first == end - 1) break;
      if (tries == PATIENCE) return false;
      hessenberg_step(first, end, shift_of(end, H, n, tries), H, n, cosine, sine);
    }
    end--;
    value[end] = H[end * n + end];
  }
  return true;
}

int dg_hessenberg_values(int n, const double *H, int row, double complex *value, struct dg_error *err)
{
  const size_t size = (size_t)n;
  double complex *work = NULL, *sine = NULL;
  double *cosine = NULL;
  if (DG_NEW(work, size * size, err) != 0 || DG_NEW(sine, size, err) != 0 || DG_NEW(cosine, size, err) != 0) goto fail;
  for (size_t i = 0; i < size; i++)
    for (size_t j = i > 0 ? i - 1 : 0; j < size; j++) work[i * size + j] = H[i * (size_t)row + j];
  if (!iterate(size, work, cosine, sine, value))
    (void)dg_fail(err, DG_BUG, "the eigenvalues of a %d x %d matrix do not converge", n, n);
fail:
  dg_free(work);
  dg_free(sine);
  dg_free(cosine);
  return err->code;
}

/* x := A^-1 x for a Hessenberg matrix, which is destroyed; a pivot of zero counts as `tiny`. */
static void solve(size_t n, double complex *A, double tiny, double complex *x)
{
  for (size_t i = 0; i + 1 < n; i++) {
    double complex *const up = A + i * n, *const low = up + n;
    if (size_of(low[i]) > size_of(up[i])) {
      for (size_t j = i; j < n; j++) {
        const double complex kept = up[j];
        up[j] = low[j];
        low[j] = kept;
      }
      const double complex kept = x[i];
      x[i] = x[i + 1];
      x[i + 1] = kept;
    }
    if (size_of(up[i]) < tiny) up[i] = tiny;
    const double complex ratio = low[i] / up[i];
    for (size_t j = i + 1; j < n; j++) low[j] -= ratio * up[j];
    x[i + 1] -= ratio * x[i];
  }
  if (size_of(A[n * n - 1]) < tiny) A[n * n - 1] = tiny;
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n; j++) x[i] -= A[i * n + j] * x[j];
    x[i] /= A[i * n + i];
  }
}

int dg_hessenberg_vector(int n, const double *H, int row, double complex value, double complex *vector,
                         struct dg_error *err)
{
  enum { STEPS = 3 }; /* of inverse iteration; one would do but for a start that lies across the vector */
  const size_t size = (size_t)n;
  double complex *work;
  double largest = 0;
  if (DG_NEW(work, size * size, err) != 0) return err->code;
  for (size_t i = 0; i < size; i++) vector[i] = 1;
  for (int step = 0; step < STEPS; step++) {
    for (size_t i = 0; i < size; i++)
      for (size_t j = i > 0 ? i - 1 : 0; j < size; j++) {
        work[i * size + j] = H[i * (size_t)row + j] - (i == j ? value : 0);
        largest = fmax(largest, fabs(H[i * (size_t)row + j]));
      }
    solve(size, work, DBL_EPSILON * fmax(largest, DBL_MIN / DBL_EPSILON), vector);
    double square = 0, most = 0;
    for (size_t i = 0; i < size; i++) most = fmax(most, size_of(vector[i]));
    for (size_t i = 0; i < size; i++) {
      vector[i] /= most;
      square += creal(vector[i]) * creal(vector[i]) + cimag(vector[i]) * cimag(vector[i]);
    }
    for (size_t i = 0; i < size; i++) vector[i] /= sqrt(square);
  }
  dg_free(work);
  return 0;
}
