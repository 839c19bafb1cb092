/* Geometric factors of affine elements. */
#pragma once

#include "libdg/mesh/mesh.h"

struct dg_geometry {
  size_t K;
  double (*metric)[9];     /* [K] d(r,s,t)_a / d(x,y,z)_b at [3*a + b], 1/m */
  double *jacobian;        /* [K] |det d(x,y,z)/d(r,s,t)|, m^3; positive; the element's volume is 4/3 of it */
  double (*normal)[4][3];  /* [K] outward unit normal of each face */
  double (*face_scale)[4]; /* [K] surface Jacobian / volume Jacobian, 1/m: the factor of `lift` */
};

int dg_geometry_init(struct dg_geometry *geometry, const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
void dg_geometry_release(struct dg_geometry *geometry);

/* x = position of reference point (r,s,t) of element e, metres. */
void dg_geometry_point(const struct dg_mesh *mesh, size_t e, double r, double s, double t, double x[3]);
void dg_geometry_barycentre(const struct dg_mesh *mesh, size_t e, double x[3]);
/* Area of face f of element e, m^2. */
double dg_geometry_face_area(const struct dg_geometry *geometry, size_t e, int f);
