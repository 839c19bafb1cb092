/* Finds the modes of several conductors: see tem_pick.h. */
#include "maxwell/sources/tem/tem_pick.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"

/* K = L L^T, L below and on the diagonal. */
static void factor(size_t n, double *K)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = K[i * n + j];
      for (size_t k = 0; k < j; k++) sum -= K[i * n + k] * K[j * n + k];
      K[i * n + j] = i == j ? sqrt(sum) : sum / K[j * n + j];
    }
}

/* A = L^-1 A L^-T */
static void reduce(size_t n, const double *L, double *A)
{
  for (size_t c = 0; c < n; c++)
    for (size_t i = 0; i < n; i++) {
      for (size_t k = 0; k < i; k++) A[i * n + c] -= L[i * n + k] * A[k * n + c];
      A[i * n + c] /= L[i * n + i];
    }
  for (size_t r = 0; r < n; r++)
    for (size_t i = 0; i < n; i++) {
      for (size_t k = 0; k < i; k++) A[r * n + i] -= L[i * n + k] * A[r * n + k];
      A[r * n + i] /= L[i * n + i];
    }
}

/* One rotation of Jacobi's method, of rows and columns p and q; the columns of w collect the rotations. */
static void rotate(size_t n, double *A, double *w, size_t p, size_t q)
{
  if (A[p * n + q] == 0) return;
  const double theta = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
  const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
  for (size_t k = 0; k < n; k++) {
    const double a = A[k * n + p], b = A[k * n + q], u = w[k * n + p], v = w[k * n + q];
    A[k * n + p] = c * a - s * b;
    A[k * n + q] = s * a + c * b;
    w[k * n + p] = c * u - s * v;
    w[k * n + q] = s * u + c * v;
  }
  for (size_t k = 0; k < n; k++) {
    const double a = A[p * n + k], b = A[q * n + k];
    A[p * n + k] = c * a - s * b;
    A[q * n + k] = s * a + c * b;
  }
}

int mx_tem_modes(size_t n, const double *C, const double *K, double *v, double *index, struct dg_error *err)
{
  double *A = NULL, *L = NULL, *w = NULL;
  if (DG_NEW(A, n * n, err) != 0 || DG_NEW(L, n * n, err) != 0 || DG_NEW(w, n * n, err) != 0) goto fail;
  memcpy(A, C, n * n * sizeof *A);
  memcpy(L, K, n * n * sizeof *L);
  factor(n, L);
  reduce(n, L, A);
  for (size_t i = 0; i < n; i++) w[i * n + i] = 1;
  for (int sweep = 0; sweep < 30; sweep++)
    for (size_t p = 0; p < n; p++)
      for (size_t q = p + 1; q < n; q++) rotate(n, A, w, p, q);
  for (size_t i = 0; i < n; i++) { /* the place of column i among the eigenvalues, and v = L^-T w */
    size_t place = 0;
    for (size_t j = 0; j < n; j++) place += A[j * n + j] < A[i * n + i] || (A[j * n + j] == A[i * n + i] && j < i);
    index[place] = A[i * n + i];
    for (size_t r = n; r-- > 0;) {
      double sum = w[r * n + i];
      for (size_t k = r + 1; k < n; k++) sum -= L[k * n + r] * v[place * n + k];
      v[place * n + r] = sum / L[r * n + r];
    }
  }
fail:
  dg_free(A);
  dg_free(L);
  dg_free(w);
  return err->code;
}

void mx_tem_scale(size_t n, double *v)
{
  const double small = 1e-6;
  double high = 0, low = 0, sign = 0; /* the ground has 0 */
  for (size_t i = 0; i < n; i++) {
    high = fmax(high, v[i]);
    low = fmin(low, v[i]);
  }
  const double largest = fmax(high, -low);
  for (size_t i = 0; i < n && sign == 0; i++)
    if (fabs(v[i]) > small * largest) sign = v[i] < 0 ? -1 : 1;
  const double range = fmin(high, -low) > small * largest ? high - low : largest;
  for (size_t i = 0; i < n; i++) v[i] *= sign / range;
}
