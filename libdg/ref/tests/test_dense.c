/* Products, inverses and eigenvalues of small matrices, against closed forms and by their residuals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libdg/base/memory.h"
#include "libdg/ref/dense.h"

enum { MOST = 96 };

static double draw(uint64_t *state) /* -1 to 1 */
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return 2 * ((double)(*state >> 11) / 9007199254740992.0) - 1;
}

static void test_multiply(void **unused)
{
  (void)unused;
  const double A[6] = {1, 2, 3, 4, 5, 6}, A_transposed[6] = {1, 4, 2, 5, 3, 6}, B[6] = {7, 8, 9, 10, 11, 12};
  const double product[4] = {58, 64, 139, 154};
  double C[4];
  struct dg_error err = {0};
  assert_int_equal(dg_dense_multiply(2, 2, 3, A, false, B, C, &err), 0);
  assert_memory_equal(C, product, sizeof C);
  assert_int_equal(dg_dense_multiply(2, 2, 3, A_transposed, true, B, C, &err), 0);
  assert_memory_equal(C, product, sizeof C);
}

/* A full matrix with the eigenvalues -1 and 2 +- 3 j: S diag S^-1 by its blocks, S = (1 1 0; 0 1 1; 1 0 1). */
static void test_values(void **unused)
{
  (void)unused;
  const double S[9] = {1, 1, 0, 0, 1, 1, 1, 0, 1}, D[9] = {-1, 0, 0, 0, 2, 3, 0, -3, 2};
  double inverse[9], left[9], A[9], sum = 0, product = 1;
  double complex value[3];
  struct dg_error err = {0};
  memcpy(inverse, S, sizeof S);
  assert_int_equal(dg_dense_invert(3, inverse, &err), 0);
  assert_int_equal(dg_dense_multiply(3, 3, 3, S, false, D, left, &err), 0);
  assert_int_equal(dg_dense_multiply(3, 3, 3, left, false, inverse, A, &err), 0);
  assert_int_equal(dg_dense_values(3, A, value, &err), 0);
  for (int i = 0; i < 3; i++) {
    const double off = fmin(cabs(value[i] + 1), fmin(cabs(value[i] - (2 + 3 * I)), cabs(value[i] - (2 - 3 * I))));
    assert_true(off < 1e-12);
    sum += creal(value[i]);
    product *= cabs(value[i]);
  }
  assert_true(fabs(sum - 3) < 1e-12 && fabs(product - 13) < 1e-11);
}

static void test_inverse(void **unused)
{
  (void)unused;
  static double A[MOST * MOST], inverse[MOST * MOST], product[MOST * MOST];
  struct dg_error err = {0};
  uint64_t state = 1;
  for (int n = 1; n <= MOST; n += 19) {
    for (int i = 0; i < n * n; i++) inverse[i] = A[i] = draw(&state);
    if (n > 1) inverse[0] = A[0] = 0; /* the rows must be exchanged */
    assert_int_equal(dg_dense_invert(n, inverse, &err), 0);
    assert_int_equal(dg_dense_multiply(n, n, n, A, false, inverse, product, &err), 0);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) assert_true(fabs(product[i * n + j] - (i == j)) < 1e-11);
  }
  double singular[4] = {1, 2, 2, 4};
  assert_int_equal(dg_dense_invert(2, singular, &err), DG_BUG);
}

