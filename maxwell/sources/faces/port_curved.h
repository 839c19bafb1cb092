/* Triangles of a port's face whose edges are curved, in the plane of the face or with it: profiles are projected in
 * covariant components along t1, t2 = dx/d(towards the second, the third vertex), as the fields of curved elements are
 * polynomials in these. port_build.c calls it. */
#pragma once

#include "libdg/ref/reference.h"
#include "maxwell/sources/faces/port_face.h"

/* moment[2][Nf]: integrals of the basis times the contravariant components of the profile. nodal[2][Nf] becomes the
 * covariant components of the projection, in the mean of squares, by a rule of `count` points with weights of sum 1 and
 * basis[count][Nf]. */
int mx_port_project(const struct mx_port_triangle *triangle, size_t count, size_t Nf, const double (*bary)[3],
                    const double *weight, const double *basis, const double *moment, double *nodal,
                    struct dg_error *err) DG_MUST_USE;

/* What functionals and terms take, Cartesian [3][Nf], from moment and nodal as above: weights of E in the integral of
 * e.E, and of H in that of e.(H x n); the field e at the nodes, and n x e, which is projected so that it obeys the same
 * integrals. bary[Nf] are the nodes; solved is the solution of the mass matrix of the reference triangle, face_mass. */
void mx_port_weights(const struct mx_port_triangle *triangle, const struct dg_reference *ref, const double *moment,
                     const double *nodal, double *of_E, double *of_H);
void mx_port_fields(const struct mx_port_triangle *triangle, const struct dg_reference *ref, const double *nodal,
                    const double *solved, double *e, double *turned);
