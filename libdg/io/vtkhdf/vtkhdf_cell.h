/* VTK's Lagrange tetrahedron (cell type 71) and the solver's element.
 *
 * Both are polynomials of the same order, but their nodes stand elsewhere: VTK's are equispaced in its parameters, the
 * solver's (libdg/ref/reference.h) are denser towards edges. Were the solver's nodes given to VTK as they are, VTK
 * would take them for equispaced ones and show another function between them: at 10 points a wavelength it is off by 4
 * to 6 % of the amplitude from order 3 on. Files therefore have the values of the element's polynomial at VTK's nodes.
 * VTK's interpolation is then that polynomial, in all of the element, and gives the solver's values at the solver's
 * nodes. At orders 1 and 2 the nodes are the same.
 *
 * Private to this folder and its tests. */
#pragma once

#include <stddef.h>

#include "libdg/ref/reference.h"

enum { DG_VTKHDF_LANES = 24 }; /* components of elements that are moved to VTK's nodes at a time */

struct dg_vtkhdf_cell {
  size_t Np;
  int *node[2];       /* [Np] the number, as the solver counts, of VTK's n-th node; [1] in mirrored elements, whose
                       * last two vertices are exchanged so that VTK's volume is positive */
  double (*place)[3]; /* [Np] (r, s, t) of VTK's node with the lattice numbers of the solver's n-th */
  /* Values at VTK's node n: the sum of weight[i] times the value at from[i], i from first[n] to first[n + 1] - 1. Nodes
   * of an edge or a face depend on its own nodes alone. weight is NULL where the nodes are the same. */
  int *first, *from;
  double *weight;
};

/* Errors: memory. Release in any case; zeroed is safe. */
int dg_vtkhdf_cell_init(struct dg_vtkhdf_cell *cell, const struct dg_reference *ref, struct dg_error *err) DG_MUST_USE;
void dg_vtkhdf_cell_release(struct dg_vtkhdf_cell *cell);

/* The barycentric numbers of VTK's n-th node, towards its vertices 1, 2, 3 and 0; their sum is the order. Source:
 * vtkHigherOrderTetra::BarycentricIndex of VTK 9: vertices, edges, faces, then the same of the tetrahedron inside. */
void dg_vtkhdf_lattice(int order, int n, int bary[4]);

/* to[Np][LANES] at VTK's nodes of from[Np][LANES] at the solver's. */
void dg_vtkhdf_move(const struct dg_vtkhdf_cell *cell, const double *from, double *to);
