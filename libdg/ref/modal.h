/* The orthonormal modal basis (Koornwinder-Dubiner) on the reference tetrahedron and triangle; sources: reference.h. */
#pragma once

/* The orthonormal basis of total degree <= order at a point; value[Np]. */
void dg_modal_basis(int order, double r, double s, double t, double *value);
/* The gradients of the orthonormal basis at a point; gradient[3][Np]. */
void dg_modal_gradient(int order, double r, double s, double t, double *gradient);

/* The orthonormal basis on the reference triangle (-1,-1), (1,-1), (-1,1); value[(order+1)(order+2)/2]. */
void dg_modal_triangle(int order, double r, double s, double *value);
