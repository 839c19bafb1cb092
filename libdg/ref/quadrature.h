/* Rules of integration. */
#pragma once

/* Gauss-Legendre rule of n points on [0, 1], exact up to degree 2 n - 1: x[n] ascending, weight[n] of sum 1. */
void dg_gauss_legendre(int n, double *x, double *weight);
