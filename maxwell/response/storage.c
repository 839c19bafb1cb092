/* The stored energy of a passive system by a Riccati equation: storage.h says what for.
 *
 * The lemma of Kalman, Yakubovich and Popov: a system is passive if and only if such Q and l exist. The map
 * s = (z - 1)/(z + 1), in units of a rate in the middle of the system's, makes it one that is discrete in time,
 *     F = (1 - A)^-1 (1 + A), G = sqrt(2) (1 - A)^-1 B, J = sqrt(2) C (1 - A)^-1, R = 2 (D + C (1 - A)^-1 B),
 * with the same Q. That has R > 0 even where D = 0. Its equation Q = F^T Q F + (J^T - F^T Q G)(R - G^T Q G)^-1 (J - G^T
 * Q F) is, with F^ = F - G J/R, H = J^T J/R and N = -G G^T/R,
 *     Q = F^^T Q (1 + N Q)^-1 F^ + H,
 * which doubling solves: each round takes twice as many steps of the equation as all before it. Sources: B. D. O.
 * Anderson, S. Vongpanitlerd, Network Analysis and Synthesis (1973), chapters 5 and 6; E. K.-W. Chu, H.-Y. Fan, W.-W.
 * Lin, C.-S. Wang, Int. J. Control 77 (2004) 767 (doubling). */
#include "maxwell/response/storage.h"

#include <math.h>
#include <string.h>

enum { MOST = MX_STORAGE_MOST };
typedef double matrix[MOST][MOST];

static void copy(const matrix X, matrix Y) { memcpy(Y, X, sizeof(matrix)); }

/* Z = X Y or X^T Y. */
static void product(int n, bool transposed, const matrix X, const matrix Y, matrix Z)
{
  matrix sum = {{0}};
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) sum[i][j] += (transposed ? X[k][i] : X[i][k]) * Y[k][j];
  copy((const double(*)[MOST])sum, Z);
}

/* Solves X Z = Y in place of Y by elimination with pivots. Returns false if X is singular. */
static bool solve(int n, const matrix X, matrix Y)
{
  matrix U;
  copy(X, U);
  for (int k = 0; k < n; k++) {
    int top = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(U[i][k]) > fabs(U[top][k])) top = i;
    if (!(fabs(U[top][k]) > 0)) return false;
    for (int j = 0; j < n; j++) {
      const double u = U[k][j], y = Y[k][j];
      U[k][j] = U[top][j], U[top][j] = u;
      Y[k][j] = Y[top][j], Y[top][j] = y;
    }
    for (int i = 0; i < n; i++) {
      const double factor = U[i][k] / U[k][k];
      if (i == k) continue;
      for (int j = 0; j < n; j++) {
        U[i][j] -= factor * U[k][j];
        Y[i][j] -= factor * Y[k][j];
      }
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) Y[i][j] /= U[i][i];
  return true;
}

/* The doubling: F, N and H become those of twice as many steps. *change: of H, against its size. */
static bool twice(int n, matrix F, matrix N, matrix H, double *change)
{
  matrix W = {{0}}, X, Y, Z;
  double changed = 0, size = 0;
  product(n, false, (const double(*)[MOST])N, (const double(*)[MOST])H, W);
  for (int i = 0; i < n; i++) W[i][i] += 1;
  copy((const double(*)[MOST])F, X);
  copy((const double(*)[MOST])N, Y);
  if (!solve(n, (const double(*)[MOST])W, X) || !solve(n, (const double(*)[MOST])W, Y)) return false;
  product(n, false, (const double(*)[MOST])H, (const double(*)[MOST])X, Z); /* H (1 + N H)^-1 F */
  product(n, true, (const double(*)[MOST])F, (const double(*)[MOST])Z, Z);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double more = 0.5 * (Z[i][j] + Z[j][i]);
      H[i][j] += more;
      changed += fabs(more);
      size += fabs(H[i][j]);
    }
  product(n, false, (const double(*)[MOST])F, (const double(*)[MOST])Y, Z); /* F (1 + N H)^-1 N F^T */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) N[i][j] += Z[i][k] * F[j][k];
  product(n, false, (const double(*)[MOST])F, (const double(*)[MOST])X, F);
  *change = changed / size;
  return isfinite(*change);
}

