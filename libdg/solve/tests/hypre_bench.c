/* hypre's PCG with BoomerAMG on all ranks, to hold Curlew's solutions of static fields against:
 *
 *   mpirun -n RANKS hypre_bench CELLS [THRESHOLD [AGGRESSIVE [RELAX]]]
 *
 * assembles -div grad u = 1 on a unit cube with elements of order 2 and u = 0 on its surface, as `elliptic_bench` and
 * `test_cuda_elliptic bench` have it: CELLS^3 cells of six tetrahedra (Kuhn), inner vertices moved about by up to 0.15
 * of a cell. Then it solves to a relative residual of 1e-10 and prints seconds. All is hypre's: the assembled matrix,
 * the products, the cycle. HMIS coarsening, extended interpolation with four entries a row, AGGRESSIVE levels (1) of
 * aggressive coarsening, THRESHOLD (0.5) of strong connections, RELAX 8 (l1 symmetric Gauss-Seidel) or 18 (l1 Jacobi).
 *
 * It needs MPI and hypre alone: cc -O3 hypre_bench.c -I/usr/include/hypre -lHYPRE -lm with mpicc. Nodes of order 2 are
 * all points of a grid of 2 CELLS + 1 a side, since each kind of edge has its own odd coordinates; each rank has a box
 * of them, and makes its own rows. 107 cells are 9.66e6 unknowns; all takes about 0.9 kB for each. */
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 5, STENCIL = WIDE * WIDE * WIDE, RANKS_MOST = 1024 };

static int cells, rank, ranks;
static int parts[3];
static HYPRE_BigInt first_of[RANKS_MOST + 1];

/* ---- the grid: inner points 1 to 2 cells - 1 in each direction, in boxes */

/* Where part p of a direction begins, and which part has a point. */
static int begin_of(int d, int p) { return 1 + (int)((int64_t)(2 * cells - 1) * p / parts[d]); }

static int part_of(int d, int x)
{
  int p = (int)((int64_t)(x - 1) * parts[d] / (2 * cells - 1));
  while (x < begin_of(d, p)) p--;
  while (x >= begin_of(d, p + 1)) p++;
  return p;
}

static HYPRE_BigInt number_of(const int x[3])
{
  const int p[3] = {part_of(0, x[0]), part_of(1, x[1]), part_of(2, x[2])};
  const int low[3] = {begin_of(0, p[0]), begin_of(1, p[1]), begin_of(2, p[2])};
  const HYPRE_BigInt nx = begin_of(0, p[0] + 1) - low[0], ny = begin_of(1, p[1] + 1) - low[1];
  return first_of[(p[2] * parts[1] + p[1]) * parts[0] + p[0]] + ((x[2] - low[2]) * ny + (x[1] - low[1])) * nx + x[0] -
         low[0];
}

static void my_box(int r, int low[3], int high[3])
{
  const int p[3] = {r % parts[0], r / parts[0] % parts[1], r / parts[0] / parts[1]};
  for (int d = 0; d < 3; d++) low[d] = begin_of(d, p[d]), high[d] = begin_of(d, p[d] + 1);
}

