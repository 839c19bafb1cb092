/* Relaxed vector fitting in real arithmetic: where the poles go. fit.c calls it.
 *
 * B. Gustavsen, Improving the pole relocating properties of vector fitting, IEEE Trans. Power Delivery 21 (2006). A
 * weight function sigma(s) = sum r/(s - a) + d has the poles of the fit; sigma(s) eps(s) = sum c/(s - a) + e is linear
 * in r, d, c and e. The zeros of sigma are the new poles. */
#include "maxwell/fit/vector_fit.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "libdg/ref/dense.h"
#include "maxwell/fit/least_squares.h"

int mx_fit_states(const struct mx_fit_poles *poles)
{
  int states = 0;
  for (size_t p = 0; p < poles->count; p++) states += cimag(poles->a[p]) > 0 ? 2 : 1;
  return states;
}

size_t mx_fit_unknowns(const struct mx_fit_poles *poles)
{
  return (size_t)mx_fit_states(poles) + 1 + (poles->conducts ? 1 : 0);
}

void mx_fit_basis(const struct mx_fit_poles *poles, double w, double complex *row)
{
  size_t n = 0;
  for (size_t p = 0; p < poles->count; p++) {
    const double complex one = 1 / (I * w - poles->a[p]), other = 1 / (I * w - conj(poles->a[p]));
    if (cimag(poles->a[p]) > 0) {
      row[n++] = one + other;
      row[n++] = I * one - I * other;
    } else {
      row[n++] = one;
    }
  }
  row[n++] = 1;
  if (poles->conducts) row[n] = 1 / (I * w);
}

/* The zeros of sigma: eigenvalues of diag(a) - 1 r^T/d, pairs as real blocks. */
static int find_zeros(struct mx_fit_poles *poles, const double *r, double d, struct dg_error *err)
{
  const int states = mx_fit_states(poles);
  const size_t n = (size_t)states;
  double complex value[MX_FIT_POLES];
  double H[MX_FIT_POLES * MX_FIT_POLES] = {0}, b[MX_FIT_POLES] = {0};
  size_t at = 0;
  for (size_t p = 0; p < poles->count; p++) {
    const double complex a = poles->a[p];
    b[at] = 1;
    H[at * n + at] = creal(a);
    if (cimag(a) > 0) {
      H[at * n + at + 1] = cimag(a);
      H[(at + 1) * n + at] = -cimag(a);
      H[(at + 1) * n + at + 1] = creal(a);
      b[at++] = 2;
      b[at] = 0;
    }
    at++;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) H[i * n + j] -= b[i] * r[j] / d;
  if (dg_dense_values(states, H, value, err) != 0) return err->code;
  poles->count = 0;
  for (size_t i = 0; i < n; i++) {
    if (cimag(value[i]) < 0) continue; /* the other one of its pair */
    const double size = cabs(value[i]), least = 1e-9 * (size > 1e-9 ? size : 1e-9);
    const double real = -fmax(fabs(creal(value[i])), least);
    poles->a[poles->count++] = real + I * cimag(value[i]);
  }
  return 0;
}

/* Two rows for a point, and one that keeps sigma from being zero: the sum of its real parts is that of ones. */
static void fill(const struct mx_fit_points *points, const struct mx_fit_poles *poles, double *A, double *b)
{
  const size_t states = (size_t)mx_fit_states(poles), own = mx_fit_unknowns(poles), n = own + states + 1;
  double *last = A + 2 * points->count * n, size = 0;
  double complex row[MX_FIT_POLES + 2];
  for (size_t k = 0; k < points->count; k++) {
    double *re = A + 2 * k * n, *im = re + n;
    const double *weight = points->weight + 2 * k;
    mx_fit_basis(poles, points->w[k], row);
    for (size_t j = 0; j < n; j++) {
      const double complex term = j < own ? row[j] : j < n - 1 ? -row[j - own] * points->eps[k] : -points->eps[k];
      re[j] = weight[0] * creal(term);
      im[j] = weight[1] * cimag(term);
    }
    size = hypot(size, hypot(weight[0] * creal(points->eps[k]), weight[1] * cimag(points->eps[k])));
    for (size_t j = own; j < n; j++) last[j] += j < n - 1 ? creal(row[j - own]) : 1;
  }
  const double count = (double)points->count;
  for (size_t j = own; j < n; j++) last[j] *= size / count;
  b[2 * points->count] = size;
}

int mx_fit_relocate(const struct mx_fit_points *points, struct mx_fit_poles *poles, struct dg_error *err)
{
  const size_t states = (size_t)mx_fit_states(poles), own = mx_fit_unknowns(poles), n = own + states + 1;
  const size_t m = 2 * points->count + 1;
  static const double least = 1e-8;
  double *A = NULL, *b = NULL, *x = NULL;
  if (states == 0) return 0;
  if (DG_NEW(A, m * n, err) != 0 || DG_NEW(b, m, err) != 0 || DG_NEW(x, n, err) != 0) goto fail;
  fill(points, poles, A, b);
  if (mx_least_squares(m, n, A, b, x, err) != 0) goto fail;
  const double d = fabs(x[n - 1]) > least ? x[n - 1] : x[n - 1] < 0 ? -least : least;
  (void)!find_zeros(poles, x + own, d, err);
fail:
  dg_free(A);
  dg_free(b);
  dg_free(x);
  return err->code;
}
