/* Finds the rows of the approximate inverse, and multiplies with it. Statics and heat call it as preconditioner. */
#include "libdg/solve/aip.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/solve/lower.h"

/* The longest row of G. Entries a_ij below least_entry sqrt(a_ii a_jj) are not in the pattern: at orders 1 to 5 that
 * takes 5 to 20 % more iterations, half the time to make G, and half the bytes. A pivot below least_pivot of the
 * diagonal is rounding, as where constants are in the kernel and a row has all unknowns. */
enum { ROW_MOST = 384 };
static const double least_entry = 0.05, least_pivot = 1e-12;

/* Rows, or columns, one behind the other. */
struct sparse {
  size_t *start; /* [rows + 1] */
  int32_t *index;
  float *value;
};

struct dg_aip {
  const struct dg_space *space;
  size_t all, first, rows; /* unknowns of this rank; those that lower ranks count, which come first; the rows of G */
  int32_t *unknown;        /* [all] */
  struct sparse G, T;      /* by rows, and by columns */
  double *in;              /* [all]; NULL where unknowns have their own order */
  double *between;         /* [rows] */
};

/* ---- the rows of G */

/* Is entry k of row i in the pattern? */
static bool counts(const struct dg_lower *A, size_t i, size_t k)
{
  const double own = A->value[A->start[i + 1] - 1], other = A->value[A->start[A->column[k] + 1] - 1];
  return k == A->start[i + 1] - 1 || A->value[k] * A->value[k] > least_entry * least_entry * own * other;
}

/* The columns of row i of G into J, which may be NULL: the diagonal, and entries that count, at most ROW_MOST. */
static size_t choose(const struct dg_lower *A, size_t i, int32_t *J)
{
  size_t n = 0, end = A->start[i + 1], first = end;
  while (first > A->start[i] && n < ROW_MOST) n += counts(A, i, --first);
  n = 0;
  for (size_t k = first; k < end; k++)
    if (counts(A, i, k)) {
      if (J != NULL) J[n] = A->column[k];
      n++;
    }
  return n;
}

/* D[n][n], lower triangle: the matrix among columns J[n]. */
static void gather_block(const struct dg_lower *A, size_t n, const int32_t *J, double *D)
{
  for (size_t a = 0; a < n; a++) {
    size_t k = A->start[J[a]];
    const size_t end = A->start[J[a] + 1];
    for (size_t b = 0; b <= a; b++) {
      while (k < end && A->column[k] < J[b]) k++;
      D[a * n + b] = k < end && A->column[k] == J[b] ? A->value[k] : 0;
    }
  }
}

/* D = L L^T in place. False where it is not positive. */
static bool factor(size_t n, double *D)
{
  for (size_t a = 0; a < n; a++) {
    double *row = D + a * n;
    const double pivot = row[a];
    for (size_t b = 0; b <= a; b++) {
      const double *other = D + b * n;
      double sum = row[b];
      for (size_t k = 0; k < b; k++) sum -= row[k] * other[k];
      if (b < a) row[b] = sum / other[b];
      else if (sum > least_pivot * pivot) row[a] = sqrt(sum);
      else return false;
    }
  }
  return true;
}

/* Row i of G, with columns J[n], into value[n]. With D = L L^T, D g = e_n has L^T g = e_n / L_nn, and g_n = 1 / L_nn^2:
 * the scaled row solves L^T g = e_n. */
static void find_row(const struct dg_lower *A, size_t i, size_t n, const int32_t *J, double *D, double *g, float *value)
{
  const double diagonal = A->value[A->start[i + 1] - 1];
  memset(value, 0, sizeof *value * n);
  gather_block(A, n, J, D);
  if (!factor(n, D)) {
    value[n - 1] = (float)(diagonal > 0 ? 1 / sqrt(diagonal) : 1);
    return;
  }
  memset(g, 0, sizeof *g * n);
  g[n - 1] = 1;
  for (size_t a = n; a-- > 0;) {
    const double *row = D + a * n;
    g[a] /= row[a];
    for (size_t b = 0; b < a; b++) g[b] -= row[b] * g[a];
    value[a] = (float)g[a];
  }
}

/* An unknown that is held has no correction. */
static bool is_held(const struct dg_aip *aip, const bool *held, size_t i)
{
  return held != NULL && held[aip->unknown[aip->first + i]];
}

static void find_rows(struct dg_aip *aip, const struct dg_lower *A, const bool *held, struct dg_error *err)
{
  size_t most = 0;
  for (size_t i = 0; i < aip->rows; i++)
    if (aip->G.start[i + 1] - aip->G.start[i] > most) most = aip->G.start[i + 1] - aip->G.start[i];
#pragma omp parallel
  {
    struct dg_error own = {0};
    double *D = NULL;
    (void)!DG_NEW(D, most * (most + 1), &own);
#pragma omp for schedule(dynamic, 256)
    for (size_t i = 0; i < aip->rows; i++) {
      const size_t first = aip->G.start[i], n = aip->G.start[i + 1] - first;
      if (own.code != 0) continue;
      (void)choose(A, aip->first + i, aip->G.index + first);
      if (is_held(aip, held, i)) memset(aip->G.value + first, 0, sizeof *aip->G.value * n);
      else find_row(A, aip->first + i, n, aip->G.index + first, D, D + most * most, aip->G.value + first);
    }
    dg_free(D);
#pragma omp critical
    if (own.code != 0 && err->code == 0) *err = own;
  }
}

