/* Gauss-Lobatto points by Newton's method and recursive nodes on edge, triangle and tetrahedron. reference.c places the
 * nodes of an element with them. Source: T. Isaac, SIAM J. Sci. Comput. 42 (2020) A4046. */
#include "libdg/ref/nodes.h"

#include <math.h>

#include "libdg/base/orders.h"

/* The Legendre polynomial of degree n and its first two derivatives at |x| < 1. */
static void legendre(int n, double x, double p[3])
{
  double before = 1, now = n == 0 ? 1 : x;
  for (int k = 1; k < n; k++) {
    double next = ((2 * k + 1) * x * now - k * before) / (k + 1);
    before = now;
    now = next;
  }
  double one_minus = 1 - x * x;
  p[0] = now;
  p[1] = n == 0 ? 0 : n * (before - x * now) / one_minus;
  p[2] = (2 * x * p[1] - n * (n + 1) * now) / one_minus; /* Legendre's equation */
}

/* Gauss-Lobatto-Legendre points of degree n on [0, 1], x[n+1] ascending; n = 0 gives the midpoint. */
static void gauss_lobatto(int n, double *x)
{
  if (n == 0) {
    x[0] = 0.5;
    return;
  }
  x[0] = 0;
  x[n] = 1;
  for (int i = 1; i < n; i++) { /* interior points: roots of P_n', by Newton from the Chebyshev points */
    double root = -cos(acos(-1.0) * i / n), p[3];
    for (int iteration = 0; iteration < 50; iteration++) {
      legendre(n, root, p);
      double step = p[1] / p[2];
      root -= step;
      if (fabs(step) < 1e-16) break;
    }
    x[i] = 0.5 * (1 + root);
  }
  for (int i = 0; i <= n / 2; i++) x[n - i] = 1 - x[i]; /* symmetric to the last bit */
}

void dg_recursive_node(int d, int n, const int *index, double *node)
{
  double x[DG_ORDER_MAX + 1];
  gauss_lobatto(n, x);
  if (d == 1) {
    node[0] = x[index[0]];
    node[1] = x[index[1]];
    return;
  }
  /* The node is the weighted mean of the nodes that the same index minus one entry has on each facet; a facet counts
   * by how near the index is to it, measured in the one-dimensional family. */
  double total = 0;
  for (int i = 0; i <= d; i++) node[i] = 0;
  for (int i = 0; i <= d; i++) {
    int rest[3], m = 0;
    for (int j = 0; j <= d; j++)
      if (j != i) rest[m++] = index[j];
    int sum = n - index[i];
    double weight = x[sum], facet[3];
    if (sum == 0) continue; /* weight zero: the vertex opposite */
    dg_recursive_node(d - 1, sum, rest, facet);
    m = 0;
    for (int j = 0; j <= d; j++)
      if (j != i) node[j] += weight * facet[m++];
    total += weight;
  }
  for (int i = 0; i <= d; i++) node[i] /= total;
}