/* Parts that are nearly cubes: the prime factors of the ranks, the largest first, each to the longest direction. */
static void split_ranks(void)
{
  int left = ranks;
  parts[0] = parts[1] = parts[2] = 1;
  for (int f = ranks; f > 1; f--)
    while (left % f == 0 && left > 1) {
      int prime = 1;
      for (int q = 2; q * q <= f; q++) prime = prime && f % q != 0;
      if (!prime) break;
      const int d = parts[0] <= parts[1] && parts[0] <= parts[2] ? 0 : parts[1] <= parts[2] ? 1 : 2;
      parts[d] *= f;
      left /= f;
    }
  for (int r = 0; r < ranks; r++) {
    int low[3], high[3];
    my_box(r, low, high);
    first_of[r + 1] = first_of[r] + (HYPRE_BigInt)(high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
  }
}

/* A vertex of the mesh, which any rank finds alike. */
static void place(const int v[3], double x[3])
{
  for (int d = 0; d < 3; d++) {
    uint64_t h = (((uint64_t)v[2] * 2654435761U + (uint64_t)v[1]) * 2654435761U + (uint64_t)v[0]) * 3 + (uint64_t)d + 1;
    h = (h ^ h >> 31) * 0x9e3779b97f4a7c15U;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9U;
    const double random = (double)(h >> 11) / 9007199254740992.0;
    x[d] = (v[d] + (v[d] > 0 && v[d] < cells ? 0.3 * (random - 0.5) : 0)) / cells;
  }
}

/* ---- elements */

static const int path[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
static const int edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* Gradients of the barycentric coordinates and the volume. */
static double gradients(const double x[4][3], double g[4][3])
{
  double a[3][3];
  for (int i = 0; i < 3; i++)
    for (int d = 0; d < 3; d++) a[i][d] = x[i + 1][d] - x[0][d];
  double det = 0;
  for (int i = 0; i < 3; i++) {
    const double *u = a[(i + 1) % 3], *v = a[(i + 2) % 3];
    for (int d = 0; d < 3; d++) g[i + 1][d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
  }
  for (int d = 0; d < 3; d++) det += a[0][d] * g[1][d];
  for (int d = 0; d < 3; d++) {
    for (int i = 1; i < 4; i++) g[i][d] /= det;
    g[0][d] = -g[1][d] - g[2][d] - g[3][d];
  }
  return fabs(det) / 6;
}

/* grad of node n = sum over its terms of (constant + 4 lambda_l) g_g: vertices have one, edges two. */
struct term {
  int constant, l, g;
};

static int terms_of(int n, struct term term[2])
{
  if (n < 4) {
    term[0] = (struct term){-1, n, n};
    return 1;
  }
  const int *e = edge[n - 4];
  term[0] = (struct term){0, e[0], e[1]};
  term[1] = (struct term){0, e[1], e[0]};
  return 2;
}

/* The integral of grad of node m times grad of node n, over the volume. */
static double entry(const double dot[4][4], int m, int n)
{
  struct term a[2], b[2];
  const int as = terms_of(m, a), bs = terms_of(n, b);
  double sum = 0;
  for (int i = 0; i < as; i++)
    for (int j = 0; j < bs; j++)
      sum += dot[a[i].g][b[j].g] *
             (a[i].constant * b[j].constant + a[i].constant + b[j].constant + 0.8 * (1 + (a[i].l == b[j].l)));
  return sum;
}

/* Adds what a tetrahedron has for the row of grid point p. corner: in cells. */
static void add_tetrahedron(const int corner[4][3], const int p[3], double *stencil, double *load)
{
  double x[4][3], g[4][3], dot[4][4];
  int node[10][3], mine = -1;
  for (int n = 0; n < 10; n++) {
    int same = 1;
    for (int d = 0; d < 3; d++) {
      node[n][d] = n < 4 ? 2 * corner[n][d] : corner[edge[n - 4][0]][d] + corner[edge[n - 4][1]][d];
      same = same && node[n][d] == p[d];
    }
    if (same) mine = n;
  }
  if (mine < 0) return;
  for (int i = 0; i < 4; i++) place(corner[i], x[i]);
  const double volume = gradients((const double(*)[3])x, g);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) dot[i][j] = g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2];
  for (int n = 0; n < 10; n++) {
    const int at = ((node[n][2] - p[2] + 2) * WIDE + node[n][1] - p[1] + 2) * WIDE + node[n][0] - p[0] + 2;
    stencil[at] += volume * entry((const double(*)[4])dot, mine, n);
  }
  *load += volume * (mine < 4 ? -0.05 : 0.2);
}

/* The row of a point among the 125 points around it. */
static void make_row(const int p[3], double *stencil, double *load)
{
  int low[3], high[3];
  memset(stencil, 0, sizeof *stencil * STENCIL);
  *load = 0;
  for (int d = 0; d < 3; d++) low[d] = (p[d] + 1) / 2 - 1, high[d] = p[d] / 2;
  for (int cz = low[2]; cz <= high[2]; cz++)
    for (int cy = low[1]; cy <= high[1]; cy++)
      for (int cx = low[0]; cx <= high[0]; cx++)
        for (int i = 0; i < 6; i++) {
          int corner[4][3] = {{cx, cy, cz}};
          for (int j = 0; j < 3; j++) {
            memcpy(corner[j + 1], corner[j], sizeof corner[j]);
            corner[j + 1][path[i][j]]++;
          }
          add_tetrahedron((const int(*)[3])corner, p, stencil, load);
        }
}

/* ---- hypre */

struct problem {
  HYPRE_IJMatrix matrix;
  HYPRE_IJVector b, x;
  HYPRE_ParCSRMatrix A;
  HYPRE_ParVector right, left;
  double entries;
};

static void set_rows(struct problem *problem)
{
  int low[3], high[3], p[3];
  my_box(rank, low, high);
  for (p[2] = low[2]; p[2] < high[2]; p[2]++)
    for (p[1] = low[1]; p[1] < high[1]; p[1]++)
      for (p[0] = low[0]; p[0] < high[0]; p[0]++) {
        double stencil[STENCIL], value[STENCIL], load;
        HYPRE_BigInt column[STENCIL], row = number_of(p);
        HYPRE_Int columns = 0;
        make_row(p, stencil, &load);
        for (int k = 0; k < STENCIL; k++) {
          const int q[3] = {p[0] + k % WIDE - 2, p[1] + k / WIDE % WIDE - 2, p[2] + k / WIDE / WIDE - 2};
          int inner = stencil[k] != 0;
          for (int d = 0; d < 3; d++) inner = inner && q[d] > 0 && q[d] < 2 * cells;
          if (!inner) continue;
          column[columns] = number_of(q);
          value[columns++] = stencil[k];
        }
        problem->entries += columns;
        HYPRE_IJMatrixSetValues(problem->matrix, 1, &columns, &row, column, value);
        HYPRE_IJVectorSetValues(problem->b, 1, &row, &load);
      }
}

static void make_problem(struct problem *problem)
{
  const HYPRE_BigInt first = first_of[rank], last = first_of[rank + 1] - 1;
  const size_t own = (size_t)(last - first + 1);
  HYPRE_Int *size = malloc(sizeof *size * own);
  for (size_t i = 0; i < own; i++) size[i] = 32; /* hypre grows the rows of vertices, 65 entries */
  *problem = (struct problem){0};
  HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &problem->matrix);
  HYPRE_IJMatrixSetObjectType(problem->matrix, HYPRE_PARCSR);
  HYPRE_IJMatrixSetRowSizes(problem->matrix, size);
  HYPRE_IJMatrixInitialize(problem->matrix);
  HYPRE_IJVector *vector[2] = {&problem->b, &problem->x};
  for (int i = 0; i < 2; i++) {
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last, vector[i]);
    HYPRE_IJVectorSetObjectType(*vector[i], HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(*vector[i]);
  }
  free(size);
  set_rows(problem);
  HYPRE_IJMatrixAssemble(problem->matrix);
  HYPRE_IJVectorAssemble(problem->b);
  HYPRE_IJVectorAssemble(problem->x); /* zeros */
  HYPRE_IJMatrixGetObject(problem->matrix, (void **)&problem->A);
  HYPRE_IJVectorGetObject(problem->b, (void **)&problem->right);
  HYPRE_IJVectorGetObject(problem->x, (void **)&problem->left);
}