static void test_out_of_memory(void **unused)
{
  (void)unused;
  double A[4] = {2, 0, 0, 2};
  double complex value[2];
  const size_t before = dg_memory_current();
  for (long n = 1;; n++) {
    struct dg_error err = {0};
    dg_memory_fail_at(n);
    const int status = dg_dense_invert(2, A, &err) != 0 || dg_hessenberg_values(2, A, 2, value, &err) != 0 ||
                       dg_hessenberg_vector(2, A, 2, value[0], value, &err) != 0;
    dg_memory_fail_at(0);
    assert_int_equal(dg_memory_current(), before);
    if (!status) break;
    assert_int_equal(err.code, DG_ENVIRONMENT);
  }
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The second difference: eigenvalues 2 - 2 cos(pi j / (n + 1)), vectors sin(pi j i / (n + 1)). */
static void test_tridiagonal(void **unused)
{
  (void)unused;
  const double pi = acos(-1.0);
  double d[200], e[200], last[200], sorted[200];
  for (int n = 1; n <= 200; n = 2 * n + 3 < 200 || n == 200 ? 2 * n + 3 : 200) {
    struct dg_error err = {0};
    for (int i = 0; i < n; i++) d[i] = 2, e[i] = -1;
    assert_int_equal(dg_tridiagonal_eigen(n, d, e, last, &err), 0);
    for (int i = 0; i < n; i++) sorted[i] = d[i];
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    for (int j = 0; j < n; j++) {
      const double angle = pi * (j + 1) / (n + 1);
      int at = 0;
      assert_true(fabs(sorted[j] - (2 - 2 * cos(angle))) < 1e-13);
      while (d[at] != sorted[j]) at++;
      assert_true(fabs(fabs(last[at]) - sqrt(2.0 / (n + 1)) * fabs(sin(angle * n))) < 1e-11);
    }
  }
}

/* Falls apart: blocks beside each other, and one of zeros. */
static void test_tridiagonal_blocks(void **unused)
{
  (void)unused;
  double d[5] = {1, 1, 0, 0, 7}, e[5] = {2, 0, 0, 0, 0}, last[5];
  struct dg_error err = {0};
  assert_int_equal(dg_tridiagonal_eigen(5, d, e, last, &err), 0);
  qsort(d, 5, sizeof *d, ascending);
  const double exact[5] = {-1, 0, 0, 3, 7};
  for (int i = 0; i < 5; i++) assert_true(fabs(d[i] - exact[i]) < 1e-14);
}

/* Every eigenvalue with its vector: H x = value x; the values add up to the trace, their squares to that of H^2. */
static void check_hessenberg(int n, const double *H, double tolerance)
{
  struct dg_error err = {0};
  double complex value[MOST], x[MOST], sum = 0, squares = 0;
  double trace = 0, of_square = 0;
  assert_int_equal(dg_hessenberg_values(n, H, MOST, value, &err), 0);
  for (int i = 0; i < n; i++) {
    sum += value[i];
    squares += value[i] * value[i];
    trace += H[i * MOST + i];
    for (int j = 0; j < n; j++) of_square += H[i * MOST + j] * H[j * MOST + i];
  }
  assert_true(cabs(sum - trace) < 1e-11 * n && cabs(squares - of_square) < 1e-10 * n);
  for (int k = 0; k < n; k++) {
    double length = 0;
    assert_int_equal(dg_hessenberg_vector(n, H, MOST, value[k], x, &err), 0);
    for (int i = 0; i < n; i++) {
      double complex rest = -value[k] * x[i];
      for (int j = 0; j < n; j++) rest += H[i * MOST + j] * x[j];
      assert_true(cabs(rest) < tolerance);
      length += creal(x[i] * conj(x[i]));
    }
    assert_true(fabs(length - 1) < 1e-13);
  }
}

static void test_hessenberg(void **unused)
{
  (void)unused;
  static double H[MOST * MOST];
  uint64_t state = 7;
  for (int n = 1; n <= MOST; n += n < 8 ? 1 : 11) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) H[i * MOST + j] = j + 1 >= i ? draw(&state) : 0;
    check_hessenberg(n, H, 1e-11);
  }
}

/* Matrices for which shifts alone do not converge: a circle of equal steps, whose eigenvalues are the roots of one; a
 * matrix without a full set of vectors; a rotation beside a diagonal. */
static void test_hessenberg_special(void **unused)
{
  (void)unused;
  static double H[MOST * MOST];
  for (int i = 0; i < MOST; i++)
    for (int j = 0; j < MOST; j++) H[i * MOST + j] = i == j + 1 || (i == 0 && j == 63);
  check_hessenberg(64, H, 1e-12);
  struct dg_error err = {0};
  double complex value[64];
  assert_int_equal(dg_hessenberg_values(64, H, MOST, value, &err), 0);
  for (int i = 0; i < 64; i++) assert_true(fabs(cabs(value[i]) - 1) < 1e-13);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) H[i * MOST + j] = (i == j) * 3 + (j == i + 1);
  check_hessenberg(4, H, 1e-9);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) H[i * MOST + j] = 0;
  check_hessenberg(4, H, 1e-300);
  H[1] = -2, H[MOST] = 2, H[2 * MOST + 2] = 5;
  assert_int_equal(dg_hessenberg_values(3, H, MOST, value, &err), 0);
  double imaginary = 0;
  for (int i = 0; i < 3; i++) imaginary = fmax(imaginary, fabs(cimag(value[i])));
  assert_true(fabs(imaginary - 2) < 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_multiply),    cmocka_unit_test(test_values),
      cmocka_unit_test(test_inverse),     cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_tridiagonal), cmocka_unit_test(test_tridiagonal_blocks),
      cmocka_unit_test(test_hessenberg),  cmocka_unit_test(test_hessenberg_special),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