/* T has the columns of G, each by ascending rows. */
static void turn_over(const struct dg_aip *aip)
{
  const struct sparse *G = &aip->G, *T = &aip->T;
  for (size_t n = 0; n < G->start[aip->rows]; n++) T->start[G->index[n] + 1]++;
  for (size_t i = 0; i < aip->all; i++) T->start[i + 1] += T->start[i];
  for (size_t i = 0; i < aip->rows; i++)
    for (size_t n = G->start[i]; n < G->start[i + 1]; n++) {
      const size_t to = T->start[G->index[n]]++;
      T->index[to] = (int32_t)i;
      T->value[to] = G->value[n];
    }
  memmove(T->start + 1, T->start, sizeof *T->start * aip->all);
  T->start[0] = 0;
}

/* ---- making it */

static int sparse_init(struct sparse *sparse, size_t entries, struct dg_error *err)
{
  if (dg_alloc_untouched(&sparse->index, entries, sizeof *sparse->index, err) != 0) return err->code;
  return dg_alloc_untouched(&sparse->value, entries, sizeof *sparse->value, err);
}

static void sparse_release(struct sparse *sparse)
{
  dg_free(sparse->start);
  dg_free(sparse->index);
  dg_free(sparse->value);
}

static int build(struct dg_aip *aip, const struct dg_lower *A, const bool *held, struct dg_error *err)
{
  const size_t rows = aip->rows;
  if (DG_NEW(aip->G.start, rows + 1, err) != 0 || DG_NEW(aip->T.start, aip->all + 1, err) != 0 ||
      DG_NEW(aip->between, rows, err) != 0 || (aip->space->shared != NULL && DG_NEW(aip->in, aip->all, err) != 0))
    return err->code;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < rows; i++) aip->G.start[i + 1] = choose(A, aip->first + i, NULL);
  for (size_t i = 0; i < rows; i++) aip->G.start[i + 1] += aip->G.start[i];
  if (sparse_init(&aip->G, aip->G.start[rows], err) != 0) return err->code;
  find_rows(aip, A, held, err);
  return err->code;
}

int dg_aip_new(struct dg_aip **result, const struct dg_space *space, size_t terms, const struct dg_elliptic_term *term,
               const bool *held, struct dg_error *err)
{
  struct dg_aip *aip = NULL;
  struct dg_lower A = {0};
  *result = NULL;
  (void)!DG_NEW(aip, 1, err);
  if (dg_lower_init(&A, space, terms, term, held, err) == 0) {
    aip->space = space;
    aip->all = A.rows;
    aip->first = A.first;
    aip->rows = A.rows - A.first;
    aip->unknown = A.unknown;
    A.unknown = NULL;
    if (build(aip, &A, held, err) == 0) {
      dg_lower_release(&A);
      if (sparse_init(&aip->T, aip->G.start[aip->rows], err) == 0) turn_over(aip);
    }
  }
  dg_lower_release(&A);
  if (dg_comm_agree(space->shared != NULL ? space->shared->comm : NULL, err) != 0) {
    dg_aip_free(aip);
    return err->code;
  }
  *result = aip;
  return 0;
}

void dg_aip_free(struct dg_aip *aip)
{
  if (aip == NULL) return;
  sparse_release(&aip->G);
  sparse_release(&aip->T);
  dg_free(aip->unknown);
  dg_free(aip->in);
  dg_free(aip->between);
  dg_free(aip);
}

/* ---- what it does */

/* y = the sparse matrix times x; row i of y is y[unknown[i]]. */
static void multiply(size_t rows, const struct sparse *sparse, const double *x, const int32_t *unknown, double *y)
{
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < rows; i++) {
    double sum = 0;
    for (size_t n = sparse->start[i]; n < sparse->start[i + 1]; n++)
      sum += (double)sparse->value[n] * x[sparse->index[n]];
    y[unknown != NULL ? (size_t)unknown[i] : i] = sum;
  }
}

void dg_aip_apply(struct dg_aip *aip, const double *r, double *z)
{
  const double *in = r;
  if (aip->in != NULL) {
    for (size_t i = 0; i < aip->all; i++) aip->in[i] = r[aip->unknown[i]];
    in = aip->in;
  }
  multiply(aip->rows, &aip->G, in, NULL, aip->between);
  multiply(aip->all, &aip->T, aip->between, aip->in != NULL ? aip->unknown : NULL, z);
  dg_space_sum(aip->space, z); /* rows of other ranks add to what they share */
}

struct dg_aip_view dg_aip_look(const struct dg_aip *aip)
{
  return (struct dg_aip_view){.rows = aip->rows,
                              .first = aip->first,
                              .unknown = aip->unknown,
                              .start = aip->G.start,
                              .column = aip->G.index,
                              .value = aip->G.value};
}

size_t dg_aip_bytes(const struct dg_aip *aip)
{
  const void *block[] = {aip->unknown, aip->G.start, aip->G.index, aip->G.value, aip->T.start,
                         aip->T.index, aip->T.value, aip->in,      aip->between};
  size_t bytes = 0;
  for (size_t i = 0; i < sizeof block / sizeof *block; i++) bytes += dg_block_size(block[i]);
  return bytes;
}