static double seconds(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

static void make_solver(HYPRE_Solver *pcg, HYPRE_Solver *amg, double threshold, int aggressive, int relax)
{
  HYPRE_BoomerAMGCreate(amg);
  HYPRE_BoomerAMGSetTol(*amg, 0);
  HYPRE_BoomerAMGSetMaxIter(*amg, 1);
  HYPRE_BoomerAMGSetCoarsenType(*amg, 10);
  HYPRE_BoomerAMGSetInterpType(*amg, 6);
  HYPRE_BoomerAMGSetPMaxElmts(*amg, 4);
  HYPRE_BoomerAMGSetAggNumLevels(*amg, aggressive);
  HYPRE_BoomerAMGSetStrongThreshold(*amg, threshold);
  HYPRE_BoomerAMGSetRelaxType(*amg, relax);
  HYPRE_BoomerAMGSetRelaxOrder(*amg, 0);
  HYPRE_BoomerAMGSetPrintLevel(*amg, 0);
  HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, pcg);
  HYPRE_PCGSetTol(*pcg, 1e-10);
  HYPRE_PCGSetMaxIter(*pcg, 500);
  HYPRE_PCGSetTwoNorm(*pcg, 1);
  HYPRE_PCGSetPrintLevel(*pcg, 0);
  HYPRE_PCGSetPrecond(*pcg, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup,
                      *amg);
}

