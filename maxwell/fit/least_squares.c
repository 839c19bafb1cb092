/* Least squares by Householder's reflections, with inequalities by Lawson & Hanson's algorithms LDP and NNLS. The fit
 * of poles (vector_fit.c, passive.c) calls it. */
#include "maxwell/fit/least_squares.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "libdg/base/memory.h"

/* Reflects the rows from `k` on so that column k becomes zero below its row k; b, if there is one, with them. */
static void reflect(size_t m, size_t n, double *A, double *b, size_t k)
{
  double norm = 0;
  for (size_t i = k; i < m; i++) norm = hypot(norm, A[i * n + k]);
  if (norm == 0) return;
  const double top = A[k * n + k], end = top > 0 ? -norm : norm, head = top - end;
  for (size_t j = k + 1; j <= n; j++) {
    double sum = 0;
    if (j == n && b == NULL) break;
    for (size_t i = k; i < m; i++) sum += (i == k ? head : A[i * n + k]) * (j < n ? A[i * n + j] : b[i]);
    const double factor = sum / (head * end); /* -2/|v|^2 times v.a, |v|^2 = -2 head end */
    for (size_t i = k; i < m; i++) {
      const double v = (i == k ? head : A[i * n + k]) * factor;
      if (j < n) A[i * n + j] += v;
      else b[i] += v;
    }
  }
  A[k * n + k] = end;
  for (size_t i = k + 1; i < m; i++) A[i * n + k] = 0;
}

/* Solves R x = b, R upper triangular, rows `row` apart. */
static void solve_upper(size_t n, const double *R, size_t row, const double *b, double *x)
{
  for (size_t i = n; i-- > 0;) {
    double sum = b[i];
    for (size_t j = i + 1; j < n; j++) sum -= R[i * row + j] * x[j];
    x[i] = R[i * row + i] != 0 ? sum / R[i * row + i] : 0;
  }
}

/* Makes R[n][n] and c[n] of A and b, whose columns are scaled by 1/scale[n], with the damping. */
static int triangle(size_t m, size_t n, const double *A, const double *b, double *scale, double *R, double *c,
                    struct dg_error *err)
{
  static const double damping = 1e-11;
  double *all = NULL, *right = NULL;
  if (DG_NEW(all, (m + n) * n, err) != 0 || DG_NEW(right, m + n, err) != 0) goto fail;
  for (size_t j = 0; j < n; j++) {
    scale[j] = 0;
    for (size_t i = 0; i < m; i++) scale[j] = hypot(scale[j], A[i * n + j]);
    if (scale[j] == 0) scale[j] = 1;
    for (size_t i = 0; i < m; i++) all[i * n + j] = A[i * n + j] / scale[j];
    all[(m + j) * n + j] = damping;
  }
  memcpy(right, b, m * sizeof *b);
  for (size_t k = 0; k < n; k++) reflect(m + n, n, all, right, k);
  memcpy(R, all, n * n * sizeof *R);
  memcpy(c, right, n * sizeof *c);
fail:
  dg_free(all);
  dg_free(right);
  return err->code;
}

int mx_least_squares(size_t m, size_t n, double *A, double *b, double *x, struct dg_error *err)
{
  double *R = NULL, *c = NULL, *scale = NULL;
  if (DG_NEW(R, n * n, err) != 0 || DG_NEW(c, n, err) != 0 || DG_NEW(scale, n, err) != 0 ||
      triangle(m, n, A, b, scale, R, c, err) != 0)
    goto fail;
  solve_upper(n, R, n, c, x);
  for (size_t j = 0; j < n; j++) x[j] /= scale[j];
fail:
  dg_free(R);
  dg_free(c);
  dg_free(scale);
  return err->code;
}

/* ---- least distance ---- */

/* The state of non-negative least squares: u[k] >= 0 minimises |E u - f|. E[rows][k] has the columns of G^T over h. */
struct nonnegative {
  size_t rows, k;
  const double *E, *f;
  double *u, *residual, *gradient; /* [k] [rows] [k] */
  bool *free_one;                  /* [k] u may be positive */
  double *part, *right, *trial;    /* [rows][k] [rows] [k] work */
  size_t *which;                   /* [k] the columns in `part` */
};

static void find_residual(const struct nonnegative *p)
{
  for (size_t i = 0; i < p->rows; i++) {
    double sum = -p->f[i];
    for (size_t j = 0; j < p->k; j++) sum += p->E[i * p->k + j] * p->u[j];
    p->residual[i] = sum;
  }
  for (size_t j = 0; j < p->k; j++) {
    p->gradient[j] = 0;
    for (size_t i = 0; i < p->rows; i++) p->gradient[j] -= p->E[i * p->k + j] * p->residual[i];
  }
}

/* Least squares in the free columns alone. Returns how many they are. */
static size_t solve_free(struct nonnegative *p)
{
  size_t n = 0;
  for (size_t j = 0; j < p->k; j++)
    if (p->free_one[j]) p->which[n++] = j;
  for (size_t i = 0; i < p->rows; i++) {
    p->right[i] = p->f[i];
    for (size_t c = 0; c < n; c++) p->part[i * n + c] = p->E[i * p->k + p->which[c]];
  }
  for (size_t c = 0; c < n && c < p->rows; c++) reflect(p->rows, n, p->part, p->right, c);
  solve_upper(n < p->rows ? n : p->rows, p->part, n, p->right, p->trial);
  return n;
}