/* The rate in the middle of the system's, by the sizes of the rows of A. */
static double middle(const struct mx_linear_system *system)
{
  double sum = 0;
  int count = 0;
  for (int i = 0; i < system->n; i++) {
    double row = 0;
    for (int j = 0; j < system->n; j++) row += fabs(system->A[i][j]);
    if (row > 0) sum += log(row), count++;
  }
  return count > 0 ? exp(sum / count) : 1;
}

/* Finds Q with `more` added to D. */
static bool find_Q(const struct mx_linear_system *system, double rate, double more, matrix Q)
{
  enum { ROUNDS = 60 };
  static const double enough = 1e-15;
  const int n = system->n;
  matrix F = {{0}}, N = {{0}}, S = {{0}}, inverse = {{0}};
  double G[MOST] = {0}, J[MOST] = {0}, R = 2 * (system->D / rate + more), change = 1;
  for (int i = 0; i < n; i++) {
    inverse[i][i] = 1;
    for (int j = 0; j < n; j++) {
      S[i][j] = (i == j) - system->A[i][j] / rate;
      F[i][j] = (i == j) + system->A[i][j] / rate;
    }
  }
  if (!solve(n, (const double(*)[MOST])S, inverse)) return false;
  product(n, false, (const double(*)[MOST])inverse, (const double(*)[MOST])F, F);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      G[i] += sqrt(2) * inverse[i][j] * system->B[j] / rate;
      J[j] += sqrt(2) * system->C[i] / rate * inverse[i][j];
    }
  for (int i = 0; i < n; i++) R += sqrt(2) * system->C[i] / rate * G[i];
  if (!(R > 0)) return false;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      F[i][j] -= G[i] * J[j] / R;
      N[i][j] = -G[i] * G[j] / R;
      Q[i][j] = J[i] * J[j] / R;
    }
  for (int round = 0; round < ROUNDS && change > enough; round++)
    if (!twice(n, F, N, Q, &change)) return false;
  return change < 1e-6;
}

/* What is lost as a square, from the largest number on the diagonal of its matrix. Returns false if it is none. */
static bool find_l(const struct mx_linear_system *system, const matrix Q, double *l)
{
  static const double rounding = 1e-6;
  const int n = system->n;
  double M[MOST + 1][MOST + 1] = {{0}};
  int top = n;
  for (int i = 0; i < n; i++) {
    double QB = 0;
    for (int k = 0; k < n; k++) QB += Q[i][k] * system->B[k];
    M[i][n] = M[n][i] = 0.5 * (system->C[i] - QB);
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) M[i][j] -= 0.5 * (Q[i][k] * system->A[k][j] + system->A[k][i] * Q[k][j]);
  }
  M[n][n] = system->D;
  for (int i = 0; i < n; i++)
    if (M[i][i] > M[top][top]) top = i;
  if (!(M[top][top] > 0)) return false;
  for (int i = 0; i <= n; i++) l[i] = M[top][i] / sqrt(M[top][top]);
  for (int i = 0; i <= n; i++)
    if (fabs(M[i][i] - l[i] * l[i]) > rounding * M[top][top]) return false;
  return true;
}

bool mx_storage(const struct mx_linear_system *system, double Q[MX_STORAGE_MOST][MX_STORAGE_MOST], double *l)
{
  static const double more[] = {0, 1e-10, 1e-8}; /* where doubling breaks down, since something loses nothing */
  const double rate = middle(system);
  for (int i = 0; i < 3; i++)
    if (find_Q(system, rate, more[i], Q) && find_l(system, (const double(*)[MOST])Q, l)) return true;
  return false;
}
