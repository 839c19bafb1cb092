/* The energy that a passive linear system stores. Private to the poles of media (poles.c). */
#pragma once

#include <stdbool.h>

enum { MX_STORAGE_MOST = 16 }; /* states */

/* dx/dt = A x + B u, y = C x + D u with n states; matrices are [n][n], all at rates that may lie decades apart. */
struct mx_linear_system {
  int n;
  double A[MX_STORAGE_MOST][MX_STORAGE_MOST], B[MX_STORAGE_MOST], C[MX_STORAGE_MOST], D;
};

/* Finds Q > 0 and l with  d/dt (x.Q x/2) = u y - (l.(x, u))^2  for all x and u: u y is the power that the system takes,
 * the square what it loses. Q is [n][n], l has n + 1 numbers, that of u last. Returns false if there is none: the
 * system is not passive. Where it loses nothing at some frequency, Q is right to about 1e-8. */
bool mx_storage(const struct mx_linear_system *system, double Q[MX_STORAGE_MOST][MX_STORAGE_MOST], double *l);
