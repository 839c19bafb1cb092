/* The reference tetrahedron: nodes, mass, differentiation and lifting matrices of a nodal polynomial basis.
 *
 * Vertices (-1,-1,-1), (1,-1,-1), (-1,1,-1), (-1,-1,1); volume 4/3. Face f lies opposite vertex f and its vertices are
 * the other three in ascending order: 0: (1,2,3), 1: (0,2,3), 2: (0,1,3), 3: (0,1,2). The Lagrange basis on the nodes
 * is built from the orthonormal modal (Koornwinder-Dubiner) basis.
 * Sources: J. S. Hesthaven, T. Warburton, Nodal Discontinuous Galerkin Methods, Springer 2008, sections 6.1 and 10.1
 * (basis and matrices); T. Isaac, SIAM J. Sci. Comput. 42 (2020) A4046 (recursive nodes: fully symmetric, Gauss-Lobatto
 * on the edges, interpolation as good as warp and blend).
 */
#pragma once

#include "libdg/base/error.h"
#include "libdg/base/orders.h"

struct dg_reference {
  int order;
  int Np, Nf;
  double *r, *s, *t; /* [Np] coordinates of the nodes */
  int (*lattice)[3]; /* [Np] barycentric indices (i,j,k) of a node towards vertices 1, 2, 3; i+j+k <= order */
  int *face_node;    /* [4][Nf] nodes on each face, ordered along the face's own vertices (a,b,c): node (j,k) of
                        the face, towards b and c, is the same for the two elements of a face when the vertices of
                        both are sorted by the same key */
  double *mass;      /* [Np][Np] integral of l_i l_j over the reference tetrahedron */
  double *D[3];      /* [Np][Np] D[a][i*Np + j] = d l_j / d(r,s,t)_a at node i */
  double *lift;      /* [Np][4*Nf] inverse mass times face mass, faces scaled to the reference triangle of area 2 */
  double *face_mass; /* [Nf][Nf] integral of l_i l_j over the reference triangle of area 2, nodes as face_node */
  double *vandermonde_inverse; /* [Np][Np]: nodal values -> modal coefficients */
};

/* order in 1..8. Release with dg_reference_release; a zeroed struct is safe to release. */
int dg_reference_init(struct dg_reference *ref, int order, struct dg_error *err) DG_MUST_USE;
void dg_reference_release(struct dg_reference *ref);

/* Barycentric coordinates of node i: by vertex. */
static inline void dg_reference_barycentric(const struct dg_reference *ref, int i, double L[4])
{
  const double r = ref->r[i], s = ref->s[i], t = ref->t[i];
  L[0] = -0.5 * (1 + r + s + t);
  L[1] = 0.5 * (1 + r);
  L[2] = 0.5 * (1 + s);
  L[3] = 0.5 * (1 + t);
}

/* weight[Np] so that u(r,s,t) = sum_j weight[j] u_j. Any point; outside the tetrahedron it extrapolates. */
void dg_reference_interpolate(const struct dg_reference *ref, double r, double s, double t, double *weight);