/* Goes to the solution in the free columns, as far as u stays positive; columns that become zero are fixed. */
static void move(struct nonnegative *p)
{
  for (size_t round = 0; round <= p->k; round++) {
    const size_t n = solve_free(p);
    double length = 1;
    for (size_t c = 0; c < n; c++) {
      const double u = p->u[p->which[c]];
      if (p->trial[c] <= 0 && u / (u - p->trial[c]) < length) length = u / (u - p->trial[c]);
    }
    for (size_t c = 0; c < n; c++) {
      double *u = &p->u[p->which[c]];
      *u += length * (p->trial[c] - *u);
      if (p->trial[c] > 0 || *u > 1e-15 * fabs(p->trial[c])) continue;
      *u = 0;
      p->free_one[p->which[c]] = false;
    }
    if (length >= 1) return;
  }
}

static void run_nonnegative(struct nonnegative *p)
{
  for (size_t round = 0; round < 3 * p->k + 10; round++) {
    size_t best = p->k, count = 0;
    find_residual(p);
    for (size_t j = 0; j < p->k; j++) {
      count += p->free_one[j];
      if (!p->free_one[j] && p->gradient[j] > 1e-14 && (best == p->k || p->gradient[j] > p->gradient[best])) best = j;
    }
    if (best == p->k || count >= p->rows) return;
    p->free_one[best] = true;
    p->u[best] = 0;
    move(p);
  }
}

/* The shortest z[n] with G z >= h. */
static int least_distance(size_t n, size_t k, const double *G, const double *h, double *z, struct dg_error *err)
{
  struct nonnegative p = {.rows = n + 1, .k = k};
  double *E = NULL, *f = NULL;
  if (DG_NEW(E, (n + 1) * k, err) != 0 || DG_NEW(f, n + 1, err) != 0 || DG_NEW(p.u, k, err) != 0 ||
      DG_NEW(p.residual, n + 1, err) != 0 || DG_NEW(p.gradient, k, err) != 0 || DG_NEW(p.free_one, k, err) != 0 ||
      DG_NEW(p.part, (n + 1) * k, err) != 0 || DG_NEW(p.right, n + 1, err) != 0 || DG_NEW(p.trial, k, err) != 0 ||
      DG_NEW(p.which, k, err) != 0)
    goto fail;
  for (size_t j = 0; j < k; j++) {
    for (size_t i = 0; i < n; i++) E[i * k + j] = G[j * n + i];
    E[n * k + j] = h[j];
  }
  f[n] = 1;
  p.E = E;
  p.f = f;
  run_nonnegative(&p);
  find_residual(&p);
  if (fabs(p.residual[n]) < DBL_EPSILON) (void)dg_fail(err, DG_BUG, "no residues fulfil the inequalities of a fit");
  else
    for (size_t i = 0; i < n; i++) z[i] = -p.residual[i] / p.residual[n];
fail:
  dg_free(E);
  dg_free(f);
  dg_free(p.u);
  dg_free(p.residual);
  dg_free(p.gradient);
  dg_free(p.free_one);
  dg_free(p.part);
  dg_free(p.right);
  dg_free(p.trial);
  dg_free(p.which);
  return err->code;
}

/* With z = R D x - c the problem is the shortest z with G (R D)^-1 z >= h - G (R D)^-1 c. Rows are scaled to length 1,
 * which changes no inequality. */
static void transform(size_t n, const double *R, const double *c, const double *scale, size_t k, double *G, double *h)
{
  for (size_t r = 0; r < k; r++) {
    double *row = G + r * n, length = 0, at = 0;
    for (size_t j = 0; j < n; j++) {
      double sum = row[j] / scale[j];
      for (size_t i = 0; i < j; i++) sum -= row[i] * R[i * n + j];
      row[j] = R[j * n + j] != 0 ? sum / R[j * n + j] : 0;
    }
    for (size_t j = 0; j < n; j++) {
      length = hypot(length, row[j]);
      at += row[j] * c[j];
    }
    if (length == 0) length = 1;
    for (size_t j = 0; j < n; j++) row[j] /= length;
    h[r] = (h[r] - at) / length;
  }
}

int mx_least_squares_above(size_t m, size_t n, double *A, double *b, size_t k, double *G, double *h, double *x,
                           struct dg_error *err)
{
  double *R = NULL, *c = NULL, *scale = NULL, *z = NULL, size = 0;
  if (DG_NEW(R, n * n, err) != 0 || DG_NEW(c, n, err) != 0 || DG_NEW(scale, n, err) != 0 || DG_NEW(z, n, err) != 0 ||
      triangle(m, n, A, b, scale, R, c, err) != 0)
    goto fail;
  transform(n, R, c, scale, k, G, h);
  for (size_t r = 0; r < k; r++) size = fmax(size, h[r]);
  if (size > 0) { /* else z = 0 fulfils them all; scaled to 1, since NNLS compares with numbers of that size */
    for (size_t r = 0; r < k; r++) h[r] /= size;
    if (least_distance(n, k, G, h, z, err) != 0) goto fail;
    for (size_t i = 0; i < n; i++) z[i] *= size;
  }
  for (size_t i = 0; i < n; i++) z[i] += c[i];
  solve_upper(n, R, n, z, x);
  for (size_t j = 0; j < n; j++) x[j] /= scale[j];
fail:
  dg_free(R);
  dg_free(c);
  dg_free(scale);
  dg_free(z);
  return err->code;
}
