/* The matrix of the coarsest level in hypre's hands. multigrid.c calls this; it is the only place that knows hypre. */
#include "libdg/solve/amg.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/ref/dense.h"

#ifdef CURLEW_HYPRE

#include <HYPRE.h>
#include <HYPRE_parcsr_ls.h>

struct dg_amg {
  const struct dg_space *space;
  const bool *foreign, *held; /* held: the caller's */
  int64_t *global;
  int64_t first, own;
  HYPRE_BigInt *row; /* [own] */
  double *value;     /* [own] */
  HYPRE_IJMatrix matrix;
  HYPRE_IJVector right, left;
  HYPRE_Solver solver;
};

/* ---- the library ---- */

#define FUNCTIONS(X)                                                                                                   \
  X(IJMatrixCreate)                                                                                                    \
  X(IJMatrixSetObjectType)                                                                                             \
  X(IJMatrixInitialize)                                                                                                \
  X(IJMatrixAddToValues)                                                                                               \
  X(IJMatrixAssemble)                                                                                                  \
  X(IJMatrixGetObject)                                                                                                 \
  X(IJMatrixDestroy)                                                                                                   \
  X(IJVectorCreate)                                                                                                    \
  X(IJVectorSetObjectType)                                                                                             \
  X(IJVectorInitialize)                                                                                                \
  X(IJVectorSetValues)                                                                                                 \
  X(IJVectorAssemble)                                                                                                  \
  X(IJVectorGetValues)                                                                                                 \
  X(IJVectorGetObject)                                                                                                 \
  X(IJVectorDestroy)                                                                                                   \
  X(BoomerAMGCreate)                                                                                                   \
  X(BoomerAMGDestroy)                                                                                                  \
  X(BoomerAMGSetup)                                                                                                    \
  X(BoomerAMGSolve)                                                                                                    \
  X(BoomerAMGSetTol)                                                                                                   \
  X(BoomerAMGSetMaxIter)                                                                                               \
  X(BoomerAMGSetCoarsenType)                                                                                           \
  X(BoomerAMGSetInterpType)                                                                                            \
  X(BoomerAMGSetPMaxElmts)                                                                                             \
  X(BoomerAMGSetStrongThreshold)                                                                                       \
  X(BoomerAMGSetRelaxType)                                                                                             \
  X(BoomerAMGSetCycleRelaxType)                                                                                        \
  X(BoomerAMGSetRelaxOrder)                                                                                            \
  X(BoomerAMGSetPrintLevel)                                                                                            \
  X(GetError)                                                                                                          \
  X(ClearAllErrors)
#define MEMBER(name) __typeof__(HYPRE_##name) *name;
static struct {
  pthread_mutex_t lock;
  bool loaded;
  FUNCTIONS(MEMBER)
} hypre = {.lock = PTHREAD_MUTEX_INITIALIZER}; /* global as the library is */

static int load(struct dg_error *err)
{
#define WANTED(name) {"HYPRE_" #name, &hypre.name},
  const struct {
    const char *name;
    void *function;
  } wanted[] = {FUNCTIONS(WANTED)};
  void *library = dlopen(CURLEW_HYPRE, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return dg_fail(err, DG_ENVIRONMENT, "hypre cannot be loaded: %s", dlerror());
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *symbol = dlsym(library, wanted[i].name);
    if (symbol == NULL) return dg_fail(err, DG_ENVIRONMENT, "%s has no function %s", CURLEW_HYPRE, wanted[i].name);
    memcpy(wanted[i].function, &symbol, sizeof symbol); /* C has no conversion from objects to functions */
  }
  hypre.loaded = true; /* and stays */
  return 0;
}

int dg_amg_prepare(struct dg_error *err)
{
  if (dg_dense_prepare(err) != 0) return err->code;
  pthread_mutex_lock(&hypre.lock);
  if (!hypre.loaded) (void)load(err);
  pthread_mutex_unlock(&hypre.lock);
  return err->code;
}

/* What the library's calls since the last time left behind. */
static int said(struct dg_error *err)
{
  const HYPRE_Int flags = hypre.GetError();
  hypre.ClearAllErrors();
  if (flags != 0 && err->code == 0) return dg_fail(err, DG_ENVIRONMENT, "hypre failed with flags %d", flags);
  return err->code;
}

/* ---- the matrix ---- */

