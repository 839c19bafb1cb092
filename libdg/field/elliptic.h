/* Matrix-free operators of second order on continuous elements: weights of
 *
 *   stiffness  integral of grad v . k grad u,   mass  integral of v c u,   faces  integral over faces of v h u,
 *
 * applied element by element. The gradient of a polynomial of degree p has degree p - 1: with an orthonormal basis of
 * that degree on the reference element the stiffness of an affine element is B^T G B, where B has the three
 * derivatives and G is six numbers, the metric with the medium. It is exact. Curved elements have matrices of their
 * own, of a rule that is exact to degree 2 p where the map is affine.
 *
 * Results do not depend on the number of threads: each unknown gathers its elements in their order. Where ranks share
 * the space, apply, diagonal and load are collective, and dg_space_error has what went wrong between ranks. */
#pragma once

#include "libdg/field/space.h"
#include "libdg/ref/rule.h"

struct dg_face_term {
  int32_t face; /* 4 e + f */
  double h;
};

struct dg_elliptic; /* opaque */

struct dg_elliptic_medium {
  const double *k;                 /* [K] of the stiffness; NULL: 1 everywhere */
  const double (*tensor)[6];       /* [K] xx yy zz xy xz yz instead of k; NULL: none */
  const double *c;                 /* [K] of the mass; NULL: 1 everywhere */
  size_t faces;                    /* of the face term */
  const struct dg_face_term *face; /* [faces], each at most once */
};

struct dg_elliptic_weights {
  double stiffness, mass, face;
};

/* A part of a sum of operators on one space. */
struct dg_elliptic_term {
  const struct dg_elliptic *op;
  struct dg_elliptic_weights weights;
};

/* The space must outlive the operator; the medium is copied. DG_ENVIRONMENT: no memory. */
int dg_elliptic_new(struct dg_elliptic **op, const struct dg_space *space, const struct dg_elliptic_medium *medium,
                    struct dg_error *err) DG_MUST_USE;
void dg_elliptic_free(struct dg_elliptic *op); /* NULL is safe */

/* y[count] = (weights) x[count]; they must not overlap. */
void dg_elliptic_apply(struct dg_elliptic *op, struct dg_elliptic_weights weights, const double *x, double *y);
/* The diagonal of that matrix, diagonal[count]. */
void dg_elliptic_diagonal(struct dg_elliptic *op, struct dg_elliptic_weights weights, double *diagonal);
/* Hands the matrices of this rank's elements and faces to add(context, n, unknown[n], matrix[n][n]), one after the
 * other; the sum of all is the operator. */
int dg_elliptic_assemble(struct dg_elliptic *op, struct dg_elliptic_weights weights,
                         int (*add)(void *context, int n, const int32_t *unknown, const double *matrix,
                                    struct dg_error *err),
                         void *context, struct dg_error *err) DG_MUST_USE;
/* row[Np] += row i of the matrix of element e and its faces. Not collective, any thread may call it. */
void dg_elliptic_add_row(const struct dg_elliptic *op, struct dg_elliptic_weights weights, size_t e, int i,
                         double *row);
/* y[count] += the integral of v q, with q[K][Np] by the nodes of each element, of any continuity. */
void dg_elliptic_load(struct dg_elliptic *op, const double *q, double *y);
/* grad u in element e at its own nodes: gradient[Np][3], by the space's unknowns u[count]. In a curved element it is
 * the value at each node, which is no polynomial. */
void dg_elliptic_gradient(const struct dg_elliptic *op, size_t e, const double *u, double (*gradient)[3]);
/* matrix[Nf][Nf] += h times the integral over a face, 4 e + f, of the products of its basis. faces: of the space's
 * order. */
void dg_elliptic_face(const struct dg_space *space, const struct dg_quadrature *faces, int32_t face, double h,
                      double *matrix);
/* What an operator is made of, for whoever applies it elsewhere, such as on a card. The arrays are the operator's. */
struct dg_elliptic_view {
  const struct dg_space *space;
  int Np, modes;        /* modes: of polynomials of degree p - 1 */
  const double *B;      /* [modes][Np][3] integral of mode times d l_j / d (r, s, t) */
  const double *mass;   /* [Np][Np] of the reference element */
  const int32_t *curve; /* [curved] elements that are curved */
  size_t curved;
  const double *curved_stiffness, *curved_mass; /* [curved][Np][Np] */
  size_t faces;                                 /* of the face term */
  const int32_t *face;                          /* [faces] 4 e + f */
  const double *face_matrix;                    /* [faces][Nf][Nf] */
};
struct dg_elliptic_view dg_elliptic_look(const struct dg_elliptic *op);
/* An element's metric with its medium, xx yy zz xy xz yz, so that its stiffness is B^T G B, and its mass over that of
 * the reference element. All are 0 in a curved element. */
void dg_elliptic_element(const struct dg_elliptic *op, size_t e, double G[6], double *mass);
/* R[a] = grad of (r, s, t)_a at a place of any element, 1/m. */
void dg_elliptic_metric_at(const struct dg_mesh *mesh, size_t e, const double place[3], double R[3][3]);
