/* Gauss-Legendre rules by Newton's method on the Legendre polynomial; paths, surfaces and ports integrate with them. */
#include "libdg/ref/quadrature.h"

#include <math.h>

void dg_gauss_legendre(int n, double *x, double *weight)
{
  for (int i = 0; i < n; i++) {
    double z = cos(acos(-1.0) * (n - i - 0.25) / (n + 0.5)), slope = 1; /* Newton's method from near the root */
    for (int iteration = 0; iteration < 20; iteration++) {
      double p = 1, before = 0;
      for (int k = 1; k <= n; k++) {
        double next = ((2 * k - 1) * z * p - (k - 1) * before) / k;
        before = p;
        p = next;
      }
      slope = n * (z * p - before) / (z * z - 1);
      z -= p / slope;
    }
    x[i] = (1 + z) / 2;
    weight[i] = 1 / ((1 - z * z) * slope * slope);
  }
}
