/* Orthonormal polynomials on interval, triangle and tetrahedron.
 * Source: J. S. Hesthaven, T. Warburton, Nodal Discontinuous Galerkin Methods, Springer 2008, appendix A and
 * sections 6.1, 10.1. */
#include "libdg/ref/modal.h"

#include <math.h>

#include "libdg/base/orders.h"

/* Jacobi polynomial of degree n, orthonormal for the weight (1-x)^alpha (1+x)^beta on [-1, 1]. */
static double jacobi(int n, double alpha, double beta, double x)
{
  double sum = alpha + beta;
  double gamma0 = exp2(sum + 1) / (sum + 1) * exp(lgamma(alpha + 1) + lgamma(beta + 1) - lgamma(sum + 1));
  double before = 1 / sqrt(gamma0);
  if (n == 0) return before;
  double gamma1 = (alpha + 1) * (beta + 1) / (sum + 3) * gamma0;
  double now = ((sum + 2) * x + alpha - beta) / (2 * sqrt(gamma1));
  double a_old = 2 / (2 + sum) * sqrt((alpha + 1) * (beta + 1) / (sum + 3));
  for (int i = 1; i < n; i++) {
    double h = 2 * i + sum;
    double a_new = 2 / (h + 2) * sqrt((i + 1) * (i + 1 + sum) * (i + 1 + alpha) * (i + 1 + beta) / (h + 1) / (h + 3));
    double b_new = -(alpha * alpha - beta * beta) / h / (h + 2);
    double next = (-a_old * before + (x - b_new) * now) / a_new;
    before = now;
    now = next;
    a_old = a_new;
  }
  return now;
}

static double jacobi_derivative(int n, double alpha, double beta, double x)
{
  return n == 0 ? 0 : sqrt(n * (n + alpha + beta + 1)) * jacobi(n - 1, alpha + 1, beta + 1, x);
}

static double power(double x, int n)
{
  double y = 1;
  while (n-- > 0) y *= x;
  return y;
}

/* Collapsed coordinates of a point of the tetrahedron; where they are undefined any value will do, because the
 * polynomial is multiplied by zero there. */
static void collapse(double r, double s, double t, double abc[3])
{
  abc[0] = s + t != 0 ? 2 * (1 + r) / (-s - t) - 1 : -1;
  abc[1] = t != 1 ? 2 * (1 + s) / (1 - t) - 1 : -1;
  abc[2] = t;
}

void dg_modal_basis(int order, double r, double s, double t, double *value)
{
  double abc[3];
  collapse(r, s, t, abc);
  int m = 0;
  for (int i = 0; i <= order; i++)
    for (int j = 0; i + j <= order; j++)
      for (int k = 0; i + j + k <= order; k++)
        value[m++] = 2 * sqrt(2) * jacobi(i, 0, 0, abc[0]) * jacobi(j, 2 * i + 1, 0, abc[1]) * power(1 - abc[1], i) *
                     jacobi(k, 2 * (i + j) + 2, 0, abc[2]) * power(1 - abc[2], i + j);
}

/* The gradient of one mode by the chain rule through the collapsed coordinates, in the form whose powers of (1-b)/2
 * and (1-c)/2 cancel the singular factors. */
static void mode_gradient(int i, int j, int k, const double abc[3], double gradient[3])
{
  double a = abc[0], b = abc[1], c = abc[2];
  double fa = jacobi(i, 0, 0, a), dfa = jacobi_derivative(i, 0, 0, a);
  double gb = jacobi(j, 2 * i + 1, 0, b), dgb = jacobi_derivative(j, 2 * i + 1, 0, b);
  double hc = jacobi(k, 2 * (i + j) + 2, 0, c), dhc = jacobi_derivative(k, 2 * (i + j) + 2, 0, c);
  double B = 0.5 * (1 - b), C = 0.5 * (1 - c);
  double B1 = i > 0 ? power(B, i - 1) : 1, C1 = i + j > 0 ? power(C, i + j - 1) : 1;

  double dr = dfa * gb * hc * B1 * C1;
  double db = dgb * power(B, i) - (i > 0 ? 0.5 * i * gb * B1 : 0);
  db *= fa * hc * C1;
  double dc = dhc * power(C, i + j) - (i + j > 0 ? 0.5 * (i + j) * hc * C1 : 0);
  dc *= fa * gb * power(B, i);

  double scale = exp2(2 * i + j + 1.5);
  gradient[0] = scale * dr;
  gradient[1] = scale * (0.5 * (1 + a) * dr + db);
  gradient[2] = scale * (0.5 * (1 + a) * dr + 0.5 * (1 + b) * db + dc);
}

void dg_modal_gradient(int order, double r, double s, double t, double *gradient)
{
  double abc[3], one[3];
  collapse(r, s, t, abc);
  int Np = DG_NP(order), m = 0;
  for (int i = 0; i <= order; i++)
    for (int j = 0; i + j <= order; j++)
      for (int k = 0; i + j + k <= order; k++, m++) {
        mode_gradient(i, j, k, abc, one);
        for (int d = 0; d < 3; d++) gradient[d * Np + m] = one[d];
      }
}

void dg_modal_triangle(int order, double r, double s, double *value)
{
  double a = s != 1 ? 2 * (1 + r) / (1 - s) - 1 : -1;
  int m = 0;
  for (int i = 0; i <= order; i++)
    for (int j = 0; i + j <= order; j++)
      value[m++] = sqrt(2) * jacobi(i, 0, 0, a) * jacobi(j, 2 * i + 1, 0, s) * power(1 - s, i);
}