static int add(void *context, int n, const int32_t *unknown, const double *matrix, struct dg_error *err)
{
  struct dg_amg *amg = context;
  (void)err;
  for (int i = 0; i < n; i++) {
    HYPRE_BigInt row = (HYPRE_BigInt)amg->global[unknown[i]], column[64];
    double value[64];
    HYPRE_Int columns = 0;
    if (amg->held != NULL && amg->held[unknown[i]]) continue;
    for (int j = 0; j < n; j++) {
      if (amg->held != NULL && amg->held[unknown[j]]) continue;
      column[columns] = (HYPRE_BigInt)amg->global[unknown[j]];
      value[columns++] = matrix[i * n + j];
    }
    (void)hypre.IJMatrixAddToValues(amg->matrix, 1, &columns, &row, column, value);
  }
  return 0;
}

/* Rows of the unit matrix, for what is held and for unknowns without an element. */
static void add_units(struct dg_amg *amg, const double *diagonal)
{
  for (size_t i = 0; i < amg->space->count; i++) {
    HYPRE_BigInt row = (HYPRE_BigInt)amg->global[i];
    HYPRE_Int one = 1;
    const double unit = 1;
    if (amg->foreign != NULL && amg->foreign[i]) continue;
    if ((amg->held != NULL && amg->held[i]) || !(diagonal[i] > 0))
      (void)hypre.IJMatrixAddToValues(amg->matrix, 1, &one, &row, &row, &unit);
  }
}

static int make_matrix(struct dg_amg *amg, MPI_Comm comm, struct dg_elliptic *op, struct dg_elliptic_weights weights,
                       struct dg_error *err)
{
  const HYPRE_BigInt first = (HYPRE_BigInt)amg->first, last = (HYPRE_BigInt)(amg->first + amg->own) - 1;
  double *diagonal = NULL;
  (void)hypre.IJMatrixCreate(comm, first, last, first, last, &amg->matrix);
  (void)hypre.IJMatrixSetObjectType(amg->matrix, HYPRE_PARCSR);
  (void)hypre.IJMatrixInitialize(amg->matrix);
  if (DG_NEW(diagonal, amg->space->count, err) == 0) {
    dg_elliptic_diagonal(op, weights, diagonal);
    if (dg_space_error(amg->space, err) == 0 && dg_elliptic_assemble(op, weights, add, amg, err) == 0)
      add_units(amg, diagonal);
  }
  dg_free(diagonal);
  if (err->code != 0) return err->code;
  (void)hypre.IJMatrixAssemble(amg->matrix);
  return said(err);
}

static int make_vector(struct dg_amg *amg, MPI_Comm comm, HYPRE_IJVector *vector, struct dg_error *err)
{
  const HYPRE_BigInt first = (HYPRE_BigInt)amg->first, last = (HYPRE_BigInt)(amg->first + amg->own) - 1;
  (void)hypre.IJVectorCreate(comm, first, last, vector);
  (void)hypre.IJVectorSetObjectType(*vector, HYPRE_PARCSR);
  (void)hypre.IJVectorInitialize(*vector);
  (void)hypre.IJVectorSetValues(*vector, (HYPRE_Int)amg->own, amg->row, amg->value);
  (void)hypre.IJVectorAssemble(*vector);
  return said(err);
}

/* HMIS coarsening, extended interpolation with at most four entries, l1 Gauss-Seidel that is symmetric over the cycle,
 * which conjugate gradients need. */
static int make_solver(struct dg_amg *amg, bool singular, struct dg_error *err)
{
  HYPRE_ParCSRMatrix matrix;
  HYPRE_ParVector right, left;
  (void)hypre.BoomerAMGCreate(&amg->solver);
  (void)hypre.BoomerAMGSetTol(amg->solver, 0);
  (void)hypre.BoomerAMGSetMaxIter(amg->solver, 1);
  (void)hypre.BoomerAMGSetCoarsenType(amg->solver, 10);
  (void)hypre.BoomerAMGSetInterpType(amg->solver, 6);
  (void)hypre.BoomerAMGSetPMaxElmts(amg->solver, 4);
  (void)hypre.BoomerAMGSetStrongThreshold(amg->solver, 0.5);
  (void)hypre.BoomerAMGSetRelaxType(amg->solver, 8);
  if (singular) (void)hypre.BoomerAMGSetCycleRelaxType(amg->solver, 8, 3);
  (void)hypre.BoomerAMGSetRelaxOrder(amg->solver, 0);
  (void)hypre.BoomerAMGSetPrintLevel(amg->solver, 0);
  (void)hypre.IJMatrixGetObject(amg->matrix, (void **)&matrix);
  (void)hypre.IJVectorGetObject(amg->right, (void **)&right);
  (void)hypre.IJVectorGetObject(amg->left, (void **)&left);
  (void)hypre.BoomerAMGSetup(amg->solver, matrix, right, left);
  return said(err);
}

