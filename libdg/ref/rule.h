/* Rules of integration on tetrahedron and triangle, and the operators between nodes and their points: what curved
 * elements need, whose metric is not a polynomial.
 *
 * The rule of order p is exact up to degree 2 p, its weights are positive, its points lie inside, and it is symmetric:
 * any order of the vertices gives the same points. A projection is the inverse mass matrix times the integral of the
 * basis with values at the points; that of interpolated values is the identity. */
#pragma once

#include "libdg/ref/reference.h"

struct dg_rule {
  int points;         /* Nq */
  double (*place)[4]; /* [Nq] barycentric coordinates; of a triangle, the first three */
  double *weight;     /* [Nq] their sum is 1 */
};

/* order in 1..8. Release with dg_rule_release; a zeroed struct is safe to release. */
int dg_rule_tetrahedron(struct dg_rule *rule, int order, struct dg_error *err) DG_MUST_USE;
int dg_rule_triangle(struct dg_rule *rule, int order, struct dg_error *err) DG_MUST_USE;
void dg_rule_release(struct dg_rule *rule);
enum { DG_RULE_POINTS_MAX = 304 }; /* of a tetrahedron, at the highest order */
/* Points of the rule of an order: of a tetrahedron (dim 3) or a triangle (2). */
int dg_rule_points(int dim, int order);

/* The rules of a reference element's order with their operators. Coordinates of places in the volume are (r, s, t), by
 * the vertices of the element; places on a face are barycentric coordinates towards the face's own three vertices. */
struct dg_quadrature {
  struct dg_rule volume, face;
  double (*place)[3];   /* [Nq] (r, s, t) of the points */
  double *at;           /* [Nq][Np] values at the points from those at the nodes */
  double *project;      /* [Np][Nq] M^-1 at^T weights */
  double *face_at;      /* [Nfq][Nf] the same on a face, whose nodes are in the order of dg_reference.face_node */
  double *face_project; /* [Nf][Nfq] inverse face mass, times face_at^T weights */
};

int dg_quadrature_init(struct dg_quadrature *quadrature, const struct dg_reference *ref,
                       struct dg_error *err) DG_MUST_USE;
void dg_quadrature_release(struct dg_quadrature *quadrature);

/* (r, s, t) of a place on face f of an element: towards the face's vertices, in ascending order. */
void dg_face_place(int f, const double towards[3], double place[3]);
