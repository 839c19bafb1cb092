/* LAPACK and BLAS of OpenBLAS, loaded when they are first wanted and there is room for them. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "libdg/ref/dense.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "libdg/base/memory.h"

/* ---- the library ---- */

/* Fortran's interfaces: a hidden length for every character behind the arguments. */
static struct {
  pthread_mutex_t lock;
  bool loaded;
  void (*dgemm)(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
                const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);
  void (*dgetrf)(const int *, const int *, double *, const int *, int *, int *);
  void (*dgetri)(const int *, double *, const int *, const int *, double *, const int *, int *);
  void (*dstev)(const char *, const int *, double *, double *, double *, const int *, double *, int *, size_t);
  void (*dgeev)(const char *, const char *, const int *, double *, const int *, double *, double *, double *,
                const int *, double *, const int *, double *, const int *, int *, size_t, size_t);
} blas = {.lock = PTHREAD_MUTEX_INITIALIZER}; /* global as the library is */

/* Looks for room. OpenBLAS maps a buffer of up to 128 MB for each of its threads at the first product, and asks for
 * ever where there is no room. The room is therefore looked for beforehand, once the library is loaded (which fails in
 * good order, and takes 38 MB in Debian 12), and the library has one thread. */
static int look_for_room(struct dg_error *err)
{
  const size_t room = (size_t)136 << 20;
  void *place = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED)
    return dg_fail(err, DG_ENVIRONMENT, "out of memory: OpenBLAS needs %zu MB of addresses (ulimit -v)", room >> 20);
  munmap(place, room);
  return 0;
}

static int find(void *library, const char *name, void *function, struct dg_error *err)
{
  void *symbol = dlsym(library, name);
  if (symbol == NULL) return dg_fail(err, DG_ENVIRONMENT, "%s has no function %s", CURLEW_OPENBLAS, name);
  memcpy(function, &symbol, sizeof symbol); /* C has no conversion from objects to functions */
  return 0;
}