int dg_amg_new(struct dg_amg **result, const struct dg_space *space, struct dg_elliptic *op,
               struct dg_elliptic_weights weights, const bool *held, bool singular, struct dg_error *err)
{
  struct dg_amg *amg = NULL;
  struct dg_comm *ranks = space->shared != NULL ? space->shared->comm : NULL;
  MPI_Comm comm;
  *result = NULL;
  if (dg_amg_prepare(err) != 0 || dg_comm_lend(ranks, &comm, err) != 0 || DG_NEW(amg, 1, err) != 0) return err->code;
  *amg = (struct dg_amg){.space = space, .foreign = dg_space_foreign(space), .held = held};
  if (DG_NEW(amg->global, space->count, err) == 0 &&
      dg_space_global(space, amg->global, &amg->first, &amg->own, err) == 0 && DG_NEW(amg->row, amg->own, err) == 0 &&
      DG_NEW(amg->value, amg->own, err) == 0)
    for (int64_t i = 0; i < amg->own; i++) amg->row[i] = (HYPRE_BigInt)(amg->first + i);
  if (dg_comm_agree(ranks, err) != 0 || make_matrix(amg, comm, op, weights, err) != 0 ||
      make_vector(amg, comm, &amg->right, err) != 0 || make_vector(amg, comm, &amg->left, err) != 0 ||
      make_solver(amg, singular, err) != 0) {
    dg_amg_free(amg);
    return err->code;
  }
  *result = amg;
  return 0;
}

void dg_amg_free(struct dg_amg *amg)
{
  if (amg == NULL) return;
  if (amg->solver != NULL) (void)hypre.BoomerAMGDestroy(amg->solver);
  if (amg->right != NULL) (void)hypre.IJVectorDestroy(amg->right);
  if (amg->left != NULL) (void)hypre.IJVectorDestroy(amg->left);
  if (amg->matrix != NULL) (void)hypre.IJMatrixDestroy(amg->matrix);
  dg_free(amg->global);
  dg_free(amg->row);
  dg_free(amg->value);
  dg_free(amg);
}

void dg_amg_apply(struct dg_amg *amg, const double *r, double *z)
{
  HYPRE_ParCSRMatrix matrix;
  HYPRE_ParVector right, left;
  const HYPRE_Int own = (HYPRE_Int)amg->own;
  int64_t n = 0;
  for (size_t i = 0; i < amg->space->count; i++)
    if (amg->foreign == NULL || !amg->foreign[i]) amg->value[n++] = r[i];
  (void)hypre.IJVectorSetValues(amg->right, own, amg->row, amg->value);
  memset(amg->value, 0, sizeof *amg->value * (size_t)own);
  (void)hypre.IJVectorSetValues(amg->left, own, amg->row, amg->value);
  (void)hypre.IJMatrixGetObject(amg->matrix, (void **)&matrix);
  (void)hypre.IJVectorGetObject(amg->right, (void **)&right);
  (void)hypre.IJVectorGetObject(amg->left, (void **)&left);
  (void)hypre.BoomerAMGSolve(amg->solver, matrix, right, left);
  (void)hypre.IJVectorGetValues(amg->left, own, amg->row, amg->value);
  hypre.ClearAllErrors(); /* one cycle does not reach a tolerance of 0, which the library calls an error */
  n = 0;
  for (size_t i = 0; i < amg->space->count; i++) z[i] = amg->foreign == NULL || !amg->foreign[i] ? amg->value[n++] : 0;
  dg_space_sum(amg->space, z); /* one number and zeros */
}

#else

int dg_amg_prepare(struct dg_error *err) { return dg_fail(err, DG_ENVIRONMENT, "this build has no hypre"); }

int dg_amg_new(struct dg_amg **amg, const struct dg_space *space, struct dg_elliptic *op,
               struct dg_elliptic_weights weights, const bool *held, bool singular, struct dg_error *err)
{
  (void)space, (void)op, (void)weights, (void)held, (void)singular;
  *amg = NULL;
  return dg_amg_prepare(err);
}

void dg_amg_free(struct dg_amg *amg) { (void)amg; }

void dg_amg_apply(struct dg_amg *amg, const double *r, double *z) { (void)amg, (void)r, (void)z; }

#endif