/* |b - A x| / |b|, with b changed. */
static double true_residual(struct problem *problem)
{
  double before, after;
  HYPRE_ParVectorInnerProd(problem->right, problem->right, &before);
  HYPRE_ParCSRMatrixMatvec(-1, problem->A, problem->left, 1, problem->right);
  HYPRE_ParVectorInnerProd(problem->right, problem->right, &after);
  return sqrt(after / before);
}

/* The largest value of u, which is 0.056 in the middle of an even cube. */
static double middle(const struct problem *problem)
{
  const int p[3] = {cells, cells, cells};
  HYPRE_BigInt row = number_of(p);
  double value = 0, all;
  if (row >= first_of[rank] && row < first_of[rank + 1]) HYPRE_IJVectorGetValues(problem->x, 1, &row, &value);
  MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char **argv)
{
  struct problem problem;
  HYPRE_Solver pcg, amg;
  HYPRE_Int iterations;
  double entries;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  cells = argc > 1 ? atoi(argv[1]) : 0;
  if (cells < 4 || cells > 500 || ranks > RANKS_MOST) {
    if (rank == 0) fprintf(stderr, "usage: mpirun -n RANKS hypre_bench CELLS [THRESHOLD [AGGRESSIVE [RELAX]]]\n");
    MPI_Finalize();
    return 2;
  }
  const double threshold = argc > 2 ? atof(argv[2]) : 0.5;
  const int aggressive = argc > 3 ? atoi(argv[3]) : 1, relax = argc > 4 ? atoi(argv[4]) : 8;
  HYPRE_Init();
  split_ranks();
  const double start = seconds();
  make_problem(&problem);
  const double assembled = seconds();
  make_solver(&pcg, &amg, threshold, aggressive, relax);
  HYPRE_ParCSRPCGSetup(pcg, problem.A, problem.right, problem.left);
  const double ready = seconds();
  HYPRE_ParCSRPCGSolve(pcg, problem.A, problem.right, problem.left);
  const double end = seconds();
  HYPRE_PCGGetNumIterations(pcg, &iterations);
  MPI_Allreduce(&problem.entries, &entries, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double value = middle(&problem), residual = true_residual(&problem);
  if (rank == 0)
    printf(
        "%d ranks, %d unknowns of order 2, %.1f entries a row, threshold %g, %d aggressive levels, relaxation %d\n"
        "assembled in %.3f s, set up in %.3f s, solved in %.3f s: %d iterations, residual %.2e; u in the middle %.6f\n",
        ranks, (int)first_of[ranks], entries / (double)first_of[ranks], threshold, aggressive, relax, assembled - start,
        ready - assembled, end - ready, (int)iterations, residual, value);
  HYPRE_ParCSRPCGDestroy(pcg);
  HYPRE_BoomerAMGDestroy(amg);
  HYPRE_IJMatrixDestroy(problem.matrix);
  HYPRE_IJVectorDestroy(problem.b);
  HYPRE_IJVectorDestroy(problem.x);
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