static int load(struct dg_error *err)
{
  if (setenv("OPENBLAS_NUM_THREADS", "1", 1) != 0) return dg_fail(err, DG_ENVIRONMENT, "out of memory: environment");
  void *library = dlopen(CURLEW_OPENBLAS, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    return dg_fail(err, DG_ENVIRONMENT, "OpenBLAS cannot be loaded (is memory short, ulimit -v?): %s", dlerror());
  if (look_for_room(err) != 0) {
    (void)dlclose(library);
    return err->code;
  }
  if (find(library, "dgemm_", &blas.dgemm, err) != 0 || find(library, "dgetrf_", &blas.dgetrf, err) != 0 ||
      find(library, "dgetri_", &blas.dgetri, err) != 0 || find(library, "dstev_", &blas.dstev, err) != 0 ||
      find(library, "dgeev_", &blas.dgeev, err) != 0)
    return err->code;
  return 0;
}

/* Computes a product that is large enough for the library to map its buffer, which it keeps: now, while there is
 * room. */
static int warm_up(struct dg_error *err)
{
  const int n = 256;
  const double one = 1, zero = 0;
  double *A = NULL;
  if (DG_NEW(A, 2 * n * n, err) != 0) return err->code;
  blas.dgemm("N", "N", &n, &n, &n, &one, A, &n, A, &n, &zero, A + n * n, &n, 1, 1);
  dg_free(A);
  blas.loaded = true; /* and stays */
  return 0;
}

int dg_dense_prepare(struct dg_error *err)
{
  pthread_mutex_lock(&blas.lock);
  if (!blas.loaded && load(err) == 0) (void)!warm_up(err);
  pthread_mutex_unlock(&blas.lock);
  return err->code;
}

/* ---- products and inverses ---- */

int dg_dense_multiply(int m, int n, int k, const double *A, bool transposed, const double *B, double *C,
                      struct dg_error *err)
{
  const double one = 1, zero = 0;
  const int row = transposed ? m : k;
  if (dg_dense_prepare(err) != 0) return err->code;
  /* row by row is the transposed column by column: C^T = B^T A^T */
  blas.dgemm("N", transposed ? "T" : "N", &n, &m, &k, &one, B, &n, A, &row, &zero, C, &n, 1, 1);
  return 0;
}

int dg_dense_invert(int n, double *A, struct dg_error *err)
{
  int *pivot = NULL, info = 0;
  const int room = 64 * n;
  double *work = NULL;
  if (dg_dense_prepare(err) != 0) return err->code;
  if (DG_NEW(pivot, n, err) != 0 || DG_NEW(work, room, err) != 0) goto fail;
  blas.dgetrf(&n, &n, A, &n, pivot, &info);
  if (info == 0) blas.dgetri(&n, A, &n, pivot, work, &room, &info);
  if (info != 0) (void)dg_fail(err, DG_BUG, "a matrix of %d rows has no inverse (info %d)", n, info);
fail:
  dg_free(pivot);
  dg_free(work);
  return err->code;
}

/* ---- eigenvalues ---- */

int dg_tridiagonal_eigen(int n, double *diagonal, double *off, double *last, struct dg_error *err)
{
  const size_t rows = (size_t)n;
  double *vectors = NULL, *work = NULL;
  int info = 0;
  if (dg_dense_prepare(err) != 0) return err->code;
  if (DG_NEW(vectors, rows * rows, err) != 0 || DG_NEW(work, 2 * rows, err) != 0) goto fail;
  blas.dstev("V", &n, diagonal, off, vectors, &n, work, &info, 1);
  for (size_t i = 0; i < rows; i++) last[i] = vectors[i * rows + rows - 1];
  if (info != 0) (void)dg_fail(err, DG_BUG, "the eigenvalues of %d rows do not converge (info %d)", n, info);
fail:
  dg_free(vectors);
  dg_free(work);
  return err->code;
}

/* Computes eigenvalues, and where vectors[n][n] is not NULL their vectors as LAPACK packs them, one behind the
 * other. */
static int eigen(int n, const double *H, int row, double complex *value, double *vectors, struct dg_error *err)
{
  const size_t rows = (size_t)n;
  const int room = 8 * n, one = 1;
  double *columns = NULL, *parts = NULL, unused;
  int info = 0;
  if (dg_dense_prepare(err) != 0) return err->code;
  if (DG_NEW(columns, rows * rows, err) != 0 || DG_NEW(parts, 10 * rows, err) != 0) goto fail;
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < rows; j++) columns[j * rows + i] = H[i * (size_t)row + j];
  blas.dgeev("N", vectors != NULL ? "V" : "N", &n, columns, &n, parts, parts + rows, &unused, &one,
             vectors != NULL ? vectors : &unused, vectors != NULL ? &n : &one, parts + 2 * rows, &room, &info, 1, 1);
  for (size_t i = 0; i < rows; i++) value[i] = parts[i] + parts[rows + i] * I;
  if (info != 0) (void)dg_fail(err, DG_BUG, "the eigenvalues of %d rows do not converge (info %d)", n, info);
fail:
  dg_free(columns);
  dg_free(parts);
  return err->code;
}

int dg_dense_values(int n, const double *A, double complex *value, struct dg_error *err)
{
  return eigen(n, A, n, value, NULL, err);
}

int dg_hessenberg_values(int n, const double *H, int row, double complex *value, struct dg_error *err)
{
  return eigen(n, H, row, value, NULL, err);
}

int dg_hessenberg_vector(int n, const double *H, int row, double complex value, double complex *vector,
                         struct dg_error *err)
{
  const size_t rows = (size_t)n;
  double complex *all = NULL;
  double *vectors = NULL;
  if (DG_NEW(all, rows, err) != 0 || DG_NEW(vectors, rows * rows, err) != 0 || eigen(n, H, row, all, vectors, err) != 0)
    goto fail;
  size_t near = 0;
  for (size_t i = 1; i < rows; i++)
    if (cabs(all[i] - value) < cabs(all[near] - value)) near = i;
  /* a complex pair has its real part in one column and its imaginary part in the next */
  const bool second = cimag(all[near]) < 0, single = cimag(all[near]) == 0;
  const double *re = vectors + (near - second) * rows, *im = re + rows;
  for (size_t i = 0; i < rows; i++) vector[i] = re[i] + (single ? 0 : second ? -im[i] : im[i]) * I;
fail:
  dg_free(all);
  dg_free(vectors);
  return err->code;
}
