/* Interpolation nodes on edge, triangle and tetrahedron in barycentric coordinates (private to libdg/ref). */
#pragma once

/* node[d+1]: barycentric coordinates of the recursive node with lattice index index[d+1] (non-negative, sum n >= 1);
 * d = 1, 2, 3. Source: T. Isaac, SIAM J. Sci. Comput. 42 (2020) A4046, on the Gauss-Lobatto-Legendre family. */
void dg_recursive_node(int d, int n, const int *index, double *node);
